//! `/api/audit`.

use axum::Json;
use axum::extract::State;

use super::dto::{AuditEntry, AuditPage};
use super::list_query::{AuditFilterParams, AuditQuery};
use super::{device_filter, list_query, store};
use crate::http::error::{ApiError, ApiResult};
use crate::http::request::QueryPairs;
use crate::policy::{self, Action, Actor, Target};
use crate::state::CoreState;

/// Returns the changes made through the console, newest first.
///
/// Administrators of a CSP get the changes of records that belonged to it at that time. The assignment of a device to another
/// CSP is visible to neither of the two.
///
/// Refused sign-ins (`create_session` with the result `failed`) are shown to administrators of the manufacturer only, downloads
/// of reports to administrators. Refused sign-ins name the account, never what was typed.
#[utoipa::path(
    get, path = "/api/audit", tag = "audit",
    security(("token" = ["audit_read"])),
    params(
        AuditFilterParams,
        ("before" = Option<String>, Query, description = "Only changes before this one: `next` of the previous response"),
        ("foldJobs" = Option<bool>, Query, description = "Omits changes that jobs made to their targets, which `job` returns, and those that follow from other changes, which `cause` returns. Ignored for CSP roles, which see only such changes"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 100, description = "Maximum number of changes; 50 by default"),
    ),
    responses((status = 200, description = "The changes", body = AuditPage), ApiError)
)]
pub(super) async fn list_audit(
    State(state): State<CoreState>,
    actor: Actor,
    query: QueryPairs,
) -> ApiResult<Json<AuditPage>> {
    policy::can(&actor, Action::View, Target::Audit).require()?;
    let AuditQuery { search, limit } = list_query::parse(&query)?;
    let filter = device_filter::resolve(&state.device_lists, &actor, search).await?;
    // One more shows whether there are older changes.
    let mut found = store::list(&state.base.db, &actor, &filter, limit + 1).await?;
    let length = usize::try_from(limit).unwrap_or(usize::MAX);
    let has_more = found.len() > length;
    found.truncate(length);
    let next = found.last().filter(|_| has_more).map(|last| last.id.clone());
    Ok(Json(AuditPage { entries: found.into_iter().map(|it| AuditEntry::of(it, &actor)).collect(), next }))
}
