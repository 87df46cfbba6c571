use std::fmt;

use serde_json::{Map, Value, json};

use crate::api::required;
use crate::error::Result;
use crate::messages;
use crate::model::read::{Fields, FromWire};
use crate::model::{NotificationApp, NotificationAppType};

/// Who is told, as the specification has it.
const USERNAME: &str = "Administrator";

/// A way to somebody whom a notification is to reach. `Debug` does not show who that is.
#[derive(Clone)]
#[must_use]
pub struct NewNotificationApp {
    recipient: Recipient,
    message: String,
}

#[derive(Clone)]
enum Recipient {
    Email(String),
    Sms { country_code: String, phone_number: String },
}

impl NewNotificationApp {
    /// By e-mail to this address.
    pub fn email(email: impl Into<String>) -> Self {
        Self { recipient: Recipient::Email(email.into()), message: String::new() }
    }

    /// By text message to this telephone number: the country's code without zeros in front, and the number without it.
    pub fn sms(country_code: impl Into<String>, phone_number: impl Into<String>) -> Self {
        let recipient = Recipient::Sms { country_code: country_code.into(), phone_number: phone_number.into() };
        Self { recipient, message: String::new() }
    }

    /// What is said; by default the cloud finds the words.
    pub fn message(self, message: impl Into<String>) -> Self {
        Self { message: message.into(), ..self }
    }

    /// The members of the request.
    pub(super) fn members(&self) -> Result<Map<String, Value>> {
        let (app_type, parameters) = match &self.recipient {
            Recipient::Email(email) => {
                required(email.trim().is_empty(), messages::EMAIL_REQUIRED)?;
                let parameters = json!({ "username": USERNAME, "email": email, "message": self.message });
                (NotificationAppType::Email, parameters)
            }
            Recipient::Sms { country_code, phone_number } => {
                required(country_code.trim().is_empty(), messages::COUNTRY_CODE_REQUIRED)?;
                required(phone_number.trim().is_empty(), messages::PHONE_NUMBER_REQUIRED)?;
                let parameters = json!({
                    "username": USERNAME, "country_code": country_code, "phone_number": phone_number,
                    "message": self.message,
                });
                (NotificationAppType::Sms, parameters)
            }
        };
        let members = [("app_type", app_type.as_str().into()), ("notification_app_parameters", parameters)];
        Ok(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// As it was sent.
    pub(super) fn unread(&self) -> NotificationApp {
        NotificationApp::from_wire(&Fields(&self.members().unwrap_or_default()))
    }
}

impl fmt::Debug for NewNotificationApp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewNotificationApp").finish_non_exhaustive()
    }
}
