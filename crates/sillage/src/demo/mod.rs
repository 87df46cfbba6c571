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
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use cloud::operator::Operator;
use cloud::{Cloud, CloudConfig, Letterhead, PasswordCost};
use console::{Console, ConsoleConfig, SecretText};
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

use crate::{product, ready_file, stop};

const CLOUD_DB: &str = "cloud.db";
const CONSOLE_DB: &str = "console.db";

/// Everything that runs. Stopped from the outside in: nobody talks to what is gone.
struct Running {
    console: Console,
    fleet: Fleet,
    cloud: Cloud,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    ready_file::withdraw(args.ready_file.as_deref())?;
    let folder = Folder::lock(&args.data)?;
    let (clock, random) = (Clock::system(), Random::system());
    let is_new = folder.is_new();
    let memory = folder.remember(args.plan(clock.now()), &random)?;
    args.check_plan(memory.plan);
    if is_new {
        screen::first_start(memory.plan.devices)?;
    }

    let stop = stop::asked();
    tokio::pin!(stop);
    let running = tokio::select! {
        running = start(&args, &memory, &clock, &random) => running?,
        asked = &mut stop => return asked,
    };
    let ready = Ready::new(
        http_url(running.console.addr()),
        http_url(running.cloud.http_addr()),
        format!("mqtt://{}", running.cloud.link_addr()),
        running.cloud.link_tls_addr().map(|address| format!("mqtts://{address}")),
        running.cloud.mailbox_url(),
        &memory,
    );
    screen::welcome(&ready, &args.data)?;
    ready_file::announce(args.ready_file.as_deref(), &ready)?;
    stop.await?;
    screen::farewell()?;
    ready_file::withdraw(args.ready_file.as_deref())?;
    running.stop().await;
    Ok(())
}

async fn start(args: &Args, memory: &Memory, clock: &Clock, random: &Random) -> anyhow::Result<Running> {
    let units = fleet::of(memory.plan);
    args.check_unplugged(&units)?;
    let cloud = Cloud::start(
        CloudConfig {
            listen: args.cloud_listen,
            link_listen: args.mqtt_listen,
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
    .context("cannot start the cloud (--cloud-listen, --mqtt-listen, --mqtts-listen)")?;
    let operator = cloud.operator();
    load::load(&operator, memory, &units).await?;
    let reported = load::reported(&operator).await?;
    let fleet = plug_in(&units, &reported, args, memory, &cloud);
    let console = Console::start(console_config(args, memory, &cloud)?, clock.clone(), random.clone())
        .await
        .context("cannot start the console (--listen, --maintenance-message)")?;
    cloud.link_messages_to(&http_url(console.addr()));
    console.add_missing_fragrances(fragrances::all()).await?;
    // Also the stream: what changes from now on is told.
    console.ready().await;
    console.live().await;
    Ok(Running { console, fleet, cloud })
}

fn console_config(args: &Args, memory: &Memory, cloud: &Cloud) -> anyhow::Result<ConsoleConfig> {
    let base = args.cloud_url.as_ref().map_or_else(|| http_url(cloud.http_addr()), ToString::to_string);
    let demo_mailbox = cloud.mailbox_url().map(|url| url.parse()).transpose()?;
    let secret = SecretText::from(memory.app_secret.clone());
    let cloud = console::CloudConfig::local(&base, &memory.app_id, secret).context("--cloud-url")?;
    let Account { email, password, .. } = memory.service.clone();
    Ok(ConsoleConfig {
        listen: args.listen,
        insecure_http: args.insecure_http,
        maintenance_message: args.maintenance_message.clone(),
        demo_mailbox,
        ..ConsoleConfig::new(database_url(&args.data, CONSOLE_DB), cloud, email, password, memory.token_key)
    })
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
    let link = cloud.link_addr().into();
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
