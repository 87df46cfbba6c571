use reqwest::Method;
use serde_json::{Map, Value, json};

use super::{Notifications, of_device};
use crate::error::Result;
use crate::http::Request;
use crate::model::read::{Fields, FromWire};
use crate::model::{DeviceKey, Notification, NotificationType, read};

/// In seconds, unless [`CreateNotification::threshold`] says otherwise.
const THRESHOLD: i64 = 300;

/// A notification to make; made by [`Notifications::create`].
#[derive(Clone, Debug)]
#[must_use]
pub struct CreateNotification {
    notifications: Notifications,
    device: DeviceKey,
    notification_type: NotificationType,
    threshold: i64,
}

impl CreateNotification {
    pub(super) fn new(notifications: Notifications, device: DeviceKey, notification_type: NotificationType) -> Self {
        Self { notifications, device, notification_type, threshold: THRESHOLD }
    }

    /// How long it must last before anybody is told, in seconds; 300 by default.
    pub fn threshold(self, seconds: i64) -> Self {
        Self { threshold: seconds, ..self }
    }

    /// Makes the notification. When the answer is empty or has an unknown shape, the notification is returned as it was
    /// sent, with a blank id.
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'Device key is required'; `Server` with status 404 when the
    /// device is not there or not yours, 403 when it is not yours to change, 422 when the cloud does not take the type or the
    /// threshold, or there are too many; `General` when no answer came.
    pub async fn send(&self) -> Result<Notification> {
        let answer = self.notifications.call(self.request()).await?;
        Ok(answer.read_if_possible(read::one).unwrap_or_else(|| self.unread()))
    }

    fn request(&self) -> Result<Request> {
        let request = of_device(Method::POST, "apiv1/devices/{}/notifications.json", &self.device)?;
        Ok(request.body(json!({ "devId": self.device, "notification": self.members() })))
    }

    fn members(&self) -> Map<String, Value> {
        let members =
            [("notification_type", self.notification_type.as_str().into()), ("threshold", self.threshold.into())];
        members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn unread(&self) -> Notification {
        Notification { device_key: self.device.clone(), ..Notification::from_wire(&Fields(&self.members())) }
    }
}
