//! `sillage demo`: the cloud, the console and a simulated fleet on one machine.

mod accounts;
mod args;
mod cartridges;
mod changes;
mod cities;
mod connections;
mod customers;
mod dice;
pub(crate) mod diffusers;
mod fates;
pub(crate) mod fleet;
pub(crate) mod folder;
mod fragrances;
mod history;
mod kinds;
mod load;
mod past;
mod ready;
mod recorder;
mod schedules;
mod screen;
mod stores;
mod timeline;
mod unit;

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use cloud::operator::Operator;
use cloud::{Cloud, CloudConfig, Letterhead, ListenerKind, PasswordCost};
use console::{ConfigError, Console, ConsoleConfig, SecretText};
use platform::clock::Clock;
use platform::db::Db;
use platform::random::Random;
use simulator::{Fleet, Options};

use accounts::Account;
pub(crate) use args::Args;
use diffusers::Reported;
use folder::{Folder, Memory, database_url};
use ready::Ready;
pub(crate) use unit::Unit;

use crate::{logging, product, ready_file, stop};

const CLOUD_DB: &str = "cloud.db";
const CONSOLE_DB: &str = "console.db";

/// Everything that runs. Stopped from the outside in: nobody talks to what is gone.
struct Running {
    console: Console,
    fleet: Fleet,
    cloud: Cloud,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    logging::starting("demo");
    ready_file::withdraw(args.ready_file.as_deref())?;
    let folder = Folder::lock(&args.data)?;
    let (clock, random) = (Clock::system(), Random::system());
    let is_new = folder.is_new();
    let memory = folder.remember(args.plan(clock.now()), &random)?;
    args.check_plan(memory.plan);
    if is_new {
        screen::first_start(memory.plan.devices)?;
    }

    let stop = stop::asked()?;
    tokio::pin!(stop);
    let running = tokio::select! {
        running = start(&args, &memory, &clock, &random) => running?,
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
        &memory,
    );
    screen::welcome(&ready, &args.data)?;
    ready_file::announce(args.ready_file.as_deref(), &ready)?;
    stop.await;
    screen::farewell()?;
    ready_file::withdraw(args.ready_file.as_deref())?;
    running.stop().await;
    logging::stopped("demo");
    Ok(())
}

async fn start(args: &Args, memory: &Memory, clock: &Clock, random: &Random) -> anyhow::Result<Running> {
    let units = fleet::of(memory.plan);
    args.check_unplugged(&units)?;
    let cloud = Cloud::start(
        CloudConfig {
            listen: args.cloud_listen,
            link_listen: Some(args.mqtt_listen),
            link_tls: args.mqtts.tls(),
            letterhead: Letterhead { product: product::NAME.to_owned(), ..Letterhead::default() },
            mailbox_key: Some(random.hex(16)),
            longest_threshold: Some(Duration::from_secs(args.longest_threshold.into())),
            ..CloudConfig::new(database_url(&args.data, CLOUD_DB))
        },
        clock.clone(),
        random.clone(),
    )
    .await
    .map_err(|error| cloud_cannot_start(error, args))?;
    let operator = cloud.operator();
    load::load(&operator, memory, &units).await?;
    let reported = load::reported(&operator).await?;
    let fleet = plug_in(&units, &reported, args, memory, &cloud);
    let console = Console::start(console_config(args, memory, &cloud)?, clock.clone(), random.clone())
        .await
        .map_err(console_cannot_start)?;
    cloud.link_messages_to(&http_url(console.addr()));
    console.add_missing_fragrances(fragrances::all()).await?;
    // Also the stream: what changes from now on is told.
    console.ready().await;
    console.live().await;
    Ok(Running { console, fleet, cloud })
}

fn console_config(args: &Args, memory: &Memory, cloud: &Cloud) -> anyhow::Result<ConsoleConfig> {
    let base =
        args.cloud_url.as_ref().map_or_else(|| http_url(on_this_machine(cloud.http_addr())), ToString::to_string);
    let demo_mailbox = cloud.mailbox_url().map(|url| url.parse()).transpose()?;
    let secret = SecretText::from(memory.app_secret.clone());
    let cloud = console::CloudConfig::local(&base, &memory.app_id, secret).context(match args.cloud_url {
        Some(_) => "--cloud-url",
        None => "--cloud-listen",
    })?;
    let Account { email, password, .. } = memory.service.clone();
    Ok(ConsoleConfig {
        listen: args.listen,
        insecure_http: args.insecure_http,
        maintenance_message: args.maintenance_message.clone(),
        demo_mailbox,
        ..ConsoleConfig::new(database_url(&args.data, CONSOLE_DB), cloud, email, password, memory.token_key)
    })
}

/// Plain http is accepted for loopback hosts only, so a cloud that listens on every interface is reached over loopback.
fn on_this_machine(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

/// Where the demo's own fleet connects: without TLS, so a demo always listens for that.
fn link_addr(cloud: &Cloud) -> SocketAddr {
    cloud.link_addr().expect("the demo's cloud listens for devices without TLS")
}

/// Names the option to look at.
fn cloud_cannot_start(error: cloud::StartError, args: &Args) -> anyhow::Error {
    let option = match &error {
        cloud::StartError::Database(_) => "--data",
        cloud::StartError::Listen { listener: ListenerKind::Http, .. } => "--cloud-listen",
        cloud::StartError::Listen { listener: ListenerKind::Mqtt, .. } => "--mqtt-listen",
        cloud::StartError::Listen { listener: ListenerKind::Mqtts, .. } => "--mqtts-listen",
        cloud::StartError::Tls(error) => args.mqtts.option_of(error),
        _ => return anyhow::Error::new(error).context("cannot start the cloud"),
    };
    anyhow::Error::new(error).context(format!("cannot start the cloud ({option})"))
}

/// Names the option to look at.
fn console_cannot_start(error: console::StartError) -> anyhow::Error {
    let option = match &error {
        console::StartError::Database(_) => "--data",
        console::StartError::Listen(..) | console::StartError::Config(ConfigError::InsecureHttp) => "--listen",
        console::StartError::Config(ConfigError::MaintenanceMessage) => "--maintenance-message",
        _ => return anyhow::Error::new(error).context("cannot start the console"),
    };
    anyhow::Error::new(error).context(format!("cannot start the console ({option})"))
}

fn http_url(address: SocketAddr) -> String {
    format!("http://{address}")
}

fn plug_in(units: &[Unit], reported: &HashMap<String, Reported>, args: &Args, memory: &Memory, cloud: &Cloud) -> Fleet {
    let devices = units
        .iter()
        .filter(|unit| args.plugs_in(unit))
        .map(|unit| diffusers::virtual_device(unit, &memory.fleet_secret, reported.get(&unit.dsn)))
        .collect();
    let link = link_addr(cloud).into();
    Fleet::start(Options { link, seed: memory.plan.seed, drop_outs: !args.steady, devices })
}

impl Running {
    async fn stop(self) {
        self.console.shutdown().await;
        self.fleet.shutdown().await;
        self.cloud.shutdown().await;
    }
}

/// What the diffusers of a data folder last reported, read beside a demo that runs.
pub(crate) async fn reported(data: &Path) -> anyhow::Result<HashMap<String, Reported>> {
    let db = Db::connect(&database_url(data, CLOUD_DB)).await?;
    let operator = Operator::new(db.clone(), Clock::system(), Random::system(), PasswordCost::default())?;
    let reported = load::reported(&operator).await;
    db.close().await;
    reported
}
