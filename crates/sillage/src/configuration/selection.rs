//! Options of commands that read the configuration of several servers.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::bail;

use super::file::File;
use super::{Environment, Server, VARIABLE};

#[derive(clap::Args)]
pub(crate) struct Selection {
    /// Configuration file; also SILLAGE_CONFIG
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The server [default: those with a section in the configuration file]
    server: Option<Server>,
    /// Options of the server, as on its command line
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<OsString>,
}

impl Selection {
    pub(crate) fn servers(&self, environment: &Environment) -> anyhow::Result<Vec<Server>> {
        if let Some(server) = self.server {
            return Ok(vec![server]);
        }
        let path = match &self.config {
            Some(path) => Some(path.clone()),
            None => environment.value(VARIABLE)?.map(PathBuf::from),
        };
        let Some(path) = path else {
            bail!("name a server, cloud or console, or a configuration file (--config)");
        };
        let servers = File::read(&path)?.servers();
        if servers.is_empty() {
            bail!("{} has no section", path.display());
        }
        Ok(servers)
    }

    /// The options of the server.
    pub(crate) fn options(&self) -> Vec<OsString> {
        let config = self.config.iter().flat_map(|path| ["--config".into(), path.clone().into_os_string()]);
        config.chain(self.options.iter().cloned()).collect()
    }
}
