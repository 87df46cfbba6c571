//! Checks whether the device cloud serves the console: at the start, once a minute, and for `/readyz`.

use std::sync::Arc;
use std::time::Duration;

use devicecloud::{Error, ErrorKind};
use diffuser::Role;
use jiff::{SignedDuration, Timestamp};
use platform::clock::Clock;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::ServiceSession;
use crate::cloud_fault::CloudFault;
use crate::session;

/// A cloud that takes longer counts as unreachable.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a result is reused.
const MAX_AGE: SignedDuration = SignedDuration::from_secs(5);
/// Interval between checks, so that a lasting fault stays visible in the log.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// Checks the cloud with the service account.
pub(crate) struct CloudCheck {
    service: Arc<ServiceSession>,
    clock: Clock,
    last: Mutex<Option<(Timestamp, Result<(), CloudFault>)>>,
}

impl CloudCheck {
    pub(crate) fn new(service: Arc<ServiceSession>, clock: Clock) -> Self {
        Self { service, clock, last: Mutex::default() }
    }

    /// Returns a result that is at most a few seconds old. Concurrent callers share it.
    pub(crate) async fn result(&self) -> Result<(), CloudFault> {
        let mut last = self.last.lock().await;
        let now = self.clock.now();
        if let Some((at, result)) = &*last
            && now.duration_since(*at) < MAX_AGE
        {
            return result.clone();
        }
        let result = self.check().await;
        *last = Some((self.clock.now(), result.clone()));
        result
    }

    async fn check(&self) -> Result<(), CloudFault> {
        let profile = async { self.service.cloud().await?.users().without_retry().profile().await };
        let late = || Error::new(ErrorKind::Timeout, "it does not answer");
        let profile = tokio::time::timeout(CHECK_TIMEOUT, profile).await.unwrap_or_else(|_| Err(late()));
        match session::access(&profile.map_err(CloudFault::of)?) {
            (Some(Role::Admin), _) => Ok(()),
            _ => Err(CloudFault::NotAdministrator),
        }
    }

    /// Logs each minute why the cloud does not serve the console, until `stopping` is cancelled.
    pub(crate) async fn watch(&self, stopping: &CancellationToken) {
        let mut failed = false;
        loop {
            let result = self.result().await;
            match &result {
                Ok(()) if failed => tracing::info!("the device cloud serves the console again"),
                Ok(()) => {}
                Err(fault) => tracing::error!("{fault}"),
            }
            failed = result.is_err();
            if stopping.run_until_cancelled(tokio::time::sleep(CHECK_INTERVAL)).await.is_none() {
                return;
            }
        }
    }
}
