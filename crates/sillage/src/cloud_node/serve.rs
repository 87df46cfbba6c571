//! `sillage cloud` without a subcommand: runs a node.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use clap::value_parser;
use cloud::{Branding, Cloud, CloudConfig, LinkLimits, ListenerKind, RequestLimits, SmsError, StartError};
use jiff::{SignedDuration, Timestamp};
use platform::db;
use platform::http::proxies::TrustedProxy;
use platform::run::clock::Clock;
use platform::run::file_limit;
use platform::run::random::Random;
use platform::run::rate_limit::Rate;
use serde::Serialize;

use super::messages::Messages;
use super::public_url::public_url;
use super::texts::Texts;
use crate::options::bus::Bus;
use crate::options::database_option::DatabaseOption;
use crate::options::mail_options::MailOptions;
use crate::options::mqtts::Mqtts;
use crate::options::tls::HttpTls;
use crate::options::{listen, mail_options, ready_file};
use crate::process::{logging, server_clock, stop};
use crate::product;

#[derive(clap::Args)]
pub(crate) struct NodeArgs {
    #[command(flatten)]
    database: DatabaseOption,
    #[command(flatten)]
    bus: Bus,
    /// Address on which the cloud listens
    #[arg(long, default_value = "127.0.0.1:8081", value_name = "HOST:PORT", value_parser = listen::address)]
    listen: SocketAddr,
    #[command(flatten)]
    tls: HttpTls,
    /// Address for Prometheus, which reads metrics there by plain HTTP without a password [default: no metrics]
    #[arg(long, value_name = "HOST:PORT", value_parser = listen::address)]
    metrics_listen: Option<SocketAddr>,
    /// The cloud's public address, used for the URLs of files [default: the listen address]
    #[arg(long, value_name = "URL", value_parser = public_url)]
    public_url: Option<String>,
    /// Maximum size of a file datapoint in bytes
    #[arg(long, default_value_t = 100 * 1024 * 1024, value_name = "BYTES", value_parser = value_parser!(u64).range(1..))]
    file_limit: u64,
    /// Days after which an unused session of a user ends
    #[arg(long, default_value_t = 90, value_name = "DAYS", value_parser = value_parser!(u16).range(1..))]
    session_days: u16,
    /// The current time, such as 2026-11-20T10:00Z, which confirms the clock after the cloud was stopped for more than a week. Without
    /// it nothing that has expired is deleted then
    #[arg(long, value_name = "TIME")]
    clock_confirmed: Option<Timestamp>,
    /// Seconds after which PostgreSQL cancels a statement; its request is answered with 503
    #[arg(long, default_value_t = 30, value_name = "SECONDS", value_parser = value_parser!(u16).range(1..))]
    statement_timeout: u16,
    /// Maximum number of open streams of a user on this node; the newest replaces the oldest
    #[arg(long, default_value_t = 20, value_name = "NUMBER", value_parser = value_parser!(u16).range(1..))]
    sockets_per_user: u16,
    /// Requests a second of a signed-in user of a partner or of an end user; those of the manufacturer have ten times as many. A
    /// burst may be six times as large, and at least 600, so that a batch of 500 entries fits
    #[arg(long, default_value_t = 100, value_name = "NUMBER", value_parser = value_parser!(u32).range(1..=100_000))]
    user_rate: u32,
    /// Sign-ins and other requests without a session a second through one application; a burst may be ten times as large
    #[arg(long, default_value_t = 200, value_name = "NUMBER", value_parser = value_parser!(u32).range(1..=100_000))]
    application_rate: u32,
    /// Requests without a valid session a second from one address; a burst may be twelve times as large
    #[arg(long, default_value_t = 5, value_name = "NUMBER", value_parser = value_parser!(u32).range(1..=100_000))]
    address_rate: u32,
    /// Mails an hour to one address that requests cause: password resets and confirmations
    #[arg(long, default_value_t = 10, value_name = "NUMBER", value_parser = value_parser!(u32).range(1..=100_000))]
    recipient_rate: u32,
    /// Proxy or console, an address or a network, whose own requests are not limited by address and whose X-Forwarded-For is
    /// trusted; may be repeated [default: this machine]
    #[arg(long, value_name = "ADDRESS")]
    trusted_proxy: Vec<TrustedProxy>,
    /// Address on which the cloud listens for devices
    #[arg(long, default_value = "127.0.0.1:1883", value_name = "HOST:PORT", value_parser = listen::address)]
    mqtt_listen: SocketAddr,
    /// Accept only devices that use TLS; needs --mqtts-listen
    #[arg(long, requires = "mqtts_listen", conflicts_with = "mqtt_listen")]
    no_plain_mqtt: bool,
    #[command(flatten)]
    mqtts: Mqtts,
    /// Maximum number of connected devices [default: half of the files that the process may open]
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u32).range(1..))]
    link_connections: Option<u32>,
    /// Maximum number of connected devices of one address [default: half of --link-connections]
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u32).range(1..))]
    link_connections_per_address: Option<u32>,
    /// Maximum number of device connections that have not signed in yet [default: an eighth of the files that the process
    /// may open, at most 2000]
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u32).range(1..))]
    link_pending: Option<u32>,
    /// Maximum number of such connections of one address [default: half of --link-pending]
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u32).range(1..))]
    link_pending_per_address: Option<u32>,
    /// Maximum delay before a lost connection is reported, whatever the threshold of the notification
    #[arg(long, value_name = "SECONDS", value_parser = value_parser!(u32).range(1..))]
    longest_threshold: Option<u32>,
    /// Maximum duration of a shutdown; requests that take longer are cut off
    #[arg(long, default_value_t = 10, value_parser = value_parser!(u64).range(1..=600), value_name = "SECONDS")]
    shutdown_seconds: u64,
    /// File to write when the cloud is ready: its addresses as JSON
    #[arg(long, value_name = "PATH")]
    ready_file: Option<PathBuf>,
    /// The console's address, used for links in messages
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080", value_parser = public_url)]
    console_url: String,
    #[command(flatten)]
    messages: Messages,
    // Last, because their help headings apply to all flags that follow.
    #[command(flatten)]
    mail: MailOptions,
    #[command(flatten)]
    texts: Texts,
}

/// The content of the ready file.
#[derive(Serialize)]
struct Ready {
    cloud: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    mqtt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mqtts: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metrics: Option<String>,
}

pub(super) async fn run(args: NodeArgs) -> anyhow::Result<()> {
    logging::starting("cloud");
    let ready_file = args.ready_file.as_deref();
    ready_file::remove(ready_file)?;
    let stop = stop::requested()?;
    tokio::pin!(stop);
    let config = args.config()?;
    if config.mail_server.is_none() {
        tracing::warn!("no mail server is configured (--smtp-host): e-mails stay in the outbox");
    }
    if config.sms_gateway.is_none() {
        tracing::info!("no text gateway is configured (--sms-gateway-url): text messages stay in the outbox");
    }
    let LinkLimits { connections, pending, .. } = config.link_limits;
    tracing::info!(files = file_limit::current(), connections, pending, "limits of the device link");
    server_clock::check(&config.database_url, &Clock::system()).await.context("cannot start the cloud")?;
    let mut cloud = tokio::select! {
        started = Cloud::start(config, Clock::system(), Random::system()) => {
            started.map_err(|error| cannot_start(error, &args.tls, &args.mqtts))?
        }
        () = &mut stop => {
            logging::stopped("cloud");
            return Ok(());
        }
    };
    let ready = Ready {
        cloud: cloud.http_url(),
        mqtt: cloud.link_addr().map(|address| format!("mqtt://{address}")),
        mqtts: cloud.link_tls_addr().map(|address| format!("mqtts://{address}")),
        metrics: cloud.metrics_addr().map(|address| format!("http://{address}/metrics")),
    };
    let Ready { cloud: url, mqtt, mqtts, metrics } = &ready;
    tracing::info!(cloud = url, mqtt, mqtts, metrics, "the cloud is ready");
    ready_file::write(ready_file, &ready)?;
    let ended = tokio::select! {
        () = stop => Ok(()),
        failure = cloud.failed() => Err(failure),
    };
    ready_file::remove(ready_file)?;
    cloud.shutdown().await;
    ended.context("the cloud cannot go on")?;
    logging::stopped("cloud");
    Ok(())
}

/// The minimum burst of a user: a full batch of 500 entries, and some requests.
const MIN_BURST: u32 = 600;

impl NodeArgs {
    /// The configuration, with the secrets that files contain.
    pub(crate) fn config(&self) -> anyhow::Result<CloudConfig> {
        let database = self.database.url()?;
        Ok(CloudConfig {
            bus: self.bus.address(&database)?,
            branding: Branding { product: product::NAME.to_owned(), console_url: self.console_url.clone() },
            mail_retry: self.mail.retry(),
            mail_server: self.mail.server()?,
            sms_gateway: self.texts.gateway()?,
            listen: self.listen,
            tls: self.tls.files(),
            metrics_listen: self.metrics_listen,
            link_listen: (!self.no_plain_mqtt).then_some(self.mqtt_listen),
            link_tls: self.mqtts.tls(),
            link_limits: self.link_limits(file_limit::current()),
            request_limits: self.request_limits(),
            trusted_proxies: match self.trusted_proxy.is_empty() {
                true => TrustedProxy::LOOPBACK.to_vec(),
                false => self.trusted_proxy.clone(),
            },
            public_url: self.public_url.clone(),
            file_limit: self.file_limit,
            session_lifetime: SignedDuration::from_hours(i64::from(self.session_days) * 24),
            clock_confirmed: self.clock_confirmed,
            statement_timeout: Duration::from_secs(self.statement_timeout.into()),
            shutdown_limit: Duration::from_secs(self.shutdown_seconds),
            sockets_per_user: self.sockets_per_user.into(),
            message_limits: self.messages.limits(),
            longest_threshold: self.longest_threshold.map(|seconds| Duration::from_secs(seconds.into())),
            ..CloudConfig::new(&database)
        })
    }

    fn request_limits(&self) -> RequestLimits {
        RequestLimits {
            per_user: Rate::per_second(self.user_rate).with_burst((self.user_rate * 6).max(MIN_BURST)),
            per_staff: Rate::per_second(self.user_rate * 10).with_burst(self.user_rate * 200),
            per_application: Rate::per_second(self.application_rate).with_burst(self.application_rate * 10),
            per_address: Rate::per_second(self.address_rate).with_burst(self.address_rate * 12),
            per_recipient: Rate::per_hour(self.recipient_rate),
        }
    }

    fn link_limits(&self, files: u64) -> LinkLimits {
        let defaults = LinkLimits::for_files(files);
        let or = |given: Option<u32>, default| given.map_or(default, |given| given as usize);
        let connections = or(self.link_connections, defaults.connections);
        let pending = or(self.link_pending, defaults.pending);
        LinkLimits {
            connections,
            connections_per_address: or(self.link_connections_per_address, connections.div_ceil(2)),
            pending,
            pending_per_address: or(self.link_pending_per_address, pending.div_ceil(2)),
        }
    }
}

/// Adds the option that caused the error.
fn cannot_start(error: StartError, tls: &HttpTls, mqtts: &Mqtts) -> anyhow::Error {
    let option = match &error {
        StartError::Database(db::Error::Open { .. }) => "--database; `sillage cloud init` sets up a new cloud",
        StartError::Database(_) | StartError::AnotherNode | StartError::Locked | StartError::MigrationPending => {
            "--database"
        }
        StartError::Bus(_) => "--bus",
        StartError::Listen { listener: ListenerKind::Http, .. } => "--listen",
        StartError::Listen { listener: ListenerKind::Mqtt, .. } => "--mqtt-listen",
        StartError::Listen { listener: ListenerKind::Mqtts, .. } => "--mqtts-listen",
        StartError::Listen { listener: ListenerKind::Metrics, .. } => "--metrics-listen",
        StartError::Tls { listener: ListenerKind::Http, source } => tls.option_of(source),
        StartError::Tls { source, .. } => mqtts.option_of(source),
        StartError::Mail(error) => mail_options::option_of(*error),
        StartError::Sms(SmsError::Url | SmsError::Unencrypted) => "--sms-gateway-url",
        // The command line rejects an empty account, so the token is the cause.
        StartError::Sms(SmsError::Credentials) => "--sms-gateway-token-file",
        StartError::Sms(SmsError::Sender) => "--sms-from",
        _ => return anyhow::Error::new(error).context("cannot start the cloud"),
    };
    anyhow::Error::new(error).context(format!("cannot start the cloud ({option})"))
}
