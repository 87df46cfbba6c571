//! `sillage console`: a node of the console.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use clap::{ArgMatches, FromArgMatches, Subcommand, value_parser};
use console::{ConfigError, Console, ConsoleConfig, StartError, TrustedProxy};
use platform::clock::Clock;
use platform::random::Random;
use serde::Serialize;
use url::Url;

use crate::{listen, logging, ready_file, secrets, stop};

/// The node, or a command beside it. Not derived: options that the environment sets do not make a command a node.
pub(crate) enum Args {
    Node(Box<NodeArgs>),
    Command(Command),
}

impl FromArgMatches for Args {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        match matches.subcommand() {
            Some(_) => Command::from_arg_matches(matches).map(Self::Command),
            None => NodeArgs::from_arg_matches(matches).map(Box::new).map(Self::Node),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for Args {
    fn augment_args(command: clap::Command) -> clap::Command {
        let command = Command::augment_subcommands(NodeArgs::augment_args(command));
        command.args_conflicts_with_subcommands(true).subcommand_negates_reqs(true)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Empty the index of the devices; a console that runs on this database fills it again from the cloud
    Reindex(ReindexArgs),
}

#[derive(clap::Args)]
pub(crate) struct ReindexArgs {
    /// The database: sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME. Better in the environment, where other users of
    /// this machine cannot read the password
    #[arg(long, value_name = "URL", env = "SILLAGE_DATABASE", hide_env_values = true)]
    database: String,
}

#[derive(clap::Args)]
pub(crate) struct NodeArgs {
    /// The database: sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME. Better in the environment, where other users of
    /// this machine cannot read the password
    #[arg(long, value_name = "URL", env = "SILLAGE_DATABASE", hide_env_values = true)]
    database: String,
    /// Where the console listens
    #[arg(long, default_value = "127.0.0.1:8080", value_name = "HOST:PORT", value_parser = listen::address)]
    listen: SocketAddr,
    /// The address that browsers use, when a proxy stands in front
    #[arg(long, value_name = "URL")]
    public_url: Option<Url>,
    /// A proxy in front that adds to X-Forwarded-For, or a network of them such as 10.0.0.0/8; can be repeated. Whoever comes
    /// through them is known, for the limits of attempts, in the own sessions and in the audit, by the last address in that
    /// header that is none of them. What others say in it is not believed
    #[arg(long, value_name = "ADDRESS")]
    trusted_proxy: Vec<TrustedProxy>,
    /// Serve plain http to other machines too: passwords and sessions can be read on the way
    #[arg(long)]
    insecure_http: bool,
    /// The address of the device cloud
    #[arg(long, value_name = "URL")]
    cloud: Url,
    /// The console's application at the device cloud; `sillage cloud init` makes it, and the account below
    #[arg(long, value_name = "ID", value_parser = not_blank)]
    app_id: String,
    /// Holds the application's secret
    #[arg(long, value_name = "FILE")]
    app_secret_file: PathBuf,
    /// The console's own account at the device cloud: an administrator that keeps the index of all devices
    #[arg(long, value_name = "EMAIL", value_parser = not_blank)]
    service_email: String,
    /// Holds the password of that account
    #[arg(long, value_name = "FILE")]
    service_password_file: PathBuf,
    /// Holds the key that encrypts the cloud's tokens in the database: 64 hexadecimal digits (`openssl rand -hex 32`), the same
    /// on every node
    #[arg(long, value_name = "FILE")]
    token_key_file: PathBuf,
    /// Holds a key that was the token key before; can be repeated. Whoever signed in under it stays signed in
    #[arg(long, value_name = "FILE")]
    earlier_token_key_file: Vec<PathBuf>,
    /// The time between two passes over all devices of the cloud, which find what nobody told the console
    #[arg(long, default_value_t = 60, value_parser = value_parser!(u64).range(1..), value_name = "SECONDS")]
    pass_every: u64,
    /// The pause before each call of a pass, so that passes never crowd out people
    #[arg(long, default_value_t = 50, value_name = "MILLISECONDS")]
    pass_pause: u64,
    /// Serve lists from the cloud itself, should the index be in doubt: slower, and with few filters and orders
    #[arg(long)]
    lists_from_cloud: bool,
    /// How many days the audit keeps who changed what
    #[arg(long, default_value_t = 400, value_parser = value_parser!(u32).range(1..), value_name = "DAYS")]
    audit_days: u32,
    /// Shown above every page, for example before the system goes down; at most 300 characters
    #[arg(long, value_name = "TEXT", env = "MAINTENANCE_MESSAGE", default_value = "", hide_default_value = true)]
    maintenance_message: String,
    /// Written in one step when everything answers: the address as JSON
    #[arg(long, value_name = "PATH")]
    ready_file: Option<PathBuf>,
}

/// What the ready file holds.
#[derive(Serialize)]
struct Ready {
    console: String,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    match args {
        Args::Command(Command::Reindex(args)) => reindex(&args.database).await,
        Args::Node(args) => serve(*args).await,
    }
}

async fn serve(args: NodeArgs) -> anyhow::Result<()> {
    logging::starting("console");
    let ready_file = args.ready_file.clone();
    ready_file::remove(ready_file.as_deref())?;
    let stop = stop::requested()?;
    tokio::pin!(stop);
    let config = config(args)?;
    let console = tokio::select! {
        started = Console::start(config, Clock::system(), Random::system()) => started.map_err(cannot_start)?,
        () = &mut stop => {
            logging::stopped("console");
            return Ok(());
        }
    };
    let ready = Ready { console: format!("http://{}", console.addr()) };
    tracing::info!(console = ready.console, "the console listens; the index of the devices is being filled");
    // The cloud may be away for long: whoever asks to stop does not wait for it.
    tokio::select! {
        () = console.ready() => {
            tracing::info!("the console is ready");
            ready_file::write(ready_file.as_deref(), &ready)?;
            stop.await;
        }
        () = &mut stop => {}
    }
    ready_file::remove(ready_file.as_deref())?;
    console.shutdown().await;
    logging::stopped("console");
    Ok(())
}

async fn reindex(database: &str) -> anyhow::Result<()> {
    console::reindex(database).await.context("cannot empty the index (--database)")?;
    tracing::info!("the index is empty: a console that runs on this database fills it again");
    Ok(())
}

fn config(args: NodeArgs) -> anyhow::Result<ConsoleConfig> {
    let secret = secrets::text(&args.app_secret_file).context("--app-secret-file")?;
    let cloud = console::CloudConfig::local(args.cloud.as_str(), args.app_id, secret).context("--cloud")?;
    let password = secrets::text(&args.service_password_file).context("--service-password-file")?;
    let token_key = secrets::key(&args.token_key_file).context("--token-key-file")?;
    let earlier = args.earlier_token_key_file.iter().map(|file| secrets::key(file));
    Ok(ConsoleConfig {
        listen: args.listen,
        public_url: args.public_url,
        trusted_proxies: args.trusted_proxy,
        insecure_http: args.insecure_http,
        lists_from_cloud: args.lists_from_cloud,
        audit_days: args.audit_days,
        maintenance_message: args.maintenance_message,
        pass_every: Duration::from_secs(args.pass_every),
        pass_pause: Duration::from_millis(args.pass_pause),
        earlier_token_keys: earlier.collect::<anyhow::Result<_>>().context("--earlier-token-key-file")?,
        ..ConsoleConfig::new(args.database, cloud, args.service_email, password, token_key)
    })
}

fn not_blank(text: &str) -> Result<String, &'static str> {
    if text.trim().is_empty() { Err("it is blank") } else { Ok(text.to_owned()) }
}

/// Names the option to look at.
fn cannot_start(error: StartError) -> anyhow::Error {
    let option = match error {
        StartError::Database(_) => "--database",
        StartError::Listen(..) | StartError::Config(ConfigError::InsecureHttp) => "--listen",
        StartError::Config(ConfigError::PublicUrl) => "--public-url",
        StartError::Config(ConfigError::MaintenanceMessage) => "--maintenance-message",
        StartError::Cloud(_) => "--cloud",
        // It names the option itself.
        StartError::Fault(_) => return anyhow::Error::new(error).context("cannot start the console"),
    };
    anyhow::Error::new(error).context(format!("cannot start the console ({option})"))
}
