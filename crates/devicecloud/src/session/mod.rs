//! A session: its tokens, where they are kept, how they are renewed, and when it ends.
//!
//! The store is the one truth. A token that is about to expire, or that the cloud rejects, is refreshed once, however many
//! calls wait for it; the new tokens are kept before anybody is told. Only an explicit denial ends a session: a network
//! that fails never signs anybody out.

mod auth;
mod authorization;
mod events;
mod refresh;
mod store;
mod thrown;

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex};

use crate::error::{Error, ErrorKind, Result};
use crate::http::{Answer, Http, Request};
use crate::messages;
use crate::secret::SecretText;

pub use auth::{AuthProvider, SignIn};
pub use authorization::Authorization;
pub use events::{SessionEvent, SessionEvents, SessionState};
pub use store::{BoxFuture, MemoryTokenStore, TokenLock, TokenStore};

pub(crate) use auth::CloudAuth;
pub(crate) use events::Announcer;
pub(crate) use refresh::{refresh_delay, under_grace};
pub(crate) use thrown::{panic_error, task_failed};

use thrown::Caught;

pub(crate) struct Session {
    http: Arc<Http>,
    auth: Arc<dyn AuthProvider>,
    store: Arc<dyn TokenStore>,
    flight: Mutex<Option<refresh::Flight>>,
    pub(crate) announcer: events::Announcer,
}

impl Session {
    pub(crate) fn new(http: Arc<Http>, auth: Arc<dyn AuthProvider>, store: Arc<dyn TokenStore>) -> Arc<Self> {
        Self::of(http, Arc::new(Caught(auth)), store)
    }

    fn of(http: Arc<Http>, auth: Arc<dyn AuthProvider>, store: Arc<dyn TokenStore>) -> Arc<Self> {
        let (store, flight, announcer) = (Arc::new(Caught(store)), Mutex::default(), events::Announcer::new());
        Arc::new(Self { http, auth, store, flight, announcer })
    }

    /// The session of another store, over the same connections.
    pub(crate) fn with_store(&self, store: Arc<dyn TokenStore>) -> Arc<Self> {
        Self::of(Arc::clone(&self.http), Arc::clone(&self.auth), store)
    }

    /// What the store holds; a `Precondition` with the text `no_session` when nobody is signed in.
    pub(crate) async fn require(&self, no_session: &str) -> Result<Authorization> {
        self.store.load().await?.ok_or_else(|| Error::new(ErrorKind::Precondition, no_session))
    }

    /// Sends a request as the signed-in user. The session is checked before the request's arguments, as the specification orders it.
    pub(crate) async fn call(self: &Arc<Self>, no_session: &str, request: Result<Request>) -> Result<Answer> {
        Ok(self.exchange(no_session, request).await?.0)
    }

    /// As [`call`](Self::call), with the request that ends the session in the cloud: its tokens go from the store, too, unless
    /// others have taken their place. Whoever drops this before it is done finds them rejected later.
    pub(crate) async fn call_last(self: &Arc<Self>, no_session: &str, request: Request) -> Result<Answer> {
        let (answer, used) = self.exchange(no_session, Ok(request)).await?;
        let mut lock = self.store.lock().await?;
        if lock.load().await?.is_some_and(|stored| stored.access_token.expose() == used.expose()) {
            lock.save(None).await?;
            self.announcer.announce(SessionEvent::Closed);
        }
        Ok(answer)
    }

    /// Answers also the access token that the cloud took.
    async fn exchange(self: &Arc<Self>, no_session: &str, request: Result<Request>) -> Result<(Answer, SecretText)> {
        let stored = self.require(no_session).await?;
        let request = request?;
        let mut token = self.fresh(stored).await?.access_token;
        let mut result = self.http.exchange(&request, Some(&token)).await;
        if result.as_ref().is_err_and(|error| error.status() == Some(401)) {
            token = self.refresh(&token).await?.access_token;
            result = self.http.exchange(&request, Some(&token)).await;
        }
        Ok((result?, token))
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
        self.store.lock().await?.save(Some(&sign_in.authorization)).await?;
        self.announcer.announce(SessionEvent::SignedIn);
        Ok(sign_in)
    }

    /// Runs to its end even when the caller stops waiting: the cloud and the store should agree.
    pub(crate) async fn sign_out(self: &Arc<Self>) -> Result<()> {
        let session = Arc::clone(self);
        tokio::spawn(async move { session.leave().await }).await.map_err(task_failed)?
    }

    async fn leave(&self) -> Result<()> {
        let mut lock = self.store.lock().await?;
        let told = match lock.load().await {
            Ok(Some(authorization)) => self.auth.sign_out(&authorization).await,
            Ok(None) => Ok(()),
            Err(error) => Err(error),
        };
        lock.save(None).await?;
        self.announcer.announce(SessionEvent::Closed);
        told
    }
}
