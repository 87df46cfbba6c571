//! What every handler needs of HTTP: extractors, query strings, conditional requests, and errors as problem details.

pub(crate) mod error;
pub(crate) mod etag;
pub(crate) mod query_reader;
pub(crate) mod request;
pub(crate) mod sort_order;
