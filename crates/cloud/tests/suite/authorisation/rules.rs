//! Calls on rules: each on a new rule of a user with the caller's role, and on a rule of another user.

use std::sync::atomic::{AtomicUsize, Ordering};

use cloud::testing::{RouteEntry, World};
use reqwest::Method;
use serde_json::{Value, json};

use super::{CALLERS, permissions};
use crate::client::Fixture;
use crate::rules::{ACTIONS, RULES, email_action, make_rule, unused_action};
use crate::shares::guest;

/// A rule with its action, an action without a rule, and their owner.
struct Owned {
    token: String,
    uuid: String,
    rule: String,
    action: String,
    unused: String,
}

/// The owner creates the rule before receiving the role, because observers cannot create rules.
async fn owned(fixture: &Fixture, column: &str) -> Owned {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let email = format!("owner{}@example.com", COUNT.fetch_add(1, Ordering::Relaxed));
    let token = guest(fixture, &email).await;
    let uuid = fixture.user(&email).await["uuid"].as_str().unwrap().to_owned();
    let (action, unused) = (email_action(fixture, &token).await, unused_action(fixture, &token).await);
    let rule = make_rule(fixture, &token, &format!("LOCATION({uuid})"), &[&action]).await;
    let role = match column {
        "OEM::Admin" | "OEM::Observer" => Some((column.to_owned(), None)),
        "CspAdmin" => Some(("OEM::Partner::Admin".to_owned(), Some("A"))),
        "CspObserver" => Some(("OEM::Partner::Observer".to_owned(), Some("A"))),
        "CspTech" => Some(("OEM::Partner::Technician".to_owned(), Some("A"))),
        _ => None,
    };
    if let Some((role, label)) = role {
        let admin = fixture.token(World::ADMIN).await;
        let body =
            json!({ "user_email": email, "role": role, "label": label.map(|value| json!({ "partner_id": value })) });
        assert_eq!(fixture.put(&admin, "/api/v1/users/assign_role", body.clone()).await.status, 204);
        if label.is_some() {
            assert_eq!(fixture.put(&admin, "/api/v1/users/assign_label", body).await.status, 204);
        }
    }
    Owned { token, uuid, rule, action, unused }
}

/// The status of the call on the caller's own rules, and the wrong statuses on others. `None` if the call concerns no
/// rule.
pub(super) async fn statuses(
    fixture: &Fixture,
    route: RouteEntry,
    column: &str,
    email: Option<&str>,
) -> Option<(u16, Vec<String>)> {
    if !route.path.starts_with("/rulesservice/") {
        return None;
    }
    let own = owned(fixture, column).await;
    let token = email.map(|_| own.token.as_str());
    let status = call(fixture, route, &own, token).await;
    // Refused with 422 and the missing parameters.
    let is_list = (route.method, route.path) == ("GET", RULES);
    let status = if is_list && column.starts_with("OEM::") && status == 422 { 403 } else { status };
    let mut wrong = Vec::new();
    if let Some(token) = token.filter(|_| route.path.contains("{uuid}")) {
        let other = owned(fixture, "no_role").await;
        let status = call(fixture, route, &other, Some(token)).await;
        let allowed = permissions()[route.permission][column] == "allow";
        let expected = match column {
            "OEM::Admin" | "OEM::Observer" => (status < 300) == allowed && (allowed || status == 403),
            _ => status == 404,
        };
        if !expected {
            wrong.push(format!("{} {} as {column} on another's: {status}", route.method, route.path));
        }
    }
    Some((status, wrong))
}

async fn call(fixture: &Fixture, route: RouteEntry, owned: &Owned, token: Option<&str>) -> u16 {
    let uuid = match (route.method, route.path) {
        ("DELETE", path) if path.starts_with(ACTIONS) => &owned.unused,
        (_, path) if path.starts_with(ACTIONS) => &owned.action,
        _ => &owned.rule,
    };
    let body = match (route.method, route.path) {
        ("POST", RULES) => Some(json!({ "rule": {
            "name": "Moved", "expression": format!("LOCATION({})", owned.uuid), "action_ids": [owned.action],
        } })),
        ("POST", ACTIONS) => Some(json!({ "action": {
            "name": "Mail", "type": "EMAIL",
            "parameters": { "email_to": ["jo@example.com"], "email_subject": "Low", "email_body": "Refill" },
        } })),
        ("POST", _) => Some(json!({ "rule": { "is_enabled": false } })),
        ("PUT", path) if path.starts_with(ACTIONS) => Some(json!({ "action": { "name": "Letter" } })),
        ("PUT", _) => Some(json!({ "attributes": { "is_enabled": false } })),
        _ => None,
    };
    let method = Method::from_bytes(route.method.as_bytes()).unwrap();
    fixture.call(method, &route.path.replace("{uuid}", uuid), token, body).await.status
}

/// The row of the table that shares its route with the list of the caller's own rules.
#[tokio::test]
async fn only_users_of_the_manufacturer_list_rules_of_others() {
    let fixture = Fixture::start().await;
    let owner = fixture.token(World::PARTNER_ADMIN_A).await;
    let action = email_action(&fixture, &owner).await;
    let rule = make_rule(&fixture, &owner, "DATAPOINT(DEV-A1,intensity) < 20", &[&action]).await;
    let uuid = fixture.user(World::PARTNER_ADMIN_A).await["uuid"].as_str().unwrap().to_owned();
    let row = &permissions()["rules: GET by type and id"];
    for (column, email) in CALLERS {
        let token = match email {
            Some(email) => Some(fixture.token(email).await),
            None => None,
        };
        for query in ["type=device&id=DEV-A1".to_owned(), format!("type=user&id={uuid}")] {
            let answer = fixture.call(Method::GET, &format!("{RULES}?{query}"), token.as_deref(), None).await;
            let expected = match (column, &*row[column]) {
                ("signed_out", _) => 401,
                (_, "allow") => 200,
                _ => 403,
            };
            assert_eq!(answer.status, expected, "{column} {query}");
            if expected == 200 {
                let uuids: Vec<&Value> =
                    answer.body["rules"].as_array().unwrap().iter().map(|rule| &rule["rule_uuid"]).collect();
                assert_eq!(uuids, [&json!(rule)], "{column} {query}");
            }
        }
    }
}
