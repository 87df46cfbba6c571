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

/// What was changed through the console, the newest first.
///
/// Administrators of a CSP get what happened to what was its own at that moment. What took a device from one CSP to another
/// is told to none of the two.
#[utoipa::path(
    get, path = "/api/audit", tag = "audit",
    params(
        ("target" = Option<String>, Query, max_length = 64, description = "Only changes of this device (dsn), user, CSP or job (UUID)"),
        ("device" = Option<String>, Query, max_length = 64, description = "Only changes of devices whose DSN or serial number matches, in any case: one or two characters match its beginning, three or more any part of it. 422 when that is more than 100 devices. A device that is gone is found by its whole DSN"),
        ("actor" = Option<String>, Query, max_length = 254, description = "Only changes by the user with this e-mail address, in any case"),
        ("operation" = Option<Operation>, Query, description = "Only changes of this kind"),
        ("from" = Option<String>, Query, format = DateTime, description = "Only changes that began then or later"),
        ("to" = Option<String>, Query, format = DateTime, description = "Only changes that began earlier"),
        ("before" = Option<String>, Query, description = "Only changes before this one: `next` of the answer before"),
        ("job" = Option<Uuid>, Query, description = "Only changes of this job"),
        ("foldJobs" = Option<bool>, Query, description = "Of a job only what started, cancelled or retried it, not what it changed at its targets: `job` asks for those. Without effect for a CSP role, which sees only what a job changed"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 100, description = "So many at most, 50 when left out"),
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
    // One more says whether there are more.
    let mut found = store::list(&state.base.db, &actor, &filter, limit + 1).await?;
    let length = usize::try_from(limit).unwrap_or(usize::MAX);
    let has_more = found.len() > length;
    found.truncate(length);
    let next = found.last().filter(|_| has_more).map(|last| last.id.clone());
    Ok(Json(AuditPage { entries: found.into_iter().map(|it| AuditEntry::of(it, &actor)).collect(), next }))
}
