//! Rules service: actions of rules (docs/wire.md#rules). This cloud sends e-mails and commands devices; it does not call URLs
//! chosen by users.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Map, Value};

use super::body::Body;
use super::error::{Error, Result};
use super::extract::Caller;
use super::form::Form;
use super::merge::merged;
use super::path::Path;
use super::user_fields::{EMAIL, is_email};
use crate::app::App;
use crate::domain::policy::rules::may_have_rules;
use crate::rules::action::{ActionInput, DATAPOINT, EMAIL as EMAIL_TYPE};
use crate::store;
use crate::store::rule_actions::RuleActionRow;
use crate::wire::rule_action::{RuleAction, RuleActionList, RuleActionWrapper};

/// The member that holds an assignment.
pub(super) const DATAPOINT_FIELD: &str = "datapoint";
/// Maximum number of recipients of an e-mail.
const RECIPIENTS: usize = 10;
/// Maximum lengths of the parameters, in characters.
pub(super) const NAME: usize = 255;
const SUBJECT: usize = 255;
const TEXT: usize = 10 * 1024;
const ASSIGNMENT: usize = 2 * 1024;

/// GET rulesservice/v1/actions: the caller's own actions.
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
    let (name, input) = read(Form::under_or_bare(&body, "action")?)?;
    let row = app.rules().create_action(&caller.0, &name, input).await?;
    Ok((StatusCode::CREATED, Json(wrapped(&app, row).await?)))
}

/// GET rulesservice/v1/actions/{uuid}.
pub(super) async fn get(
    State(app): State<App>,
    caller: Caller,
    Path(uuid): Path<String>,
) -> Result<Json<RuleActionWrapper>> {
    let row = app.rules().find_action(&caller.0, &uuid).await?;
    Ok(Json(wrapped(&app, row).await?))
}

/// PUT rulesservice/v1/actions/{uuid}: missing fields stay.
pub(super) async fn update(
    State(app): State<App>,
    caller: Caller,
    Path(uuid): Path<String>,
    Body(body): Body,
) -> Result<StatusCode> {
    let change = |row: &RuleActionRow| -> Result<_> {
        let stored = RuleActionWrapper { action: RuleAction::new(row.clone(), Vec::new()) };
        read(Form::of(&merged(stored, &body, "action")?))
    };
    app.rules().update_action(&caller.0, &uuid, change).await?;
    Ok(StatusCode::OK)
}

/// DELETE rulesservice/v1/actions/{uuid}: only an action that no rule uses.
pub(super) async fn delete(State(app): State<App>, caller: Caller, Path(uuid): Path<String>) -> Result<StatusCode> {
    app.rules().delete_action(&caller.0, &uuid).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The actions with the rules that use them.
pub(super) async fn listed(app: &App, rows: Vec<RuleActionRow>) -> Result<RuleActionList> {
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let mut rules = store::rules::rule_uuids(&app.db, &ids).await?;
    let actions = rows.into_iter().map(|row| {
        let rules = rules.remove(&row.id).unwrap_or_default();
        RuleAction::new(row, rules)
    });
    Ok(RuleActionList { actions: actions.collect() })
}

async fn wrapped(app: &App, row: RuleActionRow) -> Result<RuleActionWrapper> {
    let rules = store::rules::rule_uuids(&app.db, &[row.id]).await?.remove(&row.id);
    Ok(RuleActionWrapper { action: RuleAction::new(row, rules.unwrap_or_default()) })
}

/// Reads the name and the parameters of an action.
///
/// # Errors
/// 422 with all invalid fields.
fn read(mut form: Form<'_>) -> Result<(String, ActionInput)> {
    let name = form.required("name", NAME);
    let type_name = form.required("type", NAME);
    let action_type = [EMAIL_TYPE, DATAPOINT].into_iter().find(|known| known.eq_ignore_ascii_case(type_name));
    if !type_name.is_empty() && action_type.is_none() {
        form.refuse("type", "is not EMAIL or DATAPOINT; other types are not supported");
    }
    let no_parameters = Map::new();
    let parameters = form.value("parameters").and_then(Value::as_object).unwrap_or(&no_parameters);
    form.check()?;
    let action_type = action_type.ok_or(Error::MALFORMED)?;
    let input = match action_type {
        EMAIL_TYPE => read_email(Form::of(parameters))?,
        _ => read_assignment(Form::of(parameters))?,
    };
    Ok((name.to_owned(), input))
}

fn read_email(mut form: Form<'_>) -> Result<ActionInput> {
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
    Ok(ActionInput::Email {
        to: to.into_iter().map(str::to_owned).collect(),
        subject: subject.trim().to_owned(),
        body: text.to_owned(),
    })
}

fn read_assignment(mut form: Form<'_>) -> Result<ActionInput> {
    let text = form.required(DATAPOINT_FIELD, ASSIGNMENT);
    form.check()?;
    let assignment = text.parse();
    let assignment =
        assignment.map_err(|error| Error::invalid(DATAPOINT_FIELD, format!("is no assignment: {error}")))?;
    Ok(ActionInput::Datapoint { text: text.to_owned(), assignment })
}
