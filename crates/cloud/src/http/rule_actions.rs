//! Rules service: actions of rules (docs/wire.md#rules). This cloud sends e-mails and commands devices; it does not call URLs
//! chosen by users.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Map, Value, json};

use super::body::Body;
use super::error::{Error, Result};
use super::extract::Caller;
use super::form::Form;
use super::path::Path;
use super::user_fields::{EMAIL, is_email};
use crate::app::App;
use crate::domain::policy::Action;
use crate::domain::policy::rules::{may_change, may_have_rules, may_see};
use crate::domain::rule::Assignment;
use crate::domain::value::Direction;
use crate::rules::action::{DATAPOINT, EMAIL as EMAIL_TYPE};
use crate::store;
use crate::store::devices::DeviceRef;
use crate::store::rule_actions::{NewRuleAction, RuleActionRow};
use crate::wire::rule_action::{RuleAction, RuleActionList, RuleActionWrapper};

/// The most actions of a user: a list carries all of them.
const MOST: i64 = 500;
/// The most people whom an e-mail goes to.
const RECIPIENTS: usize = 10;
/// Bounds of the parameters, in characters.
pub(super) const NAME: usize = 255;
const SUBJECT: usize = 255;
const TEXT: usize = 10 * 1024;
const ASSIGNMENT: usize = 2 * 1024;

/// GET rulesservice/v1/actions: the caller's own.
pub(super) async fn list(State(app): State<App>, Caller(caller): Caller) -> Result<Json<RuleActionList>> {
    let rows = store::rule_actions::all(&app.db, caller.user_id).await?;
    Ok(Json(listed(&app, rows).await?))
}

/// POST rulesservice/v1/actions.
pub(super) async fn create(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body,
) -> Result<(StatusCode, Json<RuleActionWrapper>)> {
    if !may_have_rules(caller.0.kind) {
        return Err(Error::FORBIDDEN);
    }
    let mut form = Form::under_or_bare(&body, "action")?;
    let name = form.required("name", NAME);
    let wanted = form.required("type", NAME);
    let action_type = [EMAIL_TYPE, DATAPOINT].into_iter().find(|known| known.eq_ignore_ascii_case(wanted));
    if !wanted.is_empty() && action_type.is_none() {
        form.refuse("type", "is not EMAIL or DATAPOINT, and this cloud does nothing else");
    }
    let no_parameters = Map::new();
    let parameters = form.value("parameters").and_then(Value::as_object).unwrap_or(&no_parameters);
    form.check()?;
    let action_type = action_type.ok_or(Error::MALFORMED)?;
    let parameters = match action_type {
        EMAIL_TYPE => email(Form::of(parameters))?,
        _ => datapoint(&app, &caller, Form::of(parameters)).await?,
    };
    let now = app.clock.now();
    let uuid = app.random.uuid_at(now);
    let mut tx = app.db.begin().await?;
    store::users::lock_rows(&mut tx, caller.0.user_id).await?;
    if store::rule_actions::count(&mut tx, caller.0.user_id).await? >= MOST {
        return Err(Error::invalid("base", format!("has too many actions (max: {MOST})")));
    }
    let user_id = caller.0.user_id;
    let action = NewRuleAction { uuid, user_id, name, action_type, parameters: parameters.to_string() };
    store::rule_actions::insert(&mut tx, &action, now).await?;
    tx.commit().await?;
    let row = find(&app, &caller, &uuid.to_string()).await?;
    Ok((StatusCode::CREATED, Json(told(&app, row).await?)))
}

/// GET rulesservice/v1/actions/{uuid}.
pub(super) async fn get(
    State(app): State<App>,
    caller: Caller,
    Path(uuid): Path<String>,
) -> Result<Json<RuleActionWrapper>> {
    Ok(Json(told(&app, find(&app, &caller, &uuid).await?).await?))
}

/// DELETE rulesservice/v1/actions/{uuid}: not while a rule has it.
pub(super) async fn delete(State(app): State<App>, caller: Caller, Path(uuid): Path<String>) -> Result<StatusCode> {
    let action = find(&app, &caller, &uuid).await?;
    if !may_change(&caller.0, action.user_id) {
        return Err(Error::FORBIDDEN);
    }
    let mut tx = app.db.begin().await?;
    // Meanwhile no rule takes it.
    store::users::lock_rows(&mut tx, action.user_id).await?;
    let deleted = store::rule_actions::delete_unused(&mut tx, action.id).await?;
    tx.commit().await?;
    if deleted { Ok(StatusCode::NO_CONTENT) } else { Err(Error::RULE_ACTION_IN_USE) }
}

/// The actions with the rules that have them.
pub(super) async fn listed(app: &App, rows: Vec<RuleActionRow>) -> Result<RuleActionList> {
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let mut rules = store::rules::rule_uuids(&app.db, &ids).await?;
    let actions = rows.into_iter().map(|row| {
        let rules = rules.remove(&row.id).unwrap_or_default();
        RuleAction::new(row, rules)
    });
    Ok(RuleActionList { actions: actions.collect() })
}

async fn told(app: &App, row: RuleActionRow) -> Result<RuleActionWrapper> {
    let rules = store::rules::rule_uuids(&app.db, &[row.id]).await?.remove(&row.id);
    Ok(RuleActionWrapper { action: RuleAction::new(row, rules.unwrap_or_default()) })
}

/// # Errors
/// 404 when it is not there or not the caller's to know.
async fn find(app: &App, caller: &Caller, uuid: &str) -> Result<RuleActionRow> {
    let row = store::rule_actions::find(&app.db, uuid).await?;
    row.filter(|row| may_see(&caller.0, row.user_id, row.oem_id)).ok_or(Error::RULE_ACTION_NOT_FOUND)
}

fn email(mut form: Form<'_>) -> Result<Value> {
    let to = form.list("email_to", RECIPIENTS * (EMAIL + 1)).unwrap_or_default();
    let (subject, text) = (form.required("email_subject", SUBJECT), form.required("email_body", TEXT));
    if to.is_empty() {
        form.refuse("email_to", "can't be blank");
    } else if to.len() > RECIPIENTS {
        form.refuse("email_to", format!("has too many entries (max: {RECIPIENTS})"));
    } else if !to.iter().all(|address| is_email(address)) {
        form.refuse("email_to", "is invalid");
    }
    if subject.contains(char::is_control) {
        form.refuse("email_subject", "has a character that is not allowed");
    }
    form.check()?;
    Ok(json!({ "email_to": to, "email_subject": subject.trim(), "email_body": text }))
}

/// # Errors
/// 422 with what is wrong, 403 when the device is not the caller's to command.
async fn datapoint(app: &App, caller: &Caller, mut form: Form<'_>) -> Result<Value> {
    const FIELD: &str = "datapoint";
    let text = form.required(FIELD, ASSIGNMENT);
    form.check()?;
    let refused = |text: String| Error::invalid(FIELD, text);
    let assignment: Assignment = text.parse().map_err(|error| refused(format!("is no assignment: {error}")))?;
    let Assignment { dsn, property: name, value } = &assignment;
    let device = match caller.device(app, DeviceRef::Dsn(dsn), Action::WriteDatapoint).await {
        Err(Error::Text(StatusCode::NOT_FOUND, _)) => return Err(refused(format!("names {dsn}, which is not there"))),
        device => device?,
    };
    let property = store::properties::by_name(&app.db, device.id, name).await?;
    let property = property.ok_or_else(|| refused(format!("names {name}, which {dsn} does not have")))?;
    if property.direction() == Direction::Output {
        return Err(refused(format!("names {name}, which only the device itself writes")));
    }
    property
        .base_type()
        .accept(&value.as_str().into(), &property.limits())
        .map_err(|reason| refused(format!("has a value that {reason}")))?;
    Ok(json!({ FIELD: text }))
}
