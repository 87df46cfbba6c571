//! Reads the members of a request's object and gathers what is wrong with them, field by field.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::error::{Error, FieldErrors};

const BLANK: &str = "can't be blank";
/// The longest text that is read as a number, in bytes.
const NUMBER: usize = 32;

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

    /// The object under `wrapper`; no such member is an empty object.
    ///
    /// # Errors
    /// 422 when the member is there and is no object.
    pub(super) fn under(members: &'a Map<String, Value>, wrapper: &'static str) -> Result<Self, Error> {
        match members.get(wrapper) {
            None | Some(Value::Null) => Ok(Self { members: None, errors: FieldErrors::new() }),
            Some(Value::Object(members)) => Ok(Self::of(members)),
            Some(_) => Err(Error::invalid(wrapper, "is not an object")),
        }
    }

    /// The object under `wrapper`, or the object itself: many clients leave wrappers out (docs/wire.md#requests).
    ///
    /// # Errors
    /// 422 when the member is there and is no object.
    pub(super) fn under_or_bare(members: &'a Map<String, Value>, wrapper: &'static str) -> Result<Self, Error> {
        if members.get(wrapper).is_some_and(|member| !member.is_null()) {
            Self::under(members, wrapper)
        } else {
            Ok(Self::of(members))
        }
    }

    /// The object in this one, or this one itself, to be checked apart.
    pub(super) fn inner(&self, wrapper: &str) -> Self {
        let inner = self.value(wrapper).and_then(Value::as_object);
        Self { members: inner.or(self.members), errors: FieldErrors::new() }
    }

    /// A member as it is; `None` when it is missing or null.
    pub(super) fn value(&self, field: &str) -> Option<&'a Value> {
        self.members?.get(field).filter(|value| !value.is_null())
    }

    /// Whether there is such a member, null or not.
    pub(super) fn has(&self, field: &str) -> bool {
        self.members.is_some_and(|members| members.contains_key(field))
    }

    /// A text of at most `max` characters; `None` when it is missing, null or blank.
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
        if text.contains('\0') {
            self.refuse(field, "has a character that is not allowed");
            return None;
        }
        Some(text)
    }

    /// A text that has to be there; empty when it is not, and then [`check`](Self::check) fails.
    pub(super) fn required(&mut self, field: &'static str, max: usize) -> &'a str {
        let text = self.text(field, max);
        if text.is_none() && !self.errors.contains_key(field) {
            self.refuse(field, BLANK);
        }
        text.unwrap_or_default()
    }

    /// A text that has to be there but may be blank; empty when it is not, and then [`check`](Self::check) fails.
    pub(super) fn any_text(&mut self, field: &'static str, max: usize) -> &'a str {
        match self.value(field) {
            Some(Value::String(text)) if text.trim().is_empty() && fits(text, max) => text,
            _ => self.required(field, max),
        }
    }

    /// A number within `range` that has to be there, perhaps as a text; 0 when it is not, and then [`check`](Self::check)
    /// fails.
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

    /// A whole number within `range`, perhaps as a text; `None` when it is missing, null or blank.
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

    /// Refuses members that say what the cloud does not do: it would be wrong to take them and to forget them.
    pub(super) fn unsupported(&mut self, fields: &[&'static str]) {
        for field in fields {
            if self.value(field).is_some_and(|value| value != "") {
                self.refuse(field, "is not supported");
            }
        }
    }

    /// True or false; `None` when it is missing or null.
    pub(super) fn flag(&mut self, field: &'static str) -> Option<bool> {
        let flag = match self.value(field)? {
            Value::Bool(flag) => Some(*flag),
            // As a form has it.
            Value::String(text) => text.parse().ok(),
            _ => None,
        };
        if flag.is_none() {
            self.refuse(field, "is not true or false");
        }
        flag
    }

    /// A list of texts, each once, as an array or with commas; `None` when it is missing, null or blank.
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
        if items.iter().any(|item| item.contains(['\0', ','])) {
            self.refuse(field, "has a character that is not allowed");
            return None;
        }
        let mut seen = HashSet::new();
        let items: Vec<&str> = items.into_iter().filter(|item| seen.insert(*item)).collect();
        (!items.is_empty()).then_some(items)
    }

    /// Notes that `field` is wrong.
    pub(super) fn refuse(&mut self, field: &'static str, text: impl Into<String>) {
        self.errors.entry(field).or_default().push(text.into());
    }

    /// # Errors
    /// 422 with all that is wrong.
    pub(super) fn check(self) -> Result<(), Error> {
        if self.errors.is_empty() { Ok(()) } else { Err(Error::Invalid(self.errors)) }
    }
}

/// Whether a text has at most `max` characters, as people count them who fill in a form.
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
    fn a_text_is_checked_for_type_length_and_content() {
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
        ];
        for (body, fits) in table {
            let errors = read(body.clone(), |form| {
                form.text("name", 4);
            });
            assert_eq!(errors.is_empty(), fits, "{body}");
        }
    }

    #[test]
    fn what_is_required_is_missed_once() {
        let errors = read(json!({"name": 7}), |form| {
            form.required("name", 4);
            form.required("other", 4);
        });
        assert_eq!(errors["name"], ["is not a text"]);
        assert_eq!(errors["other"], [BLANK]);
    }

    #[test]
    fn any_text_may_be_blank_but_must_be_there() {
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
    fn a_number_comes_as_number_or_text_and_within_its_range() {
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
    fn a_whole_number_may_be_missing_but_not_wrong() {
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
            let told = errors.get("threshold").map_or(Ok(number), |texts| Err(&*texts[0]));
            assert_eq!(told, expected, "{body}");
        }
    }

    #[test]
    fn what_is_not_supported_may_be_blank() {
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
    fn lists_come_as_arrays_or_with_commas() {
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
    fn a_wrapper_that_is_no_object_is_refused() {
        let body = json!({"user": "text"});
        assert!(Form::under(body.as_object().unwrap(), "user").is_err());
    }
}
