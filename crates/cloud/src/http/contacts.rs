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
use crate::store;
use crate::store::contacts::Contact;
use crate::wire::contact::ContactWrapper;

/// The most contacts of a user: a list carries all of them.
const MOST: i64 = 500;
/// Bounds of the fields, in characters.
const TEXT: usize = 255;
const NOTES: usize = 4 * 1024;
const METADATA: usize = 4 * 1024;
const MODELS: usize = 1024;
/// Digits of a telephone number, and of the country's code before it.
const NUMBER: RangeInclusive<usize> = 6..=15;
const COUNTRY_CODE: RangeInclusive<usize> = 1..=4;

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
    let contact = changed(Contact::default(), &members(&body)?)?;
    let mut tx = app.db.begin().await?;
    store::users::lock_rows(&mut tx, caller.user_id).await?;
    if store::contacts::count(&mut tx, caller.user_id).await? >= MOST {
        return Err(Error::invalid("base", format!("has too many contacts (max: {MOST})")));
    }
    let row = store::contacts::insert(&mut tx, caller.user_id, &contact, app.clock.now()).await?;
    tx.commit().await?;
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

/// PUT api/v1/users/contacts/{id}: what is not named stays, what is blank or null is cleared.
pub(super) async fn update(
    State(app): State<App>,
    Caller(caller): Caller,
    Path(id): Path<String>,
    Body(body): Body,
) -> Result<Json<ContactWrapper>> {
    let id = key(&id, Error::CONTACT_NOT_FOUND)?;
    let members = members(&body)?;
    let mut tx = app.db.begin().await?;
    let row = store::contacts::lock_rows(&mut tx, caller.user_id, id).await?.ok_or(Error::CONTACT_NOT_FOUND)?;
    let contact = changed(row.contact, &members)?;
    let row = store::contacts::update(&mut tx, id, &contact, app.clock.now()).await?;
    tx.commit().await?;
    Ok(Json(row.into()))
}

/// DELETE api/v1/users/contacts/{id}.
pub(super) async fn delete(
    State(app): State<App>,
    Caller(caller): Caller,
    Path(id): Path<String>,
) -> Result<StatusCode> {
    let id = key(&id, Error::CONTACT_NOT_FOUND)?;
    let deleted = store::contacts::delete(&app.db, caller.user_id, id).await?;
    if deleted { Ok(StatusCode::NO_CONTENT) } else { Err(Error::CONTACT_NOT_FOUND) }
}

/// The members of `contact` in snake_case, however they come: a widespread client sends camelCase.
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

/// The contact with what the members say.
fn changed(mut contact: Contact, members: &Map<String, Value>) -> Result<Contact> {
    let mut form = Form::of(members);
    let texts = [
        ("display_name", TEXT, &mut contact.display_name),
        ("firstname", TEXT, &mut contact.firstname),
        ("lastname", TEXT, &mut contact.lastname),
        ("email", TEXT, &mut contact.email),
        ("street_address", TEXT, &mut contact.street_address),
        ("zip_code", TEXT, &mut contact.zip_code),
        ("country", TEXT, &mut contact.country),
        ("notes", NOTES, &mut contact.notes),
    ];
    for (name, max, text) in texts {
        if form.has(name) {
            *text = form.text(name, max).map(|text| text.trim().to_owned());
        }
    }
    if contact.email.as_deref().is_some_and(|email| !is_email(email)) {
        form.refuse("email", "is invalid");
    }
    digits(&mut form, "phone_country_code", &mut contact.phone_country_code, COUNTRY_CODE);
    digits(&mut form, "phone_number", &mut contact.phone_number, NUMBER);
    flag(&mut form, "email_notification", &mut contact.email_notification);
    flag(&mut form, "sms_notification", &mut contact.sms_notification);
    flag(&mut form, "push_notification", &mut contact.push_notification);
    if form.has("oem_models") {
        contact.oem_models = form.list("oem_models", MODELS).map(|models| models.join(","));
    }
    if form.has("metadata") {
        contact.metadata = form.value("metadata").map(Value::to_string);
        if contact.metadata.as_ref().is_some_and(|metadata| metadata.len() > METADATA) {
            form.refuse("metadata", format!("is too long (max: {METADATA} bytes)"));
        }
    }
    let Contact { display_name, firstname, lastname, email, phone_number, .. } = &contact;
    if [display_name, firstname, lastname, email, phone_number].iter().all(|text| text.is_none()) {
        form.refuse("base", "needs a name, an address or a telephone number");
    }
    form.check()?;
    Ok(contact)
}

/// Digits, of which a leading `+` is dropped.
fn digits(form: &mut Form<'_>, name: &'static str, digits: &mut Option<String>, count: RangeInclusive<usize>) {
    if !form.has(name) {
        return;
    }
    *digits = form.text(name, TEXT).map(|text| {
        let text = text.trim();
        text.strip_prefix('+').unwrap_or(text).to_owned()
    });
    let fits = |digits: &str| count.contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    if digits.as_deref().is_some_and(|digits| !fits(digits)) {
        form.refuse(name, format!("is not {} to {} digits", count.start(), count.end()));
    }
}

fn flag(form: &mut Form<'_>, name: &'static str, flag: &mut bool) {
    if !form.has(name) {
        return;
    }
    match form.value(name) {
        None => *flag = false,
        Some(Value::Bool(value)) => *flag = *value,
        Some(_) => form.refuse(name, "is not true or false"),
    }
}
