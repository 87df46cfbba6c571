//! Faults of device messages that do not end the connection (docs/device-link.md#faults).

use platform::one_line::is_invisible;
use serde_json::Value;

/// Maximum length of a quoted value or name in characters.
const MAX_QUOTED: usize = 32;
/// Maximum number of names per device that no property has. Other names are counted together, as [`OTHERS`].
pub(crate) const MAX_UNKNOWN: usize = 32;
pub(crate) const OTHERS: &str = "(others)";
/// The shown name of an empty name. No name of a device contains a parenthesis, see [`shown_name`].
const NO_NAME: &str = "(empty)";

/// Why a part of a message is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum FaultKind {
    /// The device has no property of this name.
    UnknownProperty,
    /// The value has another type than its property or member, or is null.
    WrongType,
    /// A number outside its limits.
    OutOfRange,
    /// A text that is not in the required form.
    Malformed,
    /// A text that is too long.
    TooLong,
    /// A property that the same report contains already.
    Repeated,
    /// Nothing of the message can be read.
    Unreadable,
    /// The clock of the device is off.
    ClockOff,
    /// Connections of the device replace each other: two devices have its dsn and key.
    SharedIdentity,
}

impl FaultKind {
    pub(crate) const ALL: [Self; 9] = [
        Self::UnknownProperty,
        Self::WrongType,
        Self::OutOfRange,
        Self::Malformed,
        Self::TooLong,
        Self::Repeated,
        Self::Unreadable,
        Self::ClockOff,
        Self::SharedIdentity,
    ];

    /// As on the wire, in metrics and in the database.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::UnknownProperty => "unknown_property",
            Self::WrongType => "wrong_type",
            Self::OutOfRange => "out_of_range",
            Self::Malformed => "malformed",
            Self::TooLong => "too_long",
            Self::Repeated => "repeated",
            Self::Unreadable => "unreadable",
            Self::ClockOff => "clock_off",
            Self::SharedIdentity => "shared_identity",
        }
    }

    /// Whether the device sends something that cannot be read.
    pub(crate) fn is_unreadable(self) -> bool {
        !matches!(self, Self::ClockOff | Self::SharedIdentity)
    }
}

/// A part of a message that is not stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReportFault {
    /// A property, a member of the message, the kind of the message, or a [`shown_name`].
    pub(crate) subject: String,
    pub(crate) kind: FaultKind,
    /// The [`shape`] of the value.
    pub(crate) shape: String,
    /// Why it is not stored. Quotes nothing that the device sent, except names of its properties.
    pub(crate) reason: String,
}

/// Shows a name that no property of the device has: at most 32 characters, of which only letters, digits and `._-` are quoted.
pub(crate) fn shown_name(name: &str) -> String {
    if name.is_empty() {
        return NO_NAME.to_owned();
    }
    let is_plain = |char: &char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.');
    name.chars().take(MAX_QUOTED).map(|char| if is_plain(&char) { char } else { '?' }).collect()
}

/// Describes a value by its type and size. Quotes a number, and at most 32 characters of a text if `is_quotable`.
pub(crate) fn shape(value: &Value, is_quotable: bool) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string().chars().take(MAX_QUOTED).collect(),
        Value::String(text) if is_quotable => {
            let quoted: String =
                text.chars().take(MAX_QUOTED).map(|char| if is_invisible(char) { '?' } else { char }).collect();
            let length = text.chars().count();
            if length > MAX_QUOTED {
                format!("text of {length} characters: {quoted}…")
            } else {
                format!("text: {quoted}")
            }
        }
        Value::String(text) => format!("text of {} characters", text.chars().count()),
        Value::Array(_) => "array".to_owned(),
        Value::Object(_) => "object".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn shown_name_is_short_and_plain() {
        for (name, expected) in [
            ("board_temp", "board_temp"),
            ("", "(empty)"),
            ("(others)", "?others?"),
            ("lea@example.com", "lea?example.com"),
            ("a\0b\u{1b}", "a?b?"),
            ("Å", "?"),
            (&*"n".repeat(255), &*"n".repeat(32)),
        ] {
            assert_eq!(shown_name(name), expected, "{name:?}");
        }
    }

    #[test]
    fn shape_quotes_at_most_32_characters() {
        let long = "é".repeat(80);
        let cut = format!("text of 80 characters: {}…", "é".repeat(32));
        for (value, quotable, unknown) in [
            (json!(null), "null", "null"),
            (json!(255), "255", "255"),
            (json!(-1.5), "-1.5", "-1.5"),
            (json!(true), "true", "true"),
            (json!([1, 2]), "array", "array"),
            (json!({"a": 1}), "object", "object"),
            (json!("high"), "text: high", "text of 4 characters"),
            (json!(""), "text: ", "text of 0 characters"),
            (json!("a\0b\u{202e}"), "text: a?b?", "text of 4 characters"),
            (json!(long), &cut, "text of 80 characters"),
        ] {
            assert_eq!((&*shape(&value, true), &*shape(&value, false)), (quotable, unknown), "{value}");
        }
    }
}
