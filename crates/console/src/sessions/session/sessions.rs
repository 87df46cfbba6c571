//! Finding, using and ending sessions.

use std::sync::Arc;
use std::time::Duration;

use devicecloud::{Authorization, Client, MemoryTokenStore, TokenStore};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::clients::Clients;
use super::token_store::RowTokenStore;
use super::version::VersionReads;
use super::{Session, SessionHash, SessionId, SessionLimits, SessionUse, store};
use crate::base::Base;
use crate::events::notices::{self, EndReason};
use crate::http::error::ApiResult;
use crate::secrets::cipher::Cipher;
use crate::shared_work::shared_calls::SharedCalls;

/// `seen_at` is not written again within this time, to avoid a write per request.
const TOUCH_AFTER: SignedDuration = SignedDuration::from_secs(60);
/// Limits how long a sign-out waits for the cloud.
const CLOUD_SIGN_OUT: Duration = Duration::from_secs(5);

/// All sessions. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Sessions {
    pub(super) parts: SessionsParts,
    clients: Arc<Clients>,
    version_reads: Arc<VersionReads>,
    /// By session and the `access_read_at` that the caller saw.
    pub(super) access_reads: SharedCalls<(SessionHash, Timestamp), ApiResult<Option<Session>>>,
}

/// The dependencies of [`Sessions`].
#[derive(Clone)]
pub(crate) struct SessionsParts {
    pub(crate) base: Base,
    pub(crate) cipher: Cipher,
    pub(crate) limits: SessionLimits,
    /// The client without tokens, from which those of sessions are derived.
    pub(crate) cloud: Client,
    /// The service account, which must not sign in through the web.
    pub(crate) service_email: String,
}

impl Sessions {
    pub(crate) fn new(parts: SessionsParts) -> Self {
        Self { parts, clients: Arc::default(), version_reads: Arc::default(), access_reads: SharedCalls::new() }
    }

    /// The statement that reads the [version](Self::version), for a read together with other data.
    pub(crate) const VERSION: &str = store::VERSION;

    /// The version of all sessions. While it stays the same, a session that was valid has not been ended, and its access has
    /// neither changed nor been invalidated; it may have expired.
    pub(crate) async fn version(&self) -> ApiResult<i64> {
        Ok(self.version_reads.read(&self.parts.base.db).await?)
    }

    /// The session of the browser with this id unless it has ended.
    pub(crate) async fn find(&self, id: &SessionId) -> ApiResult<Option<Session>> {
        Ok(self.find_by_hash(&id.hash()).await?.filter(|session| session.token.is_none()))
    }

    /// The session of the browser with this id unless it has ended. Records the use by a person and its origin.
    pub(crate) async fn find_for(&self, id: &SessionId, session_use: &SessionUse) -> ApiResult<Option<Session>> {
        match self.find(id).await? {
            Some(session) => self.record_use(session, session_use).await.map(Some),
            None => Ok(None),
        }
    }

    pub(super) async fn record_use(&self, mut session: Session, session_use: &SessionUse) -> ApiResult<Session> {
        let SessionUse::Person(origin) = session_use else { return Ok(session) };
        let now = self.parts.base.clock.now();
        if now.duration_since(session.seen_at) >= TOUCH_AFTER || session.origin != *origin {
            store::touch(&self.parts.base.db, &session.hash, now, origin).await?;
            (session.seen_at, session.origin) = (now, origin.clone());
        }
        Ok(session)
    }

    /// The session of this hash unless it has ended.
    pub(crate) async fn find_by_hash(&self, hash: &SessionHash) -> ApiResult<Option<Session>> {
        let Some(session) = store::find(&self.parts.base.db, hash).await? else { return Ok(None) };
        if self.expires_at(&session) > self.parts.base.clock.now() {
            return Ok(Some(session));
        }
        self.end(hash).await?;
        Ok(None)
    }

    /// The sessions of a user that have not ended, most recently used first.
    pub(crate) async fn of_user(&self, user: Uuid) -> ApiResult<Vec<Session>> {
        let now = self.parts.base.clock.now();
        let mut sessions = store::of_user(&self.parts.base.db, user).await?;
        sessions.retain(|session| self.expires_at(session) > now);
        Ok(sessions)
    }

    /// When the session ends if it is not used again.
    pub(crate) fn expires_at(&self, session: &Session) -> Timestamp {
        if let Some(token) = &session.token {
            return token.expires_at;
        }
        let limits = self.parts.limits;
        (session.seen_at + limits.idle).min(session.created_at + limits.absolute)
    }

    /// The longest remaining lifetime of the session, which is the `Max-Age` of its cookie.
    pub(crate) fn max_remaining_lifetime(&self, session: &Session) -> SignedDuration {
        (session.created_at + self.parts.limits.absolute).duration_since(self.parts.base.clock.now())
    }

    /// The cloud client with the tokens of a session.
    pub(crate) fn cloud(&self, session: &SessionHash) -> Arc<Client> {
        self.clients.get(session, || self.parts.cloud.with_store(Arc::new(self.token_store(session))))
    }

    /// The cloud client for calls that need no session.
    pub(crate) fn anonymous_client(&self) -> &Client {
        &self.parts.cloud
    }

    /// Ends a session in the console and in the cloud. A failure of the cloud is only logged.
    pub(crate) async fn sign_out(&self, session: &SessionHash) -> ApiResult<()> {
        self.sign_out_because(session, EndReason::SignedOut).await
    }

    /// As [`sign_out`](Self::sign_out), with the reason for the browser.
    pub(super) async fn sign_out_because(&self, session: &SessionHash, reason: EndReason) -> ApiResult<()> {
        let tokens = self.token_store(session).load().await;
        self.end_because(session, reason).await?;
        self.end_cloud_session(tokens).await;
        Ok(())
    }

    /// Ends a session whose browser is about to get another one. Publishes no notice, because a browser that receives
    /// `signed_out` signs out; streams of the old session end before their next event.
    pub(crate) async fn replace(&self, session: &SessionHash) -> ApiResult<()> {
        self.end_cloud_session(self.token_store(session).load().await).await;
        store::delete(&self.parts.base.db, session).await?;
        Ok(())
    }

    pub(super) async fn end_cloud_session(&self, tokens: devicecloud::Result<Option<Authorization>>) {
        if let Ok(Some(tokens)) = tokens {
            let cloud = self.parts.cloud.with_store(Arc::new(MemoryTokenStore::with(tokens)));
            match tokio::time::timeout(CLOUD_SIGN_OUT, cloud.sign_out()).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::warn!(%error, "the cloud did not end a session"),
                Err(_) => tracing::warn!("the cloud took too long to end a session"),
            }
        }
    }

    /// Ends a session here and closes its streams.
    pub(super) async fn end(&self, session: &SessionHash) -> ApiResult<()> {
        self.end_because(session, EndReason::SignedOut).await
    }

    async fn end_because(&self, session: &SessionHash, reason: EndReason) -> ApiResult<()> {
        if store::delete(&self.parts.base.db, session).await? {
            notices::session(&self.parts.base.bus, session, reason);
        }
        Ok(())
    }

    fn token_store(&self, session: &SessionHash) -> RowTokenStore {
        RowTokenStore { base: self.parts.base.clone(), cipher: self.parts.cipher.clone(), hash: session.clone() }
    }
}
