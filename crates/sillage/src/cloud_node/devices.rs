//! `sillage cloud device`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Subcommand, value_parser};
use cloud::Operator;
use cloud::operator::{DeviceSummary, ExistingDevice, NewDevice, Oem, OperatorError};
use diffuser::properties::TEMPLATE;
use jiff::Timestamp;
use platform::clock::Clock;
use platform::random::Random;
use secrecy::{ExposeSecret, SecretString};

use super::output;
use super::target::Target;
use crate::key_list;

/// Serial numbers of generated devices begin with it.
const PREFIX: &str = "SL";
/// Bytes of a key: 256 random bits.
const KEY_BYTES: usize = 32;
/// Devices that an error names; whoever has more sees them after mending these.
const MAX_NAMED_DEVICES: usize = 10;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Add diffusers with their keys to the factory's stock, from where the console takes them
    Add(Add),
    /// List all devices
    List(List),
    /// Show a device
    Show(DeviceArgs),
    /// Refuse a device's connections until it is unblocked, and end the present one within seconds
    Block(DeviceArgs),
    /// Let a blocked device connect again
    Unblock(DeviceArgs),
    /// Give a device another key, shown this once; the old one ends within seconds
    RotateKey(DeviceArgs),
    /// Remove a device for good; its history cannot be read any more
    Remove(Remove),
}

#[derive(clap::Args)]
#[command(after_help = "\
The list is the CSV that `sillage simulate --keys` reads; of its columns dsn and key count here:
  dsn,key
  SL0001,<64 hexadecimal digits>

Everything in the list is checked before anything is added. Interrupted, the command can be repeated with the same list:
devices that are there with the same key stay as they are.")]
struct Add {
    #[command(flatten)]
    target: Target,
    /// The list of serial numbers and keys
    #[arg(long, value_name = "FILE")]
    keys: PathBuf,
    /// Make so many devices with new serial numbers and keys, and write them to the list, a new file that only you can read
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=key_list::MAX_DEVICES as i64))]
    generate: Option<u32>,
}

#[derive(clap::Args)]
struct List {
    #[command(flatten)]
    target: Target,
}

#[derive(clap::Args)]
struct DeviceArgs {
    #[command(flatten)]
    target: Target,
    /// Its serial number
    dsn: String,
}

#[derive(clap::Args)]
struct Remove {
    #[command(flatten)]
    device: DeviceArgs,
    /// Also a device that is registered: it is taken from its owner, partner and customer first
    #[arg(long)]
    registered: bool,
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    match args.command {
        Command::Add(Add { target, keys, generate }) => {
            let (operator, oem) = target.open().await?;
            match generate {
                Some(count) => self::generate(&operator, &oem, &keys, count as usize).await,
                None => add(&operator, &oem, &keys).await,
            }
        }
        Command::List(List { target }) => {
            let (operator, oem) = target.open().await?;
            let rows: Vec<_> = operator.devices(&oem).await?.iter().map(row).collect();
            output::print_table(["DSN", "Name", "State", "Connection", "Last connected"], &rows)
        }
        Command::Show(DeviceArgs { target, dsn }) => {
            let (operator, oem) = target.open().await?;
            let (device, partners) = operator.device(&oem, &dsn).await.map_err(with_hint)?;
            show(&device, &partners)
        }
        Command::Block(DeviceArgs { target, dsn }) => {
            let (operator, oem) = target.open().await?;
            output::print_line(match operator.block_device(&oem, &dsn).await.map_err(with_hint)? {
                true => "Blocked; a connection ends within seconds.",
                false => "It was blocked already; nothing was changed.",
            })
        }
        Command::Unblock(DeviceArgs { target, dsn }) => {
            let (operator, oem) = target.open().await?;
            output::print_line(match operator.unblock_device(&oem, &dsn).await.map_err(with_hint)? {
                true => "Unblocked.",
                false => "It was not blocked; nothing was changed.",
            })
        }
        Command::RotateKey(DeviceArgs { target, dsn }) => {
            let (operator, oem) = target.open().await?;
            let key = SecretString::from(Random::system().hex(KEY_BYTES));
            operator.set_device_key(&oem, &dsn, &key).await.map_err(with_hint)?;
            output::print_text(&format!("Key  {}", key.expose_secret()))
        }
        Command::Remove(Remove { device, registered }) => {
            let (operator, oem) = device.target.open().await?;
            operator.remove_device(&oem, &device.dsn, registered).await.map_err(with_hint)?;
            output::print_line("Removed.")
        }
    }
}

async fn add(operator: &Operator, oem: &Oem, list: &Path) -> anyhow::Result<()> {
    let now = Clock::system().now();
    let devices = key_list::read(list).context("--keys")?;
    let devices: Vec<_> = devices.into_iter().map(|device| new_device(device.dsn, device.key.into(), now)).collect();
    let existing = operator.existing_devices(oem, &devices).await?;
    let conflicting: Vec<&str> = existing.iter().filter(|it| !it.is_same).map(|it| &*it.dsn).collect();
    if !conflicting.is_empty() {
        bail!(
            "--keys: nothing was added, as these exist with another key, another type or another manufacturer: {}; \
             `sillage cloud device rotate-key` gives a device another key",
            names(&conflicting)
        );
    }
    let (all, there) = (devices.len(), existing.len());
    let added = operator.add_devices(oem, &devices).await.context("run the command again when this is mended")?;
    if added + there < all {
        bail!(
            "somebody else added some of these devices meanwhile; run the command again to see whether their keys differ"
        );
    }
    match there {
        0 => output::print_line(&format!("Added {added}.")),
        _ => output::print_line(&format!("Added {added}; already there with the same key: {there}.")),
    }
}

async fn generate(operator: &Operator, oem: &Oem, list: &Path, count: usize) -> anyhow::Result<()> {
    let (random, now) = (Random::system(), Clock::system().now());
    let mut dsns = HashSet::new();
    let mut devices = Vec::with_capacity(count);
    while devices.len() < count {
        let dsn = format!("{PREFIX}{}", random.hex(6).to_uppercase());
        if dsns.insert(dsn.clone()) {
            devices.push(new_device(dsn, random.hex(KEY_BYTES).into(), now));
        }
    }
    if let [ExistingDevice { dsn, .. }, ..] = &operator.existing_devices(oem, &devices).await?[..] {
        bail!("{dsn} was made up, and exists already; nothing was added, run the command again");
    }
    let lines = devices.iter().map(|device| (&*device.dsn, device.link_key.expose_secret()));
    key_list::write_new(list, lines).context("--keys")?;
    let added = operator.add_devices(oem, &devices).await;
    let hint = || format!("--keys {} is written; run the command again without --generate", list.display());
    let added = added.with_context(hint)?;
    output::print_text(&format!(
        "Added {added}. Their keys stand in {} and nowhere else: the cloud keeps hashes.",
        list.display()
    ))
}

/// A diffuser in stock. Name, place and whose it is come with the console.
fn new_device(dsn: String, link_key: SecretString, created_at: Timestamp) -> NewDevice {
    NewDevice {
        dsn,
        template: TEMPLATE.name.to_owned(),
        product_name: "Diffuser".to_owned(),
        model: "AY008MOD1".to_owned(),
        oem_model: TEMPLATE.name.to_owned(),
        link_key,
        created_at,
        ..NewDevice::default()
    }
}

fn names(dsns: &[&str]) -> String {
    let named = dsns[..dsns.len().min(MAX_NAMED_DEVICES)].join(", ");
    match dsns.len().saturating_sub(MAX_NAMED_DEVICES) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// Says what to do.
fn with_hint(error: OperatorError) -> anyhow::Error {
    let hint = match &error {
        OperatorError::UnknownDevice(_) => "`sillage cloud device list` names all devices; letter case matters",
        OperatorError::RegisteredDevice(_) => "nothing was changed; --registered removes it all the same",
        OperatorError::ConnectedDevice(_) => {
            "nothing was changed; `sillage cloud device block` ends its connection within seconds"
        }
        _ => return error.into(),
    };
    anyhow::anyhow!("{error} ({hint})")
}

fn state(device: &DeviceSummary) -> String {
    let state = if device.registered_at.is_some() { "registered" } else { "in stock" };
    if device.blocked_at.is_some() { format!("{state}, blocked") } else { state.to_owned() }
}

fn connection(device: &DeviceSummary) -> String {
    if device.online { "Online" } else { "Offline" }.to_owned()
}

fn row(device: &DeviceSummary) -> [String; 5] {
    let connected = device.connected_at.map_or_else(|| "never".to_owned(), time);
    [device.dsn.clone(), device.product_name.clone(), state(device), connection(device), connected]
}

fn show(device: &DeviceSummary, partners: &[String]) -> anyhow::Result<()> {
    for (name, value) in [
        ("DSN", Some(device.dsn.clone())),
        ("Name", Some(device.product_name.clone())),
        ("Type", Some(device.template.clone())),
        ("State", Some(state(device))),
        ("Partner", (!partners.is_empty()).then(|| partners.join(", "))),
        ("Connection", Some(connection(device))),
        ("Last connected", Some(device.connected_at.map_or_else(|| "never".to_owned(), time))),
        ("Added", Some(time(device.created_at))),
        ("Registered", device.registered_at.map(time)),
        ("Blocked", device.blocked_at.map(time)),
    ] {
        if let Some(value) = value {
            output::print_line(&format!("{name:<15} {value}"))?;
        }
    }
    Ok(())
}

fn time(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%SZ").to_string()
}
