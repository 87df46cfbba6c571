//! Signing in and out, and how long a session lasts.

mod dto;
mod jwt;
mod routes;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::AppState;

pub(crate) fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(routes::create_session, routes::get_session, routes::delete_session))
        .routes(routes!(jwt::update_jwt))
        .routes(routes!(jwt::ping_jwt))
}
