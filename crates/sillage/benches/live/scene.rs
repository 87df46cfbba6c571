//! A fleet in a cloud, a console in front of it, and people who are signed in.

use std::time::Duration;

use cloud::PasswordCost;
use cloud::operator::{NewUser, Operator};
use diffuser::properties;
use platform::run::clock::Clock;
use platform::run::random::Random;
use platform::testing::TestDb;
use reqwest::header::{COOKIE, ORIGIN, SET_COOKIE};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::console::Console;
use crate::fleet;
use crate::node::{Device, Node};

/// The number of event streams, and of devices that report.
pub(crate) const READERS: usize = 1_000;
/// The streams of a person stay below the limit of the console, also while earlier ones are being closed.
const PEOPLE: usize = 50;
const PASSWORD: &str = "Correct-Horse-1";

pub(crate) struct Scene {
    pub(crate) node: Node,
    pub(crate) console: Console,
    /// One of each person.
    cookies: Vec<String>,
    _databases: [TestDb; 2],
    _folder: TempDir,
}

impl Scene {
    /// Starts cloud and console and waits until the index is filled.
    pub(crate) async fn start(devices: usize) -> Self {
        let (cloud, index, folder) = (TestDb::sqlite().await, TestDb::sqlite().await, tempfile::tempdir().unwrap());
        let access = fleet::load(&cloud, devices).await;
        add_people(&cloud).await;
        let node = Node::start(&cloud.url, folder.path()).await;
        let console = Console::start(&index.url, &node.url, &access, folder.path(), "console");
        let http = reqwest::Client::new();
        let mut cookies = Vec::new();
        for person in 0..PEOPLE {
            cookies.push(sign_in(&http, console.url(), &email(person)).await);
        }
        let scene = Self { node, console, cookies, _databases: [cloud, index], _folder: folder };
        while scene.total(&http).await != Some(devices as u64) {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        scene
    }

    /// The session of a reader.
    pub(crate) fn cookie(&self, reader: usize) -> &str {
        &self.cookies[reader % PEOPLE]
    }

    pub(crate) async fn connect(&self, device: usize) -> Device {
        Device::sign_in(self.node.link, &dsn(device), &format!("{device:064x}")).await.unwrap().unwrap()
    }

    /// The number of indexed devices; `None` until the index is filled.
    async fn total(&self, http: &reqwest::Client) -> Option<u64> {
        let request = http.get(format!("{}/api/devices/counts", self.console.url())).header(COOKIE, self.cookie(0));
        let counts: Value = request.send().await.unwrap().json().await.unwrap();
        counts["all"].as_u64()
    }
}

/// The serial number of a device of the fleet.
pub(crate) fn dsn(device: usize) -> String {
    format!("AC000W{device:09}")
}

/// The device that an event is about.
pub(crate) fn device(event: &str) -> usize {
    let dsn = event.split(r#""dsn":"AC000W"#).nth(1).unwrap();
    dsn[..9].parse().unwrap()
}

/// A report of settings, which no list is sorted by.
pub(crate) fn settings(number: usize) -> Vec<u8> {
    report([
        (properties::INTENSITY, number % 50 + 1),
        (properties::FAN, number % 6),
        (properties::CYCLE, number % 3 + 1),
    ])
}

/// A report of one setting.
pub(crate) fn intensity(number: usize) -> Vec<u8> {
    report([(properties::INTENSITY, number % 50 + 1)])
}

/// What an event contains that shows the intensity of a report.
pub(crate) fn shown(number: usize) -> String {
    format!(r#""intensity":{},"#, number % 50 + 1)
}

/// A report of a level, which lists are sorted by.
pub(crate) fn level(number: usize) -> Vec<u8> {
    report([(properties::FRAGRANCE_REMAINING, number % 100)])
}

fn report<const N: usize>(values: [(&str, usize); N]) -> Vec<u8> {
    let values: Map<String, Value> = values.map(|(name, value)| (name.to_owned(), json!(value))).into_iter().collect();
    json!({ "properties": values }).to_string().into_bytes()
}

fn email(person: usize) -> String {
    format!("person{person}@example.com")
}

async fn add_people(cloud: &TestDb) {
    let cost = PasswordCost { memory_kib: 8, passes: 1, lanes: 1 };
    let operator = Operator::new(cloud.db.clone(), Clock::system(), Random::system(), cost).unwrap();
    let oem = operator.ensure_oem("Bench").await.unwrap();
    for person in 0..PEOPLE {
        let user = NewUser {
            email: email(person),
            password: PASSWORD.into(),
            role: Some(diffuser::Role::Admin.name().to_owned()),
            confirmed: true,
            ..NewUser::default()
        };
        operator.ensure_user(&oem, &user).await.unwrap();
    }
}

async fn sign_in(http: &reqwest::Client, console: &str, email: &str) -> String {
    let body = json!({ "email": email, "password": PASSWORD });
    let request = http.post(format!("{console}/api/session")).header(ORIGIN, console).json(&body);
    let answer = request.send().await.unwrap().error_for_status().unwrap();
    answer.headers()[SET_COOKIE].to_str().unwrap().split(';').next().unwrap().to_owned()
}
