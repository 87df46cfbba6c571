//! The options that select the database of a cloud or a console.

use std::path::PathBuf;

use anyhow::Context;

use crate::files::secrets;

#[derive(clap::Args)]
pub(crate) struct DatabaseOption {
    /// Configuration file in TOML, from `sillage config example`; also SILLAGE_CONFIG. The environment and the command line have
    /// precedence over it
    // Read by `configuration`, before clap parses the command line.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The database: sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME. Prefer the environment variable SILLAGE_DATABASE: other
    /// users of this machine can read command lines
    // Optional for clap, because subcommands of a node are parsed without it.
    #[arg(long, value_name = "URL", hide_env_values = true, required_unless_present = "database_file")]
    database: Option<String>,
    /// File with the URL of the database
    #[arg(long, value_name = "FILE", conflicts_with = "database")]
    database_file: Option<PathBuf>,
}

impl DatabaseOption {
    pub(crate) fn url(&self) -> anyhow::Result<String> {
        match (&self.database, &self.database_file) {
            (Some(url), _) => Ok(url.clone()),
            (None, Some(file)) => secrets::line(file).context("--database-file"),
            (None, None) => anyhow::bail!("--database is missing"),
        }
    }
}
