//! Runs a node: its listeners, its tasks, and metrics of what it holds.

mod listeners;
pub(crate) mod sampling;
mod tasks;

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use platform::bus::{Bus, BusError, BusLink};
use platform::db::{Db, Dialect, Error};
use platform::http::readiness::DatabaseCheck;
use platform::http::tls::TlsError;
use platform::mail::{MailError, Transport};
use platform::metrics::MetricsListener;
use platform::nodes::node_lock::NodeLock;
use platform::run::clock::Clock;
use platform::run::random::Random;
use platform::run::supervisor::{Supervisor, TaskFailure};
use secrecy::{ExposeSecret, SecretString};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::listeners::{LinkListeners, Listeners};
use crate::app::App;
use crate::background::delivery::MessageTransport;
use crate::config::CloudConfig;
use crate::devices::link::LinkService;
use crate::domain::password::{InvalidCost, Passwords};
use crate::limits::batch_turns::BatchTurns;
use crate::limits::list_readers::ListReaders;
use crate::limits::request_limits::RequestLimiters;
use crate::messages::alerts::Alerts;
use crate::messages::mail::Mail;
use crate::messages::sms::{self, SmsError};
use crate::mqtt::{Gateway, LinkHealth};
use crate::nodes::Nodes;
use crate::operator::Operator;
use crate::people::password::LOCK;
use crate::reactions::Reactions;
use crate::store::clock::Lifetimes;
use crate::stream::hub::Hub;
use crate::{background, store};

/// Time limit for closing the database once everything has ended, or may not last longer.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// A running node.
#[derive(Debug)]
pub struct Cloud {
    app: App,
    http_addr: SocketAddr,
    is_https: bool,
    mailbox_path: Option<SecretString>,
    link_addr: Option<SocketAddr>,
    link_tls_addr: Option<SocketAddr>,
    metrics_addr: Option<SocketAddr>,
    gateway: Gateway,
    supervisor: Supervisor,
    shutdown_limit: Duration,
    /// `None` in tests that run several nodes in one process.
    node_lock: Option<NodeLock>,
}

/// The kind of a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListenerKind {
    /// The HTTP services.
    Http,
    /// The device link without TLS.
    Mqtt,
    /// The device link with TLS.
    Mqtts,
    /// The metrics.
    Metrics,
}

/// Why a node failed to start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The database could not be opened or brought up to date.
    #[error(transparent)]
    Database(#[from] platform::db::Error),
    /// Another node uses the SQLite database.
    #[error(
        "another node of the cloud is running on this database: a SQLite database serves one node, several nodes need PostgreSQL"
    )]
    AnotherNode,
    /// The bus cannot be used.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// Another node has locked the PostgreSQL database for itself.
    #[error("this database is locked by a node that is migrating it: wait until it has started or stopped")]
    Locked,
    /// The schema must be migrated, which a node does not do beside others.
    #[error(
        "the schema of this database is older than this program, and other nodes are running: migrate it with \
         `sillage cloud migrate`, then start this node again"
    )]
    MigrationPending,
    /// The password cost is out of range.
    #[error(transparent)]
    PasswordCost(#[from] InvalidCost),
    /// The certificate of a listener cannot be used.
    #[error("{source}")]
    Tls {
        /// The kind of the listener.
        listener: ListenerKind,
        /// The cause.
        source: TlsError,
    },
    /// The mail server cannot be used.
    #[error(transparent)]
    Mail(#[from] MailError),
    /// The SMS gateway cannot be used.
    #[error(transparent)]
    Sms(#[from] SmsError),
    /// The node cannot listen on an address.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The kind of the listener.
        listener: ListenerKind,
        /// The address.
        address: SocketAddr,
        /// The cause.
        source: std::io::Error,
    },
}

/// Why a running node cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NodeFailure {
    /// The node lost its database connection, and a node that runs alone has locked the database.
    #[error("another node of the cloud locked the database for itself while this one had no connection to it")]
    Superseded,
    /// A background task ended.
    #[error(transparent)]
    Task(#[from] TaskFailure),
}

impl Cloud {
    /// Opens the database, which must exist, migrates its schema and starts to listen.
    ///
    /// # Errors
    /// [`StartError`].
    pub async fn start(config: CloudConfig, clock: Clock, random: Random) -> Result<Self, StartError> {
        let transports = transports(&config)?;
        let db = Db::connect_with(&config.database_url, config.statement_timeout).await?;
        // The lock comes before the migration: another node may be running on this database.
        let lock = NodeLock::join(&db).await?.ok_or(match db.dialect() {
            Dialect::Sqlite => StartError::AnotherNode,
            Dialect::Postgres => StartError::Locked,
        })?;
        if lock.is_exclusive() {
            store::migrate(&db).await?;
        } else {
            store::check_schema(&db).await.map_err(|error| match error {
                Error::NoSchema | Error::OldSchema => StartError::MigrationPending,
                error => error.into(),
            })?;
        }
        let (bus, bus_link) = Bus::connect(&config.bus, &db, &random).await?;
        let foundation = Foundation { db, node_lock: Some(lock), bus, bus_link, transports, clock, random };
        Self::start_on(foundation, config, |router| router).await
    }

    /// Like [`start`](Self::start), but in a process with other nodes; `wrap` adds layers around the whole HTTP service.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) async fn start_beside(
        config: CloudConfig,
        clock: Clock,
        random: Random,
        bus: Bus,
        wrap: impl FnOnce(Router) -> Router,
    ) -> Result<Self, StartError> {
        let transports = transports(&config)?;
        let db = Db::connect_with(&config.database_url, config.statement_timeout).await?;
        store::migrate(&db).await?;
        let foundation = Foundation { db, node_lock: None, bus, bus_link: None, transports, clock, random };
        Self::start_on(foundation, config, wrap).await
    }

    async fn start_on(
        foundation: Foundation,
        config: CloudConfig,
        wrap: impl FnOnce(Router) -> Router,
    ) -> Result<Self, StartError> {
        if !foundation.db.survives_power_cuts().await? {
            tracing::warn!("PostgreSQL runs with fsync=off: a power cut may lose what was acknowledged");
        }
        let listeners = Listeners::bind(&config).await?;
        let (http_addr, is_https) = (listeners.http_addr, listeners.certificate.is_some());
        let metrics_addr = listeners.metrics.as_ref().map(MetricsListener::addr);
        // Early, because what happens before is not recorded.
        platform::nodes::retention::register_metrics();
        crate::metrics::register();
        let (token, command) = (config.token_lifetime, config.command_lifetime);
        let lifetimes = Lifetimes { token, command, lock: LOCK, claim: background::delivery::CLAIM };
        let Foundation { db, mut node_lock, bus, bus_link, transports, clock, random } = foundation;
        // Before anything compares stored times with the clock.
        background::clock::observe(&db, lifetimes, clock.now()).await?;
        let channels: Vec<_> = transports.iter().map(MessageTransport::channel).collect();
        let mail = Mail::new(config.branding.clone(), channels, random.clone());
        let alerts = Alerts::new(mail.clone(), config.message_limits);
        let reactions = Reactions::new(alerts.clone(), config.longest_threshold, random.clone());
        let is_alone = node_lock.as_ref().is_some_and(NodeLock::is_exclusive);
        let nodes = join(&db, &clock, &random, &bus, &reactions, is_alone).await?;
        // Other nodes can start now.
        if let Some(lock) = &mut node_lock {
            lock.share().await?;
        }
        let stop = CancellationToken::new();
        let (link, writing) = {
            let (db, clock, random, bus) = (db.clone(), clock.clone(), random.clone(), bus.clone());
            LinkService::new(db, clock, random, bus, reactions.clone(), nodes.clone(), stop.clone())
        };
        let public_url = public_url(&config, is_https, http_addr);
        let services = Services { db, bus, clock, random, mail, alerts, reactions, nodes, link, stop };
        let app = services.into_app(&config, public_url)?;
        let link_listeners = LinkListeners::bind(&config).await?;
        let (link_addr, link_tls_addr) = link_listeners.addresses();
        let supervisor = Supervisor::new(app.stop.clone(), app.tasks.clone());
        if let Some(link) = bus_link {
            supervisor.spawn("bus", link.run(app.stop.clone()));
        }
        let gateway = link_listeners.serve(&app, &config, &supervisor);
        supervisor.spawn("message writer", writing);
        tasks::spawn_watches(&app, &config, lifetimes, &supervisor);
        tasks::spawn_periodic_work(&app, &config, &supervisor);
        tasks::spawn_deliveries(&app, &config, transports, &supervisor);
        let mailbox_path = listeners.serve(&app, &config, wrap, &supervisor);
        app.tasks.close();
        app.requests.close();
        Ok(Self {
            app,
            http_addr,
            is_https,
            mailbox_path,
            link_addr,
            link_tls_addr,
            metrics_addr,
            gateway,
            supervisor,
            shutdown_limit: config.shutdown_limit,
            node_lock,
        })
    }

    /// The address of the HTTP services.
    #[must_use]
    pub fn http_addr(&self) -> SocketAddr {
        self.http_addr
    }

    /// The address of the HTTP services as a URL, https if they have a certificate.
    #[must_use]
    pub fn http_url(&self) -> String {
        url(self.is_https, self.http_addr)
    }

    /// The address of the device link without TLS, if enabled.
    #[must_use]
    pub fn link_addr(&self) -> Option<SocketAddr> {
        self.link_addr
    }

    /// The address of the device link with TLS, if enabled.
    #[must_use]
    pub fn link_tls_addr(&self) -> Option<SocketAddr> {
        self.link_tls_addr
    }

    /// The address of the metrics, if enabled.
    #[must_use]
    pub fn metrics_addr(&self) -> Option<SocketAddr> {
        self.metrics_addr
    }

    /// The page that shows all messages, if enabled. Its URL is a secret.
    #[must_use]
    pub fn mailbox_url(&self) -> Option<String> {
        self.mailbox_path.as_ref().map(|path| format!("{}{}", self.http_url(), path.expose_secret()))
    }

    /// Makes later messages link to this console, for callers that start the console after the cloud.
    pub fn link_messages_to(&self, console_url: &str) {
        self.app.mail.link_to(console_url);
    }

    /// An operator of this node's database.
    #[must_use]
    pub fn operator(&self) -> Operator {
        let App { db, clock, random, passwords, mail, .. } = self.app.clone();
        Operator::of_node(db, clock, random, passwords, mail)
    }

    /// Resolves when this node cannot go on. It must then be [shut down](Self::shutdown).
    pub async fn failed(&mut self) -> NodeFailure {
        let superseded = async {
            match &mut self.node_lock {
                Some(node_lock) => node_lock.lost().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = superseded => NodeFailure::Superseded,
            failure = self.supervisor.failed() => failure.into(),
        }
    }

    /// Closes the connections of devices one after the other and sets the devices Offline, stops accepting requests, closes the
    /// streams, waits for open requests, closes the database and releases it for another node. Devices have half of the limit.
    pub async fn shutdown(self) {
        let deadline = Instant::now() + self.shutdown_limit;
        let all_offline = self.gateway.shutdown(self.shutdown_limit / 2, deadline).await;
        self.app.stop.cancel();
        let ended = async {
            self.app.tasks.wait().await;
            self.app.requests.wait().await;
        };
        if timeout_at(deadline, ended).await.is_err() {
            tracing::warn!("some requests or streams did not end in time");
        }
        let leaving = async {
            self.app.nodes.leave(all_offline).await;
            self.app.db.close().await;
        };
        if timeout(CLOSE_TIMEOUT, leaving).await.is_err() {
            tracing::warn!("the database did not close in time");
        }
    }

    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn app(&self) -> &App {
        &self.app
    }

    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn supervisor(&self) -> &Supervisor {
        &self.supervisor
    }
}

/// What a node runs on.
struct Foundation {
    db: Db,
    node_lock: Option<NodeLock>,
    bus: Bus,
    bus_link: Option<BusLink>,
    transports: Vec<MessageTransport>,
    clock: Clock,
    random: Random,
}

/// What the requests of a node are served with.
struct Services {
    db: Db,
    bus: Bus,
    clock: Clock,
    random: Random,
    mail: Mail,
    alerts: Alerts,
    reactions: Reactions,
    nodes: Nodes,
    link: LinkService,
    stop: CancellationToken,
}

impl Services {
    fn into_app(self, config: &CloudConfig, public_url: String) -> Result<App, StartError> {
        Ok(App {
            passwords: Passwords::new(config.password_cost, self.random.clone())?,
            limits: RequestLimiters::new(config.request_limits, config.trusted_proxies.clone(), &self.clock),
            lists: ListReaders::new(),
            batch_turns: BatchTurns::new(),
            database: DatabaseCheck::new(self.db.clone()),
            db: self.db,
            bus: self.bus,
            clock: self.clock,
            random: self.random,
            mail: self.mail,
            alerts: self.alerts,
            reactions: self.reactions,
            nodes: self.nodes,
            link: self.link,
            link_health: LinkHealth::default(),
            hub: Hub::new(config.sockets_per_user),
            token_lifetime: config.token_lifetime,
            session_lifetime: config.session_lifetime,
            command_lifetime: config.command_lifetime,
            heartbeat: config.heartbeat,
            public_url,
            file_limit: config.file_limit,
            stop: self.stop,
            tasks: TaskTracker::new(),
            requests: TaskTracker::new(),
        })
    }
}

/// Joins the nodes of this database.
async fn join(
    db: &Db,
    clock: &Clock,
    random: &Random,
    bus: &Bus,
    reactions: &Reactions,
    is_alone: bool,
) -> Result<Nodes, StartError> {
    // Heartbeats do not wait for connections that longer statements use.
    let db = match db.dialect() {
        Dialect::Sqlite => db.clone(),
        Dialect::Postgres => db.for_short_statements().await?,
    };
    Ok(Nodes::join(db, clock.clone(), random.clone(), bus.clone(), reactions.clone(), is_alone).await?)
}

fn public_url(config: &CloudConfig, is_https: bool, http_addr: SocketAddr) -> String {
    config.public_url.clone().unwrap_or_else(|| url(is_https, http_addr)).trim_end_matches('/').to_owned()
}

/// The message transports that this node is configured with.
fn transports(config: &CloudConfig) -> Result<Vec<MessageTransport>, StartError> {
    let mail = config.mail_server.as_ref().map(Transport::new).transpose()?.map(MessageTransport::Mail);
    let texts = config.sms_gateway.as_ref().map(sms::Transport::new).transpose()?.map(MessageTransport::Texts);
    Ok(mail.into_iter().chain(texts).collect())
}

fn url(is_https: bool, address: SocketAddr) -> String {
    let scheme = if is_https { "https" } else { "http" };
    format!("{scheme}://{address}")
}
