//! Calls on notifications about connection changes, and their apps.

mod create;
mod new_app;

pub use create::CreateNotification;
pub use new_app::NewNotificationApp;

use std::sync::Arc;

use http::Method;
use serde_json::{Value, json};

use crate::api::call_group;
use crate::config::endpoints::Service;
use crate::error::messages;
use crate::error::{Error, ErrorKind, Result, required};
use crate::http::{Request, Response};
use crate::model::{
    DeviceKey, Notification, NotificationApp, NotificationAppId, NotificationId, NotificationType, read,
};
use crate::session::CloudSession;

/// Calls for notifications of device events; returned by [`Client::notifications`](crate::Client::notifications).
///
/// A notification names the event; its apps are the recipients.
///
/// Failures without a usable response (no connection, timeout, a response that is not JSON) have the kind
/// [`General`](ErrorKind::General) in this group of calls.
///
/// ```no_run
/// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
/// use devicecloud::{NewNotificationApp, NotificationType};
///
/// let device = client.devices().get("AC000W000000001").send().await?;
/// let notifications = client.notifications();
/// let lost = notifications.create(&device.key, NotificationType::OnConnectionLost).send().await?;
/// notifications.create_app(&lost.id, &NewNotificationApp::email("jo@example.com")).await?;
/// for notification in notifications.list(&device.key).await? {
///     println!("{} after {:?} s", notification.notification_type, notification.threshold);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Notifications {
    session: Arc<CloudSession>,
    retries: bool,
}

call_group!(Notifications);

impl Notifications {
    /// All notifications of a device, of any user. `GET apiv1/devices/{key}/notifications/all`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// println!("{} notifications", client.notifications().list(41).await?.len());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'Device key is required'; `Server` with status 404 if
    /// the device does not exist or is not visible to you; `General` if no response arrived.
    pub async fn list(&self, device: impl Into<DeviceKey>) -> Result<Vec<Notification>> {
        let request = device_request(Method::GET, "apiv1/devices/{}/notifications/all", &device.into());
        self.read(request, read::many).await
    }

    /// Creates a notification. Never retried, because it is not idempotent.
    /// `POST apiv1/devices/{key}/notifications.json`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// use devicecloud::NotificationType;
    ///
    /// client.notifications().create(41, NotificationType::OnConnectionLost).threshold(60).send().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn create(&self, device: impl Into<DeviceKey>, notification_type: NotificationType) -> CreateNotification {
        CreateNotification::new(self.clone(), device.into(), notification_type)
    }

    /// Deletes a notification with its apps. `DELETE apiv1/notifications/{id}`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// client.notifications().delete(7).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'Notification id is required'; `Server` with status 404
    /// if it does not exist or is not visible to you, 403 if you may not change it; `General` if no response
    /// arrived.
    pub async fn delete(&self, id: impl Into<NotificationId>) -> Result<()> {
        self.call(notification_request(Method::DELETE, "apiv1/notifications/{}", &id.into())).await.map(drop)
    }

    /// The recipients of a notification. `GET apiv1/notifications/{id}/notification_apps.json`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// for app in client.notifications().apps(7).await? {
    ///     println!("{}", app.app_type);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`delete`](Self::delete), without status 403.
    pub async fn apps(&self, id: impl Into<NotificationId>) -> Result<Vec<NotificationApp>> {
        self.read(notification_request(Method::GET, APPS, &id.into()), read::many).await
    }

    /// Adds an app (a recipient) to a notification. Never retried, because it is not idempotent. If the response is
    /// empty or has an unknown shape, returns the app as it was sent, with a blank id.
    /// `POST apiv1/notifications/{id}/notification_apps.json`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// use devicecloud::NewNotificationApp;
    ///
    /// let app = NewNotificationApp::sms("1", "4145550100").message("The lobby is offline");
    /// client.notifications().create_app(7, &app).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`delete`](Self::delete); `InvalidArgument` 'Email is required', 'Country code is required' or 'Phone number
    /// is required'; `Server` with status 422 if the cloud rejects the recipient or there are too many.
    pub async fn create_app(&self, id: impl Into<NotificationId>, app: &NewNotificationApp) -> Result<NotificationApp> {
        let request = notification_request(Method::POST, APPS, &id.into())
            .and_then(|request| Ok(request.body(json!({ "notification_app": app.members()? }))));
        let response = self.call(request).await?;
        Ok(response.read_if_possible(read::one).unwrap_or_else(|| app.as_sent()))
    }

    /// Changes an app (a recipient) of a notification, which keeps its id. If the response is empty or has an unknown
    /// shape, returns the app as it was sent, with a blank id. `PUT apiv1/notifications/{id}/notification_apps/{appId}.json`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// use devicecloud::NewNotificationApp;
    ///
    /// client.notifications().update_app(7, 9, &NewNotificationApp::email("jo@example.com")).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`create_app`](Self::create_app); `InvalidArgument` 'Notification app id is required'.
    pub async fn update_app(
        &self,
        id: impl Into<NotificationId>,
        app_id: impl Into<NotificationAppId>,
        app: &NewNotificationApp,
    ) -> Result<NotificationApp> {
        let request = app_request(Method::PUT, APP_JSON, &id.into(), &app_id.into())
            .and_then(|request| Ok(request.body(json!({ "notification_app": app.members()? }))));
        let response = self.call(request).await?;
        Ok(response.read_if_possible(read::one).unwrap_or_else(|| app.as_sent()))
    }

    /// Removes an app (a recipient) from a notification. `DELETE apiv1/notifications/{id}/notification_apps/{appId}`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// client.notifications().delete_app(7, 9).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`delete`](Self::delete); `InvalidArgument` 'Notification app id is required'.
    pub async fn delete_app(&self, id: impl Into<NotificationId>, app: impl Into<NotificationAppId>) -> Result<()> {
        self.call(app_request(Method::DELETE, APP, &id.into(), &app.into())).await.map(drop)
    }

    async fn call(&self, request: Result<Request>) -> Result<Response> {
        let request = request.map(|request| request.retries(self.retries));
        self.session.call(messages::NO_SESSION_ACTIVE, request).await.map_err(general)
    }

    async fn read<T>(&self, request: Result<Request>, reader: fn(&Value) -> Option<T>) -> Result<T> {
        self.call(request).await?.read(reader).map_err(general)
    }
}

const APPS: &str = "apiv1/notifications/{}/notification_apps.json";
const APP: &str = "apiv1/notifications/{}/notification_apps/{}";
const APP_JSON: &str = "apiv1/notifications/{}/notification_apps/{}.json";

fn device_request(method: Method, route: &'static str, device: &DeviceKey) -> Result<Request> {
    required(device.is_blank(), messages::DEVICE_KEY_REQUIRED)?;
    Request::new(method, Service::Device, route, &[device.as_str()])
}

fn notification_request(method: Method, route: &'static str, id: &NotificationId) -> Result<Request> {
    required(id.is_blank(), messages::NOTIFICATION_ID_REQUIRED)?;
    Request::new(method, Service::Device, route, &[id.as_str()])
}

fn app_request(method: Method, route: &'static str, id: &NotificationId, app: &NotificationAppId) -> Result<Request> {
    required(id.is_blank(), messages::NOTIFICATION_ID_REQUIRED)?;
    required(app.is_blank(), messages::NOTIFICATION_APP_ID_REQUIRED)?;
    Request::new(method, Service::Device, route, &[id.as_str(), app.as_str()])
}

/// The specification has a single error kind for notification calls that got no response.
fn general(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Network | ErrorKind::Timeout | ErrorKind::Json | ErrorKind::Internal => {
            error.with_kind(ErrorKind::General)
        }
        _ => error,
    }
}
