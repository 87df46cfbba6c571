//! The operator's configuration.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use devicecloud::SecretText;
use jiff::Timestamp;
use platform::bus::BusAddress;
use platform::http::proxies::TrustedProxy;
use platform::http::server::ConnectionLimits;
use platform::http::tls::CertificateFiles;
use platform::mail::{MailServer, RetryPolicy};
use platform::run::random::Random;
use url::Url;

use crate::limits::request_rates::RateLimits;
use crate::secrets::cipher::Cipher;
use crate::sessions::session::SessionLimits;
use crate::state::maintenance::MaintenanceBanner;

/// Short enough for items of attention that follow from what only a pass finds.
pub(crate) const PASS_EVERY: Duration = Duration::from_secs(45);

/// Everything that a console needs to start. `Debug` shows no secret.
#[derive(Clone)]
pub struct ConsoleConfig {
    /// `sqlite:PATH` or `postgres://…`.
    pub database_url: String,
    /// How this node hears of changes by other nodes.
    pub bus: BusAddress,
    /// The address to bind; port 0 selects a free port.
    pub listen: SocketAddr,
    /// Address of the metrics, if enabled; port 0 selects a free port.
    pub metrics_listen: Option<SocketAddr>,
    /// The certificate of the listener. `None` serves plain http.
    pub tls: Option<CertificateFiles>,
    /// The device cloud and the console's application in it.
    pub cloud: devicecloud::Config,
    /// The service account, which maintains the index.
    pub service_email: String,
    /// The password of the service account.
    pub service_password: SecretText,
    /// Encrypts the tokens in the database. Keep it elsewhere than the database.
    pub token_key: [u8; 32],
    /// Former token keys. Sessions of a key that is missing here cannot be used.
    pub earlier_token_keys: Vec<[u8; 32]>,
    /// The address that browsers use, when a proxy stands in front.
    pub public_url: Option<Url>,
    /// The trusted proxies, whose forwarding headers name the client's address.
    pub trusted_proxies: Vec<TrustedProxy>,
    /// Permits plain http on addresses other than loopback.
    pub insecure_http: bool,
    /// How long sessions last.
    pub session: SessionLimits,
    /// The rate limits.
    pub rate_limits: RateLimits,
    /// How long a connection may stay open without a request.
    pub connections: ConnectionLimits,
    /// Time limit for running requests to end when the console stops.
    pub shutdown_limit: Duration,
    /// Maximum number of event streams of a user on this node; the newest ends the oldest.
    pub streams_per_user: usize,
    /// Interval between two full passes over the cloud's devices.
    pub pass_every: Duration,
    /// Delay before each call of a pass, so that passes do not slow down users.
    pub pass_pause: Duration,
    /// Interval between two reads of single devices.
    pub read_pause: Duration,
    /// Delay before each call that reads the history of a new device.
    pub history_pause: Duration,
    /// Serves lists from the cloud instead of the index: slower, and with less to sort and filter by.
    pub lists_from_cloud: bool,
    /// Retention of the audit in days.
    pub audit_days: u32,
    /// A time that an operator confirmed after the console was stopped for more than a week. Without it nothing that has
    /// expired is deleted then.
    pub clock_confirmed: Option<Timestamp>,
    /// The version that the About page shows.
    pub version: &'static str,
    /// Text of the banner above every page; empty for none. At most 300 characters.
    pub maintenance_message: String,
    /// Delivers mails to users about their second factor; `None` to send none.
    pub mail_server: Option<MailServer>,
    /// When a mail is sent again.
    pub mail_retry: RetryPolicy,
    /// For a demo: where messages to people can be read. The sign-in page links to it.
    pub demo_mailbox: Option<Url>,
    /// For a demo: without a public address, links in mails begin with the address on which the console listens.
    pub links_to_own_address: bool,
}

/// A configuration that is refused.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    ///
    #[error(
        "plain http beyond this machine needs --tls-cert, an https public URL of a proxy in front, or --insecure-http"
    )]
    InsecureHttp,
    /// Neither http nor https, or with a path.
    #[error("the public URL must be http:// or https:// and a host, without a path")]
    PublicUrl,
    /// A listener with a certificate, under a plain address.
    #[error("the public URL must be https:// if the console has a certificate")]
    PlainPublicUrl,
    ///
    #[error("the maintenance message must not have more than 300 characters")]
    MaintenanceMessage,
}

impl ConsoleConfig {
    /// The defaults: a bus within the process, any port on loopback, a pass each minute, and the default limits of sessions and rates.
    #[must_use]
    pub fn new(
        database_url: impl Into<String>,
        cloud: devicecloud::Config,
        service_email: impl Into<String>,
        service_password: impl Into<SecretText>,
        token_key: [u8; 32],
    ) -> Self {
        Self {
            database_url: database_url.into(),
            bus: BusAddress::InProcess,
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            metrics_listen: None,
            tls: None,
            cloud,
            service_email: service_email.into(),
            service_password: service_password.into(),
            token_key,
            earlier_token_keys: Vec::new(),
            public_url: None,
            trusted_proxies: Vec::new(),
            insecure_http: false,
            session: SessionLimits::default(),
            rate_limits: RateLimits::default(),
            connections: ConnectionLimits::default(),
            shutdown_limit: Duration::from_secs(10),
            streams_per_user: 50,
            pass_every: PASS_EVERY,
            pass_pause: Duration::from_millis(50),
            read_pause: Duration::from_millis(25),
            history_pause: Duration::from_millis(25),
            lists_from_cloud: false,
            audit_days: 400,
            clock_confirmed: None,
            version: env!("CARGO_PKG_VERSION"),
            maintenance_message: String::new(),
            mail_server: None,
            mail_retry: RetryPolicy::default(),
            demo_mailbox: None,
            links_to_own_address: false,
        }
    }

    /// The cipher with the keys of this configuration.
    pub(crate) fn cipher(&self, random: Random) -> Cipher {
        Cipher::new(&self.token_key, &self.earlier_token_keys, random)
    }

    /// Whether browsers reach the console by https.
    pub(crate) fn is_https(&self) -> bool {
        self.public_url.as_ref().map_or(self.tls.is_some(), |url| url.scheme() == "https")
    }

    /// Checks what the types do not ensure.
    ///
    /// # Errors
    /// A configuration that is unsafe or invalid.
    pub fn check(&self) -> Result<(), ConfigError> {
        MaintenanceBanner::new(&self.maintenance_message).ok_or(ConfigError::MaintenanceMessage)?;
        if let Some(url) = &self.public_url {
            let plain = matches!(url.scheme(), "http" | "https") && url.has_host() && url.path() == "/";
            if !plain || url.query().is_some() || url.fragment().is_some() {
                return Err(ConfigError::PublicUrl);
            }
        }
        if self.tls.is_some() && !self.is_https() {
            return Err(ConfigError::PlainPublicUrl);
        }
        let beyond_this_machine = match &self.public_url {
            _ if self.tls.is_some() => false,
            Some(url) if url.scheme() == "https" => false,
            Some(url) => !is_loopback(url) || !self.listen.ip().is_loopback(),
            None => !self.listen.ip().is_loopback(),
        };
        if beyond_this_machine && !self.insecure_http {
            return Err(ConfigError::InsecureHttp);
        }
        if beyond_this_machine {
            tracing::warn!("serving plain http beyond this machine: passwords and sessions can be read on the way");
        }
        Ok(())
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

impl fmt::Debug for ConsoleConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConsoleConfig")
            .field("bus", &self.bus)
            .field("listen", &self.listen)
            .field("metrics_listen", &self.metrics_listen)
            .field("tls", &self.tls)
            .field("cloud", &self.cloud)
            .field("public_url", &self.public_url)
            .field("trusted_proxies", &self.trusted_proxies)
            .field("insecure_http", &self.insecure_http)
            .field("session", &self.session)
            .field("rate_limits", &self.rate_limits)
            .field("connections", &self.connections)
            .field("streams_per_user", &self.streams_per_user)
            .field("pass_every", &self.pass_every)
            .field("pass_pause", &self.pass_pause)
            .field("read_pause", &self.read_pause)
            .field("history_pause", &self.history_pause)
            .field("lists_from_cloud", &self.lists_from_cloud)
            .field("audit_days", &self.audit_days)
            .field("clock_confirmed", &self.clock_confirmed)
            .field("mail_server", &self.mail_server)
            .field("mail_retry", &self.mail_retry)
            .field("version", &self.version)
            .field("maintenance_message", &self.maintenance_message)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(listen: &str, public_url: Option<&str>, insecure_http: bool) -> ConsoleConfig {
        let cloud = devicecloud::Config::local("http://127.0.0.1:1", "app", "app-secret").unwrap();
        ConsoleConfig {
            listen: listen.parse().unwrap(),
            public_url: public_url.map(|url| url.parse().unwrap()),
            insecure_http,
            ..ConsoleConfig::new("postgres://db-secret", cloud, "service@example.com", "pass-secret", [7; 32])
        }
    }

    #[test]
    fn plain_http_requires_loopback_or_an_explicit_option() {
        let rows = [
            ("127.0.0.1:0", None, false, true),
            ("[::1]:0", None, false, true),
            ("0.0.0.0:80", None, false, false),
            ("192.0.2.1:80", None, false, false),
            ("0.0.0.0:80", None, true, true),
            ("0.0.0.0:80", Some("https://console.example"), false, true),
            ("127.0.0.1:80", Some("http://console.example"), false, false),
            ("127.0.0.1:80", Some("http://localhost:8080"), false, true),
            ("0.0.0.0:80", Some("http://localhost:8080"), false, false),
            ("127.0.0.1:80", Some("ftp://console.example"), false, false),
            ("127.0.0.1:80", Some("https://console.example/sub"), false, false),
        ];
        for (listen, public_url, insecure, accepted) in rows {
            assert_eq!(
                config(listen, public_url, insecure).check().is_ok(),
                accepted,
                "{listen} {public_url:?} {insecure}"
            );
        }
    }

    #[test]
    fn certificate_permits_every_address_but_no_plain_public_url() {
        let rows = [
            ("0.0.0.0:443", None, true),
            ("127.0.0.1:0", None, true),
            ("0.0.0.0:443", Some("https://console.example"), true),
            ("0.0.0.0:443", Some("http://console.example"), false),
            ("127.0.0.1:0", Some("http://localhost:8080"), false),
        ];
        for (listen, public_url, accepted) in rows {
            let files = CertificateFiles { certificate: "cert.pem".into(), key: "key.pem".into() };
            let config = ConsoleConfig { tls: Some(files), ..config(listen, public_url, false) };
            assert_eq!(config.check().is_ok(), accepted, "{listen} {public_url:?}");
            assert_eq!(config.is_https(), accepted, "{listen} {public_url:?}");
        }
    }

    #[test]
    fn debug_shows_no_secret() {
        let shown = format!("{:?}", config("127.0.0.1:0", None, false));
        for secret in ["secret", "service@example.com", "7, 7"] {
            assert!(!shown.contains(secret), "{secret} in {shown}");
        }
    }
}
