//! The cloud's rules: pure functions without database, clock and network.

pub(crate) mod device_clock;
pub(crate) mod location;
pub(crate) mod message_limits;
pub(crate) mod notification;
pub(crate) mod password;
pub(crate) mod pattern;
pub(crate) mod policy;
pub(crate) mod principal;
pub(crate) mod replacements;
pub(crate) mod report_fault;
pub(crate) mod role;
pub(crate) mod rule;
pub(crate) mod schedule;
pub(crate) mod secret;
pub(crate) mod setup_code;
pub(crate) mod share;
pub(crate) mod time_zone;
pub(crate) mod trigger;
pub(crate) mod value;
