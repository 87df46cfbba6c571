//! User service: the caller's account, and the requests that need no session (docs/wire.md#users).

mod account;
mod confirmation;
mod email;
mod password;
mod session;
mod sign_in;

pub(super) use account::{change, delete, get_user_profile};
pub(super) use confirmation::{confirm, resend_confirmation};
pub(super) use email::{cancel_email_change, update_email};
pub(super) use password::{request_reset, reset};
pub(super) use session::{refresh_token, sign_out};
pub(super) use sign_in::{sign_in, token_sign_in};

use serde_json::{Map, Value};

use super::error::Result;
use super::form::Form;
use super::query::Query;

/// Maximum length of a token, in characters.
const TOKEN: usize = 255;
/// Maximum length of the name of a template, in characters.
const TEMPLATE: usize = 255;

/// Copies a query parameter into the body: some fields may be sent either way.
fn from_query(name: &str, query: &Query, body: &mut Map<String, Value>) {
    if let Some(value) = query.get(name) {
        body.insert(name.to_owned(), value.into());
    }
}

/// The mail template that the caller names.
fn email_template_id(query: &Query, body: &mut Map<String, Value>) -> Result<Option<String>> {
    const NAME: &str = "email_template_id";
    from_query(NAME, query, body);
    let mut form = Form::of(body);
    let id = form.text(NAME, TEMPLATE).map(str::to_owned);
    form.check()?;
    Ok(id)
}
