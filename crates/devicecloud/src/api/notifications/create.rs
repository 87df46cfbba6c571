use http::Method;
use serde_json::{Map, Value, json};

use super::{Notifications, device_request};
use crate::error::Result;
use crate::http::Request;
use crate::model::read::{Fields, FromWire};
use crate::model::{DeviceKey, Notification, NotificationType, read};

/// Default threshold in seconds; see [`CreateNotification::threshold`].
const THRESHOLD: i64 = 300;

/// Builder for creating a notification; returned by [`Notifications::create`].
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

    /// How long the condition must last before people are notified, in seconds; 300 by default.
    pub fn threshold(self, seconds: i64) -> Self {
        Self { threshold: seconds, ..self }
    }

    /// Creates the notification. If the response is empty or has an unknown shape, returns the notification as it was
    /// sent, with a blank id.
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'Device key is required'; `Server` with status 404 if
    /// the device does not exist or is not visible to you, 403 if you may not change it, 422 if the cloud rejects the
    /// type or the threshold, or there are too many; `General` if no response arrived.
    pub async fn send(&self) -> Result<Notification> {
        let response = self.notifications.call(self.request()).await?;
        Ok(response.read_if_possible(read::one).unwrap_or_else(|| self.as_sent()))
    }

    fn request(&self) -> Result<Request> {
        let request = device_request(Method::POST, "apiv1/devices/{}/notifications.json", &self.device)?;
        Ok(request.body(json!({ "devId": self.device, "notification": self.members() })))
    }

    fn members(&self) -> Map<String, Value> {
        let members =
            [("notification_type", self.notification_type.as_str().into()), ("threshold", self.threshold.into())];
        members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn as_sent(&self) -> Notification {
        Notification { device_key: self.device.clone(), ..Notification::from_wire(&Fields(&self.members())) }
    }
}
