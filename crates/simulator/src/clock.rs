//! The simulator's only source of the current time. Durations use `tokio::time`.

use jiff::Timestamp;

/// The system clock, or in tests a clock that follows tokio's time, which can be paused and advanced.
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
            #[expect(clippy::disallowed_methods, reason = "the only use of the system clock")]
            Self::System => Timestamp::now(),
            #[cfg(test)]
            Self::Tokio { began_at, began } => began_at + began.elapsed(),
        }
    }
}
