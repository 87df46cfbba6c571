//! Keeps the levels that the cloud stores what they should be, so that lists are right and warnings are sent in time.
//! Between the passes, one device after the other: a new catalogue is no storm.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use devicecloud::Dsn;

use super::ServiceSession;
use crate::devices::level;
use crate::error::{ApiError, ApiResult, CloudFailure};
use crate::records::cloud_device;
use crate::state::Base;

/// After a failure.
const REST: Duration = Duration::from_secs(30);

/// The devices whose stored level is not what it should be.
pub(super) struct Levels {
    pub(super) base: Base,
    pub(super) service: Arc<ServiceSession>,
    /// Before each device: the rate budget.
    pub(super) pause: Duration,
    pub(super) due: Due,
}

/// Devices, each in its turn: one that fails again and again keeps none of the others waiting.
#[derive(Debug, Default)]
pub(super) struct Due {
    pub(super) devices: BTreeSet<Dsn>,
    last: Option<Dsn>,
}

impl Due {
    fn next(&mut self) -> Option<Dsn> {
        let after = self.last.as_ref().map_or(Bound::Unbounded, Bound::Excluded);
        let next = self.devices.range((after, Bound::Unbounded)).next().or_else(|| self.devices.first());
        self.last = next.cloned();
        self.last.clone()
    }
}

impl Levels {
    /// Never ends. Dropped at any time, it loses no device.
    pub(super) async fn work(&mut self) {
        while let Some(dsn) = self.due.next() {
            tokio::time::sleep(self.pause).await;
            match self.bring_up_to_date(&dsn).await {
                Ok(()) => {
                    self.due.devices.remove(&dsn);
                }
                Err(error) => {
                    tracing::warn!(device.dsn = %dsn, %error, "the level of a device was not stored");
                    tokio::time::sleep(REST).await;
                }
            }
        }
        std::future::pending::<()>().await;
    }

    /// Reads the device again: since the pass somebody may have put in a new cartridge.
    async fn bring_up_to_date(&self, dsn: &Dsn) -> ApiResult<()> {
        let cloud = self.service.cloud().await?;
        let stored = match cloud_device::read(&cloud, dsn.as_str()).await {
            Ok(device) => level::bring_up_to_date(&self.base.db, &cloud, &device).await,
            Err(error) => Err(error.into()),
        };
        match stored {
            // It is no device of ours any more, or takes no level: the next pass will tell.
            Err(ApiError::NotFound | ApiError::Forbidden | ApiError::Cloud(CloudFailure::Refused(_))) => Ok(()),
            stored => stored,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_fails_waits_until_all_others_had_their_turn() {
        let mut due = Due { devices: ["A", "B", "C"].map(Dsn::from).into(), last: None };
        let turns: Vec<_> = (0..5).filter_map(|_| due.next()).collect();
        assert_eq!(turns, ["A", "B", "C", "A", "B"].map(Dsn::from));
        due.devices.remove(&Dsn::from("C"));
        due.devices.remove(&Dsn::from("A"));
        assert_eq!(due.next(), Some("B".into()), "alone, it is tried again");
        due.devices.clear();
        assert_eq!(due.next(), None);
    }
}
