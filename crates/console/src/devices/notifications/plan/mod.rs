//! Plans the steps to add, change or remove a row: one step for each app. Apps get a new recipient in place, and new
//! apps are created before others are deleted, so that no event is missed in between.

use serde::{Deserialize, Serialize};

use super::recipient::{Method, Recipient};
use super::rows::{App, Event, Events, NotificationRow};
use crate::audit::FieldChange;
use crate::forms::partial_writes::Part;

pub(super) const RECIPIENT: &str = "recipient";
const FORMER_RECIPIENT: Part = Part { field: RECIPIENT, label: "Removal of the former recipient" };

/// A recipient and the events to notify it of.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct NotificationSettings {
    pub(crate) recipient: Recipient,
    pub(crate) events: Events,
}

/// The steps in order, and their audit entries. The entries do not name the recipient: readers of the audit need not
/// know a partner's contacts.
#[derive(Debug, Default)]
pub(crate) struct NotificationPlan {
    pub(super) steps: Vec<Step>,
    pub(crate) fields: Vec<FieldChange>,
}

/// A step and the form field that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) part: Part,
    pub(super) call: Call,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Call {
    Create(Event, Recipient),
    /// Another recipient for the app of this event.
    Change(Event, App, Recipient),
    Delete(App),
}

/// Plans the missing events of several recipients.
pub(crate) fn additions(rows: &[NotificationRow], requested: &[NotificationSettings]) -> NotificationPlan {
    let mut all = NotificationPlan::default();
    for NotificationPlan { steps, fields } in requested.iter().map(|settings| addition(rows, settings)) {
        all.steps.extend(steps);
        all.fields.extend(fields);
    }
    all
}

/// Plans the missing events of one recipient.
pub(super) fn addition(rows: &[NotificationRow], requested: &NotificationSettings) -> NotificationPlan {
    let missing = &requested.events - &events_of(rows, &requested.recipient);
    NotificationPlan {
        steps: creations(&missing, requested),
        fields: fields(requested.recipient.method(), &missing, &Events::new()),
    }
}

/// Plans the change of `row`, one of `rows`. If another row already has the recipient, the two merge. `row_id` is the id of the
/// row of the requested recipient.
pub(super) fn change(
    rows: &[NotificationRow],
    row: &NotificationRow,
    requested: &NotificationSettings,
    row_id: &str,
) -> NotificationPlan {
    let mut missing = &requested.events - &events_of(rows, &requested.recipient);
    let mut fields = fields(
        requested.recipient.method(),
        &(&requested.events - &row.events()),
        &(&row.events() - &requested.events),
    );
    if row.recipient == requested.recipient {
        let mut steps = creations(&missing, requested);
        let unwanted = row.apps.iter().filter(|(event, _)| !requested.events.contains(event));
        steps.extend(unwanted.map(deletion));
        return NotificationPlan { steps, fields };
    }
    fields.insert(0, FieldChange::new(recipient_of(row_id), requested.recipient.method().name(), "another"));
    let (mut changes, mut deletions) = (Vec::new(), Vec::new());
    for (event, app) in &row.apps {
        if missing.remove(event) {
            let call = Call::Change(*event, app.clone(), requested.recipient.clone());
            changes.push(Step { part: event.part(), call });
        } else {
            deletions.push(Step { part: FORMER_RECIPIENT, ..deletion(&(*event, app.clone())) });
        }
    }
    let mut steps: Vec<Step> = changes.into_iter().chain(creations(&missing, requested)).collect();
    // The new recipient replaces the former one for all events; single events are not reported as saved.
    steps.iter_mut().for_each(|step| step.part.field = RECIPIENT);
    steps.append(&mut deletions);
    NotificationPlan { steps, fields }
}

/// The name in the audit of the recipient of the row with this id.
pub(super) fn recipient_of(row_id: &str) -> String {
    format!("{RECIPIENT}.{row_id}")
}

/// Plans the removal of the row with this id.
pub(super) fn removal(row: &NotificationRow, row_id: &str) -> NotificationPlan {
    let method = row.recipient.method();
    let mut fields = fields(method, &Events::new(), &row.events());
    fields.insert(0, FieldChange::new(recipient_of(row_id), method.name(), None::<&str>));
    NotificationPlan { steps: row.apps.iter().map(deletion).collect(), fields }
}

fn events_of(rows: &[NotificationRow], recipient: &Recipient) -> Events {
    rows.iter().find(|row| row.recipient == *recipient).map(NotificationRow::events).unwrap_or_default()
}

fn creations(events: &Events, requested: &NotificationSettings) -> Vec<Step> {
    let create = |event: &Event| Step { part: event.part(), call: Call::Create(*event, requested.recipient.clone()) };
    events.iter().map(create).collect()
}

pub(super) fn deletion(wanted_no_more: &(Event, App)) -> Step {
    let (event, app) = wanted_no_more;
    Step { part: event.part(), call: Call::Delete(app.clone()) }
}

/// Audit entries with the method of each added or removed event.
pub(super) fn fields(method: Method, added: &Events, removed: &Events) -> Vec<FieldChange> {
    let added = added.iter().map(|event| FieldChange::new(event.part().field, None::<&str>, method.name()));
    let removed = removed.iter().map(|event| FieldChange::new(event.part().field, method.name(), None::<&str>));
    added.chain(removed).collect()
}

#[cfg(test)]
mod tests;
