//! Operations on all sessions of a user.

use platform::db::Tx;
use uuid::Uuid;

use super::{Session, SessionHash, Sessions, pending_store, store};
use crate::base::Base;
use crate::events::notices::{self, EndReason};
use crate::http::error::{ApiError, ApiResult};
use crate::sessions::account_state::{self, Disabling};

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
            notices::session(&base.bus, &session.hash, EndReason::AccessChanged);
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

    /// Disables the account of a user at the request of `by`. Ends its sessions, access tokens and begun sign-ins in the same
    /// transaction, and in the cloud soon after. False if the account was disabled already.
    ///
    /// # Errors
    /// `NotSignedIn` if the account of `by` is disabled itself; database errors.
    pub(crate) async fn disable_user(&self, user: Uuid, by: Uuid) -> ApiResult<bool> {
        let Base { db, bus, clock, .. } = &self.parts.base;
        let now = clock.now();
        let disable = async |mut tx: Tx| -> platform::db::Result<_> {
            let disabling = account_state::disable(&mut tx, user, by, now).await?;
            let ended = match disabling {
                Disabling::Done => {
                    let sessions = store::delete_all_of_user(&mut tx, user).await?;
                    (sessions, pending_store::delete_all_of_user(&mut tx, user).await?)
                }
                Disabling::AlreadyDone | Disabling::Refused => Default::default(),
            };
            tx.commit().await?;
            Ok((disabling, ended))
        };
        let (disabling, (sessions, mut tokens)) = db.write(disable).await?;
        for (hash, sealed) in sessions {
            notices::session(bus, &hash, EndReason::SignedOut);
            tokens.extend(sealed.map(|sealed| (hash, sealed)));
        }
        self.end_cloud_sessions_later(&tokens);
        match disabling {
            Disabling::Done => Ok(true),
            Disabling::AlreadyDone => Ok(false),
            Disabling::Refused => Err(ApiError::NotSignedIn),
        }
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
