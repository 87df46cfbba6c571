//! All routes and their middleware.

use std::sync::Arc;

use axum::extract::DefaultBodyLimit;
use axum::{Router, middleware, routing};
use platform::http::proxies::{self, TrustedProxy};
use platform::http::request_id::identify;
use platform::http::run_to_end::run_to_end;
use platform::metrics::measure_requests;
use tokio_util::task::TaskTracker;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate};

use super::app_state::AppState;
use super::headers::{Headers, add_headers};
use super::{assets, health, openapi, request_limits};
use crate::http::error::ApiError;
use crate::idempotency;
use crate::policy::Operations;
use crate::reports::XLSX_TYPE;
use crate::sessions::session::{OwnOrigin, refuse_foreign_origin};
use crate::state::{Authentication, authenticate};

/// The router of API and web application. Requests that write run among `requests`.
pub(crate) fn router(
    state: AppState,
    requests: TaskTracker,
    own_origin: OwnOrigin,
    trusted: Arc<[TrustedProxy]>,
    headers: Headers,
) -> Router {
    let random = state.core.base.random.clone();
    let once = middleware::from_fn_with_state(state.clone(), idempotency::handle_once);
    let core = state.core.clone();
    let (api, _) = openapi::api(|signed_in| {
        let operations = Arc::new(Operations::new(signed_in.get_openapi()));
        let who = middleware::from_fn_with_state(Authentication { core, operations }, authenticate);
        signed_in.layer(once).layer(who)
    })
    .split_for_parts();
    // Workbooks are compressed already.
    let compressible = DefaultPredicate::new().and(NotForContentType::const_new(XLSX_TYPE));
    let unknown = routing::any(async || ApiError::NotFound);
    // The last layer is the outermost: it sees a request first.
    let api = api
        .route("/api", unknown.clone())
        .route("/api/", unknown.clone())
        .route("/api/{*rest}", unknown)
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed)
        .layer(middleware::from_fn_with_state(requests, run_to_end))
        .layer(CompressionLayer::new().compress_when(compressible))
        // The framework's own limit would report an oversized body as an incomplete one.
        .layer(DefaultBodyLimit::disable())
        .layer(middleware::from_fn(request_limits::limit_body))
        .layer(middleware::from_fn_with_state(own_origin, refuse_foreign_origin))
        .layer(middleware::from_fn(request_limits::limit_time))
        .layer(middleware::from_fn_with_state(state.core.base.clock.clone(), request_limits::log))
        .layer(middleware::from_fn(measure_requests));
    Router::new()
        .merge(api)
        .merge(health::router())
        .fallback(assets::serve)
        .layer(CatchPanicLayer::custom(request_limits::panicked))
        .layer(middleware::from_fn_with_state(headers, add_headers))
        .layer(middleware::from_fn_with_state(trusted, proxies::see_through))
        .layer(middleware::from_fn_with_state(random, identify))
        .with_state(state)
}
