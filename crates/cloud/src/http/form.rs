//! Reads the members of a request's object and collects the errors of each field.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use platform::one_line::one_line;
use serde_json::{Map, Value};

use super::error::{Error, FieldErrors};
use crate::domain::value::is_plain;

const BLANK: &str = "can't be blank";
/// Maximum length of a text that is read as a number, in bytes.
const NUMBER: usize = 32;

/// Maximum length of an item of a list, in characters: a name or an address.
const ITEM: usize = 255;

/// An object that is being read. Unknown members are ignored.
pub(super) struct Form<'a> {
    members: Option<&'a Map<String, Value>>,
    errors: FieldErrors,
}

impl<'a> Form<'a> {
    /// The object itself.
    pub(super) fn of(members: &'a Map<String, Value>) -> Self {
        Self { members: Some(members), errors: FieldErrors::new() }
    }

    /// The object under `wrapper`. A missing member is an empty object.
    ///
    /// # Errors
    /// 422 if the member is not an object.
    pub(super) fn under(members: &'a Map<String, Value>, wrapper: &'static str) -> Result<Self, Error> {
        match members.get(wrapper) {
            None | Some(Value::Null) => Ok(Self { members: None, errors: FieldErrors::new() }),
            Some(Value::Object(members)) => Ok(Self::of(members)),
            Some(_) => Err(Error::invalid(wrapper, "is not an object")),
        }
    }

    /// The object under `wrapper`, or the object itself: many clients omit wrappers (docs/wire.md#requests).
    ///
    /// # Errors
    /// 422 if the member is not an object.
    pub(super) fn under_or_bare(members: &'a Map<String, Value>, wrapper: &'static str) -> Result<Self, Error> {
        if members.get(wrapper).is_some_and(|member| !member.is_null()) {
            Self::under(members, wrapper)
        } else {
            Ok(Self::of(members))
        }
    }

    /// The object under `wrapper`, or this object, with separate errors.
    pub(super) fn inner(&self, wrapper: &str) -> Self {
        let inner = self.value(wrapper).and_then(Value::as_object);
        Self { members: inner.or(self.members), errors: FieldErrors::new() }
    }

    /// The raw member; `None` if it is missing or null.
    pub(super) fn value(&self, field: &str) -> Option<&'a Value> {
        self.members?.get(field).filter(|value| !value.is_null())
    }

    /// Whether the member is given, also as null.
    pub(super) fn has(&self, field: &str) -> bool {
        self.members.is_some_and(|members| members.contains_key(field))
    }

    /// A text of at most `max` characters; `None` if it is missing, null or blank.
    pub(super) fn text(&mut self, field: &'static str, max: usize) -> Option<&'a str> {
        let text = match self.value(field)? {
            Value::String(text) => text.as_str(),
            _ => {
                self.refuse(field, "is not a text");
                return None;
            }
        };
        if text.trim().is_empty() {
            return None;
        }
        if !fits(text, max) {
            self.refuse(field, format!("is too long (max: {max} characters)"));
            return None;
        }
        if !is_plain(text) {
            self.refuse(field, "has a character that is not allowed");
            return None;
        }
        Some(text)
    }

    /// A required text. Empty if it is missing; [`check`](Self::check) then fails.
    pub(super) fn required(&mut self, field: &'static str, max: usize) -> &'a str {
        let text = self.text(field, max);
        self.require(field, text)
    }

    /// A text of one line, such as a name, in Unicode's normal form C; `None` if it is missing, null or blank.
    pub(super) fn line(&mut self, field: &'static str, max: usize) -> Option<String> {
        match one_line(self.text(field, max)?) {
            Ok(line) => Some(line),
            Err(invisible) => {
                self.refuse(field, invisible.to_string());
                None
            }
        }
    }

    /// A required text of one line. Empty if it is missing; [`check`](Self::check) then fails.
    pub(super) fn required_line(&mut self, field: &'static str, max: usize) -> String {
        let line = self.line(field, max);
        self.require(field, line)
    }

    fn require<T: Default>(&mut self, field: &'static str, value: Option<T>) -> T {
        if value.is_none() && !self.errors.contains_key(field) {
            self.refuse(field, BLANK);
        }
        value.unwrap_or_default()
    }

    /// A required text that may be blank. Empty if it is missing; [`check`](Self::check) then fails.
    pub(super) fn any_text(&mut self, field: &'static str, max: usize) -> &'a str {
        match self.value(field) {
            Some(Value::String(text)) if text.trim().is_empty() && fits(text, max) => text,
            _ => self.required(field, max),
        }
    }

    /// A required number within `range`, which may be a text. 0 if it is missing; [`check`](Self::check) then fails.
    pub(super) fn number(&mut self, field: &'static str, range: &RangeInclusive<f64>) -> f64 {
        let number = match self.value(field) {
            None => {
                self.refuse(field, BLANK);
                return 0.0;
            }
            Some(Value::Number(number)) => number.as_f64(),
            Some(Value::String(text)) if text.len() <= NUMBER => text.trim().parse().ok(),
            Some(_) => None,
        };
        match number {
            Some(number) if range.contains(&number) => return number,
            Some(number) if number.is_finite() => self.refuse(field, "is out of range"),
            _ => self.refuse(field, "is not a number"),
        }
        0.0
    }

    /// A whole number within `range`, which may be a text; `None` if it is missing, null or blank.
    pub(super) fn whole(&mut self, field: &'static str, range: RangeInclusive<i64>) -> Option<i64> {
        let number = match self.value(field)? {
            Value::Number(number) => number.as_i64(),
            Value::String(text) if text.trim().is_empty() => return None,
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        match number {
            Some(number) if range.contains(&number) => return Some(number),
            Some(_) => self.refuse(field, format!("is not {} to {}", range.start(), range.end())),
            None => self.refuse(field, "is not a whole number"),
        }
        None
    }

    /// Rejects members that the cloud does not implement, instead of ignoring them.
    pub(super) fn unsupported(&mut self, fields: &[&'static str]) {
        for field in fields {
            if self.value(field).is_some_and(|value| value != "") {
                self.refuse(field, "is not supported");
            }
        }
    }

    /// True or false; `None` if it is missing or null.
    pub(super) fn flag(&mut self, field: &'static str) -> Option<bool> {
        let flag = match self.value(field)? {
            Value::Bool(flag) => Some(*flag),
            // In a form-encoded body.
            Value::String(text) => text.parse().ok(),
            _ => None,
        };
        if flag.is_none() {
            self.refuse(field, "is not true or false");
        }
        flag
    }

    /// A list of texts without duplicates, as an array or with commas; `None` if it is missing, null or blank.
    pub(super) fn list(&mut self, field: &'static str, max: usize) -> Option<Vec<&'a str>> {
        let items: Vec<&str> = match self.value(field)? {
            Value::Array(items) if items.iter().all(Value::is_string) => {
                items.iter().filter_map(Value::as_str).collect()
            }
            Value::Array(_) => {
                self.refuse(field, "is not a list of texts");
                return None;
            }
            _ => self.text(field, max)?.split(',').collect(),
        };
        let items: Vec<&str> = items.into_iter().map(str::trim).filter(|item| !item.is_empty()).collect();
        if items.iter().map(|item| item.len() + 1).sum::<usize>() > max + 1 {
            self.refuse(field, format!("is too long (max: {max} bytes)"));
            return None;
        }
        if items.iter().any(|item| !fits(item, ITEM)) {
            self.refuse(field, format!("has an item that is too long (max: {ITEM} characters)"));
            return None;
        }
        if items.iter().any(|item| !is_plain(item) || item.contains(',')) {
            self.refuse(field, "has a character that is not allowed");
            return None;
        }
        let mut seen = HashSet::new();
        let items: Vec<&str> = items.into_iter().filter(|item| seen.insert(*item)).collect();
        (!items.is_empty()).then_some(items)
    }

    /// Records an error of `field`.
    pub(super) fn refuse(&mut self, field: &'static str, text: impl Into<String>) {
        self.errors.entry(field).or_default().push(text.into());
    }

    /// # Errors
    /// 422 with all invalid fields.
    pub(super) fn check(self) -> Result<(), Error> {
        if self.errors.is_empty() { Ok(()) } else { Err(Error::Invalid(self.errors)) }
    }
}

/// Whether a text has at most `max` characters.
pub(super) fn fits(text: &str, max: usize) -> bool {
    text.len() <= max || text.chars().count() <= max
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(body: Value, read: impl FnOnce(&mut Form<'_>)) -> FieldErrors {
        let Value::Object(members) = body else { panic!("an object") };
        let mut form = Form::of(&members);
        read(&mut form);
        form.errors
    }

    #[test]
    fn text_of_wrong_type_length_or_content_is_rejected() {
        let table = [
            (json!({}), true),
            (json!({"name": null}), true),
            (json!({"name": "abcd"}), true),
            (json!({"name": "abcde"}), false),
            (json!({"name": "äß東é"}), true),
            (json!({"name": "äß東é!"}), false),
            (json!({"name": 7}), false),
            (json!({"name": ["a"]}), false),
            (json!({"name": "a\u{0}"}), false),
            (json!({"name": "a\u{1b}["}), false),
            (json!({"name": "a\u{85}"}), false),
            (json!({"name": "a\t\r\n"}), true),
        ];
        for (body, fits) in table {
            let errors = read(body.clone(), |form| {
                form.text("name", 4);
            });
            assert_eq!(errors.is_empty(), fits, "{body}");
        }
    }

    #[test]
    fn line_is_in_normal_form_c_and_has_no_invisible_character() {
        for (given, expected) in [
            ("Zu\u{308}rich", Ok("Zürich")),
            ("a\tb", Err("has an invisible character (U+0009) at position 2")),
            ("a\u{202e}b", Err("has an invisible character (U+202E) at position 2")),
            ("a\u{2028}b", Err("has an invisible character (U+2028) at position 2")),
            ("ab\u{200b}", Err("has an invisible character (U+200B) at position 3")),
            ("a\u{0}", Err("has a character that is not allowed")),
            (" ", Err(BLANK)),
        ] {
            let mut found = String::new();
            let errors = read(json!({"name": given}), |form| found = form.required_line("name", 9));
            match expected {
                Ok(line) => assert!(errors.is_empty() && found == line, "{given:?}: {found:?}"),
                Err(text) => assert_eq!(errors["name"], [text], "{given:?}"),
            }
        }
    }

    #[test]
    fn missing_required_field_has_one_error() {
        let errors = read(json!({"name": 7}), |form| {
            form.required("name", 4);
            form.required("other", 4);
        });
        assert_eq!(errors["name"], ["is not a text"]);
        assert_eq!(errors["other"], [BLANK]);
    }

    #[test]
    fn required_text_may_be_blank_but_not_missing() {
        let table = [
            (json!({"value": ""}), Some("")),
            (json!({"value": "  "}), Some("  ")),
            (json!({"value": "abcd"}), Some("abcd")),
            (json!({"value": "abcde"}), None),
            (json!({"value": "     "}), None),
            (json!({"value": "a\u{0}"}), None),
            (json!({"value": 7}), None),
            (json!({"value": null}), None),
            (json!({}), None),
        ];
        for (body, expected) in table {
            let mut found = String::new();
            let errors = read(body.clone(), |form| found = form.any_text("value", 4).to_owned());
            assert_eq!(errors.is_empty().then_some(&*found), expected, "{body}");
        }
    }

    #[test]
    fn number_within_its_range_is_read_from_number_or_text() {
        let table = [
            (json!({"lat": 48.5}), Some(48.5)),
            (json!({"lat": " -90 "}), Some(-90.0)),
            (json!({"lat": 90}), Some(90.0)),
            (json!({"lat": 90.000_001}), None),
            (json!({"lat": "-90.1"}), None),
            (json!({"lat": "NaN"}), None),
            (json!({"lat": "inf"}), None),
            (json!({"lat": "north"}), None),
            (json!({"lat": "1".repeat(33)}), None),
            (json!({"lat": true}), None),
            (json!({"lat": [1]}), None),
            (json!({"lat": null}), None),
            (json!({}), None),
        ];
        for (body, expected) in table {
            let mut number = None;
            let errors = read(body.clone(), |form| number = Some(form.number("lat", &(-90.0..=90.0))));
            assert_eq!(number.filter(|_| errors.is_empty()), expected, "{body}");
        }
    }

    #[test]
    fn whole_number_may_be_missing_but_not_invalid() {
        let table = [
            (json!({"threshold": 60}), Ok(Some(60))),
            (json!({"threshold": " 60 "}), Ok(Some(60))),
            (json!({"threshold": 0}), Ok(Some(0))),
            (json!({"threshold": ""}), Ok(None)),
            (json!({"threshold": null}), Ok(None)),
            (json!({}), Ok(None)),
            (json!({"threshold": 61}), Err("is not 0 to 60")),
            (json!({"threshold": -1}), Err("is not 0 to 60")),
            (json!({"threshold": 1.5}), Err("is not a whole number")),
            (json!({"threshold": 1e300}), Err("is not a whole number")),
            (json!({"threshold": "soon"}), Err("is not a whole number")),
            (json!({"threshold": [1]}), Err("is not a whole number")),
        ];
        for (body, expected) in table {
            let mut number = None;
            let errors = read(body.clone(), |form| number = form.whole("threshold", 0..=60));
            let result = errors.get("threshold").map_or(Ok(number), |texts| Err(&*texts[0]));
            assert_eq!(result, expected, "{body}");
        }
    }

    #[test]
    fn unsupported_field_may_be_blank() {
        for (body, is_refused) in [
            (json!({"url": ""}), false),
            (json!({"url": null}), false),
            (json!({}), false),
            (json!({"url": "x"}), true),
        ] {
            let errors = read(body.clone(), |form| form.unsupported(&["url"]));
            assert_eq!(errors.contains_key("url"), is_refused, "{body}");
        }
    }

    #[test]
    fn lists_can_be_arrays_or_separated_by_commas() {
        let table = [
            (json!({"dsn": "a, b,,c"}), Some(vec!["a", "b", "c"])),
            (json!({"dsn": ["a", "b"]}), Some(vec!["a", "b"])),
            (json!({"dsn": ["b", "a", " b"]}), Some(vec!["b", "a"])),
            (json!({"dsn": ""}), None),
            (json!({"dsn": []}), None),
            (json!({}), None),
        ];
        for (body, expected) in table {
            let errors = read(body.clone(), |form| assert_eq!(form.list("dsn", 9), expected, "{body}"));
            assert!(errors.is_empty(), "{body}");
        }
        for body in [json!({"dsn": [1]}), json!({"dsn": ["a,b"]}), json!({"dsn": "aaaaaaaaaa"}), json!({"dsn": 5})] {
            let errors = read(body.clone(), |form| assert_eq!(form.list("dsn", 9), None));
            assert!(!errors.is_empty(), "{body}");
        }
    }

    #[test]
    fn wrapper_that_is_not_an_object_is_rejected() {
        let body = json!({"user": "text"});
        assert!(Form::under(body.as_object().unwrap(), "user").is_err());
    }
}
