//! The forecast of a single device, from what was just read of it.

use diffuser::forecast::ForecastInput;
use platform::db::{Db, Result};

use super::DeviceFacts;
use super::store::{self, StoredForecast};
use crate::records::Outlook;

/// A device, and its daily use as stored beside the index. The forecast of a list follows with the next pass.
#[derive(Debug)]
pub(crate) struct PresentForecast {
    facts: DeviceFacts,
    stored: StoredForecast,
}

impl PresentForecast {
    /// Reads the daily use. Of a device that is not in the index it is unknown. Does not check permissions; the caller must.
    pub(crate) async fn read(db: &Db, facts: DeviceFacts) -> Result<Self> {
        let before = store::read(db, &[facts.dsn.as_str()]).await?.remove(facts.dsn.as_str());
        let stored = facts.apply_to(before.unwrap_or_default());
        Ok(Self { facts, stored })
    }

    /// When the cartridge is empty.
    pub(crate) fn outlook(&self) -> Outlook {
        self.stored.outlook()
    }

    /// What the forecast follows from.
    pub(crate) fn input(&self) -> ForecastInput<'_> {
        self.facts.input(&self.stored)
    }
}
