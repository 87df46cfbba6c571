//! The CSPs, the partners that devices and people belong to.

mod dto;
mod routes;
mod store;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::AppState;

pub(crate) use store::{adopt, exists};

pub(crate) fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(routes::list_all_csps))
}
