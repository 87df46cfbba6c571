//! Notifications.

use devicecloud::{NewNotificationApp, Notification, NotificationApp, NotificationAppType, NotificationType};

use super::{Run, WRONG_KEY, cases};

const ID: i64 = 91;
const APP: i64 = 92;
const EMAIL: &str = "jo@example.com";

fn email() -> NewNotificationApp {
    NewNotificationApp::email(EMAIL).message("Offline")
}

fn changed() -> NewNotificationApp {
    NewNotificationApp::email("lee@example.com").message("Offline")
}

fn sms() -> NewNotificationApp {
    NewNotificationApp::sms("1", "4145550100").message("Offline")
}

fn assert_lost(notification: &Notification) {
    assert_eq!((notification.id.as_str(), notification.device_key.as_str()), ("7", "41"));
    assert_eq!(notification.notification_type, NotificationType::OnConnectionLost);
    assert_eq!((notification.threshold, &notification.url), (Some(300), &None));
    assert!(notification.password.is_blank() && notification.applications.is_empty());
}

fn assert_email(app: &NotificationApp) {
    assert_eq!((app.id.as_str(), &app.app_type), ("7", &NotificationAppType::Email));
    assert_eq!((app.username.as_deref(), app.email.as_deref()), (Some("Administrator"), Some(EMAIL)));
    assert_eq!(app.message.as_deref(), Some("Offline"));
}

pub(super) fn all() -> Vec<(&'static str, Run)> {
    cases! {
        "notifications/list": |client| assert_eq!(client.notifications().list(41).await?, []);
        "notifications/list.404": |client| client.notifications().list(WRONG_KEY).await?;
        "notifications/list.made": |client| {
            let notifications = client.notifications().list(41).await?;
            assert_eq!(notifications.len(), 1);
            assert_lost(&notifications[0]);
        };
        "notifications/create": |client| {
            assert_lost(&client.notifications().create(41, NotificationType::OnConnectionLost).send().await?);
        };
        "notifications/create.404": |client| {
            client.notifications().create(WRONG_KEY, NotificationType::OnConnectionLost).send().await?
        };
        "notifications/create.422": |client| client.notifications().create(41, "on_fire".into()).send().await?;
        "notifications/delete": |client| client.notifications().delete(ID).await?;
        "notifications/delete.404": |client| client.notifications().delete(WRONG_KEY).await?;
        "notifications/apps": |client| {
            let apps = client.notifications().apps(ID).await?;
            assert_eq!(apps.len(), 1);
            assert_email(&apps[0]);
        };
        "notifications/apps.404": |client| client.notifications().apps(WRONG_KEY).await?;
        "notifications/create_app": |client| assert_email(&client.notifications().create_app(ID, &email()).await?);
        "notifications/create_app.sms": |client| {
            let app = client.notifications().create_app(ID, &sms()).await?;
            assert_eq!((app.app_type, app.email), (NotificationAppType::Sms, None));
            assert_eq!((app.country_code.as_deref(), app.phone_number.as_deref()), (Some("1"), Some("4145550100")));
        };
        "notifications/create_app.404": |client| client.notifications().create_app(WRONG_KEY, &email()).await?;
        "notifications/create_app.422": |client| {
            client.notifications().create_app(ID, &NewNotificationApp::email("nowhere").message("Offline")).await?
        };
        "notifications/update_app": |client| {
            let app = client.notifications().update_app(ID, APP, &changed()).await?;
            assert_eq!((app.app_type, app.email.as_deref()), (NotificationAppType::Email, Some("lee@example.com")));
        };
        "notifications/update_app.404": |client| client.notifications().update_app(ID, WRONG_KEY, &changed()).await?;
        "notifications/delete_app": |client| client.notifications().delete_app(ID, APP).await?;
        "notifications/delete_app.404": |client| client.notifications().delete_app(ID, WRONG_KEY).await?;
    }
    .into()
}
