//! `sillage console`: a node of the console.

mod reencrypt;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::{ArgMatches, FromArgMatches, Subcommand, value_parser};
use console::{ConfigError, Console, ConsoleConfig, SessionLimits, StartError, TrustedProxy};
use jiff::Timestamp;
use platform::db;
use platform::run::clock::Clock;
use platform::run::random::Random;
use serde::Serialize;
use url::Url;

use crate::cloud_node::output;
use crate::files::secrets;
use crate::options::bus::Bus;
use crate::options::database_option::DatabaseOption;
use crate::options::mail_options::MailOptions;
use crate::options::tls::HttpTls;
use crate::options::{listen, mail_options, ready_file};
use crate::process::{logging, server_clock, stop};
use crate::product::version;

/// The node or a subcommand. Implemented by hand because a derived parser would require the options of the node in both cases.
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
    /// Set up the console's database; a missing SQLite file is created
    Init(DatabaseArgs),
    /// Empty the device index; a running console on this database rebuilds it from the cloud
    Reindex(DatabaseArgs),
    /// Bring the database's schema up to date after an upgrade
    Migrate(DatabaseArgs),
    /// Encrypt the sessions, access tokens and other secrets in the database with a new token key, while nodes run, and report what is
    /// left
    Reencrypt(reencrypt::Args),
}

#[derive(clap::Args)]
pub(crate) struct DatabaseArgs {
    #[command(flatten)]
    database: DatabaseOption,
}

#[derive(clap::Args)]
pub(crate) struct NodeArgs {
    #[command(flatten)]
    database: DatabaseOption,
    #[command(flatten)]
    bus: Bus,
    /// Address on which the console listens
    #[arg(long, default_value = "127.0.0.1:8080", value_name = "HOST:PORT", value_parser = listen::address)]
    listen: SocketAddr,
    /// Address for Prometheus, which reads metrics there by plain HTTP without a password [default: no metrics]
    #[arg(long, value_name = "HOST:PORT", value_parser = listen::address)]
    metrics_listen: Option<SocketAddr>,
    #[command(flatten)]
    tls: HttpTls,
    /// The address that browsers use, if it differs from the one on which the console listens
    #[arg(long, value_name = "URL")]
    public_url: Option<Url>,
    /// A reverse proxy that adds to X-Forwarded-For, or a network of them such as 10.0.0.0/8; can be repeated. Rate limits,
    /// session lists and the audit then use the last address of that header that is not a trusted proxy. The header is
    /// ignored in requests from other addresses
    #[arg(long, value_name = "ADDRESS")]
    trusted_proxy: Vec<TrustedProxy>,
    /// Serve plain http to other machines too: passwords and sessions can be intercepted
    #[arg(long)]
    insecure_http: bool,
    /// The address of the device cloud
    #[arg(long, value_name = "URL")]
    cloud: Url,
    /// The console's application id at the device cloud; `sillage cloud init` creates it and the service account
    #[arg(long, value_name = "ID", value_parser = not_blank)]
    app_id: String,
    /// File with the application's secret
    #[arg(long, value_name = "FILE")]
    app_secret_file: PathBuf,
    /// The console's service account at the device cloud: an administrator that reads all devices for the index
    #[arg(long, value_name = "EMAIL", value_parser = not_blank)]
    service_email: String,
    /// File with the password of the service account
    #[arg(long, value_name = "FILE")]
    service_password_file: PathBuf,
    /// File with the key that encrypts the cloud's tokens in the database: 64 hexadecimal digits (`openssl rand -hex 32`),
    /// the same on every node
    #[arg(long, value_name = "FILE")]
    token_key_file: PathBuf,
    /// File with an earlier token key, so that its sessions stay signed in; can be repeated
    #[arg(long, value_name = "FILE")]
    earlier_token_key_file: Vec<PathBuf>,
    /// Time between two passes, which compare the whole index with the cloud to find missed changes
    #[arg(long, default_value_t = 45, value_parser = value_parser!(u64).range(1..), value_name = "SECONDS")]
    pass_every: u64,
    /// Pause before each request of a pass, so that passes do not slow down users
    #[arg(long, default_value_t = 50, value_name = "MILLISECONDS")]
    pass_pause: u64,
    /// Interval between two devices that are read again because they changed, with up to two requests for each, and pause before
    /// each request for the history of a device that is new to the index
    #[arg(long, default_value_t = 25, value_parser = value_parser!(u64).range(1..), value_name = "MILLISECONDS")]
    level_pause: u64,
    /// Serve lists from the cloud instead of the index: slower, with fewer filters and sort orders
    #[arg(long)]
    lists_from_cloud: bool,
    /// Number of days that audit records are kept
    #[arg(long, default_value_t = 400, value_parser = value_parser!(u32).range(1..), value_name = "DAYS")]
    audit_days: u32,
    /// The current time, such as 2026-11-20T10:00Z, which confirms the clock after the console was stopped for more than a week.
    /// Without it nothing that has expired is deleted then
    #[arg(long, value_name = "TIME")]
    clock_confirmed: Option<Timestamp>,
    /// Maximum number of event streams of a user on this node; the newest replaces the oldest. A browser has one
    #[arg(long, default_value_t = 50, value_parser = value_parser!(u32).range(1..), value_name = "NUMBER")]
    streams_per_user: u32,
    /// Maximum number of sessions of a user; a sign-in ends the one that was unused for the longest time
    #[arg(long, default_value_t = 50, value_parser = value_parser!(u32).range(1..), value_name = "NUMBER")]
    sessions_per_user: u32,
    /// Notice shown above every page, for example before maintenance; at most 300 characters
    #[arg(long, value_name = "TEXT", env = "MAINTENANCE_MESSAGE", default_value = "", hide_default_value = true)]
    maintenance_message: String,
    /// Maximum duration of a shutdown; requests that take longer are cut off
    #[arg(long, default_value_t = 10, value_parser = value_parser!(u64).range(1..=600), value_name = "SECONDS")]
    shutdown_seconds: u64,
    /// File to write when the console is ready: its address as JSON
    #[arg(long, value_name = "PATH")]
    ready_file: Option<PathBuf>,
    // Last, because its help heading applies to all flags that follow.
    #[command(flatten)]
    mail: MailOptions,
}

/// The content of the ready file.
#[derive(Serialize)]
struct Ready {
    console: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    metrics: Option<String>,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    match args {
        Args::Command(Command::Init(args)) => init(&args.database.url()?).await,
        Args::Command(Command::Reindex(args)) => reindex(&args.database.url()?).await,
        Args::Command(Command::Migrate(args)) => {
            output::print_migrated(console::migrate_database(&args.database.url()?).await.context("--database")?)
        }
        Args::Command(Command::Reencrypt(args)) => reencrypt::run(args).await,
        Args::Node(args) => serve(*args).await,
    }
}

async fn serve(args: NodeArgs) -> anyhow::Result<()> {
    logging::starting("console");
    let ready_file = args.ready_file.clone();
    ready_file::remove(ready_file.as_deref())?;
    let stop = stop::requested()?;
    tokio::pin!(stop);
    let config = args.config()?;
    server_clock::check(&config.database_url, &Clock::system()).await.context("cannot start the console")?;
    let console = tokio::select! {
        started = Console::start(config, Clock::system(), Random::system()) => {
            started.map_err(|error| cannot_start(error, &args.tls))?
        }
        () = &mut stop => {
            logging::stopped("console");
            return Ok(());
        }
    };
    let ready = Ready {
        console: console.url(),
        metrics: console.metrics_addr().map(|address| format!("http://{address}/metrics")),
    };
    tracing::info!(
        console = ready.console,
        metrics = ready.metrics,
        "the console is listening; the device index is being built"
    );
    let announce = async {
        console.ready().await;
        tracing::info!("the console is ready");
        ready_file::write(ready_file.as_deref(), &ready)?;
        std::future::pending().await
    };
    // The cloud may be unreachable for long, which must not delay a shutdown.
    let ended = tokio::select! {
        () = stop => Ok(()),
        failure = console.failed() => Err(failure).context("the console cannot go on"),
        unannounced = announce => unannounced,
    };
    ready_file::remove(ready_file.as_deref())?;
    console.shutdown().await;
    ended?;
    logging::stopped("console");
    Ok(())
}

async fn init(database: &str) -> anyhow::Result<()> {
    output::print_line(match console::init_database(database).await.context("--database")? {
        0 => "The database was set up before; nothing changed.",
        _ => "The database is set up.",
    })
}

async fn reindex(database: &str) -> anyhow::Result<()> {
    console::reindex(database).await.context("cannot empty the index (--database)")?;
    tracing::info!("the index is empty; a running console on this database rebuilds it");
    Ok(())
}

impl NodeArgs {
    /// The configuration, with the secrets that files contain.
    pub(crate) fn config(&self) -> anyhow::Result<ConsoleConfig> {
        let secret = secrets::text(&self.app_secret_file).context("--app-secret-file")?;
        let cloud = console::CloudConfig::local(self.cloud.as_str(), self.app_id.clone(), secret).context("--cloud")?;
        let password = secrets::text(&self.service_password_file).context("--service-password-file")?;
        let (token_key, earlier_token_keys) = token_keys(&self.token_key_file, &self.earlier_token_key_file)?;
        let database = self.database.url()?;
        Ok(ConsoleConfig {
            bus: self.bus.address(&database)?,
            listen: self.listen,
            version: version(),
            tls: self.tls.files(),
            metrics_listen: self.metrics_listen,
            public_url: self.public_url.clone(),
            trusted_proxies: self.trusted_proxy.clone(),
            insecure_http: self.insecure_http,
            lists_from_cloud: self.lists_from_cloud,
            audit_days: self.audit_days,
            clock_confirmed: self.clock_confirmed,
            streams_per_user: self.streams_per_user as usize,
            session: SessionLimits { per_user: self.sessions_per_user as usize, ..SessionLimits::default() },
            mail_server: self.mail.server()?,
            mail_retry: self.mail.retry(),
            maintenance_message: self.maintenance_message.clone(),
            pass_every: Duration::from_secs(self.pass_every),
            pass_pause: Duration::from_millis(self.pass_pause),
            read_pause: Duration::from_millis(self.level_pause),
            history_pause: Duration::from_millis(self.level_pause),
            shutdown_limit: Duration::from_secs(self.shutdown_seconds),
            earlier_token_keys,
            ..ConsoleConfig::new(database, cloud, self.service_email.clone(), password, token_key)
        })
    }
}

/// The current token key and the earlier ones.
fn token_keys(current: &Path, earlier: &[PathBuf]) -> anyhow::Result<([u8; 32], Vec<[u8; 32]>)> {
    let earlier = earlier.iter().map(|file| secrets::key(file)).collect::<anyhow::Result<_>>();
    Ok((secrets::key(current).context("--token-key-file")?, earlier.context("--earlier-token-key-file")?))
}

fn not_blank(text: &str) -> Result<String, &'static str> {
    if text.trim().is_empty() { Err("must not be blank") } else { Ok(text.to_owned()) }
}

/// Adds the option that caused the error.
fn cannot_start(error: StartError, tls: &HttpTls) -> anyhow::Error {
    let option = match &error {
        StartError::Database(db::Error::Open { .. }) => "--database; `sillage console init` sets up a new database",
        StartError::Database(_) | StartError::AnotherConsole => "--database",
        StartError::TokenKey(_) => "--token-key-file",
        StartError::Bus(_) => "--bus",
        StartError::Metrics(..) => "--metrics-listen",
        StartError::Listen(..) | StartError::Config(ConfigError::InsecureHttp) => "--listen",
        StartError::Tls(error) => tls.option_of(error),
        StartError::Config(ConfigError::PublicUrl | ConfigError::PlainPublicUrl) => "--public-url",
        StartError::Config(ConfigError::MaintenanceMessage) => "--maintenance-message",
        StartError::Cloud(_) => "--cloud",
        StartError::Mail(error) => mail_options::option_of(*error),
        // The error itself names the option.
        StartError::Fault(_) => return anyhow::Error::new(error).context("cannot start the console"),
    };
    anyhow::Error::new(error).context(format!("cannot start the console ({option})"))
}
