//! The one place that turns what went wrong into an HTTP answer: RFC 9457 problem details.

use std::collections::BTreeMap;
use std::error::Error as _;
use std::sync::Arc;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use devicecloud::ErrorKind;
use serde::Serialize;
use utoipa::openapi::{ContentBuilder, Ref, RefOr, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema};

/// Texts by the name of the field they are about.
pub(crate) type FieldErrors = BTreeMap<String, Vec<String>>;

/// Why a request was refused or failed.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum ApiError {
    /// No session, or one that has ended.
    #[error("Please sign in.")]
    NotSignedIn,
    /// Wrong e-mail, wrong password, or an account that may not sign in here: never told apart (c:13).
    #[error("Incorrect email or password")]
    SignInFailed,
    /// The password is changed, and the session that changed it is over: signing in with the new one failed.
    #[error("Your password was changed. Please sign in with the new one.")]
    NewSessionFailed,
    /// Known, but not allowed.
    #[error("You may not do that.")]
    Forbidden,
    /// A state-changing request that another site sent.
    #[error("The request does not come from this console.")]
    ForeignOrigin,
    /// Not there, or not the caller's to know.
    #[error("There is no such thing here.")]
    NotFound,
    /// The path exists, the method does not.
    #[error("That method is not supported here.")]
    MethodNotAllowed,
    /// A body that is no JSON.
    #[error("The request could not be read.")]
    Malformed,
    /// A body longer than any of ours needs to be.
    #[error("The request is too large.")]
    TooLarge,
    /// A body that does not call itself JSON.
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
    /// What is asked for contradicts what is there.
    #[error("{0}")]
    Conflict(String),
    /// Values that only one may have, and another has, by field.
    #[error("Some values are taken.")]
    Taken(FieldErrors),
    /// The device cloud refused or did not answer.
    #[error("{0}")]
    Cloud(#[from] CloudFailure),
    /// A write of several parts stopped at one of them.
    #[error("{detail}")]
    Stopped {
        /// What happened to the part that failed.
        cause: Box<ApiError>,
        /// What was saved and what was not.
        detail: String,
        /// The failed part.
        errors: FieldErrors,
    },
    /// The list comes from the device cloud, which cannot sort or filter by these.
    #[error("The list cannot be sorted or filtered by this at the moment.")]
    ListLimited(FieldErrors),
    /// A report of a list that is being read for the first time would lack rows, and nobody could tell.
    #[error("The list is being read for the first time. Please try again in a few minutes.")]
    NotReady,
    /// The database does not answer, which it logs itself. The same request may succeed later.
    #[error("The service is not available at the moment. Please try again later.")]
    DatabaseUnavailable,
    /// The console is not set up for its device cloud: nobody's fault who asks, and the log says more. The same request may
    /// succeed later.
    #[error("The service is not available at the moment. Please try again later.")]
    Unavailable(Arc<dyn std::error::Error + Send + Sync>),
    /// The request took longer than we let anything take.
    #[error("This took too long.")]
    Timeout,
    /// A defect or a broken database. The text goes to the log, never to the caller.
    #[error("Something went wrong.")]
    Internal(Arc<dyn std::error::Error + Send + Sync>),
}

/// A result of a handler or a service.
pub(crate) type ApiResult<T> = Result<T, ApiError>;

/// How the device cloud failed us, in words that a user may read.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum CloudFailure {
    /// It answered, and refused.
    #[error("{0}")]
    Refused(String),
    /// It cannot be reached, or answers what nobody can read.
    #[error("The device cloud cannot be reached.")]
    Unreachable,
    /// It did not answer in time.
    #[error("The device cloud did not answer in time.")]
    Timeout,
    /// It cannot be asked whether somebody may sign in.
    #[error("The service is not available at the moment. Please try again later.")]
    NoSignIn,
}

/// Problem details (RFC 9457).
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// Always `about:blank`: `code` tells problems apart.
    r#type: &'static str,
    /// The HTTP status in words.
    title: String,
    /// The HTTP status.
    status: u16,
    /// One sentence for the user.
    detail: String,
    /// A stable name for programs.
    code: &'static str,
    /// Texts by field, when fields are to blame.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(required = false)]
    errors: BTreeMap<String, Vec<String>>,
}

impl ApiError {
    /// One field, one text.
    pub(crate) fn invalid(field: &str, text: impl Into<String>) -> Self {
        Self::Invalid(FieldErrors::from([(field.to_owned(), vec![text.into()])]))
    }

    /// One field whose value another has.
    pub(crate) fn taken(field: &str, text: impl Into<String>) -> Self {
        Self::Taken(FieldErrors::from([(field.to_owned(), vec![text.into()])]))
    }

    /// A failure that only the log may explain.
    pub(crate) fn internal(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Internal(Arc::from(source.into()))
    }

    /// A failure that another request may not meet, and that the log explains.
    pub(crate) fn unavailable(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Unavailable(Arc::from(source.into()))
    }

    /// A call that writes what somebody typed failed: what the cloud finds wrong with fields is told by field, in its names.
    pub(crate) fn of_form(error: devicecloud::Error) -> Self {
        match error.status() {
            Some(422) if !error.fields().is_empty() => Self::Invalid(error.fields().iter().cloned().collect()),
            _ => error.into(),
        }
    }

    /// A call of the service session failed: whatever it was, it says nothing about the one who asked.
    pub(crate) fn of_service(error: &devicecloud::Error) -> Self {
        if error.kind() == ErrorKind::Timeout { CloudFailure::Timeout.into() } else { CloudFailure::Unreachable.into() }
    }

    /// Whether the session of the one who asked is over.
    pub(crate) fn is_signed_out(&self) -> bool {
        matches!(self, Self::NotSignedIn)
    }

    /// What tells this problem apart for programs.
    pub(crate) fn code(&self) -> &'static str {
        self.status_and_code().1
    }

    /// Of a write of several parts, what happened to the one that failed; otherwise the error itself.
    pub(crate) fn cause(&self) -> &Self {
        if let Self::Stopped { cause, .. } = self { cause } else { self }
    }

    /// The part at which a write of several parts stopped, by its field.
    pub(crate) fn stopped_at(&self) -> Option<&str> {
        if let Self::Stopped { errors, .. } = self { errors.keys().next().map(String::as_str) } else { None }
    }

    fn status_and_code(&self) -> (StatusCode, &'static str) {
        match self {
            Self::NotSignedIn => (StatusCode::UNAUTHORIZED, "not_signed_in"),
            Self::SignInFailed => (StatusCode::UNAUTHORIZED, "sign_in_failed"),
            // Not 401: there is nothing to be renewed and repeated.
            Self::NewSessionFailed => (StatusCode::BAD_GATEWAY, "not_signed_in_anew"),
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
        let retry_after = match self {
            Self::TooManyRequests { retry_after_secs } => Some(HeaderValue::from(retry_after_secs)),
            _ => None,
        };
        let problem = Problem {
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
        if let Some(seconds) = retry_after {
            headers.insert(header::RETRY_AFTER, seconds);
        }
        response
    }
}

/// In the OpenAPI document every operation may answer with a problem.
impl IntoResponses for ApiError {
    fn responses() -> BTreeMap<String, RefOr<utoipa::openapi::Response>> {
        let problem = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
        let response =
            ResponseBuilder::new().description("What went wrong").content("application/problem+json", problem).build();
        BTreeMap::from([("default".to_owned(), response.into())])
    }
}

impl From<platform::db::Error> for ApiError {
    fn from(error: platform::db::Error) -> Self {
        if error.is_unavailable() { Self::DatabaseUnavailable } else { Self::internal(error) }
    }
}

/// A call with the user's own token failed. The cloud decides a second time what the user may do, so its refusals
/// become ours.
impl From<devicecloud::Error> for ApiError {
    fn from(error: devicecloud::Error) -> Self {
        // A session's tokens are in our own database.
        let stored = error.source().and_then(|source| source.downcast_ref::<platform::db::Error>());
        if stored.is_some_and(platform::db::Error::is_unavailable) {
            return Self::DatabaseUnavailable;
        }
        match (error.kind(), error.status()) {
            // `Precondition`: the session's tokens are gone.
            (ErrorKind::Auth | ErrorKind::Precondition, _) | (_, Some(401)) => Self::NotSignedIn,
            (_, Some(403)) => Self::Forbidden,
            (_, Some(404)) => Self::NotFound,
            (_, Some(409)) => Self::Conflict(words(&error)),
            (_, Some(429)) => {
                let retry_after_secs = error.retry_after().map_or(1, |wait| wait.as_secs().max(1));
                Self::TooManyRequests { retry_after_secs }
            }
            (ErrorKind::Timeout, _) => CloudFailure::Timeout.into(),
            (ErrorKind::Server, Some(400..=499)) => CloudFailure::Refused(words(&error)).into(),
            _ => CloudFailure::Unreachable.into(),
        }
    }
}

/// What the cloud said, for people: by field when it named fields.
fn words(error: &devicecloud::Error) -> String {
    let texts: Vec<String> = error
        .fields()
        .iter()
        .flat_map(|(field, texts)| texts.iter().map(move |text| (field, text)))
        .map(|(field, text)| if field == "base" { text.clone() } else { format!("{field} {text}") })
        .collect();
    if texts.is_empty() { error.message().to_owned() } else { texts.join("; ") }
}
