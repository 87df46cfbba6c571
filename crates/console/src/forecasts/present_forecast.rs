//! The forecast of a single device, from what was just read of it.

use jiff::Timestamp;
use platform::db::{Db, Result};

use super::DeviceFacts;
use super::store::{self, StoredForecast};

/// The forecast that follows from a read of a device and its daily use, as stored beside the index. The date in lists follows
/// with the next pass.
#[derive(Debug)]
pub(crate) struct PresentForecast {
    stored: StoredForecast,
}

impl PresentForecast {
    /// Reads the daily use. Of a device that is not in the index it is unknown. Does not check permissions; the caller must.
    pub(crate) async fn read(db: &Db, facts: DeviceFacts) -> Result<Self> {
        let before = store::read(db, &[facts.dsn.as_str()]).await?.remove(facts.dsn.as_str());
        Ok(Self { stored: facts.apply_to(before.unwrap_or_default()) })
    }

    /// When the cartridge is expected to be empty; `None` without a forecast.
    pub(crate) fn runs_dry_at(&self) -> Option<Timestamp> {
        self.stored.runs_dry_at()
    }
}
