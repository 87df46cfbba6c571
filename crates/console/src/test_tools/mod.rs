//! What several tests of this crate need: the log of a test, and the plans of statements.

pub(crate) mod captured_log;
pub(crate) mod query_plans;
