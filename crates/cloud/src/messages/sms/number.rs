//! Phone numbers.

use std::fmt;

/// An international phone number (E.164): `+` and up to 15 digits. Its `Debug` output does not contain the number.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PhoneNumber(String);

/// Number of digits, including the country code.
const DIGITS: std::ops::RangeInclusive<usize> = 7..=15;
/// Number of digits of a country code.
const COUNTRY: std::ops::RangeInclusive<usize> = 1..=3;

impl PhoneNumber {
    /// A number from a country code such as `33`, `+33` or `0033` and a national number without its trunk prefix (such
    /// as the leading 0 in France). Both may contain blanks, dots, hyphens, slashes and brackets. `None` for an invalid
    /// number.
    #[must_use]
    pub fn new(country_code: &str, number: &str) -> Option<Self> {
        let country = country_code.trim();
        let country = digits(country.strip_prefix('+').unwrap_or(country))?;
        let country = country.trim_start_matches('0');
        let whole = format!("{country}{}", digits(number)?);
        (COUNTRY.contains(&country.len()) && DIGITS.contains(&whole.len())).then(|| Self(format!("+{whole}")))
    }

    /// Parses an international number with its `+`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let whole = digits(text.trim().strip_prefix('+')?)?;
        (DIGITS.contains(&whole.len()) && !whole.starts_with('0')).then(|| Self(format!("+{whole}")))
    }

    /// With its `+`, without separators.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PhoneNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PhoneNumber")
    }
}

/// Removes separators.
fn digits(text: &str) -> Option<String> {
    let mut digits = String::new();
    for character in text.chars() {
        match character {
            '0'..='9' => digits.push(character),
            ' ' | '.' | '-' | '/' | '(' | ')' => {}
            _ => return None,
        }
    }
    Some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn country_code_and_number_make_an_international_number() {
        for (country, number, whole) in [
            ("33", "612345678", "+33612345678"),
            ("+33", "6 12 34 56 78", "+33612345678"),
            ("0033", "6.12.34-56/78", "+33612345678"),
            (" 1 ", "(415) 555-0123", "+14155550123"),
            ("225", "0712345678", "+2250712345678"),
            ("423", "1234", "+4231234"),
        ] {
            assert_eq!(PhoneNumber::new(country, number).as_ref().map(PhoneNumber::as_str), Some(whole));
        }
        for (country, number) in [
            ("", "612345678"),
            ("0", "612345678"),
            ("3333", "612345678"),
            ("33", ""),
            ("33", "123"),
            ("33", "+33612345678"),
            ("33", "61234567890123"),
            ("33", "61234567x"),
            ("33", "６12345678"),
            ("+ +33", "612345678"),
            ("33", "612345678\r\nBody=x"),
        ] {
            assert_eq!(PhoneNumber::new(country, number), None, "{country:?} {number:?}");
        }
    }

    #[test]
    fn international_number_requires_a_plus() {
        assert_eq!(PhoneNumber::parse(" +33 6 12 34 56 78").unwrap().as_str(), "+33612345678");
        for text in ["", "+", "33612345678", "+033612345678", "+123456", "+1234567890123456", "ada@example.com"] {
            assert_eq!(PhoneNumber::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn debug_output_contains_no_number() {
        assert_eq!(format!("{:?}", PhoneNumber::new("33", "612345678").unwrap()), "PhoneNumber");
    }
}
