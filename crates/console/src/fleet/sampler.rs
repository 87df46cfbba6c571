//! Takes a sample of the index each hour.

use std::time::Duration;

use jiff::Timestamp;
use platform::db::Result;
use tokio::time::{MissedTickBehavior, interval};

use crate::base::Base;
use crate::index;
use crate::index::fleet_days::{self, Dimension, hour_of};

/// How often the sampler checks whether a sample is due.
const INTERVAL: Duration = Duration::from_secs(30);

/// Takes a sample of all devices at the beginning of each hour. It runs on the node with the lease of the passes.
pub(crate) struct FleetSampler {
    pub(crate) base: Base,
}

impl FleetSampler {
    /// Never returns. Cancel-safe: a sample is stored in one transaction.
    pub(crate) async fn run(&self) {
        let mut ticks = interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            if let Err(error) = self.sample_if_due().await
                && !error.is_unavailable()
            {
                tracing::warn!(%error, "failed to take the hourly sample of the fleet");
            }
        }
    }

    /// Takes the sample of this hour, unless it has been taken, or the states in the index are older. Hours that have passed
    /// without a sample stay unknown.
    pub(super) async fn sample_if_due(&self) -> Result<()> {
        let Base { db, clock, .. } = &self.base;
        let hour = hour_of(clock.now());
        if fleet_days::sample_times(db).await?.is_some_and(|times| times.last >= hour) || !self.is_current(hour).await?
        {
            return Ok(());
        }
        let mut samples = Vec::new();
        for dimension in Dimension::ALL {
            samples.extend(index::fleet_samples(db, dimension).await?);
        }
        fleet_days::write_samples(db, hour, samples).await
    }

    async fn is_current(&self, hour: Timestamp) -> Result<bool> {
        Ok(index::times(&self.base.db).await?.is_some_and(|times| times.states_as_of >= hour))
    }
}
