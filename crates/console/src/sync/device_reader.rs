//! Reads single devices again: those whose level in the cloud is outdated, which it stores, so that lists are right and
//! warnings are sent in time, and those that have changed in what only the cloud has, for forecast and attention. It works beside
//! passes and stream, which find the devices, at its own rate, so that a new catalogue causes no burst of calls.

use std::sync::Arc;
use std::time::Duration;

use devicecloud::Dsn;
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::backoff::Backoff;
use crate::base::Base;
use crate::devices::level;
use crate::http::error::{ApiError, CloudFailure};
use crate::index::DueReads;
use crate::index::forecasts::{DeviceFacts, DueForecasts};
use crate::records::device_panic;
use crate::records::{DeviceRecord, cloud_device, level_to_store};
use crate::sessions::service_account::ServiceSession;

/// Maximum number of devices at the same time, so that a slow cloud does not slow down the rate.
const CONCURRENT: usize = 8;

/// Reads the devices that are due.
pub(super) struct DeviceReader {
    pub(super) base: Base,
    pub(super) service: Arc<ServiceSession>,
    /// Interval between two devices.
    pub(super) pause: Duration,
    pub(super) due: DueReads,
    /// Gets what was read.
    pub(super) forecasts: DueForecasts,
}

/// A device that was not read, or whose level was not stored.
pub(super) struct Failure {
    dsn: Dsn,
    error: ApiError,
    /// The cloud's `Retry-After`; zero if there was none.
    retry_after: Duration,
    began: Instant,
}

impl DeviceReader {
    /// Never returns. Cancel-safe.
    pub(super) async fn run(&self) {
        let pause = self.pause.max(Duration::from_millis(1));
        let mut turns = interval_at(Instant::now() + pause, pause);
        turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut backoff, mut resumes_at) = (Backoff::new(self.base.random.clone()), Instant::now());
        let mut running = FuturesUnordered::new();
        loop {
            tokio::select! {
                Some(updated) = running.next() => match updated {
                    Ok(()) => backoff.reset(),
                    Err(Failure { dsn, error, retry_after, began }) => {
                        if !error.is_unavailable() {
                            tracing::warn!(device.dsn = %dsn, %error, "failed to read a device or to store its level");
                        }
                        self.due.add(&dsn);
                        // Failures of devices that ran at the same time have one cause.
                        let wait = if began >= resumes_at { backoff.next().max(retry_after) } else { retry_after };
                        resumes_at = resumes_at.max(Instant::now() + wait);
                        turns.reset_at(resumes_at);
                    }
                },
                dsn = self.next(&mut turns), if running.len() < CONCURRENT => running.push(self.update(dsn)),
            }
        }
    }

    async fn next(&self, turns: &mut Interval) -> Dsn {
        turns.tick().await;
        self.due.next().await
    }

    pub(super) async fn update(&self, dsn: Dsn) -> Result<(), Failure> {
        let began = Instant::now();
        match device_panic::catch_async("read", dsn.as_str(), self.read(&dsn)).await {
            // The work panicked, or the device was removed, is being written or rejects the level; the next pass decides again.
            None
            | Some(
                Ok(())
                | Err((
                    ApiError::NotFound
                    | ApiError::Forbidden
                    | ApiError::Conflict(_)
                    | ApiError::Cloud(CloudFailure::Refused(_)),
                    _,
                )),
            ) => Ok(()),
            Some(Err((error, retry_after))) => Err(Failure { dsn, error, retry_after, began }),
        }
    }

    /// Hands over what forecast and attention need, and stores the level if it is outdated.
    async fn read(&self, dsn: &Dsn) -> Result<(), (ApiError, Duration)> {
        let cloud_error = |error: devicecloud::Error| {
            let retry_after = error.retry_after().unwrap_or_default();
            (error.into(), retry_after)
        };
        let cloud = self.service.cloud().await.map_err(cloud_error)?;
        let (db, read_at) = (&self.base.db, self.base.clock.now());
        let device = cloud_device::read(&cloud, dsn.as_str()).await.map_err(cloud_error)?;
        if device.registered == Some(false) {
            // Factory stock is not indexed.
            return Ok(());
        }
        let record = DeviceRecord::of(&device);
        let catalogue = level::catalogue(db, &record).await.map_err(|error| (error.into(), Duration::ZERO))?;
        // If there is no room, the next pass finds the device.
        self.forecasts.add(DeviceFacts::of(&device, &record, &catalogue, read_at));
        if level_to_store(&device, &record, &catalogue).is_none() {
            return Ok(());
        }
        level::store_between_writes(&self.base, &cloud, dsn).await.map_err(|error| {
            let retry_after = match &error {
                ApiError::TooManyRequests { retry_after_secs } => Duration::from_secs(*retry_after_secs),
                _ => Duration::ZERO,
            };
            (error, retry_after)
        })
    }
}
