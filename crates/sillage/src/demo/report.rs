//! A report of a device in its history.

use jiff::Timestamp;
use serde_json::Value;

/// One reported value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PastReport {
    pub(super) property: &'static str,
    pub(super) value: Value,
    pub(super) at: Timestamp,
}
