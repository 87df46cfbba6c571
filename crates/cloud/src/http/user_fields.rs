//! The fields of a user's record, with the same rules for users who edit their own and for administrators.

use secrecy::SecretString;

use super::form::Form;
use crate::domain::password;
use crate::store::profiles::Field;

/// Maximum length of an e-mail address, in characters.
pub(super) const EMAIL: usize = 255;
/// Maximum length of a text of a profile, in characters.
const TEXT: usize = 255;
/// Applications store whole documents there (docs/wire.md#users).
const COMPANY: usize = 16 * 1024;
const INVALID: &str = "is invalid";
const BLANK: &str = "can't be blank";

/// The columns of a profile, their maximum lengths, and whether they are required.
const PROFILE: [(&str, usize, bool); 11] = [
    ("firstname", TEXT, true),
    ("lastname", TEXT, true),
    ("company", COMPANY, false),
    ("street", TEXT, false),
    ("city", TEXT, false),
    ("state", TEXT, false),
    ("zip", TEXT, false),
    ("country", TEXT, false),
    ("phone_country_code", TEXT, false),
    ("phone", TEXT, false),
    ("ayla_dev_kit_num", TEXT, false),
];

/// The required e-mail address.
pub(super) fn email(form: &mut Form<'_>) -> String {
    let email = form.required("email", EMAIL).trim();
    if !email.is_empty() && !is_email(email) {
        form.refuse("email", INVALID);
    }
    email.to_owned()
}

/// A required new password that follows the rules.
pub(super) fn new_password(form: &mut Form<'_>, field: &'static str) -> SecretString {
    let password = form.required(field, password::MAX_LENGTH);
    if !password.is_empty() {
        password::broken_rules(password).for_each(|rule| form.refuse(field, rule));
    }
    password.into()
}

/// The given members of a profile. A blank member is cleared unless it is required.
pub(super) fn profile(form: &mut Form<'_>) -> Vec<Field> {
    let mut fields = Vec::new();
    for (name, max, required) in PROFILE {
        if !form.has(name) {
            continue;
        }
        let text = match (name, required) {
            ("company", _) => form.text(name, max).map(str::to_owned),
            (_, true) => Some(form.required_line(name, max)),
            (_, false) => form.line(name, max),
        };
        fields.push((name, text));
    }
    fields
}

/// The members of a new profile.
pub(super) fn new_profile(form: &mut Form<'_>) -> Vec<Field> {
    for (name, _, required) in PROFILE {
        if required && !form.has(name) {
            form.refuse(name, BLANK);
        }
    }
    profile(form)
}

/// Whether a trimmed text has one `@` with text on both sides, and no blanks.
pub(super) fn is_email(text: &str) -> bool {
    let both = text.split_once('@').is_some_and(|(name, host)| !name.is_empty() && !host.is_empty());
    both && text.matches('@').count() == 1 && !text.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn address_has_one_at_sign_with_text_on_both_sides_and_no_blanks() {
        for (text, expected) in [
            ("a@b", true),
            ("jo+x@example.com", true),
            ("é@例え.jp", true),
            ("a", false),
            ("@b", false),
            ("a@", false),
            ("a@b@c", false),
            ("a b@c", false),
            ("a@b\tc", false),
        ] {
            assert_eq!(is_email(text), expected, "{text}");
        }
    }

    #[test]
    fn blank_members_are_cleared_and_missing_ones_stay() {
        let body = json!({ "firstname": "Jo", "company": "{\"a\": [1]}", "phone": "", "city": null, "unknown": 1 });
        let mut form = Form::of(body.as_object().unwrap());
        let expected = [
            ("firstname", Some("Jo".to_owned())),
            ("company", Some("{\"a\": [1]}".to_owned())),
            ("city", None),
            ("phone", None),
        ];
        assert_eq!(profile(&mut form), expected);
        assert!(form.check().is_ok());
    }

    #[test]
    fn first_and_last_name_are_required() {
        for (body, good) in [
            (json!({ "firstname": " " }), false),
            (json!({ "lastname": null }), false),
            (json!({ "firstname": 7 }), false),
            (json!({ "firstname": "x".repeat(256) }), false),
            (json!({ "company": "x".repeat(COMPANY + 1) }), false),
            (json!({}), true),
        ] {
            let mut form = Form::of(body.as_object().unwrap());
            profile(&mut form);
            assert_eq!(form.check().is_ok(), good, "{body}");
            let mut form = Form::of(body.as_object().unwrap());
            new_profile(&mut form);
            assert!(form.check().is_err(), "{body}");
        }
    }
}
