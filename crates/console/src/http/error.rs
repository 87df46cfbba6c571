//! API errors and their HTTP responses (RFC 9457 problem details).

use std::collections::BTreeMap;
use std::error::Error as _;
use std::sync::Arc;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use devicecloud::ErrorKind;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::openapi::{ContentBuilder, Ref, RefOr, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema};

use crate::secrets::cipher::Undecryptable;

/// When a repetition of a request that is being handled may succeed.
const IN_PROGRESS_RETRY_AFTER_SECS: u64 = 5;

/// Messages by field name.
pub(crate) type FieldErrors = BTreeMap<String, Vec<String>>;

/// Why a request was refused or failed.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum ApiError {
    /// The request has no session, or the session has ended.
    #[error("Please sign in.")]
    NotSignedIn,
    /// The access token of the request is malformed, unknown, expired or revoked.
    #[error("The access token is not valid.")]
    TokenRejected,
    /// The access token lacks the right with this name.
    #[error("The access token lacks the right {0}.")]
    RightMissing(&'static str),
    /// An operation that is not available to access tokens.
    #[error("Access tokens may not do that.")]
    NotForTokens,
    /// Wrong e-mail, wrong password, or an account that may not sign in here. One error, to reveal nothing about accounts.
    #[error("Incorrect email or password")]
    SignInFailed,
    /// As `SignInFailed`, after too many failures with this address, whether it has an account or not.
    #[error("Incorrect email or password")]
    AccountLocked,
    /// As `SignInFailed`, for the right password of an account that was disabled.
    #[error("Incorrect email or password")]
    AccountDisabled,
    /// The sign-in took too long, or had too many wrong codes.
    #[error("This sign-in has ended. Please sign in again.")]
    PendingSignInEnded,
    /// The password was changed, but the sign-in with the new password failed, so the session has ended.
    #[error("Your password was changed. Please sign in with the new one.")]
    NewSessionFailed,
    /// Signed in, but the role needs a second factor, which the user has not set up.
    #[error("Your role needs two-step sign-in. Please set it up first.")]
    SecondFactorRequired,
    /// The page was opened by another user, who had the browser's session before.
    #[error("Somebody else has signed in in this browser meanwhile. Nothing was saved.")]
    OtherUser,
    /// Signed in, but not permitted.
    #[error("You may not do that.")]
    Forbidden,
    /// A state-changing request that another site sent.
    #[error("The request does not come from this console.")]
    ForeignOrigin,
    /// Does not exist, or is outside the caller's scope.
    #[error("There is no such thing here.")]
    NotFound,
    /// The path exists, the method does not.
    #[error("That method is not supported here.")]
    MethodNotAllowed,
    /// A body that is not JSON.
    #[error("The request could not be read.")]
    Malformed,
    /// The body exceeds the limit.
    #[error("The request is too large.")]
    TooLarge,
    /// The content type is not JSON.
    #[error("The request body must be application/json.")]
    UnsupportedMediaType,
    /// Values that break a rule, by field.
    #[error("Some values are not valid.")]
    Invalid(FieldErrors),
    /// More attempts than the limit allows.
    #[error("Too many attempts. Please wait a moment.")]
    TooManyRequests {
        /// Seconds until another attempt can succeed.
        retry_after_secs: u64,
    },
    /// The request conflicts with the current state of the record.
    #[error("{0}")]
    Conflict(String),
    /// Values that must be unique and are taken, by field.
    #[error("Some values are taken.")]
    Taken(FieldErrors),
    /// Fields that another person changed after the person opened the form. Nothing was saved.
    #[error("Somebody else has changed these values in the meantime.")]
    Changed(BTreeMap<String, ChangedField>),
    /// An idempotency key that belongs to another request of the user.
    #[error("This idempotency key was used for another request.")]
    KeyReused,
    /// A repeated request that was carried out, and whose record has been changed otherwise since.
    #[error(
        "This was saved already, and has been changed since. Nothing was saved now: look at the current values before you save again."
    )]
    ChangedSince,
    /// A repeated request whose first one is still being handled.
    #[error("This is still being saved. Please try again in a moment.")]
    InProgress,
    /// The device cloud refused or did not answer.
    #[error("{0}")]
    Cloud(#[from] CloudFailure),
    /// A write of several parts stopped at one of them.
    #[error("{detail}")]
    Stopped {
        /// The error of the failed part.
        cause: Box<ApiError>,
        /// Names the saved and the failed parts.
        detail: String,
        /// The failed part.
        errors: FieldErrors,
    },
    /// The list comes from the device cloud, which cannot sort or filter by these.
    #[error("The list cannot be sorted or filtered by this at the moment.")]
    ListLimited(FieldErrors),
    /// The index is being filled, so a report would lack rows without a sign of it.
    #[error("The list is being read for the first time. Please try again in a few minutes.")]
    NotReady,
    /// The database does not respond, which `platform` logs. A retry may succeed.
    #[error("The service is not available at the moment. Please try again later.")]
    DatabaseUnavailable,
    /// The console is not configured correctly for its device cloud. The cause is logged; a retry may succeed.
    #[error("The service is not available at the moment. Please try again later.")]
    Unavailable(Arc<dyn std::error::Error + Send + Sync>),
    /// The body did not arrive in time.
    #[error("The request took too long to arrive.")]
    SlowBody,
    /// The request exceeded the time limit.
    #[error("This took too long.")]
    Timeout,
    /// A defect or a corrupt database. The cause is logged and never returned.
    #[error("Something went wrong.")]
    Internal(Arc<dyn std::error::Error + Send + Sync>),
}

/// A result of a handler or a service.
pub(crate) type ApiResult<T> = Result<T, ApiError>;

/// A failure of the device cloud, with a message for users.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum CloudFailure {
    /// The cloud refused the request.
    #[error("{0}")]
    Refused(String),
    /// The cloud is unreachable, or its response is invalid.
    #[error("The device cloud cannot be reached.")]
    Unreachable,
    /// The cloud did not respond in time.
    #[error("The device cloud did not answer in time.")]
    Timeout,
    /// The cloud is unreachable during a sign-in.
    #[error("The service is not available at the moment. Please try again later.")]
    NoSignIn,
}

/// Problem details (RFC 9457).
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// Always `about:blank`; `code` identifies the problem.
    r#type: &'static str,
    /// The reason phrase of the HTTP status.
    title: String,
    /// The HTTP status.
    status: u16,
    /// One sentence for the user.
    detail: String,
    /// A stable name for programs.
    code: &'static str,
    /// Messages by field, for errors of fields.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(required = false)]
    errors: BTreeMap<String, Vec<String>>,
    /// For `changed`, the fields that another person changed after the person opened the form.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(required = false)]
    changed: BTreeMap<String, ChangedField>,
}

/// The current value of a field that another person changed.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ChangedField {
    /// In the format of the seen values; null for no value.
    #[schema(required)]
    pub(crate) value: Option<String>,
    /// The e-mail address of the author; null if the value was not written through the console, or the caller may not see the
    /// author.
    #[schema(required)]
    pub(crate) by: Option<String>,
    /// Time of the write; null if the value was not written through the console.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(crate) at: Option<Timestamp>,
}

impl ApiError {
    /// [`Invalid`](Self::Invalid) with one message for one field.
    pub(crate) fn invalid(field: &str, text: impl Into<String>) -> Self {
        Self::Invalid(FieldErrors::from([(field.to_owned(), vec![text.into()])]))
    }

    /// [`Taken`](Self::Taken) with one message for one field.
    pub(crate) fn taken(field: &str, text: impl Into<String>) -> Self {
        Self::Taken(FieldErrors::from([(field.to_owned(), vec![text.into()])]))
    }

    /// An internal error, whose cause is only logged.
    pub(crate) fn internal(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Internal(Arc::from(source.into()))
    }

    /// A temporary error, whose cause is only logged.
    pub(crate) fn unavailable(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Unavailable(Arc::from(source.into()))
    }

    /// Converts the error of a call that writes user input. Validation errors of the cloud keep its field names.
    pub(crate) fn of_form(error: devicecloud::Error) -> Self {
        match error.status() {
            Some(422) if !error.fields().is_empty() => Self::Invalid(error.fields().iter().cloned().collect()),
            _ => error.into(),
        }
    }

    /// Converts the error of a call with the service session, whose 401 or 403 does not concern the caller.
    pub(crate) fn of_service(error: &devicecloud::Error) -> Self {
        if error.kind() == ErrorKind::Timeout { CloudFailure::Timeout.into() } else { CloudFailure::Unreachable.into() }
    }

    /// Whether the caller's session has ended.
    pub(crate) fn is_signed_out(&self) -> bool {
        matches!(self, Self::NotSignedIn)
    }

    /// The stable name of the problem.
    pub(crate) fn code(&self) -> &'static str {
        self.status_and_code().1
    }

    /// Whether the same call may succeed later: the device cloud or the database is unavailable or overloaded.
    pub(crate) fn is_transient(&self) -> bool {
        match self.cause() {
            Self::Cloud(failure) => !matches!(failure, CloudFailure::Refused(_)),
            Self::TooManyRequests { .. } | Self::DatabaseUnavailable | Self::Unavailable(_) => true,
            _ => false,
        }
    }

    /// The error of the failed part if a write of several parts stopped; otherwise the error itself.
    pub(crate) fn cause(&self) -> &Self {
        if let Self::Stopped { cause, .. } = self { cause } else { self }
    }

    /// The field of the part at which a write of several parts stopped.
    pub(crate) fn stopped_at(&self) -> Option<&str> {
        if let Self::Stopped { errors, .. } = self { errors.keys().next().map(String::as_str) } else { None }
    }

    fn status_and_code(&self) -> (StatusCode, &'static str) {
        match self {
            Self::NotSignedIn => (StatusCode::UNAUTHORIZED, "not_signed_in"),
            Self::TokenRejected => (StatusCode::UNAUTHORIZED, "token_rejected"),
            Self::RightMissing(_) => (StatusCode::FORBIDDEN, "right_missing"),
            Self::NotForTokens => (StatusCode::FORBIDDEN, "not_for_tokens"),
            Self::SignInFailed => (StatusCode::UNAUTHORIZED, "sign_in_failed"),
            Self::AccountLocked => (StatusCode::UNAUTHORIZED, "sign_in_rests"),
            Self::AccountDisabled => (StatusCode::UNAUTHORIZED, "account_disabled"),
            Self::PendingSignInEnded => (StatusCode::UNAUTHORIZED, "sign_in_ended"),
            // Not 401, because the web would renew the session and repeat the request.
            Self::NewSessionFailed => (StatusCode::BAD_GATEWAY, "not_signed_in_anew"),
            Self::SecondFactorRequired => (StatusCode::FORBIDDEN, "second_factor_required"),
            Self::OtherUser => (StatusCode::FORBIDDEN, "other_user"),
            Self::Forbidden => (StatusCode::FORBIDDEN, "forbidden"),
            Self::ForeignOrigin => (StatusCode::FORBIDDEN, "foreign_origin"),
            Self::NotFound => (StatusCode::NOT_FOUND, "not_found"),
            Self::MethodNotAllowed => (StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed"),
            Self::Malformed => (StatusCode::BAD_REQUEST, "malformed"),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "too_large"),
            Self::UnsupportedMediaType => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type"),
            Self::Invalid(_) => (StatusCode::UNPROCESSABLE_ENTITY, "invalid"),
            Self::Conflict(_) => (StatusCode::CONFLICT, "conflict"),
            Self::Taken(_) => (StatusCode::CONFLICT, "taken"),
            Self::Changed(_) => (StatusCode::CONFLICT, "changed"),
            Self::KeyReused => (StatusCode::UNPROCESSABLE_ENTITY, "key_reused"),
            Self::ChangedSince => (StatusCode::CONFLICT, "changed_since"),
            Self::InProgress => (StatusCode::CONFLICT, "in_progress"),
            Self::TooManyRequests { .. } => (StatusCode::TOO_MANY_REQUESTS, "too_many_requests"),
            Self::Cloud(CloudFailure::Refused(_) | CloudFailure::Unreachable) => {
                (StatusCode::BAD_GATEWAY, "cloud_failed")
            }
            Self::Cloud(CloudFailure::NoSignIn) => (StatusCode::SERVICE_UNAVAILABLE, "cloud_failed"),
            Self::Cloud(CloudFailure::Timeout) => (StatusCode::GATEWAY_TIMEOUT, "cloud_timeout"),
            Self::Stopped { cause, .. } => cause.status_and_code(),
            Self::ListLimited(_) => (StatusCode::SERVICE_UNAVAILABLE, "list_limited"),
            Self::NotReady => (StatusCode::SERVICE_UNAVAILABLE, "not_ready"),
            Self::DatabaseUnavailable | Self::Unavailable(_) => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
            Self::SlowBody => (StatusCode::REQUEST_TIMEOUT, "slow_body"),
            Self::Timeout => (StatusCode::GATEWAY_TIMEOUT, "timeout"),
            Self::Internal(_) => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
        }
    }

    fn into_field_errors(self) -> FieldErrors {
        match self {
            Self::Invalid(errors) | Self::Taken(errors) | Self::ListLimited(errors) | Self::Stopped { errors, .. } => {
                errors
            }
            _ => FieldErrors::new(),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, code) = self.status_and_code();
        match &self {
            Self::Internal(source) => tracing::error!(error = %source, "request failed"),
            Self::Unavailable(source) => tracing::error!(error = %source, "the console cannot serve a request"),
            _ => {}
        }
        let retry_after = match self.cause() {
            Self::TooManyRequests { retry_after_secs } => Some(HeaderValue::from(*retry_after_secs)),
            Self::InProgress => Some(HeaderValue::from(IN_PROGRESS_RETRY_AFTER_SECS)),
            _ => None,
        };
        let is_token_rejected = matches!(self, Self::TokenRejected);
        let changed = if let Self::Changed(changed) = &self { changed.clone() } else { BTreeMap::new() };
        let problem = Problem {
            changed,
            r#type: "about:blank",
            title: status.canonical_reason().unwrap_or_default().to_owned(),
            status: status.as_u16(),
            detail: self.to_string(),
            code,
            errors: self.into_field_errors(),
        };
        let mut response = (status, axum::Json(problem)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if is_token_rejected {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(r#"Bearer error="invalid_token""#));
        }
        if let Some(seconds) = retry_after {
            headers.insert(header::RETRY_AFTER, seconds);
        }
        response
    }
}

/// Adds a problem as the default response of each operation.
impl IntoResponses for ApiError {
    fn responses() -> BTreeMap<String, RefOr<utoipa::openapi::Response>> {
        let problem = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
        let response =
            ResponseBuilder::new().description("The problem").content("application/problem+json", problem).build();
        BTreeMap::from([("default".to_owned(), response.into())])
    }
}

impl ApiError {
    /// Whether the database is unavailable, which it logs itself.
    pub(crate) fn is_unavailable(&self) -> bool {
        matches!(self.cause(), Self::DatabaseUnavailable)
    }
}

impl From<platform::db::Error> for ApiError {
    fn from(error: platform::db::Error) -> Self {
        if error.is_unavailable() { Self::DatabaseUnavailable } else { Self::internal(error) }
    }
}

/// Converts the error of a call with the user's own token. The cloud checks permissions, too (A-84), so its refusals are
/// passed on.
impl From<devicecloud::Error> for ApiError {
    fn from(error: devicecloud::Error) -> Self {
        // The client reads a session's tokens from our database.
        let stored = error.source().and_then(|source| source.downcast_ref::<platform::db::Error>());
        if stored.is_some_and(platform::db::Error::is_unavailable) {
            return Self::DatabaseUnavailable;
        }
        if let Some(undecryptable) = error.source().and_then(|source| source.downcast_ref::<Undecryptable>()) {
            return Self::unavailable(*undecryptable);
        }
        match (error.kind(), error.status()) {
            // `Precondition`: the session has no tokens any more.
            (ErrorKind::Auth | ErrorKind::Precondition, _) | (_, Some(401)) => Self::NotSignedIn,
            (_, Some(403)) => Self::Forbidden,
            (_, Some(404)) => Self::NotFound,
            (_, Some(409)) => Self::Conflict(message_of(&error)),
            (_, Some(429)) => {
                let retry_after_secs = error.retry_after().map_or(1, |wait| wait.as_secs().max(1));
                Self::TooManyRequests { retry_after_secs }
            }
            (ErrorKind::Timeout, _) => CloudFailure::Timeout.into(),
            (ErrorKind::Server, Some(400..=499)) => CloudFailure::Refused(message_of(&error)).into(),
            _ => CloudFailure::Unreachable.into(),
        }
    }
}

/// The message of the cloud, with field names if it has any.
fn message_of(error: &devicecloud::Error) -> String {
    let texts: Vec<String> = error
        .fields()
        .iter()
        .flat_map(|(field, texts)| texts.iter().map(move |text| (field, text)))
        .map(|(field, text)| if field == "base" { text.clone() } else { format!("{field} {text}") })
        .collect();
    if texts.is_empty() { error.message().to_owned() } else { texts.join("; ") }
}
