//! Errors of calls, with their kinds, and the texts of the specification.

pub(crate) mod messages;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The result of every fallible call of this library.
pub type Result<T> = std::result::Result<T, Error>;

type Source = Arc<dyn std::error::Error + Send + Sync + 'static>;

/// The error of a failed call. `Display` is its message. `Debug` output omits a message of the cloud, which may contain
/// names or addresses.
///
/// Programs decide by [`kind`](Self::kind), and after a failed write by [`outcome`](Self::outcome);
/// [`message`](Self::message) is for people; [`status`](Self::status) is the HTTP status if the cloud responded.
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
    outcome: Outcome,
    /// Whether a later attempt may succeed.
    temporary: bool,
    /// Whether repeating the call cannot perform its write twice.
    repeatable: bool,
}

/// Whether the write of a failed call happened; see [`Error::outcome`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// Nothing was changed: the request was not sent, or the cloud refused it.
    NotSent,
    /// The write may have happened, completely or in part: the request was sent, and no response says what became of it.
    Unknown,
    /// The write happened. A later step failed, such as reading needed data from the response, storing the new tokens, or
    /// waiting for the device's acknowledgement.
    Done,
}

impl Outcome {
    /// The outcome of a write by the status of an error response. A 4xx is a refusal, except 408, which servers also send
    /// if their own work takes too long.
    pub(crate) fn of_status(status: u16) -> Self {
        match status {
            400..=407 | 409..=499 => Self::NotSent,
            _ => Self::Unknown,
        }
    }
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
    /// The response is not JSON, lacks data that the call needs, or is larger than the limit. A write may have happened
    /// anyway.
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
    /// An error without status and source, for example for your own [`TokenStore`](crate::TokenStore). Its
    /// [`outcome`](Self::outcome) is `Unknown`, unless its kind says that nothing was sent.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let outcome = match kind {
            ErrorKind::InvalidArgument | ErrorKind::Precondition | ErrorKind::AppPermission => Outcome::NotSent,
            _ => Outcome::Unknown,
        };
        Self {
            kind,
            message: message.into(),
            quotes_response: false,
            status: None,
            fields: Vec::new(),
            retry_after: None,
            source: None,
            outcome,
            temporary: matches!(kind, ErrorKind::Network | ErrorKind::Timeout),
            repeatable: false,
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

    /// Sets the status of an error response, and the outcome that it means.
    pub(crate) fn with_status(self, status: u16) -> Self {
        let temporary = matches!(status, 408 | 429 | 500..=599);
        Self { status: Some(status), outcome: Outcome::of_status(status), temporary, ..self }
    }

    pub(crate) fn with_fields(self, fields: Vec<(String, Vec<String>)>) -> Self {
        Self { fields, ..self }
    }

    pub(crate) fn with_retry_after(self, retry_after: Option<Duration>) -> Self {
        Self { retry_after, ..self }
    }

    /// Replaces only the reported kind.
    pub(crate) fn with_kind(self, kind: ErrorKind) -> Self {
        Self { kind, ..self }
    }

    pub(crate) fn with_outcome(self, outcome: Outcome) -> Self {
        Self { outcome, ..self }
    }

    /// For a failure before the write, or of a read.
    pub(crate) fn not_sent(self) -> Self {
        self.with_outcome(Outcome::NotSent)
    }

    /// For a failure after the write.
    pub(crate) fn done(self) -> Self {
        self.with_outcome(Outcome::Done)
    }

    /// For an error that replaces another error of the same call.
    pub(crate) fn with_outcome_of(self, replaced: &Self) -> Self {
        Self { outcome: replaced.outcome, repeatable: replaced.repeatable, ..self }
    }

    /// For a step that follows others of the same call: if these changed something, or may have, the call as a whole
    /// cannot have the outcome `NotSent`.
    pub(crate) fn after(self, earlier: Outcome) -> Self {
        match (earlier, self.outcome) {
            (Outcome::Unknown | Outcome::Done, Outcome::NotSent) => self.with_outcome(Outcome::Unknown),
            _ => self,
        }
    }

    /// Whether repeating the call cannot perform its write twice.
    pub(crate) fn with_repeatable(self, repeatable: bool) -> Self {
        Self { repeatable, ..self }
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

    /// Whether the write of the failed call happened. Reads change nothing: their errors are `NotSent`.
    ///
    /// | Failure | Outcome of a write |
    /// | --- | --- |
    /// | invalid argument, missing session, failed token store or refresh | `NotSent` |
    /// | no connection: refused, name not found, TLS | `NotSent` |
    /// | status 4xx except 408 | `NotSent` |
    /// | timeout (also of a connection attempt), lost connection | `Unknown` |
    /// | any other status, such as 408, 500 or 503 | `Unknown` |
    /// | status 2xx with a body that is not JSON, such as a proxy's page | `Unknown` |
    /// | a later request of a call that sends several, after an earlier one changed something | `Unknown` |
    /// | status 2xx without the data that the call needs | `Done` |
    /// | tokens that could not be stored after the request succeeded | `Done` |
    /// | missing acknowledgement; see [`datapoint`](Self::datapoint) | `Done` |
    ///
    /// Of several attempts of a call, the worst counts: a retried `DELETE` whose first response was lost is `Unknown`,
    /// even if the second is answered with 404.
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) {
    /// use devicecloud::Outcome;
    ///
    /// if let Err(error) = client.datapoints().create("AC000W000000001", "intensity", 30).send().await {
    ///     match error.outcome() {
    ///         Outcome::NotSent if error.is_retryable() => println!("try again later"),
    ///         Outcome::NotSent => println!("not written: {error}"),
    ///         Outcome::Done => println!("written, but: {error}"),
    ///         _ => println!("read the property before writing again: {error}"),
    ///     }
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Whether repeating the call is safe and may succeed later: after a network failure, a timeout, or status 408, 429
    /// or 5xx. A write whose [`outcome`](Self::outcome) is `Unknown` is retryable only if it is idempotent (`PUT` and
    /// `DELETE`, except calls with a token or password that is valid once), and never if it is `Done`.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        let is_safe = match self.outcome {
            Outcome::NotSent => true,
            Outcome::Unknown => self.repeatable,
            Outcome::Done => false,
        };
        self.temporary && is_safe
    }

    /// Whether a later attempt may succeed, safe or not.
    pub(crate) fn is_temporary(&self) -> bool {
        self.temporary
    }
}

/// Returns `InvalidArgument` with this message if `blank` is true.
pub(crate) fn required(blank: bool, message: &str) -> Result<()> {
    if blank { Err(Error::new(ErrorKind::InvalidArgument, message)) } else { Ok(()) }
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
        debug.field("outcome", &self.outcome);
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
    fn temporary_failure_is_retryable_if_repeating_the_call_is_safe() {
        let server = |status| Error::new(ErrorKind::Server, "").with_status(status);
        let table = [
            (Error::new(ErrorKind::Network, ""), Outcome::Unknown, true),
            (Error::new(ErrorKind::Network, "").with_kind(ErrorKind::General), Outcome::Unknown, true),
            (Error::new(ErrorKind::Timeout, ""), Outcome::Unknown, true),
            (Error::new(ErrorKind::Json, ""), Outcome::Unknown, false),
            (Error::new(ErrorKind::General, ""), Outcome::Unknown, false),
            (Error::new(ErrorKind::OperationIncomplete, ""), Outcome::Unknown, false),
            (Error::new(ErrorKind::InvalidArgument, ""), Outcome::NotSent, false),
            (Error::new(ErrorKind::Precondition, ""), Outcome::NotSent, false),
            (server(303), Outcome::Unknown, false),
            (server(400), Outcome::NotSent, false),
            (server(401).with_kind(ErrorKind::Auth), Outcome::NotSent, false),
            (server(404), Outcome::NotSent, false),
            (server(408), Outcome::Unknown, true),
            (server(422), Outcome::NotSent, false),
            (server(429), Outcome::NotSent, true),
            (server(499), Outcome::NotSent, false),
            (server(500), Outcome::Unknown, true),
            (server(503), Outcome::Unknown, true),
        ];
        for (error, outcome, is_temporary) in table {
            assert_eq!((error.outcome(), error.is_temporary()), (outcome, is_temporary), "{error:?}");
            let is_safe = outcome == Outcome::NotSent;
            assert_eq!(error.is_retryable(), is_temporary && is_safe, "{error:?}");
            assert_eq!(error.clone().with_repeatable(true).is_retryable(), is_temporary, "{error:?}");
            assert!(!error.clone().with_repeatable(true).done().is_retryable(), "{error:?}");
            assert_eq!(error.not_sent().is_retryable(), is_temporary);
        }
    }

    #[test]
    fn step_after_a_change_cannot_be_not_sent() {
        use Outcome::{Done, NotSent, Unknown};
        let table = [
            (NotSent, NotSent, NotSent),
            (NotSent, Unknown, Unknown),
            (NotSent, Done, Done),
            (Unknown, NotSent, Unknown),
            (Unknown, Unknown, Unknown),
            (Unknown, Done, Done),
            (Done, NotSent, Unknown),
            (Done, Unknown, Unknown),
            (Done, Done, Done),
        ];
        for (earlier, step, expected) in table {
            let error = Error::new(ErrorKind::Network, "").with_outcome(step).after(earlier);
            assert_eq!(error.outcome(), expected, "{step:?} after {earlier:?}");
        }
    }
}
