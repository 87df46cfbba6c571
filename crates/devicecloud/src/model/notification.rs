use serde::Serialize;

use super::read::{Fields, FromWire};
use super::secret::SecretText;
use super::wire_enum::wire_enum;
use super::{DeviceKey, NotificationAppId, NotificationId, UserId, UserUuid};
use crate::debug::debug_only;

wire_enum! {
    /// The kind of event that a notification reports.
    NotificationType {
        /// The device connected.
        OnConnect = "on_connect",
        /// The device's IP address changed.
        IpChange = "ip_change",
        /// The connection was lost.
        OnConnectionLost = "on_connection_lost",
        /// The connection was restored.
        OnConnectionRestore = "on_connection_restore",
    }
}

wire_enum! {
    /// The channel of a notification.
    NotificationAppType {
        /// By e-mail.
        Email = "email",
        /// By text message.
        Sms = "sms",
        /// Push notification to an Apple device.
        PushIos = "push_ios",
        /// Push notification to an Android device through the legacy Google service.
        PushAndroid = "push_android",
        /// Push notification to an Android device.
        PushAndroidFcm = "push_android_fcm",
        /// Push notification to an Android device through Baidu.
        PushBaidu = "push_baidu",
    }
}

/// Notifies people of events of a device. `Debug` output contains no recipients.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Notification {
    /// The id.
    pub id: NotificationId,
    /// A URL that the cloud calls as well.
    pub url: Option<String>,
    /// The username for that URL.
    pub username: Option<String>,
    /// The password for that URL; blank if there is none.
    #[serde(skip)]
    pub password: SecretText,
    /// The kind of event.
    pub notification_type: NotificationType,
    /// The message text.
    pub message: Option<String>,
    /// How long the condition must last before people are notified, in seconds.
    pub threshold: Option<i64>,
    /// The device.
    pub device_key: DeviceKey,
    /// The name of the device to use in the message.
    pub device_nickname: Option<String>,
    /// The user that it belongs to.
    pub user_id: UserId,
    /// The user that it belongs to.
    pub user_uuid: UserUuid,
    /// Whether it belongs to the device instead of a user; false by default.
    pub asset: bool,
    /// The recipients; empty if they must be read with [`Notifications::apps`](crate::api::Notifications::apps).
    pub applications: Vec<NotificationApp>,
}

/// A recipient of a [`Notification`] and the channel to reach it. `Debug` output does not contain the recipient.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct NotificationApp {
    /// The id.
    pub id: NotificationAppId,
    /// The channel.
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
    /// The message text.
    pub message: Option<String>,
    /// The country calling code, without leading zeros.
    pub country_code: Option<String>,
    /// The phone number without the country code.
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

debug_only!(Notification { id, notification_type, threshold, device_key, user_uuid, applications });

debug_only!(NotificationApp { id, app_type });
