//! User service: the caller's contacts.

use std::ops::RangeInclusive;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Map, Value};

use super::body::Body;
use super::error::{Error, Result};
use super::extract::Caller;
use super::form::Form;
use super::path::{Path, key};
use super::user_fields::is_email;
use crate::app::App;
use crate::people::contacts::{ContactChange, ContactError, MAX_CONTACTS};
use crate::store;
use crate::store::contacts::Contact;
use crate::wire::contact::ContactWrapper;

/// Bounds of the fields, in characters.
const TEXT: usize = 255;
const NOTES: usize = 4 * 1024;
const METADATA: usize = 4 * 1024;
const MODELS: usize = 1024;
/// Digits of a telephone number and of its country code.
const NUMBER: RangeInclusive<usize> = 6..=15;
const COUNTRY_CODE: RangeInclusive<usize> = 1..=4;
const UNIDENTIFIABLE: &str = "needs a name, an address or a telephone number";

/// GET api/v1/users/contacts.
pub(super) async fn list(State(app): State<App>, Caller(caller): Caller) -> Result<Json<Vec<ContactWrapper>>> {
    let rows = store::contacts::all(&app.db, caller.user_id).await?;
    Ok(Json(rows.into_iter().map(ContactWrapper::from).collect()))
}

/// POST api/v1/users/contacts.
pub(super) async fn create(
    State(app): State<App>,
    Caller(caller): Caller,
    Body(body): Body,
) -> Result<(StatusCode, Json<ContactWrapper>)> {
    let change = read(&members(&body)?, &Contact::default())?;
    let row = app.contacts().create(caller.user_id, change).await?;
    Ok((StatusCode::CREATED, Json(row.into())))
}

/// GET api/v1/users/contacts/{id}.
pub(super) async fn get(
    State(app): State<App>,
    Caller(caller): Caller,
    Path(id): Path<String>,
) -> Result<Json<ContactWrapper>> {
    let id = key(&id, Error::CONTACT_NOT_FOUND)?;
    let row = store::contacts::find(&app.db, caller.user_id, id).await?;
    Ok(Json(row.ok_or(Error::CONTACT_NOT_FOUND)?.into()))
}

/// PUT api/v1/users/contacts/{id}: missing fields stay, blank and null ones are cleared.
pub(super) async fn update(
    State(app): State<App>,
    Caller(caller): Caller,
    Path(id): Path<String>,
    Body(body): Body,
) -> Result<Json<ContactWrapper>> {
    let id = key(&id, Error::CONTACT_NOT_FOUND)?;
    let members = members(&body)?;
    let row = store::contacts::find(&app.db, caller.user_id, id).await?.ok_or(Error::CONTACT_NOT_FOUND)?;
    let row = app.contacts().update(caller.user_id, id, read(&members, &row.contact)?).await?;
    Ok(Json(row.into()))
}

/// DELETE api/v1/users/contacts/{id}.
pub(super) async fn delete(
    State(app): State<App>,
    Caller(caller): Caller,
    Path(id): Path<String>,
) -> Result<StatusCode> {
    let id = key(&id, Error::CONTACT_NOT_FOUND)?;
    app.contacts().delete(caller.user_id, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The members of `contact` with their names in snake_case; a widespread client sends camelCase.
fn members(body: &Map<String, Value>) -> Result<Map<String, Value>> {
    match body.get("contact") {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(members)) => {
            Ok(members.iter().map(|(name, value)| (snake_case(name), value.clone())).collect())
        }
        Some(_) => Err(Error::invalid("contact", "is not an object")),
    }
}

fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 2);
    for character in name.chars() {
        if character.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(character.to_ascii_lowercase());
    }
    snake
}

/// Reads the change of a contact. `before` is the contact that it changes; only the rule that a contact needs a name depends
/// on it.
fn read(members: &Map<String, Value>, before: &Contact) -> Result<ContactChange> {
    let mut form = Form::of(members);
    let mut text = |name, max| form.has(name).then(|| form.line(name, max).map(|line| line.trim().to_owned()));
    let mut change = ContactChange {
        display_name: text("display_name", TEXT),
        firstname: text("firstname", TEXT),
        lastname: text("lastname", TEXT),
        email: text("email", TEXT),
        street_address: text("street_address", TEXT),
        zip_code: text("zip_code", TEXT),
        country: text("country", TEXT),
        ..ContactChange::default()
    };
    change.notes = form.has("notes").then(|| form.text("notes", NOTES).map(|text| text.trim().to_owned()));
    let email = change.email.as_ref().unwrap_or(&before.email);
    if email.as_deref().is_some_and(|email| !is_email(email)) {
        form.refuse("email", "is invalid");
    }
    change.phone_country_code = digits(&mut form, "phone_country_code", COUNTRY_CODE);
    change.phone_number = digits(&mut form, "phone_number", NUMBER);
    change.email_notification = flag(&mut form, "email_notification");
    change.sms_notification = flag(&mut form, "sms_notification");
    change.push_notification = flag(&mut form, "push_notification");
    if form.has("oem_models") {
        change.oem_models = Some(form.list("oem_models", MODELS).map(|models| models.join(",")));
    }
    if form.has("metadata") {
        let metadata = form.value("metadata").map(Value::to_string);
        if metadata.as_ref().is_some_and(|metadata| metadata.len() > METADATA) {
            form.refuse("metadata", format!("is too long (max: {METADATA} bytes)"));
        }
        change.metadata = Some(metadata);
    }
    if !change.clone().apply(before.clone()).is_identifiable() {
        form.refuse("base", UNIDENTIFIABLE);
    }
    form.check()?;
    Ok(change)
}

/// Digits, without a leading `+`. `None` if the field is missing.
fn digits(form: &mut Form<'_>, name: &'static str, count: RangeInclusive<usize>) -> Option<Option<String>> {
    if !form.has(name) {
        return None;
    }
    let digits = form.text(name, TEXT).map(|text| {
        let text = text.trim();
        text.strip_prefix('+').unwrap_or(text).to_owned()
    });
    let fits = |digits: &str| count.contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    if digits.as_deref().is_some_and(|digits| !fits(digits)) {
        form.refuse(name, format!("is not {} to {} digits", count.start(), count.end()));
    }
    Some(digits)
}

/// A boolean, false if it is null. `None` if the field is missing.
fn flag(form: &mut Form<'_>, name: &'static str) -> Option<bool> {
    if !form.has(name) {
        return None;
    }
    match form.value(name) {
        None => Some(false),
        Some(Value::Bool(value)) => Some(*value),
        Some(_) => {
            form.refuse(name, "is not true or false");
            None
        }
    }
}

impl From<ContactError> for Error {
    fn from(error: ContactError) -> Self {
        match error {
            ContactError::NotFound => Self::CONTACT_NOT_FOUND,
            ContactError::TooMany => Self::invalid("base", format!("has too many contacts (max: {MAX_CONTACTS})")),
            ContactError::Unidentifiable => Self::invalid("base", UNIDENTIFIABLE),
            ContactError::Database(error) => error.into(),
        }
    }
}
