use futures::{Stream, TryStreamExt, stream};
use reqwest::Method;

use super::Admin;
use crate::api::Order;
use crate::api::paging::Paging;
use crate::endpoints::Service;
use crate::error::{Result, required};
use crate::http::Request;
use crate::messages;
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

    /// The number of the page, from 1; 1 by default.
    pub fn page(mut self, page: u32) -> Self {
        self.paging.page = page;
        self
    }

    /// Users per page, from 1; [`DEFAULT_PER_PAGE`](crate::api::DEFAULT_PER_PAGE) by default, and clouds allow 100 at most.
    pub fn per_page(mut self, per_page: u32) -> Self {
        self.paging.per_page = per_page;
        self
    }

    /// The field to sort by, by the cloud's name; `created_at` by default.
    pub fn order_by(mut self, field: impl Into<String>) -> Self {
        self.paging.order_by = field.into();
        self
    }

    /// The sort direction; descending (newest first) by default.
    pub fn order(mut self, order: Order) -> Self {
        self.paging.order = order;
        self
    }

    /// Only users whose field has this value. Several filters are combined with AND.
    pub fn filter(mut self, field: impl Into<String>, value: impl Into<String>) -> Self {
        self.paging.filters.push((field.into(), value.into()));
        self
    }

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
