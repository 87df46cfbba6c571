//! A cloud that knows the specification and nothing of ours: a layer that keeps our extensions from the
//! cloud behind it, and from its answers.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::CONTENT_LENGTH;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::Value;

/// Parameters that such a cloud ignores.
const UNKNOWN: [&str; 3] = ["include", "filter[key_after]", "filter[registered]"];
/// Members that its lists do not have.
const NOT_LISTED: [&str; 3] = ["ssid", "created_at", "registered"];

/// A call that it does not have.
const NO_CALL: &str = "/connection_history.json";

pub(super) async fn apply(mut request: Request, next: Next) -> Response {
    if request.uri().path().ends_with(NO_CALL) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let is_list = request.uri().path().ends_with("apiv1/devices.json");
    if let Some(query) = request.uri().query() {
        let pairs: Vec<&str> = query.split('&').filter(|pair| !UNKNOWN.contains(&&*name(pair))).collect();
        // It has an order of its own.
        let pairs = pairs.join("&").replace("order_by%5D=key", "order_by%5D=product_name");
        *request.uri_mut() = format!("{}?{pairs}", request.uri().path()).parse().expect("a path and a query");
    }
    let response = next.run(request).await;
    if is_list { without_extensions(response).await } else { response }
}

fn name(pair: &str) -> String {
    pair.split('=').next().unwrap_or_default().replace("%5B", "[").replace("%5D", "]")
}

async fn without_extensions(response: Response) -> Response {
    let (mut head, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.expect("an answer");
    let mut answer: Value = serde_json::from_slice(&body).expect("JSON");
    for device in answer["devices"].as_array_mut().into_iter().flatten() {
        for member in NOT_LISTED {
            device["device"].as_object_mut().expect("a device").remove(member);
        }
    }
    head.headers.remove(CONTENT_LENGTH);
    Response::from_parts(head, Body::from(answer.to_string()))
}
