//! Gives each request an id, by which its log lines are found (docs/logging.md).

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument;

use crate::run::random::Random;

const HEADER: HeaderName = HeaderName::from_static("x-request-id");
const ID_BYTES: usize = 8;

/// Middleware that sets `X-Request-Id` of the response, and the field `id` of the span around the request. An id of the client is
/// ignored: it could equal that of another request.
pub async fn identify(State(random): State<Random>, request: Request, next: Next) -> Response {
    let id = random.hex(ID_BYTES);
    let span = tracing::info_span!("request", id);
    let mut response = next.run(request).instrument(span).await;
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(HEADER, id);
    }
    response
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::middleware::from_fn_with_state;
    use axum::routing::get;
    use tower::ServiceExt;

    use super::*;

    #[tokio::test]
    async fn each_response_has_another_id_than_the_client_sent() {
        let app = Router::new().route("/", get(async || "here"));
        let app = app.layer(from_fn_with_state(Random::seeded(1), identify));
        let mut ids = Vec::new();
        for sent in ["", "mine", "0000000000000000", &"x".repeat(5_000)] {
            let request = Request::get("/").header(HEADER, sent).body(Body::empty()).unwrap();
            let response = app.clone().oneshot(request).await.unwrap();
            assert_eq!(response.headers().get_all(HEADER).iter().count(), 1);
            ids.push(response.headers()[HEADER].to_str().unwrap().to_owned());
        }
        assert!(ids.iter().all(|id| id.len() == 16 && id.bytes().all(|digit| digit.is_ascii_hexdigit())), "{ids:?}");
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 4);
    }
}
