//! Limits: request rates, event streams per user, one report at a time per session, and one writer at a time per record.

pub(crate) mod report_slots;
pub(crate) mod request_rates;
pub(crate) mod stream_slots;
pub(crate) mod write_lock;
