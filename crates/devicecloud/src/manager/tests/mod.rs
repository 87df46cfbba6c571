//! Tests of the session manager against a mock cloud, by subject.

mod acks;
mod calls;
mod cancellation;
mod changes;
mod convergence;
mod cuts;
mod fleet;
mod lists;
mod pace;
mod polls;
mod sessions;
mod starting;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::*;
use crate::client::{Client, ClientBuilder};
use crate::clock::{Clock, Jitter};
use crate::config::endpoints::{Endpoints, ServiceLocation};
use crate::config::{Config, SystemSettings};
use crate::http::testing::{Reply, ScriptedTransport, SentRequest};
use crate::model::Time;
use crate::session::{AuthProvider, Authorization, MemoryTokenStore};

const NOW: &str = "2026-11-20T10:00:00Z";
const SECOND: Duration = Duration::from_secs(1);
const LIST: &str = "apiv1/devices.json";

/// A small fake cloud with configurable responses, and a client of it.
#[derive(Clone)]
struct TestCloud {
    state: Arc<Mutex<CloudState>>,
    script: ScriptedTransport,
    client: Client,
    store: MemoryTokenStore,
    clock: Clock,
}

#[derive(Default)]
struct CloudState {
    /// The devices of the list, with their properties.
    devices: BTreeMap<String, (Value, BTreeMap<String, Value>)>,
    /// Devices outside the list, readable only by serial number.
    unlisted: BTreeMap<String, (Value, BTreeMap<String, Value>)>,
    /// Overriding replies by a part of the URL: used one by one, repeating the last.
    overrides: Vec<(&'static str, VecDeque<Reply>)>,
    /// The lists of devices that were read.
    lists: Vec<Vec<Value>>,
    /// When the requests arrived.
    times: Vec<Instant>,
    /// Answers the next request with this part in its URL with 429 and this `Retry-After`.
    limit: Option<(&'static str, &'static str)>,
}

impl CloudState {
    fn reply(&mut self, request: &SentRequest) -> Reply {
        self.times.push(Instant::now());
        let path = request.url.trim_start_matches("https://cloud.test/");
        if let Some((_, retry_after)) = self.limit.take_if(|(part, _)| path.contains(*part)) {
            return Reply::RetryAfter(429, retry_after);
        }
        if let Some((_, replies)) = self.overrides.iter_mut().find(|(part, _)| path.contains(*part)) {
            return if replies.len() > 1 { replies.pop_front().unwrap() } else { replies[0].clone() };
        }
        if path == "user/users/refresh_token.json" {
            return Reply::Status(200, tokens("refreshed"));
        }
        if path == "user/users/sign_in.json" {
            return Reply::Status(200, tokens("signed-in"));
        }
        if path == "user/users/sign_out.json" {
            return Reply::Status(200, json!({"logout": true}));
        }
        if path == "device/apiv1/devices.json" {
            self.lists.push(self.devices.values().map(|(device, _)| device.clone()).collect());
            let devices: Vec<_> = self.devices.values().map(|(device, _)| json!({"device": device})).collect();
            return Reply::Status(200, devices.into());
        }
        let dsn = path.trim_start_matches("device/apiv1/dsns/").split(['/', '?']).next().unwrap();
        let Some((device, properties)) = self.devices.get(dsn).or_else(|| self.unlisted.get(dsn)) else {
            return Reply::Status(404, json!({"error": "not here"}));
        };
        if path.contains("/properties.json") {
            let properties = properties.values().map(|property| json!({"property": property}));
            return Reply::Status(200, properties.collect());
        }
        Reply::Status(200, json!({"device": device}))
    }

    fn set(&mut self, dsn: &str, property: &str, value: impl Into<Value>) {
        self.put(dsn, json!({"name": property, "key": 1, "value": value.into()}));
    }

    /// Adds or replaces a property.
    fn put(&mut self, dsn: &str, property: Value) {
        let (_, properties) = self.devices.get_mut(dsn).unwrap();
        properties.insert(property["name"].as_str().unwrap().to_owned(), property);
    }
}

fn device(dsn: &str) -> Value {
    json!({"dsn": dsn, "key": 40, "connection_status": "Online", "product_name": dsn})
}

fn tokens(access: &str) -> Value {
    json!({"access_token": access, "refresh_token": format!("{access}-refresh"), "expires_in": 86400, "role": "EndUser"})
}

impl TestCloud {
    /// Each device has one property, `intensity`, with the value 1.
    fn with(dsns: &[&str]) -> Self {
        Self::with_settings(dsns, |_| {})
    }

    /// Without a live data stream, unless enabled in the settings.
    fn with_settings(dsns: &[&str], change: impl FnOnce(&mut SystemSettings)) -> Self {
        Self::build(dsns, change, |client| client)
    }

    fn with_auth(dsns: &[&str], auth: Arc<dyn AuthProvider>) -> Self {
        Self::build(dsns, |_| {}, |client| client.auth_provider(auth))
    }

    fn build(
        dsns: &[&str],
        change: impl FnOnce(&mut SystemSettings),
        options: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Self {
        let state = Arc::new(Mutex::new(CloudState::default()));
        for dsn in dsns {
            let mut state = state.lock().unwrap();
            state.devices.insert((*dsn).to_owned(), (device(dsn), BTreeMap::new()));
            state.set(dsn, "intensity", 1);
        }
        let script = ScriptedTransport::from_fn({
            let state = Arc::clone(&state);
            move |request, _| state.lock().unwrap().reply(request)
        });
        let clock = Clock::mock(NOW.parse().unwrap());
        let store = MemoryTokenStore::with(authorization());
        let mut settings = SystemSettings::new("app", "app-secret");
        settings.service_location = ServiceLocation::Local;
        settings.allow_dss = false;
        change(&mut settings);
        let config = Config::new(settings, Endpoints::local("https://cloud.test").unwrap()).unwrap();
        let client = Client::builder(config, Arc::new(store.clone())).clock(clock.clone()).jitter(Jitter::fixed(1.0));
        // The default is tested in `pace` and `cuts`.
        let client =
            options(client.manager_request_interval(Duration::ZERO)).build_over(Box::new(script.clone())).unwrap();
        Self { state, script, client, store, clock }
    }

    fn state(&self) -> MutexGuard<'_, CloudState> {
        self.state.lock().unwrap()
    }

    fn reply_with(&self, part: &'static str, reply: Reply) {
        self.in_turn(part, [reply]);
    }

    fn in_turn(&self, part: &'static str, replies: impl IntoIterator<Item = Reply>) {
        self.state().overrides.insert(0, (part, replies.into_iter().collect()));
    }

    /// A started manager that is ready.
    async fn ready(&self) -> DeviceManager {
        let manager = DeviceManager::new(&self.client);
        manager.start(true);
        manager.ready().await.unwrap();
        manager
    }

    /// The paths of the requests so far.
    fn paths(&self) -> Vec<String> {
        self.script.seen().into_iter().map(|seen| seen.url.replace("https://cloud.test/device/", "")).collect()
    }

    fn count(&self, part: &str) -> usize {
        self.script.count(part)
    }
}

fn authorization() -> Authorization {
    Authorization {
        access_token: "access".into(),
        refresh_token: "refresh".into(),
        expires_in_secs: 86_400,
        role: None,
        created_at: NOW.parse::<Time>().unwrap(),
    }
}

/// Yields until all tasks are idle.
async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

async fn next(events: &mut DeviceManagerEvents) -> DeviceManagerEvent {
    tokio::time::timeout(100 * SECOND, events.next()).await.expect("an event").expect("a manager")
}

async fn next_of(events: &mut DeviceEvents) -> DeviceEvent {
    tokio::time::timeout(100 * SECOND, events.next()).await.expect("an event").expect("a device")
}

/// The next failure; skips other events.
async fn next_failure(events: &mut DeviceEvents) -> crate::Error {
    loop {
        if let DeviceEvent::PollFailed(error) = next_of(events).await {
            return error;
        }
    }
}

/// The events that are available now.
async fn received(events: &mut DeviceEvents) -> Vec<DeviceEvent> {
    let mut all = Vec::new();
    while let Ok(Some(event)) = tokio::time::timeout(Duration::from_millis(1), events.next()).await {
        all.push(event);
    }
    all
}

/// Captured log output.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl tracing_subscriber::fmt::MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}
