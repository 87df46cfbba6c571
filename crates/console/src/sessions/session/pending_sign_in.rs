//! Sign-ins whose password was right and whose second factor is not checked yet. They hold the cloud's tokens and grant no
//! access.

use std::sync::Arc;

use devicecloud::{Authorization, MemoryTokenStore};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::sign_in::AuthenticatedUser;
use super::{ClientOrigin, Session, SessionHash, SessionId, Sessions, pending_store, tokens};
use crate::http::error::{ApiError, ApiResult};

/// How long a person has to enter a code.
const LIFETIME: SignedDuration = SignedDuration::from_mins(5);
/// How many codes and passkeys may be tried. Further ones need the password again, whose sign-ins are limited too.
const MAX_ATTEMPTS: i64 = 5;

/// A sign-in that awaits a code.
pub(crate) struct PendingSignIn {
    /// The secret in its cookie.
    pub(crate) id: SessionId,
    pub(crate) expires_at: Timestamp,
}

impl PendingSignIn {
    /// The `Max-Age` of its cookie.
    pub(crate) const LIFETIME: SignedDuration = LIFETIME;
}

impl Sessions {
    /// Keeps a sign-in until a code is checked.
    ///
    /// # Errors
    /// Database errors.
    pub(crate) async fn hold(&self, authenticated: &AuthenticatedUser) -> ApiResult<PendingSignIn> {
        let base = &self.parts.base;
        let (id, expires_at) = (SessionId::new(base.random.bytes()), base.clock.now() + LIFETIME);
        let sealed = tokens::seal(&self.parts.cipher, &id.hash(), &authenticated.tokens);
        pending_store::insert(&base.db, &id.hash(), authenticated.user.id, sealed, expires_at).await?;
        Ok(PendingSignIn { id, expires_at })
    }

    /// The user of a pending sign-in.
    ///
    /// # Errors
    /// `PendingSignInEnded` if it has expired.
    pub(crate) async fn user_of_pending(&self, id: &SessionId) -> ApiResult<Uuid> {
        let base = &self.parts.base;
        pending_store::user(&base.db, &id.hash(), base.clock.now()).await?.ok_or(ApiError::PendingSignInEnded)
    }

    /// Counts a check of a code or passkey for a pending sign-in, and returns its user.
    ///
    /// # Errors
    /// `PendingSignInEnded` if it has expired, or had too many checks.
    pub(crate) async fn count_factor_attempt(&self, id: &SessionId) -> ApiResult<Uuid> {
        let base = &self.parts.base;
        if !pending_store::count_attempt(&base.db, &id.hash(), base.clock.now(), MAX_ATTEMPTS).await? {
            self.cancel_pending(id).await?;
            return Err(ApiError::PendingSignInEnded);
        }
        let pending = pending_store::find(&base.db, &id.hash()).await?;
        pending.map(|(user, _)| user).ok_or(ApiError::PendingSignInEnded)
    }

    /// Creates the session of a pending sign-in, after its second factor was checked. The session has a new id, and the access
    /// that the user has now.
    ///
    /// # Errors
    /// `PendingSignInEnded` if it has ended meanwhile, or the cloud has ended its tokens; 502 or 504 if the cloud is unreachable.
    pub(crate) async fn complete(&self, id: &SessionId, origin: ClientOrigin) -> ApiResult<(SessionId, Session)> {
        let (db, hash) = (&self.parts.base.db, id.hash());
        let (_, sealed) = pending_store::find(db, &hash).await?.ok_or(ApiError::PendingSignInEnded)?;
        let tokens = tokens::open(&self.parts.cipher, &hash, &sealed).map_err(|_| ApiError::PendingSignInEnded)?;
        let memory = MemoryTokenStore::with(tokens);
        let cloud = self.parts.cloud.with_store(Arc::new(memory.clone()));
        let authenticated = match self.read_user(&cloud, &memory).await {
            Err(ApiError::NotSignedIn | ApiError::Forbidden | ApiError::NotFound) => {
                pending_store::delete(db, &hash).await?;
                return Err(ApiError::PendingSignInEnded);
            }
            read => read?,
        };
        // Of two requests with right codes, one gets a session.
        if !pending_store::delete(db, &hash).await? {
            return Err(ApiError::PendingSignInEnded);
        }
        self.begin(authenticated, origin).await
    }

    /// Ends a pending sign-in, also in the cloud. It is no error if it has ended already.
    ///
    /// # Errors
    /// Database errors.
    pub(crate) async fn cancel_pending(&self, id: &SessionId) -> ApiResult<()> {
        let (db, hash) = (&self.parts.base.db, id.hash());
        let Some((_, sealed)) = pending_store::find(db, &hash).await? else { return Ok(()) };
        if pending_store::delete(db, &hash).await?
            && let Ok(tokens) = tokens::open(&self.parts.cipher, &hash, &sealed)
        {
            self.end_cloud_session(Ok(Some(tokens))).await;
        }
        Ok(())
    }

    /// Deletes expired sign-ins. Their tokens are ended in the cloud meanwhile, which nobody waits for.
    pub(super) async fn delete_expired_pending(&self, now: Timestamp) -> ApiResult<()> {
        let expired = pending_store::delete_expired(&self.parts.base.db, now).await?;
        self.end_cloud_sessions_later(&expired);
        Ok(())
    }

    /// Ends sessions in the cloud, by the hashes and encrypted tokens that they had here. Nobody waits for it.
    pub(super) fn end_cloud_sessions_later(&self, ended: &[(SessionHash, Vec<u8>)]) {
        let opened = ended.iter().filter_map(|(hash, sealed)| tokens::open(&self.parts.cipher, hash, sealed).ok());
        let tokens: Vec<Authorization> = opened.collect();
        if !tokens.is_empty() {
            let sessions = self.clone();
            tokio::spawn(async move {
                for tokens in tokens {
                    sessions.end_cloud_session(Ok(Some(tokens))).await;
                }
            });
        }
    }
}
