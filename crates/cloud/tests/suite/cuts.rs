//! A stream that breaks repeatedly while devices report, read through the client library: no reader keeps a stale
//! value.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cloud::testing::{APP_ID, APP_SECRET, FlakyProxy, PASSWORD, TestCloud, TestDevice, World};
use devicecloud::manager::SessionManager;
use devicecloud::{
    Client, Config, Dsn, Endpoints, MemoryTokenStore, PropertyValue, Service, ServiceLocation, StreamEvent,
    StreamHandle, SystemSettings,
};
use futures::future::join_all;
use platform::run::random::Random;
use platform::testing::{PATIENCE, pause};
use serde_json::json;
use tokio::task::JoinHandle;
use tokio::time::{interval, timeout};
use tokio_util::sync::CancellationToken;

const DEVICES: [&str; 4] = ["DEV-A1", "DEV-A2", "DEV-B1", "DEV-U1"];
/// 500 updates a second, from all devices together.
const PACE: Duration = Duration::from_millis(8);
/// Most connections carry the handshake and a few events; some break during the handshake.
const LONGEST: u64 = 6_000;
const RECONNECT: Duration = Duration::from_millis(5);

/// The number of cuts; `make torture` sets a larger one.
fn cuts() -> usize {
    std::env::var("SILLAGE_CUTS").map_or(200, |cuts| cuts.parse().unwrap())
}

/// Reports until `stop` is cancelled: each property in turn, with a new value each time.
async fn report(device: TestDevice, reported: Arc<AtomicUsize>, stop: CancellationToken) -> TestDevice {
    let mut pace = interval(PACE);
    for n in 0.. {
        if stop.is_cancelled() {
            break;
        }
        pace.tick().await;
        let value = match n % 4 {
            0 => ("fan", json!(n)),
            1 => ("hours", json!(f64::from(n) / 4.0)),
            2 => ("note", json!(format!("at {n}"))),
            _ => ("lamp", json!(n / 4 % 2)),
        };
        device.report(&[value]).await;
        reported.fetch_add(1, Ordering::SeqCst);
    }
    device
}

type Values = BTreeMap<(Dsn, String), Option<PropertyValue>>;

/// A reader that applies the events of the stream, and reads all values again after a gap.
struct Owner {
    client: Client,
    stream: StreamHandle,
    values: Values,
    open: bool,
    events: usize,
    reconnects: usize,
}

/// The outcome of one stream event.
#[derive(PartialEq)]
enum StreamStep {
    Value(Dsn, Option<PropertyValue>),
    /// Events were missed; all values were read again, or are read after the next connect.
    Missed,
}

impl Owner {
    async fn new(cloud: &TestCloud, wire: &FlakyProxy) -> Self {
        let client = |url: &str| {
            let config = Config::local(url, APP_ID, APP_SECRET).unwrap();
            let client = Client::builder(config, Arc::new(MemoryTokenStore::new()));
            client.reconnect_delay(RECONNECT).build().unwrap()
        };
        let calls = client(&cloud.url());
        calls.sign_in(World::ADMIN, &PASSWORD.into()).await.unwrap();
        let subscription = calls.subscriptions().create().send().await.unwrap();
        let stream = client(&wire.url()).stream(&subscription);
        Self { client: calls, stream, values: Values::new(), open: false, events: 0, reconnects: 0 }
    }

    async fn step(&mut self) -> StreamStep {
        match self.stream.next().await.expect("the stream goes on") {
            StreamEvent::Connected => {
                assert!(!self.open, "connected twice");
                self.open = true;
                self.values = read(&self.client).await;
                StreamStep::Missed
            }
            StreamEvent::Disconnected => {
                assert!(self.open, "a stream that was not open is lost");
                self.open = false;
                self.reconnects += 1;
                StreamStep::Missed
            }
            StreamEvent::ConnectFailed(_) => {
                assert!(!self.open, "a stream that is open cannot fail to connect");
                StreamStep::Missed
            }
            StreamEvent::Gap => {
                self.values = read(&self.client).await;
                StreamStep::Missed
            }
            StreamEvent::Datapoint(event) => {
                assert!(self.open, "an event of a lost stream");
                self.events += 1;
                self.values.insert((event.dsn.clone(), event.property), event.datapoint.value.clone());
                StreamStep::Value(event.dsn, event.datapoint.value)
            }
            other => panic!("{other:?}"),
        }
    }

    /// Follows the stream until each device has reported this text. Returns `false` if events were missed meanwhile.
    async fn receives_from_all(&mut self, text: &str) -> bool {
        let mut silent = BTreeSet::from(DEVICES);
        while !silent.is_empty() {
            match self.step().await {
                StreamStep::Value(dsn, value) if value == Some(text.into()) => silent.remove(dsn.as_str()),
                StreamStep::Value(..) => continue,
                StreamStep::Missed => return false,
            };
        }
        true
    }
}

async fn read(client: &Client) -> Values {
    let mut values = Values::new();
    for dsn in DEVICES {
        for property in client.properties().list(dsn).send().await.unwrap() {
            values.insert((dsn.into(), property.name), property.value);
        }
    }
    values
}

/// Devices that report until the load ends.
struct Load {
    reporters: Vec<JoinHandle<TestDevice>>,
    reported: Arc<AtomicUsize>,
    stop: CancellationToken,
}

impl Load {
    async fn start(cloud: &TestCloud) -> Self {
        let (reported, stop) = (Arc::<AtomicUsize>::default(), CancellationToken::new());
        let mut reporters = Vec::new();
        for dsn in DEVICES {
            let device = cloud.device(dsn).await;
            reporters.push(tokio::spawn(report(device, reported.clone(), stop.clone())));
        }
        Self { reporters, reported, stop }
    }

    /// Stops the devices. Returns them and the number of updates.
    async fn end(self) -> (Vec<TestDevice>, usize) {
        self.stop.cancel();
        let devices = join_all(self.reporters).await.into_iter().map(Result::unwrap).collect();
        (devices, self.reported.load(Ordering::SeqCst))
    }
}

/// A proxy that cuts the first `cuts` connections after a random number of bytes.
async fn breaking_wire(cloud: &TestCloud, cuts: usize) -> FlakyProxy {
    let (random, mut connections) = (Random::seeded(7), 0);
    let holds = move || {
        connections += 1;
        (connections <= cuts).then(|| random.below(LONGEST))
    };
    FlakyProxy::to(cloud.http_addr(), holds).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stream_cut_200_times_leaves_no_stale_value() {
    let cuts = cuts();
    let cloud = TestCloud::start().await;
    cloud.seed().await;
    let wire = breaking_wire(&cloud, cuts).await;
    let mut owner = Owner::new(&cloud, &wire).await;
    let load = Load::start(&cloud).await;
    while wire.breaks() < cuts {
        owner.step().await;
    }
    let (devices, reported) = load.end().await;

    // The test ends after a round in which the last report of each device arrives and no event is missed.
    for round in 0.. {
        let text = format!("the end {round}");
        for device in &devices {
            device.report(&[("note", json!(text))]).await;
        }
        if owner.receives_from_all(&text).await {
            break;
        }
    }
    assert_eq!(owner.values, read(&owner.client).await);
    assert!(owner.reconnects > cuts * 3 / 4, "{} of {cuts} cuts hit an open stream", owner.reconnects);
    assert!(owner.events < reported, "the cuts lost nothing of {reported} updates, so nothing was tested");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stream_cut_200_times_leaves_no_stale_value_in_a_session() {
    let cuts = cuts();
    let cloud = TestCloud::start().await;
    cloud.seed().await;
    let wire = breaking_wire(&cloud, cuts).await;
    let mut settings = SystemSettings::new(APP_ID, APP_SECRET);
    settings.service_location = ServiceLocation::Local;
    let mut endpoints = Endpoints::local(&cloud.url()).unwrap();
    let (local, environment) = (ServiceLocation::Local, settings.service_type);
    endpoints.set(Service::Stream, local, environment, &format!("{}/stream/", wire.url())).unwrap();
    let client = Client::builder(Config::new(settings, endpoints).unwrap(), Arc::new(MemoryTokenStore::new()));
    let client = client.reconnect_delay(RECONNECT).build().unwrap();
    let session = SessionManager::sign_in(&client, World::ADMIN, &PASSWORD.into()).await.unwrap();
    let manager = session.device_manager();
    manager.ready().await.unwrap();

    let load = Load::start(&cloud).await;
    let mut states = session.live_stream().unwrap().states();
    while wire.breaks() < cuts {
        states.next().await.unwrap();
    }
    for device in load.end().await.0 {
        device.report(&[("note", json!("the end"))]).await;
    }
    let cloud_has = read(&client).await;
    let known = || -> Values {
        let devices = DEVICES.iter().map(|dsn| manager.device(*dsn).unwrap());
        let properties = devices.flat_map(|device| {
            device
                .properties()
                .into_iter()
                .filter_map(|property| property.snapshot())
                .map(move |property| ((device.dsn().clone(), property.name), property.value))
                .collect::<Vec<_>>()
        });
        properties.collect()
    };
    let settled = async {
        while known() != cloud_has {
            pause().await;
        }
    };
    if timeout(PATIENCE, settled).await.is_err() {
        assert_eq!(known(), cloud_has);
    }
    assert!(
        manager.devices().iter().all(|device| !device.is_polling()),
        "the stream delivers the values, without polls"
    );
    session.shut_down().await.unwrap();
}
