//! The flags of the bus, by which nodes hear of each other's changes.

use std::path::PathBuf;

use anyhow::Context;
use platform::bus::BusAddress;

#[derive(clap::Args)]
pub(crate) struct Bus {
    /// How this node hears of changes by other nodes on its database: memory (not at all), postgres, or the servers of a NATS
    /// cluster such as nats://USER:PASSWORD@HOST:PORT,HOST:PORT (tls:// for TLS) [default: postgres if the database is
    /// PostgreSQL, otherwise memory]
    // Parsed later: errors of clap repeat the value, which can contain a password.
    #[arg(long, value_name = "BUS", hide_env_values = true)]
    bus: Option<String>,
    /// File with the credentials for NATS: a .creds file, USER:PASSWORD, or a token
    #[arg(long, value_name = "FILE")]
    bus_credentials_file: Option<PathBuf>,
    /// File with the certificate authorities of the NATS servers in PEM [default: those of the system]
    #[arg(long, value_name = "FILE")]
    bus_ca_file: Option<PathBuf>,
}

impl Bus {
    /// The bus of a node with this database.
    pub(crate) fn address(&self, database: &str) -> anyhow::Result<BusAddress> {
        let mut address = match &self.bus {
            Some(text) => text.parse().context("--bus")?,
            None => BusAddress::of_database(database),
        };
        if let Some(path) = &self.bus_credentials_file {
            address = address.with_credentials_file(path).context("--bus-credentials-file")?;
        }
        if let Some(path) = &self.bus_ca_file {
            address = address.with_ca_file(path).context("--bus-ca-file")?;
        }
        Ok(address)
    }
}
