//! Telephone numbers.

use std::fmt;

use phonenumber::country::Id;
use phonenumber::metadata::DATABASE;
use phonenumber::{Mode, PhoneNumber};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Default country of a telephone number.
pub(super) const DEFAULT_COUNTRY: &str = "US";

/// A telephone number as the cloud stores it. `Debug` hides the number.
#[derive(Clone, Default, Deserialize, Serialize)]
pub(crate) struct Phone {
    /// Digits without leading zeros.
    pub(super) country_code: String,
    pub(super) number: String,
}

/// A telephone number in national format.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct NationalPhone {
    /// Two-letter ISO 3166-1 country code.
    country: String,
    number: String,
}

/// Whether this is the two-letter code of a country with telephone numbers.
pub(super) fn is_country(letters: &str) -> bool {
    country_code(letters).is_some()
}

/// The calling code of the country.
fn country_code(letters: &str) -> Option<u16> {
    letters.parse::<Id>().ok()?;
    Some(DATABASE.by_id(letters)?.country_code())
}

impl Phone {
    /// Parses a number in international or national format. `None` if it is invalid or has an extension, which cannot
    /// receive text messages.
    pub(super) fn read(text: &str, country: &str) -> Option<Self> {
        let international =
            if text.starts_with('+') { text.to_owned() } else { format!("+{}{text}", country_code(country)?) };
        // The second attempt is for numbers that start with the country's own code without a plus.
        let readings = [phonenumber::parse(None, international), phonenumber::parse(country.parse().ok(), text)];
        let number = readings.into_iter().flatten().find(PhoneNumber::is_valid)?;
        if number.extension().is_some() {
            return None;
        }
        Some(Self { country_code: number.code().value().to_string(), number: number.national().to_string() })
    }

    /// With a plus and only digits (C-3-018).
    pub(super) fn international(&self) -> String {
        format!("+{}", self.digits())
    }

    /// Identifies the number regardless of its format.
    pub(super) fn digits(&self) -> String {
        let written = self.country_code.chars().chain(self.number.chars());
        written.filter(char::is_ascii_digit).collect()
    }

    /// `None` if the stored text is not a telephone number.
    pub(super) fn national(&self) -> Option<NationalPhone> {
        let number = phonenumber::parse(None, self.international()).ok().filter(PhoneNumber::is_valid)?;
        let country = match number.country().id() {
            Some(id) => id.as_ref().to_owned(),
            // Some numbers do not identify one of the countries that share a code.
            None => (*DATABASE.region(&number.code().value())?.first()?).to_owned(),
        };
        Some(NationalPhone { country, number: number.format().mode(Mode::National).to_string() })
    }
}

impl fmt::Debug for Phone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Phone").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn read(country: &str, text: &str) -> Option<String> {
        Phone::read(text, country).map(|phone| format!("{} {}", phone.country_code, phone.number))
    }

    #[test]
    fn national_and_international_numbers_are_parsed() {
        let rows = [
            ("US", "4145550100", "1 4145550100"),
            ("US", "(414) 555-0100", "1 4145550100"),
            ("US", "1 (414) 555-0100", "1 4145550100"),
            ("US", "+1 414 555 0100", "1 4145550100"),
            ("NO", "+1 414 555 0100", "1 4145550100"),
            ("CA", "604 555 0123", "1 6045550123"),
            ("GB", "020 7946 0018", "44 2079460018"),
            ("US", "+44 (0)20 7946 0018", "44 2079460018"),
            ("NO", "412 34 567", "47 41234567"),
            ("NO", "4741234567", "47 41234567"),
            ("IT", "06 698 12345", "39 0669812345"),
            // The number begins with the same digits as the country's own code.
            ("KZ", "701 123 4567", "7 7011234567"),
            ("RU", "8 (912) 345-67-89", "7 9123456789"),
            ("AR", "011 15-2345-6789", "54 91123456789"),
            ("AC", "40123", "247 40123"),
        ];
        for (country, text, expected) in rows {
            assert_eq!(read(country, text).as_deref(), Some(expected), "{country} {text}");
        }
    }

    #[test]
    fn invalid_phone_numbers_are_rejected() {
        let rows = [
            ("US", ""),
            ("US", "+"),
            ("US", "abc"),
            ("US", "911"),
            ("US", "555-0100"),
            ("US", "222 222 2222"),
            ("US", "41455501001"),
            ("US", "+999 123 456"),
            ("US", "414 555 0100 ext 5"),
            ("US", "414 555 0100, 414 555 0101"),
            ("US", "<b>4145550100</b>"),
            ("NO", "4145550100"),
            ("XX", "4145550100"),
            ("us", "4145550100"),
        ];
        for (country, text) in rows {
            assert_eq!(read(country, text), None, "{country} {text}");
        }
    }

    #[test]
    fn number_is_formatted_for_its_country() {
        let rows = [
            ("1", "4145550100", Some(("US", "(414) 555-0100"))),
            ("1", "6045550123", Some(("CA", "(604) 555-0123"))),
            ("44", "2079460018", Some(("GB", "020 7946 0018"))),
            ("39", "0669812345", Some(("IT", "06 6981 2345"))),
            ("", "", None),
            ("1", "", None),
            ("x", "hello", None),
        ];
        for (country_code, number, expected) in rows {
            let phone = Phone { country_code: country_code.to_owned(), number: number.to_owned() };
            let national = phone.national();
            let found = national.as_ref().map(|national| (&*national.country, &*national.number));
            assert_eq!(found, expected, "{country_code} {number}");
        }
    }

    #[test]
    fn calling_codes_of_the_web_match_the_server() {
        let path =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/src/features/devices/notifications/calling-codes.json");
        let offered: BTreeMap<String, u16> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let known = DATABASE.iter().map(|country| (country.id().to_owned(), country.country_code()));
        assert_eq!(offered, known.filter(|(letters, _)| is_country(letters)).collect());
    }

    proptest! {
        #[test]
        fn arbitrary_input_does_not_panic(text in "\\PC{0,40}", country in "[A-Z]{2}") {
            if let Some(phone) = Phone::read(&text, &country) {
                prop_assert!(phone.national().is_some());
                prop_assert_eq!(Phone::read(&phone.international(), &country).map(|it| it.digits()), Some(phone.digits()));
            }
        }

        #[test]
        fn formatted_number_parses_to_the_same_number(text in "[0-9 +()-]{5,15}", country in prop::sample::select(vec!["US", "GB", "IT", "KZ", "AR", "DE"])) {
            if let Some(phone) = Phone::read(&text, country) {
                prop_assert_eq!(Phone::read(&phone.international(), country).map(|it| it.digits()), Some(phone.digits()));
            }
        }
    }
}
