//! `/healthz` and `/readyz`, for service managers and load balancers. They need no token and reveal nothing about the cloud's
//! data.

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use axum::routing::get;
use platform::http::readiness::{self, Checks};

use crate::app::App;

pub(super) fn router(app: App) -> Router {
    Router::new().route("/healthz", get(async || "ok\n")).route("/readyz", get(ready)).with_state(app)
}

/// 200 while requests and devices can be served, otherwise 503.
async fn ready(State(app): State<App>, RawQuery(query): RawQuery) -> Response {
    readiness::respond(checks(&app).await, query.as_deref())
}

/// The checks of `/readyz`.
pub(crate) async fn checks(app: &App) -> Checks {
    Checks::from([
        ("bus", app.bus.is_connected()),
        ("database", app.database.answers().await),
        ("link", app.link_health.accepts()),
    ])
}
