//! The HTTP server: one listener for the user, device, rules, subscription and stream services.

mod admin;
mod application;
mod batch;
mod body;
mod connections;
mod contacts;
mod data;
mod datapoints;
mod devices;
mod error;
mod extract;
mod files;
mod form;
#[cfg(any(test, feature = "testing"))]
pub(crate) mod fuzz;
mod gateway;
mod health;
mod history;
mod include;
mod limits;
mod merge;
mod normalise;
mod notifications;
mod page;
mod path;
mod person;
mod place;
mod properties;
mod query;
mod recipient;
mod registration;
mod role_labels;
mod roles;
pub(crate) mod routes;
mod rule_actions;
mod rules;
mod schedule_actions;
mod schedules;
mod shares;
#[cfg(test)]
mod slow_readers;
mod stream;
mod subscriptions;
mod triggers;
mod unpaged;
mod user_data;
mod user_fields;
mod users;

use std::any::Any;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{from_fn, from_fn_with_state, map_response};
use axum::response::{IntoResponse, Response};
use platform::http::run_to_end::run_to_end;
use platform::metrics::measure_requests;
use tower::ServiceBuilder;
use tower::util::MapRequestLayer;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::classify::ServerErrorsFailureClass;
use tower_http::timeout::TimeoutLayer;
use tower_http::trace::TraceLayer;

use crate::app::App;
use error::{Error, Service};
pub(crate) use health::checks;

const BODY_LIMIT: usize = 1024 * 1024;
/// Maximum duration of a request with its body. Streams are not limited after the handshake; uploads have a separate limit.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// All routes with their middleware.
pub(crate) fn router(app: App) -> Router {
    let health = health::router(app.clone());
    let routes = routes::all()
        .into_iter()
        .fold(Router::new(), |router, route| {
            let handler = route.handler.layer(from_fn(limits::hold_slot));
            let handler = handler.layer(from_fn_with_state(app.requests.clone(), run_to_end));
            let in_time = TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, REQUEST_TIMEOUT);
            let handler = if route.path == routes::UPLOAD { handler } else { handler.layer(in_time) };
            let handler = match Service::of(route.path) {
                Service::Rules => handler.layer(map_response(rules::convert_errors)),
                Service::User | Service::Device => handler,
            };
            router.route(route.path, handler)
        })
        .fallback(async || Error::NO_SUCH_CALL)
        .method_not_allowed_fallback(async || Error::METHOD_NOT_ALLOWED)
        .with_state(app)
        .layer(
            ServiceBuilder::new()
                .layer(from_fn(measure_requests))
                .layer(TraceLayer::new_for_http().make_span_with(span).on_failure(log_failure))
                .layer(CatchPanicLayer::custom(panicked))
                .layer(DefaultBodyLimit::max(BODY_LIMIT))
                .layer(from_fn(normalise::refuse_unreadable)),
        )
        .layer(map_response(name_the_charset))
        .layer(from_fn_with_state(limits::delayed_refusals(), limits::delay_refusal));
    // Routes are chosen before a router's own layers run, so the paths are normalised by a router around it.
    health.fallback_service(ServiceBuilder::new().layer(MapRequestLayer::new(normalise::normalise)).service(routes))
}

/// The span has the route, never the path or query: they contain serial numbers and stream keys.
fn span(request: &Request) -> tracing::Span {
    let route = request.extensions().get::<MatchedPath>().map_or("unmatched", MatchedPath::as_str);
    tracing::info_span!("cloud", method = %request.method(), route)
}

/// Logs responses with status 5xx except 503: the database logs once that it is unavailable, not for each request.
fn log_failure(failure: ServerErrorsFailureClass, _: Duration, _: &tracing::Span) {
    match failure {
        ServerErrorsFailureClass::StatusCode(StatusCode::SERVICE_UNAVAILABLE) => {}
        failure => tracing::error!(%failure, "response failed"),
    }
}

/// Adds the charset as the vendor does: some clients compare the whole header (docs/wire.md#requests).
async fn name_the_charset(mut response: Response) -> Response {
    if response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "application/json") {
        let kind = HeaderValue::from_static("application/json; charset=utf-8");
        response.headers_mut().insert(CONTENT_TYPE, kind);
    }
    response
}

fn panicked(_: Box<dyn Any + Send + 'static>) -> Response {
    Error::INTERNAL.into_response()
}
