//! Paging, sorting and filtering, shared by lists of devices and users.

use crate::debug::debug_only;
use crate::error::messages;
use crate::error::{Result, required};
use crate::http::Request;

/// Default number of items per page.
pub const DEFAULT_PER_PAGE: u32 = 10;

/// The sort direction of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Ascending.
    Asc,
    /// Descending.
    #[default]
    Desc,
}

impl Order {
    /// The text on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Asc => "asc",
            Self::Desc => "desc",
        }
    }
}

#[derive(Clone)]
pub(super) struct Paging {
    pub(super) page: u32,
    pub(super) per_page: u32,
    pub(super) order: Order,
    pub(super) order_by: String,
    pub(super) filters: Vec<(String, String)>,
}

debug_only!(Paging { page, per_page, order, order_by });

/// The defaults of the specification.
impl Default for Paging {
    fn default() -> Self {
        let (order, order_by) = (Order::default(), "created_at".to_owned());
        Self { page: 1, per_page: DEFAULT_PER_PAGE, order, order_by, filters: Vec::new() }
    }
}

impl Paging {
    /// # Errors
    /// `InvalidArgument` for a page or page size of 0.
    pub(super) fn check(&self) -> Result<()> {
        required(self.page == 0 || self.per_page == 0, messages::INVALID_PAGE)
    }

    /// Adds the page to the query of a request.
    pub(super) fn apply(&self, request: Request) -> Request {
        let request = request
            .query("paginated", "true")
            .query("page", self.page.to_string())
            .query("per_page", self.per_page.to_string())
            .query("filter[order]", self.order.as_str())
            .query("filter[order_by]", &self.order_by);
        self.filters.iter().fold(request, |request, (field, value)| request.query(format!("filter[{field}]"), value))
    }

    /// The next page, if there is one. Ends at an empty page or at a page number that does not increase, so that a
    /// faulty cloud cannot cause an endless loop.
    pub(super) fn next(&self, named: Option<u32>, is_empty: bool) -> Option<u32> {
        named.filter(|next| *next > self.page && !is_empty)
    }
}

/// The setters of a builder's `paging`, for a list of these items.
macro_rules! paging_setters {
    ($items:literal) => {
        /// The number of the page, from 1; 1 by default.
        pub fn page(mut self, page: u32) -> Self {
            self.paging.page = page;
            self
        }

        #[doc = concat!(
            $items,
            " per page, from 1; [`DEFAULT_PER_PAGE`](crate::api::DEFAULT_PER_PAGE) by default, and clouds allow 100 at most."
        )]
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
        pub fn order(mut self, order: $crate::api::Order) -> Self {
            self.paging.order = order;
            self
        }

        /// Only items whose field has this value. Several filters are combined with AND.
        pub fn filter(mut self, field: impl Into<String>, value: impl Into<String>) -> Self {
            self.paging.filters.push((field.into(), value.into()));
            self
        }
    };
}

pub(super) use paging_setters;
