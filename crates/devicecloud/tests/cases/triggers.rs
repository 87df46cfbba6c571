//! Triggers.

use devicecloud::{CompareType, NewTrigger, NewTriggerApp, NotificationAppType, Trigger, TriggerApp, TriggerType};

use super::{Run, WRONG_KEY, cases};

const PROPERTY: i64 = 43;
const KEY: i64 = 93;
const APP: i64 = 94;
const EMAIL: &str = "jo@example.com";

fn email() -> NewTriggerApp {
    NewTriggerApp::email(EMAIL).subject("Low level").message("Refill the lobby")
}

fn changed() -> NewTriggerApp {
    NewTriggerApp::email("lee@example.com").subject("Low level").message("Refill the lobby")
}

fn sms(number: &str) -> NewTriggerApp {
    NewTriggerApp::sms("1", number).message("Refill the lobby")
}

fn below(value: &str) -> NewTrigger {
    NewTrigger::compare(CompareType::Less, value).app(email())
}

fn assert_low(trigger: &Trigger) {
    assert_eq!((trigger.key.as_str(), trigger.active), ("7", true));
    assert_eq!(
        (&trigger.trigger_type, &trigger.compare_type),
        (&TriggerType::CompareAbsolute, &Some(CompareType::Less))
    );
    assert_eq!((trigger.value.as_deref(), trigger.period.as_deref()), (Some("20"), Some("always")));
    assert_eq!(trigger.trigger_apps.len(), 1);
    assert_app(&trigger.trigger_apps[0]);
}

fn assert_app(app: &TriggerApp) {
    assert_eq!((app.key.as_str(), app.trigger_key.as_str(), app.repeat_freq), ("7", "7", Some(86_400)));
    assert_eq!((&app.name, app.param1.as_deref()), (&NotificationAppType::Email, Some(EMAIL)));
    assert_eq!((app.param2.as_deref(), app.param3.as_deref()), (Some("Low level"), Some("Refill the lobby")));
}

pub(super) fn all() -> Vec<(&'static str, Run)> {
    cases! {
        "triggers/list": |client| {
            let triggers = client.triggers().list(PROPERTY).await?;
            assert_eq!(triggers.len(), 1);
            assert_low(&triggers[0]);
        };
        "triggers/list.404": |client| client.triggers().list(WRONG_KEY).await?;
        "triggers/create": |client| assert_low(&client.triggers().create(PROPERTY, &below("20"), &[]).await?);
        "triggers/create.404": |client| client.triggers().create(WRONG_KEY, &below("20"), &[]).await?;
        "triggers/create.422": |client| client.triggers().create(PROPERTY, &below("low"), &[]).await?;
        "triggers/add_app": |client| assert_app(&client.triggers().add_app(KEY, &email()).await?);
        "triggers/add_app.sms": |client| {
            let app = client.triggers().add_app(KEY, &sms("4145550100")).await?;
            assert_eq!((app.name, app.param2.as_deref()), (NotificationAppType::Sms, Some("4145550100")));
        };
        "triggers/add_app.404": |client| client.triggers().add_app(WRONG_KEY, &email()).await?;
        "triggers/add_app.422": |client| client.triggers().add_app(KEY, &sms("12")).await?;
        "triggers/update_app": |client| {
            let app = client.triggers().update_app(APP, &changed()).await?;
            assert_eq!((app.key.as_str(), app.param1.as_deref()), ("7", Some("lee@example.com")));
        };
        "triggers/update_app.404": |client| client.triggers().update_app(WRONG_KEY, &changed()).await?;
        "triggers/delete_app": |client| client.triggers().delete_app(APP).await?;
        "triggers/delete_app.404": |client| client.triggers().delete_app(WRONG_KEY).await?;
        "triggers/delete": |client| client.triggers().delete(KEY).await?;
        "triggers/delete.404": |client| client.triggers().delete(WRONG_KEY).await?;
    }
    .into()
}
