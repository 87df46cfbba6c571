//! The simulator's only source of the time of day. How long something takes is `tokio::time`'s.

use jiff::Timestamp;

/// The clock of a fleet: the system's, or in tests one that goes with tokio's time, which they stop and turn.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Clock {
    System,
    #[cfg(test)]
    Tokio {
        began_at: Timestamp,
        began: tokio::time::Instant,
    },
}

impl Clock {
    #[cfg(test)]
    pub(crate) fn tokio(began_at: &str) -> Self {
        Self::Tokio { began_at: began_at.parse().expect("a time"), began: tokio::time::Instant::now() }
    }

    pub(crate) fn now(self) -> Timestamp {
        match self {
            #[expect(clippy::disallowed_methods, reason = "this is the seam")]
            Self::System => Timestamp::now(),
            #[cfg(test)]
            Self::Tokio { began_at, began } => began_at + began.elapsed(),
        }
    }
}
