//! People: who may use the console, from all of the manufacturer's users.

mod company;
mod counts;
mod dto;
mod index;
mod record;
mod routes;
mod service;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::AppState;

pub(crate) use counts::by_csp;

pub(crate) fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(routes::refresh_user))
}
