//! A fleet whose stream is cut 200 times while its devices report, with a fast and a slow reader of the changes.

use futures::channel::mpsc;
use futures::{FutureExt, SinkExt};

use super::*;
use crate::error::{Error, ErrorKind, Result};
use crate::live::{LiveStreamManager, LiveStreamState, Upstream};
use crate::model::{Dsn, Subscription, SubscriptionId};
use crate::session::BoxFuture;
use crate::stream::{Backoff, Connector, RECONNECT_DELAY, Socket, StreamHandle};

const CUTS: u64 = 200;
const DEVICES: u64 = 20;

/// A generator of numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// The cloud's end of the stream.
#[derive(Clone, Default)]
struct Wire(Arc<Mutex<WireState>>);

#[derive(Default)]
struct WireState {
    /// The open connection.
    frames: Option<mpsc::UnboundedSender<String>>,
    seq: u64,
    /// How many of the next handshakes fail.
    failures: u64,
}

impl Wire {
    fn send(&self, dsn: &str, value: i64, is_lost: bool) {
        let mut state = self.0.lock().unwrap();
        state.seq += 1;
        // Numbers may start anywhere, so that only a loss between two events can be detected.
        let is_lost = is_lost && state.seq > 1;
        let event = json!({
            "seq": state.seq.to_string(),
            "metadata": {"dsn": dsn, "event_type": "datapoint", "property_name": "intensity", "base_type": "integer"},
            "datapoint": {"value": value, "updated_at": time(value)},
        });
        let event = event.to_string();
        if let Some(frames) = state.frames.as_ref().filter(|_| !is_lost) {
            let _ = frames.unbounded_send(format!("{}|{event}", event.len()));
        }
    }

    /// Cuts the connection, if there is one; this many attempts to reconnect fail.
    fn cut(&self, failures: u64) -> bool {
        let mut state = self.0.lock().unwrap();
        state.failures = failures;
        state.frames.take().is_some()
    }
}

impl Connector for Wire {
    fn connect(&self) -> BoxFuture<'_, Result<Socket>> {
        let mut state = self.0.lock().unwrap();
        if state.failures > 0 {
            state.failures -= 1;
            return Box::pin(async { Err(Error::new(ErrorKind::Network, "no route")) });
        }
        let (frames, incoming) = mpsc::unbounded();
        (state.frames, state.seq) = (Some(frames), 0);
        let outgoing = futures::sink::drain().sink_map_err(|_| ());
        Box::pin(async { Ok(Socket { incoming: Box::pin(incoming), outgoing: Box::pin(outgoing) }) })
    }
}

impl Upstream for Wire {
    fn subscribe(&self, _: Vec<Dsn>) -> BoxFuture<'static, Result<Subscription>> {
        Box::pin(async { Ok(Subscription { id: "1".into(), ..Subscription::default() }) })
    }

    fn unsubscribe(&self, _: SubscriptionId) -> BoxFuture<'static, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    fn open(&self, _: &Subscription) -> StreamHandle {
        StreamHandle::start(Arc::new(self.clone()), Backoff { first: RECONNECT_DELAY, jitter: Jitter::fixed(0.5) })
    }
}

/// The values are numbers that rise with time.
fn time(value: i64) -> String {
    Time::from_unix_micros(1_800_000_000_000_000 + value * 1_000_000).to_string()
}

/// The values that each device has reported, in order.
type History = BTreeMap<String, Vec<i64>>;

struct Fleet {
    cloud: TestCloud,
    wire: Wire,
    numbers: Numbers,
    history: History,
    last: i64,
}

impl Fleet {
    fn new() -> Self {
        let dsns: Vec<_> = (0..DEVICES).map(|number| format!("D{number:02}")).collect();
        let interval = crate::DEFAULT_MANAGER_REQUEST_INTERVAL;
        let cloud = TestCloud::build(
            &dsns.iter().map(String::as_str).collect::<Vec<_>>(),
            |_| {},
            |client| client.manager_request_interval(interval),
        );
        let history = dsns.into_iter().map(|dsn| (dsn, vec![1])).collect();
        Self { cloud, wire: Wire::default(), numbers: Numbers(7), history, last: 1 }
    }

    /// A device reports a new value; some of the events are lost on the way.
    async fn report(&mut self) {
        let dsn = format!("D{:02}", self.numbers.below(DEVICES));
        self.last += 1;
        let value = self.last;
        self.history.get_mut(&dsn).unwrap().push(value);
        let property = json!({"name": "intensity", "key": 1, "value": value, "base_type": "integer", "data_updated_at": time(value)});
        self.cloud.state().devices.get_mut(&dsn).unwrap().1.insert("intensity".to_owned(), property);
        self.wire.send(&dsn, value, self.numbers.below(50) == 0);
        self.pass(20).await;
    }

    /// Up to this many milliseconds pass.
    async fn pass(&mut self, millis: u64) {
        tokio::time::sleep(Duration::from_millis(1 + self.numbers.below(millis))).await;
    }

    /// The last value of each device.
    fn values(&self) -> BTreeMap<String, i64> {
        self.history.iter().map(|(dsn, values)| (dsn.clone(), *values.last().unwrap())).collect()
    }
}

/// A reader that checks for each value whether it was informed about all values before it.
struct Reader {
    changes: FleetEvents,
    manager: DeviceManager,
    devices: BTreeMap<String, Known>,
    seen: usize,
    gaps: usize,
}

struct Known {
    value: i64,
    /// Up to this value, values may be missing, because of a gap.
    covered: i64,
    /// Whether every value must arrive: the device is live.
    is_complete: bool,
}

impl Reader {
    fn new(manager: &DeviceManager) -> Self {
        let mut reader =
            Self { changes: manager.changes(), manager: manager.clone(), devices: BTreeMap::new(), seen: 0, gaps: 0 };
        manager.devices().iter().for_each(|device| reader.read(device.dsn()));
        reader
    }

    fn read(&mut self, dsn: &Dsn) {
        let device = self.manager.device(dsn.clone()).unwrap();
        let value = device.property("intensity").unwrap().snapshot().unwrap().value.unwrap().as_i64().unwrap();
        let is_complete = matches!(device.freshness(), Freshness::Live);
        self.devices.insert(dsn.to_string(), Known { value, covered: value, is_complete });
    }

    /// Reads up to this many of the available events.
    fn take(&mut self, most: usize, history: &History) {
        for _ in 0..most {
            let Some(Some((dsn, event))) = self.changes.next().now_or_never() else { return };
            let known = self.devices.get_mut(dsn.as_str()).unwrap();
            match event {
                DeviceEvent::Changed(Change::Property { value, .. }) => {
                    let value = value.unwrap().as_i64().unwrap();
                    let values = &history[dsn.as_str()];
                    let before = values[values.binary_search(&value).unwrap() - 1];
                    let missed = known.is_complete && known.value != before && known.covered < before;
                    assert!(!missed, "{dsn}: {value} follows {} without {before} and without a gap", known.value);
                    known.value = value;
                    self.seen += 1;
                }
                DeviceEvent::Freshness(freshness) => known.is_complete = matches!(freshness, Freshness::Live),
                DeviceEvent::Gap => {
                    self.gaps += 1;
                    self.read(&dsn);
                }
                DeviceEvent::PollFailed(error) => assert_eq!(error.status(), Some(429)),
                other => panic!("{dsn}: {other:?}"),
            }
        }
    }

    fn values(&self) -> BTreeMap<String, i64> {
        self.devices.iter().map(|(dsn, known)| (dsn.clone(), known.value)).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn every_change_is_seen_or_a_gap_is_reported_over_200_cuts() {
    let mut fleet = Fleet::new();
    let manager = fleet.cloud.ready().await;
    let stream = LiveStreamManager::over(Arc::new(fleet.wire.clone()), Arc::new(manager.clone()), Jitter::fixed(0.5));
    let (mut fast, mut slow) = (Reader::new(&manager), Reader::new(&manager));
    let mut cuts = 0;
    while cuts < CUTS {
        for _ in 0..fleet.numbers.below(60) {
            fleet.report().await;
            fast.take(usize::MAX, &fleet.history);
        }
        let failures = fleet.numbers.below(3);
        cuts += u64::from(fleet.wire.cut(failures));
        for _ in 0..fleet.numbers.below(10) {
            fleet.report().await;
        }
        if fleet.numbers.below(5) == 0 {
            fleet.cloud.state().limit = Some(("/properties.json", "2"));
        }
        fleet.pass(30_000).await;
        fast.take(usize::MAX, &fleet.history);
        // The slow reader does not read at all, then reads less than arrives, so that its queue is full to the end.
        slow.take(if cuts < CUTS / 2 { 0 } else { 15 }, &fleet.history);
        if cuts % 10 == 0 {
            while stream.state() != LiveStreamState::Connected {
                tokio::time::sleep(SECOND).await;
            }
            tokio::time::sleep(10 * SECOND).await;
            fast.take(usize::MAX, &fleet.history);
            assert_eq!(fast.values(), fleet.values(), "after {cuts} cuts");
            assert!(manager.devices().iter().all(|device| matches!(device.freshness(), Freshness::Live)));
        }
    }
    slow.take(usize::MAX, &fleet.history);
    assert_eq!(slow.values(), fleet.values());
    assert_eq!(fast.values(), fleet.values());
    assert!(stream.gave_up().is_none());
    // Otherwise nothing was tested.
    let reported = usize::try_from(fleet.last).unwrap();
    let counts = format!("of {reported}: {} with {} gaps, {} with {} gaps", fast.seen, fast.gaps, slow.seen, slow.gaps);
    assert!(fast.seen < reported && fast.seen > reported / 2 && slow.seen < fast.seen, "{counts}");
    assert!(fast.gaps > 1000 && slow.gaps > 1000, "{counts}");
}
