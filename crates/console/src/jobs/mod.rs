//! Jobs: persisted long work over many devices, with a result for each target.
//!
//! A job runs in the background: a node claims it and works with the tokens of the session that started it, so the
//! cloud checks each target as if the user changed it directly. After somebody else's retry, each target also requires that the
//! person who started the job may change it. If the session or the permission ends, the job is
//! interrupted, and a retry continues it. If a node dies, another one claims the job when the claim expires and repeats
//! the targets in progress, so work must be idempotent.
//!
//! Work stores what it writes before it writes it ([`writes`]), so that the job can be undone for a week. The undo is a job, too.

mod dto;
mod job_run;
mod list_query;
mod preview;
mod report;
mod retention;
mod routes;
mod runner;
mod service;
mod states;
mod store;
mod targets;
mod work;
pub(crate) mod writes;

use axum::extract::FromRef;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::CoreState;

pub(crate) use dto::{JobProgress, JobView};
pub(crate) use job_run::register_metrics;
pub(crate) use preview::{JobPreview, Preview, parse_from, preview};
pub(crate) use retention::delete_old_jobs;
pub(crate) use runner::Runner;
pub(crate) use service::{Jobs, progress, start};
pub(crate) use store::count_running;
pub(crate) use targets::{MAX_TARGETS, parse_targets};
pub(crate) use work::{JobActors, TargetOutcome, Work, WorkKinds};

pub(crate) fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    CoreState: FromRef<S>,
    Jobs: FromRef<S>,
{
    OpenApiRouter::new()
        .routes(routes!(routes::list_jobs))
        .routes(routes!(routes::get_job))
        .routes(routes!(routes::list_job_targets))
        .routes(routes!(report::report_job))
        .routes(routes!(routes::cancel_job))
        .routes(routes!(routes::retry_job))
        .routes(routes!(routes::undo_job))
}
