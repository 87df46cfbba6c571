//! People: who may use the console, from all of the manufacturer's users.

mod company;
mod counts;
mod dto;
mod form;
mod index;
mod password_reset;
mod record;
mod removal;
mod routes;
mod service;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::AppState;

pub(crate) use counts::by_csp;

pub(crate) fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(routes::invite_user))
        .routes(routes!(routes::get_user, routes::update_user, routes::remove_user, routes::refresh_user))
        .routes(routes!(routes::send_password_reset))
}
