//! Keeps the levels in the cloud up to date, so that lists are right and warnings are sent in time. It works
//! between passes, one device at a time, so that a new catalogue causes no burst of calls.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use devicecloud::Dsn;

use crate::base::Base;
use crate::devices::level;
use crate::error::{ApiError, ApiResult, CloudFailure};
use crate::records::cloud_device;
use crate::service::ServiceSession;

/// Delay after a failure.
const RETRY_DELAY: Duration = Duration::from_secs(30);

/// Updates devices with an outdated stored level.
pub(super) struct LevelUpdater {
    pub(super) base: Base,
    pub(super) service: Arc<ServiceSession>,
    /// Delay before each device, to limit the rate.
    pub(super) pause: Duration,
    pub(super) due: LevelQueue,
}

/// A round-robin queue of devices: a failing device does not block others.
#[derive(Debug, Default)]
pub(super) struct LevelQueue {
    pub(super) devices: BTreeSet<Dsn>,
    last: Option<Dsn>,
}

impl LevelQueue {
    fn next(&mut self) -> Option<Dsn> {
        let after = self.last.as_ref().map_or(Bound::Unbounded, Bound::Excluded);
        let next = self.devices.range((after, Bound::Unbounded)).next().or_else(|| self.devices.first());
        self.last = next.cloned();
        self.last.clone()
    }
}

impl LevelUpdater {
    /// Never returns. Cancel-safe.
    pub(super) async fn run(&mut self) {
        while let Some(dsn) = self.due.next() {
            tokio::time::sleep(self.pause).await;
            match self.update_level(&dsn).await {
                Ok(()) => {
                    self.due.devices.remove(&dsn);
                }
                Err(error) => {
                    tracing::warn!(device.dsn = %dsn, %error, "the level of a device was not stored");
                    tokio::time::sleep(RETRY_DELAY).await;
                }
            }
        }
        std::future::pending::<()>().await;
    }

    /// Reads the device again: its cartridge may have been replaced since the pass.
    async fn update_level(&self, dsn: &Dsn) -> ApiResult<()> {
        let cloud = self.service.cloud().await?;
        let stored = match cloud_device::read(&cloud, dsn.as_str()).await {
            Ok(device) => level::store_computed_level(&self.base.db, &cloud, &device).await,
            Err(error) => Err(error.into()),
        };
        match stored {
            // The device was removed or rejects the level; the next pass decides again.
            Err(ApiError::NotFound | ApiError::Forbidden | ApiError::Cloud(CloudFailure::Refused(_))) => Ok(()),
            stored => stored,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failing_device_is_retried_after_all_others() {
        let mut due = LevelQueue { devices: ["A", "B", "C"].map(Dsn::from).into(), last: None };
        let turns: Vec<_> = (0..5).filter_map(|_| due.next()).collect();
        assert_eq!(turns, ["A", "B", "C", "A", "B"].map(Dsn::from));
        due.devices.remove(&Dsn::from("C"));
        due.devices.remove(&Dsn::from("A"));
        assert_eq!(due.next(), Some("B".into()), "a single device is retried");
        due.devices.clear();
        assert_eq!(due.next(), None);
    }
}
