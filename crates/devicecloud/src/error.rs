use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The result of every fallible call of this library.
pub type Result<T> = std::result::Result<T, Error>;

type Source = Arc<dyn std::error::Error + Send + Sync + 'static>;

/// The error of a failed call. `Display` is its message. `Debug` output omits a message of the cloud, which may contain
/// names or addresses.
///
/// Programs decide by [`kind`](Self::kind); [`message`](Self::message) is for people; [`status`](Self::status) is the
/// HTTP status if the cloud responded.
#[derive(Clone)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    /// Whether the message is from a response, which may contain data of people.
    quotes_response: bool,
    status: Option<u16>,
    fields: Vec<(String, Vec<String>)>,
    retry_after: Option<Duration>,
    source: Option<Source>,
}

/// The kinds of error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A failure without a more specific kind.
    General,
    /// Sign-in, sign-out or refresh was rejected.
    Auth,
    /// The cloud could not be reached, or the connection was lost.
    Network,
    /// The response is not JSON, or lacks data that the call needs. A write may have happened anyway.
    Json,
    /// The cloud responded with an error status.
    Server,
    /// No response arrived in time.
    Timeout,
    /// An argument is missing or invalid; nothing was sent.
    InvalidArgument,
    /// A precondition is not met, such as a session or a base address; nothing was sent.
    Precondition,
    /// The application lacks the permission.
    AppPermission,
    /// A fault in the library or in a component of the application, such as its token store.
    Internal,
    /// The operation was only partly completed.
    OperationIncomplete,
}

impl Error {
    /// An error without status and source, for example for your own [`TokenStore`](crate::TokenStore).
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            quotes_response: false,
            status: None,
            fields: Vec::new(),
            retry_after: None,
            source: None,
        }
    }

    /// Sets the source of the error.
    #[must_use]
    pub fn with_source(self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self { source: Some(Arc::from(source.into())), ..self }
    }

    /// Hides the message in `Debug` output.
    pub(crate) fn quoting_response(self) -> Self {
        Self { quotes_response: true, ..self }
    }

    pub(crate) fn with_status(self, status: u16) -> Self {
        Self { status: Some(status), ..self }
    }

    pub(crate) fn with_fields(self, fields: Vec<(String, Vec<String>)>) -> Self {
        Self { fields, ..self }
    }

    pub(crate) fn with_retry_after(self, retry_after: Option<Duration>) -> Self {
        Self { retry_after, ..self }
    }

    pub(crate) fn with_kind(self, kind: ErrorKind) -> Self {
        Self { kind, ..self }
    }

    /// The kind of error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The message to show: the cloud's error text, the response body if it lists invalid [`fields`](Self::fields), or
    /// the status text. For calls on rules, rule actions and schedule actions it is always the response body. It never
    /// contains tokens or passwords of this library.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The HTTP status, if the cloud responded.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// The invalid fields and their error texts (`base` for the whole object); empty if the cloud named none.
    #[must_use]
    pub fn fields(&self) -> &[(String, Vec<String>)] {
        &self.fields
    }

    /// How long to wait before the next attempt, from the header `Retry-After`.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Whether the same call may succeed later: after a network failure, a timeout, or status 408, 429 or 5xx.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self.status {
            Some(status) => is_retryable_status(status),
            None => matches!(self.kind, ErrorKind::Network | ErrorKind::Timeout),
        }
    }
}

/// Returns `InvalidArgument` with this message if `blank` is true.
pub(crate) fn required(blank: bool, message: &str) -> Result<()> {
    if blank { Err(Error::new(ErrorKind::InvalidArgument, message)) } else { Ok(()) }
}

/// Statuses of temporary failures.
pub(crate) fn is_retryable_status(status: u16) -> bool {
    matches!(status, 408 | 429 | 500..=599)
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Error");
        debug.field("kind", &self.kind);
        if !self.quotes_response {
            debug.field("message", &self.message);
        }
        if let Some(status) = self.status {
            debug.field("status", &status);
        }
        if let Some(source) = &self.source {
            debug.field("source", source);
        }
        debug.finish()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source.as_ref() as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_kinds_are_the_specified_ones() {
        use ErrorKind::{
            AppPermission, Auth, General, Internal, InvalidArgument, Json, Network, OperationIncomplete, Precondition,
            Server, Timeout,
        };
        // Without a wildcard arm, so that a new kind fails to compile here.
        let specified = |kind| match kind {
            General => "general",
            Auth => "auth",
            Network => "network",
            Json => "json",
            Server => "server",
            Timeout => "timeout",
            InvalidArgument => "invalid argument",
            Precondition => "precondition",
            AppPermission => "app permission",
            Internal => "internal",
            OperationIncomplete => "operation incomplete",
        };
        let kinds = [
            General,
            Auth,
            Network,
            Json,
            Server,
            Timeout,
            InvalidArgument,
            Precondition,
            AppPermission,
            Internal,
            OperationIncomplete,
        ];
        assert_eq!(
            kinds.map(specified).join(", "),
            "general, auth, network, json, server, timeout, invalid argument, precondition, app permission, internal, \
             operation incomplete"
        );
    }

    #[test]
    fn temporary_failures_are_retryable() {
        let table = [
            (Error::new(ErrorKind::Network, ""), true),
            (Error::new(ErrorKind::Timeout, ""), true),
            (Error::new(ErrorKind::Server, "").with_status(503), true),
            (Error::new(ErrorKind::Server, "").with_status(429), true),
            (Error::new(ErrorKind::Server, "").with_status(408), true),
            (Error::new(ErrorKind::Server, "").with_status(404), false),
            (Error::new(ErrorKind::Auth, "").with_status(401), false),
            (Error::new(ErrorKind::InvalidArgument, ""), false),
        ];
        for (error, expected) in table {
            assert_eq!(error.is_retryable(), expected, "{error:?}");
        }
    }
}
