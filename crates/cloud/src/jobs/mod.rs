//! What the cloud does by itself.

pub(crate) mod expiry;
