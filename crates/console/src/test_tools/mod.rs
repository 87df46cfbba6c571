//! Shared test helpers: captured logs and SQL query plans.

pub(crate) mod captured_log;
pub(crate) mod query_plans;
