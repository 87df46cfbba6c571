//! A complete cloud for tests: free ports, a temporary database, a mocked clock and faults on demand.

mod delivery;
mod device;
mod faults;
mod flaky_proxy;
pub mod fuzz;
mod jobs;
mod messages;
mod plain;
mod world;

use std::fs::File;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use platform::bus::Bus;
use platform::db::params;
use platform::run::clock::Clock;
use platform::run::random::Random;
use tempfile::TempDir;

pub use delivery::TestDelivery;
pub use device::TestDevice;
pub use faults::{Fault, Faults};
pub use flaky_proxy::FlakyProxy;
pub use messages::TestMessage;
pub use world::{APP_ID, APP_SECRET, PASSWORD, World, device_key};

use crate::domain::password::PasswordCost;
use crate::operator::Operator;
use crate::store::sessions::Tokens;
use crate::{Cloud, CloudConfig, NodeFailure, http, store};

/// The time at which the clock of a [`TestCloud`] starts.
pub const START: &str = "2026-11-20T10:00:00Z";

/// A running cloud of one test. Its files are deleted on drop.
#[derive(Debug)]
pub struct TestCloud {
    cloud: Cloud,
    database_url: String,
    clock: Clock,
    faults: Faults,
    /// Of the database, unless the test has another one.
    _folder: Option<TempDir>,
}

/// A call of the route table.
#[derive(Clone, Copy, Debug)]
pub struct RouteEntry {
    /// `GET`, `POST`, …
    pub method: &'static str,
    /// With `{name}` parameters, without the service's prefix and without `.json`.
    pub path: &'static str,
    /// The operation in quality/permissions.tsv, of kind `cloud-api`.
    pub permission: &'static str,
}

/// All calls of the cloud.
#[must_use]
pub fn routes() -> Vec<RouteEntry> {
    http::routes::all()
        .into_iter()
        .map(|route| RouteEntry { method: route.method, path: route.path, permission: route.permission })
        .collect()
}

impl TestCloud {
    /// Starts an empty cloud.
    pub async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    /// Starts an empty cloud without our protocol extensions, like any other cloud.
    pub async fn start_plain() -> Self {
        Self::start_wrapped(|_| {}, |router| router.layer(from_fn(plain::apply))).await
    }

    /// Starts an empty cloud with changed settings. The defaults of tests are cheap passwords, and heartbeats and jobs
    /// that never run by themselves.
    ///
    /// # Panics
    /// If it cannot start.
    pub async fn start_with(change: impl FnOnce(&mut CloudConfig)) -> Self {
        Self::start_wrapped(change, |router| router).await
    }

    /// Starts another node on the same database, with the same clock and bus.
    ///
    /// # Panics
    /// If it cannot start.
    pub async fn another_node(&self) -> Self {
        self.another(self.bus().clone()).await
    }

    /// Starts another node on the same database, with the same clock, while the bus is down.
    ///
    /// # Panics
    /// If it cannot start.
    pub async fn another_node_without_bus(&self) -> Self {
        self.another(Bus::in_process()).await
    }

    async fn another(&self, bus: Bus) -> Self {
        let config = Self::config(self.database_url.clone());
        Self::start_on(config, self.clock.clone(), bus, None, |router| router).await
    }

    async fn start_wrapped(change: impl FnOnce(&mut CloudConfig), wrap: impl FnOnce(Router) -> Router) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let database = folder.path().join("cloud.db");
        File::create(&database).expect("an empty database");
        let mut config = Self::config(format!("sqlite:{}", database.display()));
        change(&mut config);
        let clock = Clock::mock(START.parse().expect("a time"));
        Self::start_on(config, clock, Bus::in_process(), Some(folder), wrap).await
    }

    fn config(database_url: String) -> CloudConfig {
        let mut config = CloudConfig::new(database_url);
        config.password_cost = PasswordCost { memory_kib: 8, passes: 1, lanes: 1 };
        config.heartbeat = Duration::from_secs(3600);
        config.expiry_interval = Duration::from_secs(3600);
        config.mail_interval = Duration::from_secs(3600);
        config.loss_interval = Duration::from_secs(3600);
        config.schedule_interval = Duration::from_secs(3600);
        config.rule_interval = Duration::from_secs(3600);
        config.node_interval = Duration::from_secs(3600);
        config
    }

    async fn start_on(
        config: CloudConfig,
        clock: Clock,
        bus: Bus,
        folder: Option<TempDir>,
        wrap: impl FnOnce(Router) -> Router,
    ) -> Self {
        let (database_url, faults) = (config.database_url.clone(), Faults::default());
        let layer = from_fn_with_state(faults.clone(), faults::apply);
        let wrap = |router| wrap(router).layer(layer);
        let started = Cloud::start_beside(config, clock.clone(), Random::system(), bus, wrap).await;
        Self { cloud: started.expect("the cloud starts"), database_url, clock, faults, _folder: folder }
    }

    /// Base URL of the HTTP services, without a trailing slash.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.cloud.http_addr())
    }

    #[cfg(test)]
    pub(crate) fn app(&self) -> &crate::app::App {
        self.cloud.app()
    }

    /// The address of the HTTP services.
    #[must_use]
    pub fn http_addr(&self) -> SocketAddr {
        self.cloud.http_addr()
    }

    /// The address of the device link without TLS.
    #[must_use]
    pub fn link_addr(&self) -> SocketAddr {
        self.cloud.link_addr().expect("a test's cloud listens for devices without TLS")
    }

    /// The address of the device link with TLS, if enabled.
    #[must_use]
    pub fn link_tls_addr(&self) -> Option<SocketAddr> {
        self.cloud.link_tls_addr()
    }

    /// The address of the metrics, if enabled.
    #[must_use]
    pub fn metrics_addr(&self) -> Option<SocketAddr> {
        self.cloud.metrics_addr()
    }

    /// The cloud's time.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// An operator of its database.
    #[must_use]
    pub fn operator(&self) -> Operator {
        self.cloud.operator()
    }

    /// Faults for the next requests.
    #[must_use]
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Closes the database: each query fails from now on.
    pub async fn close_database(&self) {
        self.cloud.app().db.close().await;
    }

    /// Loads the test data of [`World`]: roles, two partners, users and devices.
    pub async fn seed(&self) -> World {
        World::load(&self.operator()).await
    }

    /// Signs a user in without a password.
    ///
    /// # Panics
    /// If there is no such user.
    pub async fn access_token(&self, world: &World, email: &str) -> String {
        let app = self.cloud.app();
        let user = store::users::id_by_email(&app.db, world.oem.id, email).await.expect("a database");
        let tokens = Tokens { access: app.random.hex(16), refresh: app.random.hex(16) };
        let now = app.clock.now();
        store::sessions::open(&app.db, user.expect("a user"), &tokens, now, now + app.token_lifetime)
            .await
            .expect("a session");
        tokens.access
    }

    /// Expires all access tokens; refresh tokens stay valid.
    ///
    /// # Panics
    /// If the database fails.
    pub async fn expire_access_tokens(&self) {
        let now = self.clock.now();
        let sql = "update session set access_expires_at = $1";
        self.cloud.app().db.execute(sql, params![now]).await.expect("a database");
    }

    /// The same for the sessions of one user.
    ///
    /// # Panics
    /// If the database fails.
    pub async fn expire_access_tokens_of(&self, email: &str) {
        let now = self.clock.now();
        let sql = "update session set access_expires_at = $1 where user_id in (select id from users where email = $2)";
        self.cloud.app().db.execute(sql, params![now, email]).await.expect("a database");
    }

    /// The number of rows inserted, updated or deleted since the start, including rolled-back ones.
    ///
    /// # Panics
    /// If the database fails.
    pub async fn rows_written(&self) -> i64 {
        // Counted on the only connection that writes.
        let mut tx = self.cloud.app().db.begin().await.expect("a database");
        let (rows,): (i64,) = tx.fetch_one("select total_changes()", params![]).await.expect("a database");
        rows
    }

    /// The number of passwords hashed or verified so far.
    #[must_use]
    pub fn hashes(&self) -> usize {
        self.cloud.app().passwords.made()
    }

    /// Revokes all roles of a user.
    ///
    /// # Panics
    /// If the database fails.
    pub async fn revoke_roles(&self, email: &str) {
        let sql = "delete from user_role where user_id in (select id from users where email = $1)";
        self.cloud.app().db.execute(sql, params![email]).await.expect("a database");
    }

    /// Changes the time zone of a device.
    ///
    /// # Panics
    /// If there is no such device or the database fails.
    pub async fn set_time_zone(&self, dsn: &str, tz_id: Option<&str>) {
        let app = self.cloud.app();
        let device = store::connections::link_key(&app.db, dsn).await.expect("a database").expect("a device");
        app.edits().set_time_zone(device.id, dsn, tz_id).await.expect("a database");
    }

    /// Loses events on their way to the streams, as when a node cannot keep up or the bus was down.
    pub fn lose_events(&self) {
        self.cloud.app().hub.lose_events();
    }

    /// The bus on which the node publishes to itself and to other nodes.
    #[must_use]
    pub fn bus(&self) -> &Bus {
        &self.cloud.app().bus
    }

    /// Resolves when no request that writes is being handled, not even one whose caller has disconnected.
    pub async fn writes_ended(&self) {
        self.cloud.app().requests.wait().await;
    }

    /// The messages in the outbox, oldest first.
    ///
    /// # Panics
    /// If the database fails.
    pub async fn outbox(&self) -> Vec<TestMessage> {
        self.writes_ended().await;
        TestMessage::all(&self.cloud.app().db).await
    }

    /// The link side of a device, without MQTT.
    ///
    /// # Panics
    /// If the device is not in [`World`].
    pub async fn device(&self, dsn: &str) -> TestDevice {
        TestDevice::sign_in(self.cloud.app().link.clone(), dsn).await
    }

    /// The names of the background tasks, in alphabetical order.
    #[must_use]
    pub fn tasks(&self) -> Vec<&'static str> {
        self.cloud.supervisor().names()
    }

    /// Ends a background task, as a fault would.
    ///
    /// # Panics
    /// If no task has this name.
    pub fn kill_task(&self, name: &str) {
        self.cloud.supervisor().kill(name);
    }

    /// Resolves when the node cannot go on.
    pub async fn failed(&mut self) -> NodeFailure {
        self.cloud.failed().await
    }

    /// Stops it.
    pub async fn shutdown(self) {
        self.cloud.shutdown().await;
    }
}
