//! `/api/audit`.

use axum::Json;
use axum::extract::State;

use super::dto::{AuditEntry, AuditPage};
use super::list_query::AuditQuery;
use super::operation::Operation;
use super::{device_filter, list_query, store};
use crate::core_state::CoreState;
use crate::error::{ApiError, ApiResult};
use crate::policy::{self, Action, Actor, Target};
use crate::request::QueryPairs;

/// Returns the changes made through the console, newest first.
///
/// Administrators of a CSP get the changes of records that belonged to it at that time. The assignment of a device to another
/// CSP is visible to neither of the two.
///
/// Refused sign-ins (`create_session` with the result `failed`) are shown to administrators of the manufacturer only, downloads
/// of reports to administrators. Refused sign-ins name the account, never what was typed.
#[utoipa::path(
    get, path = "/api/audit", tag = "audit",
    params(
        ("target" = Option<String>, Query, max_length = 64, description = "Only changes of this device (dsn), user, CSP or job (UUID)"),
        ("device" = Option<String>, Query, max_length = 64, description = "Only changes of devices whose DSN or serial number matches, case-insensitively: one or two characters match its beginning, three or more any part of it. 422 if more than 100 devices match. A removed device is found only by its full DSN"),
        ("actor" = Option<String>, Query, max_length = 254, description = "Only changes by the user with this e-mail address, case-insensitively"),
        ("operation" = Option<Operation>, Query, description = "Only changes by this operation"),
        ("from" = Option<String>, Query, format = DateTime, description = "Only changes that began at this time or later"),
        ("to" = Option<String>, Query, format = DateTime, description = "Only changes that began before this time"),
        ("before" = Option<String>, Query, description = "Only changes before this one: `next` of the previous response"),
        ("job" = Option<Uuid>, Query, description = "Only changes of this job"),
        ("cause" = Option<Uuid>, Query, description = "Only changes that follow from the change with this id"),
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
    let AuditQuery { mut filter, device, limit } = list_query::parse(&query)?;
    if let Some(text) = device {
        filter.devices = Some(device_filter::matching_dsns(&state.base.db, &actor, &text).await?);
    }
    // One more shows whether there are older changes.
    let mut found = store::list(&state.base.db, &actor, &filter, limit + 1).await?;
    let length = usize::try_from(limit).unwrap_or(usize::MAX);
    let has_more = found.len() > length;
    found.truncate(length);
    let next = found.last().filter(|_| has_more).map(|last| last.id.clone());
    Ok(Json(AuditPage { entries: found.into_iter().map(|it| AuditEntry::of(it, &actor)).collect(), next }))
}
