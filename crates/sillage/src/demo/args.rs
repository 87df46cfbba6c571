//! What a demo can be told.

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::bail;
use jiff::Timestamp;
use url::Url;

use super::data_folder::FleetPlan;
use super::device::DemoDevice;
use crate::listen;
use crate::mqtts::Mqtts;

const DEVICES: usize = 200;
const SEED: u64 = 1;
/// More would fit into the serial numbers, not into a machine that also simulates them.
const MAX_DEVICES: u64 = 100_000;
/// In place of a serial number: every one.
const ALL: &str = "all";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where everything is kept
    #[arg(long, default_value = "./data", value_name = "DIR")]
    pub(super) data: PathBuf,
    /// Where the console listens; port 0 takes any free port
    #[arg(long, default_value = "127.0.0.1:8080", value_name = "HOST:PORT", value_parser = listen::address)]
    pub(super) listen: SocketAddr,
    /// Where the cloud listens
    #[arg(long, default_value = "127.0.0.1:8081", value_name = "HOST:PORT", value_parser = listen::address)]
    pub(super) cloud_listen: SocketAddr,
    /// Where the cloud listens for diffusers
    #[arg(long, default_value = "127.0.0.1:1883", value_name = "HOST:PORT", value_parser = listen::address)]
    pub(super) mqtt_listen: SocketAddr,
    #[command(flatten)]
    pub(super) mqtts: Mqtts,
    /// How many diffusers to make at the first start [default: 200]. The factory's stock comes on top: ten that nobody has
    /// added yet
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=MAX_DEVICES))]
    devices: Option<u64>,
    /// Another fleet for another number, at the first start [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Written in one step when everything answers: addresses and accounts as JSON
    #[arg(long, value_name = "PATH")]
    pub(super) ready_file: Option<PathBuf>,
    /// The address under which the console reaches the cloud [default: that of --cloud-listen, or loopback when it is 0.0.0.0]
    #[arg(long, value_name = "URL")]
    pub(super) cloud_url: Option<Url>,
    /// Serve plain http beyond this machine too, where passwords can be read on the way
    #[arg(long)]
    pub(super) insecure_http: bool,
    /// Shown above every page of the console; at most 300 characters
    #[arg(long, value_name = "TEXT", env = "MAINTENANCE_MESSAGE", default_value = "", hide_default_value = true)]
    pub(super) maintenance_message: String,
    /// Leave this diffuser without simulation, for `sillage simulate` or your own firmware; can be repeated, and `all`
    /// leaves all of them
    #[arg(long, value_name = "DSN|all")]
    unplugged: Vec<String>,
    /// Tell people of a lost connection after so long at the latest: nobody waits five minutes to see a message
    #[arg(long, value_name = "SECONDS", env = "SILLAGE_LONGEST_THRESHOLD", default_value_t = 15,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) longest_threshold: u32,
    /// Let no connection drop out: diffusers that are plugged in stay online
    #[arg(long)]
    pub(super) steady: bool,
}

impl Args {
    pub(super) fn plan(&self, begun_at: Timestamp) -> FleetPlan {
        let devices = self.devices.and_then(|devices| usize::try_from(devices).ok()).unwrap_or(DEVICES);
        FleetPlan { devices, seed: self.seed.unwrap_or(SEED), begun_at }
    }

    /// Refuses to leave a diffuser alone that there is not.
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

    /// Says so when the folder already holds another fleet than was asked for.
    pub(super) fn check_plan(&self, plan: FleetPlan) {
        let requested = self.plan(plan.begun_at);
        if (self.devices.is_some() && requested.devices != plan.devices)
            || (self.seed.is_some() && requested.seed != plan.seed)
        {
            tracing::warn!(
                devices = plan.devices,
                seed = plan.seed,
                "this folder already holds a fleet: --devices and --seed count at the first start only"
            );
        }
    }
}
