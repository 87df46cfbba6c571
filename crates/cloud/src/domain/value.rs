//! Typed values of properties (docs/wire.md#properties).

use std::ops::RangeInclusive;

use serde_json::{Number, Value};

use super::pattern::Pattern;
use super::report_fault::FaultKind;

const OUT_OF_RANGE: &str = "is out of range";
const NOT_IN_FORM: &str = "is not in the required form";
const TOO_LONG: &str = "is too long (max: 1024 bytes)";
const NOT_PLAIN: &str = "has a character that is not allowed";
/// Maximum length of a text in bytes.
const MAX_TEXT: usize = 1024;
/// A number of so many digits is exact as a 64-bit float.
const MAX_EXACT_DIGITS: usize = 15;

/// `base_type` of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseType {
    /// 0 or 1.
    Boolean,
    /// 32-bit signed integer.
    Integer,
    /// Two decimal places.
    Decimal,
    /// Up to 1024 bytes of UTF-8, without NUL.
    String,
    /// A file; the value is the location of its datapoint.
    File,
}

/// Who writes a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the device: users write it, the device echoes it.
    Input,
    /// From the device: users only read it.
    Output,
}

/// Limits of a template for the values of a property, in addition to those of its type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// Smallest number.
    pub minimum: Option<f64>,
    /// Largest number.
    pub maximum: Option<f64>,
    /// Pattern of a text.
    pub pattern: Option<Pattern>,
}

impl Limits {
    /// The numbers of the range that are within the limits.
    fn narrow(&self, range: RangeInclusive<f64>) -> RangeInclusive<f64> {
        let low = self.minimum.map_or(*range.start(), |minimum| minimum.max(*range.start()));
        let high = self.maximum.map_or(*range.end(), |maximum| maximum.min(*range.end()));
        low..=high
    }
}

impl BaseType {
    /// As on the wire and in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Decimal => "decimal",
            Self::String => "string",
            Self::File => "file",
        }
    }

    pub(crate) fn from_stored(text: &str) -> Self {
        [Self::Boolean, Self::Integer, Self::Decimal, Self::File]
            .into_iter()
            .find(|base_type| base_type.as_str() == text)
            .unwrap_or(Self::String)
    }

    /// The numbers that values of this type can have.
    pub(crate) fn numbers(self) -> RangeInclusive<f64> {
        if self == Self::Decimal { -21_474_836.48..=21_474_836.47 } else { f64::from(i32::MIN)..=f64::from(i32::MAX) }
    }

    /// Converts a value to this type: numeric texts become numbers, booleans become 0 or 1, decimals are rounded to two
    /// places.
    ///
    /// # Errors
    /// Why the value is rejected, to follow the field's name.
    pub(crate) fn accept(self, value: &Value, limits: &Limits) -> Result<Value, &'static str> {
        if value.is_null() {
            return Err("can't be blank");
        }
        match self {
            Self::Boolean => match value {
                Value::Bool(value) => Ok(u8::from(*value).into()),
                Value::String(text) if text == "true" => Ok(1.into()),
                Value::String(text) if text == "false" => Ok(0.into()),
                _ => match number(value) {
                    Some(0.0) => Ok(0.into()),
                    Some(1.0) => Ok(1.into()),
                    _ => Err("is not 0 or 1"),
                },
            },
            Self::Integer => {
                let number = number(value).filter(|number| number.fract() == 0.0).ok_or("is not an integer")?;
                within(number, self.numbers(), limits)?;
                #[expect(clippy::cast_possible_truncation, reason = "a whole number within the range of i32")]
                let integer = number as i64;
                Ok(integer.into())
            }
            Self::Decimal => {
                let number = number(value).ok_or("is not a number")?;
                let rounded = (number * 100.0).round() / 100.0;
                within(rounded, self.numbers(), limits)?;
                // Adding zero turns -0 into 0.
                Number::from_f64(rounded + 0.0).map(Value::Number).ok_or("is not a number")
            }
            Self::String => match value {
                Value::String(text) if text.len() > MAX_TEXT => Err(TOO_LONG),
                Value::String(text) if !is_plain(text) => Err(NOT_PLAIN),
                Value::String(text) if limits.pattern.as_ref().is_some_and(|pattern| !pattern.matches(text)) => {
                    Err(NOT_IN_FORM)
                }
                Value::String(_) => Ok(value.clone()),
                _ => Err("is not a text"),
            },
            Self::File => Err("comes with the upload of a file"),
        }
    }

    /// Like [`accept`](Self::accept), but rejects numbers and booleans in texts, as strict templates do.
    ///
    /// # Errors
    /// Why the value is rejected, to follow the field's name.
    pub(crate) fn accept_report(self, value: &Value, limits: &Limits) -> Result<Value, &'static str> {
        if value.is_string() && self != Self::String { Err("is a text") } else { self.accept(value, limits) }
    }

    /// Like [`accept`](Self::accept), but only converts a text to a number if the number is exact, and also converts a boolean to
    /// an integer.
    ///
    /// # Errors
    /// Why the value is rejected, to follow the field's name.
    pub(crate) fn convert_report(self, value: &Value, limits: &Limits) -> Result<Value, &'static str> {
        match value {
            Value::Bool(value) if self == Self::Integer => self.accept(&u8::from(*value).into(), limits),
            Value::String(text)
                if self != Self::String && text.bytes().filter(u8::is_ascii_digit).count() > MAX_EXACT_DIGITS =>
            {
                Err("has too many digits")
            }
            _ => self.accept(value, limits),
        }
    }

    /// Adds to the reason for which a value is rejected the limits, or the byte from which on it is wrong. Slow for texts.
    pub(crate) fn explain(self, reason: &str, value: &Value, limits: &Limits) -> String {
        match (reason, value) {
            (OUT_OF_RANGE, _) => {
                let range = limits.narrow(self.numbers());
                format!("{reason} ({} to {})", range.start(), range.end())
            }
            (NOT_IN_FORM, Value::String(text)) => {
                let from = limits.pattern.as_ref().map_or(0, |pattern| pattern.mismatch(text));
                format!("{reason} from byte {} on", from + 1)
            }
            (NOT_PLAIN, Value::String(text)) => {
                let at = text.char_indices().find(|(_, char)| is_control(*char)).map_or(0, |(at, _)| at);
                format!("{reason} (byte {})", at + 1)
            }
            _ => reason.to_owned(),
        }
    }
}

/// The kind of fault for which a value of a report is rejected with this reason.
pub(crate) fn fault_kind(reason: &str) -> FaultKind {
    match reason {
        OUT_OF_RANGE => FaultKind::OutOfRange,
        NOT_IN_FORM | NOT_PLAIN => FaultKind::Malformed,
        TOO_LONG => FaultKind::TooLong,
        _ => FaultKind::WrongType,
    }
}

impl Direction {
    /// As on the wire and in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
        }
    }

    pub(crate) fn from_stored(text: &str) -> Self {
        if text == Self::Input.as_str() { Self::Input } else { Self::Output }
    }
}

/// Whether a text can be stored and shown: PostgreSQL does not accept NUL, and terminals and mail programs interpret other control
/// characters. Texts of several lines have tabs and line breaks.
pub(crate) fn is_plain(text: &str) -> bool {
    !text.contains(is_control)
}

fn is_control(char: char) -> bool {
    char.is_control() && !matches!(char, '\t' | '\n' | '\r')
}

fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) if text.len() <= 32 => text.trim().parse().ok()?,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

fn within(number: f64, range: RangeInclusive<f64>, limits: &Limits) -> Result<(), &'static str> {
    if limits.narrow(range).contains(&number) { Ok(()) } else { Err(OUT_OF_RANGE) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_converted_to_their_base_type_or_rejected() {
        use BaseType::{Boolean, Decimal, Integer, String};
        let none = Err("");
        let table = [
            (Boolean, json!(true), Ok(json!(1))),
            (Boolean, json!(0), Ok(json!(0))),
            (Boolean, json!("1"), Ok(json!(1))),
            (Boolean, json!("false"), Ok(json!(0))),
            (Boolean, json!(2), none.clone()),
            (Boolean, json!("yes"), none.clone()),
            (Integer, json!(30), Ok(json!(30))),
            (Integer, json!("30"), Ok(json!(30))),
            (Integer, json!(30.0), Ok(json!(30))),
            (Integer, json!(-2_147_483_648_i64), Ok(json!(-2_147_483_648_i64))),
            (Integer, json!(2_147_483_647), Ok(json!(2_147_483_647))),
            (Integer, json!(2_147_483_648_i64), none.clone()),
            (Integer, json!(30.5), none.clone()),
            (Integer, json!("not a number"), none.clone()),
            (Integer, json!(""), none.clone()),
            (Integer, json!(true), none.clone()),
            (Integer, json!(null), none.clone()),
            (Integer, json!([1]), none.clone()),
            (Integer, json!({"value": 1}), none.clone()),
            (Decimal, json!(1.005), Ok(json!(1.0))),
            (Decimal, json!(65.353454), Ok(json!(65.35))),
            (Decimal, json!(-0.001), Ok(json!(0.0))),
            (Decimal, json!("12.5"), Ok(json!(12.5))),
            (Decimal, json!(21_474_836.47), Ok(json!(21_474_836.47))),
            (Decimal, json!(21_474_836.48), none.clone()),
            (Decimal, json!(-21_474_836.49), none.clone()),
            (Decimal, json!("NaN"), none.clone()),
            (Decimal, json!("inf"), none.clone()),
            (String, json!(""), Ok(json!(""))),
            (String, json!("é".repeat(512)), Ok(json!("é".repeat(512)))),
            (String, json!("é".repeat(513)), none.clone()),
            (String, json!(5), none.clone()),
            (String, json!("a\0b"), none.clone()),
            (String, json!("a\u{1b}[31m"), none.clone()),
            (BaseType::File, json!("http://example.com/file"), none.clone()),
        ];
        for (base_type, value, expected) in table {
            let accepted = base_type.accept(&value, &Limits::default());
            match expected {
                Ok(expected) => assert_eq!(accepted, Ok(expected), "{base_type:?} {value}"),
                Err(_) => assert!(accepted.is_err(), "{base_type:?} {value}"),
            }
        }
    }

    #[test]
    fn template_limits_narrow_numbers_and_texts() {
        let range = Limits { minimum: Some(1.0), maximum: Some(50.0), pattern: None };
        let form = Limits { pattern: Some("[0-9]+(,[0-9]+)*".parse().unwrap()), ..Limits::default() };
        for (base_type, limits, value, expected) in [
            (BaseType::Integer, &range, json!(0), Err("is out of range")),
            (BaseType::Integer, &range, json!(1), Ok(json!(1))),
            (BaseType::Integer, &range, json!("50"), Ok(json!(50))),
            (BaseType::Integer, &range, json!(51), Err("is out of range")),
            (BaseType::Decimal, &range, json!(50.004), Ok(json!(50.0))),
            (BaseType::Decimal, &range, json!(50.01), Err("is out of range")),
            (BaseType::String, &form, json!("1,20"), Ok(json!("1,20"))),
            (BaseType::String, &form, json!(""), Err("is not in the required form")),
            (BaseType::String, &form, json!("1,20 and junk"), Err("is not in the required form")),
        ] {
            assert_eq!(base_type.accept(&value, limits), expected, "{value}");
        }
    }

    #[test]
    fn reported_texts_are_not_accepted_as_numbers_or_booleans() {
        use BaseType::{Boolean, Decimal, Integer, String};
        for (base_type, value, expected) in [
            (Boolean, json!(true), Ok(json!(1))),
            (Boolean, json!(0), Ok(json!(0))),
            (Boolean, json!("true"), Err("is a text")),
            (Integer, json!(30), Ok(json!(30))),
            (Integer, json!(30.0), Ok(json!(30))),
            (Integer, json!("30"), Err("is a text")),
            (Decimal, json!(1.5), Ok(json!(1.5))),
            (Decimal, json!("1.5"), Err("is a text")),
            (String, json!("30"), Ok(json!("30"))),
            (String, json!(30), Err("is not a text")),
        ] {
            assert_eq!(base_type.accept_report(&value, &Limits::default()), expected, "{base_type:?} {value}");
        }
    }

    #[test]
    fn reported_values_are_converted_if_nothing_is_lost() {
        use BaseType::{Boolean, Decimal, Integer, String};
        let digits = "has too many digits";
        for (base_type, value, expected) in [
            (Integer, json!("20"), Ok(json!(20))),
            (Integer, json!(" 20 "), Ok(json!(20))),
            (Integer, json!("20.0"), Ok(json!(20))),
            (Integer, json!(20.0), Ok(json!(20))),
            (Integer, json!(true), Ok(json!(1))),
            (Integer, json!(false), Ok(json!(0))),
            (Integer, json!("20.5"), Err("is not an integer")),
            (Integer, json!("20.0000000000000001"), Err(digits)),
            (Integer, json!("true"), Err("is not an integer")),
            (Integer, json!("20 %"), Err("is not an integer")),
            (Integer, json!("0x14"), Err("is not an integer")),
            (Integer, json!(""), Err("is not an integer")),
            (Decimal, json!("1.25"), Ok(json!(1.25))),
            (Decimal, json!("1,25"), Err("is not a number")),
            (Decimal, json!("nan"), Err("is not a number")),
            (Decimal, json!(true), Err("is not a number")),
            (Boolean, json!("1"), Ok(json!(1))),
            (Boolean, json!("false"), Ok(json!(0))),
            (Boolean, json!(2), Err("is not 0 or 1")),
            (String, json!("20"), Ok(json!("20"))),
            (String, json!(20), Err("is not a text")),
        ] {
            assert_eq!(base_type.convert_report(&value, &Limits::default()), expected, "{base_type:?} {value}");
        }
    }

    #[test]
    fn rejected_report_names_the_limits_or_the_byte() {
        use FaultKind::{Malformed, OutOfRange, TooLong, WrongType};
        let range = Limits { minimum: Some(1.0), maximum: Some(50.0), pattern: None };
        let form = Limits { pattern: Some("[0-9]+(,[0-9]+)*".parse().unwrap()), ..Limits::default() };
        let (long, too_long) = (json!("x".repeat(1025)), "is too long (max: 1024 bytes)");
        for (base_type, limits, value, expected, kind) in [
            (BaseType::Integer, &range, json!(1.5), "is not an integer", WrongType),
            (BaseType::String, &form, long, too_long, TooLong),
            (BaseType::Integer, &range, json!(51), "is out of range (1 to 50)", OutOfRange),
            (
                BaseType::Decimal,
                &Limits::default(),
                json!(1e9),
                "is out of range (-21474836.48 to 21474836.47)",
                OutOfRange,
            ),
            (BaseType::String, &form, json!("1,20,x"), "is not in the required form from byte 6 on", Malformed),
            (BaseType::String, &form, json!("1,"), "is not in the required form from byte 3 on", Malformed),
            (BaseType::String, &form, json!(""), "is not in the required form from byte 1 on", Malformed),
            (
                BaseType::String,
                &Limits::default(),
                json!("é\0"),
                "has a character that is not allowed (byte 3)",
                Malformed,
            ),
        ] {
            let reason = base_type.accept_report(&value, limits).unwrap_err();
            assert_eq!((base_type.explain(reason, &value, limits), fault_kind(reason)), (expected.to_owned(), kind));
        }
    }

    #[test]
    fn types_and_directions_round_trip_through_their_text() {
        for base_type in [BaseType::Boolean, BaseType::Integer, BaseType::Decimal, BaseType::String, BaseType::File] {
            assert_eq!(BaseType::from_stored(base_type.as_str()), base_type);
        }
        for direction in [Direction::Input, Direction::Output] {
            assert_eq!(Direction::from_stored(direction.as_str()), direction);
        }
    }
}
