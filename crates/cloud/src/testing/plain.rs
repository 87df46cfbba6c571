//! A cloud without our protocol extensions: a layer that removes them from requests and responses.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::CONTENT_LENGTH;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::Value;

/// Query parameters that such a cloud ignores.
const UNKNOWN: [&str; 3] = ["include", "filter[key_after]", "filter[registered]"];
/// Members that device lists of such a cloud lack.
const NOT_LISTED: [&str; 3] = ["ssid", "created_at", "registered"];
/// Members that records of other users lack.
const NOT_TOLD_OF_PEOPLE: [&str; 2] = ["role", "role_tags"];

/// A call that such a cloud does not have.
const NO_CALL: &str = "/connection_history.json";

pub(super) async fn apply(mut request: Request, next: Next) -> Response {
    if request.uri().path().ends_with(NO_CALL) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let strip: Option<fn(&mut Value)> = match request.uri().path() {
        path if path.ends_with("apiv1/devices.json") => Some(strip_devices),
        path if path.ends_with("/index_by_oem.json") => Some(strip_people),
        path if names_a_person(path) => Some(strip_person),
        _ => None,
    };
    if let Some(query) = request.uri().query() {
        let pairs: Vec<&str> = query.split('&').filter(|pair| !UNKNOWN.contains(&&*name(pair))).collect();
        // Lists have another default order.
        let pairs = pairs.join("&").replace("order_by%5D=key", "order_by%5D=product_name");
        *request.uri_mut() = format!("{}?{pairs}", request.uri().path()).parse().expect("a path and a query");
    }
    let response = next.run(request).await;
    match strip {
        Some(strip) => changed(response, strip).await,
        None => response,
    }
}

fn strip_devices(answer: &mut Value) {
    for device in answer["devices"].as_array_mut().into_iter().flatten() {
        remove(&mut device["device"], &NOT_LISTED);
    }
}

fn strip_people(answer: &mut Value) {
    answer.as_array_mut().into_iter().flatten().for_each(strip_person);
}

fn strip_person(person: &mut Value) {
    remove(person, &NOT_TOLD_OF_PEOPLE);
    person.get_mut("user").into_iter().for_each(|user| remove(user, &NOT_TOLD_OF_PEOPLE));
}

/// `…/users/{uuid}.json`
fn names_a_person(path: &str) -> bool {
    let name = path.rsplit_once("/users/").and_then(|(_, name)| name.strip_suffix(".json"));
    name.is_some_and(|name| uuid::Uuid::parse_str(name).is_ok())
}

fn name(pair: &str) -> String {
    pair.split('=').next().unwrap_or_default().replace("%5B", "[").replace("%5D", "]")
}

fn remove(object: &mut Value, members: &[&str]) {
    let Some(object) = object.as_object_mut() else { return };
    for member in members {
        object.remove(*member);
    }
}

async fn changed(response: Response, change: fn(&mut Value)) -> Response {
    let (mut head, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.expect("an answer");
    let mut answer: Value = serde_json::from_slice(&body).expect("JSON");
    change(&mut answer);
    head.headers.remove(CONTENT_LENGTH);
    Response::from_parts(head, Body::from(answer.to_string()))
}
