use futures::{Stream, TryStreamExt, stream};
use http::Method;

use super::Admin;
use crate::api::paging::{Paging, paging_setters};
use crate::config::endpoints::Service;
use crate::error::messages;
use crate::error::{Result, required};
use crate::http::Request;
use crate::model::{OemId, User, UserPage};

/// Builder for listing users; returned by [`Admin::users`] and [`Admin::end_users`].
#[derive(Clone, Debug)]
#[must_use]
pub struct ListUsers {
    admin: Admin,
    route: &'static str,
    oem: OemId,
    paging: Paging,
}

impl ListUsers {
    pub(super) fn new(admin: Admin, route: &'static str, oem: OemId) -> Self {
        Self { admin, route, oem, paging: Paging::default() }
    }

    paging_setters!("Users");

    /// Fetches the page.
    ///
    /// # Errors
    /// `Precondition` 'Session manager is required'; `InvalidArgument` 'OEM ID is required', and for a page or page
    /// size of 0; `Server` with status 403 if you may not list users, 404 if it is not your manufacturer; see
    /// [`Client`](crate::Client) for errors of all calls.
    pub async fn send(&self) -> Result<UserPage> {
        self.admin.call(self.request()).await?.read(UserPage::read)
    }

    /// This page and all following pages, fetched one by one. The stream ends after the first error.
    pub fn pages(self) -> impl Stream<Item = Result<UserPage>> + Send + 'static {
        stream::try_unfold(Some(self), |list| async move {
            let Some(list) = list else { return Ok(None) };
            let page = list.send().await?;
            let next = list.paging.next(page.next_page, page.users.is_empty());
            Ok(Some((page, next.map(|next| list.page(next)))))
        })
    }

    /// The users of this page and all following pages.
    pub fn items(self) -> impl Stream<Item = Result<User>> + Send + 'static {
        self.pages().map_ok(|page| stream::iter(page.users.into_iter().map(Ok))).try_flatten()
    }

    fn request(&self) -> Result<Request> {
        required(self.oem.is_blank(), messages::OEM_ID_REQUIRED)?;
        self.paging.check()?;
        let request = Request::new(Method::GET, Service::User, self.route, &[self.oem.as_str()])?;
        Ok(self.paging.apply(request))
    }
}
