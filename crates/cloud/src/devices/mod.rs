//! Changes to devices: commands of users ([`commands`]), edits ([`edits`]), role labels ([`labels`]), messages over the
//! device link ([`link`]) and schedules ([`schedules`]); [`access`] checks permissions. Each change is one transaction;
//! events are published after its commit.

pub(crate) mod access;
pub(crate) mod commands;
pub(crate) mod data;
pub(crate) mod edits;
pub(crate) mod files;
pub(crate) mod labels;
pub(crate) mod link;
pub(crate) mod notifications;
pub(crate) mod schedules;
pub(crate) mod triggers;
