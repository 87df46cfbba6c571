//! `/healthz` and `/readyz`, for service managers and load balancers. They need no token and reveal nothing about the cloud's
//! data.

use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router};
use platform::db::Db;
use serde::Serialize;
use tokio::time::timeout;

/// A database that takes longer cannot serve requests either.
const TIMEOUT: Duration = Duration::from_secs(2);

/// The body of `/readyz`.
#[derive(Serialize)]
struct Readiness {
    /// Whether the database answers.
    database: bool,
}

pub(super) fn router(db: Db) -> Router {
    Router::new().route("/healthz", get(async || "ok\n")).route("/readyz", get(ready)).with_state(db)
}

/// 200 while requests can be served, otherwise 503.
async fn ready(State(db): State<Db>) -> (StatusCode, Json<Readiness>) {
    let database = matches!(timeout(TIMEOUT, db.ping()).await, Ok(Ok(())));
    let status = if database { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(Readiness { database }))
}
