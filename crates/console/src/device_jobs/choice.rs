//! The devices for which a job is started.

use crate::core_state::CoreState;
use crate::devices::{parse_job_filter, require_index};
use crate::error::{ApiError, ApiResult};
use crate::index;
use crate::jobs::{self, MAX_TARGETS};
use crate::policy::Actor;
use crate::rules::Rules;

/// Maximum length of a filter in bytes: the address of a list is no longer.
const MAX_FILTER: usize = 2_000;

/// The chosen devices: a list, or all that match a filter.
#[derive(Clone, Copy)]
pub(super) struct TargetChoice<'a> {
    /// The name of the list in the request.
    pub(super) field: &'static str,
    pub(super) dsns: &'a Option<Vec<String>>,
    /// The filters of the device list as a query string.
    pub(super) matching: Option<&'a str>,
    /// A device that is not among those that match.
    pub(super) excluded_dsn: Option<&'a str>,
}

impl TargetChoice<'_> {
    /// The devices, without duplicates and in order. Those that match are the ones that match now; whether the actor may change
    /// them is checked when the job processes them.
    ///
    /// # Errors
    /// 503 as long as the index is not filled.
    pub(super) async fn read(self, state: &CoreState, actor: &Actor, rules: &mut Rules) -> ApiResult<Vec<String>> {
        let Some(matching) = self.matching else { return Ok(jobs::parse_targets(rules, self.field, self.dsns)) };
        if self.dsns.is_some() {
            rules.refuse("matching", "Name devices or a filter, not both");
            return Ok(Vec::new());
        }
        if matching.len() > MAX_FILTER {
            rules.refuse("matching", "is too long");
            return Ok(Vec::new());
        }
        let mut filter = match parse_job_filter(matching, state.base.clock.now()) {
            Ok(filter) => filter,
            Err(ApiError::Invalid(errors)) => {
                let texts = errors.into_iter().map(|(name, texts)| format!("{name} {}", texts.join(", ")));
                rules.refuse_for("matching", texts.collect());
                return Ok(Vec::new());
            }
            Err(error) => return Err(error),
        };
        if let Some(excluded) = self.excluded_dsn {
            filter.exclude_dsn = Some(excluded.to_owned());
        }
        require_index(state).await?;
        let (dsns, total) = index::select(&state.base.db, actor, &filter, MAX_TARGETS as u64).await?;
        if total == 0 {
            rules.refuse(self.field, "No device matches");
        } else if total > MAX_TARGETS as u64 {
            rules.refuse(self.field, format!("{total} devices match, and a job can have at most {MAX_TARGETS}"));
        }
        Ok(dsns)
    }
}
