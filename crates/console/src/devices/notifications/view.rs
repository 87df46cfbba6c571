//! A notification as people see it.

use serde::Serialize;
use utoipa::ToSchema;

use super::phone::NationalPhone;
use super::read::DeviceNotifications;
use super::recipient::{Method, Recipient};
use super::rows::{Event, NotificationRow};
use crate::opaque::OpaqueIds;

/// Somebody who is told of a device.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeviceNotification)]
pub(crate) struct NotificationView {
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

impl DeviceNotifications {
    /// As people see them.
    pub(in crate::devices) fn views(&self, ids: &OpaqueIds, dsn: &str) -> Vec<NotificationView> {
        self.rows.iter().map(|row| row.view(ids, dsn)).collect()
    }
}

impl NotificationRow {
    pub(super) fn id(&self, ids: &OpaqueIds, dsn: &str) -> String {
        ids.of(&["notification", dsn, &self.recipient.identity()])
    }

    fn view(&self, ids: &OpaqueIds, dsn: &str) -> NotificationView {
        let id_of =
            |wanted: Event| self.apps.iter().find(|(event, _)| *event == wanted).map(|(_, app)| app.to_string());
        NotificationView {
            id: self.id(ids, dsn),
            method: self.recipient.method(),
            recipient: self.recipient.display(),
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
