//! A notification as people see it.

use serde::Serialize;
use utoipa::ToSchema;

use super::merged::{Event, Row};
use super::phone::NationalPhone;
use super::read::Notifications;
use super::recipient::{Method, Recipient};
use crate::opaque::OpaqueIds;

/// Somebody who is told of a device.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeviceNotification)]
pub(crate) struct Notification {
    /// Stays the same as long as the recipient does, and tells nobody who that is.
    id: String,
    method: Method,
    /// An e-mail address; or a telephone number, with a plus in front and nothing but digits.
    recipient: String,
    /// The telephone number as it is written in its country; null for an address, and for what is no telephone number.
    #[schema(required)]
    phone: Option<NationalPhone>,
    events: NotificationEvents,
}

/// What they are told of: of each event the id at the device cloud, or null when they are not told of it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NotificationEvents {
    #[schema(required)]
    connected: Option<String>,
    #[schema(required)]
    disconnected: Option<String>,
    #[schema(required)]
    low_product_level: Option<String>,
}

impl Notifications {
    /// As people see them.
    pub(in crate::devices) fn shown(&self, ids: &OpaqueIds, dsn: &str) -> Vec<Notification> {
        self.rows.iter().map(|row| row.shown(ids, dsn)).collect()
    }
}

impl Row {
    pub(super) fn id(&self, ids: &OpaqueIds, dsn: &str) -> String {
        ids.of(&["notification", dsn, &self.recipient.identity()])
    }

    fn shown(&self, ids: &OpaqueIds, dsn: &str) -> Notification {
        let id_of =
            |wanted: Event| self.apps.iter().find(|(event, _)| *event == wanted).map(|(_, app)| app.to_string());
        Notification {
            id: self.id(ids, dsn),
            method: self.recipient.method(),
            recipient: self.recipient.shown(),
            phone: match &self.recipient {
                Recipient::Sms(phone) => phone.national(),
                Recipient::Email(_) => None,
            },
            events: NotificationEvents {
                connected: id_of(Event::Connected),
                disconnected: id_of(Event::Disconnected),
                low_product_level: id_of(Event::LowProductLevel),
            },
        }
    }
}
