//! Validates the texts of a form. Texts are trimmed; an empty text counts as missing.

use platform::one_line::{Invisible, one_line};

use crate::http::error::{ApiError, ApiResult, FieldErrors};

/// The longest text that the cloud stores, in characters.
const MAX_CHARS: usize = 255;
/// The longest e-mail address (RFC 5321).
pub(crate) const MAX_EMAIL: usize = 254;

/// Collects the errors of a form. Returns placeholders for invalid fields; [`finish`](Self::finish) then fails.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    errors: FieldErrors,
}

impl Rules {
    pub(crate) fn refuse(&mut self, field: &str, text: impl Into<String>) {
        self.errors.insert(field.to_owned(), vec![text.into()]);
    }

    /// Adds several messages for a field.
    pub(crate) fn refuse_for(&mut self, field: &str, texts: Vec<String>) {
        self.errors.insert(field.to_owned(), texts);
    }

    /// Whether this field has an error.
    pub(crate) fn refuses(&self, field: &str) -> bool {
        self.errors.contains_key(field)
    }

    /// The number of fields with an error.
    pub(crate) fn broken(&self) -> usize {
        self.errors.len()
    }

    /// In Unicode's normal form C.
    pub(crate) fn optional(&mut self, field: &str, value: &Option<String>) -> Option<String> {
        let value = value.as_deref().map(str::trim).filter(|value| !value.is_empty())?;
        match one_line(value) {
            Ok(line) => {
                if line.chars().count() > MAX_CHARS {
                    self.refuse(field, format!("Must be at most {MAX_CHARS} characters"));
                }
                return Some(line);
            }
            Err(invisible) if invisible.is_control() => self.refuse(field, "Must be one line of text"),
            Err(Invisible { character, position }) => {
                let text = format!("Character {position} is invisible (U+{:04X}): delete it", u32::from(character));
                self.refuse(field, text);
            }
        }
        Some(value.to_owned())
    }

    pub(crate) fn required(&mut self, field: &str, value: &Option<String>) -> String {
        let value = self.optional(field, value);
        if value.is_none() {
            self.refuse(field, "Required");
        }
        value.unwrap_or_default()
    }

    /// An e-mail address.
    pub(crate) fn email(&mut self, field: &str, value: &Option<String>) -> String {
        let value = self.required(field, value);
        if !self.refuses(field) && value.len() > MAX_EMAIL {
            self.refuse(field, format!("Must be at most {MAX_EMAIL} characters"));
        } else if !self.refuses(field) && !is_email(&value) {
            self.refuse(field, "Must be an email address");
        }
        value
    }

    /// One of the choices, or the value `before`, which stays valid even if it is no longer a choice.
    pub(crate) fn one_of(
        &mut self,
        field: &str,
        value: &Option<String>,
        before: Option<&str>,
        is_choice: impl Fn(&str) -> bool,
    ) -> String {
        let value = self.required(field, value);
        if !self.refuses(field) && before != Some(value.as_str()) && !is_choice(&value) {
            self.refuse(field, "Is not one of the choices");
        }
        value
    }

    /// Returns `fields` if there are no errors.
    ///
    /// # Errors
    /// 422 with every invalid field.
    pub(crate) fn finish<T>(self, fields: T) -> ApiResult<T> {
        if self.errors.is_empty() { Ok(fields) } else { Err(ApiError::Invalid(self.errors)) }
    }
}

/// One `@` with text on both sides, and no whitespace.
fn is_email(text: &str) -> bool {
    let sides = text.split_once('@').is_some_and(|(name, host)| !name.is_empty() && !host.is_empty());
    sides && text.matches('@').count() == 1 && !text.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn email(text: &str) -> Result<String, ApiError> {
        let mut rules = Rules::default();
        let email = rules.email("email", &Some(text.to_owned()));
        rules.finish(email)
    }

    #[test]
    fn address_is_trimmed_and_has_one_at_with_text_on_both_sides() {
        for text in ["jo@example.com", "  jo@example.com\n", "jo+x@büro.example", "a@b"] {
            assert_eq!(email(text).ok().as_deref(), Some(text.trim()), "{text:?}");
        }
        let long = format!("{}@example.com", "x".repeat(243));
        for text in ["", "  ", "jo", "@", "jo@", "@example.com", "a@b@c", "a b@c", "a@b\tc", "a@b\0", &long] {
            assert!(matches!(email(text), Err(ApiError::Invalid(_))), "{text:?}");
        }
    }
}
