use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value, json};

/// Changes to a user's profile. Only fields that are set are sent; a blank text clears a field. `Debug` output contains
/// names but no values.
///
/// ```
/// use devicecloud::UserChanges;
///
/// let changes = UserChanges::new().firstname("Jo").company("");
/// assert_eq!(format!("{changes:?}"), r#"UserChanges {"company", "firstname"}"#);
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
#[must_use]
pub struct UserChanges(BTreeMap<&'static str, String>);

macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        pub fn $name(mut self, $name: impl Into<String>) -> Self {
            self.0.insert(stringify!($name), $name.into());
            self
        }
    )*};
}

impl UserChanges {
    /// No changes.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// First name.
        firstname,
        /// Last name.
        lastname,
        /// Company.
        company,
        /// Street and number.
        street,
        /// City.
        city,
        /// State or region.
        state,
        /// Postal code.
        zip,
        /// Country.
        country,
        /// Country code of the phone number.
        phone_country_code,
        /// Phone number.
        phone,
        /// The development kit number.
        ayla_dev_kit_num,
    }

    /// The member `user` of a request.
    pub(crate) fn body(&self) -> Value {
        json!(self.0)
    }
}

impl fmt::Debug for UserChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UserChanges ")?;
        f.debug_set().entries(self.0.keys()).finish()
    }
}
