//! Rules and their actions: create, read, enable and delete. `rules_firing` tests their effects.

use cloud::testing::World;
use devicecloud::{ErrorKind, RecreateRuleActionError, RuleAction, RuleSubject, RuleType};
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Answer, Fixture};
use crate::client_devices::signed_in;

pub(crate) const RULES: &str = "/rulesservice/v1/rules";
pub(crate) const ACTIONS: &str = "/rulesservice/v1/actions";
const LOW: &str = "DATAPOINT(DEV-A1,intensity) < 20";

pub(crate) async fn make_action(fixture: &Fixture, token: &str, action_type: &str, parameters: Value) -> Answer {
    let action = json!({ "name": "Do it", "type": action_type, "parameters": parameters });
    fixture.post(token, ACTIONS, json!({ "action": action })).await
}

fn uuid(answer: &Answer, wrapper: &str) -> String {
    assert_eq!(answer.status, 201, "{}", answer.body);
    answer.body[wrapper][format!("{wrapper}_uuid")].as_str().unwrap().to_owned()
}

/// Creates an action that mails Jo. Returns its UUID.
pub(crate) async fn email_action(fixture: &Fixture, token: &str) -> String {
    let mail = json!({ "email_to": ["jo@example.com"], "email_subject": "Low level", "email_body": "Please refill." });
    uuid(&make_action(fixture, token, "EMAIL", mail).await, "action")
}

/// Creates the same action, for a test that adds it to no rule.
pub(crate) async fn unused_action(fixture: &Fixture, token: &str) -> String {
    email_action(fixture, token).await
}

/// Creates an action that sets a property. Returns its UUID.
pub(crate) async fn datapoint_action(fixture: &Fixture, token: &str, assignment: &str) -> String {
    uuid(&make_action(fixture, token, "DATAPOINT", json!({ "datapoint": assignment })).await, "action")
}

/// Creates a rule. Returns its UUID.
pub(crate) async fn make_rule(fixture: &Fixture, token: &str, expression: &str, actions: &[&str]) -> String {
    let rule = json!({ "name": "Low level", "expression": expression, "action_ids": actions });
    uuid(&fixture.post(token, RULES, json!({ "rule": rule })).await, "rule")
}

/// The state that the golden files require: a rule with its action, and an action without a rule.
pub(crate) async fn golden(fixture: &Fixture, token: &str) -> [Value; 3] {
    let assignment = "DATAPOINT(DEV-A2,intensity) = 30";
    let action = json!({ "name": assignment, "type": "DATAPOINT", "parameters": { "datapoint": assignment } });
    let action = uuid(&fixture.post(token, ACTIONS, json!({ "action": action })).await, "action");
    let unused = unused_action(fixture, token).await;
    let rule = make_rule(fixture, token, LOW, &[&action]).await;
    [rule, action, unused].map(Value::from)
}

#[track_caller]
fn assert_refused(answer: &Answer, status: u16, text: &str) {
    assert_eq!(answer.status, status, "{}", answer.body);
    let errors = answer.body["errors"].as_array().unwrap_or_else(|| panic!("{}", answer.body));
    let texts: Vec<&str> = errors.iter().map(|error| error["message"].as_str().unwrap()).collect();
    assert!(texts.iter().any(|message| message.contains(text)), "{text:?} is not in {texts:?}");
    assert!(errors.iter().all(|error| error["code"] == format!("ARE-{status}")), "{}", answer.body);
}

#[tokio::test]
async fn rule_is_created_read_enabled_and_deleted_in_every_format() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let (one, other) = (email_action(&fixture, &token).await, unused_action(&fixture, &token).await);
    let bare = json!({ "name": " Low ", "expression": LOW, "action_ids": [other, one, other], "more": 7 });
    let made = fixture.post(&token, &format!("{RULES}.json"), bare).await;
    let rule = made.body["rule"].clone();
    assert_eq!((made.status, &rule["is_enabled"], &rule["expresses"]), (201, &json!(true), &json!(LOW)));
    assert_eq!(rule["action_ids"], json!([other, one]), "in their order, each once");
    assert_eq!((&rule["created_at"], &rule["uuid"]), (&json!("2026-11-20T10:00:00.000Z"), &rule["rule_uuid"]));
    let path = format!("/rules{RULES}/{}", rule["rule_uuid"].as_str().unwrap());
    assert_eq!(fixture.get(&token, &format!("{path}.json")).await.body["rule"], rule);
    assert_eq!(fixture.get(&token, RULES).await.body, json!({ "rules": [rule] }));

    let switched = [
        (Method::POST, json!({ "rule": { "is_enabled": false } }), false),
        (Method::PUT, json!({ "attributes": { "is_enabled": true } }), true),
        (Method::PUT, json!({ "is_enabled": false }), false),
    ];
    for (method, body, expected) in switched {
        let answer = fixture.call(method, &path, Some(&token), Some(body.clone())).await;
        assert_eq!((answer.status, &answer.body["rule"]["is_enabled"]), (200, &json!(expected)), "{body}");
    }
    let actions = fixture.get(&token, &format!("{path}/actions.json")).await.body;
    let uuids: Vec<&Value> = actions["actions"].as_array().unwrap().iter().map(|it| &it["action_uuid"]).collect();
    assert_eq!(uuids, [&json!(other), &json!(one)]);
    assert_eq!(actions["actions"][0]["rule_ids"], json!([rule["rule_uuid"]]));

    let action = format!("{ACTIONS}/{one}");
    assert_refused(&fixture.delete(&token, &action).await, 409, "The action is used by a rule");
    assert_eq!(fixture.delete(&token, &path).await.status, 204);
    assert_refused(&fixture.delete(&token, &path).await, 404, "Rule not found");
    assert_eq!(fixture.delete(&token, &action).await.status, 204);
    assert_refused(&fixture.get(&token, &action).await, 404, "Action not found");
    assert_eq!(fixture.get(&token, RULES).await.body, json!({ "rules": [] }));
}

#[tokio::test]
async fn invalid_field_of_a_rule_is_named() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let action = email_action(&fixture, &token).await;
    let foreign = email_action(&fixture, &fixture.token(World::PARTNER_ADMIN_B).await).await;
    let good = json!({ "name": "Low", "expression": LOW, "action_ids": [action] });
    let with = |member: &str, value: Value| {
        let mut rule = good.clone();
        rule[member] = value;
        rule
    };
    let expression = |text: &str| with("expression", json!(text));
    let many: Vec<String> = (0..21).map(|n| format!("DP(DEV-A1,p{n})")).collect();
    let table = [
        (json!({}), "name can't be blank"),
        (with("name", json!("n".repeat(256))), "name is too long (max: 255 characters)"),
        (with("name", json!(7)), "name is not a text"),
        (with("description", json!("d".repeat(1025))), "description is too long"),
        (with("is_enabled", json!("maybe")), "is_enabled is not true or false"),
        (with("action_ids", json!([])), "action_ids can't be blank"),
        (with("action_ids", json!([7])), "action_ids is not a list of texts"),
        (with("action_ids", json!([foreign])), "action_ids not found"),
        (with("action_ids", json!(["no-such"])), "action_ids not found"),
        (with("action_ids", json!(vec![&action; 11])), "action_ids is too long"),
        (with("expression", json!(null)), "expression can't be blank"),
        (expression(&"1".repeat(4097)), "expression is too long (max: 4096 characters)"),
        (expression(&"(".repeat(4096)), "expression is not one: expected no more than 32 levels at character 34"),
        (expression("DATAPOINT(DEV-A1"), "expression is not one: expected a closing bracket at character 17"),
        (expression("DATAPOINT(DEV-A1,intensity) < €"), "at character 31"),
        (expression("1 < 2"), "expression has no subject with events"),
        (expression("time(DEV-A1) > 0"), "expression has no subject with events"),
        (expression(&many.join("+")), "expression has too many subjects (max: 20)"),
        (expression("DATAPOINT(NO-SUCH,intensity)"), "expression names NO-SUCH, which does not exist"),
        (expression("DATAPOINT(DEV-B1,intensity)"), "expression names DEV-B1, which does not exist"),
        (expression("CONNECTIVITY(DEV-A1) && time(DEV-B1) > 0"), "expression names DEV-B1, which does not exist"),
        (expression("DATAPOINT(DEV-A1,nothing)"), "expression names nothing, which DEV-A1 does not have"),
        (expression("LOCATION(11111111-2222-3333-4444-555555555555)"), "which does not exist"),
        (expression("ACTIVATION(DEV-A1)"), "expected a subject of which this cloud has events at character 1"),
    ];
    for (rule, text) in table {
        assert_refused(&fixture.post(&token, RULES, json!({ "rule": rule })).await, 422, text);
    }
    for (body, text) in [
        (json!({ "rule": {} }), "is_enabled can't be blank"),
        (json!({ "rule": { "is_enabled": 7 } }), "is_enabled is not true or false"),
        (json!({ "attributes": [] }), "attributes is not an object"),
    ] {
        let rule = make_rule(&fixture, &token, LOW, &[&action]).await;
        assert_refused(&fixture.post(&token, &format!("{RULES}/{rule}"), body).await, 422, text);
    }
    let big = json!({ "rule": { "name": "n".repeat(1_100_000) } });
    assert_refused(&fixture.post(&token, RULES, big).await, 413, "too large");
    let request = fixture.request(Method::POST, RULES).header("authorization", &token).body("{");
    assert_refused(&crate::client::answer(request.send().await.unwrap()).await, 400, "can't be read");
    assert_refused(&fixture.call(Method::GET, RULES, None, None).await, 401, "Your access token is invalid");
}

#[tokio::test]
async fn invalid_field_of_a_rule_action_is_named() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let mail = |member: &str, value: Value| {
        let mut mail = json!({ "email_to": ["jo@example.com"], "email_subject": "Low", "email_body": "Refill" });
        mail[member] = value;
        ("EMAIL", mail)
    };
    let set = |text: &str| ("DATAPOINT", json!({ "datapoint": text }));
    let eleven: Vec<String> = (0..11).map(|n| format!("jo{n}@example.com")).collect();
    let table = [
        (("", json!({})), "type can't be blank"),
        (("URL", json!({ "endpoint": "http://127.0.0.1/" })), "type is not EMAIL or DATAPOINT"),
        (("SMS", json!({})), "type is not EMAIL or DATAPOINT"),
        (("EMAIL", json!(7)), "email_to can't be blank"),
        (mail("email_to", json!([])), "email_to can't be blank"),
        (mail("email_to", json!(["jo@example.com", "jo@"])), "email_to is invalid"),
        (mail("email_to", json!([7])), "email_to is not a list of texts"),
        (mail("email_to", json!(eleven)), "email_to has too many entries (max: 10)"),
        (mail("email_subject", json!(" ")), "email_subject can't be blank"),
        (mail("email_subject", json!("Low\r\nBcc: all@example.com")), "email_subject has a character"),
        (mail("email_subject", json!("s".repeat(256))), "email_subject is too long"),
        (mail("email_body", json!(null)), "email_body can't be blank"),
        (mail("email_body", json!("b".repeat(10 * 1024 + 1))), "email_body is too long"),
        (set(""), "datapoint can't be blank"),
        (set("DATAPOINT(DEV-A1,intensity)"), "datapoint is no assignment: expected = at character 28"),
        (set("DATAPOINT(DEV-A1,intensity) == 3"), "datapoint is no assignment: expected = at character 30"),
        (set("DATAPOINT(DEV-B1,intensity) = 3"), "datapoint names DEV-B1, which does not exist"),
        (set("DATAPOINT(DEV-A1,nothing) = 3"), "datapoint names nothing, which DEV-A1 does not have"),
        (set("DATAPOINT(DEV-A1,hours) = 3"), "datapoint names hours, which only the device itself writes"),
        (set("DATAPOINT(DEV-A1,intensity) = thirty"), "datapoint has a value that is not an integer"),
        (set("DATAPOINT(DEV-A1,intensity) = 51"), "datapoint has a value that is out of range"),
    ];
    for ((action_type, parameters), text) in table {
        assert_refused(&make_action(&fixture, &token, action_type, parameters).await, 422, text);
    }
    assert_eq!(fixture.get(&token, ACTIONS).await.body, json!({ "actions": [] }));
    // A recipient that is named twice gets one e-mail.
    let twice = mail("email_to", json!("a@example.com, b@example.com,a@example.com")).1;
    let mixed = make_action(&fixture, &token, "Email", twice).await;
    assert_eq!(mixed.body["action"]["type"], "EMAIL");
    assert_eq!(mixed.body["action"]["parameters"]["email_to"], json!(["a@example.com", "b@example.com"]));
}

#[tokio::test]
async fn recipient_of_a_read_share_cannot_create_an_action_for_the_device() {
    let fixture = Fixture::start().await;
    let owner = fixture.token(World::PARTNER_ADMIN_A).await;
    let reader = fixture.token(World::END_USER).await;
    let assignment = json!({ "datapoint": "DATAPOINT(DEV-A1,intensity) = 3" });
    assert_refused(&make_action(&fixture, &reader, "DATAPOINT", assignment.clone()).await, 422, "which does not exist");
    let share = crate::shares::device("DEV-A1", World::END_USER, json!({}));
    assert_eq!(crate::shares::give(&fixture, &owner, share).await.status, 201);
    assert_refused(&make_action(&fixture, &reader, "DATAPOINT", assignment).await, 403, "You are not allowed");
    let action = email_action(&fixture, &reader).await;
    make_rule(&fixture, &reader, LOW, &[&action]).await;
}

#[tokio::test]
async fn administrators_must_name_a_device_or_user_to_list_rules() {
    let fixture = Fixture::start().await;
    for email in [World::ADMIN, World::OBSERVER] {
        let token = fixture.token(email).await;
        for query in ["", "?type=device", "?id=DEV-A1", "?type=&id="] {
            assert_refused(&fixture.get(&token, &format!("{RULES}{query}")).await, 422, "type and id are required");
        }
        let wrong = [
            ("?type=group&id=1", 422, "type is not device or user"),
            ("?type=device&id=NO-SUCH", 404, "Device not found"),
            ("?type=user&id=NO-SUCH", 404, "User not found"),
        ];
        for (query, status, text) in wrong {
            assert_refused(&fixture.get(&token, &format!("{RULES}{query}")).await, status, text);
        }
        assert_eq!(fixture.get(&token, &format!("{RULES}?type=device&id=DEV-A1")).await.body, json!({ "rules": [] }));
    }
    for email in [World::END_USER, World::PARTNER_ADMIN_A, World::PARTNER_OBSERVER_A, World::TECHNICIAN_A] {
        assert_eq!(fixture.get(&fixture.token(email).await, RULES).await.body, json!({ "rules": [] }), "{email}");
    }
}

#[tokio::test]
async fn library_creates_changes_and_deletes_rules() {
    let fixture = Fixture::start().await;
    let client = signed_in(&fixture, World::PARTNER_ADMIN_A).await;
    let (rules, actions) = (client.rules(), client.rule_actions());
    let set = actions.create(&RuleAction::datapoint("DEV-A2", "intensity", "=", 30).unwrap()).await.unwrap();
    let mail = actions.create(&RuleAction::email("Refill", ["jo@example.com"], "Low", "Refill")).await.unwrap();
    assert_eq!(actions.list().await.unwrap(), [set.clone(), mail.clone()]);
    assert_eq!(actions.get(&mail.action_uuid).await.unwrap(), mail);

    let renamed = actions.update(set.clone().with_name("Brighter")).await.unwrap();
    assert_eq!((&*renamed.name, &renamed.parameters), ("Brighter", &set.parameters));
    assert_ne!(renamed.action_uuid, set.action_uuid, "the new action has its own UUID");
    assert_eq!(actions.get(&set.action_uuid).await.unwrap_err().status(), Some(404));

    let expression = format!("{} < 20", RuleSubject::datapoint("DEV-A1", "intensity"));
    let steps = [&renamed.action_uuid, &mail.action_uuid];
    let rule = rules.create("Low", &expression, steps).enabled(false).send().await.unwrap();
    assert_eq!((&rule.expression, rule.is_enabled, rule.action_ids.len()), (&expression, false, 2));
    assert!(rules.enable(&rule.rule_uuid).await.unwrap().is_enabled);
    assert!(rules.get(&rule.rule_uuid).await.unwrap().is_enabled);
    assert!(!rules.disable(&rule.rule_uuid).await.unwrap().is_enabled);
    assert_eq!(
        rules.actions(&rule.rule_uuid).await.unwrap(),
        [actions.get(&renamed.action_uuid).await.unwrap(), actions.get(&mail.action_uuid).await.unwrap(),]
    );
    let used = actions.update(mail).await.unwrap_err();
    assert_eq!((used.kind(), used.status()), (ErrorKind::Server, Some(409)), "nothing has changed");
    assert_eq!(used.message(), r#"{"errors":[{"code":"ARE-409","message":"The action is used by a rule"}]}"#);

    let admin = signed_in(&fixture, World::ADMIN).await.rules();
    let of_device = admin.list().rule_type(RuleType::Device).id("DEV-A1").send().await.unwrap();
    assert_eq!(of_device.iter().map(|rule| &rule.rule_uuid).collect::<Vec<_>>(), [&rule.rule_uuid]);
    let of_user = admin.list().rule_type(RuleType::User).id(rule.user_uuid.as_str()).send().await.unwrap();
    assert_eq!(of_user, of_device);
    let refused = admin.list().send().await.unwrap_err();
    assert_eq!(refused.message(), r#"{"errors":[{"code":"ARE-422","message":"type and id are required"}]}"#);
    assert_eq!(rules.list().send().await.unwrap(), of_device);
    rules.delete(&rule.rule_uuid).await.unwrap();
    assert_eq!(rules.list().send().await.unwrap(), []);

    let foreign = RuleAction::datapoint("DEV-B1", "intensity", "=", 30).unwrap();
    assert_eq!(actions.create(&foreign).await.unwrap_err().status(), Some(422));
    // The old action is deleted, and the new one is refused because its device is out of scope.
    let mut half = actions.create(&RuleAction::datapoint("DEV-A2", "intensity", "=", 30).unwrap()).await.unwrap();
    half.parameters = foreign.parameters;
    let error = actions.update(half.clone()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OperationIncomplete);
    let cause = std::error::Error::source(&error).unwrap().downcast_ref::<RecreateRuleActionError>().unwrap();
    assert_eq!(cause.action, half);
}
