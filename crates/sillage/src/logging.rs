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
        Err(_) => EnvFilter::new(default),
    };
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(stderr().is_terminal()).with_writer(stderr).init();
    Ok(())
}
