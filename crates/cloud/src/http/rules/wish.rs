//! The rule that a request wants.

use std::collections::{BTreeSet, HashMap};

use uuid::Uuid;

use crate::app::App;
use crate::domain::policy::users::user_scope;
use crate::domain::rule::{Expression, Subject, SubjectSource};
use crate::http::error::{Error, Result};
use crate::http::extract::Caller;
use crate::http::form::Form;
use crate::http::rule_actions::NAME;
use crate::store;
use crate::store::rules::{NewRule, NewSubject, Of};
use crate::store::user_list::UserRef;

/// Bounds of the fields, in characters.
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
    let expression = text.parse::<Expression>();
    if let Err(error) = &expression
        && !text.is_empty()
    {
        form.refuse(EXPRESSION_FIELD, format!("is not one: {error}"));
    }
    if actions.is_empty() {
        form.refuse(ACTIONS_FIELD, "can't be blank");
    }
    form.check()?;
    let subjects = subjects(app, caller, &expression.map_err(|_| Error::MALFORMED)?).await?;

    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    // Meanwhile none of the actions is deleted.
    store::users::lock_rows(&mut tx, caller.0.user_id).await?;
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
    let subjects = expression.subjects();
    let names = expression.names();
    if subjects.is_empty() {
        return Err(refused("is about nothing that can happen".to_owned()));
    }
    if subjects.len().max(names.len()) > SUBJECTS {
        return Err(refused(format!("is about too much (max: {SUBJECTS})")));
    }
    let ids = find(app, caller, &names).await?;
    let devices: Vec<i64> = ids
        .values()
        .filter_map(|of| match of {
            Of::Device(id) => Some(*id),
            Of::User(_) => None,
        })
        .collect();
    let properties: Vec<&str> = subjects.iter().filter_map(|subject| subject.property.as_deref()).collect();
    let found = store::properties::named(&app.db, &devices, &properties).await?;
    let mut new = Vec::with_capacity(subjects.len());
    for subject in subjects {
        let Subject { kind, source, property } = subject;
        let Some(of) = ids.get(source).copied() else { continue };
        if let (Of::Device(id), Some(name)) = (of, property)
            && !found.iter().any(|found| found.device_id == id && found.name == *name)
        {
            return Err(refused(format!("names {name}, which {source} does not have")));
        }
        new.push(NewSubject { kind: *kind, of, property: property.clone() });
    }
    Ok(new)
}

/// The devices and the people whom an expression names.
async fn find<'a>(
    app: &App,
    caller: &Caller,
    names: &BTreeSet<&'a SubjectSource>,
) -> Result<HashMap<&'a SubjectSource, Of>> {
    let dsns: Vec<&str> = names
        .iter()
        .filter_map(|source| match source {
            SubjectSource::Device(dsn) => Some(dsn.as_str()),
            SubjectSource::User(_) => None,
        })
        .collect();
    let devices = store::devices::find_all(&app.db, &caller.scope(app), &dsns).await?;
    let mut ids = HashMap::new();
    for source in names {
        let id = match source {
            SubjectSource::Device(dsn) => {
                devices.iter().find(|device| device.dsn == *dsn).map(|device| Of::Device(device.id))
            }
            SubjectSource::User(uuid) => {
                let user = store::user_list::find(&app.db, &user_scope(&caller.0), UserRef::Uuid(uuid)).await?;
                user.map(|user| Of::User(user.id))
            }
        };
        ids.insert(*source, id.ok_or_else(|| refused(format!("names {source}, which is not there")))?);
    }
    Ok(ids)
}

fn refused(text: String) -> Error {
    Error::invalid(EXPRESSION_FIELD, text)
}
