//! Whether the device cloud serves the console: at the start, once a minute, and whenever somebody asks for `/readyz`.

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

/// A cloud that takes longer cannot be reached.
const PATIENCE: Duration = Duration::from_secs(5);
/// A result serves all who ask within this time.
const FRESH: SignedDuration = SignedDuration::from_secs(5);
/// Between two checks, so that a fault stands in the log as long as it lasts.
const EVERY: Duration = Duration::from_secs(60);

/// Why the device cloud does not serve the console. The text names the option to look at.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CloudFault {
    /// No answer, or one that says that the cloud itself is out of order.
    #[error("the device cloud cannot be reached (--cloud): {0}")]
    Unreachable(Error),
    /// Something else listens there.
    #[error("the server at this address is not a device cloud (--cloud)")]
    NotACloud,
    /// The cloud does not tell its id and its secret apart.
    #[error(
        "the device cloud rejected the console's application (--app-secret-file; or --app-id, if there is no such one)"
    )]
    Application,
    /// The cloud does not tell its address and its password apart.
    #[error(
        "the device cloud rejected the console's account (--service-password-file; or --service-email, if there is no such \
         one): {0}"
    )]
    Account(Error),
    /// It would see and keep a part of the fleet only.
    #[error("the console's account is no administrator at the device cloud (--service-email)")]
    NotAdministrator,
}

impl CloudFault {
    /// Why a sign-in, or a call with the tokens of one, failed.
    pub(crate) fn of(error: Error) -> Self {
        match (error.kind(), error.status()) {
            (ErrorKind::Json, _) | (_, Some(405)) => Self::NotACloud,
            // A cloud answers 404 in JSON, another web server with a page.
            (ErrorKind::Auth, Some(404)) if error.message().starts_with('<') => Self::NotACloud,
            (ErrorKind::Auth, Some(404)) => Self::Application,
            (_, Some(400..=499)) if !error.is_retryable() => Self::Account(error),
            _ => Self::Unreachable(error),
        }
    }

    /// Whether the console may start: the cloud may come later.
    pub(crate) fn may_pass(&self) -> bool {
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

    /// The result of a check that is a few seconds old at most. Callers at the same time share it.
    pub(crate) async fn result(&self) -> Result<(), CloudFault> {
        let mut last = self.last.lock().await;
        let now = self.clock.now();
        if let Some((at, result)) = &*last
            && now.duration_since(*at) < FRESH
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
        let profile = tokio::time::timeout(PATIENCE, profile).await.unwrap_or_else(|_| Err(late()));
        match session::access(&profile.map_err(CloudFault::of)?) {
            (Some(Role::Admin), _) => Ok(()),
            _ => Err(CloudFault::NotAdministrator),
        }
    }

    /// Logs each minute why the cloud does not serve the console, until `stopping`.
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
            if stopping.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_none() {
                return;
            }
        }
    }
}
