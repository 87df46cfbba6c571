use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value, json};

/// What changes in a user's profile: only what is set is sent, and a blank text clears what was there. `Debug` shows names,
/// never values.
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
    /// No change yet.
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
        /// Country code of the telephone number.
        phone_country_code,
        /// Telephone number.
        phone,
        /// Number of the development kit.
        ayla_dev_kit_num,
    }

    /// The `user` of a request.
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
