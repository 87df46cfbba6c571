//! Keeps the levels that the cloud stores what they should be, so that lists are right and warnings are sent in time.
//! Between the passes, one device after the other: a new catalogue is no storm.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use devicecloud::Dsn;

use super::ServiceSession;
use crate::devices::{level, whole};
use crate::error::{ApiError, ApiResult, CloudFailure};
use crate::state::Base;

/// After a failure.
const REST: Duration = Duration::from_secs(30);

/// The devices whose stored level is not what it should be.
pub(super) struct Levels {
    pub(super) base: Base,
    pub(super) service: Arc<ServiceSession>,
    /// Before each device: the rate budget.
    pub(super) pause: Duration,
    pub(super) due: BTreeSet<Dsn>,
}

impl Levels {
    /// Never ends. Dropped at any time, it loses no device.
    pub(super) async fn work(&mut self) {
        while let Some(dsn) = self.due.first().cloned() {
            tokio::time::sleep(self.pause).await;
            match self.bring_up_to_date(&dsn).await {
                Ok(()) => {
                    self.due.remove(&dsn);
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
        let stored = match whole::read(&cloud, dsn.as_str()).await {
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
