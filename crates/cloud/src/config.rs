//! How a cloud is started.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use jiff::SignedDuration;

use crate::domain::password::PasswordCost;
use crate::mail::{Branding, MailRetry, MailServer};
use crate::sms::SmsGateway;

/// The settings of one node. Its `Debug` leaves the database out: its URL may hold a password.
#[derive(Clone)]
pub struct CloudConfig {
    /// `sqlite:PATH` or `postgres://…`.
    pub database_url: String,
    /// Where the HTTP services listen; port 0 takes any.
    pub listen: SocketAddr,
    /// The address under which clients reach the HTTP services, such as `https://cloud.example.com`: files are told by
    /// addresses that begin with it. `None` = where they listen. It is never taken from a request: whoever writes the
    /// header `Host` would choose where others send their tokens.
    pub public_url: Option<String>,
    /// What messages to people say of the service.
    pub branding: Branding,
    /// The server that takes them. `None` = they stay in the outbox.
    pub mail_server: Option<MailServer>,
    /// The gateway that takes text messages. `None` = these stay in the outbox.
    pub sms_gateway: Option<SmsGateway>,
    /// The key of a page at which anybody who knows it reads all messages, tokens and all: for a demo. The page is there only
    /// when `listen` is an address of this machine alone.
    pub mailbox_key: Option<String>,
    /// How long messages wait for the mail server, and texts for their gateway.
    pub mail_retry: MailRetry,
    /// Between two looks for messages that are due.
    pub mail_interval: Duration,
    /// Between two looks of rules at what happened.
    pub rule_interval: Duration,
    /// The most bytes of a file.
    pub file_limit: u64,
    /// Where the device link listens for devices that speak no TLS, if it does; port 0 takes any.
    pub link_listen: Option<SocketAddr>,
    /// Where the device link listens for devices that speak TLS, if it does.
    pub link_tls: Option<LinkTls>,
    /// How fast a connected device may send packets.
    pub link_rate: LinkRate,
    /// How long an access token lives.
    pub token_lifetime: SignedDuration,
    /// How long a command waits for its device.
    pub command_lifetime: SignedDuration,
    /// Between two looks for commands that have expired.
    pub expiry_interval: Duration,
    /// After how long a lost connection is told at the latest, whatever its notification's threshold: for a demo.
    pub longest_threshold: Option<Duration>,
    /// Between two looks for lost connections that are to be told.
    pub loss_interval: Duration,
    /// Between two looks for schedules whose time has come.
    pub schedule_interval: Duration,
    /// Between two heartbeats of a stream.
    pub heartbeat: Duration,
    /// What checking a password costs.
    pub password_cost: PasswordCost,
}

/// The device link's TLS. Both files are read again when they are renewed; no restart is needed.
#[derive(Clone, Debug)]
pub struct LinkTls {
    /// Where it listens; port 0 takes any.
    pub listen: SocketAddr,
    /// The certificate, followed by those that vouch for it; PEM.
    pub certificate: PathBuf,
    /// The certificate's private key; PEM (PKCS#8, PKCS#1 or SEC1).
    pub key: PathBuf,
}

/// How fast something may happen: `burst` times at once, and one time more after `each`.
#[derive(Clone, Copy, Debug)]
pub struct LinkRate {
    /// How many times at once.
    pub burst: u32,
    /// After how long once more; zero sets no limit.
    pub each: Duration,
}

impl CloudConfig {
    /// The product's settings, listening on any free port of this machine.
    #[must_use]
    pub fn new(database_url: impl Into<String>) -> Self {
        Self {
            database_url: database_url.into(),
            listen: (Ipv4Addr::LOCALHOST, 0).into(),
            public_url: None,
            branding: Branding::default(),
            mail_server: None,
            sms_gateway: None,
            mailbox_key: None,
            mail_retry: MailRetry::default(),
            mail_interval: Duration::from_secs(1),
            rule_interval: Duration::from_secs(1),
            file_limit: 100 * 1024 * 1024,
            link_listen: Some((Ipv4Addr::LOCALHOST, 0).into()),
            link_tls: None,
            link_rate: LinkRate { burst: 100, each: Duration::from_millis(50) },
            token_lifetime: SignedDuration::from_hours(24),
            command_lifetime: SignedDuration::from_hours(7 * 24),
            expiry_interval: Duration::from_secs(30),
            longest_threshold: None,
            loss_interval: Duration::from_secs(5),
            schedule_interval: Duration::from_secs(1),
            heartbeat: Duration::from_secs(30),
            password_cost: PasswordCost::default(),
        }
    }
}

impl fmt::Debug for CloudConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CloudConfig")
            .field("listen", &self.listen)
            .field("public_url", &self.public_url)
            .field("branding", &self.branding)
            .field("mail_server", &self.mail_server)
            .field("sms_gateway", &self.sms_gateway)
            .field("mail_retry", &self.mail_retry)
            .field("mail_interval", &self.mail_interval)
            .field("rule_interval", &self.rule_interval)
            .field("file_limit", &self.file_limit)
            .field("link_listen", &self.link_listen)
            .field("link_tls", &self.link_tls)
            .field("link_rate", &self.link_rate)
            .field("token_lifetime", &self.token_lifetime)
            .field("command_lifetime", &self.command_lifetime)
            .field("expiry_interval", &self.expiry_interval)
            .field("longest_threshold", &self.longest_threshold)
            .field("loss_interval", &self.loss_interval)
            .field("schedule_interval", &self.schedule_interval)
            .field("heartbeat", &self.heartbeat)
            .field("password_cost", &self.password_cost)
            .finish_non_exhaustive()
    }
}
