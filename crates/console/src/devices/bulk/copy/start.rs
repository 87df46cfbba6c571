//! Starts a copy job, or says what it would change.

use serde::Deserialize;
use utoipa::ToSchema;

use super::snapshot::{CopyOptions, DeviceSnapshot};
use crate::devices::bulk::choice::TargetChoice;
use crate::devices::{notifications, service};
use crate::forms::validation::Rules;
use crate::http::error::ApiResult;
use crate::jobs::{self, JobPreview, JobView, Jobs};
use crate::policy::{self, Action, Actor, Target};
use crate::records::DeviceRecord;
use crate::state::CoreState;

/// The parts to copy, at least one, and the target devices, named or by a filter. Omitted parts are not copied.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CopyForm {
    /// DSNs of the target devices, without that of the source; at most 5000.
    #[schema(nullable = false, min_items = 1, max_items = 5000)]
    targets: Option<Vec<String>>,
    /// Instead of targets, the query string of `GET /api/devices/selection`: all other devices that match when the job starts.
    matching: Option<String>,
    /// Service area, customer, customer ID and store number.
    #[serde(default)]
    copy_name: bool,
    /// The fragrance.
    #[serde(default)]
    copy_id: bool,
    #[serde(default)]
    schedules: bool,
    /// Method, recipient and events of each notification. The target's own notifications are kept.
    #[serde(default)]
    notifications: bool,
    /// Mode, off-cycle, intensity and fan speed.
    #[serde(default)]
    settings: bool,
    /// Latitude, longitude, time zone, city, state or province, and country.
    #[serde(default)]
    location: bool,
}

impl CopyForm {
    /// Validates the request and returns the options and the distinct targets.
    ///
    /// # Errors
    /// 422 without an option or a target, and for invalid targets; 503 for a filter as long as the index is not filled.
    async fn check(&self, state: &CoreState, actor: &Actor, source: &str) -> ApiResult<(CopyOptions, Vec<String>)> {
        let mut rules = Rules::default();
        let options = CopyOptions {
            name: self.copy_name,
            id: self.copy_id,
            schedules: self.schedules,
            notifications: self.notifications,
            settings: self.settings,
            location: self.location,
        };
        if options == CopyOptions::default() {
            rules.refuse("options", "Select at least one option");
        }
        let matching = self.matching.as_deref();
        let choice = TargetChoice { field: "targets", dsns: &self.targets, matching, excluded_dsn: Some(source) };
        let targets = choice.read(state, actor, &mut rules).await?;
        if targets.iter().any(|dsn| dsn == source) {
            rules.refuse("targets", "A device cannot be copied to itself");
        }
        rules.finish((options, targets))
    }
}

/// Starts the job with a snapshot of the source, so that all targets get the same values even if the source changes meanwhile.
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
    let (snapshot, targets) = read(state, actor, dsn, form).await?;
    jobs::start(jobs, actor, &snapshot, &targets).await
}

/// Returns what the job would change at a page of its targets, which starts at `from`.
///
/// # Errors
/// As [`start`].
pub(crate) async fn preview(
    state: &CoreState,
    actor: &Actor,
    dsn: &str,
    form: &CopyForm,
    from: usize,
) -> ApiResult<JobPreview> {
    let (snapshot, targets) = read(state, actor, dsn, form).await?;
    jobs::preview(state, actor, &snapshot, &targets, from).await
}

/// Reads the source, and which devices it is to be copied to.
async fn read(
    state: &CoreState,
    actor: &Actor,
    dsn: &str,
    form: &CopyForm,
) -> ApiResult<(DeviceSnapshot, Vec<String>)> {
    let source = service::read(state, actor, dsn).await?;
    let csp = DeviceRecord::of(&source).csp;
    policy::can(actor, Action::Edit, Target::Device { csp: csp.as_deref() }).require()?;
    let (options, targets) = form.check(state, actor, source.dsn.as_str()).await?;
    let wanted = match options.notifications {
        true => notifications::read(&state.sessions.cloud(&actor.session), &source).await?.settings(),
        false => Vec::new(),
    };
    Ok((DeviceSnapshot::of(&source, wanted, options), targets))
}
