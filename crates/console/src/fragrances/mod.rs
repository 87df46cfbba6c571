//! The fragrance catalogue: the fragrances and their flow rates by model.

mod dto;
mod routes;
mod rows;
mod store;
mod update;

use axum::extract::FromRef;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::core_state::CoreState;

pub(crate) use routes::{IMPORT, MAX_IMPORT};
pub(crate) use store::{add_missing, by_name, find};

pub(crate) fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    CoreState: FromRef<S>,
{
    OpenApiRouter::new()
        .routes(routes!(routes::list_fragrances))
        .routes(routes!(routes::export_fragrances))
        .routes(routes!(routes::update_fragrances))
}
