//! Reads the recipients of notifications and triggers.

use super::form::Form;
use super::user_fields::{EMAIL, is_email};
use crate::messages::sms::PhoneNumber;
use crate::records::message::Channel;

/// Maximum length of a channel's name, in characters.
const CHANNEL: usize = 32;
/// Maximum lengths of a country code and a number, in characters. They may contain separators.
const CODE: usize = 8;
const NUMBER: usize = 40;

/// The channel: e-mail or text message.
pub(super) fn channel(form: &mut Form<'_>, field: &'static str) -> Option<Channel> {
    let name = form.required(field, CHANNEL);
    let channel = Channel::find(name);
    if channel.is_none() && !name.is_empty() {
        form.refuse(field, "is not email or sms");
    }
    channel
}

/// An e-mail address, trimmed.
pub(super) fn email(form: &mut Form<'_>, field: &'static str) -> Option<String> {
    let email = form.required(field, EMAIL).trim();
    if !email.is_empty() && !is_email(email) {
        form.refuse(field, "is invalid");
    }
    Some(email.to_owned())
}

/// A country code, and a number in that country.
pub(super) fn phone(form: &mut Form<'_>, code: &'static str, number: &'static str) -> [Option<String>; 2] {
    let (country, local) = (form.required(code, CODE).trim(), form.required(number, NUMBER).trim());
    if !country.is_empty() && !local.is_empty() && PhoneNumber::new(country, local).is_none() {
        form.refuse(number, "is not a telephone number");
    }
    [country, local].map(|text| Some(text.to_owned()))
}
