//! Logs to standard error. `docs/logging.md` lists what log lines may contain.

use std::env::VarError;
use std::io::{IsTerminal, stderr};

use anyhow::{Context, bail};
use tracing_subscriber::EnvFilter;

/// The environment variable with the filter, for example `cloud=debug,info`.
pub(crate) const FILTER: &str = "SILLAGE_LOG";
/// The environment variable with the format: `text` or `json`.
pub(crate) const FORMAT: &str = "SILLAGE_LOG_FORMAT";

/// Starts logging with the filter and in the format of the environment. The filter is `default` without it.
pub(crate) fn start(default: &str) -> anyhow::Result<()> {
    let filter = match std::env::var(FILTER) {
        Ok(text) => EnvFilter::try_new(&text).with_context(|| format!("{FILTER} is not a valid log filter"))?,
        // PostgreSQL logs a notice at every start because the migrations table exists. The NATS client logs every attempt to
        // connect; the bus logs a loss and a return.
        Err(_) => EnvFilter::new(format!("{default},sqlx::postgres::notice=warn,async_nats=off")),
    };
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(stderr);
    match std::env::var(FORMAT).as_deref() {
        Ok("json") => log.json().flatten_event(true).with_current_span(false).init(),
        Ok("text") | Err(VarError::NotPresent) => log.with_ansi(stderr().is_terminal()).init(),
        _ => bail!("{FORMAT} must be text or json"),
    }
    Ok(())
}

/// Logs the first line of a command that runs until it is stopped.
pub(crate) fn starting(command: &'static str) {
    tracing::info!(command, version = env!("CARGO_PKG_VERSION"), "starting");
}

/// Logs the last line of a command, after an orderly shutdown.
pub(crate) fn stopped(command: &'static str) {
    tracing::info!(command, "stopped");
}
