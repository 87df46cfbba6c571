//! Notifications in responses.

use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::phone::NationalPhone;
use super::read::DeviceNotifications;
use super::recipient::{Method, Recipient};
use super::rows::{Event, NotificationRow};
use crate::secrets::opaque_ids::OpaqueIds;

/// A recipient of a device's notifications.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeviceNotification)]
pub(crate) struct NotificationView {
    /// Stable for the recipient, without revealing who it is.
    id: String,
    method: Method,
    /// An e-mail address; or a telephone number, as a plus and digits.
    recipient: String,
    /// The telephone number in national format; null for an address or an invalid number.
    #[schema(required)]
    phone: Option<NationalPhone>,
    events: NotificationEvents,
}

/// The notifications of a device after a write.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SavedNotifications {
    pub(super) notifications: Vec<NotificationView>,
    /// Whether the write was saved, but the notifications could not be read afterwards: these are from before the write.
    pub(super) stale: bool,
    /// The undo of a removal; null after other writes.
    #[schema(required)]
    pub(super) undo: Option<NotificationUndo>,
}

/// The undo of the removal of a notification.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NotificationUndo {
    /// Id of the removal.
    pub(super) id: Uuid,
    /// End of the undo period.
    #[schema(value_type = String, format = DateTime)]
    pub(super) until: Timestamp,
}

/// The recipient's events, each with its id at the device cloud, or null if the recipient does not get it.
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
    /// The rows as returned to clients.
    pub(in crate::devices) fn views(&self, ids: &OpaqueIds, dsn: &str) -> Vec<NotificationView> {
        self.rows.iter().map(|row| row.view(ids, dsn)).collect()
    }
}

impl NotificationRow {
    fn view(&self, ids: &OpaqueIds, dsn: &str) -> NotificationView {
        let id_of =
            |searched: Event| self.apps.iter().find(|(event, _)| *event == searched).map(|(_, app)| app.to_string());
        NotificationView {
            id: self.recipient.row_id(ids, dsn),
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
