use http::Method;
use serde_json::json;

use super::{NewShare, Shares, share_request};
use crate::error::Result;
use crate::error::messages;
use crate::http::Request;
use crate::model::{Share, ShareId, ShareOperation, Time, read};

/// Builder for changing a share; returned by [`Shares::update`]. Fields that are not set are sent unchanged.
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

    /// What the recipient may do. Replaces a role.
    pub fn operation(self, operation: ShareOperation) -> Self {
        Self { share: self.share.operation(operation), ..self }
    }

    /// The role that determines what the recipient may do. Replaces an operation.
    pub fn role_name(self, role_name: impl Into<String>) -> Self {
        Self { share: self.share.role_name(role_name), ..self }
    }

    /// When the share starts, in whole seconds; `None` means immediately.
    pub fn start_date_at(self, start: impl Into<Option<Time>>) -> Self {
        Self { share: self.share.start_date_at(start), ..self }
    }

    /// When the share ends, in whole seconds; `None` means never.
    pub fn end_date_at(self, end: impl Into<Option<Time>>) -> Self {
        Self { share: self.share.end_date_at(end), ..self }
    }

    /// Changes the share. If the response is empty or has an unknown shape, returns the share as it was sent.
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'Only shares fetched from Ayla service can be updated'
    /// if the share has no id, 'DSN is required', 'Email is required' or 'Role name is empty'; `Server` with status 404
    /// if it does not exist, is not visible to you, or has ended, 403 if you may not change it, 422 if the cloud
    /// rejects a field; see [`Client`](crate::Client) for errors of all calls.
    pub async fn send(&self) -> Result<Share> {
        let response = self.shares.call(self.request()).await?;
        let as_sent = || Share { id: self.id.clone(), ..self.share.as_sent() };
        Ok(response.read_if_possible(read::one).unwrap_or_else(as_sent))
    }

    fn request(&self) -> Result<Request> {
        let request = share_request(Method::PUT, &self.id, messages::SHARE_NOT_FETCHED)?;
        Ok(request.body(json!({"share": self.share.members()?})))
    }
}
