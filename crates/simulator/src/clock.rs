//! The simulator's only source of the current time. Durations use `tokio::time`.

use jiff::Timestamp;
use tokio::sync::watch;

/// The system clock, or in tests one that follows tokio's time, which can be paused and advanced, or one that they set.
#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    System,
    Set(watch::Receiver<Timestamp>),
    #[cfg(test)]
    Tokio {
        began_at: Timestamp,
        began: tokio::time::Instant,
    },
}

/// Sets a clock. Diffusers take a step at once.
#[derive(Debug)]
pub struct ClockHandle(watch::Sender<Timestamp>);

impl Clock {
    /// The system clock.
    pub fn system() -> Self {
        Self(Source::System)
    }

    /// A clock that stays at `now` until it is set.
    pub fn set_by_hand(now: Timestamp) -> (ClockHandle, Self) {
        let (sender, receiver) = watch::channel(now);
        (ClockHandle(sender), Self(Source::Set(receiver)))
    }

    #[cfg(test)]
    pub(crate) fn tokio(began_at: &str) -> Self {
        Self(Source::Tokio { began_at: began_at.parse().expect("a time"), began: tokio::time::Instant::now() })
    }

    pub(crate) fn now(&self) -> Timestamp {
        match &self.0 {
            #[expect(clippy::disallowed_methods, reason = "the only use of the system clock")]
            Source::System => Timestamp::now(),
            Source::Set(now) => *now.borrow(),
            #[cfg(test)]
            Source::Tokio { began_at, began } => *began_at + began.elapsed(),
        }
    }

    /// Waits until the clock is set. Cancel-safe.
    pub(crate) async fn changed(&mut self) {
        if let Source::Set(now) = &mut self.0
            && now.changed().await.is_ok()
        {
            return;
        }
        std::future::pending::<()>().await;
    }
}

impl ClockHandle {
    /// Sets the time.
    pub fn set(&self, now: Timestamp) {
        self.0.send_replace(now);
    }
}
