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
use crate::session;

/// A cloud that takes longer counts as unreachable.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a result is reused.
const MAX_AGE: SignedDuration = SignedDuration::from_secs(5);
/// Interval between checks, so that a lasting fault stays visible in the log.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// Why the device cloud does not serve the console. The message names the option to check.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CloudFault {
    /// There was no response, or a server error.
    #[error("the device cloud cannot be reached (--cloud): {0}")]
    Unreachable(Error),
    /// Another kind of server responds at this address.
    #[error("the server at this address is not a device cloud (--cloud)")]
    NotACloud,
    /// The cloud does not say whether the id or the secret is wrong.
    #[error(
        "the device cloud rejected the console's application (--app-secret-file; or --app-id, if there is no such one)"
    )]
    Application,
    /// The cloud does not say whether the address or the password is wrong.
    #[error(
        "the device cloud rejected the console's account (--service-password-file; or --service-email, if there is no such \
         one): {0}"
    )]
    Account(Error),
    /// The index would contain only a part of the fleet.
    #[error("the console's account is no administrator at the device cloud (--service-email)")]
    NotAdministrator,
}

impl CloudFault {
    /// Classifies the error of a sign-in, or of a call with its tokens.
    pub(crate) fn of(error: Error) -> Self {
        match (error.kind(), error.status()) {
            (ErrorKind::Json, _) | (_, Some(405)) => Self::NotACloud,
            // The cloud responds 404 in JSON, another web server in HTML.
            (ErrorKind::Auth, Some(404)) if error.message().starts_with('<') => Self::NotACloud,
            (ErrorKind::Auth, Some(404)) => Self::Application,
            (_, Some(400..=499)) if !error.is_retryable() => Self::Account(error),
            _ => Self::Unreachable(error),
        }
    }

    /// Whether the console may start regardless, because the cloud may become reachable.
    pub(crate) fn is_transient(&self) -> bool {
        matches!(self, Self::Unreachable(_))
    }
}

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
