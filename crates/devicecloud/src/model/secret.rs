use std::fmt;

use serde::{Deserialize, Deserializer};
use zeroize::Zeroizing;

/// A secret text: a password, a token, an application secret, a stream key.
///
/// `Debug` output does not contain it, there is no `Display` and no `Serialize`, and the memory is wiped on drop.
///
/// ```
/// use devicecloud::SecretText;
///
/// let password = SecretText::from("correct horse");
/// assert_eq!(format!("{password:?}"), "SecretText");
/// assert_eq!(password.expose(), "correct horse");
/// ```
#[derive(Clone, Default)]
pub struct SecretText(Zeroizing<String>);

impl SecretText {
    /// The text itself. Keep it short-lived and out of logs.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether the text is empty or only white space.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.expose().trim().is_empty()
    }
}

impl PartialEq for SecretText {
    fn eq(&self, other: &Self) -> bool {
        self.expose() == other.expose()
    }
}

impl Eq for SecretText {}

impl From<&str> for SecretText {
    fn from(text: &str) -> Self {
        Self(Zeroizing::new(text.to_owned()))
    }
}

impl From<String> for SecretText {
    fn from(text: String) -> Self {
        Self(Zeroizing::new(text))
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretText")
    }
}

impl<'de> Deserialize<'de> for SecretText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}
