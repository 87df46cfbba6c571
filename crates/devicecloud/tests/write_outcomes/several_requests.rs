//! Calls that send several requests: the outcome is that of the whole call.

use std::time::Duration;

use devicecloud::{BaseType, NewTrigger, NewTriggerApp, RuleAction, ScheduleAction};

use super::cloud::{Fault, FaultyCloud, client};
use super::*;
use crate::cases::{ACTION, DSN, cases};

const OK: Fault = Fault::Performed(200, "{}");
const TOKENS: Fault =
    Fault::Performed(200, "{\"access_token\": \"a\", \"refresh_token\": \"r\", \"expires_in\": 86400}");
/// A trigger that exists already, so that its apps are added one by one.
const LIST: Fault = Fault::NotPerformed(200, "[{\"trigger\": {\"key\": 93, \"trigger_type\": \"on_change\"}}]");
const FILE: &str = "{\"datapoint\": {\"value\": \"$base/device/apiv1/datapoints/7\", \"file\": \"$base/files/7\"}}";

fn refusal(status: u16) -> Fault {
    Fault::NotPerformed(status, REFUSED)
}

fn broken(status: u16) -> Fault {
    Fault::Performed(status, REFUSED)
}

fn two_apps() -> NewTrigger {
    NewTrigger::on_change().app(NewTriggerApp::email("a@example.com")).app(NewTriggerApp::email("b@example.com"))
}

fn schedule_action(key: i64) -> ScheduleAction {
    let mut action = ScheduleAction::new("fan", BaseType::Integer, 1);
    action.key = key.into();
    action
}

fn rule_action() -> RuleAction {
    let mut action = RuleAction::datapoint(DSN, "intensity", "=", 30).unwrap();
    action.action_uuid = ACTION.into();
    action
}

fn calls() -> [(&'static str, Run); 6] {
    cases! {
        "two apps": |client| {
            let existing = client.triggers().list(43).await?;
            client.triggers().create(43, &two_apps(), &existing).await?;
        };
        "two actions": |client| client.schedule_actions().update_all([schedule_action(1), schedule_action(2)]).await?;
        "rule action": |client| client.rule_actions().update(rule_action()).await?;
        "upload": |client| {
            let placeholder = client.files().create(44).send().await?;
            client.files().upload(&placeholder, "words").await?;
        };
        "create": |client| client.datapoints().create(DSN, "intensity", 30).send().await?;
        "update": |client| client.devices().rename(41, "Lobby").await?;
    }
}

#[tokio::test]
async fn several_requests_have_one_outcome() {
    use Outcome::{NotSent, Unknown};
    let file = Fault::Performed(201, FILE);
    // The call, what becomes of its requests, the outcome, whether it is retryable, and how many writes were performed.
    let table = [
        ("two apps", vec![LIST, refusal(422)], NotSent, false, 0),
        ("two apps", vec![LIST, refusal(429)], NotSent, true, 0),
        ("two apps", vec![LIST, OK, refusal(429)], Unknown, false, 1),
        ("two apps", vec![LIST, OK, refusal(422)], Unknown, false, 1),
        ("two apps", vec![LIST, OK, Fault::CutAfterReading], Unknown, false, 2),
        ("two actions", vec![refusal(422)], NotSent, false, 0),
        ("two actions", vec![OK, refusal(422)], Unknown, false, 1),
        ("two actions", vec![OK, refusal(429)], Unknown, true, 1),
        ("two actions", vec![OK, Fault::CutBeforeReading], Unknown, true, 1),
        // A second delete would be answered with 404, without creating the action again.
        ("rule action", vec![refusal(409)], NotSent, false, 0),
        ("rule action", vec![refusal(429)], NotSent, true, 0),
        ("rule action", vec![Fault::CutAfterReading], Unknown, false, 1),
        ("rule action", vec![OK, refusal(422)], Unknown, false, 1),
        ("rule action", vec![OK, refusal(429)], Unknown, false, 1),
        // The first request creates the placeholder.
        ("upload", vec![file, refusal(413)], NotSent, false, 1),
        ("upload", vec![file, Fault::CutBeforeReading], Unknown, true, 1),
        ("upload", vec![file, broken(500)], Unknown, true, 2),
        ("upload", vec![file, OK, refusal(406)], Unknown, false, 2),
        ("upload", vec![file, OK, broken(500)], Unknown, true, 5),
        // A refresh between two attempts.
        ("create", vec![refusal(401), Fault::CutBeforeReading], NotSent, true, 0),
        ("create", vec![refusal(401), broken(500)], NotSent, true, 1),
        ("create", vec![refusal(401), refusal(422)], NotSent, false, 0),
        ("create", vec![refusal(401), TOKENS, refusal(403)], NotSent, false, 1),
        ("create", vec![refusal(401), TOKENS, broken(500)], Unknown, false, 2),
        ("update", vec![Fault::CutAfterReading, refusal(404)], Unknown, false, 1),
        ("update", vec![Fault::CutAfterReading, refusal(401), refusal(422)], Unknown, false, 1),
        ("update", vec![Fault::CutAfterReading, refusal(401), TOKENS, refusal(403)], Unknown, false, 2),
        ("update", vec![refusal(401), TOKENS, refusal(429)], NotSent, true, 1),
    ];
    for (name, faults, outcome, is_retryable, performed) in table {
        let case = format!("{name} with {faults:?}");
        let cloud = FaultyCloud::with(faults).await;
        let (_, run) = calls().into_iter().find(|(call, _)| *call == name).unwrap();
        let error = run(with_own_session(&client(&cloud.base))).await.expect_err(&case);
        assert_eq!((error.outcome(), error.is_retryable()), (outcome, is_retryable), "{case}: {error:?}");
        assert_eq!(cloud.performed(performed).await, performed, "{case}");
    }
}

#[tokio::test]
async fn failed_write_with_a_wait_is_not_sent_again_and_has_no_datapoint() {
    let table = [
        (Fault::NotPerformed(422, REFUSED), Outcome::NotSent, false, 0),
        (Fault::NotPerformed(429, ""), Outcome::NotSent, true, 0),
        (Fault::CutAfterReading, Outcome::Unknown, false, 1),
        (Fault::Performed(500, ""), Outcome::Unknown, false, 1),
    ];
    for (fault, outcome, is_retryable, performed) in table {
        let cloud = FaultyCloud::with([fault]).await;
        let client = with_own_session(&client(&cloud.base));
        let write = client.datapoints().create(DSN, "intensity", 30);
        let error = write.and_wait(Duration::from_secs(10)).await.unwrap_err();
        assert_eq!((error.outcome(), error.is_retryable()), (outcome, is_retryable), "{fault:?}");
        assert_eq!(error.datapoint(), None, "{fault:?}");
        assert_eq!(cloud.performed(performed).await, performed, "{fault:?}");
    }
}
