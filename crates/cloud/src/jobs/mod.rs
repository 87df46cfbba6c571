//! What the cloud does by itself.

pub(crate) mod expiry;
pub(crate) mod retention;
