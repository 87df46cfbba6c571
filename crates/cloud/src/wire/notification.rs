use serde::Serialize;

use crate::store::notification_apps::NotificationAppRow;
use crate::store::notifications::NotificationRow;

#[derive(Serialize)]
pub(crate) struct NotificationWrapper {
    notification: Notification,
}

#[derive(Serialize)]
pub(crate) struct NotificationAppWrapper {
    notification_app: NotificationApp,
}

/// A notification (docs/wire.md#notifications). This cloud does not call URLs, so those members are missing.
#[derive(Serialize)]
struct Notification {
    id: i64,
    device_key: i64,
    device_nickname: String,
    notification_type: String,
    threshold: i64,
    message: Option<String>,
    url: Option<String>,
    username: Option<String>,
    password: Option<String>,
    user_id: i64,
    user_uuid: String,
    asset: bool,
    active: bool,
}

#[derive(Serialize)]
struct NotificationApp {
    id: i64,
    notification_id: i64,
    app_type: String,
    nickname: Option<String>,
    notification_app_parameters: Parameters,
}

#[derive(Serialize)]
struct Parameters {
    username: Option<String>,
    email: Option<String>,
    country_code: Option<String>,
    phone_number: Option<String>,
    message: Option<String>,
    email_subject: Option<String>,
    email_template_id: Option<String>,
    /// Apps send plain text.
    email_body_html: Option<String>,
}

impl From<NotificationRow> for NotificationWrapper {
    fn from(row: NotificationRow) -> Self {
        let notification = Notification {
            id: row.id,
            device_key: row.device_id,
            device_nickname: row.product_name,
            notification_type: row.notification_type,
            threshold: row.threshold,
            message: row.message,
            url: None,
            username: None,
            password: None,
            user_id: row.user_id,
            user_uuid: row.user_uuid,
            asset: false,
            active: true,
        };
        Self { notification }
    }
}

impl From<NotificationAppRow> for NotificationAppWrapper {
    fn from(NotificationAppRow { id, notification_id, app }: NotificationAppRow) -> Self {
        let notification_app_parameters = Parameters {
            username: app.username,
            email: app.email,
            country_code: app.country_code,
            phone_number: app.phone_number,
            message: app.message,
            email_subject: app.email_subject,
            email_template_id: app.email_template_id,
            email_body_html: None,
        };
        let (app_type, nickname) = (app.app_type, app.nickname);
        Self {
            notification_app: NotificationApp { id, notification_id, app_type, nickname, notification_app_parameters },
        }
    }
}
