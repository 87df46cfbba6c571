//! The options of `sillage demo`.

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::bail;
use clap::Arg;
use url::Url;

use super::device::DemoDevice;
use super::fleet_options::FleetOptions;
use super::load_command;
use crate::configuration;
use crate::options::listen;
use crate::options::mail_options::MailOptions;
use crate::options::mqtts::Mqtts;

/// Stands for all serial numbers.
const ALL: &str = "all";

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(mut_args(with_variable))]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    /// Data folder
    #[arg(long, default_value = "./data", value_name = "DIR")]
    pub(super) data: PathBuf,
    /// Address on which the console listens; port 0 takes any free port
    #[arg(long, default_value = "127.0.0.1:8080", value_name = "HOST:PORT", value_parser = listen::address)]
    pub(super) listen: SocketAddr,
    /// Address on which the cloud listens
    #[arg(long, default_value = "127.0.0.1:8081", value_name = "HOST:PORT", value_parser = listen::address)]
    pub(super) cloud_listen: SocketAddr,
    /// Address on which the cloud listens for diffusers
    #[arg(long, default_value = "127.0.0.1:1883", value_name = "HOST:PORT", value_parser = listen::address)]
    pub(super) mqtt_listen: SocketAddr,
    #[command(flatten)]
    pub(super) mqtts: Mqtts,
    #[command(flatten)]
    pub(super) fleet: FleetOptions,
    /// File to write when everything is ready: addresses and accounts as JSON
    #[arg(long, value_name = "PATH")]
    pub(super) ready_file: Option<PathBuf>,
    /// The cloud's address for the console [default: that of --cloud-listen, or loopback if it is 0.0.0.0]
    #[arg(long, value_name = "URL")]
    pub(super) cloud_url: Option<Url>,
    /// Serve plain http to other machines too: passwords can be intercepted
    #[arg(long)]
    pub(super) insecure_http: bool,
    /// Notice shown above every page of the console; at most 300 characters
    #[arg(long, value_name = "TEXT", env = "MAINTENANCE_MESSAGE", default_value = "", hide_default_value = true)]
    pub(super) maintenance_message: String,
    /// Do not simulate this diffuser, so that `sillage simulate` or your own firmware can connect as it; can be repeated, and
    /// `all` means every diffuser
    #[arg(long, value_name = "DSN|all")]
    unplugged: Vec<String>,
    /// Maximum delay before a lost connection is reported, short so that a message arrives while you watch
    #[arg(long, value_name = "SECONDS", env = "SILLAGE_LONGEST_THRESHOLD", default_value_t = 15,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) longest_threshold: u32,
    /// Never lose a connection: plugged-in diffusers stay online
    #[arg(long)]
    pub(super) steady: bool,
    // Last, because its help heading applies to all flags that follow.
    #[command(flatten)]
    pub(super) mail: MailOptions,
}

#[derive(clap::Subcommand)]
pub(super) enum Command {
    Load(load_command::Args),
}

/// Lets clap read the variable of a mail option. Cloud and console read those of all their options in `configuration`.
fn with_variable(option: Arg) -> Arg {
    match option.get_long().filter(|key| key.starts_with("smtp-")).map(configuration::variable) {
        Some(variable) => option.env(variable),
        None => option,
    }
}

impl Args {
    /// Rejects unknown serial numbers in `--unplugged`.
    pub(super) fn check_unplugged(&self, fleet: &[DemoDevice]) -> anyhow::Result<()> {
        let known = |dsn: &String| dsn == ALL || fleet.iter().any(|device| device.dsn == *dsn);
        match self.unplugged.iter().find(|dsn| !known(dsn)) {
            Some(unknown) => bail!("--unplugged: there is no diffuser {unknown}"),
            None => Ok(()),
        }
    }

    /// Whether the demo simulates the diffuser.
    pub(super) fn plugs_in(&self, device: &DemoDevice) -> bool {
        device.is_plugged_in() && !self.unplugged.iter().any(|dsn| *dsn == device.dsn || dsn == ALL)
    }
}
