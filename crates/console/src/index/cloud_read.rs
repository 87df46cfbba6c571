//! When a read of the cloud took place, which decides what it may overwrite.

use jiff::{SignedDuration, Timestamp};
use platform::clock::Clock;
use platform::db::{Db, Result, params};

/// A read that took longer counts for nothing. The client library gives up well before.
const LONGEST: SignedDuration = SignedDuration::from_mins(5);

/// When a read of the cloud took place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CloudRead {
    began: Timestamp,
    ended: Timestamp,
}

impl CloudRead {
    /// Before the call goes out.
    pub(crate) fn begin(clock: &Clock) -> Self {
        let now = clock.now();
        Self { began: now, ended: now }
    }

    /// Before the call for one device goes out beside the passes. A page that is read meanwhile, and finds the row as it
    /// is, leaves its stamp for once, or this read could bring back what was there before the page.
    ///
    /// # Errors
    /// What the database says.
    pub(crate) async fn announce(db: &Db, clock: &Clock, dsn: &str) -> Result<Self> {
        let read = Self::begin(clock);
        db.execute(
            "UPDATE idx_device_state SET reading_until = $2 WHERE dsn = $1 AND reading_until < $2",
            params![dsn, read.began + LONGEST],
        )
        .await?;
        Ok(read)
    }

    /// After the answer has come.
    pub(crate) fn end(self, clock: &Clock) -> Self {
        Self { ended: clock.now(), ..self }
    }

    pub(crate) fn began(self) -> Timestamp {
        self.began
    }

    pub(crate) fn ended(self) -> Timestamp {
        self.ended
    }

    /// Whether it is too old to count for anything.
    pub(crate) fn is_void(self) -> bool {
        self.ended.duration_since(self.began) >= LONGEST
    }
}
