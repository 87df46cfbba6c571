//! Calls on records of the caller (data and contacts), each on a record that the caller created for the call.

use cloud::testing::RouteEntry;
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::Fixture;

const DATA: &str = "/api/v1/users/data";
const CONTACTS: &str = "/api/v1/users/contacts";

/// The status of the call; `None` if the call does not concern such records.
pub(super) async fn call(fixture: &Fixture, route: RouteEntry, token: Option<&str>) -> Option<u16> {
    let datum = |key: &str| json!({ "datum": { "key": key, "value": "1" } });
    let (path, body) = if route.path.starts_with(DATA) {
        make(fixture, token, DATA, datum("zone")).await;
        (route.path.replace("{key}", "zone"), datum("floor"))
    } else if route.path.starts_with(CONTACTS) {
        let contact = json!({ "contact": { "firstname": "Jo" } });
        let made = make(fixture, token, CONTACTS, contact.clone()).await;
        (route.path.replace("{id}", &made["contact"]["id"].to_string()), contact)
    } else {
        return None;
    };
    let method = Method::from_bytes(route.method.as_bytes()).unwrap();
    let body = ["POST", "PUT"].contains(&route.method).then_some(body);
    Some(fixture.call(method, &path, token, body).await.status)
}

/// Creates a record of the caller, if there is a caller.
async fn make(fixture: &Fixture, token: Option<&str>, path: &str, body: Value) -> Value {
    match token {
        Some(token) => fixture.post(token, path, body).await.body,
        None => Value::Null,
    }
}
