//! How much, how often and by how many at a time: rates of requests, streams, reports, and writes of one record.

pub(crate) mod report_slots;
pub(crate) mod request_rates;
pub(crate) mod stream_slots;
pub(crate) mod write_lock;
