//! Rules service: actions that users attach to events of devices (docs/wire.md#rules). A user sees their own
//! rules; users of the manufacturer see all.

mod error_format;
mod input;

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
use crate::domain::policy::rules::{lists_rules_of_others, may_have_rules};
use crate::domain::policy::users::user_scope;
use crate::rules::RuleError;
use crate::store;
use crate::store::devices::DeviceRef;
use crate::store::rules::RuleRow;
use crate::store::user_list::UserRef;
use crate::wire::rule::{Rule, RuleList, RuleWrapper};
use crate::wire::rule_action::RuleActionList;

pub(super) use error_format::convert_errors;

/// GET rulesservice/v1/rules: the caller's own rules. Users of the manufacturer name a device or a user:
/// `type=device&id=DSN` or `type=user&id=UUID`.
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
    let input = input::read_rule(Form::under_or_bare(&body, "rule")?)?;
    let row = app.rules().create(&caller.0, input).await?;
    Ok((StatusCode::CREATED, Json(wrapped(&app, row).await?)))
}

/// GET rulesservice/v1/rules/{uuid}.
pub(super) async fn get(State(app): State<App>, caller: Caller, Path(uuid): Path<String>) -> Result<Json<RuleWrapper>> {
    let row = app.rules().find(&caller.0, &uuid).await?;
    Ok(Json(wrapped(&app, row).await?))
}

/// POST rulesservice/v1/rules/{uuid} `{rule: {is_enabled}}`, and PUT `{attributes: {is_enabled}}`.
pub(super) async fn switch(
    State(app): State<App>,
    caller: Caller,
    Path(uuid): Path<String>,
    Body(body): Body,
) -> Result<Json<RuleWrapper>> {
    app.rules().find_to_change(&caller.0, &uuid).await?;
    let wrapper = if body.contains_key("attributes") { "attributes" } else { "rule" };
    let mut form = Form::under_or_bare(&body, wrapper)?;
    let is_enabled = form.flag("is_enabled");
    form.check()?;
    let is_enabled = is_enabled.ok_or_else(|| Error::invalid("is_enabled", "can't be blank"))?;
    let row = app.rules().set_enabled(&caller.0, &uuid, is_enabled).await?;
    Ok(Json(wrapped(&app, row).await?))
}

/// DELETE rulesservice/v1/rules/{uuid}. Its actions stay.
pub(super) async fn delete(State(app): State<App>, caller: Caller, Path(uuid): Path<String>) -> Result<StatusCode> {
    app.rules().delete(&caller.0, &uuid).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// GET rulesservice/v1/rules/{uuid}/actions.
pub(super) async fn actions(
    State(app): State<App>,
    caller: Caller,
    Path(uuid): Path<String>,
) -> Result<Json<RuleActionList>> {
    let rule = app.rules().find(&caller.0, &uuid).await?;
    let rows = store::rule_actions::of_rule(&app.db, rule.id).await?;
    Ok(Json(rule_actions::listed(&app, rows).await?))
}

async fn wrapped(app: &App, row: RuleRow) -> Result<RuleWrapper> {
    let actions = store::rules::action_uuids(&app.db, &[row.id]).await?.remove(&row.id);
    Ok(RuleWrapper { rule: Rule::new(row, actions.unwrap_or_default()) })
}

impl From<RuleError> for Error {
    fn from(error: RuleError) -> Self {
        match error {
            RuleError::NotFound => Self::RULE_NOT_FOUND,
            RuleError::ActionNotFound => Self::RULE_ACTION_NOT_FOUND,
            RuleError::Forbidden => Self::FORBIDDEN,
            RuleError::ActionInUse => Self::RULE_ACTION_IN_USE,
            RuleError::UnknownActions => Self::invalid(input::ACTIONS_FIELD, "not found"),
            RuleError::TooMany { max } => Self::invalid("base", format!("has too many rules (max: {max})")),
            RuleError::TooManyActions { max } => Self::invalid("base", format!("has too many actions (max: {max})")),
            RuleError::Subject(error) => Self::invalid(input::EXPRESSION_FIELD, error.to_string()),
            RuleError::Assignment(error) => Self::invalid(rule_actions::DATAPOINT_FIELD, error.to_string()),
            RuleError::Access(error) => error.into(),
            RuleError::Database(error) => error.into(),
        }
    }
}
