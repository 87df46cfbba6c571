use reqwest::Method;
use serde_json::json;

use super::{NewShare, Shares, one};
use crate::error::Result;
use crate::http::Request;
use crate::messages;
use crate::model::{Share, ShareId, ShareOperation, Time, read};

/// A share to change; made by [`Shares::update`]. What is not changed is sent as it was.
#[derive(Clone, Debug)]
#[must_use]
pub struct UpdateShare {
    shares: Shares,
    id: ShareId,
    share: NewShare,
}

impl UpdateShare {
    pub(super) fn new(shares: Shares, share: &Share) -> Self {
        Self { shares, id: share.id.clone(), share: NewShare::of(share) }
    }

    /// What the recipient may do, in place of a role.
    pub fn operation(self, operation: ShareOperation) -> Self {
        Self { share: self.share.operation(operation), ..self }
    }

    /// The role that says what the recipient may do, in place of an operation.
    pub fn role_name(self, role_name: impl Into<String>) -> Self {
        Self { share: self.share.role_name(role_name), ..self }
    }

    /// From when, in whole seconds; `None` = at once.
    pub fn start_date_at(self, start: impl Into<Option<Time>>) -> Self {
        Self { share: self.share.start_date_at(start), ..self }
    }

    /// Until when, in whole seconds; `None` = for ever.
    pub fn end_date_at(self, end: impl Into<Option<Time>>) -> Self {
        Self { share: self.share.end_date_at(end), ..self }
    }

    /// Changes the share. When the answer is empty or has an unknown shape, the share is returned as it was sent.
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'Only shares fetched from Ayla service can be updated' when
    /// the share has no id, 'DSN is required', 'Email is required' or 'Role name is empty'; `Server` with status 404 when it is
    /// not there, not yours to know, or over, 403 when it is not yours to change, 422 when the cloud does not take a field; see
    /// [`Client`](crate::Client) for what any call may return.
    pub async fn send(&self) -> Result<Share> {
        let answer = self.shares.call(self.request()).await?;
        let unread = || Share { id: self.id.clone(), ..self.share.unread() };
        Ok(answer.read_if_possible(read::one).unwrap_or_else(unread))
    }

    fn request(&self) -> Result<Request> {
        let request = one(Method::PUT, &self.id, messages::SHARE_NOT_FETCHED)?;
        Ok(request.body(json!({"share": self.share.members()?})))
    }
}
