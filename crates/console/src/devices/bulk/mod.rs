//! Jobs over devices: copying a device, assigning a CSP, and undoing a job.

mod choice;
mod copy;
mod csp_assignment;
mod target;
mod undo;
mod work;
mod writes;

use axum::extract::FromRef;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::jobs::Jobs;
use crate::state::CoreState;

pub(crate) use work::WORK_KINDS;

pub(crate) fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    CoreState: FromRef<S>,
    Jobs: FromRef<S>,
{
    OpenApiRouter::new()
        .routes(routes!(csp_assignment::assign_csp))
        .routes(routes!(csp_assignment::preview_csp_assignment))
        .routes(routes!(copy::routes::copy_device))
        .routes(routes!(copy::routes::preview_copy))
}
