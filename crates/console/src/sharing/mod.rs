//! Reads and calls that requests at the same time share.

pub(crate) mod read_cache;
pub(crate) mod shared_calls;
pub(crate) mod shared_reads;
