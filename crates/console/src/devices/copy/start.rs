//! Starts a copy job.

use super::form::CopyForm;
use super::snapshot::DeviceSnapshot;
use crate::core_state::CoreState;
use crate::devices::job_work::DeviceWork;
use crate::devices::{notifications, service};
use crate::error::ApiResult;
use crate::jobs::{self, JobView, Jobs};
use crate::policy::{self, Action, Actor, Target};
use crate::records::DeviceRecord;

/// Reads the source and starts the job with a snapshot, so that all targets get the same values even if the source
/// changes meanwhile.
///
/// # Errors
/// 404, 403 or 422, in this order.
pub(crate) async fn start(
    state: &CoreState,
    jobs: &Jobs,
    actor: &Actor,
    dsn: &str,
    form: &CopyForm,
) -> ApiResult<JobView> {
    let source = service::read(state, actor, dsn).await?;
    let csp = DeviceRecord::of(&source).csp;
    policy::can(actor, Action::Edit, Target::Device { csp: csp.as_deref() }).require()?;
    let (options, targets) = form.check(source.dsn.as_str())?;
    let wanted = match options.notifications {
        true => notifications::read(&state.sessions.cloud(&actor.session), &source).await?.settings(),
        false => Vec::new(),
    };
    let snapshot = DeviceSnapshot::of(&source, wanted, options);
    jobs::start(jobs, actor, &DeviceWork::CopyDevice(Box::new(snapshot)), &targets).await
}
