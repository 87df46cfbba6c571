use std::fmt;

use serde_json::{Map, Value, json};

use crate::config::Config;
use crate::error::messages;
use crate::error::{Result, required};
use crate::http::Response;
use crate::model::User;
use crate::model::read::{self, Fields, FromWire};
use crate::model::secret::SecretText;

/// An account to create. `Debug` output contains no data of it.
///
/// ```
/// use devicecloud::NewUser;
///
/// let user = NewUser::new("jo@example.com", "Correct-Horse-1").firstname("Jo").lastname("Moss").country("France");
/// ```
#[derive(Clone)]
#[must_use]
pub struct NewUser {
    email: String,
    password: SecretText,
    members: Map<String, Value>,
}

macro_rules! members {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(mut self, text: impl Into<String>) -> Self {
            self.members.insert(stringify!($name).to_owned(), Value::String(text.into()));
            self
        }
    )*};
}

impl NewUser {
    /// An account with this e-mail address and initial password. The password rules are the cloud's.
    pub fn new(email: impl Into<String>, password: impl Into<SecretText>) -> Self {
        Self { email: email.into(), password: password.into(), members: Map::new() }
    }

    members! {
        /// First name.
        firstname;
        /// Last name.
        lastname;
        /// Country.
        country;
        /// City.
        city;
        /// State or region.
        state;
        /// Company.
        company;
        /// Phone number.
        phone;
    }

    /// The request body, with the application that the account is created for.
    ///
    /// # Errors
    /// `InvalidArgument` 'Email is required', 'Password is required'; `Precondition` if the client has no application.
    pub(crate) fn body(&self, config: &Config) -> Result<Value> {
        required(self.email.trim().is_empty(), messages::EMAIL_REQUIRED)?;
        required(self.password.is_blank(), messages::PASSWORD_REQUIRED)?;
        let mut body = self.members.clone();
        body.insert("email".to_owned(), json!(self.email));
        body.insert("password".to_owned(), json!(self.password.expose()));
        body.insert("application".to_owned(), config.application()?);
        Ok(Value::Object(body))
    }

    /// The created user from the response, or as it was sent if the response cannot be read.
    pub(crate) fn created_user(&self, response: &Response) -> User {
        response.read_if_possible(read::one).unwrap_or_else(|| {
            let mut sent = self.members.clone();
            sent.insert("email".to_owned(), json!(self.email));
            User::from_wire(&Fields(&sent))
        })
    }
}

impl fmt::Debug for NewUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewUser").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_user_sends_only_set_fields_and_debug_is_empty() {
        let user = NewUser::new("jo@example.com", "5ec2e7").firstname("Jo").phone("5551234");
        let body = user.body(&Config::local("https://cloud.test", "app", "5ec2e7").unwrap()).unwrap();
        let expected = json!({
            "email": "jo@example.com", "password": "5ec2e7", "firstname": "Jo", "phone": "5551234",
            "application": {"app_id": "app", "app_secret": "5ec2e7"},
        });
        assert_eq!((body, format!("{user:?}")), (expected, "NewUser { .. }".to_owned()));
    }
}
