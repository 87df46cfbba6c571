//! Validation of form input, and the errors of a save that fails after some of its parts are written.

pub(crate) mod partial_writes;
pub(crate) mod password_rule;
pub(crate) mod validation;
