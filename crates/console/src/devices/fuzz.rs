//! Parses texts as query strings of the device list, for fuzz tests.

use jiff::Timestamp;

use super::list_query::{parse, parse_job_filter};
use crate::http::request::QueryPairs;

/// Parses a query string as that of the list and as the filters of a job.
///
/// # Panics
/// If a job would choose devices by filters that the list refuses.
pub fn query(text: &str) {
    let list = parse(&QueryPairs::read(text), Timestamp::UNIX_EPOCH);
    assert!(parse_job_filter(text, Timestamp::UNIX_EPOCH).is_err() || list.is_ok(), "{text}");
}
