//! Lets concurrent requests share one read or call instead of repeating it.

pub(crate) mod read_cache;
pub(crate) mod shared_calls;
