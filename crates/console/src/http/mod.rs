//! HTTP for all handlers: extractors, query strings, sort orders, ETags, and errors as problem details.

pub(crate) mod error;
pub(crate) mod etag;
pub(crate) mod query_reader;
pub(crate) mod request;
pub(crate) mod sort_order;
