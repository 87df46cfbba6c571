//! Runs a console: listeners, routes and middleware, the files of the web application, health, the API document, and what it does
//! without a request.

pub(crate) mod app_state;
pub(crate) mod assets;
mod background;
pub(crate) mod headers;
pub(crate) mod health;
mod listeners;
pub(crate) mod openapi;
pub(crate) mod preloads;
pub(crate) mod reencryption;
pub(crate) mod reindex;
pub(crate) mod request_limits;
pub(crate) mod router;
pub(crate) mod sampling;
pub(crate) mod security_schemes;
pub(crate) mod stored_times;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use devicecloud::{Client, MemoryTokenStore};
use diffuser::Fragrance;
use platform::bus::{Bus, BusError};
use platform::db::{Db, Dialect};
use platform::http::tls::{Certificate, Protocols, TlsError};
use platform::mail::{MailError, Transport};
use platform::metrics::MetricsListener;
use platform::nodes::node_lock::NodeLock;
use platform::run::clock::Clock;
use platform::run::random::Random;
use platform::run::supervisor::{Supervisor, TaskFailure};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use url::Url;

use self::app_state::AppState;
use self::background::{Background, spawn_index, spawn_mails, spawn_presence};
use self::listeners::Listeners;
use crate::attention::Digests;
use crate::base::Base;
use crate::config::{ConfigError, ConsoleConfig};
use crate::devices::bulk;
use crate::events::hub::Hub;
use crate::events::notices;
use crate::events::own_commands::Echoes;
use crate::fragrances;
use crate::idempotency::IdempotencyKeys;
use crate::index::DeviceLists;
#[cfg(feature = "testing")]
use crate::index::forecasts;
use crate::jobs::{self, Jobs, Runner};
use crate::limits::report_slots::ReportSlots;
use crate::limits::request_rates::Limiters;
use crate::limits::stream_slots::StreamSlots;
use crate::live::Publisher;
use crate::mail::Mailer;
use crate::migrations::MIGRATIONS;
use crate::retention::Retention;
use crate::secrets::opaque_ids::OpaqueIds;
use crate::secrets::token_key::{TokenKeyCheck, TokenKeyState, WrongTokenKey};
use crate::sessions::cloud_fault::CloudFault;
use crate::sessions::second_factor::{RelyingParty, SecondFactors};
use crate::sessions::service_account::{CloudCheck, ServiceSession};
use crate::sessions::session::{SessionCookie, Sessions, SessionsParts};
use crate::shared_work::read_cache::ReadCache;
use crate::state::maintenance::MaintenanceBanner;
use crate::state::{CoreParts, CoreState};
use crate::sync::{self, PassHandle};

/// Time limit for closing the database once all requests have ended, or may not last longer.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// A running console. If dropped without [`shutdown`](Self::shutdown), it stops without waiting for requests.
#[derive(Debug)]
pub struct Console {
    addr: SocketAddr,
    metrics_addr: Option<SocketAddr>,
    has_certificate: bool,
    base: Base,
    session_db: Db,
    #[cfg(feature = "testing")]
    digests: Option<Digests>,
    #[cfg(feature = "testing")]
    retention: Retention,
    passes: PassHandle,
    connected: watch::Receiver<bool>,
    stopping: CancellationToken,
    tasks: TaskTracker,
    supervisor: Supervisor,
    shutdown_limit: Duration,
    /// Keeps others away from a SQLite database.
    lock: Option<NodeLock>,
}

/// Why a console does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The configuration is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The database cannot be opened or migrated.
    #[error(transparent)]
    Database(#[from] platform::db::Error),
    /// Another console runs on this SQLite database.
    #[error("another console runs on this SQLite database; several consoles need PostgreSQL")]
    AnotherConsole,
    /// The token key is not that of the database.
    #[error(transparent)]
    TokenKey(#[from] WrongTokenKey),
    /// The bus cannot be used.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The certificate cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The mail server cannot be used.
    #[error(transparent)]
    Mail(#[from] MailError),
    /// The client library rejects its configuration.
    #[error("cloud: {0}")]
    Cloud(#[from] devicecloud::Error),
    /// The cloud responded, and does not serve this console.
    #[error(transparent)]
    Fault(#[from] CloudFault),
    /// The address cannot be bound.
    #[error("cannot listen on {0}: {1}")]
    Listen(SocketAddr, #[source] std::io::Error),
    /// The address of the metrics cannot be bound.
    #[error("cannot listen for readers of metrics on {0}: {1}")]
    Metrics(SocketAddr, #[source] std::io::Error),
}

/// Signs in at the cloud as a starting console does, checks the account, and signs out.
///
/// # Errors
/// [`StartError::Cloud`], or [`StartError::Fault`], also if the cloud cannot be reached.
pub async fn check_cloud(config: &ConsoleConfig, clock: Clock) -> Result<(), StartError> {
    let cloud = Client::new(config.cloud.clone(), Arc::new(MemoryTokenStore::new()))?;
    let service = ServiceSession::new(&cloud, config.service_email.clone(), config.service_password.clone());
    let service = Arc::new(service);
    let result = CloudCheck::new(Arc::clone(&service), clock).result().await;
    if result.is_ok() {
        service.sign_out().await;
    }
    Ok(result?)
}

impl Console {
    /// Opens the database, binds the address, checks application and account in the cloud, and starts to fill the index. An
    /// unreachable cloud does not prevent the start.
    ///
    /// # Errors
    /// See [`StartError`].
    pub async fn start(config: ConsoleConfig, clock: Clock, random: Random) -> Result<Self, StartError> {
        let lock = lock_sqlite(&config.database_url).await?;
        let mut console = Self::start_around(config, clock, random, |router| router).await?;
        console.lock = lock;
        Ok(console)
    }

    /// Like [`start`](Self::start), but in a process with other consoles; `wrap` adds layers around the whole HTTP service.
    ///
    /// # Errors
    /// See [`StartError`].
    #[cfg(feature = "testing")]
    pub async fn start_wrapped(
        config: ConsoleConfig,
        clock: Clock,
        random: Random,
        wrap: impl FnOnce(Router) -> Router,
    ) -> Result<Self, StartError> {
        Self::start_around(config, clock, random, wrap).await
    }

    async fn start_around(
        config: ConsoleConfig,
        clock: Clock,
        random: Random,
        wrap: impl FnOnce(Router) -> Router,
    ) -> Result<Self, StartError> {
        config.check()?;
        let transport = config.mail_server.as_ref().map(Transport::new).transpose()?;
        let certificate = certificate(&config).await?;
        let db = open_database(&config, &random).await?;
        // Every request reads its session first, however busy the lists keep the other connections.
        let session_db = db.for_short_statements().await?;
        let listeners = Listeners::bind(&config, certificate).await?;
        let (addr, has_certificate) = (listeners.addr, listeners.certificate.is_some());
        let metrics_addr = listeners.metrics.as_ref().map(MetricsListener::addr);
        // Early, because what happens before is not recorded.
        platform::nodes::retention::register_metrics();
        sync::register_metrics();
        jobs::register_metrics();
        let cloud = client(&config)?;
        let (bus, link) = Bus::connect(&config.bus, &db, &random).await?;
        let base = Base { db, bus, clock, random };
        // Before anything compares stored times with the clock.
        stored_times::observe(&base.db, base.clock.now()).await?;
        let background = Background::new();
        spawn_presence(&base, &background);
        let notices = notices::listen(&base.bus);
        let stopping = &background.stopping;
        if let Some(link) = link {
            background.supervisor.spawn("bus", link.run(stopping.clone()));
        }
        let (email, password) = (config.service_email.clone(), config.service_password.clone());
        let service = Arc::new(ServiceSession::new(&cloud, email, password));
        let check = checked_cloud(&service, &base, &background).await?;
        let link_url = link_url(&config, addr);
        let state = state(&config, link_url, &base, &session_db, &cloud, &check, stopping);
        let echoes = state.core.echoes.clone();
        let digests = Digests::new(&state.core);
        spawn_mails(&state.core, &config, transport, digests.clone(), &background);
        background.spawn("lists", state.core.device_lists.clone().follow());
        background.spawn("notices", Publisher::new(state.core.clone()).run(notices));
        background.supervisor.spawn("jobs", Runner::new(state.jobs.clone(), background.tasks.clone()).run());
        listeners.serve(state, &config, &session_db, wrap, &background);
        let retention = retention(&base, &config);
        let (passes, connected) = spawn_index(&base, &config, &service, echoes, retention.clone(), &background);
        let Background { stopping, tasks, supervisor } = background;
        tasks.close();
        Ok(Self {
            addr,
            has_certificate,
            metrics_addr,
            base,
            session_db,
            #[cfg(feature = "testing")]
            digests,
            #[cfg(feature = "testing")]
            retention,
            passes,
            connected,
            stopping,
            tasks,
            supervisor,
            shutdown_limit: config.shutdown_limit,
            lock: None,
        })
    }

    /// The bound address.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The address of the metrics, if enabled.
    #[must_use]
    pub fn metrics_addr(&self) -> Option<SocketAddr> {
        self.metrics_addr
    }

    /// The bound address as a URL, https if the console has a certificate.
    #[must_use]
    pub fn url(&self) -> String {
        let scheme = if self.has_certificate { "https" } else { "http" };
        format!("{scheme}://{}", self.addr)
    }

    /// Waits until the index has been filled, by this console, by another one on the same database, or before a restart.
    pub async fn ready(&self) {
        self.passes.wait_until_filled().await;
    }

    /// Waits until the cloud's live stream is connected.
    pub async fn live(&self) {
        // An error means that the console is stopping.
        let _ = self.connected.clone().wait_for(|connected| *connected).await;
    }

    /// Requests a pass and waits until it is complete.
    pub async fn resync(&self) {
        self.passes.wait_for_new_pass(&self.base).await;
    }

    /// Inserts the fragrances that the catalogue lacks. Existing ones are unchanged.
    ///
    /// # Errors
    /// Database errors.
    pub async fn add_missing_fragrances(&self, fragrances: &[Fragrance]) -> platform::db::Result<()> {
        fragrances::add_missing(&self.base.db, fragrances).await
    }

    /// Resolves when a background task has ended and the console cannot continue. It must then be
    /// [shut down](Self::shutdown).
    pub async fn failed(&self) -> TaskFailure {
        self.supervisor.failed().await
    }

    /// Deletes what has expired, as the node with the lease of the passes does each hour.
    ///
    /// # Panics
    /// If the database fails.
    #[cfg(feature = "testing")]
    pub async fn delete_expired(&self) {
        self.retention.pass().await.expect("a database");
    }

    /// Sends the digests that are due. Returns how many this console has sent.
    ///
    /// # Panics
    /// If it sends none, or the database fails.
    #[cfg(feature = "testing")]
    pub async fn send_digests(&self) -> u32 {
        let digests = self.digests.as_ref().expect("a mail server and a public address");
        digests.send_due().await.expect("a database")
    }

    /// Sends the mails about assigned items that are due. Returns how many.
    ///
    /// # Panics
    /// If it sends none, or the database fails.
    #[cfg(feature = "testing")]
    pub async fn send_assigned(&self) -> u32 {
        let digests = self.digests.as_ref().expect("a mail server and a public address");
        digests.send_assigned().await.expect("a database")
    }

    /// Waits until each device of the index has a forecast, or a reason why it has none. Until then the console announces changes
    /// that no test has made.
    ///
    /// # Panics
    /// If the database fails.
    #[cfg(feature = "testing")]
    pub async fn forecasts_known(&self) {
        while forecasts::count_unknown(&self.base.db).await.expect("a database") > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// The names of the background tasks, in alphabetical order.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn tasks(&self) -> Vec<&'static str> {
        self.supervisor.names()
    }

    /// Ends a background task, as a fault would.
    ///
    /// # Panics
    /// If no task has this name.
    #[cfg(feature = "testing")]
    pub fn kill_task(&self, name: &str) {
        self.supervisor.kill(name);
    }

    /// Asks the readers of streams to connect again, lets running requests end, signs the service session out and closes the database.
    pub async fn shutdown(mut self) {
        self.stopping.cancel();
        if timeout(self.shutdown_limit, self.tasks.wait()).await.is_err() {
            tracing::warn!("some requests did not end in time");
        }
        // One after the other: SQLite moves its log into the database only if the last connection to close can write.
        let closing = async {
            self.session_db.close().await;
            self.base.db.close().await;
        };
        if timeout(CLOSE_TIMEOUT, closing).await.is_err() {
            tracing::warn!("the database did not close in time");
        }
        // Another console may start now.
        drop(self.lock.take());
    }
}

/// Locks a SQLite database, which has no way to tell another console of changes.
async fn lock_sqlite(database_url: &str) -> Result<Option<NodeLock>, StartError> {
    let db = Db::connect_existing(database_url).await?;
    if let Err(error @ platform::db::Error::Foreign(_)) = db.check_schema(&MIGRATIONS).await {
        // The cloud's node may hold the lock of its database.
        return Err(error.into());
    }
    let lock = match db.dialect() {
        Dialect::Sqlite => Some(NodeLock::acquire(&db).await?.ok_or(StartError::AnotherConsole)?),
        Dialect::Postgres => None,
    };
    db.close().await;
    Ok(lock)
}

/// The address that links in mails begin with. People use a demo at the address that it prints.
fn link_url(config: &ConsoleConfig, addr: SocketAddr) -> Option<Url> {
    let own = || format!("http://{addr}").parse().ok();
    let is_local = config.links_to_own_address && !addr.ip().is_unspecified();
    config.public_url.clone().or_else(|| is_local.then(own).flatten())
}

async fn certificate(config: &ConsoleConfig) -> Result<Option<Certificate>, TlsError> {
    match &config.tls {
        Some(files) => Certificate::load(files, Protocols::Http).await.map(Some),
        None => Ok(None),
    }
}

/// Opens the database, migrates it, and compares the token key with that of the database.
async fn open_database(config: &ConsoleConfig, random: &Random) -> Result<Db, StartError> {
    let db = Db::connect_existing(&config.database_url).await?;
    db.migrate(&MIGRATIONS).await?;
    let token_key = TokenKeyCheck::new(db.clone(), config.cipher(random.clone()));
    token_key.store_first().await?;
    if token_key.state().await? == TokenKeyState::Wrong {
        return Err(WrongTokenKey.into());
    }
    Ok(db)
}

fn client(config: &ConsoleConfig) -> devicecloud::Result<Client> {
    let cloud = Client::builder(config.cloud.clone(), Arc::new(MemoryTokenStore::new()));
    #[cfg(feature = "otel")]
    let cloud = cloud.headers_per_request(platform::http::trace_context::headers);
    cloud.build()
}

/// Checks the cloud, now and from time to time. Fails if it does not serve this console; an unreachable one may do so later.
async fn checked_cloud(
    service: &Arc<ServiceSession>,
    base: &Base,
    background: &Background,
) -> Result<Arc<CloudCheck>, StartError> {
    let check = Arc::new(CloudCheck::new(Arc::clone(service), base.clock.clone()));
    if let Err(fault) = check.result().await
        && !fault.is_transient()
    {
        return Err(fault.into());
    }
    background.supervisor.spawn("check of the cloud", {
        let (check, stopping) = (Arc::clone(&check), background.stopping.clone());
        async move { check.watch(&stopping).await }
    });
    Ok(check)
}

fn retention(base: &Base, config: &ConsoleConfig) -> Retention {
    Retention {
        base: base.clone(),
        audit_days: config.audit_days,
        sessions: config.session,
        clock_confirmed: config.clock_confirmed,
    }
}

pub(crate) fn state(
    config: &ConsoleConfig,
    link_url: Option<Url>,
    base: &Base,
    session_db: &Db,
    cloud: &Client,
    check: &Arc<CloudCheck>,
    stopping: &CancellationToken,
) -> AppState {
    let cipher = config.cipher(base.random.clone());
    let idempotency_keys = IdempotencyKeys::new(base.clone(), cipher.clone(), stopping.clone());
    let mailer = Mailer::new(base.clone(), config.mail_server.is_some());
    let token_key = TokenKeyCheck::new(base.db.clone(), cipher.clone());
    let party = RelyingParty::new(config.public_url.as_ref());
    let second_factors = SecondFactors::new(base.clone(), cipher.clone(), mailer.clone(), party);
    let core = CoreState::new(CoreParts {
        base: base.clone(),
        sessions: Sessions::new(SessionsParts {
            base: Base { db: session_db.clone(), ..base.clone() },
            cipher,
            limits: config.session,
            cloud: cloud.clone(),
            service_email: config.service_email.clone(),
        }),
        token_key,
        second_factors,
        mailer,
        link_url,
        service: Arc::clone(check.service()),
        cloud_check: Arc::clone(check),
        hub: Hub::default(),
        echoes: Echoes::default(),
        device_lists: DeviceLists::new(base.db.clone()),
        attention_counts: ReadCache::default(),
        cookie: SessionCookie::new(config.is_https()),
        limiters: Limiters::new(config.rate_limits, &base.clock),
        reports: ReportSlots::default(),
        streams: StreamSlots::new(config.streams_per_user),
        opaque_ids: OpaqueIds::new(&config.token_key),
        lists_from_cloud: config.lists_from_cloud,
        version: config.version,
        maintenance: MaintenanceBanner::new(&config.maintenance_message).unwrap_or_default(),
        demo_mailbox: config.demo_mailbox.clone(),
        stopping: stopping.clone(),
    });
    AppState { jobs: Jobs::new(core.clone(), bulk::WORK_KINDS), core, idempotency_keys }
}

impl Drop for Console {
    fn drop(&mut self) {
        self.stopping.cancel();
    }
}
