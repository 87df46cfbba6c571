//! What the cloud does by itself.

pub(crate) mod expiry;
pub(crate) mod mail;
pub(crate) mod retention;
