//! Notifications that a job added, as long as they can be removed again.

use serde::{Deserialize, Serialize};

use super::plan::{Call, NotificationPlan, deletion, fields};
use super::rows::{Event, Events, NotificationRow};
use crate::forms::partial_writes::Part;
use crate::secrets::opaque_ids::OpaqueIds;

/// An event that a job added for a recipient, without the recipient's address.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct AddedNotification {
    /// The opaque id of the recipient's row.
    recipient: String,
    event: Event,
}

impl AddedNotification {
    /// What this plan adds to the device.
    pub(crate) fn all_of(plan: &NotificationPlan, ids: &OpaqueIds, dsn: &str) -> Vec<Self> {
        let added = plan.steps.iter().filter_map(|step| match &step.call {
            Call::Create(event, recipient) => Some(Self { recipient: recipient.row_id(ids, dsn), event: *event }),
            Call::Change(..) | Call::Delete(_) => None,
        });
        added.collect()
    }

    pub(crate) fn part(&self) -> Part {
        self.event.part()
    }
}

/// Plans the removal of those that are still among the device's `rows`.
pub(crate) fn removals(
    rows: &[NotificationRow],
    added: &[AddedNotification],
    ids: &OpaqueIds,
    dsn: &str,
) -> NotificationPlan {
    let mut plan = NotificationPlan::default();
    for row in rows {
        let id = row.recipient.row_id(ids, dsn);
        let is_added = |event: Event| added.iter().any(|added| added.recipient == id && added.event == event);
        let apps = row.apps.iter().filter(|(event, _)| is_added(*event));
        let events: Events = apps.clone().map(|(event, _)| *event).collect();
        plan.steps.extend(apps.map(deletion));
        plan.fields.extend(fields(row.recipient.method(), &Events::new(), &events));
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::super::plan::{NotificationSettings, additions};
    use super::super::recipient::Recipient;
    use super::super::rows::App;
    use super::*;

    const DSN: &str = "SC-1";

    fn email(address: &str) -> Recipient {
        Recipient::Email(address.to_owned())
    }

    fn row(address: &str, events: &[Event]) -> NotificationRow {
        let apps = (1..).zip(events).map(|(id, event)| (*event, App::Notification(1.into(), id.into()))).collect();
        NotificationRow { recipient: email(address), apps }
    }

    #[test]
    fn only_what_was_added_is_removed_and_no_address_is_stored() {
        let ids = OpaqueIds::new(&[7; 32]);
        let before = [row("jo@example.com", &[Event::Connected])];
        let wanted = ["Jo@Example.com", "kim@example.com"].map(|address| NotificationSettings {
            recipient: email(address),
            events: [Event::Connected, Event::Disconnected].into(),
        });
        let added = AddedNotification::all_of(&additions(&before, &wanted), &ids, DSN);
        assert_eq!(added.len(), 3);
        let stored = serde_json::to_string(&added).unwrap();
        assert!(!stored.contains("example"), "{stored}");
        assert_eq!(serde_json::from_str::<Vec<AddedNotification>>(&stored).unwrap(), added);

        // Since then, somebody has removed one event and added another.
        let now = [
            row("jo@example.com", &[Event::Connected, Event::Disconnected]),
            row("kim@example.com", &[Event::Connected, Event::LowProductLevel]),
            row("eve@example.com", &[Event::Connected]),
        ];
        let plan = removals(&now, &added, &ids, DSN);
        let calls: Vec<&Call> = plan.steps.iter().map(|step| &step.call).collect();
        let app = |id: i64| Call::Delete(App::Notification(1.into(), id.into()));
        assert_eq!(calls, [&app(2), &app(1)]);
        assert_eq!(plan.fields.len(), 2);
        assert!(removals(&now, &added, &ids, "SC-2").steps.is_empty(), "ids are those of one device");
    }
}
