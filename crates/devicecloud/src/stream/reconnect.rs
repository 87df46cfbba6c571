//! Decides whether to reconnect.

use std::time::Duration;

pub(crate) const RECONNECT_DELAY: Duration = Duration::from_secs(3);

/// How a connection, or an attempt to connect, ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Disconnect {
    /// The cloud rejected the handshake with this status.
    Rejected(u16),
    /// The cloud could not be reached, or the handshake failed.
    Failed,
    /// An open connection ended.
    Closed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NextStep {
    /// Connect again with the same key after the delay.
    Reconnect,
    /// The key is invalid: the application needs a new subscription.
    GiveUp,
}

pub(super) fn next_step(end: Disconnect) -> NextStep {
    match end {
        Disconnect::Rejected(401 | 404) => NextStep::GiveUp,
        Disconnect::Rejected(_) | Disconnect::Failed | Disconnect::Closed => NextStep::Reconnect,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_rejected_key_ends_a_stream() {
        let table = [
            (Disconnect::Rejected(401), NextStep::GiveUp),
            (Disconnect::Rejected(404), NextStep::GiveUp),
            (Disconnect::Rejected(429), NextStep::Reconnect),
            (Disconnect::Rejected(503), NextStep::Reconnect),
            (Disconnect::Failed, NextStep::Reconnect),
            (Disconnect::Closed, NextStep::Reconnect),
        ];
        for (end, expected) in table {
            assert_eq!(next_step(end), expected, "{end:?}");
        }
        assert_eq!(RECONNECT_DELAY.as_millis(), 3000);
    }
}
