//! Rules service: actions that users attach to events of devices (docs/wire.md#rules). What belongs to somebody else
//! is not there, but for the manufacturer's people.

mod told;
mod wish;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::body::Body;
use super::error::{Error, Result};
use super::extract::Caller;
use super::form::Form;
use super::path::Path;
use super::query::Query;
use super::rule_actions;
use crate::app::App;
use crate::domain::policy::Action;
use crate::domain::policy::rules::{lists_rules_of_others, may_change, may_have_rules, may_see};
use crate::domain::policy::users::user_scope;
use crate::store;
use crate::store::devices::DeviceRef;
use crate::store::rules::RuleRow;
use crate::store::user_list::UserRef;
use crate::wire::rule::{Rule, RuleList, RuleWrapper};
use crate::wire::rule_action::RuleActionList;

pub(super) use told::in_form;

/// GET rulesservice/v1/rules: the caller's own. The manufacturer's people say whose: `type=device&id=DSN` or
/// `type=user&id=UUID`.
pub(super) async fn list(State(app): State<App>, caller: Caller, query: Query) -> Result<Json<RuleList>> {
    let of = (query.get("type"), query.get("id"));
    let rows = match of {
        (None, None) if !lists_rules_of_others(caller.0.kind) => {
            store::rules::of_user(&app.db, caller.0.user_id).await?
        }
        _ if !lists_rules_of_others(caller.0.kind) => return Err(Error::FORBIDDEN),
        (Some("device"), Some(dsn)) => {
            let device = caller.device(&app, DeviceRef::Dsn(dsn), Action::ReadDevice).await?;
            store::rules::of_device(&app.db, caller.0.oem_id, device.id).await?
        }
        (Some("user"), Some(uuid)) => {
            let user = store::user_list::find(&app.db, &user_scope(&caller.0), UserRef::Uuid(uuid)).await?;
            store::rules::of_user(&app.db, user.ok_or(Error::USER_NOT_FOUND)?.id).await?
        }
        (Some(_), Some(_)) => return Err(Error::invalid("type", "is not device or user")),
        _ => return Err(Error::Text(StatusCode::UNPROCESSABLE_ENTITY, "type and id are required")),
    };
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let mut actions = store::rules::action_uuids(&app.db, &ids).await?;
    let rules = rows.into_iter().map(|row| {
        let actions = actions.remove(&row.id).unwrap_or_default();
        Rule::new(row, actions)
    });
    Ok(Json(RuleList { rules: rules.collect() }))
}

/// POST rulesservice/v1/rules.
pub(super) async fn create(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body,
) -> Result<(StatusCode, Json<RuleWrapper>)> {
    if !may_have_rules(caller.0.kind) {
        return Err(Error::FORBIDDEN);
    }
    let uuid = wish::make(&app, &caller, Form::under_or_bare(&body, "rule")?).await?.to_string();
    let row = store::rules::find(&app.db, &uuid).await?.ok_or(Error::RULE_NOT_FOUND)?;
    Ok((StatusCode::CREATED, Json(told(&app, row).await?)))
}

/// GET rulesservice/v1/rules/{uuid}.
pub(super) async fn get(State(app): State<App>, caller: Caller, Path(uuid): Path<String>) -> Result<Json<RuleWrapper>> {
    Ok(Json(told(&app, find(&app, &caller, &uuid).await?).await?))
}

/// POST rulesservice/v1/rules/{uuid} `{rule: {is_enabled}}`, and PUT `{attributes: {is_enabled}}`.
pub(super) async fn switch(
    State(app): State<App>,
    caller: Caller,
    Path(uuid): Path<String>,
    Body(body): Body,
) -> Result<Json<RuleWrapper>> {
    let rule = find_own(&app, &caller, &uuid).await?;
    let wrapper = if body.contains_key("attributes") { "attributes" } else { "rule" };
    let mut form = Form::under_or_bare(&body, wrapper)?;
    let is_enabled = form.flag("is_enabled");
    form.check()?;
    let is_enabled = is_enabled.ok_or_else(|| Error::invalid("is_enabled", "can't be blank"))?;
    store::rules::enable(&app.db, rule.id, is_enabled, app.clock.now()).await?;
    Ok(Json(told(&app, find(&app, &caller, &uuid).await?).await?))
}

/// DELETE rulesservice/v1/rules/{uuid}. Its actions stay.
pub(super) async fn delete(State(app): State<App>, caller: Caller, Path(uuid): Path<String>) -> Result<StatusCode> {
    let rule = find_own(&app, &caller, &uuid).await?;
    let deleted = store::rules::delete(&app.db, rule.id).await?;
    if deleted { Ok(StatusCode::NO_CONTENT) } else { Err(Error::RULE_NOT_FOUND) }
}

/// GET rulesservice/v1/rules/{uuid}/actions.
pub(super) async fn actions(
    State(app): State<App>,
    caller: Caller,
    Path(uuid): Path<String>,
) -> Result<Json<RuleActionList>> {
    let rule = find(&app, &caller, &uuid).await?;
    let rows = store::rule_actions::of_rule(&app.db, rule.id).await?;
    Ok(Json(rule_actions::listed(&app, rows).await?))
}

/// # Errors
/// 404 when it is not there or not the caller's to know.
async fn find(app: &App, caller: &Caller, uuid: &str) -> Result<RuleRow> {
    let row = store::rules::find(&app.db, uuid).await?;
    row.filter(|row| may_see(&caller.0, row.user_id, row.oem_id)).ok_or(Error::RULE_NOT_FOUND)
}

/// # Errors
/// As [`find`]; 403 when it is not the caller's to change.
async fn find_own(app: &App, caller: &Caller, uuid: &str) -> Result<RuleRow> {
    let row = find(app, caller, uuid).await?;
    if may_change(&caller.0, row.user_id) { Ok(row) } else { Err(Error::FORBIDDEN) }
}

async fn told(app: &App, row: RuleRow) -> Result<RuleWrapper> {
    let actions = store::rules::action_uuids(&app.db, &[row.id]).await?.remove(&row.id);
    Ok(RuleWrapper { rule: Rule::new(row, actions.unwrap_or_default()) })
}
