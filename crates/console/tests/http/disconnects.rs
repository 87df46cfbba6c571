//! Browsers that disconnect at each step of a write (N-03).

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use cloud::testing::Fault;
use diffuser::Role;
use futures::FutureExt;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::authorisation;
use crate::browser::{Answer, Browser};
use crate::user_form::{access, role_and_csp};
use crate::world::*;

const PASS: Fault = Fault::Delay(Duration::ZERO);
/// More requests and statements than any write makes.
const MANY: usize = 150;
/// The tables of the console that writes use.
const TABLES: [&str; 5] = ["idempotency_keys", "sessions", "leases", "audit", "idx_"];
/// What the statements have by which lists in memory follow the index, in their own time.
const OF_LISTS: [&str; 2] = ["idx_changes", "runs_dry_falling"];
/// Marks the request whose connection can be cut.
const CUT: &str = "test-cut";

/// Cuts connections between browsers and the console.
#[derive(Clone, Default)]
pub(crate) struct Connections {
    cut: Arc<Notify>,
    dropped: Arc<Notify>,
}

impl Connections {
    /// Cuts the connection of the request with the header [`CUT`]. Returns when the server has dropped it.
    async fn cut(&self) {
        self.cut.notify_one();
        self.dropped.notified().await;
    }
}

/// A layer around the console.
pub(crate) async fn apply(State(connections): State<Connections>, request: Request, next: Next) -> Response {
    if !request.headers().contains_key(CUT) {
        return next.run(request).await;
    }
    // The future of the request is dropped before the second branch runs.
    tokio::select! {
        response = next.run(request) => response,
        () = connections.cut.notified() => {
            connections.dropped.notify_one();
            // Closes the socket without printing anything.
            std::panic::resume_unwind(Box::new("the connection was to be cut"))
        }
    }
}

/// A write and its key.
pub(crate) struct Write {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) body: Value,
    pub(crate) key: String,
}

impl Write {
    pub(crate) fn request(&self, browser: &Browser) -> reqwest::RequestBuilder {
        let request = browser.request(self.method.clone(), &self.path).header("idempotency-key", &self.key);
        if self.body.is_null() { request } else { request.json(&self.body) }
    }

    pub(crate) async fn send(&self, browser: &Browser) -> Answer {
        browser.clone().send(self.request(browser)).await
    }
}

/// Where connections are cut.
enum Steps {
    /// When a request arrives at the cloud.
    Requests,
    /// When a statement at the console's database ends.
    Statements(Statements),
}

/// The statements at the console's database, from the log of the database driver. Cuts a connection at one of them.
#[derive(Clone)]
struct Statements {
    connections: Connections,
    /// Statements until the cut; zero for none.
    remaining: Arc<AtomicUsize>,
    /// The statement at the cut.
    cut_at: Arc<Mutex<Option<String>>>,
}

impl Statements {
    fn of(world: &World) -> Self {
        let connections = world.connections.clone();
        let statements = Self { connections, remaining: Arc::default(), cut_at: Arc::default() };
        let log = statements.clone();
        let subscriber = tracing_subscriber::fmt().with_env_filter("sqlx::query=trace").with_ansi(false);
        subscriber.with_writer(move || log.clone()).init();
        statements
    }

    /// Cuts the connection at the statement with this number, counted from 0.
    fn cut_at(&self, number: usize) {
        *self.cut_at.lock().unwrap() = None;
        self.remaining.store(number + 1, Ordering::SeqCst);
    }

    /// The statement at which the connection was cut; `None` if there were fewer.
    fn stop(&self) -> Option<String> {
        self.remaining.store(0, Ordering::SeqCst);
        self.cut_at.lock().unwrap().take()
    }
}

impl io::Write for Statements {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        let has_one_of = |names: &[&str]| names.iter().any(|name| text.contains(name));
        if has_one_of(&TABLES) && !has_one_of(&OF_LISTS) {
            let count = |remaining: usize| remaining.checked_sub(1);
            if self.remaining.fetch_update(Ordering::SeqCst, Ordering::SeqCst, count) == Ok(1) {
                *self.cut_at.lock().unwrap() = Some(text.into_owned());
                self.connections.cut.notify_one();
            }
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Steps {
    /// Sends one write after the other, and cuts the connection of each at its next step, until a write has no further one.
    /// `write` creates a write, and `check` sees its response, each with the number of the write. Returns how many connections
    /// were cut, and how many writes there were.
    async fn cut_at_each(
        &self,
        world: &World,
        browser: &Browser,
        mut write: impl AsyncFnMut(usize) -> Write,
        mut check: impl AsyncFnMut(usize, Answer),
    ) -> (usize, usize) {
        let mut cuts = 0;
        for number in 0..MANY {
            let write = write(number).await;
            let sent = write.request(browser).header(CUT, "1").send();
            let (is_cut, is_last) = match self {
                Self::Requests => cut_at_request(world, number, sent).await,
                Self::Statements(statements) => statements.cut(number, sent).await,
            };
            cuts += usize::from(is_cut);
            // The first one waits for the write, which goes on without its browser.
            let [answer, again] = [write.send(browser).await, write.send(browser).await];
            assert_eq!((answer.status, &answer.body), (again.status, &again.body), "write {number}");
            assert!((200..300).contains(&answer.status), "write {number}: {}", answer.body);
            check(number, answer).await;
            if is_last {
                return (cuts, number + 1);
            }
        }
        panic!("a write has more than {MANY} steps");
    }
}

type Sent = reqwest::Result<reqwest::Response>;

/// Cuts the connection of the write when its request with this number arrives at the cloud. Returns whether it was cut, and
/// whether the write makes fewer requests.
async fn cut_at_request(
    world: &World,
    number: usize,
    sent: impl Future<Output = Sent> + Send + 'static,
) -> (bool, bool) {
    let faults = world.cloud.faults();
    (0..number).for_each(|_| faults.push(PASS));
    faults.push(Fault::Hold);
    let mut sent = tokio::spawn(sent);
    let is_held = tokio::select! {
        () = faults.held() => true,
        answer = &mut sent => {
            assert!(answer.unwrap().unwrap().status().is_success());
            false
        }
    };
    if is_held {
        world.connections.cut().await;
        assert!(sent.await.unwrap().is_err(), "the browser gets no response");
        faults.release();
    }
    let is_last = !is_held && faults.waiting() > 0;
    if !is_held && !is_last {
        // A request of the index was held instead.
        faults.held().await;
        faults.release();
    }
    faults.clear();
    (is_held, is_last)
}

impl Statements {
    /// As [`cut_at_request`], at the statement with this number.
    async fn cut(&self, number: usize, sent: impl Future<Output = Sent>) -> (bool, bool) {
        self.cut_at(number);
        let answer = sent.await;
        let cut_at = self.stop();
        match answer {
            Ok(answer) => {
                assert!(answer.status().is_success(), "{cut_at:?}");
                // The response was on its way already.
                let _ = self.connections.cut.notified().now_or_never();
                (false, cut_at.is_none())
            }
            Err(_) => {
                self.connections.dropped.notified().await;
                (true, false)
            }
        }
    }
}

/// How often a write was carried out, by the audit.
pub(crate) async fn writes(witness: &mut Browser, operation: &str, target: &str) -> usize {
    let answer = witness.get(&format!("/api/audit?operation={operation}&target={target}&limit=100")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let entries = answer.body["entries"].as_array().unwrap();
    assert!(entries.iter().all(|entry| entry["result"] == "done"), "{}", answer.body);
    entries.len()
}

/// Returns how many connections were cut.
async fn change_roles(world: &World, steps: &Steps) -> usize {
    let browser = world.signed_in(NORTH_ADMIN).await;
    let mut witness = world.signed_in(ADMIN).await;
    let cloud = world.cloud_as(ADMIN).await;
    let [guest, _] = world.guests().await;
    let role = |number: usize| [Role::CspObserver, Role::CspTech][number % 2];
    let write = async |number| Write {
        method: Method::PUT,
        path: format!("/api/users/{guest}"),
        body: json!({ "role": role(number).name(), "lastname": format!("Moss {number}") }),
        key: format!("role-{number}"),
    };
    let mut check_witness = witness.clone();
    let check = async |number, answer: Answer| {
        assert_eq!(answer.body["lastname"], format!("Moss {number}"));
        assert_eq!(access(&mut check_witness, &guest).await, role_and_csp(role(number), Some("North")));
        let held = cloud.roles().role_users(NORTH_GUEST).await.unwrap();
        assert_eq!(held.iter().map(|it| &*it.role).collect::<Vec<_>>(), [role(number).name()]);
    };
    let (cuts, all) = steps.cut_at_each(world, &browser, write, check).await;
    assert_eq!(writes(&mut witness, "update_user", &guest).await, all, "each once");
    cuts
}

#[tokio::test]
async fn role_change_is_completed_without_its_browser_at_each_step() {
    let cuts = change_roles(&World::start().await, &Steps::Requests).await;
    assert!(cuts >= 7, "it reads person and roles, and writes the name, two roles and two labels: {cuts}");
}

#[tokio::test]
async fn role_change_is_completed_without_its_browser_at_each_statement() {
    let world = World::start().await;
    let cuts = change_roles(&world, &Steps::Statements(Statements::of(&world))).await;
    assert!(
        cuts >= 10,
        "it claims key and lock, begins and ends the audit entry, ends sessions, writes the index: {cuts}"
    );
}

async fn add_devices(world: &World, steps: &Steps) -> usize {
    world.console.add_missing_fragrances(&[authorisation::fragrance()]).await.unwrap();
    let browser = world.signed_in(NORTH_TECH).await;
    let mut witness = world.signed_in(ADMIN).await;
    let dsn = |number: usize| format!("SC-CUT{number}");
    let stock: Vec<_> = (0..MANY).map(|number| stock(&dsn(number))).collect();
    world.cloud.operator().add_devices(&world.oem, &stock).await.unwrap();
    let write = async |number| {
        let mut body = authorisation::form(&dsn(number), "North", "Lobby");
        body["dsn"] = json!(dsn(number));
        Write { method: Method::POST, path: "/api/devices".to_owned(), body, key: format!("add-{number}") }
    };
    let check = async |number, answer: Answer| {
        assert_eq!(answer.body["dsn"], dsn(number));
        let page = browser.clone().device(&dsn(number)).await;
        let form = authorisation::form(&dsn(number), "North", "Lobby");
        for field in ["csp", "serialNumber", "systemConfiguration", "customer", "timeZone", "serviceArea", "city"] {
            assert_eq!(page[field], form[field], "{field}");
        }
        assert_eq!(writes(&mut witness, "create_device", &dsn(number)).await, 1);
    };
    steps.cut_at_each(world, &browser, write, check).await.0
}

#[tokio::test]
async fn device_is_added_without_its_browser_at_each_step() {
    let cuts = add_devices(&World::start().await, &Steps::Requests).await;
    assert!(cuts >= 6, "it reads the device, assigns it and writes its values: {cuts}");
}

#[tokio::test]
async fn device_is_added_without_its_browser_at_each_statement() {
    let world = World::start().await;
    let cuts = add_devices(&world, &Steps::Statements(Statements::of(&world))).await;
    assert!(cuts >= 8, "it claims key and lock, begins and ends the audit entry, and writes the index: {cuts}");
}

async fn change_settings(world: &World, steps: &Steps) -> usize {
    let browser = world.signed_in(NORTH_TECH).await;
    let mut witness = world.signed_in(ADMIN).await;
    let intensity = |number: usize| 21 + number % 60;
    let fan = |number: usize| 3 + number % 2;
    let write = async |number| Write {
        method: Method::PUT,
        path: format!("/api/devices/dsns/{NORTH}/settings"),
        body: json!({ "intensity": intensity(number), "fan": fan(number) }),
        key: format!("settings-{number}"),
    };
    let check = async |number, answer: Answer| {
        let page = browser.clone().device(NORTH).await;
        for device in [answer.body, page] {
            assert_eq!((&device["intensity"], &device["fan"]), (&json!(intensity(number)), &json!(fan(number))));
        }
    };
    let (cuts, all) = steps.cut_at_each(world, &browser, write, check).await;
    assert_eq!(writes(&mut witness, "update_device_settings", NORTH).await, all, "each once");
    cuts
}

#[tokio::test]
async fn settings_are_changed_without_their_browser_at_each_step() {
    let cuts = change_settings(&World::start().await, &Steps::Requests).await;
    assert!(cuts >= 4, "it reads the device twice, and writes two values: {cuts}");
}

#[tokio::test]
async fn settings_are_changed_without_their_browser_at_each_statement() {
    let world = World::start().await;
    let cuts = change_settings(&world, &Steps::Statements(Statements::of(&world))).await;
    assert!(cuts >= 8, "it claims key and lock, begins and ends the audit entry, and writes the index: {cuts}");
}

#[tokio::test]
async fn stopping_console_completes_a_write_without_its_browser() {
    let world = World::start().await;
    let stopping = world.another_console(|_| {}).await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let write = Write {
        method: Method::PUT,
        path: format!("/api/devices/dsns/{NORTH}/settings"),
        body: json!({ "intensity": 35, "fan": 4 }),
        key: "k".to_owned(),
    };
    [PASS, PASS, Fault::Hold].into_iter().for_each(|fault| world.cloud.faults().push(fault));
    let sent = tokio::spawn(write.request(&browser.at(stopping.addr())).header(CUT, "1").send());
    world.cloud.faults().held().await;
    world.connections.cut().await;
    assert!(sent.await.unwrap().is_err());
    let stopped = tokio::spawn(stopping.shutdown());
    world.cloud.faults().release();
    stopped.await.unwrap();
    assert_eq!(write.send(&browser).await.status, 200);
    let device = browser.device(NORTH).await;
    assert_eq!((&device["intensity"], &device["fan"]), (&json!(35), &json!(4)));
    let mut witness = world.signed_in(ADMIN).await;
    assert_eq!(writes(&mut witness, "update_device_settings", NORTH).await, 1);
}
