//! `sillage simulate`: virtual diffusers for any cloud that speaks the device link.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, bail};
use simulator::{Clock, Fleet, Link, Options, Roots, State, VirtualDevice};
use url::Url;

use crate::demo::{self, data_folder::SavedDemo};
use crate::files::key_list::{self, KeyedDevice};
use crate::process::{logging, stop};

const SEED: u64 = 1;
const DATA: &str = "./data";

/// Simulate diffusers on any cloud until stopped
///
/// Simulated diffusers sign in to the cloud, report their values and apply commands: mode, off-cycle, intensity, fan and the
/// weekly schedule in their own time zone. They count their running hours and lose their connection now and then.
///
/// The diffusers come from a key list (--keys) or from a demo (--data); --dsn selects some of them. A diffuser can hold only
/// one connection: exclude it from a running demo with --unplugged before you simulate it here.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  sillage simulate --link mqtts://cloud.example --keys diffusers.csv
  sillage simulate --data ./data --dsn AC000W000100000

A key list with all possible columns:
  dsn,key,system_configuration,time_zone
  SL0001,<64 hexadecimal digits>,AQ290,Europe/Paris")]
pub(crate) struct Args {
    /// Address of the cloud's device link: mqtt://HOST:PORT, or mqtts://HOST:PORT with TLS
    #[arg(long, default_value = "mqtt://127.0.0.1:1883", value_name = "URL")]
    link: Url,
    /// Trust the certificates in this PEM file instead of the public ones, for mqtts://
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Diffusers and their keys as CSV: dsn,key and optionally system_configuration,time_zone
    #[arg(long, value_name = "FILE", conflicts_with = "data")]
    keys: Option<PathBuf>,
    /// The data folder of a demo; its diffusers continue from their last reported values [default: ./data]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// With --data: the database that `sillage demo load` filled [default: cloud.db in the data folder]
    #[arg(long, value_name = "URL", env = "SILLAGE_CLOUD_DATABASE", hide_env_values = true)]
    cloud_database: Option<String>,
    /// Simulate only this diffuser; can be repeated
    #[arg(long, value_name = "DSN")]
    dsn: Vec<String>,
    /// Seed of the delays and connection losses [default: the demo's seed, or 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Never lose a connection
    #[arg(long)]
    steady: bool,
    /// Simulate only this share of the diffusers, such as 1/2: each is an open file, of which a process can have only so many
    #[arg(long, default_value = "1/1", hide_default_value = true, value_name = "K/N")]
    share: Share,
}

/// The K-th of N shares of a fleet, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Share {
    number: usize,
    of: usize,
}

impl FromStr for Share {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Self { number, of }),
            _ => Err("expected K/N with K from 1 to N, such as 1/2"),
        }
    }
}

impl Share {
    /// Keeps the items of this share. Each item is in one share.
    fn keep<T>(self, all: Vec<T>) -> Vec<T> {
        all.into_iter().skip(self.number - 1).step_by(self.of).collect()
    }
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    logging::starting("simulate");
    let stop = stop::requested()?;
    let link = link(&args.link, args.ca.as_deref())?;
    let (devices, seed) = match &args.keys {
        Some(keys) => (
            select(key_list::read(keys)?, &args.dsn, |device| &device.dsn)?.into_iter().map(virtual_device).collect(),
            SEED,
        ),
        None => demo_devices(args.data.as_deref().unwrap_or(Path::new(DATA)), args.cloud_database, &args.dsn).await?,
    };
    let devices = args.share.keep(devices);
    let count = devices.len();
    let seed = args.seed.unwrap_or(seed);
    let fleet = Fleet::start(Options { link, seed, drop_outs: !args.steady, devices, clock: Clock::system() });
    tracing::info!(diffusers = count, link = %args.link, "simulation started");
    stop.await;
    fleet.shutdown().await;
    logging::stopped("simulate");
    Ok(())
}

fn virtual_device(KeyedDevice { dsn, key, configuration, time_zone }: KeyedDevice) -> VirtualDevice {
    VirtualDevice { dsn, key, state: State { time_zone, ..State::new(configuration) }, fault: None }
}

/// The diffusers of a demo, and its seed. Unplugged diffusers are included only if `dsns` names them.
async fn demo_devices(
    data: &Path,
    database: Option<String>,
    dsns: &[String],
) -> anyhow::Result<(Vec<VirtualDevice>, u64)> {
    let saved = SavedDemo::load(data)?;
    let mut devices = select(demo::fleet::build(saved.plan), dsns, |device| &device.dsn)?;
    if dsns.is_empty() {
        devices.retain(demo::DemoDevice::is_plugged_in);
    }
    let reported = demo::reported(data, database).await.context("cannot read the last reported values")?;
    let devices = devices
        .iter()
        .map(|device| demo::diffusers::virtual_device(device, &saved.fleet_secret, reported.get(&device.dsn)));
    Ok((devices.collect(), saved.plan.seed))
}

/// Keeps the items with these serial numbers, or all if `dsns` is empty.
fn select<T>(mut all: Vec<T>, dsns: &[String], dsn_of: impl Fn(&T) -> &String) -> anyhow::Result<Vec<T>> {
    if let Some(unknown) = dsns.iter().find(|dsn| !all.iter().any(|one| dsn_of(one) == *dsn)) {
        bail!("--dsn: there is no diffuser {unknown}");
    }
    all.retain(|one| dsns.is_empty() || dsns.contains(dsn_of(one)));
    Ok(all)
}

fn link(url: &Url, ca: Option<&Path>) -> anyhow::Result<Link> {
    let host = url.host_str().filter(|host| !host.is_empty()).context("--link has no host")?;
    // Only URLs write IPv6 addresses in brackets.
    let host = host.trim_start_matches('[').trim_end_matches(']');
    match url.scheme() {
        "mqtt" if ca.is_some() => bail!("--ca requires an mqtts:// link"),
        "mqtt" => Ok(Link::plain(host, url.port().unwrap_or(1883))),
        "mqtts" => {
            let roots = ca.map_or(Roots::Public, |file| Roots::File(file.to_owned()));
            Ok(Link::tls(host, url.port().unwrap_or(8883), &roots)?)
        }
        _ => bail!("--link must start with mqtt:// or mqtts://"),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    fn parse(words: &str) -> Option<Args> {
        Cli::try_parse_from(words.split(' ')).ok().map(|cli| cli.args)
    }

    #[test]
    fn keys_and_data_exclude_each_other() {
        let args = parse("simulate --keys fleet.csv --dsn A --dsn B --seed 7 --steady").unwrap();
        assert_eq!(
            (args.dsn.as_slice(), args.seed, args.steady),
            (&["A".to_owned(), "B".to_owned()][..], Some(7), true)
        );
        assert!(args.data.is_none() && parse("simulate").is_some());
        for wrong in ["simulate --keys a --data b", "simulate --seed -1", "simulate --keys", "simulate --link :"] {
            assert!(parse(wrong).is_none(), "{wrong}");
        }
    }

    fn refusal(url: &str, ca: Option<&str>) -> Option<String> {
        link(&url.parse().unwrap(), ca.map(Path::new)).err().map(|error| error.to_string())
    }

    #[test]
    fn link_url_must_be_mqtt_or_mqtts() {
        for good in ["mqtt://127.0.0.1:1900", "mqtt://cloud.example", "mqtts://cloud.example", "mqtts://[::1]:8883"] {
            assert_eq!(refusal(good, None), None, "{good}");
        }
        let rows = [
            ("http://127.0.0.1:1900", None, "--link must start with mqtt:// or mqtts://"),
            ("mqtt:", None, "--link has no host"),
            ("mqtt://cloud.example", Some("ca.pem"), "--ca requires an mqtts:// link"),
        ];
        for (url, ca, why) in rows {
            assert_eq!(refusal(url, ca).as_deref(), Some(why), "{url}");
        }
        let error = refusal("mqtts://cloud.example", Some("/nowhere/ca.pem")).unwrap();
        assert!(error.starts_with("cannot read certificates from /nowhere/ca.pem"), "{error}");
    }

    #[test]
    fn each_diffuser_is_in_one_share() {
        let share =
            |text: &str| parse(&format!("simulate --share {text}")).map(|args| args.share.keep(vec![1, 2, 3, 4, 5]));
        assert_eq!(share("1/1"), Some(vec![1, 2, 3, 4, 5]));
        assert_eq!((share("1/2"), share("2/2")), (Some(vec![1, 3, 5]), Some(vec![2, 4])));
        assert_eq!(share("7/9"), Some(vec![]));
        for wrong in ["0/2", "3/2", "1/0", "1", "1/2/3", "-1/2", "a/b", "/"] {
            assert_eq!(share(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn named_diffusers_are_selected_and_unknown_ones_rejected() {
        let all = || ["A", "B", "C"].map(str::to_owned).to_vec();
        let choose = |dsns: &[&str]| {
            let dsns: Vec<String> = dsns.iter().map(|dsn| (*dsn).to_owned()).collect();
            select(all(), &dsns, |dsn| dsn).map_err(|error| error.to_string())
        };
        assert_eq!(choose(&[]), Ok(all()));
        assert_eq!(choose(&["C", "A", "C"]), Ok(vec!["A".to_owned(), "C".to_owned()]));
        assert_eq!(choose(&["A", "D"]), Err("--dsn: there is no diffuser D".to_owned()));
    }
}
