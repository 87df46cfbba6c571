use serde_json::{Value, json};

use super::super::phone::Phone;
use super::super::rows::merge;
use super::*;

use Event::{Connected, Disconnected, LowProductLevel};

fn jo() -> Recipient {
    Recipient::Email("jo@example.com".to_owned())
}

fn kim() -> Recipient {
    Recipient::Email("kim@example.com".to_owned())
}

fn phone() -> Recipient {
    Recipient::Sms(Phone { country_code: "1".to_owned(), number: "4145550100".to_owned() })
}

fn settings(recipient: Recipient, events: impl IntoIterator<Item = Event>) -> NotificationSettings {
    NotificationSettings { recipient, events: events.into_iter().collect() }
}

fn app(id: i64) -> App {
    App::Notification(1.into(), id.into())
}

fn rows(apps: impl IntoIterator<Item = (Event, Recipient, i64)>) -> Vec<NotificationRow> {
    merge(apps.into_iter().map(|(event, recipient, id)| (event, recipient, app(id))))
}

/// Each step as text, with its field.
fn steps(plan: &NotificationPlan) -> Vec<(String, &'static str)> {
    let text = |call: &Call| match call {
        Call::Create(event, recipient) => format!("{event:?} to {}", recipient.display()),
        Call::Change(event, app, recipient) => format!("{app} with {event:?} to {}", recipient.display()),
        Call::Delete(app) => format!("not {app}"),
    };
    plan.steps.iter().map(|step| (text(&step.call), step.part.field)).collect()
}

fn expect(plan: &NotificationPlan, expected: &[(&str, &'static str)], changes: &Value) {
    let expected: Vec<_> = expected.iter().map(|(call, field)| ((*call).to_owned(), *field)).collect();
    assert_eq!(steps(plan), expected);
    let fields: Vec<Value> = plan.fields.iter().map(|it| serde_json::to_value(it).unwrap()).collect();
    let fields: Vec<_> = fields.iter().map(|it| json!([it["field"], it["before"], it["after"]])).collect();
    assert_eq!(&Value::Array(fields), changes);
}

#[test]
fn addition_creates_one_app_per_event() {
    expect(
        &addition(&[], &settings(phone(), Event::ALL)),
        &[
            ("Connected to +14145550100", "connected"),
            ("Disconnected to +14145550100", "disconnected"),
            ("LowProductLevel to +14145550100", "lowProductLevel"),
        ],
        &json!([["connected", null, "sms"], ["disconnected", null, "sms"], ["lowProductLevel", null, "sms"]]),
    );
}

#[test]
fn existing_events_of_a_recipient_are_not_created_again() {
    let rows = rows([(Connected, jo(), 1), (Disconnected, kim(), 2)]);
    let again = Recipient::Email(" JO@Example.com".to_owned());
    expect(&addition(&rows, &settings(again.clone(), [Connected])), &[], &json!([]));
    expect(
        &addition(&rows, &settings(again, [Connected, Disconnected])),
        &[("Disconnected to  JO@Example.com", "disconnected")],
        &json!([["disconnected", null, "email"]]),
    );
}

#[test]
fn changed_events_are_created_before_others_are_deleted() {
    let rows = rows([(Connected, jo(), 1), (Disconnected, jo(), 2), (Connected, kim(), 3)]);
    expect(
        &change(&rows, &rows[0], &settings(jo(), [Disconnected, LowProductLevel]), "jo"),
        &[("LowProductLevel to jo@example.com", "lowProductLevel"), ("not 1/1", "connected")],
        &json!([["lowProductLevel", null, "email"], ["connected", "email", null]]),
    );
    expect(&change(&rows, &rows[0], &settings(jo(), [Connected, Disconnected]), "jo"), &[], &json!([]));
}

#[test]
fn new_recipient_gets_the_apps_of_the_former() {
    let rows = rows([(Connected, jo(), 1), (Disconnected, jo(), 2), (Connected, jo(), 3)]);
    expect(
        &change(&rows, &rows[0], &settings(kim(), [Connected, LowProductLevel]), "kim"),
        &[
            ("1/1 with Connected to kim@example.com", "recipient"),
            ("LowProductLevel to kim@example.com", "recipient"),
            ("not 1/2", "recipient"),
            ("not 1/3", "recipient"),
        ],
        &json!([
            ["recipient.kim", "email", "another"],
            ["lowProductLevel", null, "email"],
            ["disconnected", "email", null]
        ]),
    );
}

#[test]
fn change_to_an_existing_recipient_merges_both_rows() {
    let rows = rows([(Connected, jo(), 1), (Connected, kim(), 2), (Disconnected, kim(), 3)]);
    expect(
        &change(&rows, &rows[0], &settings(kim(), [Connected]), "kim"),
        &[("not 1/1", "recipient")],
        &json!([["recipient.kim", "email", "another"]]),
    );
}

#[test]
fn removal_deletes_exactly_the_apps_of_the_recipient() {
    let rows = rows([(Connected, jo(), 1), (Connected, jo(), 2), (LowProductLevel, jo(), 3), (Connected, kim(), 4)]);
    expect(
        &removal(&rows[0], "a1"),
        &[("not 1/1", "connected"), ("not 1/2", "connected"), ("not 1/3", "lowProductLevel")],
        &json!([["recipient.a1", "email", null], ["connected", "email", null], ["lowProductLevel", "email", null]]),
    );
}
