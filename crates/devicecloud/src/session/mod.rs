//! Sessions: tokens, where they are stored, how they are refreshed, and when a session ends.
//!
//! The store is the source of truth. A token that is about to expire, or that the cloud rejects, is refreshed once,
//! even if many calls wait for it; new tokens are saved before any event is sent. Only an explicit denial ends a
//! session: a network failure never signs a user out.

mod auth;
mod authorization;
mod events;
mod panics;
mod refresh;
mod store;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Arc, Mutex};

use tokio::time::{Instant, timeout_at};

use crate::config::Config;
use crate::error::messages;
use crate::error::{Error, ErrorKind, Outcome, Result};
use crate::http::{Http, Request, Response, timed_out};
use crate::model::Time;
use crate::model::secret::SecretText;

pub use crate::future::BoxFuture;
pub use auth::{AuthProvider, SignIn};
pub use authorization::Authorization;
pub use events::{SessionEvent, SessionEvents, SessionState};
pub use store::{MemoryTokenStore, TokenLock, TokenStore};

pub(crate) use auth::CloudAuth;
pub(crate) use events::SessionPublisher;
pub(crate) use panics::{panic_error, task_failed};
pub(crate) use refresh::{refresh_delay, under_grace};

use panics::CatchPanics;

pub(crate) struct CloudSession {
    http: Arc<Http>,
    auth: Arc<dyn AuthProvider>,
    store: Arc<dyn TokenStore>,
    in_flight: Mutex<Option<refresh::InFlightRefresh>>,
    pub(crate) publisher: events::SessionPublisher,
}

impl CloudSession {
    pub(crate) fn new(http: Arc<Http>, auth: Arc<dyn AuthProvider>, store: Arc<dyn TokenStore>) -> Arc<Self> {
        Self::of(http, Arc::new(CatchPanics(auth)), store)
    }

    fn of(http: Arc<Http>, auth: Arc<dyn AuthProvider>, store: Arc<dyn TokenStore>) -> Arc<Self> {
        let (store, in_flight, publisher) =
            (Arc::new(CatchPanics(store)), Mutex::default(), events::SessionPublisher::new());
        Arc::new(Self { http, auth, store, in_flight, publisher })
    }

    /// A session with another store, over the same connections.
    pub(crate) fn with_store(&self, store: Arc<dyn TokenStore>) -> Arc<Self> {
        Self::of(Arc::clone(&self.http), Arc::clone(&self.auth), store)
    }

    pub(crate) fn http(&self) -> &Arc<Http> {
        &self.http
    }

    pub(crate) fn config(&self) -> &Config {
        &self.http.config
    }

    pub(crate) fn now(&self) -> Time {
        self.http.clock.now()
    }

    /// Sends a request without a token.
    pub(crate) async fn call_without_token(&self, request: Request) -> Result<Response> {
        self.http.send(&request, None).await
    }

    /// The stored authorization, or a `Precondition` error with the text `no_session` if no user is signed in.
    pub(crate) async fn require(&self, no_session: &str) -> Result<Authorization> {
        let stored = self.store.load().await.map_err(Error::not_sent)?;
        stored.ok_or_else(|| Error::new(ErrorKind::Precondition, no_session))
    }

    /// Sends a request as the signed-in user. Reports a missing session before an invalid request, as specified.
    pub(crate) async fn call(self: &Arc<Self>, no_session: &str, request: Result<Request>) -> Result<Response> {
        Ok(self.send(no_session, request).await?.0)
    }

    /// Like [`call`](Self::call), for a request that ends the session in the cloud: also removes its tokens from the
    /// store, unless they were replaced meanwhile. If the future is dropped early, the tokens stay and are rejected
    /// later.
    pub(crate) async fn call_and_close(self: &Arc<Self>, no_session: &str, request: Request) -> Result<Response> {
        let (response, used) = self.send(no_session, Ok(request)).await?;
        self.close(&used).await.map_err(Error::done)?;
        Ok(response)
    }

    async fn close(&self, used: &SecretText) -> Result<()> {
        let mut lock = self.store.lock().await?;
        if lock.load().await?.is_some_and(|stored| stored.access_token.expose() == used.expose()) {
            lock.save(None).await?;
            self.publisher.publish(SessionEvent::Closed);
        }
        Ok(())
    }

    /// Also returns the access token that the cloud accepted.
    async fn send(self: &Arc<Self>, no_session: &str, request: Result<Request>) -> Result<(Response, SecretText)> {
        let deadline = self.http.deadline();
        let stored = self.require(no_session).await?;
        let request = request?.until(deadline);
        let token = before(deadline, self.fresh(stored)).await.map_err(Error::not_sent)?.access_token;
        let denied = match self.http.send(&request, Some(&token)).await {
            Err(error) if error.status() == Some(401) => error,
            result => return Ok((result?, token)),
        };
        let refreshed = before(deadline, self.refresh(&token)).await;
        let refreshed = refreshed.map_err(|error| error.with_outcome_of(&denied))?;
        let response = self.http.send(&request, Some(&refreshed.access_token)).await;
        Ok((response.map_err(|error| error.after(denied.outcome()))?, refreshed.access_token))
    }

    pub(crate) async fn sign_in(&self, email: &str, password: &SecretText) -> Result<SignIn> {
        let missing = |message| Err(Error::new(ErrorKind::InvalidArgument, message));
        if email.trim().is_empty() {
            return missing(messages::EMAIL_REQUIRED);
        }
        if password.is_blank() {
            return missing(messages::PASSWORD_REQUIRED);
        }
        let sign_in = self.auth.sign_in(email, password).await?;
        let lock = self.store.lock().await.map_err(Error::done)?;
        lock.save(Some(&sign_in.authorization)).await.map_err(Error::done)?;
        self.publisher.publish(SessionEvent::SignedIn);
        Ok(sign_in)
    }

    /// Runs to completion even if the future is dropped, so that the cloud and the store agree.
    pub(crate) async fn sign_out(self: &Arc<Self>) -> Result<()> {
        let session = Arc::clone(self);
        tokio::spawn(async move { session.sign_out_locked().await }).await.map_err(task_failed)?
    }

    async fn sign_out_locked(&self) -> Result<()> {
        let mut lock = self.store.lock().await.map_err(Error::not_sent)?;
        let result = match lock.load().await {
            Ok(Some(authorization)) => self.auth.sign_out(&authorization).await,
            Ok(None) => Ok(()),
            Err(error) => Err(error.not_sent()),
        };
        let outcome = result.as_ref().map_or_else(Error::outcome, |()| Outcome::Done);
        lock.save(None).await.map_err(|error| error.with_outcome(outcome))?;
        self.publisher.publish(SessionEvent::Closed);
        result
    }
}

/// A refresh that takes longer continues for other calls.
async fn before<T>(deadline: Option<Instant>, refresh: impl Future<Output = Result<T>>) -> Result<T> {
    match deadline {
        Some(deadline) => timeout_at(deadline, refresh).await.map_err(|_| timed_out())?,
        None => refresh.await,
    }
}

impl fmt::Debug for CloudSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CloudSession").field("config", self.config()).finish_non_exhaustive()
    }
}
