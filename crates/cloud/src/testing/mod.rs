//! A whole cloud for tests: any port, a temporary database, a clock that stands still, and faults on demand.

mod delivery;
mod device;
mod faults;
mod flaky_proxy;
mod jobs;
pub mod link;
mod messages;
mod plain;
mod world;

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use platform::clock::Clock;
use platform::db::params;
use platform::random::Random;
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
use crate::{Cloud, CloudConfig, http, store};

/// When the clock of a [`TestCloud`] stands still.
pub const START: &str = "2026-11-20T10:00:00Z";

/// A running cloud of one test. Its files go when it is dropped.
#[derive(Debug)]
pub struct TestCloud {
    cloud: Cloud,
    clock: Clock,
    faults: Faults,
    _folder: TempDir,
}

/// One call of the route table.
#[derive(Clone, Copy, Debug)]
pub struct RouteEntry {
    /// `GET`, `POST`, …
    pub method: &'static str,
    /// With `{name}` parameters, without the service's prefix and without `.json`.
    pub path: &'static str,
    /// The operation of docs/permissions.tsv, kind `cloud-api`, that says who may call it.
    pub permission: &'static str,
}

/// Every call of the cloud.
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

    /// Starts an empty cloud that has none of our extensions of the protocol, as any other cloud.
    pub async fn start_plain() -> Self {
        Self::start_wrapped(|_| {}, |router| router.layer(from_fn(plain::apply))).await
    }

    /// Starts an empty cloud with other settings than a test's usual ones: cheap passwords, heartbeats and jobs that never
    /// come by themselves.
    ///
    /// # Panics
    /// When it cannot start.
    pub async fn start_with(change: impl FnOnce(&mut CloudConfig)) -> Self {
        Self::start_wrapped(change, |router| router).await
    }

    async fn start_wrapped(change: impl FnOnce(&mut CloudConfig), wrap: impl FnOnce(Router) -> Router) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut config = CloudConfig::new(format!("sqlite:{}", folder.path().join("cloud.db").display()));
        config.password_cost = PasswordCost { memory_kib: 8, passes: 1, lanes: 1 };
        config.heartbeat = Duration::from_secs(3600);
        config.expiry_interval = Duration::from_secs(3600);
        config.mail_interval = Duration::from_secs(3600);
        config.loss_interval = Duration::from_secs(3600);
        config.schedule_interval = Duration::from_secs(3600);
        config.rule_interval = Duration::from_secs(3600);
        change(&mut config);
        let clock = Clock::mock(START.parse().expect("a time"));
        let faults = Faults::default();
        let layer = from_fn_with_state(faults.clone(), faults::apply);
        let wrap = |router| wrap(router).layer(layer);
        let cloud = Cloud::start_beside(config, clock.clone(), Random::system(), wrap).await.expect("the cloud starts");
        Self { cloud, clock, faults, _folder: folder }
    }

    /// Where the HTTP services are, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.cloud.http_addr())
    }

    /// Where the HTTP services listen.
    #[must_use]
    pub fn http_addr(&self) -> SocketAddr {
        self.cloud.http_addr()
    }

    /// Where devices connect.
    #[must_use]
    pub fn link_addr(&self) -> SocketAddr {
        self.cloud.link_addr().expect("a test's cloud listens for devices without TLS")
    }

    /// Where devices connect with TLS, if the settings say so.
    #[must_use]
    pub fn link_tls_addr(&self) -> Option<SocketAddr> {
        self.cloud.link_tls_addr()
    }

    /// The cloud's time.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The operator's hands on it.
    #[must_use]
    pub fn operator(&self) -> Operator {
        self.cloud.operator()
    }

    /// The switches for what can go wrong on the way.
    #[must_use]
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Loads a small world: roles, two partners, users and devices.
    pub async fn seed(&self) -> World {
        World::load(&self.operator()).await
    }

    /// Signs a user in without the password.
    ///
    /// # Panics
    /// When there is no such user.
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

    /// Lets every access token expire now; the refresh tokens stay good.
    ///
    /// # Panics
    /// When the database fails.
    pub async fn expire_access_tokens(&self) {
        let now = self.clock.now();
        let sql = "update session set access_expires_at = $1";
        self.cloud.app().db.execute(sql, params![now]).await.expect("a database");
    }

    /// The same for the sessions of one user.
    ///
    /// # Panics
    /// When the database fails.
    pub async fn expire_access_tokens_of(&self, email: &str) {
        let now = self.clock.now();
        let sql = "update session set access_expires_at = $1 where user_id in (select id from users where email = $2)";
        self.cloud.app().db.execute(sql, params![now, email]).await.expect("a database");
    }

    /// How many rows were inserted, changed or deleted since the cloud started, also by what was taken back.
    ///
    /// # Panics
    /// When the database fails.
    pub async fn rows_written(&self) -> i64 {
        // The one connection that writes counts them.
        let mut tx = self.cloud.app().db.begin().await.expect("a database");
        let (rows,): (i64,) = tx.fetch_one("select total_changes()", params![]).await.expect("a database");
        rows
    }

    /// How many passwords were hashed or checked so far.
    #[must_use]
    pub fn hashes(&self) -> usize {
        self.cloud.app().passwords.made()
    }

    /// Takes a user's roles away.
    ///
    /// # Panics
    /// When the database fails.
    pub async fn revoke_roles(&self, email: &str) {
        let sql = "delete from user_role where user_id in (select id from users where email = $1)";
        self.cloud.app().db.execute(sql, params![email]).await.expect("a database");
    }

    /// Moves a device to another time zone.
    ///
    /// # Panics
    /// When there is no such device, or the database fails.
    pub async fn set_time_zone(&self, dsn: &str, tz_id: Option<&str>) {
        let app = self.cloud.app();
        let device = store::connections::link_key(&app.db, dsn).await.expect("a database").expect("a device");
        app.edits().set_time_zone(device.id, dsn, tz_id).await.expect("a database");
    }

    /// Lets events be lost on their way to the streams, as when a node cannot keep up.
    pub fn lose_events(&self) {
        self.cloud.app().hub.skip_number();
    }

    /// The messages that the cloud has written, the oldest first.
    ///
    /// # Panics
    /// When the database fails.
    pub async fn outbox(&self) -> Vec<TestMessage> {
        TestMessage::all(&self.cloud.app().db).await
    }

    /// What a device itself does, without its MQTT.
    ///
    /// # Panics
    /// When there is no such device in the [`World`].
    pub async fn device(&self, dsn: &str) -> TestDevice {
        TestDevice::sign_in(self.cloud.app().link.clone(), dsn).await
    }

    /// Stops it.
    pub async fn shutdown(self) {
        self.cloud.shutdown().await;
    }
}
