//! The error formats of the wire (docs/wire.md#errors). No text of the user service contains the word "message": a widespread
//! client would read it as another format.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::rejection::{BytesRejection, PathRejection, QueryRejection};
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::devices::access::AccessError;
use crate::domain::password::InvalidCost;
use crate::people::PersonError;

/// The texts per field of a 422.
pub(super) type FieldErrors = BTreeMap<&'static str, Vec<String>>;

/// The result of a handler.
pub(super) type Result<T> = std::result::Result<T, Error>;

/// Why a call failed.
#[derive(Debug)]
pub(super) enum Error {
    /// `{"error": text}`.
    Text(StatusCode, &'static str),
    /// `{"errors": text}`: the format of token sign-in.
    Texts(StatusCode, &'static str),
    /// A limit was reached: 429 with Retry-After.
    TooManyRequests { text: &'static str, retry_after: SignedDuration },
    /// No valid access token; the format depends on the service.
    Unauthenticated(Service),
    /// `{"errors": {field: [text]}}`.
    Invalid(FieldErrors),
    /// The database does not respond, which it logs itself; the same call may succeed later.
    Unavailable,
    /// An error of the cloud. The caller gets no details.
    Internal(Box<dyn std::error::Error + Send + Sync>),
}

/// A service of this listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Service {
    User,
    Device,
    Rules,
}

impl Error {
    pub(super) const NO_SUCH_CALL: Self = Self::Text(StatusCode::NOT_FOUND, "There is no such call");
    pub(super) const METHOD_NOT_ALLOWED: Self =
        Self::Text(StatusCode::METHOD_NOT_ALLOWED, "The call has no such method");
    pub(super) const INTERNAL: Self = Self::Text(StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong");
    pub(super) const MALFORMED: Self = Self::Text(StatusCode::BAD_REQUEST, "The request can't be read");
    pub(super) const DEVICE_NOT_FOUND: Self = Self::Text(StatusCode::NOT_FOUND, "Device not found");
    pub(super) const NO_LAN: Self = Self::Text(StatusCode::NOT_FOUND, "The device is not reached by a local network");
    pub(super) const DATUM_NOT_FOUND: Self = Self::Text(StatusCode::NOT_FOUND, "Datum not found");
    pub(super) const CONTACT_NOT_FOUND: Self = Self::Text(StatusCode::NOT_FOUND, "Contact not found");
    pub(super) const SHARE_NOT_FOUND: Self = Self::Text(StatusCode::NOT_FOUND, "Share not found");
    pub(super) const RULE_NOT_FOUND: Self = Self::Text(StatusCode::NOT_FOUND, "Rule not found");
    pub(super) const RULE_ACTION_NOT_FOUND: Self = Self::Text(StatusCode::NOT_FOUND, "Action not found");
    pub(super) const RULE_ACTION_IN_USE: Self = Self::Text(StatusCode::CONFLICT, "The action is used by a rule");
    pub(super) const ROLE_LABEL_NOT_FOUND: Self = Self::Text(StatusCode::NOT_FOUND, "Role label not found");
    pub(super) const PROPERTY_NOT_FOUND: Self = Self::Text(StatusCode::NOT_FOUND, "Property not found");
    pub(super) const NOTIFICATION_NOT_FOUND: Self = Self::Text(StatusCode::NOT_FOUND, "Notification not found");
    pub(super) const NOTIFICATION_APP_NOT_FOUND: Self = Self::Text(StatusCode::NOT_FOUND, "Notification app not found");
    pub(super) const TRIGGER_NOT_FOUND: Self = Self::Text(StatusCode::NOT_FOUND, "Trigger not found");
    pub(super) const TRIGGER_APP_NOT_FOUND: Self = Self::Text(StatusCode::NOT_FOUND, "Trigger app not found");
    pub(super) const DATAPOINT_NOT_FOUND: Self = Self::Text(StatusCode::NOT_FOUND, "Datapoint not found");
    pub(super) const SCHEDULE_NOT_FOUND: Self = Self::Text(StatusCode::NOT_FOUND, "Schedule not found");
    pub(super) const SCHEDULE_ACTION_NOT_FOUND: Self = Self::Text(StatusCode::NOT_FOUND, "Schedule action not found");
    pub(super) const SUBSCRIPTION_NOT_FOUND: Self = Self::Text(StatusCode::NOT_FOUND, "Subscription not found");
    pub(super) const OEM_NOT_FOUND: Self = Self::Text(StatusCode::NOT_FOUND, "Manufacturer not found");
    pub(super) const USER_NOT_FOUND: Self = Self::Text(StatusCode::NOT_FOUND, "User not found");
    pub(super) const ROLE_NOT_FOUND: Self = Self::Text(StatusCode::NOT_FOUND, "The user has no such role or label");
    pub(super) const ROLE_USER_NOT_FOUND: Self = Self::Text(StatusCode::NOT_FOUND, "Role user not found");
    pub(super) const NOT_ASSOCIATED: Self = Self::Text(StatusCode::NOT_FOUND, "The users are not associated");
    pub(super) const LAST_ADMIN: Self = Self::Text(StatusCode::CONFLICT, "The last administrator has to stay");
    pub(super) const FORBIDDEN: Self = Self::Text(StatusCode::FORBIDDEN, "You are not allowed to do this");

    /// One invalid field.
    pub(super) fn invalid(field: &'static str, text: impl Into<String>) -> Self {
        Self::Invalid(BTreeMap::from([(field, vec![text.into()])]))
    }

    /// Several invalid fields.
    pub(super) fn invalid_fields(faults: Vec<(&'static str, String)>) -> Self {
        let mut errors = FieldErrors::new();
        for (field, text) in faults {
            errors.entry(field).or_default().push(text);
        }
        Self::Invalid(errors)
    }
}

impl Service {
    /// The service of a normalised path.
    pub(super) fn of(path: &str) -> Self {
        let user = ["/users", "/api/v1/users", "/api/v1/token_sign_in", "/oems", "/admin"];
        if path.starts_with("/rulesservice/") {
            return Self::Rules;
        }
        if user.iter().any(|prefix| path.starts_with(prefix)) { Self::User } else { Self::Device }
    }
}

impl Error {
    /// The seconds in Retry-After, rounded up.
    fn retry_after(&self) -> Option<u64> {
        let Self::TooManyRequests { retry_after, .. } = self else { return None };
        let seconds = u64::try_from(retry_after.as_secs()).unwrap_or_default();
        Some(seconds + u64::from(retry_after.subsec_nanos() > 0))
    }

    /// The status and the body.
    pub(super) fn into_parts(self) -> (StatusCode, Value) {
        const UNAUTHENTICATED: &str = "Your access token is invalid";
        match self {
            Self::Text(status, text) => (status, json!({ "error": text })),
            Self::Texts(status, text) => (status, json!({ "errors": text })),
            Self::TooManyRequests { text, .. } => (StatusCode::TOO_MANY_REQUESTS, json!({ "error": text })),
            // Errors of the rules service are converted to its format later.
            Self::Unauthenticated(Service::User | Service::Rules) => {
                (StatusCode::UNAUTHORIZED, json!({ "error": UNAUTHENTICATED }))
            }
            Self::Unauthenticated(Service::Device) => {
                (StatusCode::UNAUTHORIZED, json!({ "error": { "message": UNAUTHENTICATED } }))
            }
            Self::Invalid(errors) => (StatusCode::UNPROCESSABLE_ENTITY, json!({ "errors": errors })),
            Self::Unavailable => {
                let text = "The service is not available at the moment";
                (StatusCode::SERVICE_UNAVAILABLE, json!({ "error": text }))
            }
            Self::Internal(error) => {
                tracing::error!(error, "a request failed");
                Self::INTERNAL.into_parts()
            }
        }
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let retry_after = self.retry_after();
        let (status, body) = self.into_parts();
        let mut response = (status, Json(body)).into_response();
        if let Some(seconds) = retry_after {
            response.headers_mut().insert(RETRY_AFTER, seconds.into());
        }
        response
    }
}

impl From<platform::db::Error> for Error {
    fn from(error: platform::db::Error) -> Self {
        if error.is_unavailable() { Self::Unavailable } else { Self::Internal(error.into()) }
    }
}

impl From<AccessError> for Error {
    fn from(error: AccessError) -> Self {
        match error {
            AccessError::NotFound => Self::DEVICE_NOT_FOUND,
            AccessError::Forbidden => Self::FORBIDDEN,
            AccessError::Unregistered => Self::invalid("base", "is not registered"),
            AccessError::Database(error) => error.into(),
        }
    }
}

impl From<PersonError> for Error {
    fn from(error: PersonError) -> Self {
        match error {
            PersonError::EmailTaken => Self::invalid("email", "has already been taken"),
            PersonError::LastAdmin => Self::LAST_ADMIN,
            PersonError::NotFound => Self::USER_NOT_FOUND,
            PersonError::Forbidden => Self::FORBIDDEN,
            PersonError::AccountDeleted => Self::Unauthenticated(Service::User),
            PersonError::RoleNotFound => Self::ROLE_NOT_FOUND,
            PersonError::RoleUserNotFound => Self::ROLE_USER_NOT_FOUND,
            PersonError::NotAssociated => Self::NOT_ASSOCIATED,
            PersonError::AlreadyConfirmed => Self::invalid("email", "was already confirmed, please try signing in"),
            PersonError::TokenHasConfirmed => {
                Self::invalid("confirmation_token", "was already confirmed, please try signing in")
            }
            PersonError::PasswordMissing => Self::invalid("current_password", "can't be blank"),
            PersonError::InvalidConfirmationToken => Self::invalid("confirmation_token", "is invalid"),
            PersonError::InvalidCancellationToken => Self::invalid("cancellation_token", "is invalid"),
            PersonError::InvalidResetToken => Self::invalid("reset_password_token", "not found"),
            PersonError::WrongPassword => Self::invalid("current_password", "is invalid"),
            PersonError::Locked => Self::invalid("current_password", "Your account is locked."),
            PersonError::Password(error) => error.into(),
            PersonError::Database(error) => error.into(),
        }
    }
}

impl From<InvalidCost> for Error {
    fn from(error: InvalidCost) -> Self {
        Self::Internal(error.into())
    }
}

impl From<BytesRejection> for Error {
    fn from(rejection: BytesRejection) -> Self {
        match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Self::Text(StatusCode::PAYLOAD_TOO_LARGE, "The request is too large"),
            _ => Self::MALFORMED,
        }
    }
}

impl From<PathRejection> for Error {
    fn from(_: PathRejection) -> Self {
        Self::MALFORMED
    }
}

impl From<QueryRejection> for Error {
    fn from(_: QueryRejection) -> Self {
        Self::MALFORMED
    }
}
