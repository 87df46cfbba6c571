//! The rule that a request wants.

use std::collections::HashMap;

use uuid::Uuid;

use crate::app::App;
use crate::domain::policy::users::user_scope;
use crate::domain::rule::{Expression, Subject, Who};
use crate::http::error::{Error, Result};
use crate::http::extract::Caller;
use crate::http::form::Form;
use crate::store;
use crate::store::devices::DeviceRow;
use crate::store::rules::{NewRule, NewSubject, Of};
use crate::store::user_list::UserRef;

/// Bounds of the fields, in characters.
pub(in crate::http) const NAME: usize = 255;
const DESCRIPTION: usize = 1024;
const EXPRESSION: usize = 4096;
/// The most things that a rule is about, and that it does.
const SUBJECTS: usize = 20;
const ACTIONS: usize = 10;
/// The longest list of actions, in bytes: of UUIDs with commas.
const ACTION_IDS: usize = ACTIONS * 37;
/// The most rules of a user: a list carries all of them.
const MOST: i64 = 500;

const ACTIONS_FIELD: &str = "action_ids";
const EXPRESSION_FIELD: &str = "expression";

/// Makes the rule that a form asks for; answers its UUID. Every device that it names has to be in the caller's scope, and has to
/// have the property.
///
/// # Errors
/// 422 with what is wrong.
pub(super) async fn make(app: &App, caller: &Caller, mut form: Form<'_>) -> Result<Uuid> {
    let name = form.required("name", NAME);
    let description = form.text("description", DESCRIPTION);
    let text = form.required(EXPRESSION_FIELD, EXPRESSION);
    let is_enabled = form.flag("is_enabled").unwrap_or(true);
    let actions = form.list(ACTIONS_FIELD, ACTION_IDS).unwrap_or_default();
    if !text.is_empty()
        && let Err(error) = text.parse::<Expression>()
    {
        form.refuse(EXPRESSION_FIELD, format!("is not one: {error}"));
    }
    if actions.is_empty() {
        form.refuse(ACTIONS_FIELD, "can't be blank");
    }
    form.check()?;
    let expression: Expression = text.parse().map_err(|_| Error::MALFORMED)?;
    let subjects = subjects(app, caller, &expression).await?;

    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    // Meanwhile none of the actions is deleted.
    store::users::hold(&mut tx, caller.0.user_id).await?;
    if store::rules::count(&mut tx, caller.0.user_id).await? >= MOST {
        return Err(Error::invalid("base", format!("has too many rules (max: {MOST})")));
    }
    let known: HashMap<String, i64> =
        store::rule_actions::ids(&mut tx, caller.0.user_id, &actions).await?.into_iter().collect();
    let ids: Option<Vec<i64>> = actions.iter().map(|uuid| known.get(*uuid).copied()).collect();
    let ids = ids.ok_or_else(|| Error::invalid(ACTIONS_FIELD, "not found"))?;
    let uuid = app.random.uuid_at(now);
    let rule = NewRule {
        uuid,
        user_id: caller.0.user_id,
        name,
        description,
        expression: text,
        is_enabled,
        subjects: &subjects,
        actions: &ids,
    };
    store::rules::insert(&mut tx, &rule, now).await?;
    tx.commit().await?;
    Ok(uuid)
}

/// What the expression is about, as the database has it.
async fn subjects(app: &App, caller: &Caller, expression: &Expression) -> Result<Vec<NewSubject>> {
    let refused = |text: String| Error::invalid(EXPRESSION_FIELD, text);
    let subjects = expression.subjects();
    let names = expression.names();
    if subjects.is_empty() {
        return Err(refused("is about nothing that can happen".to_owned()));
    }
    if subjects.len().max(names.len()) > SUBJECTS {
        return Err(refused(format!("is about too much (max: {SUBJECTS})")));
    }
    let mut ids = HashMap::new();
    let mut devices = Vec::new();
    for who in names {
        let id = match who {
            Who::Device(dsn) => {
                let device = store::devices::find_all(&app.db, &caller.scope(app), &[dsn]).await?.pop();
                device.map(|device| {
                    devices.push(device.clone());
                    Of::Device(device.id)
                })
            }
            Who::User(uuid) => {
                let user = store::user_list::find(&app.db, &user_scope(&caller.0), UserRef::Uuid(uuid)).await?;
                user.map(|user| Of::User(user.id))
            }
        };
        ids.insert(who, id.ok_or_else(|| refused(format!("names {who}, which is not there")))?);
    }
    for subject in &subjects {
        if let Some(name) = has_not(app, &devices, subject).await? {
            return Err(refused(format!("names {name}, which {} does not have", subject.who)));
        }
    }
    let new = |subject: &Subject| {
        Some(NewSubject { kind: subject.kind, of: *ids.get(&subject.who)?, property: subject.property.clone() })
    };
    Ok(subjects.into_iter().filter_map(new).collect())
}

/// The property of the subject, if its device has none of this name.
async fn has_not<'a>(app: &App, devices: &[DeviceRow], subject: &'a Subject) -> Result<Option<&'a str>> {
    let (Who::Device(dsn), Some(property)) = (&subject.who, &subject.property) else { return Ok(None) };
    let Some(device) = devices.iter().find(|device| device.dsn == *dsn) else { return Ok(None) };
    let found = store::properties::by_name(&app.db, device.id, property).await?;
    Ok(if found.is_some() { None } else { Some(property) })
}
