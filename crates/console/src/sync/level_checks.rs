//! Finds devices whose stored level is outdated by the cartridge life that the live stream has reported.

use std::collections::HashMap;
use std::time::Duration;

use platform::db::rows::{key_runs, placeholders};
use platform::db::{Params, Result};
use sqlx::AssertSqlSafe;

use crate::base::Base;
use crate::fragrances;
use crate::index::DueReads;
use crate::index::streamed_values::StreamedValues;
use crate::records::device_panic;
use crate::records::{Catalogue, level_after};

/// Maximum number of devices that are checked at once.
const BATCH: usize = 512;
/// Reports within this time are checked together.
const GATHERING: Duration = Duration::from_secs(1);
/// The time to wait after a failure.
const FAILURE_PAUSE: Duration = Duration::from_secs(10);

/// Lets those devices be read again. It runs on the node with the lease of the passes.
pub(super) struct LevelChecks {
    pub(super) base: Base,
    pub(super) values: StreamedValues,
    pub(super) reads: DueReads,
}

impl LevelChecks {
    /// Never returns. Cancel-safe: a device whose check is cancelled is found by its next report or the next pass.
    pub(super) async fn run(&self) {
        loop {
            self.values.wait().await;
            tokio::time::sleep(GATHERING).await;
            if let Err(error) = self.check().await {
                if !error.is_unavailable() {
                    tracing::warn!(%error, "the levels of reporting devices could not be checked");
                }
                tokio::time::sleep(FAILURE_PAUSE).await;
            }
        }
    }

    /// Checks the devices whose cartridge life has changed.
    pub(super) async fn check(&self) -> Result<()> {
        let catalogue = fragrances::by_name(&self.base.db).await?;
        loop {
            let lives = self.values.take_changed(BATCH);
            if lives.is_empty() {
                return Ok(());
            }
            match self.outdated(&lives, &catalogue).await {
                // The next pass finds those for which there is no room.
                Ok(outdated) => outdated.iter().for_each(|dsn| {
                    self.reads.add_urgent(&dsn.as_str().into());
                }),
                Err(error) => {
                    self.values.put_back(lives);
                    return Err(error);
                }
            }
        }
    }

    async fn outdated(&self, lives: &[(String, f64)], catalogue: &Catalogue) -> Result<Vec<String>> {
        let (db, mut outdated) = (&self.base.db, Vec::new());
        let hours: HashMap<&str, f64> = lives.iter().map(|(dsn, hours)| (dsn.as_str(), *hours)).collect();
        for run in key_runs(&hours.keys().copied().collect::<Vec<_>>()) {
            let sql = format!(
                "select d.dsn, d.system_configuration, d.fragrance, s.fragrance_remaining from idx_devices d \
                 join idx_device_state s on s.dsn = d.dsn where d.dsn in ({})",
                placeholders(db.dialect(), run.len())
            );
            let keys = run.into_iter().fold(Params::default(), Params::with);
            let rows: Vec<(String, String, String, Option<i64>)> = db.fetch_all(AssertSqlSafe(sql), keys).await?;
            for (dsn, configuration, fragrance, stored) in rows {
                let level = || level_after(&configuration, &fragrance, *hours.get(dsn.as_str())?, catalogue);
                let level = device_panic::catch("level", &dsn, level).flatten();
                if level.is_some() && level != stored {
                    outdated.push(dsn);
                }
            }
        }
        Ok(outdated)
    }
}
