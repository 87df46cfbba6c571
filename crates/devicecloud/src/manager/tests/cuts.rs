//! A fleet whose stream is cut 200 times while everything in it changes, with a fast and a slow reader of the changes.
//!
//! - Each value, state of a command, acknowledgement and connection status that the stream sends is an event, or covered by
//!   a gap. So is each state of the list of devices that a read finds, and each list that the application reads.
//! - What only reads contain, such as the value after a command has failed, may be replaced before it is read. Each state
//!   that the manager has is an event, and at each tenth cut the manager has those of the cloud.
//! - The slow reader gets the events of the fast one in the same order, with a gap in place of those that it lost.

use std::collections::BTreeSet;

use futures::channel::mpsc;
use futures::{FutureExt, SinkExt};

use super::*;
use crate::error::{Error, ErrorKind, Result};
use crate::live::{LiveStreamManager, LiveStreamState, Upstream};
use crate::model::{
    Command, Datum, Device, Dsn, Notification, Property, PropertyValue, RoleLabel, Subscription, SubscriptionId, read,
};
use crate::session::BoxFuture;
use crate::stream::{Backoff, Connector, RECONNECT_DELAY, Socket, StreamHandle};

/// For each seed.
const CUTS: u64 = 100;
/// Devices that are always listed, and devices that come and go.
const DEVICES: u64 = 20;
const GUESTS: u64 = 3;
const SEEDS: [u64; 2] = [7, 20_261_128];

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
    fn send(&self, mut event: Value, is_lost: bool) {
        let mut state = self.0.lock().unwrap();
        state.seq += 1;
        // Numbers may start anywhere, so that only a loss between two events can be detected.
        let is_lost = is_lost && state.seq > 1;
        event["seq"] = json!(state.seq.to_string());
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

/// Everything that is known of a device, as texts by name.
type Facets = BTreeMap<String, String>;

fn device_facets(device: &Device) -> Facets {
    let Device { connection_status, product_name, lat, .. } = device;
    Facets::from([
        ("connectionStatus".to_owned(), connection_status.as_str().to_owned()),
        ("productName".to_owned(), format!("{product_name:?}")),
        ("lat".to_owned(), format!("{lat:?}")),
    ])
}

fn property_facets(property: &Property) -> Facets {
    let text = |value: &Option<PropertyValue>| value.as_ref().map_or_else(String::new, ToString::to_string);
    let command = |command: &Command| format!("{} {}", command.id, command.state.as_str());
    let facets = [
        ("value", text(&property.value)),
        ("metadata", format!("{:?}", property.metadata)),
        ("reportedValue", text(&property.reported_value)),
        ("ackedAt", property.acked_at.map_or_else(String::new, |at| at.to_string())),
        ("ackStatus", property.ack_status.to_string()),
        ("command", property.command.as_ref().map_or_else(String::new, command)),
    ];
    facets.into_iter().map(|(name, text)| (format!("{}.{name}", property.name), text)).collect()
}

/// What the manager knows of a device.
fn known_facets(device: &ManagedDevice) -> Facets {
    let mut facets = device_facets(&device.snapshot());
    let properties = device.properties();
    facets.extend(properties.iter().flat_map(|property| property_facets(&property.snapshot().unwrap())));
    facets.insert("data".to_owned(), device.datums().iter().map(|Datum { key, .. }| key.clone()).collect());
    let labels = device.role_labels();
    facets.insert("roleLabels".to_owned(), labels.iter().map(|RoleLabel { id, .. }| id.to_string()).collect());
    let notifications = device.notifications();
    let ids = notifications.iter().map(|Notification { id, .. }| id.to_string()).collect();
    facets.insert("notifications".to_owned(), ids);
    facets
}

/// What the manager knows of that part of a device which has changed.
fn changed_facets(device: &ManagedDevice, change: &Change) -> Facets {
    match change {
        Change::Field(_) => device_facets(&device.snapshot()),
        Change::List { .. } => known_facets(device),
        Change::Property { name, .. } => {
            device.property(name).map_or_else(Facets::new, |property| property_facets(&property.snapshot().unwrap()))
        }
    }
}

/// Facets that arrive by reads of lists, whether or not the device is live.
const LISTED: [&str; 5] = ["productName", "lat", "data", "roleLabels", "notifications"];

/// The states that the stream has sent or lost, and those that reads of lists have found, in order, by device and facet.
type History = BTreeMap<(String, String), Vec<String>>;

struct Fleet {
    cloud: TestCloud,
    wire: Wire,
    numbers: Numbers,
    history: History,
    last: i64,
    /// How many changes of each kind there were.
    kinds: BTreeMap<&'static str, usize>,
    /// Which devices have appeared in the lists that were read, and disappeared from them, by device.
    listed: BTreeMap<String, Vec<&'static str>>,
    present: BTreeSet<String>,
    /// The guests that are not listed.
    away: BTreeMap<String, (Value, BTreeMap<String, Value>)>,
}

impl Fleet {
    fn new(seed: u64) -> Self {
        let dsns: Vec<_> = (0..DEVICES + GUESTS).map(|number| format!("D{number:02}")).collect();
        let interval = crate::DEFAULT_MANAGER_REQUEST_INTERVAL;
        let cloud = TestCloud::build(
            &dsns.iter().map(String::as_str).collect::<Vec<_>>(),
            |_| {},
            |client| client.manager_request_interval(interval),
        );
        let history = dsns.iter().map(|dsn| ((dsn.clone(), "intensity.value".to_owned()), vec!["1".to_owned()]));
        let history = history.collect();
        let (numbers, kinds, away) = (Numbers(seed), BTreeMap::new(), BTreeMap::new());
        let (listed, present) = (BTreeMap::new(), dsns.into_iter().collect());
        Self { cloud, wire: Wire::default(), numbers, history, last: 1, kinds, listed, present, away }
    }

    /// Records what the lists contain that were read since the last time.
    fn record_lists(&mut self) {
        let lists = std::mem::take(&mut self.cloud.state().lists);
        for list in lists {
            let devices: Vec<Device> = list.iter().map(|body| read::one(body).unwrap()).collect();
            let present: BTreeSet<_> = devices.iter().map(|device| device.dsn.to_string()).collect();
            let both = [("added", present.difference(&self.present)), ("removed", self.present.difference(&present))];
            for (kind, dsns) in both {
                dsns.for_each(|dsn| self.listed.entry(dsn.clone()).or_default().push(kind));
            }
            self.present = present;
            for device in devices {
                let facets = device_facets(&device).into_iter().filter(|(name, _)| LISTED.contains(&&**name));
                for (name, state) in facets {
                    let states = self.history.entry((device.dsn.to_string(), name)).or_default();
                    if states.last() != Some(&state) {
                        states.push(state);
                    }
                }
            }
        }
    }

    /// Something changes; some of the events are lost on the way. Returns the device.
    async fn change(&mut self, manager: &DeviceManager) -> String {
        self.last += 1;
        let dsns: Vec<_> = self.cloud.state().devices.keys().cloned().collect();
        let dsn = dsns[usize::try_from(self.numbers.below(dsns.len() as u64)).unwrap()].clone();
        let kind = match self.numbers.below(40) {
            0..=14 => self.report(&dsn, "intensity"),
            // A property that the device may not have had before.
            15 => {
                let name = format!("p{}", self.numbers.below(3));
                self.report(&dsn, &name);
                "new property"
            }
            16..=19 => self.report(&dsn, "level"),
            20..=24 => self.command(&dsn),
            25..=29 => self.answer(&dsn),
            30..=34 => self.connect(&dsn),
            35 => self.describe(&dsn, "product_name", "rename"),
            36 => self.describe(&dsn, "lat", "move"),
            37 => self.come_or_go(),
            _ => self.read_lists(&dsn, manager).await,
        };
        *self.kinds.entry(kind).or_default() += 1;
        self.pass(20).await;
        dsn
    }

    /// Up to this many milliseconds pass.
    async fn pass(&mut self, millis: u64) {
        tokio::time::sleep(Duration::from_millis(1 + self.numbers.below(millis))).await;
        self.record_lists();
    }

    /// Changes a property in the cloud.
    fn update(&self, dsn: &str, name: &str, update: impl FnOnce(&mut Value)) {
        let mut cloud = self.cloud.state();
        let new = || json!({"name": name, "key": 1, "base_type": "integer", "value": null});
        let property = cloud.devices.get_mut(dsn).unwrap().1.entry(name.to_owned()).or_insert_with(new);
        update(property);
    }

    fn property(&self, dsn: &str, name: &str) -> Option<Value> {
        self.cloud.state().devices[dsn].1.get(name).cloned()
    }

    fn send(&mut self, dsn: &str, event_type: &str, name: &str, body: Value) {
        let mut event = json!({"metadata": {"dsn": dsn, "event_type": event_type, "base_type": "integer"}});
        if event_type == "connectivity" {
            event["connection"] = body;
        } else {
            event["metadata"]["property_name"] = json!(name);
            event["datapoint"] = body;
        }
        let is_lost = self.numbers.below(50) == 0;
        self.wire.send(event, is_lost);
    }

    fn record(&mut self, dsn: &str, facet: &str, state: String) {
        self.history.entry((dsn.to_owned(), facet.to_owned())).or_default().push(state);
    }

    /// The device reports a new value.
    fn report(&mut self, dsn: &str, name: &str) -> &'static str {
        let value = self.last;
        let is_pending = self.property(dsn, name).is_some_and(|known| known["command"]["state"] == "pending");
        let metadata = json!({"n": value.to_string()});
        self.update(dsn, name, |property| {
            property["reported_value"] = json!(value);
            property["reported_at"] = json!(time(value));
            if !is_pending {
                property["value"] = json!(value);
                property["data_updated_at"] = json!(time(value));
                property["metadata"] = metadata.clone();
            }
        });
        if !is_pending {
            self.record(dsn, &format!("{name}.value"), value.to_string());
        }
        let at = time(value);
        let body = json!({"value": value, "created_at": at, "updated_at": at, "echo": true, "metadata": metadata});
        self.send(dsn, "datapoint", name, body);
        "report"
    }

    /// A user writes a value.
    fn command(&mut self, dsn: &str) -> &'static str {
        let (value, at) = (self.last, time(self.last));
        self.update(dsn, "level", |level| {
            level["ack_enabled"] = json!(true);
            level["value"] = json!(value);
            level["data_updated_at"] = json!(at);
            level["metadata"] = json!({});
            for member in ["acked_at", "ack_status"] {
                level[member] = Value::Null;
            }
            level["command"] = json!({"id": value.to_string(), "value": value, "state": "pending", "created_at": at});
        });
        self.record(dsn, "level.value", value.to_string());
        self.record(dsn, "level.command", format!("{value} pending"));
        let body = json!({"id": value.to_string(), "value": value, "created_at": at, "updated_at": at, "echo": false});
        self.send(dsn, "datapoint", "level", body);
        "command"
    }

    /// The device accepts or rejects the pending command, or does not answer it in time.
    fn answer(&mut self, dsn: &str) -> &'static str {
        let level = self.property(dsn, "level").unwrap_or_default();
        if level["command"]["state"] != "pending" {
            return "nothing";
        }
        let (now, created_at) = (time(self.last), level["command"]["created_at"].clone());
        let mut body = json!({"id": level["command"]["id"], "value": level["command"]["value"],
            "created_at": created_at, "updated_at": now, "acked_at": now, "metadata": {}});
        let kind = match self.numbers.below(3) {
            0 => {
                body["updated_at"] = created_at;
                body["acked_at"] = Value::Null;
                body["expired"] = json!(true);
                "expired"
            }
            1 => {
                body["ack_status"] = json!(422);
                "failed"
            }
            _ => {
                body["ack_status"] = json!(200);
                "acknowledged"
            }
        };
        self.update(dsn, "level", |level| {
            level["command"]["state"] = json!(kind);
            if kind != "expired" {
                level["acked_at"] = json!(now);
                level["ack_status"] = body["ack_status"].clone();
            }
            if kind == "acknowledged" {
                level["reported_value"] = level["command"]["value"].clone();
                level["reported_at"] = json!(now);
            }
            level["value"] = level["reported_value"].clone();
            level["data_updated_at"] = level["reported_at"].clone();
        });
        if kind != "expired" {
            self.record(dsn, "level.ackedAt", now);
        }
        self.record(dsn, "level.command", format!("{} {kind}", body["id"].as_str().unwrap()));
        self.send(dsn, "datapointack", "level", body);
        kind
    }

    /// The connection status changes. Each status is another one, so that a missing one can be noticed.
    fn connect(&mut self, dsn: &str) -> &'static str {
        let status = format!("Online{}", self.last);
        self.cloud.state().devices.get_mut(dsn).unwrap().0["connection_status"] = json!(status);
        self.record(dsn, "connectionStatus", status.clone());
        self.send(dsn, "connectivity", "", json!({"status": status, "event_time": time(self.last)}));
        "connectivity"
    }

    /// A field changes that only the list contains.
    fn describe(&mut self, dsn: &str, field: &str, kind: &'static str) -> &'static str {
        self.cloud.state().devices.get_mut(dsn).unwrap().0[field] = json!(self.last.to_string());
        kind
    }

    /// A guest appears in the list, or disappears from it.
    fn come_or_go(&mut self) -> &'static str {
        let dsn = format!("D{:02}", DEVICES + self.numbers.below(GUESTS));
        let mut cloud = self.cloud.state();
        if let Some(device) = self.away.remove(&dsn) {
            cloud.devices.insert(dsn, device);
            "added"
        } else {
            let device = cloud.devices.remove(&dsn).unwrap();
            self.away.insert(dsn, device);
            "removed"
        }
    }

    /// The application reads the lists of the device, which have changed.
    async fn read_lists(&mut self, dsn: &str, manager: &DeviceManager) -> &'static str {
        let Some(device) = manager.device(dsn) else { return "nothing" };
        let item = |wrapper: &str, body: Value| Reply::Status(200, json!([{wrapper: body}]));
        let id = self.last;
        self.cloud.state().overrides = [
            ("/data.json", item("datum", json!({"key": id.to_string(), "value": "v"}))),
            ("/role_labels", item("role_label", json!({"id": id}))),
            ("/notifications/all", item("notification", json!({"id": id}))),
        ]
        .map(|(path, reply)| (path, VecDeque::from([reply])))
        .into();
        device.fetch_datums().await.unwrap();
        device.fetch_role_labels().await.unwrap();
        device.fetch_notifications().await.unwrap();
        for list in ["data", "roleLabels", "notifications"] {
            self.record(dsn, list, id.to_string());
        }
        "lists"
    }

    /// What the cloud has of each device, without the lists that only the application reads.
    fn facets(&self) -> BTreeMap<String, Facets> {
        let facets = |(device, properties): &(Value, BTreeMap<String, Value>)| {
            let mut facets = device_facets(&read::one(&json!({"device": device})).unwrap());
            let properties = properties.values().map(|property| read::one(&json!({"property": property})).unwrap());
            facets.extend(properties.flat_map(|property: Property| property_facets(&property)));
            facets
        };
        self.cloud.state().devices.iter().map(|(dsn, device)| (dsn.clone(), facets(device))).collect()
    }
}

/// A reader that only knows what the events have informed it of, and checks that nothing is missing between two states.
struct Reader {
    changes: FleetEvents,
    manager: DeviceManager,
    devices: BTreeMap<String, Known>,
    /// Whether it reads at once, so that what it reads is what the event is about.
    is_fast: bool,
    seen: usize,
    gaps: usize,
    /// What has changed in events, other than that a property was new.
    kinds: BTreeSet<String>,
    /// All events, by device.
    log: BTreeMap<String, Vec<String>>,
    /// Which devices have been added and removed, by device.
    listed: BTreeMap<String, Vec<&'static str>>,
}

struct Known {
    facets: Facets,
    /// Up to these positions in the history, states have arrived, or are missing because of a gap.
    reached: BTreeMap<String, usize>,
    /// Whether every state must arrive: the device is live.
    is_complete: bool,
}

impl Reader {
    fn new(manager: &DeviceManager, is_fast: bool) -> Self {
        let mut reader = Self {
            changes: manager.changes(),
            manager: manager.clone(),
            devices: BTreeMap::new(),
            is_fast,
            seen: 0,
            gaps: 0,
            kinds: BTreeSet::new(),
            log: BTreeMap::new(),
            listed: BTreeMap::new(),
        };
        manager.devices().iter().for_each(|device| reader.read(device.dsn(), &History::new()));
        reader
    }

    /// Reads everything of a device.
    fn read(&mut self, dsn: &Dsn, history: &History) {
        let Some(device) = self.manager.device(dsn.clone()) else {
            self.devices.remove(dsn.as_str());
            return;
        };
        let facets = known_facets(&device);
        let is_complete = matches!(device.freshness(), Freshness::Live);
        let reached = reached(dsn, &facets, history);
        self.devices.insert(dsn.to_string(), Known { facets, reached, is_complete });
    }

    /// Reads up to this many of the available events.
    fn take(&mut self, most: usize, history: &History) {
        for _ in 0..most {
            let Some(Some((dsn, event))) = self.changes.next().now_or_never() else { return };
            self.log.entry(dsn.to_string()).or_default().push(format!("{event:?}"));
            match event {
                DeviceEvent::Added => {
                    self.kinds.insert("added".to_owned());
                    self.listed.entry(dsn.to_string()).or_default().push("added");
                    self.read(&dsn, history);
                }
                DeviceEvent::Removed => {
                    self.kinds.insert("removed".to_owned());
                    self.listed.entry(dsn.to_string()).or_default().push("removed");
                    self.devices.remove(dsn.as_str());
                }
                DeviceEvent::Gap => {
                    self.gaps += 1;
                    self.read(&dsn, history);
                }
                DeviceEvent::Changed(change) => {
                    self.seen += 1;
                    self.apply(&dsn, change, history);
                }
                DeviceEvent::Freshness(freshness) => {
                    if let Some(known) = self.devices.get_mut(dsn.as_str()) {
                        known.is_complete = matches!(freshness, Freshness::Live);
                        let streamed = reached(&dsn, &known.facets, history).into_iter();
                        known.reached.extend(streamed.filter(|(name, _)| !LISTED.contains(&&**name)));
                    }
                }
                DeviceEvent::PollFailed(error) => {
                    assert!(matches!(error.status(), Some(404 | 429)), "limited, or not listed any more: {error:?}");
                }
            }
        }
    }

    fn apply(&mut self, dsn: &Dsn, change: Change, history: &History) {
        let device = self.manager.device(dsn.clone());
        let now = device.map(|device| changed_facets(&device, &change)).unwrap_or_default();
        let Some(known) = self.devices.get_mut(dsn.as_str()) else {
            // A slow reader learns of a device that has disappeared meanwhile.
            assert!(!self.is_fast, "{dsn}: a change of an unknown device: {change:?}");
            return;
        };
        let is_new = matches!(&change, Change::Property { changed, .. } if changed.is_empty());
        let (names, value): (Vec<String>, _) = match change {
            Change::Field(changed) => (changed.into_iter().collect(), None),
            Change::List { name, .. } => (vec![name.to_owned()], None),
            Change::Property { name, changed, value } => {
                let value = value.map(|value| (format!("{name}.value"), value.to_string()));
                let prefix = format!("{name}.");
                let is_named = |field: &str| changed.is_empty() || changed.contains(field);
                let all = now.keys().filter(|facet| facet.strip_prefix(&prefix).is_some_and(is_named));
                (all.cloned().collect(), value)
            }
        };
        for name in names {
            let Some(mut state) = now.get(&name).cloned() else { continue };
            if !is_new {
                self.kinds.insert(name.rsplit('.').next().unwrap_or(&name).to_owned());
            }
            let from_event = value.as_ref().filter(|(facet, _)| *facet == name);
            if let Some((_, value)) = from_event {
                state.clone_from(value);
            }
            if self.is_fast || from_event.is_some() {
                known.check(dsn, &name, &state, history);
            }
            known.facets.insert(name, state);
        }
    }
}

impl Known {
    /// Fails if the state before this one should have arrived and did not.
    fn check(&mut self, dsn: &Dsn, name: &str, state: &str, history: &History) {
        let Some(states) = history.get(&(dsn.to_string(), name.to_owned())) else { return };
        let Some(index) = position(states, state) else { return };
        let reached = self.reached.get(name).copied();
        let must_arrive = self.is_complete || LISTED.contains(&name);
        let missed = must_arrive && reached.is_some_and(|reached| reached + 1 < index);
        assert!(!missed, "{dsn} {name}: {state} follows {:?} of {states:?} without a gap", self.facets.get(name));
        self.reached.insert(name.to_owned(), index.max(reached.unwrap_or(0)));
    }
}

/// The positions in the history that a gap, or the time before the device was live, has covered. A value that only rises is
/// exact, and so is the state of a command; acknowledgements, and the value of commands, which falls back to the reported
/// one, are missing up to now.
fn reached(dsn: &Dsn, facets: &Facets, history: &History) -> BTreeMap<String, usize> {
    let reached = |(name, state): (&String, &String)| {
        let states = history.get(&(dsn.to_string(), name.clone()))?;
        let is_exact = name.ends_with(".command") || (name.ends_with(".value") && name != "level.value");
        let known = position(states, state).filter(|_| is_exact);
        Some((name.clone(), known.unwrap_or(states.len() - 1)))
    };
    facets.iter().filter_map(reached).collect()
}

fn position(states: &[String], state: &str) -> Option<usize> {
    states.iter().rposition(|other| other == state)
}

/// Fails unless the events have informed the reader of everything that the cloud has.
fn assert_informed(reader: &Reader, fleet: &Fleet, when: &str) {
    let expected = fleet.facets();
    assert_eq!(reader.devices.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{when}");
    for (dsn, facets) in expected {
        for (name, state) in facets {
            assert_eq!(reader.devices[&dsn].facets.get(&name), Some(&state), "{dsn} {name} {when}");
        }
    }
    for device in reader.manager.devices() {
        assert_eq!(reader.devices[device.dsn().as_str()].facets, known_facets(&device), "{when}");
    }
}

/// Fails unless the events have informed the reader of everything that the manager knows of a device.
fn assert_announced(reader: &Reader, dsn: &str) {
    let (device, known) = (reader.manager.device(dsn), reader.devices.get(dsn));
    assert_eq!(known.map(|known| &known.facets), device.map(|device| known_facets(&device)).as_ref(), "{dsn}");
}

/// Fails unless the slow reader got the events of the fast one in the same order, but for those that a gap replaces.
fn assert_same_but_for_gaps(slow: &Reader, fast: &Reader) {
    for (dsn, expected) in &fast.log {
        // How many events of the fast reader the slow one may have got, or lost with a gap.
        let mut reached = BTreeSet::from([0]);
        for event in slow.log.get(dsn).into_iter().flatten() {
            let next = match event.as_str() {
                "Gap" => (reached.first().copied().unwrap()..=expected.len()).collect::<BTreeSet<_>>(),
                _ => reached.iter().filter(|at| expected.get(**at) == Some(event)).map(|at| at + 1).collect(),
            };
            assert!(!next.is_empty(), "{dsn}: {event} does not follow {:?} without a gap", reached.first());
            reached = next;
        }
        assert!(reached.contains(&expected.len()), "{dsn}: the last events are missing without a gap");
    }
}

#[tokio::test(start_paused = true)]
async fn every_change_is_seen_or_a_gap_is_reported_over_200_cuts() {
    for seed in SEEDS {
        survive(seed).await;
    }
}

/// Cuts the stream of a fleet that changes as this seed says.
async fn survive(seed: u64) {
    let mut fleet = Fleet::new(seed);
    let manager = fleet.cloud.ready().await;
    let stream = LiveStreamManager::over(Arc::new(fleet.wire.clone()), Arc::new(manager.clone()), Jitter::fixed(0.5));
    let (mut fast, mut slow) = (Reader::new(&manager, true), Reader::new(&manager, false));
    let mut cuts = 0;
    while cuts < CUTS {
        for _ in 0..fleet.numbers.below(60) {
            let dsn = fleet.change(&manager).await;
            fast.take(usize::MAX, &fleet.history);
            assert_announced(&fast, &dsn);
        }
        let failures = fleet.numbers.below(3);
        cuts += u64::from(fleet.wire.cut(failures));
        for _ in 0..fleet.numbers.below(10) {
            let dsn = fleet.change(&manager).await;
            fast.take(usize::MAX, &fleet.history);
            assert_announced(&fast, &dsn);
        }
        if fleet.numbers.below(5) == 0 {
            fleet.cloud.state().limit = Some(("/properties.json", "2"));
        }
        fleet.pass(30_000).await;
        fast.take(usize::MAX, &fleet.history);
        // The slow reader does not read at all, then reads less than arrives, so that its queue is full to the end.
        slow.take(if cuts < CUTS / 2 { 0 } else { 15 }, &fleet.history);
        if cuts % 10 == 0 {
            // The list is read every 15 seconds.
            tokio::time::sleep(20 * SECOND).await;
            while stream.state() != LiveStreamState::Connected {
                tokio::time::sleep(SECOND).await;
            }
            tokio::time::sleep(10 * SECOND).await;
            fleet.record_lists();
            fast.take(usize::MAX, &fleet.history);
            assert_eq!(fast.listed, fleet.listed, "with seed {seed}");
            assert_informed(&fast, &fleet, &format!("after {cuts} cuts with seed {seed}"));
            assert!(manager.devices().iter().all(|device| matches!(device.freshness(), Freshness::Live)));
        }
    }
    slow.take(usize::MAX, &fleet.history);
    assert_informed(&slow, &fleet, &format!("at the end, slowly, with seed {seed}"));
    assert_informed(&fast, &fleet, &format!("at the end with seed {seed}"));
    assert_same_but_for_gaps(&slow, &fast);
    assert!(stream.gave_up().is_none());
    // Otherwise nothing was tested.
    let counts = format!("{} with {} gaps, {} with {} gaps", fast.seen, fast.gaps, slow.seen, slow.gaps);
    assert!(slow.seen < fast.seen && fast.gaps > 500 && slow.gaps > 500, "{counts}");
    let kinds =
        ["acknowledged", "added", "command", "connectivity", "expired", "failed", "lists", "move", "new property"];
    for kind in kinds.into_iter().chain(["removed", "rename", "report"]) {
        assert!(fleet.kinds.get(kind).is_some_and(|count| *count > 5), "{kind}: {:?}", fleet.kinds);
    }
    let fields = ["connectionStatus", "lat", "productName", "data", "notifications", "roleLabels", "added", "removed"];
    let of_properties = ["ackStatus", "ackedAt", "command", "metadata", "reportedValue", "value"];
    let kinds = fields.into_iter().chain(of_properties).map(str::to_owned).collect::<BTreeSet<_>>();
    for reader in [fast, slow] {
        assert_eq!(reader.kinds, kinds);
    }
}
