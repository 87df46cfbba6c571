//! Checks whether the device cloud serves the console: at the start, every few seconds, and for `/readyz`.

use std::sync::Arc;
use std::time::Duration;

use devicecloud::{Error, ErrorKind, Result as CloudResult};
use diffuser::Role;
use jiff::{SignedDuration, Timestamp};
use platform::run::clock::Clock;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::ServiceSession;
use crate::sessions::cloud_fault::CloudFault;
use crate::sessions::session;

/// A cloud that takes longer counts as unreachable.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a result is reused. Each check signs in, which costs the cloud a comparison of a password.
const MAX_AGE: SignedDuration = SignedDuration::from_secs(5);
/// Interval between checks, so that a fault is noticed if nobody asks.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// The time between two log lines about a fault that lasts.
const LOG_INTERVAL: Duration = Duration::from_secs(60);

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

    /// The session that is checked.
    pub(crate) fn service(&self) -> &Arc<ServiceSession> {
        &self.service
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
        // Otherwise the profile needs a sign-in.
        let is_open = self.service.is_open().await;
        let profile = in_time(async { self.service.cloud().await?.users().without_retry().profile().await });
        let sign_in = async { if is_open { in_time(self.service.try_sign_in()).await } else { Ok(()) } };
        let (profile, sign_in) = tokio::join!(profile, sign_in);
        match session::access(&profile.map_err(CloudFault::of)?) {
            (Some(Role::Admin), _) => {}
            _ => return Err(CloudFault::NotAdministrator),
        }
        match sign_in.map_err(CloudFault::of) {
            // The session works. Sign-ins alone may be slow or limited while many people sign in.
            Err(fault) if !fault.is_transient() => Err(fault),
            _ => Ok(()),
        }
    }

    /// Logs each minute why the cloud does not serve the console, until `stopping` is cancelled.
    pub(crate) async fn watch(&self, stopping: &CancellationToken) {
        let mut logged: Option<Instant> = None;
        loop {
            match self.result().await {
                Ok(()) if logged.take().is_some() => tracing::info!("the device cloud serves the console again"),
                Ok(()) => {}
                Err(_) if logged.is_some_and(|at| at.elapsed() < LOG_INTERVAL) => {}
                Err(fault) => {
                    tracing::error!("{fault}");
                    logged = Some(Instant::now());
                }
            }
            if stopping.run_until_cancelled(sleep(CHECK_INTERVAL)).await.is_none() {
                return;
            }
        }
    }
}

async fn in_time<T>(call: impl Future<Output = CloudResult<T>>) -> CloudResult<T> {
    let late = || Error::new(ErrorKind::Timeout, "it does not answer");
    timeout(CHECK_TIMEOUT, call).await.unwrap_or_else(|_| Err(late()))
}

#[cfg(test)]
mod tests {
    use devicecloud::testing::MockCloud;
    use serde_json::json;

    use super::*;
    use crate::test_tools::captured_log::CapturedLog;

    #[tokio::test(start_paused = true)]
    async fn lasting_refusal_of_the_application_is_logged_once_a_minute() {
        let (cloud, log) = (MockCloud::new(), CapturedLog::start());
        let service = Arc::new(ServiceSession::new(&cloud.client(), "service@example.com".to_owned(), "hush".into()));
        let refusal = json!({ "error": "Could not find application" });
        cloud.answer("POST users/sign_in.json", 404, refusal);
        let clock = Clock::mock("2026-11-20T12:00:00Z".parse().unwrap());
        let check = CloudCheck::new(service, clock);
        let stopping = CancellationToken::new();
        assert!(timeout(Duration::from_secs(3 * 60 - 1), check.watch(&stopping)).await.is_err(), "it goes on");
        let log = log.text();
        assert_eq!(log.matches("rejected the console's application (--app-secret-file").count(), 3, "{log}");
    }
}
