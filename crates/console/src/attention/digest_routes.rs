//! `/api/account/digest`.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::digest_store;
use super::digest_time::DigestTime;
use super::digests::Digests;
use crate::forms::validation::Rules;
use crate::http::error::{ApiError, ApiResult};
use crate::http::request::JsonBody;
use crate::policy::{self, Action, Actor, Target};
use crate::preferences;
use crate::records::zone_names;
use crate::state::CoreState;

/// The longest name of a time zone that is accepted.
const MAX_ZONE: usize = 64;

/// The caller's daily digest of what needs attention, by mail.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AttentionDigest {
    /// Whether this console sends digests.
    available: bool,
    /// When it is sent; null if the caller gets none.
    #[schema(required)]
    time: Option<AttentionDigestTime>,
    /// Whether the caller gets a mail about items that somebody else assigns to the caller.
    assignments: bool,
}

/// The time of a digest.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AttentionDigestTime {
    /// The hour of the day.
    #[schema(minimum = 0, maximum = 23)]
    hour: i8,
    /// IANA name.
    time_zone: String,
}

/// The time at which the caller wants the digest.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AttentionDigestForm {
    /// The hour of the day.
    #[schema(value_type = i8, minimum = 0, maximum = 23)]
    hour: Option<i64>,
    /// IANA name of the time zone, such as `Europe/Berlin`.
    #[schema(value_type = String, max_length = 64)]
    time_zone: Option<String>,
}

/// Whether the caller wants a mail about items that somebody else assigns to the caller.
#[derive(Debug, Deserialize, ToSchema)]
pub(super) struct AssignmentMailsForm {
    #[schema(value_type = bool)]
    wanted: Option<bool>,
}

impl AttentionDigestForm {
    /// # Errors
    /// 422 with a text for each invalid member.
    fn checked(self) -> ApiResult<DigestTime> {
        let mut rules = Rules::default();
        let hour = self.hour.and_then(|hour| i8::try_from(hour).ok()).filter(|hour| (0..24).contains(hour));
        if hour.is_none() {
            rules.refuse("hour", "Must be a whole number from 0 to 23");
        }
        // Browsers have former names, and UTC.
        let is_zone = |name: &String| name.len() <= MAX_ZONE && TimeZone::get(name).is_ok();
        let time_zone = self.time_zone.filter(is_zone).map(zone_names::renamed);
        if time_zone.is_none() {
            rules.refuse("timeZone", "Must be the name of a time zone");
        }
        rules.finish(DigestTime { hour: hour.unwrap_or_default(), time_zone: time_zone.unwrap_or_default() })
    }
}

/// Returns whether and when the caller gets a daily digest of what needs attention, by mail.
#[utoipa::path(
    get, path = "/api/account/digest", tag = "account",
    responses((status = 200, description = "The digest", body = AttentionDigest), ApiError)
)]
pub(super) async fn get_attention_digest(
    State(state): State<CoreState>,
    actor: Actor,
) -> ApiResult<Json<AttentionDigest>> {
    policy::can(&actor, Action::View, Target::Attention).require()?;
    read(&state, &actor).await
}

/// Sends the caller a daily digest at this time. On a day on which nothing is open, none is sent.
#[utoipa::path(
    put, path = "/api/account/digest", tag = "account", request_body = AttentionDigestForm,
    responses((status = 200, description = "The digest", body = AttentionDigest), ApiError)
)]
pub(super) async fn update_attention_digest(
    State(state): State<CoreState>,
    actor: Actor,
    JsonBody(form): JsonBody<AttentionDigestForm>,
) -> ApiResult<Json<AttentionDigest>> {
    policy::can(&actor, Action::View, Target::Attention).require()?;
    let time = form.checked()?;
    if Digests::new(&state).is_none() {
        return Err(ApiError::Conflict("This console sends no mails.".to_owned()));
    }
    digest_store::put(&state.base.db, actor.user, &time, time.next_after(state.base.clock.now())).await?;
    read(&state, &actor).await
}

/// Begins or ends the mails about items that somebody else assigns to the caller. Items of ten minutes are one mail.
#[utoipa::path(
    put, path = "/api/account/digest/assignments", tag = "account", request_body = AssignmentMailsForm,
    responses((status = 200, description = "The mails about attention", body = AttentionDigest), ApiError)
)]
pub(super) async fn update_assignment_mails(
    State(state): State<CoreState>,
    actor: Actor,
    JsonBody(form): JsonBody<AssignmentMailsForm>,
) -> ApiResult<Json<AttentionDigest>> {
    policy::can(&actor, Action::View, Target::Attention).require()?;
    let wanted = form.wanted.ok_or_else(|| ApiError::invalid("wanted", "Must be true or false"))?;
    preferences::keep_assignment_mails(&state.base.db, actor.user, wanted).await?;
    read(&state, &actor).await
}

/// Ends the caller's digest.
#[utoipa::path(
    delete, path = "/api/account/digest", tag = "account",
    responses((status = 204, description = "The caller gets no digest"), ApiError)
)]
pub(super) async fn remove_attention_digest(State(state): State<CoreState>, actor: Actor) -> ApiResult<StatusCode> {
    policy::can(&actor, Action::View, Target::Attention).require()?;
    digest_store::remove(&state.base.db, &actor.user.to_string()).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn read(state: &CoreState, actor: &Actor) -> ApiResult<Json<AttentionDigest>> {
    let time = digest_store::find(&state.base.db, actor.user).await?;
    let time = time.map(|DigestTime { hour, time_zone }| AttentionDigestTime { hour, time_zone });
    let assignments = preferences::wants_assignment_mails(&state.base.db, actor.user).await?;
    Ok(Json(AttentionDigest { available: Digests::new(state).is_some(), time, assignments }))
}
