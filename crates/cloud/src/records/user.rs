//! User accounts.

use std::fmt;

use secrecy::SecretString;

/// An account to create. Its `Debug` output contains no personal data.
#[derive(Clone, Default)]
pub struct NewUser {
    /// The address to sign in with; compared without regard to case.
    pub email: String,
    /// Up to 1024 bytes. The password rules are not checked.
    pub password: SecretString,
    /// First name.
    pub firstname: Option<String>,
    /// Last name.
    pub lastname: Option<String>,
    /// Company.
    pub company: Option<String>,
    /// Street.
    pub street: Option<String>,
    /// City.
    pub city: Option<String>,
    /// State or province.
    pub state: Option<String>,
    /// Postal code.
    pub zip: Option<String>,
    /// Country.
    pub country: Option<String>,
    /// Country calling code.
    pub phone_country_code: Option<String>,
    /// Phone number without the country code.
    pub phone: Option<String>,
    /// The role's name; `None` for an end user.
    pub role: Option<String>,
    /// The value of the role's label.
    pub label: Option<String>,
    /// The application id of a machine account: it is never locked by wrong passwords and signs in only through this
    /// application.
    pub machine_of: Option<String>,
    /// Whether the address is confirmed; an unconfirmed user cannot sign in.
    pub confirmed: bool,
}

impl fmt::Debug for NewUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewUser")
            .field("role", &self.role)
            .field("machine_of", &self.machine_of)
            .finish_non_exhaustive()
    }
}
