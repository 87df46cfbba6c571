//! The time span of a read of the cloud. It decides which rows the read may overwrite.

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result, params};
use platform::run::clock::Clock;

/// Longer reads are ignored. The client library's timeout is well below.
const MAX_DURATION: SignedDuration = SignedDuration::from_mins(5);

/// The time span of a read of the cloud.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CloudRead {
    began: Timestamp,
    ended: Timestamp,
}

impl CloudRead {
    /// Starts a read; call this before the request is sent.
    pub(crate) fn begin(clock: &Clock) -> Self {
        let now = clock.now();
        Self { began: now, ended: now }
    }

    /// Starts a read of one device outside of passes. A page that is read meanwhile and finds the row unchanged stamps
    /// it nevertheless; otherwise this read could restore values from before the page.
    ///
    /// # Errors
    /// Database errors.
    pub(crate) async fn announce(db: &Db, clock: &Clock, dsn: &str) -> Result<Self> {
        let read = Self::begin(clock);
        db.execute(
            "update idx_device_state set reading_until = $2 where dsn = $1 and reading_until < $2",
            params![dsn, read.began + MAX_DURATION],
        )
        .await?;
        Ok(read)
    }

    /// Ends the read; call this when the response has arrived.
    pub(crate) fn end(self, clock: &Clock) -> Self {
        Self { ended: clock.now(), ..self }
    }

    pub(crate) fn began(self) -> Timestamp {
        self.began
    }

    pub(crate) fn ended(self) -> Timestamp {
        self.ended
    }

    /// Whether the read took so long that it must be ignored.
    pub(crate) fn is_expired(self) -> bool {
        self.ended.duration_since(self.began) >= MAX_DURATION
    }
}
