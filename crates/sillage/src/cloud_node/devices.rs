//! `sillage cloud device`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Subcommand, value_parser};
use cloud::Operator;
use cloud::operator::{
    DeviceFaults, DeviceSummary, ExistingDevice, NewDevice, Oem, OperatorError, Registration, SetupCode,
};
use diffuser::template::TEMPLATE;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use platform::run::clock::Clock;
use platform::run::random::Random;
use secrecy::{ExposeSecret, SecretString};

use super::output::{self, ListFormat};
use super::setup_codes;
use super::target::CloudTarget;
use super::users::address;
use crate::files::key_list;

/// Prefix of generated serial numbers.
const PREFIX: &str = "SL";
/// 256 random bits.
const KEY_BYTES: usize = 32;
/// The maximum number of devices that an error names.
const MAX_NAMED_DEVICES: usize = 10;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Add diffusers with their keys to the factory stock, from which the console registers them
    Add(Add),
    /// List all devices
    List(List),
    /// Show a device
    Show(DeviceArgs),
    /// Reject a device's connections until it is unblocked; a current connection ends within seconds
    Block(DeviceArgs),
    /// Allow a blocked device to connect again
    Unblock(DeviceArgs),
    /// Replace a device's key; the new one is shown only once, the old one stops working within seconds
    RotateKey(DeviceArgs),
    /// Generate setup codes for all devices in stock that have none
    SetupCodes(SetupCodes),
    /// Replace a device's setup code; the new one is shown only once
    RotateSetupCode(DeviceArgs),
    /// List the registrations of devices with time and account
    Registrations(Registrations),
    /// Return all devices that an account registered to the factory stock
    Release(Release),
    /// Remove a device permanently; its history becomes inaccessible
    Remove(Remove),
}

#[derive(clap::Args)]
#[command(after_help = "\
The list is the CSV that `sillage simulate --keys` reads; only the columns dsn and key are used here:
  dsn,key
  SL0001,<64 hexadecimal digits>

The whole list is checked before any device is added. An interrupted command can be repeated with the same list: devices
that already exist with the same key are left unchanged.")]
struct Add {
    #[command(flatten)]
    target: CloudTarget,
    /// CSV file with serial numbers and keys
    #[arg(long, value_name = "FILE")]
    keys: PathBuf,
    /// Generate N devices with new serial numbers and keys, and write them to the list, a new file that only you can read
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=key_list::MAX_DEVICES as i64))]
    generate: Option<u32>,
    /// Generate a setup code for each device, and write them to this list, a new CSV file that only you can read
    #[arg(long, value_name = "FILE")]
    setup_codes: Option<PathBuf>,
}

#[derive(clap::Args)]
struct List {
    #[command(flatten)]
    target: CloudTarget,
    #[command(flatten)]
    format: ListFormat,
}

#[derive(clap::Args)]
struct DeviceArgs {
    #[command(flatten)]
    target: CloudTarget,
    /// Serial number
    dsn: String,
}

#[derive(clap::Args)]
struct SetupCodes {
    #[command(flatten)]
    target: CloudTarget,
    /// The list of codes, a new CSV file that only you can read
    #[arg(long, value_name = "FILE")]
    setup_codes: PathBuf,
}

#[derive(clap::Args)]
struct Registrations {
    #[command(flatten)]
    target: CloudTarget,
    #[command(flatten)]
    format: ListFormat,
    /// Only registrations by this account
    #[arg(long, value_name = "EMAIL", value_parser = address)]
    registered_by: Option<String>,
    /// Only registrations since this date (UTC) or time, such as 2026-11-20T08:30:00Z
    #[arg(long, value_name = "TIME", value_parser = instant)]
    since: Option<Timestamp>,
}

#[derive(clap::Args)]
struct Release {
    #[command(flatten)]
    target: CloudTarget,
    /// The account that registered the devices
    #[arg(long, value_name = "EMAIL", value_parser = address)]
    registered_by: String,
    /// Only devices that it registered since this date (UTC) or time, such as 2026-11-20T08:30:00Z
    #[arg(long, value_name = "TIME", value_parser = instant)]
    since: Timestamp,
    /// Return them; without this option they are only listed
    #[arg(long)]
    yes: bool,
}

#[derive(clap::Args)]
struct Remove {
    #[command(flatten)]
    device: DeviceArgs,
    /// Remove the device even if it is registered to an owner, partner or customer
    #[arg(long)]
    registered: bool,
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    match args.command {
        Command::Add(args) => add(args).await,
        Command::List(List { target, format }) => {
            let (operator, oem) = target.open().await?;
            let titles = ["DSN", "Name", "State", "Connection", "Last connected"];
            format.print(&operator.devices(&oem).await?, titles, row)
        }
        Command::Show(DeviceArgs { target, dsn }) => {
            let (operator, oem) = target.open().await?;
            let (device, partners) = operator.device(&oem, &dsn).await.map_err(with_hint)?;
            show(&device, &partners)?;
            show_faults(&operator.device_faults(&oem, &dsn).await?)
        }
        Command::Block(DeviceArgs { target, dsn }) => {
            let (operator, oem) = target.open().await?;
            output::print_line(match operator.block_device(&oem, &dsn).await.map_err(with_hint)? {
                true => "Blocked; a current connection ends within seconds.",
                false => "The device was already blocked; nothing was changed.",
            })
        }
        Command::Unblock(DeviceArgs { target, dsn }) => {
            let (operator, oem) = target.open().await?;
            output::print_line(match operator.unblock_device(&oem, &dsn).await.map_err(with_hint)? {
                true => "Unblocked.",
                false => "The device was not blocked; nothing was changed.",
            })
        }
        Command::RotateKey(DeviceArgs { target, dsn }) => {
            let (operator, oem) = target.open().await?;
            let key = SecretString::from(Random::system().hex(KEY_BYTES));
            operator.set_device_key(&oem, &dsn, &key).await.map_err(with_hint)?;
            output::print_text(&format!("Key  {}", key.expose_secret()))
        }
        Command::SetupCodes(SetupCodes { target, setup_codes }) => {
            setup_codes::ensure_new(&setup_codes)?;
            let (operator, oem) = target.open().await?;
            setup_codes::generate(&operator, &oem, &setup_codes, None).await
        }
        Command::RotateSetupCode(DeviceArgs { target, dsn }) => {
            let (operator, oem) = target.open().await?;
            let code = SetupCode::random(&Random::system());
            operator.set_setup_code(&oem, &dsn, &code).await.map_err(with_hint)?;
            output::print_text(&format!("Setup code  {}", code.expose()))
        }
        Command::Registrations(Registrations { target, format, registered_by, since }) => {
            let (operator, oem) = target.open().await?;
            let registrations = operator.registrations(&oem, registered_by.as_deref(), since).await?;
            format.print(&registrations, REGISTRATION_TITLES, registration_row)
        }
        Command::Release(args) => release(args).await,
        Command::Remove(Remove { device, registered }) => {
            let (operator, oem) = device.target.open().await?;
            operator.remove_device(&oem, &device.dsn, registered).await.map_err(with_hint)?;
            output::print_line("Removed.")
        }
    }
}

async fn release(Release { target, registered_by, since, yes }: Release) -> anyhow::Result<()> {
    let (operator, oem) = target.open().await?;
    let mut registrations = operator.registrations(&oem, Some(&registered_by), Some(since)).await?;
    registrations.retain(|registration| registration.is_current);
    if yes {
        let released = operator.release_devices(&registrations).await?;
        return output::print_line(&format!("Returned to the stock: {released}."));
    }
    let rows: Vec<_> = registrations.iter().map(registration_row).collect();
    output::print_table(REGISTRATION_TITLES, &rows)?;
    output::print_line("Nothing was changed; --yes returns these devices to the stock, with their settings reset.")
}

const REGISTRATION_TITLES: [&str; 4] = ["Time", "DSN", "Registered by", "State"];

fn registration_row(registration: &Registration) -> [String; 4] {
    let state = if registration.is_current { "registered" } else { "ended" };
    let email = registration.email.clone().unwrap_or_else(|| "a deleted account".to_owned());
    [time(registration.at), registration.dsn.clone(), email, state.to_owned()]
}

/// A date in UTC, or an instant.
fn instant(text: &str) -> Result<Timestamp, &'static str> {
    let date = || Some(text.parse::<Date>().ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp());
    text.parse().ok().or_else(date).ok_or("not a date or time")
}

async fn add(Add { target, keys, generate, setup_codes }: Add) -> anyhow::Result<()> {
    if let Some(list) = &setup_codes {
        setup_codes::ensure_new(list)?;
    }
    let (operator, oem) = target.open().await?;
    let devices = match generate {
        Some(count) => generate_devices(&operator, &oem, &keys, count as usize).await?,
        None => add_listed(&operator, &oem, &keys).await?,
    };
    if let Some(list) = &setup_codes {
        let only: HashSet<&str> = devices.iter().map(|device| &*device.dsn).collect();
        return setup_codes::generate(&operator, &oem, list, Some(&only)).await;
    }
    if operator.templates(&oem).await?.iter().any(|it| it.name == TEMPLATE.name && it.setup_code_required) {
        output::print_line(
            "Partners need a setup code to register them: `sillage cloud device setup-codes` generates codes.",
        )?;
    }
    Ok(())
}

/// Adds the devices of the list. Returns all of them.
async fn add_listed(operator: &Operator, oem: &Oem, list: &Path) -> anyhow::Result<Vec<NewDevice>> {
    let now = Clock::system().now();
    let devices = key_list::read(list).context("--keys")?;
    let devices: Vec<_> = devices.into_iter().map(|device| new_device(device.dsn, device.key.into(), now)).collect();
    let existing = operator.existing_devices(oem, &devices).await?;
    let conflicting: Vec<&str> = existing.iter().filter(|it| !it.is_same).map(|it| &*it.dsn).collect();
    if !conflicting.is_empty() {
        bail!(
            "--keys: nothing was added, because these devices exist with another key, template or manufacturer: {}; \
             `sillage cloud device rotate-key` replaces a device's key",
            names(&conflicting)
        );
    }
    let (requested, present) = (devices.len(), existing.len());
    let added = operator.add_devices(oem, &devices).await.context("fix the cause and run the command again")?;
    if added + present < requested {
        bail!("some of these devices were added concurrently; run the command again to check their keys");
    }
    output::print_line(&match present {
        0 => format!("Added {added}."),
        _ => format!("Added {added}; already present with the same key: {present}."),
    })?;
    Ok(devices)
}

/// Generates devices, writes their keys to the list and adds them.
async fn generate_devices(operator: &Operator, oem: &Oem, list: &Path, count: usize) -> anyhow::Result<Vec<NewDevice>> {
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
        bail!("the generated serial number {dsn} already exists; nothing was added, run the command again");
    }
    let lines = devices.iter().map(|device| (&*device.dsn, device.link_key.expose_secret()));
    key_list::write_new(list, lines).context("--keys")?;
    let added = operator.add_devices(oem, &devices).await;
    let hint = || format!("--keys {} is written; run the command again without --generate", list.display());
    let added = added.with_context(hint)?;
    output::print_text(&format!("Added {added}. Their keys are only in {}: the cloud stores hashes.", list.display()))?;
    Ok(devices)
}

/// A diffuser in stock. The console sets name, address and owner at registration.
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

/// Adds a hint about the next step.
fn with_hint(error: OperatorError) -> anyhow::Error {
    let hint = match &error {
        OperatorError::UnknownDevice(_) => {
            "`sillage cloud device list` lists all devices; serial numbers are case-sensitive"
        }
        OperatorError::RegisteredDevice(_) => "nothing was changed; --registered removes it anyway",
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
        ("Software", device.sw_version.clone()),
        ("LAN address", device.lan_ip.clone()),
        ("Last refusal", device.last_refusal.as_ref().map(|it| format!("{}: {}", time(it.at), it.reason))),
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

/// The parts of messages that were not stored, if there are any.
fn show_faults(faults: &[DeviceFaults]) -> anyhow::Result<()> {
    if faults.is_empty() {
        return Ok(());
    }
    let row = |DeviceFaults { subject, kind, count, shape, last_at }: &DeviceFaults| {
        [subject.clone(), kind.clone(), count.to_string(), time(*last_at), shape.clone()]
    };
    output::print_line("")?;
    output::print_table(["Not stored", "Kind", "Times", "Last", "Value"], &faults.iter().map(row).collect::<Vec<_>>())
}

fn time(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%SZ").to_string()
}
