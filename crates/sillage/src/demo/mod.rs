//! `sillage demo`: the cloud, the console and a simulated fleet on one machine.

mod accounts;
mod args;
mod business_types;
mod cartridges;
mod cities;
mod connections;
mod customers;
pub(crate) mod data_folder;
mod device;
mod device_history;
pub(crate) mod diffusers;
pub(crate) mod fleet;
mod fleet_options;
mod fragrances;
mod history_import;
mod load;
mod load_command;
mod mail_server;
mod output;
mod profiles;
mod ready;
mod recorder;
mod report;
mod rng;
mod schedules;
mod setting_changes;
mod stores;
#[cfg(test)]
mod tests;
mod timeline;

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use cloud::operator::Operator;
use cloud::{Branding, Cloud, CloudConfig, ListenerKind, PasswordCost};
use console::{ConfigError, Console, ConsoleConfig, SecretText};
use platform::db::{self, Db};
use platform::run::clock::Clock;
use platform::run::random::Random;
use simulator::{Fleet, Options};
use tokio::task::JoinHandle;

use accounts::Account;
pub(crate) use args::Args;
use data_folder::{DataFolder, SavedDemo, database_url};
pub(crate) use device::DemoDevice;
use diffusers::ReportedValues;
use mail_server::MailboxServer;
use ready::Ready;

use crate::options::{mail_options, ready_file};
use crate::process::{logging, stop};
use crate::product::{self, version};

const CLOUD_DB: &str = "cloud.db";
const CONSOLE_DB: &str = "console.db";

/// The running servers and the fleet. Clients are stopped before the servers that they use.
struct Running {
    console: Console,
    fleet: Fleet,
    cloud: Cloud,
    /// The mail server of the console, if there is a mailbox.
    mailbox: Option<JoinHandle<()>>,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    match args.command {
        Some(args::Command::Load(load)) => load_command::run(load).await,
        None => serve(args).await,
    }
}

async fn serve(args: Args) -> anyhow::Result<()> {
    logging::starting("demo");
    ready_file::remove(args.ready_file.as_deref())?;
    let folder = DataFolder::lock(&args.data)?;
    let (clock, random) = (Clock::system(), Random::system());
    let is_new = folder.is_new();
    let saved = folder.load_or_create(args.fleet.plan(clock.now()), &random)?;
    args.fleet.check_plan(saved.plan);
    if is_new {
        output::print_first_start(saved.plan.devices)?;
    }

    let stop = stop::requested()?;
    tokio::pin!(stop);
    let mut running = tokio::select! {
        running = start(&args, &saved, &clock, &random) => running?,
        () = &mut stop => {
            logging::stopped("demo");
            return Ok(());
        }
    };
    let ready = Ready::new(
        http_url(running.console.addr()),
        http_url(running.cloud.http_addr()),
        format!("mqtt://{}", link_addr(&running.cloud)),
        running.cloud.link_tls_addr().map(|address| format!("mqtts://{address}")),
        running.cloud.mailbox_url(),
        &saved,
    );
    output::print_summary(&ready, &args.data)?;
    ready_file::write(args.ready_file.as_deref(), &ready)?;
    let ended = tokio::select! {
        () = stop => Ok(()),
        failure = running.failed() => Err(failure.context("the demo cannot go on")),
    };
    output::print_stopping()?;
    ready_file::remove(args.ready_file.as_deref())?;
    running.stop().await;
    ended?;
    logging::stopped("demo");
    Ok(())
}

async fn start(args: &Args, saved: &SavedDemo, clock: &Clock, random: &Random) -> anyhow::Result<Running> {
    let devices = fleet::build(saved.plan);
    args.check_unplugged(&devices)?;
    let mail_server = args.mail.server()?;
    let database = database_url(&args.data, CLOUD_DB);
    // A start of the cloud creates no database.
    match Db::connect(&database).await {
        Ok(db) => db.close().await,
        Err(error) => return Err(cloud_cannot_start(error.into(), args)),
    }
    let cloud = Cloud::start(
        CloudConfig {
            listen: args.cloud_listen,
            link_listen: Some(args.mqtt_listen),
            link_tls: args.mqtts.tls(),
            branding: Branding { product: product::NAME.to_owned(), ..Branding::default() },
            mailbox_key: mail_server.is_none().then(|| random.hex(16)),
            mail_server,
            mail_retry: args.mail.retry(),
            // Whoever starts a demo again after weeks does not mind that its old history goes.
            clock_confirmed: Some(clock.now()),
            longest_threshold: Some(Duration::from_secs(args.longest_threshold.into())),
            ..CloudConfig::new(&database)
        },
        clock.clone(),
        random.clone(),
    )
    .await
    .map_err(|error| cloud_cannot_start(error, args))?;
    let operator = cloud.operator();
    load::load(&operator, saved, &devices).await?;
    let oem = operator.ensure_oem(load::OEM).await?;
    let reported = load::reported(&operator).await?;
    let fleet = plug_in(&devices, &reported, args, saved, &cloud);
    let mut config = console_config(args, saved, &cloud, clock)?;
    let mut mailbox = None;
    if cloud.mailbox_url().is_some() {
        let server = MailboxServer::bind(operator, oem).await.context("cannot listen for mails of the console")?;
        config.mail_server = Some(server.settings()?);
        mailbox = Some(tokio::spawn(server.run()));
    }
    let start = async {
        console::init_database(&config.database_url.clone()).await?;
        Console::start(config, clock.clone(), random.clone()).await
    };
    let console = start.await.map_err(|error| console_cannot_start(error, &args.data))?;
    cloud.link_messages_to(&http_url(console.addr()));
    console.add_missing_fragrances(fragrances::all()).await?;
    // Wait for the stream, too, so that the browser gets every change from now on.
    console.ready().await;
    console.live().await;
    Ok(Running { console, fleet, cloud, mailbox })
}

fn console_config(args: &Args, saved: &SavedDemo, cloud: &Cloud, clock: &Clock) -> anyhow::Result<ConsoleConfig> {
    let base = args
        .cloud_url
        .as_ref()
        .map_or_else(|| http_url(loopback_if_unspecified(cloud.http_addr())), ToString::to_string);
    let demo_mailbox = cloud.mailbox_url().map(|url| url.parse()).transpose()?;
    let secret = SecretText::from(saved.app_secret.clone());
    let cloud = console::CloudConfig::local(&base, &saved.app_id, secret).context(match args.cloud_url {
        Some(_) => "--cloud-url",
        None => "--cloud-listen",
    })?;
    let Account { email, password, .. } = saved.service.clone();
    Ok(ConsoleConfig {
        listen: args.listen,
        insecure_http: args.insecure_http,
        maintenance_message: args.maintenance_message.clone(),
        version: version(),
        demo_mailbox,
        links_to_own_address: true,
        mail_server: args.mail.server()?,
        mail_retry: args.mail.retry(),
        clock_confirmed: Some(clock.now()),
        // Nobody else uses its cloud: the past of all devices is known in minutes instead of hours.
        history_pause: Duration::from_millis(1),
        ..ConsoleConfig::new(database_url(&args.data, CONSOLE_DB), cloud, email, password, saved.token_key)
    })
}

/// The console accepts plain http for loopback hosts only, so it reaches a cloud that listens on every interface over loopback.
fn loopback_if_unspecified(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

/// The address to which the demo's fleet connects, always without TLS.
fn link_addr(cloud: &Cloud) -> SocketAddr {
    cloud.link_addr().expect("the demo's cloud listens for devices without TLS")
}

/// Adds the option that caused the error.
fn cloud_cannot_start(error: cloud::StartError, args: &Args) -> anyhow::Error {
    let option = match &error {
        cloud::StartError::Database(db::Error::EarlierBuild) => return made_by_an_earlier_build(&args.data),
        cloud::StartError::Database(_) => "--data",
        cloud::StartError::Listen { listener: ListenerKind::Http, .. } => "--cloud-listen",
        cloud::StartError::Listen { listener: ListenerKind::Mqtt, .. } => "--mqtt-listen",
        cloud::StartError::Listen { listener: ListenerKind::Mqtts, .. } => "--mqtts-listen",
        cloud::StartError::Tls { source, .. } => args.mqtts.option_of(source),
        cloud::StartError::Mail(error) => mail_options::option_of(*error),
        _ => return anyhow::Error::new(error).context("cannot start the cloud"),
    };
    anyhow::Error::new(error).context(format!("cannot start the cloud ({option})"))
}

/// Adds the option that caused the error.
fn console_cannot_start(error: console::StartError, data: &Path) -> anyhow::Error {
    let option = match &error {
        console::StartError::Database(db::Error::EarlierBuild) => return made_by_an_earlier_build(data),
        console::StartError::Database(_) => "--data",
        console::StartError::Listen(..) | console::StartError::Config(ConfigError::InsecureHttp) => "--listen",
        console::StartError::Config(ConfigError::MaintenanceMessage) => "--maintenance-message",
        _ => return anyhow::Error::new(error).context("cannot start the console"),
    };
    anyhow::Error::new(error).context(format!("cannot start the console ({option})"))
}

fn made_by_an_earlier_build(data: &Path) -> anyhow::Error {
    anyhow::anyhow!("{} was made by an earlier build; remove it or name another folder with --data", data.display())
}

fn http_url(address: SocketAddr) -> String {
    format!("http://{address}")
}

fn plug_in(
    devices: &[DemoDevice],
    reported: &HashMap<String, ReportedValues>,
    args: &Args,
    saved: &SavedDemo,
    cloud: &Cloud,
) -> Fleet {
    let devices = devices
        .iter()
        .filter(|device| args.plugs_in(device))
        .map(|device| diffusers::virtual_device(device, &saved.fleet_secret, reported.get(&device.dsn)))
        .collect();
    let link = link_addr(cloud).into();
    let clock = simulator::Clock::system();
    Fleet::start(Options { link, seed: saved.plan.seed, drop_outs: !args.steady, devices, clock })
}

impl Running {
    /// Resolves when a server cannot go on.
    async fn failed(&mut self) -> anyhow::Error {
        tokio::select! {
            failure = self.console.failed() => failure.into(),
            failure = self.cloud.failed() => failure.into(),
        }
    }

    async fn stop(self) {
        self.console.shutdown().await;
        self.fleet.shutdown().await;
        if let Some(mailbox) = self.mailbox {
            mailbox.abort();
        }
        self.cloud.shutdown().await;
    }
}

/// Reads the last reported values of a demo's diffusers from its cloud's database: this one, or that of the data folder. Its
/// nodes may be running.
pub(crate) async fn reported(data: &Path, database: Option<String>) -> anyhow::Result<HashMap<String, ReportedValues>> {
    let db = Db::connect(&database.unwrap_or_else(|| database_url(data, CLOUD_DB))).await?;
    let operator = Operator::new(db.clone(), Clock::system(), Random::system(), PasswordCost::default())?;
    operator.check_schema().await?;
    let reported = load::reported(&operator).await;
    db.close().await;
    reported
}
