//! Decides whether to reconnect.

use std::time::Duration;

pub(crate) const RECONNECT_DELAY: Duration = Duration::from_secs(3);

/// How a connection, or an attempt to connect, ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The cloud rejected the handshake with this status.
    Refused(u16),
    /// The cloud could not be reached, or the handshake failed.
    Failed,
    /// An open connection ended.
    Closed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Connect again with the same key after the delay.
    Again,
    /// The key is invalid: the application needs a new subscription.
    GiveUp,
}

pub(super) fn next(end: End) -> Next {
    match end {
        End::Refused(401 | 404) => Next::GiveUp,
        End::Refused(_) | End::Failed | End::Closed => Next::Again,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_refused_key_ends_a_stream() {
        let table = [
            (End::Refused(401), Next::GiveUp),
            (End::Refused(404), Next::GiveUp),
            (End::Refused(429), Next::Again),
            (End::Refused(503), Next::Again),
            (End::Failed, Next::Again),
            (End::Closed, Next::Again),
        ];
        for (end, expected) in table {
            assert_eq!(next(end), expected, "{end:?}");
        }
        assert_eq!(RECONNECT_DELAY.as_millis(), 3000);
    }
}
