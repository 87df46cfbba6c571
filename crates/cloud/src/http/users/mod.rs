//! User service: the caller's account, and the requests that need no session (docs/wire.md#users).

mod account;
mod confirmation;
mod email;
mod password;
mod session;
mod sign_in;

pub(super) use account::{change, delete, get_user_profile};
pub(super) use confirmation::{confirm, resend_confirmation};
pub(super) use email::update_email;
pub(super) use password::{request_reset, reset};
pub(super) use session::{refresh_token, sign_out};
pub(super) use sign_in::{sign_in, token_sign_in};

use serde_json::{Map, Value};

use super::error::Result;
use super::form::Form;
use super::query::Query;
use crate::mail::AccountMail;
use crate::records::message::MessageKind;
use crate::store::users::Addressee;

/// The longest token, in characters.
const TOKEN: usize = 255;
/// The longest name of a template, in characters.
const TEMPLATE: usize = 255;

/// Some members may stand in the query as well.
fn from_query(name: &str, query: &Query, body: &mut Map<String, Value>) {
    if let Some(value) = query.get(name) {
        body.insert(name.to_owned(), value.into());
    }
}

/// The template that the caller wants for a mail.
fn email_template_id(query: &Query, body: &mut Map<String, Value>) -> Result<Option<String>> {
    const NAME: &str = "email_template_id";
    from_query(NAME, query, body);
    let mut form = Form::of(body);
    let id = form.text(NAME, TEMPLATE).map(str::to_owned);
    form.check()?;
    Ok(id)
}

/// A mail to this user.
fn mail<'a>(
    kind: MessageKind,
    to: &'a Addressee,
    token: Option<&'a str>,
    email_template_id: Option<&'a str>,
) -> AccountMail<'a> {
    let Addressee { id, oem_id, email } = to;
    AccountMail { kind, oem_id: *oem_id, user_id: Some(*id), recipient: email, token, email_template_id }
}
