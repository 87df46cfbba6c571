//! Refreshing tokens: when a refresh is due, one refresh for all concurrent callers, and the meaning of failures.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::Shared;
use http::Method;
use serde_json::json;

use crate::config::endpoints::Service;
use crate::error::messages;
use crate::error::{Error, ErrorKind, Result};
use crate::http::Request;
use crate::model::Time;
use crate::model::secret::SecretText;
use crate::session::{Authorization, BoxFuture, CloudSession, SessionEvent, auth, task_failed};

/// The refresh timer fires this long before expiry.
const GRACE_SECS: u64 = 43_200;
const MIN_DELAY_SECS: u64 = 30;
/// A call refreshes first if the token's remaining lifetime is at most this, or a tenth of its total lifetime.
const MARGIN_SECS: u64 = 60;

/// Whether the remaining lifetime is below the grace period.
pub(crate) fn under_grace(remaining_secs: u64) -> bool {
    remaining_secs < GRACE_SECS
}

/// The delay of the refresh timer: expiry minus 12 hours, at least 30 s.
pub(crate) fn refresh_delay(remaining_secs: u64) -> Duration {
    Duration::from_secs(remaining_secs.saturating_sub(GRACE_SECS).max(MIN_DELAY_SECS))
}

/// Whether a call must refresh the token before using it.
fn is_due(authorization: &Authorization, now: Time) -> bool {
    let margin = MARGIN_SECS.min(authorization.expires_in_secs / 10);
    authorization.remaining_secs(now) <= margin
}

/// How to proceed after a rejected token, given the stored one.
#[derive(Debug, PartialEq)]
enum Decision {
    /// The session has ended.
    Ended,
    /// It was refreshed already.
    UseStored,
    Refresh,
}

fn decide(stored: Option<&Authorization>, rejected: &SecretText) -> Decision {
    match stored {
        None => Decision::Ended,
        Some(stored) if stored.access_token.expose() == rejected.expose() => Decision::Refresh,
        Some(_) => Decision::UseStored,
    }
}

/// Only these statuses mean that the tokens are invalid; other failures may be temporary.
fn is_denial(error: &Error) -> bool {
    matches!(error.status(), Some(401 | 422))
}

/// A refresh in progress.
pub(crate) struct InFlightRefresh {
    rejected: SecretText,
    outcome: Shared<BoxFuture<'static, Result<Authorization>>>,
}

impl CloudSession {
    /// Returns the authorization, refreshed if it is about to expire. A failed refresh is ignored while the token is
    /// still valid.
    pub(super) async fn fresh(self: &Arc<Self>, stored: Authorization) -> Result<Authorization> {
        if !is_due(&stored, self.http.clock.now()) {
            return Ok(stored);
        }
        match self.refresh(&stored.access_token).await {
            Err(error) if error.kind() != ErrorKind::Auth && stored.remaining_secs(self.http.clock.now()) > 0 => {
                Ok(stored)
            }
            result => result,
        }
    }

    /// Returns a newer authorization than the rejected one. Concurrent callers share one refresh and its result. It
    /// runs to completion even if all callers are dropped, so that new tokens are never lost.
    pub(crate) async fn refresh(self: &Arc<Self>, rejected: &SecretText) -> Result<Authorization> {
        loop {
            let (outcome, same_token) = self.join_refresh(rejected);
            let result = outcome.await;
            if same_token {
                return result;
            }
        }
    }

    /// Refreshes the stored tokens now.
    pub(crate) async fn refresh_now(self: &Arc<Self>) -> Result<Authorization> {
        let stored = self.require(messages::NO_SESSION_ACTIVE).await?;
        self.refresh(&stored.access_token).await
    }

    fn join_refresh(
        self: &Arc<Self>,
        rejected: &SecretText,
    ) -> (Shared<BoxFuture<'static, Result<Authorization>>>, bool) {
        let mut in_flight = self.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = in_flight.as_ref().filter(|in_flight| in_flight.outcome.peek().is_none()) {
            return (running.outcome.clone(), running.rejected.expose() == rejected.expose());
        }
        let session = Arc::clone(self);
        let key = rejected.clone();
        let task = tokio::spawn(async move {
            let result = session.refresh_stored(&key).await;
            *session.in_flight.lock().unwrap_or_else(PoisonError::into_inner) = None;
            result
        });
        let outcome: BoxFuture<'static, _> = Box::pin(async { task.await.map_err(task_failed)? });
        let outcome = outcome.shared();
        *in_flight = Some(InFlightRefresh { rejected: rejected.clone(), outcome: outcome.clone() });
        (outcome, true)
    }

    /// Holds the store's lock, and saves before sending the event.
    async fn refresh_stored(&self, rejected: &SecretText) -> Result<Authorization> {
        // Loading may be cheaper than a lock between processes.
        if let Some(stored) = self.store.load().await.map_err(Error::not_sent)?
            && decide(Some(&stored), rejected) == Decision::UseStored
        {
            return Ok(stored);
        }
        let mut lock = self.store.lock().await.map_err(Error::not_sent)?;
        let stored = lock.load().await.map_err(Error::not_sent)?;
        match (decide(stored.as_ref(), rejected), stored) {
            (Decision::UseStored, Some(stored)) => Ok(stored),
            (Decision::Refresh, Some(stored)) => match self.request_refresh(&stored).await {
                Ok(refreshed) => {
                    lock.save(Some(&refreshed)).await.map_err(Error::done)?;
                    self.publisher.publish(SessionEvent::Refreshed);
                    Ok(refreshed)
                }
                Err(error) if is_denial(&error) => {
                    lock.save(None).await.map_err(Error::not_sent)?;
                    self.publisher.publish(SessionEvent::Closed);
                    Err(error)
                }
                Err(error) => Err(error),
            },
            _ => Err(Error::new(ErrorKind::Auth, messages::SESSION_NOT_ACTIVE).not_sent()),
        }
    }

    async fn request_refresh(&self, stored: &Authorization) -> Result<Authorization> {
        if stored.access_token.is_blank() || stored.refresh_token.is_blank() {
            return Err(Error::new(ErrorKind::InvalidArgument, messages::INVALID_AUTHORIZATION));
        }
        let request = Request::new(Method::POST, Service::User, "users/refresh_token.json", &[])?
            .body(json!({"user": {"refresh_token": stored.refresh_token.expose()}}));
        let response = self.http.send(&request, Some(&stored.access_token)).await;
        let response = response.map_err(auth::rejected).map_err(|error| match error.status() {
            Some(_) => error,
            None => refresh_failed(error),
        })?;
        response
            .read(|response| Authorization::read(response, Some(stored), self.http.clock.now()))
            .map_err(refresh_failed)
    }
}

/// Replaces the message of a refresh without a usable response with the specified text. The kind is kept.
fn refresh_failed(error: Error) -> Error {
    tracing::warn!(kind = ?error.kind(), "{}", messages::REFRESH_FAILED);
    Error::new(error.kind(), messages::REFRESH_FAILED).with_outcome_of(&error).with_source(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn authorization(expires_in_secs: u64) -> Authorization {
        Authorization {
            access_token: "token".into(),
            refresh_token: "refresh".into(),
            expires_in_secs,
            role: None,
            created_at: Time::from_unix_micros(0),
        }
    }

    #[test]
    fn refresh_delay_is_expiry_minus_12_hours_and_at_least_30_seconds() {
        let table = [(86_400, 43_200), (43_231, 31), (43_230, 30), (43_200, 30), (3600, 30), (0, 30)];
        for (remaining, expected) in table {
            assert_eq!(refresh_delay(remaining), Duration::from_secs(expected), "{remaining}");
        }
    }

    #[test]
    fn token_is_due_shortly_before_expiry() {
        let table = [
            (86_400, 0, false),
            (86_400, 86_339, false),
            (86_400, 86_340, true),
            (86_400, 90_000, true),
            (100, 89, false),
            (100, 90, true),
            (5, 4, false),
            (5, 5, true),
            (0, 0, true),
        ];
        for (expires_in, elapsed, expected) in table {
            let now = Time::from_unix_micros(elapsed * 1_000_000);
            assert_eq!(is_due(&authorization(expires_in), now), expected, "{expires_in} after {elapsed}");
        }
    }

    #[test]
    fn only_the_rejected_token_is_refreshed() {
        let stored = authorization(1);
        assert_eq!(decide(Some(&stored), &"token".into()), Decision::Refresh);
        assert_eq!(decide(Some(&stored), &"older".into()), Decision::UseStored);
        assert_eq!(decide(None, &"token".into()), Decision::Ended);
    }

    #[test]
    fn only_401_and_422_are_denials() {
        let table = [
            (Some(401), true),
            (Some(422), true),
            (Some(403), false),
            (Some(404), false),
            (Some(429), false),
            (Some(500), false),
        ];
        for (status, expected) in table {
            let error = Error::new(ErrorKind::Server, "");
            assert_eq!(is_denial(&status.map_or(error.clone(), |status| error.with_status(status))), expected);
        }
        assert!(!is_denial(&Error::new(ErrorKind::Network, "")));
    }
}
