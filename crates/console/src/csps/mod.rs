//! The CSPs, the partners that devices and people belong to.

mod changes;
mod dto;
mod list;
mod list_query;
mod report;
mod routes;
mod service;
mod store;
mod usage;

use axum::extract::FromRef;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::CoreState;

pub(crate) use dto::CspSort;
#[cfg(any(test, feature = "testing"))]
pub(crate) use store::adopt;
pub(crate) use store::{adopt_labelled, exists};

pub(crate) fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    CoreState: FromRef<S>,
{
    OpenApiRouter::new()
        .routes(routes!(routes::list_csps, routes::create_csp))
        .routes(routes!(routes::list_all_csps))
        .routes(routes!(report::report_csps))
        .routes(routes!(routes::get_csp, routes::update_csp, routes::delete_csp))
}
