//! Configuration of a node.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use platform::bus::BusAddress;
use platform::http::proxies::TrustedProxy;
use platform::http::tls::CertificateFiles;
use platform::mail::{MailServer, RetryPolicy};
use platform::run::file_limit;
use platform::run::rate_limit::Rate;

use crate::domain::message_limits::MessageLimits;
use crate::domain::password::PasswordCost;
use crate::messages::mail::Branding;
use crate::messages::sms::SmsGateway;

/// The settings of one node. Its `Debug` output omits the database URL, which can contain a password.
#[derive(Clone)]
pub struct CloudConfig {
    /// `sqlite:PATH` or `postgres://…`.
    pub database_url: String,
    /// How this node hears of changes by other nodes.
    pub bus: BusAddress,
    /// Time after which PostgreSQL cancels a statement. The request that made it gets 503.
    pub statement_timeout: Duration,
    /// Address of the HTTP services; port 0 selects a free port.
    pub listen: SocketAddr,
    /// Address of the metrics, if enabled; port 0 selects a free port.
    pub metrics_listen: Option<SocketAddr>,
    /// The certificate of the HTTP services. `None` serves plain http.
    pub tls: Option<CertificateFiles>,
    /// Base URL under which clients reach the HTTP services, such as `https://cloud.example.com`. File URLs begin with
    /// it. `None` uses the listen address. It is never taken from the `Host` header: a forged header would make
    /// clients send their tokens to another server.
    pub public_url: Option<String>,
    /// Product name and console URL in messages to people.
    pub branding: Branding,
    /// The server that delivers mail. `None` keeps mail in the outbox.
    pub mail_server: Option<MailServer>,
    /// The gateway that delivers text messages. `None` keeps them in the outbox.
    pub sms_gateway: Option<SmsGateway>,
    /// The secret path of a page that shows all messages, including their tokens. For demos; the page is served only
    /// when `listen` is a loopback address.
    pub mailbox_key: Option<String>,
    /// Retry policy for mail and text messages.
    pub mail_retry: RetryPolicy,
    /// Limits of messages that devices cause, for manufacturers without separate limits.
    pub message_limits: MessageLimits,
    /// Interval between checks for due messages.
    pub mail_interval: Duration,
    /// Interval between evaluations of rules.
    pub rule_interval: Duration,
    /// Maximum size of a file in bytes.
    pub file_limit: u64,
    /// Address of the device link without TLS, if enabled; port 0 selects a free port.
    pub link_listen: Option<SocketAddr>,
    /// The device link with TLS, if enabled.
    pub link_tls: Option<LinkTls>,
    /// Maximum numbers of connections of the device link.
    pub link_limits: LinkLimits,
    /// Packet rate limit of a connected device.
    pub link_rate: LinkRate,
    /// Maximum rates of requests.
    pub request_limits: RequestLimits,
    /// Proxies in front of the HTTP services, and consoles. Forwarding headers are trusted, and requests that they make themselves
    /// are not limited by address.
    pub trusted_proxies: Vec<TrustedProxy>,
    /// Time limit for requests, streams and connections of devices to end when the node stops.
    pub shutdown_limit: Duration,
    /// Lifetime of an access token.
    pub token_lifetime: SignedDuration,
    /// Time after which an unused session ends. A session is used as long as its access token is valid.
    pub session_lifetime: SignedDuration,
    /// Maximum number of open streams of a user on this node.
    pub sockets_per_user: usize,
    /// Time until an unacknowledged command expires.
    pub command_lifetime: SignedDuration,
    /// A time that has passed, as an operator confirms. After a stop of more than a week, retention trusts the clock only so.
    pub clock_confirmed: Option<Timestamp>,
    /// Interval between checks for expired commands.
    pub expiry_interval: Duration,
    /// Maximum delay before a lost connection is reported, whatever the notification's threshold. For demos.
    pub longest_threshold: Option<Duration>,
    /// Interval between checks for lost connections to report.
    pub loss_interval: Duration,
    /// Interval between checks for due schedules.
    pub schedule_interval: Duration,
    /// Interval between heartbeats of this node, for other nodes on the same PostgreSQL database.
    pub node_interval: Duration,
    /// Interval between heartbeats of a stream.
    pub heartbeat: Duration,
    /// Cost of hashing a password.
    pub password_cost: PasswordCost,
}

/// TLS of the device link.
#[derive(Clone, Debug)]
pub struct LinkTls {
    /// Listen address; port 0 selects a free port.
    pub listen: SocketAddr,
    /// The certificate and its key.
    pub files: CertificateFiles,
}

/// A rate limit: a burst of `burst`, then one per `each`.
#[derive(Clone, Copy, Debug)]
pub struct LinkRate {
    /// Maximum size of a burst.
    pub burst: u32,
    /// Interval after which one more is allowed; zero disables the limit.
    pub each: Duration,
}

/// Maximum numbers of connections of the device link. An IPv6 /64 network counts as one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkLimits {
    /// Connected devices.
    pub connections: usize,
    /// Connected devices of one address. Thousands of devices can share an address of a mobile network.
    pub connections_per_address: usize,
    /// Connections that have not signed in yet.
    pub pending: usize,
    /// Connections of one address that have not signed in yet.
    pub pending_per_address: usize,
}

/// Maximum rates of requests, each counted on its own (docs/operations.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestLimits {
    /// Requests of a signed-in user of a partner, or of an end user. Each entry of a batch counts, as do every 4 KiB of data; a new
    /// subscription counts ten times.
    pub per_user: Rate,
    /// Requests of a signed-in user of the manufacturer.
    pub per_staff: Rate,
    /// Requests that name an application, such as sign-ins.
    pub per_application: Rate,
    /// Requests without a valid session from one address or IPv6 network.
    pub per_address: Rate,
    /// Mails to one address that requests cause: resets of passwords and confirmations.
    pub per_recipient: Rate,
}

impl Default for RequestLimits {
    fn default() -> Self {
        Self {
            per_user: Rate::per_second(100).with_burst(600),
            per_staff: Rate::per_second(1_000).with_burst(20_000),
            per_application: Rate::per_second(200).with_burst(2_000),
            per_address: Rate::per_second(5).with_burst(60),
            per_recipient: Rate::per_hour(10),
        }
    }
}

impl LinkLimits {
    /// Limits for a process that may open this many files: half of them for connected devices, an eighth for connections before
    /// sign-in; the rest remains for HTTP, streams and the database. One address can have half of each.
    #[must_use]
    pub fn for_files(files: u64) -> Self {
        let files = usize::try_from(files).unwrap_or(usize::MAX);
        let (connections, pending) = ((files / 2).clamp(16, 200_000), (files / 8).clamp(16, 2_000));
        Self { connections, connections_per_address: connections / 2, pending, pending_per_address: pending / 2 }
    }
}

impl CloudConfig {
    /// Default settings: a bus within the process, listening on free ports of the loopback interface.
    #[must_use]
    pub fn new(database_url: impl Into<String>) -> Self {
        Self {
            database_url: database_url.into(),
            bus: BusAddress::InProcess,
            statement_timeout: Duration::from_secs(30),
            listen: (Ipv4Addr::LOCALHOST, 0).into(),
            metrics_listen: None,
            tls: None,
            public_url: None,
            branding: Branding::default(),
            mail_server: None,
            sms_gateway: None,
            mailbox_key: None,
            mail_retry: RetryPolicy::default(),
            message_limits: MessageLimits::default(),
            mail_interval: Duration::from_secs(1),
            rule_interval: Duration::from_secs(1),
            file_limit: 100 * 1024 * 1024,
            link_listen: Some((Ipv4Addr::LOCALHOST, 0).into()),
            link_tls: None,
            link_limits: LinkLimits::for_files(file_limit::current()),
            link_rate: LinkRate { burst: 100, each: Duration::from_millis(50) },
            request_limits: RequestLimits::default(),
            trusted_proxies: TrustedProxy::LOOPBACK.to_vec(),
            shutdown_limit: Duration::from_secs(10),
            token_lifetime: SignedDuration::from_hours(24),
            session_lifetime: SignedDuration::from_hours(90 * 24),
            sockets_per_user: 20,
            command_lifetime: SignedDuration::from_hours(7 * 24),
            clock_confirmed: None,
            expiry_interval: Duration::from_secs(30),
            longest_threshold: None,
            loss_interval: Duration::from_secs(5),
            schedule_interval: Duration::from_secs(1),
            node_interval: Duration::from_secs(1),
            heartbeat: Duration::from_secs(30),
            password_cost: PasswordCost::default(),
        }
    }
}

impl fmt::Debug for CloudConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CloudConfig")
            .field("bus", &self.bus)
            .field("statement_timeout", &self.statement_timeout)
            .field("listen", &self.listen)
            .field("metrics_listen", &self.metrics_listen)
            .field("tls", &self.tls)
            .field("public_url", &self.public_url)
            .field("branding", &self.branding)
            .field("mail_server", &self.mail_server)
            .field("sms_gateway", &self.sms_gateway)
            .field("mail_retry", &self.mail_retry)
            .field("message_limits", &self.message_limits)
            .field("mail_interval", &self.mail_interval)
            .field("rule_interval", &self.rule_interval)
            .field("file_limit", &self.file_limit)
            .field("link_listen", &self.link_listen)
            .field("link_tls", &self.link_tls)
            .field("link_limits", &self.link_limits)
            .field("link_rate", &self.link_rate)
            .field("request_limits", &self.request_limits)
            .field("trusted_proxies", &self.trusted_proxies)
            .field("token_lifetime", &self.token_lifetime)
            .field("session_lifetime", &self.session_lifetime)
            .field("sockets_per_user", &self.sockets_per_user)
            .field("command_lifetime", &self.command_lifetime)
            .field("clock_confirmed", &self.clock_confirmed)
            .field("expiry_interval", &self.expiry_interval)
            .field("longest_threshold", &self.longest_threshold)
            .field("loss_interval", &self.loss_interval)
            .field("schedule_interval", &self.schedule_interval)
            .field("node_interval", &self.node_interval)
            .field("heartbeat", &self.heartbeat)
            .field("password_cost", &self.password_cost)
            .finish_non_exhaustive()
    }
}
