//! What all connections to other nodes have in common.

use std::time::Duration;

use super::Message;

/// The time between two checks of the connection.
pub(super) const CHECK_EVERY: Duration = Duration::from_secs(3);

/// The error of a connection. Contains no credentials.
pub(super) type LinkError = Box<dyn std::error::Error + Send + Sync>;
pub(super) type LinkResult<T> = Result<T, LinkError>;

/// Something that came from another node.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Incoming {
    Message(Message),
    /// Another node could not send its events of this purpose.
    Resync(String),
    /// Events of any purpose were lost on the way.
    Lost,
}
