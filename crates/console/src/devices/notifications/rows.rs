//! Merges the cloud's notifications and triggers into one row for each recipient.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use devicecloud::{NotificationAppId, NotificationId, NotificationType, TriggerAppKey};
use serde::{Deserialize, Serialize};

use super::recipient::Recipient;
use crate::forms::partial_writes::Part;

/// An event that recipients can be notified of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub(crate) enum Event {
    /// The connection was restored.
    Connected,
    /// The connection was lost.
    Disconnected,
    /// The level fell below [`diffuser::LOW_PRODUCT_PERCENT`].
    LowProductLevel,
}

pub(crate) type Events = BTreeSet<Event>;

/// The app at the cloud that notifies a recipient of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum App {
    Notification(NotificationId, NotificationAppId),
    Trigger(TriggerAppKey),
}

/// A recipient with the apps for each event. An event has several apps only if they were added concurrently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotificationRow {
    pub(crate) recipient: Recipient,
    pub(super) apps: Vec<(Event, App)>,
}

impl Event {
    pub(crate) const ALL: [Self; 3] = [Self::Connected, Self::Disconnected, Self::LowProductLevel];

    /// Its names in requests and on the page.
    pub(super) fn part(self) -> Part {
        match self {
            Self::Connected => Part { field: "connected", label: "Connected" },
            Self::Disconnected => Part { field: "disconnected", label: "Disconnected" },
            Self::LowProductLevel => Part { field: "lowProductLevel", label: "Low Product Level" },
        }
    }

    /// The notification type of the event; `None` for an event of a trigger.
    pub(super) fn notification_type(self) -> Option<NotificationType> {
        match self {
            Self::Connected => Some(NotificationType::OnConnectionRestore),
            Self::Disconnected => Some(NotificationType::OnConnectionLost),
            Self::LowProductLevel => None,
        }
    }

    /// The event of this notification type, if the console uses it.
    pub(super) fn of_notification(notification_type: &NotificationType) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.notification_type().as_ref() == Some(notification_type))
    }
}

impl NotificationRow {
    pub(crate) fn events(&self) -> Events {
        self.apps.iter().map(|(event, _)| *event).collect()
    }
}

/// The id of an event in a row.
impl fmt::Display for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Notification(notification, app) => write!(f, "{notification}/{app}"),
            Self::Trigger(key) => write!(f, "{key}"),
        }
    }
}

/// Merges apps into one row for each recipient, in a stable order.
pub(super) fn merge(apps: impl IntoIterator<Item = (Event, Recipient, App)>) -> Vec<NotificationRow> {
    let mut rows: BTreeMap<String, NotificationRow> = BTreeMap::new();
    for (event, recipient, app) in apps {
        let row = rows.entry(recipient.identity()).or_insert_with(|| NotificationRow { recipient, apps: Vec::new() });
        row.apps.push((event, app));
    }
    rows.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::super::phone::Phone;
    use super::*;

    fn email(address: &str) -> Recipient {
        Recipient::Email(address.to_owned())
    }

    fn sms(country_code: &str, number: &str) -> Recipient {
        Recipient::Sms(Phone { country_code: country_code.to_owned(), number: number.to_owned() })
    }

    fn of(notification: i64, app: i64) -> App {
        App::Notification(notification.into(), app.into())
    }

    #[test]
    fn notifications_and_triggers_of_one_recipient_merge_into_one_row() {
        let trigger = App::Trigger(9.into());
        let rows = merge([
            (Event::Connected, sms("1", "4145550100"), of(1, 1)),
            (Event::Connected, email("jo@example.com"), of(1, 2)),
            (Event::Disconnected, email("Jo@Example.com"), of(2, 3)),
            (Event::LowProductLevel, email("JO@example.com"), trigger.clone()),
            (Event::LowProductLevel, sms("+1", "414 555 0100"), App::Trigger(10.into())),
            (Event::Disconnected, email("kim@example.com"), of(2, 4)),
        ]);
        let seen: Vec<_> = rows.iter().map(|row| (row.recipient.display(), row.events().len())).collect();
        let expected = [("jo@example.com", 3), ("kim@example.com", 1), ("+14145550100", 2)];
        assert_eq!(seen, expected.map(|(recipient, events)| (recipient.to_owned(), events)));
        let apps = [(Event::Connected, of(1, 2)), (Event::Disconnected, of(2, 3)), (Event::LowProductLevel, trigger)];
        assert_eq!(rows[0].apps, apps);
    }

    #[test]
    fn duplicate_apps_count_as_one_event() {
        let rows = merge([1, 2].map(|app| (Event::Connected, email("jo@example.com"), of(1, app))));
        assert_eq!((rows.len(), rows[0].events().len(), rows[0].apps.len()), (1, 1, 2));
    }

    #[test]
    fn event_id_names_its_notification_or_trigger_app() {
        assert_eq!(
            (of(12, 34).to_string(), App::Trigger(56.into()).to_string()),
            ("12/34".to_owned(), "56".to_owned())
        );
    }

    #[test]
    fn connection_events_map_to_notification_types() {
        let types = ["on_connection_restore", "on_connection_lost", "on_connect", "ip_change", "on_something"];
        let events = types.map(|name| Event::of_notification(&name.into()));
        assert_eq!(events, [Some(Event::Connected), Some(Event::Disconnected), None, None, None]);
    }
}
