//! Log lines go to standard error; docs/logging.md says what may stand in them.

use std::io::{IsTerminal, stderr};

use anyhow::Context;
use tracing_subscriber::EnvFilter;

/// The environment variable with the filter, for example `cloud=debug,info`.
const FILTER: &str = "SILLAGE_LOG";

/// Begins to log what the environment asks for, or else `default`.
pub(crate) fn start(default: &str) -> anyhow::Result<()> {
    let filter = match std::env::var(FILTER) {
        Ok(text) => EnvFilter::try_new(&text).with_context(|| format!("{FILTER} is no log filter"))?,
        // At every start PostgreSQL notes that the table of the migrations exists.
        Err(_) => EnvFilter::new(format!("{default},sqlx::postgres::notice=warn")),
    };
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(stderr().is_terminal()).with_writer(stderr).init();
    Ok(())
}

/// The first line of a command that runs until it is stopped.
pub(crate) fn starting(command: &'static str) {
    tracing::info!(command, version = env!("CARGO_PKG_VERSION"), "starting");
}

/// Its last line, after everything has ended in order.
pub(crate) fn stopped(command: &'static str) {
    tracing::info!(command, "stopped");
}
