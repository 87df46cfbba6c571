//! `/api/attention`.

use axum::Json;
use axum::extract::State;
use uuid::Uuid;

use super::dto::{
    AttentionAssignee, AttentionComment, AttentionCount, AttentionItem, AttentionPage, AttentionSettingsForm,
    AttentionSettingsView, AttentionUpdate, AttentionUpdated,
};
use super::item_list::{ItemCursor, ItemState};
use super::list_query::AttentionQuery;
use super::{comments, item_list, list_query, people, settings, update};
use crate::attention_rules::{AttentionKind, Severity};
use crate::http::error::{ApiError, ApiResult};
use crate::http::query_reader::QueryReader;
use crate::http::request::{JsonBody, QueryPairs, UuidPath};
use crate::policy::{self, Action, Actor, Scope, Target};
use crate::state::CoreState;

/// Returns what needs attention, the most urgent first, and of these the newest.
#[utoipa::path(
    get, path = "/api/attention", tag = "attention",
    security(("token" = ["devices_read"])),
    params(
        ("state" = Option<ItemState>, Query, description = "Only items in this state; `open` by default: all that are neither closed nor snoozed"),
        ("kind" = Option<AttentionKind>, Query, description = "Only items of this kind"),
        ("severity" = Option<Severity>, Query, description = "Only items of this severity"),
        ("assignee" = Option<String>, Query, description = "Only items of this person (UUID), of the caller (`me`) or of `nobody`"),
        ("csp" = Option<String>, Query, max_length = 255, description = "Only items of this CSP. Ignored for CSP roles"),
        ("dsn" = Option<String>, Query, max_length = 64, description = "Only items of this device"),
        ("search" = Option<String>, Query, max_length = 64, description = "Only items of devices that `GET /api/devices` finds by this text as `q`"),
        ("after" = Option<String>, Query, description = "Only items after this one: `next` of the previous response"),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 100, description = "Maximum number of items; 50 by default"),
    ),
    responses((status = 200, description = "The items", body = AttentionPage), ApiError)
)]
pub(super) async fn list_attention(
    State(state): State<CoreState>,
    actor: Actor,
    query: QueryPairs,
) -> ApiResult<Json<AttentionPage>> {
    policy::can(&actor, Action::View, Target::Attention).require()?;
    let AttentionQuery { filter, after, limit } = list_query::parse(&query, actor.user)?;
    // One more shows whether there are further items.
    let now = state.base.clock.now();
    let mut found = item_list::page(&state.base.db, actor.scope(), &filter, after, limit + 1, now).await?;
    let length = usize::try_from(limit).unwrap_or(usize::MAX);
    let has_more = found.len() > length;
    found.truncate(length);
    let last = found.last().filter(|_| has_more);
    let next = last.map(|item| ItemCursor { severity: item.severity, id: item.id }.to_string());
    Ok(Json(AttentionPage { items: found.into_iter().map(|item| AttentionItem::of(item, &actor)).collect(), next }))
}

/// Returns how many open items nobody has acknowledged or snoozed, and how many a person has.
#[utoipa::path(
    get, path = "/api/attention/count", tag = "attention",
    security(("token" = ["devices_read"])),
    params(("assignee" = Option<Uuid>, Query, description = "The person; the caller by default")),
    responses((status = 200, description = "The counts", body = AttentionCount), ApiError)
)]
pub(super) async fn count_attention(
    State(state): State<CoreState>,
    actor: Actor,
    query: QueryPairs,
) -> ApiResult<Json<AttentionCount>> {
    policy::can(&actor, Action::View, Target::Attention).require()?;
    let mut reader = QueryReader::new(&query);
    let person = reader.value("assignee", "must be the id of a person", |text| Uuid::try_parse(text).ok());
    let person = reader.end(person)?.unwrap_or(actor.user);
    let (db, scope, now) = (&state.base.db, actor.scope(), state.base.clock.now());
    let csp = match scope {
        Scope::Everything => None,
        Scope::Csp(csp) => Some(csp.to_owned()),
        Scope::Nothing => return Ok(Json(AttentionCount { new: 0, high: 0, assigned: 0, snoozed: 0 })),
    };
    let read = async || Ok(item_list::count(db, scope, now).await?);
    let (new, high) = state.attention_counts.get(csp, now, || state.hub.attention_version(), read).await?;
    let assigned = item_list::count_assigned(db, scope, person, ItemState::Open, now).await?;
    let snoozed = item_list::count_assigned(db, scope, person, ItemState::Snoozed, now).await?;
    Ok(Json(AttentionCount { new, high, assigned, snoozed }))
}

/// Acknowledges, assigns, snoozes or comments on items, at most 100: all of them or none.
#[utoipa::path(
    post, path = "/api/attention/update", tag = "attention",
    security(("token" = ["devices_write"])),
    request_body = AttentionUpdate,
    responses((status = 200, description = "The items after the update", body = AttentionUpdated), ApiError)
)]
pub(super) async fn update_attention(
    State(state): State<CoreState>,
    actor: Actor,
    JsonBody(form): JsonBody<AttentionUpdate>,
) -> ApiResult<Json<AttentionUpdated>> {
    Ok(Json(AttentionUpdated { items: update::update(&state, &actor, &form).await? }))
}

/// Returns the comments on an item, oldest first.
#[utoipa::path(
    get, path = "/api/attention/{id}/comments", tag = "attention",
    security(("token" = ["devices_read"])),
    params(("id" = uuid::Uuid, Path, description = "UUID")),
    responses((status = 200, description = "The comments", body = [AttentionComment]), ApiError)
)]
pub(super) async fn list_attention_comments(
    State(state): State<CoreState>,
    actor: Actor,
    UuidPath(id): UuidPath,
) -> ApiResult<Json<Vec<AttentionComment>>> {
    let found: Vec<Uuid> =
        item_list::find(&state.base.db, actor.scope(), &[id]).await?.into_iter().map(|it| it.id).collect();
    let [id] = found[..] else { return Err(ApiError::NotFound) };
    let comments = comments::of_item(&state.base.db, id).await?;
    Ok(Json(comments.into_iter().map(|comment| AttentionComment::of(comment, &actor)).collect()))
}

/// Returns the people to whom the items of a CSP can be assigned: those of the CSP. Or those who have open items that the caller sees.
#[utoipa::path(
    get, path = "/api/attention/assignees", tag = "attention",
    security(("token" = ["users_read"])),
    params(
        ("csp" = Option<String>, Query, max_length = 255, description = "The CSP; the people of the manufacturer without it. Ignored for CSP roles, who get their own people"),
        ("assigned" = Option<bool>, Query, description = "Instead of them, the people who have open items, in the whole scope of the caller"),
    ),
    responses((status = 200, description = "The people by name", body = [AttentionAssignee]), ApiError)
)]
pub(super) async fn list_attention_assignees(
    State(state): State<CoreState>,
    actor: Actor,
    query: QueryPairs,
) -> ApiResult<Json<Vec<AttentionAssignee>>> {
    let mut reader = QueryReader::new(&query);
    let assigned = reader.value("assigned", "must be true or false", |text| text.parse().ok());
    if reader.end(assigned)?.unwrap_or_default() {
        policy::can(&actor, Action::View, Target::Attention).require()?;
        let csp = match actor.scope() {
            Scope::Everything => None,
            Scope::Csp(own) => Some(own),
            Scope::Nothing => return Ok(Json(Vec::new())),
        };
        return Ok(Json(people::with_items(&state.base.db, csp).await?));
    }
    policy::can(&actor, Action::Edit, Target::Attention).require()?;
    let named = named_csp(&query)?;
    let csp = match actor.scope() {
        Scope::Csp(own) => own.to_owned(),
        Scope::Everything | Scope::Nothing => named.unwrap_or_default(),
    };
    Ok(Json(people::of_csp(&state.base.db, &csp).await?))
}

/// Returns the thresholds of a CSP.
#[utoipa::path(
    get, path = "/api/attention/settings", tag = "attention",
    security(("token" = ["devices_read"])),
    params(("csp" = Option<String>, Query, max_length = 255, description = "The CSP; the devices without a CSP if omitted. Ignored for CSP roles, who get their own")),
    responses((status = 200, description = "The thresholds", body = AttentionSettingsView), ApiError)
)]
pub(super) async fn get_attention_settings(
    State(state): State<CoreState>,
    actor: Actor,
    query: QueryPairs,
) -> ApiResult<Json<AttentionSettingsView>> {
    policy::can(&actor, Action::View, Target::AttentionSettings).require()?;
    let csp = settings::csp(&state, &actor, named_csp(&query)?).await?;
    Ok(Json(settings::read(&state, &actor, csp).await?))
}

/// Changes the thresholds of a CSP. Its devices are examined again within a minute. Omitted and null members keep their values.
#[utoipa::path(
    put, path = "/api/attention/settings", tag = "attention",
    security(("token" = ["devices_write"])),
    params(("csp" = Option<String>, Query, max_length = 255, description = "As of `GET`")),
    request_body = AttentionSettingsForm,
    responses((status = 200, description = "The thresholds", body = AttentionSettingsView), ApiError)
)]
pub(super) async fn update_attention_settings(
    State(state): State<CoreState>,
    actor: Actor,
    query: QueryPairs,
    JsonBody(form): JsonBody<AttentionSettingsForm>,
) -> ApiResult<Json<AttentionSettingsView>> {
    policy::can(&actor, Action::Edit, Target::AttentionSettings).require()?;
    let csp = settings::csp(&state, &actor, named_csp(&query)?).await?;
    settings::update(&state, &actor, &csp, &form).await?;
    Ok(Json(settings::read(&state, &actor, csp).await?))
}

fn named_csp(query: &QueryPairs) -> ApiResult<Option<String>> {
    let mut reader = QueryReader::new(query);
    let csp = reader.text_up_to(255, "csp");
    reader.end(csp)
}
