//! Operations on all sessions of a user.

use uuid::Uuid;

use super::{Session, SessionHash, Sessions, store};
use crate::error::ApiResult;
use crate::notice::{self, EndReason};

impl Sessions {
    /// Call after a user's role or CSP changed, or after the user was removed. Every session of the user must read its access
    /// from the cloud again, on every node. Streams end at once, also on other nodes; if the bus is down there, before their next event.
    ///
    /// # Errors
    /// Database errors.
    pub(crate) async fn invalidate_user_access(&self, user: Uuid) -> ApiResult<()> {
        let base = &self.parts.base;
        store::invalidate_access(&base.db, user).await?;
        for session in store::of_user(&base.db, user).await? {
            notice::session(&base.bus, &session.hash, EndReason::AccessChanged);
        }
        Ok(())
    }

    /// Call after the cloud accepted a mail token, which may have ended the sessions of its user. As
    /// [`invalidate_user_access`](Self::invalidate_user_access); if the cloud did not name the user, every session must read its
    /// access again, and streams do so within a minute.
    ///
    /// # Errors
    /// Database errors.
    pub(crate) async fn invalidate_token_user_access(&self, user: Option<Uuid>) -> ApiResult<()> {
        match user {
            Some(user) => self.invalidate_user_access(user).await,
            None => Ok(store::invalidate_all_access(&self.parts.base.db).await?),
        }
    }

    /// Ends every session of a user in the console, also those of access tokens. Does not sign out of the cloud, which has already revoked the tokens.
    ///
    /// # Errors
    /// Database errors.
    pub(crate) async fn end_user_sessions(&self, user: Uuid) -> ApiResult<()> {
        for session in store::of_user(&self.parts.base.db, user).await? {
            self.end(&session.hash).await?;
        }
        Ok(())
    }

    /// Ends the browsers' sessions of the user of `newest` that are more than allowed, those first that were unused for the longest time.
    ///
    /// # Errors
    /// Of the database.
    pub(super) async fn end_surplus(&self, newest: &Session) -> ApiResult<()> {
        let others = store::of_user(&self.parts.base.db, newest.user.id).await?;
        let others = others.into_iter().filter(|session| session.hash != newest.hash && session.token.is_none());
        for session in others.skip(self.parts.limits.per_user.saturating_sub(1)) {
            self.sign_out_because(&session.hash, EndReason::TooManySessions).await?;
        }
        Ok(())
    }

    /// As [`end_user_sessions`](Self::end_user_sessions), except for the session `keep`.
    ///
    /// # Errors
    /// Database errors.
    pub(crate) async fn end_others(&self, user: Uuid, keep: &SessionHash) -> ApiResult<()> {
        for session in store::of_user(&self.parts.base.db, user).await? {
            if session.hash != *keep {
                self.end(&session.hash).await?;
            }
        }
        Ok(())
    }
}
