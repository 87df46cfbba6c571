//! `/healthz`, `/readyz` and `/metrics`, for service managers and load balancers. They need no session and reveal no personal
//! data.

use std::time::Duration;

use axum::extract::{FromRef, State};
use axum::http::StatusCode;
use axum::routing::{any, get};
use axum::{Json, Router};
use serde::Serialize;
use tokio::time::timeout;

use crate::core_state::CoreState;
use crate::error::ApiError;

/// A slower database cannot serve requests either.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(2);

/// The body of `/readyz`.
#[derive(Serialize)]
struct Readiness {
    /// Whether the database responds.
    database: bool,
    /// Whether the device cloud responds and accepts the console's application and account.
    cloud: bool,
}

pub(crate) fn router<S>() -> Router<S>
where
    S: Clone + Send + Sync + 'static,
    CoreState: FromRef<S>,
{
    Router::new()
        .route("/healthz", get(async || "ok\n"))
        .route("/readyz", get(ready))
        .route("/metrics", any(async || ApiError::NotFound))
}

/// 200 while requests can be served, otherwise 503.
async fn ready(State(state): State<CoreState>) -> (StatusCode, Json<Readiness>) {
    let (ping, check) = tokio::join!(timeout(DATABASE_TIMEOUT, state.base.db.ping()), state.cloud_check.result());
    let readiness = Readiness { database: matches!(ping, Ok(Ok(()))), cloud: check.is_ok() };
    let status = match readiness {
        Readiness { database: true, cloud: true } => StatusCode::OK,
        _ => StatusCode::SERVICE_UNAVAILABLE,
    };
    (status, Json(readiness))
}
