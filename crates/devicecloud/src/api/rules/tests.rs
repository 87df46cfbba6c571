use serde_json::json;

use crate::api::RecreateRuleActionError;
use crate::api::testing::client;
use crate::captured_log::CapturedLog;
use crate::client::Client;
use crate::error::{Error, ErrorKind};
use crate::http::testing::{Reply, ScriptedTransport};
use crate::model::{RuleAction, RuleType};

fn known_action() -> RuleAction {
    RuleAction { action_uuid: "a-1".into(), ..RuleAction::datapoint("D1", "fan", "=", 0).unwrap() }
}

/// Every call, with blank arguments.
async fn blank_calls(client: &Client) -> [Vec<Error>; 3] {
    let (rules, actions) = (client.rules(), client.rule_actions());
    let of_action = vec![actions.get(" ").await.unwrap_err(), actions.delete("").await.unwrap_err()];
    let of_rule = vec![
        rules.get("").await.unwrap_err(),
        rules.delete(" ").await.unwrap_err(),
        rules.enable("").await.unwrap_err(),
        rules.disable("").await.unwrap_err(),
        rules.actions("").await.unwrap_err(),
    ];
    let unfetched = RuleAction::datapoint("D1", "fan", "=", 0).unwrap();
    let of_update = vec![actions.update(unfetched).await.unwrap_err(), actions.update(None).await.unwrap_err()];
    [of_action, of_rule, of_update]
}

#[tokio::test]
async fn blank_ids_are_rejected_before_sending() {
    let script = ScriptedTransport::new([Reply::Cut]);
    let texts = [
        "UUID is requried",
        "Rule UUID is requried",
        "Invalid action, Make sure that Action is first fetched from the cloud",
    ];
    for (errors, text) in blank_calls(&client(&script, true)).await.iter().zip(texts) {
        for error in errors {
            assert_eq!((error.kind(), error.message()), (ErrorKind::InvalidArgument, text));
        }
    }
    assert_eq!(script.seen().len(), 0);
}

#[tokio::test]
async fn every_call_without_a_session_is_rejected() {
    let script = ScriptedTransport::new([Reply::Cut]);
    let client = client(&script, false);
    let mut errors = blank_calls(&client).await.concat();
    errors.push(client.rules().create("n", "e", ["a-1"]).send().await.unwrap_err());
    errors.push(client.rules().list().send().await.unwrap_err());
    errors.push(client.rule_actions().list().await.unwrap_err());
    errors.push(client.rule_actions().create(&known_action()).await.unwrap_err());
    errors.push(client.rule_actions().update(known_action()).await.unwrap_err());
    for error in errors {
        assert_eq!((error.kind(), error.message()), (ErrorKind::Precondition, "No session is action"));
    }
    assert_eq!(script.seen().len(), 0);
}

#[tokio::test]
async fn rule_list_sends_type_and_id_only_together() {
    let script = ScriptedTransport::new([Reply::Status(200, json!({"rules": []}))]);
    let rules = client(&script, true).rules();
    rules.list().send().await.unwrap();
    rules.list().rule_type(RuleType::Device).send().await.unwrap();
    rules.list().id("D1").send().await.unwrap();
    rules.list().rule_type(RuleType::User).id(" ").send().await.unwrap();
    rules.list().rule_type(None).id("D1").send().await.unwrap();
    rules.list().rule_type(RuleType::Device).id("D1").send().await.unwrap();
    rules.list().rule_type(RuleType::User).id("u-1").send().await.unwrap();
    let base = "https://cloud.test/rules/rulesservice/v1/rules.json";
    let [device, user] = ["?type=device&id=D1", "?type=user&id=u-1"].map(|query| format!("{base}{query}"));
    let urls: Vec<String> = script.seen().into_iter().map(|seen| seen.url).collect();
    assert_eq!(urls, [base, base, base, base, base, &device, &user]);
}

#[tokio::test]
async fn new_rule_sends_is_enabled_only_if_set() {
    let script = ScriptedTransport::new([Reply::Status(201, json!({}))]);
    let rules = client(&script, true).rules();
    let unset = rules.create("n", "e", ["a-1"]).send().await.unwrap();
    rules.create("n", "e", ["a-1"]).enabled(true).send().await.unwrap();
    let bodies: Vec<_> = script.seen().into_iter().map(|seen| seen.body).collect();
    let sent = json!({"rule": {"name": "n", "expression": "e", "action_ids": ["a-1"]}});
    assert_eq!(bodies[0], sent);
    assert_eq!(bodies[1]["rule"]["is_enabled"], true);
    assert!(!unset.is_enabled);
}

#[tokio::test]
async fn update_deletes_and_recreates_the_action() {
    let recreated = json!({"action": {"action_uuid": "a-2", "name": "Stop", "type": "DATAPOINT",
                                 "parameters": {"datapoint": "DATAPOINT(D1,fan) = 0"}}});
    let script = ScriptedTransport::new([Reply::Status(204, json!(null)), Reply::Status(201, recreated)]);
    let action = client(&script, true).rule_actions().update(known_action().with_name("Stop")).await.unwrap();
    assert_eq!((action.action_uuid.as_str(), &*action.name), ("a-2", "Stop"));
    let seen = script.seen();
    assert_eq!((seen.len(), &*seen[0].method, &*seen[1].method), (2, "DELETE", "POST"));
    assert!(seen[0].url.ends_with("/rulesservice/v1/actions/a-1.json"));
    assert_eq!(seen[1].body, known_action().with_name("Stop").to_wire());
}

#[tokio::test]
async fn failed_delete_changes_nothing_and_failed_recreation_returns_the_action() {
    let used = ScriptedTransport::new([Reply::Status(409, json!({"error": "used"}))]);
    let error = client(&used, true).rule_actions().update(known_action()).await.unwrap_err();
    assert_eq!((error.kind(), error.status(), used.seen().len()), (ErrorKind::Server, Some(409), 1));

    let half = ScriptedTransport::new([Reply::Status(204, json!(null)), Reply::Status(422, json!({"error": "no"}))]);
    let error = client(&half, true).rule_actions().update(known_action()).await.unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::OperationIncomplete, r#"{"error":"no"}"#));
    let cause: &RecreateRuleActionError = std::error::Error::source(&error).unwrap().downcast_ref().unwrap();
    assert_eq!((&cause.action, cause.reason.status()), (&known_action(), Some(422)));
    let reason: &Error = std::error::Error::source(cause).unwrap().downcast_ref().unwrap();
    assert_eq!(reason.message(), cause.reason.message());
}

#[tokio::test]
async fn delete_with_a_lost_response_is_not_retried_into_a_404() {
    let script = ScriptedTransport::new([Reply::Cut, Reply::Status(404, json!({"error": "Action not found"}))]);
    let error = client(&script, true).rule_actions().update(known_action()).await.unwrap_err();
    assert_eq!((error.kind(), error.status(), script.seen().len()), (ErrorKind::Network, None, 1));
}

#[tokio::test]
async fn rule_errors_have_the_response_body_as_message() {
    let body = json!({"errors": [{"code": "ARE-422", "message": "no"}]});
    for (reply, message) in [
        (Reply::Status(422, body.clone()), body.to_string()),
        (Reply::CutBody(422), "Unable to retrieve error text".into()),
    ] {
        let client = client(&ScriptedTransport::new([reply]), true);
        let (rules, actions) = (client.rules(), client.rule_actions());
        for error in [
            rules.create("n", "e", ["a-1"]).send().await.unwrap_err(),
            rules.list().send().await.unwrap_err(),
            rules.get("r-1").await.unwrap_err(),
            rules.enable("r-1").await.unwrap_err(),
            rules.disable("r-1").await.unwrap_err(),
            rules.actions("r-1").await.unwrap_err(),
            rules.delete("r-1").await.unwrap_err(),
            actions.create(&known_action()).await.unwrap_err(),
            actions.list().await.unwrap_err(),
            actions.get("a-1").await.unwrap_err(),
            actions.update(known_action()).await.unwrap_err(),
            actions.delete("a-1").await.unwrap_err(),
        ] {
            assert_eq!((error.kind(), error.status(), error.message()), (ErrorKind::Server, Some(422), &*message));
        }
    }
}

#[tokio::test]
async fn failed_rule_list_logs_kind_and_status_without_the_body() {
    let log = CapturedLog::start(tracing::Level::INFO);
    let rejected = json!({"errors": [{"code": "ARE-422", "message": "type and id are required"}]});
    let script = ScriptedTransport::new([Reply::Status(422, rejected.clone())]);
    let error = client(&script, true).rules().list().send().await.unwrap_err();
    assert_eq!(error.message(), rejected.to_string());
    client(&script, true).rule_actions().list().await.unwrap_err();
    let text = log.text();
    assert_eq!(text.matches("the rules could not be listed").count(), 1, "only the list call logs the error: {text}");
    assert!(text.contains("ERROR") && text.contains("kind=Server status=422"), "{text}");
    assert!(!text.contains("ARE-422") && !text.contains("required"), "{text}");
}
