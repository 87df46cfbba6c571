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
    pub(crate) async fn access_changed(&self, user: Uuid) -> ApiResult<()> {
        let base = &self.parts.base;
        store::forget_access(&base.db, user).await?;
        for session in store::all_of(&base.db, user).await? {
            notice::session(&base.bus, &session.hash, EndReason::AccessChanged);
        }
        Ok(())
    }

    /// The cloud has ended the sessions of somebody, and does not say whose: no session answers anything, on any node, before
    /// it has asked the cloud anew. Streams ask within a minute, as they always do.
    ///
    /// # Errors
    /// Of the database.
    pub(crate) async fn forget_all_access(&self) -> ApiResult<()> {
        Ok(store::forget_all_access(&self.parts.base.db).await?)
    }

    /// Ends every session of a person, here only: for what made the cloud end its tokens.
    ///
    /// # Errors
    /// Of the database.
    pub(crate) async fn end_all_of(&self, user: Uuid) -> ApiResult<()> {
        for session in store::all_of(&self.parts.base.db, user).await? {
            self.end(&session.hash).await?;
        }
        Ok(())
    }

    /// As [`end_all_of`](Self::end_all_of), but one goes on.
    ///
    /// # Errors
    /// Of the database.
    pub(crate) async fn end_others(&self, user: Uuid, keep: &SessionHash) -> ApiResult<()> {
        for session in store::all_of(&self.parts.base.db, user).await? {
            if session.hash != *keep {
                self.end(&session.hash).await?;
            }
        }
        Ok(())
    }
}
