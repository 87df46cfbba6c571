use http::Method;
use serde_json::{Value, json};

use super::{ALL, NewShare, Shares};
use crate::config::endpoints::Service;
use crate::error::messages;
use crate::error::{Result, required};
use crate::http::Request;
use crate::model::{Share, read};

/// Builder for creating a share; returned by [`Shares::create`].
#[derive(Clone, Debug)]
#[must_use]
pub struct CreateShare {
    shares: Shares,
    share: NewShare,
    email_template_id: Option<String>,
}

impl CreateShare {
    pub(super) fn new(shares: Shares, share: NewShare) -> Self {
        Self { shares, share, email_template_id: None }
    }

    /// The cloud's template for the e-mail to the recipient, if it sends one.
    pub fn email_template_id(self, id: impl Into<String>) -> Self {
        Self { email_template_id: Some(id.into()), ..self }
    }

    /// Creates the share. If the response is empty or has an unknown shape, returns the share as it was sent, with a
    /// blank id.
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'DSN is required', 'Email is required' or 'Role name is
    /// empty'; `Server` with status 404 if the device does not exist or is not visible to you, or is shared with this
    /// user already, 403 if you may not share it, 422 if the cloud rejects a field or knows no such user; see
    /// [`Client`](crate::Client) for errors of all calls.
    pub async fn send(&self) -> Result<Share> {
        let request = self.share.members().and_then(|share| post(json!({"share": share}), &self.email_template_id));
        let response = self.shares.call(request).await?;
        Ok(response.read_if_possible(read::one).unwrap_or_else(|| self.share.as_sent()))
    }
}

/// Builder for creating several shares; returned by [`Shares::create_several`].
#[derive(Clone, Debug)]
#[must_use]
pub struct CreateShares {
    shares: Shares,
    list: Vec<NewShare>,
    email_template_id: Option<String>,
}

impl CreateShares {
    pub(super) fn new(shares: Shares, list: Vec<NewShare>) -> Self {
        Self { shares, list, email_template_id: None }
    }

    /// The cloud's template for the e-mails to the recipients, if it sends any.
    pub fn email_template_id(self, id: impl Into<String>) -> Self {
        Self { email_template_id: Some(id.into()), ..self }
    }

    /// Creates the shares. If the response is empty or has an unknown shape, returns them as they were sent, with blank
    /// ids.
    ///
    /// # Errors
    /// As [`CreateShare::send`]; `InvalidArgument` 'Share is required' if there are none.
    pub async fn send(&self) -> Result<Vec<Share>> {
        let response = self.shares.call(self.request()).await?;
        Ok(response.read_if_possible(read::many).unwrap_or_else(|| self.list.iter().map(NewShare::as_sent).collect()))
    }

    fn request(&self) -> Result<Request> {
        required(self.list.is_empty(), messages::SHARE_REQUIRED)?;
        let shares = self.list.iter().map(NewShare::members).collect::<Result<Vec<_>>>()?;
        post(json!({"shares": shares}), &self.email_template_id)
    }
}

fn post(body: Value, email_template_id: &Option<String>) -> Result<Request> {
    let request = Request::new(Method::POST, Service::User, ALL, &[])?.body(body);
    Ok(match email_template_id {
        Some(id) => request.query("email_template_id", id),
        None => request,
    })
}
