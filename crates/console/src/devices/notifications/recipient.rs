//! Recipients of notifications.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::phone::Phone;
use crate::secrets::opaque_ids::OpaqueIds;
use crate::texts::folding::fold_case;

/// How a recipient is notified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = NotificationMethod)]
pub(crate) enum Method {
    Sms,
    Email,
}

/// A recipient. `Debug` hides the address.
#[derive(Clone, Deserialize, Serialize)]
pub(crate) enum Recipient {
    Email(String),
    Sms(Phone),
}

impl Method {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sms => "sms",
            Self::Email => "email",
        }
    }
}

impl Recipient {
    pub(super) fn method(&self) -> Method {
        match self {
            Self::Email(_) => Method::Email,
            Self::Sms(_) => Method::Sms,
        }
    }

    /// For display: a telephone number has a leading plus (C-3-018).
    pub(super) fn display(&self) -> String {
        match self {
            Self::Email(address) => address.clone(),
            Self::Sms(phone) => phone.international(),
        }
    }

    /// The id of this recipient's row on the device, which does not reveal the recipient.
    pub(super) fn row_id(&self, ids: &OpaqueIds, dsn: &str) -> String {
        ids.of(&["notification", dsn, &self.identity()])
    }

    /// Equal for equal recipients: addresses compare in any case, numbers by their digits.
    pub(super) fn identity(&self) -> String {
        match self {
            Self::Email(address) => format!("email {}", fold_case(address.trim())),
            Self::Sms(phone) => format!("sms {}", phone.digits()),
        }
    }
}

impl PartialEq for Recipient {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for Recipient {}

impl fmt::Debug for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recipient({})", self.method().name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sms(country_code: &str, number: &str) -> Recipient {
        Recipient::Sms(Phone { country_code: country_code.to_owned(), number: number.to_owned() })
    }

    fn email(address: &str) -> Recipient {
        Recipient::Email(address.to_owned())
    }

    #[test]
    fn sms_recipient_is_displayed_with_a_plus() {
        assert_eq!(sms("1", "4145550100").display(), "+14145550100");
        assert_eq!(sms("+1", "(414) 555-0100").display(), "+14145550100");
        assert_eq!(email("Jo@Example.com").display(), "Jo@Example.com");
    }

    #[test]
    fn addresses_compare_case_insensitively_and_numbers_by_digits() {
        assert_eq!(email("Jo@Example.com"), email(" jo@example.COM "));
        assert_ne!(email("jo@example.com"), email("jo@example.org"));
        assert_ne!(email("o'brien@example.com"), email("o`brien@example.com"));
        assert_ne!(email("josé@example.com"), email("jose@example.com"));
        assert_eq!(sms("1", "4145550100"), sms("+1", "414-555-0100"));
        assert_ne!(sms("1", "4145550100"), sms("1", "4145550101"));
        assert_ne!(sms("1", "4145550100"), email("14145550100"));
    }

    #[test]
    fn debug_output_hides_the_recipient() {
        let output =
            format!("{:?} {:?} {:?}", email("jo@example.com"), sms("1", "4145550100"), Some(sms("47", "41234567")));
        assert_eq!(output, "Recipient(email) Recipient(sms) Some(Recipient(sms))");
    }
}
