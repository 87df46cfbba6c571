//! What the cloud does by itself.

pub(crate) mod delivery;
pub(crate) mod expiry;
pub(crate) mod losses;
pub(crate) mod retention;
pub(crate) mod rules;
pub(crate) mod schedules;
