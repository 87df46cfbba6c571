use std::fmt;

use serde_json::{Map, Value, json};

use crate::api::recipient::AppRecipient;
use crate::error::Result;
use crate::model::NotificationApp;
use crate::model::read::{Fields, FromWire};

/// The username required by the specification.
const USERNAME: &str = "Administrator";

/// A recipient to add to a notification. `Debug` output does not contain the recipient.
#[derive(Clone)]
#[must_use]
pub struct NewNotificationApp {
    recipient: AppRecipient,
    message: String,
}

impl NewNotificationApp {
    /// By e-mail to this address.
    pub fn email(email: impl Into<String>) -> Self {
        Self { recipient: AppRecipient::email(email), message: String::new() }
    }

    /// By text message: country calling code without leading zeros, and phone number without the country code.
    pub fn sms(country_code: impl Into<String>, phone_number: impl Into<String>) -> Self {
        Self { recipient: AppRecipient::sms(country_code, phone_number), message: String::new() }
    }

    /// The message text; chosen by the cloud by default.
    pub fn message(self, message: impl Into<String>) -> Self {
        Self { message: message.into(), ..self }
    }

    /// The request body.
    pub(super) fn members(&self) -> Result<Map<String, Value>> {
        self.recipient.check()?;
        let parameters = match &self.recipient {
            AppRecipient::Email(email) => json!({ "username": USERNAME, "email": email, "message": self.message }),
            AppRecipient::Sms { country_code, phone_number } => json!({
                "username": USERNAME, "country_code": country_code, "phone_number": phone_number,
                "message": self.message,
            }),
        };
        let app_type = self.recipient.app_type().as_str().into();
        let members = [("app_type", app_type), ("notification_app_parameters", parameters)];
        Ok(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// The value as it was sent, in place of an unreadable response.
    pub(super) fn as_sent(&self) -> NotificationApp {
        NotificationApp::from_wire(&Fields(&self.members().unwrap_or_default()))
    }
}

impl fmt::Debug for NewNotificationApp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewNotificationApp").finish_non_exhaustive()
    }
}
