//! What concerns all sessions of a person.

use uuid::Uuid;

use super::{SessionHash, Sessions, store};
use crate::error::ApiResult;
use crate::notice::{self, EndReason};

impl Sessions {
    /// The role or the CSP of a person is another one now, or the person is gone: none of their sessions answers anything, on
    /// any node, before it has asked the cloud anew. Their streams end here at once, on other nodes before they tell anything
    /// more.
    ///
    /// # Errors
    /// Of the database.
    pub(crate) async fn invalidate_user_access(&self, user: Uuid) -> ApiResult<()> {
        let base = &self.parts.base;
        store::invalidate_access(&base.db, user).await?;
        for session in store::of_user(&base.db, user).await? {
            notice::session(&base.bus, &session.hash, EndReason::AccessChanged);
        }
        Ok(())
    }

    /// The cloud has ended the sessions of somebody, and does not say whose: no session answers anything, on any node, before
    /// it has asked the cloud anew. Streams ask within a minute, as they always do.
    ///
    /// # Errors
    /// Of the database.
    pub(crate) async fn invalidate_all_access(&self) -> ApiResult<()> {
        Ok(store::invalidate_all_access(&self.parts.base.db).await?)
    }

    /// Ends every session of a person, here only: for what made the cloud end its tokens.
    ///
    /// # Errors
    /// Of the database.
    pub(crate) async fn end_user_sessions(&self, user: Uuid) -> ApiResult<()> {
        for session in store::of_user(&self.parts.base.db, user).await? {
            self.end(&session.hash).await?;
        }
        Ok(())
    }

    /// As [`end_user_sessions`](Self::end_user_sessions), but one goes on.
    ///
    /// # Errors
    /// Of the database.
    pub(crate) async fn end_others(&self, user: Uuid, keep: &SessionHash) -> ApiResult<()> {
        for session in store::of_user(&self.parts.base.db, user).await? {
            if session.hash != *keep {
                self.end(&session.hash).await?;
            }
        }
        Ok(())
    }
}
