use std::fmt;

use serde::Serialize;

use crate::model::read::{Fields, FromWire};
use crate::model::wire_enum::wire_enum;
use crate::model::{DeviceKey, NotificationAppId, NotificationId, UserId, UserUuid};
use crate::secret::SecretText;

wire_enum! {
    /// What a notification tells of.
    NotificationType {
        /// The device connected.
        OnConnect = "on_connect",
        /// The device has another address.
        IpChange = "ip_change",
        /// The connection was lost.
        OnConnectionLost = "on_connection_lost",
        /// The connection is there again.
        OnConnectionRestore = "on_connection_restore",
    }
}

wire_enum! {
    /// How a notification reaches people.
    NotificationAppType {
        /// By e-mail.
        Email = "email",
        /// By text message.
        Sms = "sms",
        /// On an Apple device.
        PushIos = "push_ios",
        /// On an Android device, by Google's older service.
        PushAndroid = "push_android",
        /// On an Android device.
        PushAndroidFcm = "push_android_fcm",
        /// On an Android device, by Baidu.
        PushBaidu = "push_baidu",
    }
}

/// Tells people what happens to a device. `Debug` shows what it tells of, and of whom nothing.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Notification {
    /// The id.
    pub id: NotificationId,
    /// An address that is called, too.
    pub url: Option<String>,
    /// Who calls that address.
    pub username: Option<String>,
    /// The password of who calls it; blank when there is none.
    #[serde(skip)]
    pub password: SecretText,
    /// What it tells of.
    pub notification_type: NotificationType,
    /// What it says.
    pub message: Option<String>,
    /// How long it must last before anybody is told, in seconds.
    pub threshold: Option<i64>,
    /// The device.
    pub device_key: DeviceKey,
    /// The device's name in the message.
    pub device_nickname: Option<String>,
    /// Whose it is.
    pub user_id: UserId,
    /// Whose it is.
    pub user_uuid: UserUuid,
    /// Whether it belongs to the device, and not to a user; false by default.
    pub asset: bool,
    /// Whom it reaches, and how; empty when they are to be read apart.
    pub applications: Vec<NotificationApp>,
}

/// One way to one recipient of a [`Notification`]. `Debug` does not show who that is.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct NotificationApp {
    /// The id.
    pub id: NotificationAppId,
    /// The way.
    pub app_type: NotificationAppType,
    /// A name for people.
    pub nickname: Option<String>,
    /// The recipient's name.
    pub username: Option<String>,
    /// The recipient's address.
    pub email: Option<String>,
    /// The template of the e-mail.
    pub email_template_id: Option<String>,
    /// The subject of the e-mail.
    pub email_subject: Option<String>,
    /// The text of the e-mail, in HTML.
    pub email_body_html: Option<String>,
    /// What is said.
    pub message: Option<String>,
    /// The country's telephone code, without zeros in front.
    pub country_code: Option<String>,
    /// The telephone number without it.
    #[serde(rename = "phone_number")]
    pub phone_number: Option<String>,
}

impl FromWire for Notification {
    const WRAPPER: &'static str = "notification";

    fn from_wire(fields: &Fields<'_>) -> Self {
        Self {
            id: fields.id("id"),
            url: fields.text("url"),
            username: fields.text("username"),
            password: fields.text_or_empty("password").into(),
            notification_type: fields.text_or_empty("notification_type").as_str().into(),
            message: fields.text("message"),
            threshold: fields.integer("threshold"),
            device_key: fields.id("device_key"),
            device_nickname: fields.text("device_nickname"),
            user_id: fields.id("user_id"),
            user_uuid: fields.id("user_uuid"),
            asset: fields.flag("asset"),
            applications: fields.many("applications"),
        }
    }
}

impl FromWire for NotificationApp {
    const WRAPPER: &'static str = "notification_app";

    fn from_wire(fields: &Fields<'_>) -> Self {
        let nested = fields.value("notification_app_parameters").and_then(|nested| nested.as_object()).map(Fields);
        let parameters = nested.as_ref().unwrap_or(fields);
        Self {
            id: fields.id("id"),
            app_type: fields.text_or_empty("app_type").as_str().into(),
            nickname: fields.text("nickname"),
            username: parameters.text("username"),
            email: parameters.text("email"),
            email_template_id: parameters.text("email_template_id"),
            email_subject: parameters.text("email_subject"),
            email_body_html: parameters.text("email_body_html"),
            message: parameters.text("message"),
            country_code: parameters.text("country_code"),
            phone_number: parameters.text("phone_number"),
        }
    }
}

impl fmt::Debug for Notification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notification")
            .field("id", &self.id)
            .field("notification_type", &self.notification_type)
            .field("threshold", &self.threshold)
            .field("device_key", &self.device_key)
            .field("user_uuid", &self.user_uuid)
            .field("applications", &self.applications)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for NotificationApp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NotificationApp")
            .field("id", &self.id)
            .field("app_type", &self.app_type)
            .finish_non_exhaustive()
    }
}
