//! To whom a message is to go, as notifications and triggers name them.

use super::form::Form;
use super::user_fields::{EMAIL, is_email};
use crate::records::message::Channel;
use crate::sms::PhoneNumber;

/// The longest name of a way, in characters.
const WAY: usize = 32;
/// The longest code of a country and the longest number, in characters: they may be grouped.
const CODE: usize = 8;
const NUMBER: usize = 40;

/// The way to somebody: by e-mail or by text message.
pub(super) fn way(form: &mut Form<'_>, field: &'static str) -> Option<Channel> {
    let name = form.required(field, WAY);
    let way = Channel::find(name);
    if way.is_none() && !name.is_empty() {
        form.refuse(field, "is not email or sms");
    }
    way
}

/// An address, trimmed.
pub(super) fn email(form: &mut Form<'_>, field: &'static str) -> Option<String> {
    let email = form.required(field, EMAIL).trim();
    if !email.is_empty() && !is_email(email) {
        form.refuse(field, "is invalid");
    }
    Some(email.to_owned())
}

/// The code of a country, and a number in that country.
pub(super) fn phone(form: &mut Form<'_>, code: &'static str, number: &'static str) -> [Option<String>; 2] {
    let (country, local) = (form.required(code, CODE).trim(), form.required(number, NUMBER).trim());
    if !country.is_empty() && !local.is_empty() && PhoneNumber::new(country, local).is_none() {
        form.refuse(number, "is not a telephone number");
    }
    [country, local].map(|text| Some(text.to_owned()))
}
