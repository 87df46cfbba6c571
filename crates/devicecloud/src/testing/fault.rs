use std::time::Duration;

/// What a [`MockCloud`](super::MockCloud) does instead of answering a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Answers after this time. Longer than the timeout of the client (30 s by default), it is a timeout.
    Delay(Duration),
    /// Answers with this status, such as 401 or 500, and its text as the error.
    Status(u16),
    /// Answers with status 429 and the header `Retry-After`, in whole seconds.
    RetryAfter(Duration),
    /// Cuts the connection before the answer.
    Cut,
    /// Answers with status 200 and an HTML page, as the sign-in page of a public network does.
    HtmlPage,
}
