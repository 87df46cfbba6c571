use crate::error::messages;
use crate::error::{Result, required};
use crate::model::NotificationAppType;

/// The recipient of a notification or a trigger.
#[derive(Clone)]
pub(super) enum AppRecipient {
    Email(String),
    Sms { country_code: String, phone_number: String },
}

impl AppRecipient {
    pub(super) fn email(email: impl Into<String>) -> Self {
        Self::Email(email.into())
    }

    pub(super) fn sms(country_code: impl Into<String>, phone_number: impl Into<String>) -> Self {
        Self::Sms { country_code: country_code.into(), phone_number: phone_number.into() }
    }

    pub(super) fn app_type(&self) -> NotificationAppType {
        match self {
            Self::Email(_) => NotificationAppType::Email,
            Self::Sms { .. } => NotificationAppType::Sms,
        }
    }

    /// # Errors
    /// `InvalidArgument` if an address is blank.
    pub(super) fn check(&self) -> Result<()> {
        match self {
            Self::Email(email) => required(email.trim().is_empty(), messages::EMAIL_REQUIRED),
            Self::Sms { country_code, phone_number } => {
                required(country_code.trim().is_empty(), messages::COUNTRY_CODE_REQUIRED)?;
                required(phone_number.trim().is_empty(), messages::PHONE_NUMBER_REQUIRED)
            }
        }
    }
}
