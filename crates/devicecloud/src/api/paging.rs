//! Which page of a list, in what order, and of what: alike for devices and users (specification 001, section 7).

use super::{Order, required};
use crate::error::Result;
use crate::http::Request;
use crate::messages;

/// How many items a page has, unless the call asks for another size.
pub const DEFAULT_PER_PAGE: u32 = 10;

#[derive(Clone, Debug)]
pub(super) struct Paging {
    pub(super) page: u32,
    pub(super) per_page: u32,
    pub(super) order: Order,
    pub(super) order_by: String,
    pub(super) filters: Vec<(String, String)>,
}

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

    /// Asks for this page.
    pub(super) fn ask(&self, request: Request) -> Request {
        let request = request
            .query("paginated", "true")
            .query("page", self.page.to_string())
            .query("per_page", self.per_page.to_string())
            .query("filter[order]", self.order.as_str())
            .query("filter[order_by]", &self.order_by);
        self.filters.iter().fold(request, |request, (field, value)| request.query(format!("filter[{field}]"), value))
    }

    /// The next page to ask for, if there is one. A cloud that names no later page, or tells an empty one, must not be asked
    /// for ever.
    pub(super) fn next(&self, named: Option<u32>, is_empty: bool) -> Option<u32> {
        named.filter(|next| *next > self.page && !is_empty)
    }
}
