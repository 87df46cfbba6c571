//! The fleet over time (docs/fleet.md): the sums of [`crate::index::fleet_days`] within the actor's scope, and the hourly sample of the index.

mod dto;
mod query;
mod read;
mod report;
mod routes;
mod sampler;
mod store_report;
#[cfg(test)]
mod tests;

use axum::extract::FromRef;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::CoreState;

pub(crate) use sampler::FleetSampler;

pub(crate) fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    CoreState: FromRef<S>,
{
    OpenApiRouter::new()
        .routes(routes!(routes::get_fleet_history))
        .routes(routes!(report::report_fleet))
        .routes(routes!(store_report::report_stores))
}
