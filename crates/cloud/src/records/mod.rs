//! Types that the store and the modules above it share. They know only `domain`.

pub(crate) mod device;
pub(crate) mod message;
pub(crate) mod template;
pub(crate) mod user;
