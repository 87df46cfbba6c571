//! What the input of people has to satisfy, and what is said when a save of several parts stops half-way.

pub(crate) mod partial_writes;
pub(crate) mod password_rule;
pub(crate) mod validation;
