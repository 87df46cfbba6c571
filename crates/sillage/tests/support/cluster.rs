//! Two nodes of the cloud and two of the console on one PostgreSQL and one NATS, behind a balancer, with diffusers.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Output;
use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use platform::db::{Db, params};
use platform::testing::{NatsServer, TestMailServer};
use serde_json::Value;
use sha2::Sha256;
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use tempfile::TempDir;
use tokio::time::{Instant, sleep, timeout};

use crate::build::Build;
use crate::console::{Access, Console};
use crate::node::{Device, Node};
use crate::servers::{Balanced, Balancer, Postgres, free_addresses};
use crate::support::{CloudUser, Person, Process};

/// The first and the second node of each server.
pub(crate) const A: usize = 0;
pub(crate) const B: usize = 1;

/// How many diffusers the fleet has.
const DEVICES: &str = "24";
/// How many of them are left to the tests instead of being simulated.
const UNPLUGGED: usize = 12;
/// The delay of messages about lost connections, in seconds: longer than a diffuser needs to connect again.
const LOST_AFTER: &str = "10";

/// What nodes start with.
struct Setup {
    build: Build,
    folder: TempDir,
    bus: String,
    mail_port: String,
    cloud_database: String,
    console_database: String,
    access: Access,
    consoles: Balanced,
    clouds: Balanced,
    links: Balanced,
}

/// A running cluster. Clients are dropped before the servers that they use.
pub(crate) struct Cluster {
    _fleet: Process,
    pub(crate) consoles: [Option<Console>; 2],
    pub(crate) clouds: [Option<Node>; 2],
    _balancer: Balancer,
    pub(crate) nats: NatsServer,
    pub(crate) mail: TestMailServer,
    /// The cloud's database.
    pub(crate) db: Db,
    pub(crate) postgres: Postgres,
    saved: Value,
    /// Diffusers that are simulated and connected through the balancer.
    pub(crate) simulated: Vec<String>,
    /// Diffusers that are not.
    pub(crate) unplugged: Vec<String>,
    setup: Setup,
}

impl Setup {
    async fn start_cloud(&self, node: usize) -> Option<Node> {
        let (listen, link) = (self.clouds.nodes[node].to_string(), self.links.nodes[node].to_string());
        let mut arguments = vec!["--bus", &self.bus, "--listen", &listen, "--mqtt-listen", &link];
        arguments.extend(["--smtp-host", "127.0.0.1", "--smtp-port", &self.mail_port, "--smtp-security", "none"]);
        arguments.extend(["--smtp-from", "no-reply@sillage.example", "--longest-threshold", LOST_AFTER]);
        let folder = self.folder.path().join(format!("cloud-{node}"));
        std::fs::create_dir_all(&folder).unwrap();
        Some(Node::start_program(self.build.command(), &self.cloud_database, &folder, &arguments).await)
    }

    fn start_console(&self, node: usize) -> Option<Console> {
        let (cloud, listen) = (format!("http://{}", self.clouds.front), self.consoles.nodes[node].to_string());
        let arguments = ["--bus", &self.bus, "--listen", &listen, "--trusted-proxy", "127.0.0.1"];
        let (folder, name) = (self.folder.path(), format!("console-{node}"));
        let program = self.build.command();
        Some(Console::start_program(program, &self.console_database, &cloud, &self.access, folder, &name, &arguments))
    }

    /// `sillage simulate`.
    fn simulate(&self, dsns: &[String]) -> Process {
        let (data, link) = (self.folder.path().to_str().unwrap(), format!("mqtt://{}", self.links.front));
        let mut command = self.build.command();
        command.args(["simulate", "--steady", "--data", data, "--link", &link]);
        command.args(["--cloud-database", &self.cloud_database]).args(dsns.iter().flat_map(|dsn| ["--dsn", dsn]));
        Process::start(command)
    }
}

impl Cluster {
    pub(crate) async fn start() -> Self {
        Self::start_build(Build::this()).await
    }

    /// Like [`start`](Self::start), with data and nodes of a build.
    pub(crate) async fn start_build(build: Build) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        let (postgres, nats, mail) = (Postgres::start(), NatsServer::start(), TestMailServer::start(&[]));
        let [cloud_database, console_database] = databases(&postgres).await;
        load(&build, folder.path(), &cloud_database, &console_database);
        let saved = serde_json::from_slice(&std::fs::read(folder.path().join("demo.json")).unwrap()).unwrap();
        let db = Db::connect(&cloud_database).await.unwrap();
        let [consoles, clouds, links] = {
            let [a, b, c, d, e, f, g, h, i] = free_addresses();
            [(a, [b, c]), (d, [e, f]), (g, [h, i])].map(|(front, nodes)| Balanced { front, nodes })
        };
        let setup = Setup {
            build,
            access: Access::of_demo(folder.path()),
            folder,
            bus: nats.url(),
            mail_port: mail.port.to_string(),
            cloud_database,
            console_database,
            consoles,
            clouds,
            links,
        };
        let clouds = [setup.start_cloud(A).await, setup.start_cloud(B).await];
        let balancer = Balancer::start(setup.folder.path(), &setup.consoles, &setup.clouds, &setup.links).await;
        let consoles = [setup.start_console(A), setup.start_console(B)];
        let mut unplugged = registered(&db).await;
        let simulated = unplugged.split_off(UNPLUGGED);
        let fleet = setup.simulate(&simulated);
        let cluster = Self {
            _fleet: fleet,
            consoles,
            clouds,
            _balancer: balancer,
            nats,
            mail,
            db,
            postgres,
            saved,
            simulated,
            unplugged,
            setup,
        };
        let online = async || cluster.count("device_state where status = 'Online'").await == cluster.simulated.len();
        eventually("the fleet is online", Duration::from_secs(60), online).await;
        cluster
    }

    /// From now on, nodes start with this build.
    pub(crate) fn install(&mut self, build: Build) {
        self.setup.build = build;
    }

    /// Runs an operator's command of a build for one of the servers, on its database.
    pub(crate) fn run(&self, build: &Build, server: &str, arguments: &[&str]) -> Output {
        let database = match server {
            "cloud" => &self.setup.cloud_database,
            _ => &self.setup.console_database,
        };
        build.command().arg(server).args(arguments).env("SILLAGE_DATABASE", database).output().unwrap()
    }

    /// The account of the administrator.
    pub(crate) fn account(&self) -> &Value {
        &self.saved["accounts"][0]
    }

    /// Signs the administrator in through the balancer.
    pub(crate) async fn administrator(&self) -> Person {
        let url = format!("http://{}", self.setup.consoles.front);
        // The balancer may not have noticed yet that a console is ready.
        let ready = async || reqwest::get(format!("{url}/readyz")).await.is_ok_and(|answer| answer.status() == 200);
        eventually("the balancer serves the console", Duration::from_secs(30), ready).await;
        Person::sign_in_at(&url, self.account()).await
    }

    /// The administrator at a cloud.
    pub(crate) async fn at_cloud(&self, node: usize) -> CloudUser {
        CloudUser::sign_in_at(&self.clouds[node].as_ref().unwrap().url, &self.saved).await
    }

    pub(crate) fn console_url(&self, node: usize) -> &str {
        self.consoles[node].as_ref().unwrap().url()
    }

    /// The device link of a cloud.
    pub(crate) fn link(&self, node: usize) -> SocketAddr {
        self.setup.links.nodes[node]
    }

    /// The device link at the balancer.
    pub(crate) fn balanced_link(&self) -> SocketAddr {
        self.setup.links.front
    }

    /// The key of a diffuser, which the demo derives from its secret.
    pub(crate) fn key(&self, dsn: &str) -> String {
        let secret = hex::decode(self.saved["fleet_secret"].as_str().unwrap()).unwrap();
        let mut mac = Hmac::<Sha256>::new_from_slice(&secret).unwrap();
        mac.update(dsn.as_bytes());
        hex::encode(mac.finalize().into_bytes())
    }

    /// Connects an unplugged diffuser to one node, with a keep-alive in seconds.
    pub(crate) async fn connect(&self, dsn: &str, node: usize, keep_alive: u16) -> Device {
        Device::sign_in_for(self.link(node), dsn, &self.key(dsn), keep_alive).await.unwrap().unwrap()
    }

    /// The consoles' database.
    pub(crate) async fn console_db(&self) -> Db {
        Db::connect(&self.setup.console_database).await.unwrap()
    }

    /// The number of rows of a table of the cloud's database, which a condition may follow.
    pub(crate) async fn count(&self, rows: &'static str) -> usize {
        let sql = AssertSqlSafe(format!("select count(*) from {rows}"));
        usize::try_from(self.db.fetch_one::<(i64,)>(sql, params![]).await.unwrap().0).unwrap()
    }

    pub(crate) async fn is_online(&self, dsn: &str) -> bool {
        let sql = "select s.status from device_state s join device d on d.id = s.device_id where d.dsn = $1";
        self.db.fetch_one::<(String,)>(sql, params![dsn]).await.unwrap().0 == "Online"
    }

    /// All stored integers of a property, in any order.
    pub(crate) async fn stored(&self, dsn: &str, property: &str) -> Vec<i64> {
        let sql = "select v.value from datapoint v join property p on p.id = v.property_id \
                   join device d on d.id = p.device_id join template_property t on t.id = p.template_property_id \
                   where d.dsn = $1 and t.name = $2";
        let rows: Vec<(String,)> = self.db.fetch_all(sql, params![dsn, property]).await.unwrap();
        rows.into_iter().map(|(value,)| value.parse().unwrap()).collect()
    }

    /// Stops a cloud as an update does, and starts it again.
    pub(crate) async fn restart_cloud(&mut self, node: usize) {
        let stopped = self.clouds[node].take().unwrap().stop();
        assert!(stopped.success(), "{stopped}");
        self.clouds[node] = self.setup.start_cloud(node).await;
    }

    /// Like [`restart_cloud`](Self::restart_cloud), for a console.
    pub(crate) fn restart_console(&mut self, node: usize) {
        let stopped = self.consoles[node].take().unwrap().stop();
        assert!(stopped.success(), "{stopped}");
        self.consoles[node] = self.setup.start_console(node);
    }

    /// Panics if a node has exited.
    pub(crate) fn assert_running(&mut self) {
        self.clouds.iter_mut().flatten().for_each(Node::assert_running);
        self.consoles.iter_mut().flatten().for_each(Console::assert_running);
    }
}

async fn databases(postgres: &Postgres) -> [String; 2] {
    let mut server = PgConnection::connect(&format!("{}/postgres", postgres.url)).await.unwrap();
    for statement in ["create database cloud", "create database console"] {
        sqlx::query(statement).execute(&mut server).await.unwrap();
    }
    server.close().await.unwrap();
    ["cloud", "console"].map(|name| format!("{}/{name}", postgres.url))
}

/// `sillage demo load`.
fn load(build: &Build, folder: &Path, cloud: &str, console: &str) {
    let mut command = build.command();
    command.args(["demo", "load", "--devices", DEVICES, "--data"]).arg(folder);
    let output = command.args(["--cloud-database", cloud, "--console-database", console]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The diffusers of people, without the factory stock.
async fn registered(db: &Db) -> Vec<String> {
    let sql = "select d.dsn from device d join template t on t.id = d.template_id \
               where d.registered and t.name = 'diffuser' order by d.dsn";
    let rows: Vec<(String,)> = db.fetch_all(sql, params![]).await.unwrap();
    rows.into_iter().map(|(dsn,)| dsn).collect()
}

/// Waits for an event that must come within a limit, and prints how long it took.
#[expect(clippy::print_stdout, reason = "measured figures")]
pub(crate) async fn within<T>(limit: Duration, what: &str, event: impl Future<Output = T>) -> T {
    let begun = Instant::now();
    let happened = timeout(limit, event).await.unwrap_or_else(|_| panic!("{what}: not within {limit:?}"));
    println!("{what}: {:?}", begun.elapsed());
    happened
}

/// Polls until a condition holds, which must be within a limit.
pub(crate) async fn eventually(what: &str, limit: Duration, mut holds: impl AsyncFnMut() -> bool) {
    let polling = async {
        while !holds().await {
            sleep(Duration::from_millis(50)).await;
        }
    };
    within(limit, what, polling).await;
}
