//! Types of devices, messages, templates and users that the store and the modules above it share. Depends only on `domain`.

pub(crate) mod device;
pub(crate) mod message;
pub(crate) mod template;
pub(crate) mod user;
