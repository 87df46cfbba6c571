//! The devices for which a job is started.

use crate::devices::{parse_job_filter, require_index};
use crate::forms::validation::Rules;
use crate::http::error::{ApiError, ApiResult};
use crate::index;
use crate::jobs::{self, MAX_TARGETS};
use crate::policy::{Actor, Scope};
use crate::state::CoreState;

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
    /// The devices, without duplicates and in order. Those that match are the ones that match now. Named devices must be in the
    /// actor's scope; whether the actor may change a device is checked again when the job processes it.
    ///
    /// # Errors
    /// 503 as long as the index is not filled.
    pub(super) async fn read(self, state: &CoreState, actor: &Actor, rules: &mut Rules) -> ApiResult<Vec<String>> {
        let Some(matching) = self.matching else {
            let dsns = jobs::parse_targets(rules, self.field, self.dsns);
            if !rules.refuses(self.field) {
                self.check_scope(state, actor, &dsns, rules).await?;
            }
            return Ok(dsns);
        };
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
        let (dsns, total) = state.device_lists.select(actor, &filter, MAX_TARGETS as u64).await?;
        if total == 0 {
            rules.refuse(self.field, "No device matches");
        } else if total > MAX_TARGETS as u64 {
            rules.refuse(self.field, format!("{total} devices match, and a job can have at most {MAX_TARGETS}"));
        }
        Ok(dsns)
    }

    /// Refuses devices outside the actor's scope. An actor who sees every device may name any: the job fails at those that do not
    /// exist.
    ///
    /// # Errors
    /// 503 as long as the index is not filled.
    async fn check_scope(self, state: &CoreState, actor: &Actor, dsns: &[String], rules: &mut Rules) -> ApiResult<()> {
        if actor.scope() == Scope::Everything {
            return Ok(());
        }
        require_index(state).await?;
        let visible = index::visible_dsns(&state.base.db, actor, dsns).await?;
        let outside: Vec<&str> = dsns.iter().map(String::as_str).filter(|dsn| !visible.contains(*dsn)).collect();
        if !outside.is_empty() {
            rules.refuse(self.field, format!("Not among your devices: {}", outside.join(", ")));
        }
        Ok(())
    }
}
