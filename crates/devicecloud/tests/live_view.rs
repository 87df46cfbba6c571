//! The example `live_view` stays current under cuts, refreshes and restarts.
#![expect(clippy::unwrap_used, reason = "a failure in a helper fails the test")]

#[path = "../examples/file_token_store/store.rs"]
mod store;
#[expect(dead_code, reason = "the example uses the rest")]
#[path = "../examples/live_view/view.rs"]
mod view;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use devicecloud::testing::{Fault, MockCloud, MockRequest, events};
use devicecloud::{Client, Config, SubscriptionId, Time};
use serde_json::{Value, json};
use store::FileTokenStore;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use view::{Change, LiveView};

const DEVICES: usize = 200;
const CUTS: usize = 200;
/// Of the paused clock.
const HOUR: Duration = Duration::from_secs(3600);
const DEVICE_LIST: &str = "GET apiv1/devices.json";
const STREAM: &str = "GET stream";
const SUBSCRIPTIONS: &str = "POST api/v1/subscriptions";

/// The true levels of all devices, and when they were set.
#[derive(Clone)]
struct Fleet {
    cloud: MockCloud,
    levels: Arc<Mutex<Vec<(i64, Time)>>>,
}

impl Fleet {
    fn new(cloud: &MockCloud) -> Self {
        let levels = vec![(0, cloud.clock().now()); DEVICES];
        let fleet = Self { cloud: cloud.clone(), levels: Arc::new(Mutex::new(levels)) };
        let devices = fleet.clone();
        cloud.answer_with(DEVICE_LIST, move |request| (200, devices.page(request)));
        fleet
    }

    /// A page of 100 devices.
    fn page(&self, request: &MockRequest) -> Value {
        let number = |name: &str| request.query.iter().find_map(|one| one.strip_prefix(name)?.parse::<usize>().ok());
        let (page, per_page) = (number("page=").unwrap(), number("per_page=").unwrap());
        let levels = self.levels.lock().unwrap();
        let devices = levels.iter().enumerate().skip((page - 1) * per_page).take(per_page).map(|(n, (level, at))| {
            let property = json!({"name": "level", "base_type": "integer", "value": level, "data_updated_at": at});
            json!({"device": {"dsn": dsn(n), "connection_status": "Online", "properties": [{"property": property}]}})
        });
        let next = (page * per_page < DEVICES).then_some(page + 1);
        json!({"devices": devices.collect::<Vec<_>>(), "total": DEVICES, "next_page": next})
    }

    /// Sets a level and returns the event. Each change has its own time.
    fn set(&self, n: usize, level: i64) -> Value {
        self.cloud.clock().advance(Duration::from_secs(1));
        let at = self.cloud.clock().now();
        self.levels.lock().unwrap()[n] = (level, at);
        events::datapoint(&dsn(n), "level", level, true, at)
    }

    fn levels(&self) -> BTreeMap<String, i64> {
        self.levels.lock().unwrap().iter().enumerate().map(|(n, (level, _))| (dsn(n), *level)).collect()
    }
}

fn dsn(n: usize) -> String {
    format!("AC{n:013}")
}

/// What a user sees of the view.
struct Screen {
    changes: mpsc::UnboundedReceiver<Change>,
    levels: BTreeMap<String, i64>,
}

impl Screen {
    async fn until(&mut self, fits: impl Fn(&Change) -> bool) {
        loop {
            let change = tokio::time::timeout(HOUR, self.changes.recv()).await.expect("a change in time").unwrap();
            if let Change::Value(dsn, _, Some(value)) = &change {
                self.levels.insert(dsn.to_string(), value.as_i64().unwrap());
            }
            if fits(&change) {
                return;
            }
        }
    }

    async fn until_loaded(&mut self) {
        self.until(|change| *change == Change::Loaded(DEVICES)).await;
    }

    async fn until_level(&mut self, n: usize, level: i64) {
        self.until(|change| matches!(change, Change::Value(at, _, Some(value)) if *at == dsn(n).into() && *value == level.into()))
            .await;
    }
}

fn client(cloud: &MockCloud, folder: &Path) -> Client {
    let config = Config::local("https://cloud.test", "app", "secret").unwrap();
    let store = FileTokenStore::new(folder.join("tokens.json"));
    cloud.connect(Client::builder(config, Arc::new(store))).build().unwrap()
}

/// Starts the view as a new process would.
fn start(client: Client, subscription: Option<SubscriptionId>) -> (Screen, JoinHandle<devicecloud::Result<()>>) {
    let (sender, changes) = mpsc::unbounded_channel();
    let mut view = LiveView::new(client, subscription, move |change| sender.send(change).unwrap());
    let running = tokio::spawn(async move {
        let subscription = view.subscribe().await?;
        view.follow(&subscription).await
    });
    (Screen { changes, levels: BTreeMap::new() }, running)
}

#[tokio::test(start_paused = true)]
async fn live_view_of_200_devices_survives_200_cuts_with_refreshes_and_restarts() {
    let folder = tempfile::tempdir().unwrap();
    let cloud = MockCloud::new();
    let fleet = Fleet::new(&cloud);
    client(&cloud, folder.path()).sign_in("jo@example.com", &"correct horse".into()).await.unwrap();
    let (mut screen, mut running) = start(client(&cloud, folder.path()), None);
    screen.until_loaded().await;
    for cut in 0..CUTS {
        let (seen, missed) = (cut * 7 % DEVICES, (cut * 7 + 1) % DEVICES);
        let level = i64::try_from(cut).unwrap() + 1;
        cloud.publish(&fleet.set(seen, level));
        screen.until_level(seen, level).await;
        assert_eq!(screen.levels, fleet.levels(), "before cut {cut}");

        if cut % 3 == 0 {
            // All attempts of the first load after the cut fail.
            (0..3).for_each(|_| cloud.fault_once(DEVICE_LIST, Fault::Status(503)));
        }
        if cut % 5 == 0 {
            cloud.fault_once(STREAM, Fault::Cut);
        }
        cloud.cut_streams();
        let earlier = fleet.set(missed, -1);
        cloud.publish(&fleet.set(missed, level));
        if cut % 50 == 49 {
            running.abort();
            (screen, running) = start(client(&cloud, folder.path()), Some(51.into()));
        }
        screen.until_loaded().await;
        assert_eq!(screen.levels, fleet.levels(), "after cut {cut}");

        // An event that is older than the load changes nothing.
        cloud.publish(&earlier);
    }
    assert!(!running.is_finished());
    let count = |call: &str| cloud.requests().iter().filter(|request| request.is(call)).count();
    assert_eq!((count("POST users/sign_in.json"), count(SUBSCRIPTIONS)), (1, 1));
    assert!(count(STREAM) > CUTS, "{}", count(STREAM));
    assert!(count("POST users/refresh_token.json") > CUTS / 7);
}

#[tokio::test(start_paused = true)]
async fn gap_and_rejected_key_are_followed_by_a_complete_load() {
    let folder = tempfile::tempdir().unwrap();
    let cloud = MockCloud::new();
    let fleet = Fleet::new(&cloud);
    client(&cloud, folder.path()).sign_in("jo@example.com", &"correct horse".into()).await.unwrap();
    let (mut screen, running) = start(client(&cloud, folder.path()), None);
    screen.until_loaded().await;
    cloud.publish(&fleet.set(5, 50));
    fleet.set(3, 30);
    cloud.lose_event();
    cloud.publish(&fleet.set(4, 40));
    screen.until_loaded().await;
    assert_eq!(screen.levels, fleet.levels());

    cloud.fault(STREAM, Fault::Status(401));
    cloud.cut_streams();
    running.await.unwrap().unwrap();
    cloud.clear_faults();
    cloud.answer("GET api/v1/subscriptions/{id}", 404, json!({"error": "Not found"}));
    let (mut screen, running) = start(client(&cloud, folder.path()), Some(51.into()));
    screen.until_loaded().await;
    assert_eq!(screen.levels, fleet.levels());
    assert_eq!(cloud.requests().iter().filter(|request| request.is(SUBSCRIPTIONS)).count(), 2);
    running.abort();
}
