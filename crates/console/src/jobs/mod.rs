//! Long work over many devices: a job that is kept, with one result for each of its targets.
//!
//! Whoever starts a job need not wait for it: some node claims it and works on it with the tokens of the session that started
//! it, so the cloud decides about each target as if the person did it by hand. A job is interrupted when that session or right
//! ends, and goes on where it stopped when it is retried. A node that dies leaves its claim behind; another one takes the job
//! over when the claim has run out. The target that was under way is then done again, so what an [`Order`] does to a target must
//! come out the same when it is done twice.

mod dto;
mod order;
mod retention;
mod routes;
mod run;
mod runner;
mod service;
mod states;
mod store;
mod targets;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::AppState;

pub(crate) use dto::{JobProgress, JobView};
pub(crate) use order::Order;
pub(crate) use retention::keep_tidy;
pub(crate) use runner::Runner;
pub(crate) use service::{progress, start};
pub(crate) use targets::{MOST as MOST_TARGETS, targets};

pub(crate) fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(routes::get_job))
        .routes(routes!(routes::cancel_job))
        .routes(routes!(routes::retry_job))
}
