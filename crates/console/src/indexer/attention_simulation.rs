//! Faults at the cloud, and how long their items take to open and to close (F-06). Stream, passes, reads, forecasts and attention of a
//! console take their turns on a clock that the test moves; each hands over to the next one a second later.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use devicecloud::testing::{MockCloud, MockRequest, events, model};
use devicecloud::{ConnectionStatus, PropertyValue, Time};
use diffuser::{Fragrance, Mode, PARTNER_LABEL_KEY, Role, properties};
use jiff::{SignedDuration, Timestamp};
use platform::bus::Bus;
use platform::clock::{Clock, to_micros};
use platform::db::{Db, params};
use platform::lease::Lease;
use platform::random::Random;
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::backoff::Backoff;
use super::event_group::QueuedEvent;
use super::stream_queue::StreamQueue;
use super::{Listener, PassHandle, PassRunner, StreamWriter};
use crate::attention_queue::AttentionQueue;
use crate::attention_rules::AttentionKind;
use crate::base::Base;
use crate::config::PASS_EVERY;
use crate::echoes::Echoes;
use crate::fragrances;
use crate::index::{self, Due, DueReads, PageMemory};
use crate::service::ServiceSession;
use crate::streamed_values::StreamedValues;

/// A Wednesday, within the running time of [`DAILY`].
const START: &str = "2026-11-25T12:00:00Z";
/// Every day from 08:00 to 17:59.
const DAILY: &str = "1,1,0,20,8,0,17,59";
const DSN: &str = "A";
/// From a cause to its item, and from the end of the cause to the closed item.
const LIMIT: SignedDuration = SignedDuration::from_secs(60);
const SECOND: SignedDuration = SignedDuration::from_secs(1);
const MINUTE: SignedDuration = SignedDuration::from_mins(1);
const HOUR: SignedDuration = SignedDuration::from_hours(1);
const DAY: SignedDuration = SignedDuration::from_hours(24);
/// As those of the evaluator.
const DUE_INTERVAL: i64 = 10;
/// The longest pass of a small fleet, in seconds.
const PASS_DURATION: i64 = 3;
/// The time between two reports of the cartridge life.
const REPORT_INTERVAL: i64 = 15 * 60;
/// Long waits are simulated in steps of this length.
const LEAP: SignedDuration = SignedDuration::from_mins(10);

/// A diffuser with 1000 running hours in a cartridge of Fig, in UTC, that uses ten hours a day, spread over it.
#[derive(Clone, Debug)]
struct Diffuser {
    online: bool,
    connected_at: Option<Timestamp>,
    created_at: Timestamp,
    fragrance: &'static str,
    schedule: &'static str,
    level: Option<i64>,
    /// The cartridge life at a time, and the hours a day since then.
    life: (Timestamp, f64),
    hours_a_day: f64,
    /// Properties with a command that it has not answered, and since when.
    commands: BTreeMap<&'static str, Timestamp>,
}

/// What the cloud answers and sends.
#[derive(Debug, Default)]
struct CloudState {
    device: Option<Diffuser>,
    has_technician: bool,
    events: Vec<Value>,
    now: Timestamp,
}

fn wire(at: Timestamp) -> Time {
    Time::from_unix_micros(to_micros(at))
}

impl Diffuser {
    fn new(now: Timestamp) -> Self {
        Self {
            online: true,
            connected_at: Some(now - DAY * 30),
            created_at: now - DAY * 60,
            fragrance: "Fig",
            schedule: DAILY,
            level: Some(50),
            life: (now, 500.0),
            hours_a_day: 10.0,
            commands: BTreeMap::new(),
        }
    }

    fn life_at(&self, at: Timestamp) -> f64 {
        let days = at.duration_since(self.life.0).as_secs_f64() / DAY.as_secs_f64();
        ((self.life.1 + days * self.hours_a_day) * 100.0).round() / 100.0
    }

    fn json(&self, now: Timestamp) -> Value {
        let property = |name: &str, base_type: &str, value: Value| {
            let command =
                self.commands.get(name).map(|at| json!({"id": "c", "state": "pending", "created_at": wire(*at)}));
            json!({"property": {
                "name": name, "base_type": base_type, "value": value, "data_updated_at": wire(now), "command": command,
            }})
        };
        let mut properties = Vec::new();
        if self.connected_at.is_some() {
            properties = vec![
                property(properties::CARTRIDGE_LIFE, "decimal", json!(self.life_at(now))),
                property(properties::CURRENT_STATE, "integer", json!(Mode::Run.code())),
                property(properties::SCHEDULE_BLOB, "string", json!(self.schedule)),
                property(properties::INTENSITY, "integer", json!(20)),
                property(properties::FRAGRANCE_REMAINING, "integer", json!(self.level)),
            ];
        }
        let datum = |key: &str, value: &str| json!({"datum": {"key": key, "value": value}});
        json!({"device": {
            "dsn": DSN,
            "key": 1,
            "registered": true,
            "created_at": wire(self.created_at),
            "connection_status": if self.online { "Online" } else { "Offline" },
            "connected_at": self.connected_at.map(wire),
            "addr": {},
            "data": [datum("cart_name", "AQ290"), datum("fragrance", self.fragrance), datum("time_zone", "UTC")],
            "role_labels": [{"role_label": {
                "role_name": Role::CspTech.name(), "label": {"key": PARTNER_LABEL_KEY, "value": "North"},
            }}],
            "properties": properties,
        }})
    }
}

impl CloudState {
    fn device(&mut self) -> &mut Diffuser {
        self.device.as_mut().expect("a device")
    }

    fn send(&mut self, property: &str, value: impl Into<PropertyValue>, is_report: bool) {
        self.events.push(events::datapoint(DSN, property, value, is_report, wire(self.now)));
    }

    fn report_life(&mut self) {
        let now = self.now;
        let life = self.device().life_at(now);
        self.send(properties::CARTRIDGE_LIFE, life, true);
    }

    /// Another cartridge, or a counter that was set by hand.
    fn set_life(&mut self, hours: f64) {
        let now = self.now;
        self.device().life = (now, hours);
        self.report_life();
    }

    /// The life goes on at another rate.
    fn set_use(&mut self, hours_a_day: f64) {
        let now = self.now;
        let device = self.device();
        (device.life, device.hours_a_day) = ((now, device.life_at(now)), hours_a_day);
    }

    fn set_schedule(&mut self, schedule: &'static str) {
        self.device().schedule = schedule;
        self.send(properties::SCHEDULE_BLOB, schedule, true);
    }

    fn set_online(&mut self, online: bool) {
        let now = self.now;
        let device = self.device();
        device.online = online;
        if online {
            device.connected_at = Some(now);
        }
        let status = if online { ConnectionStatus::Online } else { ConnectionStatus::Offline };
        self.events.push(events::connectivity(DSN, &status, wire(now)));
    }

    fn command(&mut self, property: &'static str, value: impl Into<PropertyValue>) {
        let now = self.now;
        self.device().commands.insert(property, now);
        self.send(property, value, false);
    }

    fn acknowledge(&mut self, property: &'static str, value: impl Into<PropertyValue>) {
        self.device().commands.remove(property);
        self.events.push(events::datapoint_ack(DSN, property, value, 200, wire(self.now)));
    }

    fn users(&self) -> Value {
        let technician = json!({"user": {
            "uuid": "019aa000-0000-7000-8000-000000000001", "email": "tess@example.com", "role": Role::CspTech.name(),
            "role_tags": [{"namespace": Role::CspTech.name(), "key": PARTNER_LABEL_KEY, "value": "North"}],
        }});
        if self.has_technician { json!([technician]) } else { json!([]) }
    }
}

/// A console with the parts that lead from the cloud to items.
struct Scene {
    cloud: Arc<Mutex<CloudState>>,
    base: Base,
    listener: Listener,
    queue: StreamQueue,
    queued: mpsc::Receiver<QueuedEvent>,
    writer: StreamWriter,
    runner: PassRunner,
    due: Due,
    memory: PageMemory<devicecloud::Fingerprint>,
    started: Timestamp,
    next_pass: Timestamp,
}

impl Scene {
    async fn start(db: &Db, device: Option<Diffuser>) -> Self {
        let clock = Clock::mock(START.parse().unwrap());
        let base = Base { db: db.clone(), bus: Bus::in_process(), clock: clock.clone(), random: Random::seeded(1) };
        index::drop_index(db).await.unwrap();
        for rows in ["DELETE FROM attention_items", "DELETE FROM attention_devices", "DELETE FROM csps"] {
            db.execute(rows, params![]).await.unwrap();
        }
        let fragrance = |name: &str, flow: f64| {
            let flow = [Some(flow), None, None, None, None, None, None];
            Fragrance { name: name.to_owned(), sku: name.to_owned(), density: 1.0, flow }
        };
        fragrances::add_missing(db, &[fragrance("Fig", 0.5), fragrance("Oud", 0.95)]).await.unwrap();
        let now = clock.now();
        let cloud = CloudState { device, has_technician: true, events: Vec::new(), now };
        let cloud = Arc::new(Mutex::new(cloud));
        let client = mock_cloud(&cloud).client();
        let service = Arc::new(ServiceSession::new(&client, "service@example.com".to_owned(), "Secret-1".into()));
        let lease = Lease::new(db.clone(), clock.clone(), index::LEASE, "this".to_owned());
        let (passes, (events, queued)) = (PassHandle::new(), mpsc::channel(100));
        let (attention, reads, values) = (AttentionQueue::default(), DueReads::default(), StreamedValues::default());
        let (_, unused) = mpsc::channel(1);
        let (reject, _) = mpsc::channel(1);
        let (noted, due) = (attention.clone(), reads.clone());
        let writer = StreamWriter::new(base.clone(), lease.clone(), passes.clone(), unused, reject, noted, due);
        let listener = Listener {
            base: base.clone(),
            service: Arc::clone(&service),
            passes: passes.clone(),
            echoes: Echoes::default(),
            connected: watch::channel(true).0,
            events: events.clone(),
            values: values.clone(),
            stopping: CancellationToken::new(),
        };
        let runner = PassRunner {
            base: base.clone(),
            service,
            every: PASS_EVERY,
            pause: Duration::ZERO,
            read_pause: Duration::ZERO,
            history_pause: Duration::ZERO,
            audit_days: 1,
            handle: passes.clone(),
            attention,
            reads: reads.clone(),
            values,
            lease,
            stopping: CancellationToken::new(),
        };
        let queue = StreamQueue::new(&base, passes, events);
        let (due, memory) = (Due { reads, ..Due::default() }, PageMemory::new());
        let mut scene =
            Self { cloud, base, listener, queue, queued, writer, runner, due, memory, started: now, next_pass: now };
        for _ in 0..5 {
            scene.second().await;
        }
        scene
    }

    fn now(&self) -> Timestamp {
        self.base.clock.now()
    }

    fn cloud(&self) -> MutexGuard<'_, CloudState> {
        self.cloud.lock().unwrap()
    }

    async fn advance(&self, by: SignedDuration) {
        self.base.clock.advance(by);
        self.cloud().now = self.now();
        assert!(self.runner.lease.take().await.unwrap());
    }

    /// A second of the console. What one part hands over has its turn in the next second.
    async fn second(&mut self) {
        self.advance(SECOND).await;
        let seconds = self.now().duration_since(self.started).as_secs();
        self.examine(seconds % DUE_INTERVAL == 0).await;
        self.runner.forecasts(self.due.forecasts.clone()).run_until_idle().await;
        self.read_due().await;
        self.runner.level_checks().check().await.unwrap();
        self.stream().await;
        if seconds % REPORT_INTERVAL == 0 && self.cloud().device.as_ref().is_some_and(|device| device.online) {
            self.cloud().report_life();
        }
        if self.now() >= self.next_pass {
            self.pass().await;
        }
    }

    /// Moves on until about `at`. Whatever is under way comes to its end with each step.
    async fn leap_until(&mut self, at: Timestamp) {
        while self.now() + LEAP < at {
            self.advance(LEAP).await;
            if self.cloud().device.as_ref().is_some_and(|device| device.online) {
                self.cloud().report_life();
            }
            self.stream().await;
            self.runner.level_checks().check().await.unwrap();
            self.pass().await;
            self.read_due().await;
            self.stream().await;
            self.runner.forecasts(self.due.forecasts.clone()).run_until_idle().await;
            self.examine(true).await;
        }
        while self.now() < at {
            self.second().await;
        }
    }

    async fn examine(&self, is_interval: bool) {
        let evaluator = self.runner.evaluator();
        evaluator.examine_queued().await.unwrap();
        if is_interval {
            evaluator.examine_due().await.unwrap();
            evaluator.examine_csps().await.unwrap();
        }
    }

    async fn read_due(&self) {
        let reader = self.runner.reader(self.due.forecasts.clone());
        while let Some(dsn) = self.due.reads.take() {
            assert!(reader.read(&dsn).await.is_ok(), "{dsn} is not read");
        }
    }

    async fn stream(&mut self) {
        let sent = std::mem::take(&mut self.cloud().events);
        let mut backoff = Backoff::new(self.base.random.clone());
        for event in sent {
            self.listener.on_event(model(event), &mut backoff, &mut self.queue);
        }
        let queued: Vec<QueuedEvent> = std::iter::from_fn(|| self.queued.try_recv().ok()).collect();
        if !queued.is_empty() {
            self.writer.apply(queued.into_iter()).await;
        }
    }

    async fn pass(&mut self) {
        let mut catalogue = Arc::new(fragrances::by_name(&self.base.db).await.unwrap());
        let lease = self.runner.lease.clone();
        self.runner.run_one(&lease, &mut self.memory, &mut catalogue, &self.due).await.unwrap();
        let every = SignedDuration::try_from(PASS_EVERY).unwrap();
        self.next_pass = self.now() + every + SECOND * i32::try_from(PASS_DURATION).unwrap();
    }

    /// Kind, whether it is open, and how often it opened.
    async fn items(&self) -> Vec<(String, bool, i64)> {
        let sql = "SELECT kind, closed_at IS NULL, occurrences FROM attention_items ORDER BY id";
        self.base.db.fetch_all(sql, params![]).await.unwrap()
    }

    /// Moves on until the items are these ones, for a minute at most.
    async fn expect(&mut self, items: &[(&str, bool, i64)], what: &str) {
        let since = self.now();
        let expected: Vec<_> =
            items.iter().map(|(kind, is_open, count)| ((*kind).to_owned(), *is_open, *count)).collect();
        loop {
            let found = self.items().await;
            if found == expected {
                return;
            }
            assert!(self.now().duration_since(since) < LIMIT, "{what}: {found:?} instead of {expected:?}");
            self.second().await;
        }
    }

    /// Moves on to the second after a pass has begun, so that the next one is as far away as possible.
    async fn just_after_a_pass(&mut self) {
        while self.next_pass.duration_since(self.now()) < SignedDuration::try_from(PASS_EVERY).unwrap() {
            self.second().await;
        }
    }
}

fn mock_cloud(cloud: &Arc<Mutex<CloudState>>) -> MockCloud {
    let mock = MockCloud::new();
    let answer = |call: &str, answer: fn(&mut CloudState, &MockRequest) -> (u16, Value)| {
        let cloud = Arc::clone(cloud);
        mock.answer_with(call, move |request| answer(&mut cloud.lock().unwrap(), request));
    };
    answer("GET apiv1/devices.json", |cloud, request| {
        let is_first = !request.query.iter().any(|it| it.starts_with("filter[key_after]="));
        let now = cloud.now;
        let devices: Vec<Value> = cloud.device.iter().filter(|_| is_first).map(|device| device.json(now)).collect();
        (200, json!({"total": devices.len(), "current_page_number": 1, "next_page": null, "devices": devices}))
    });
    answer("GET apiv1/dsns/{dsn}", |cloud, _| (200, cloud.device().clone().json(cloud.now)));
    answer("GET apiv1/dsns/{dsn}/properties/{name}/datapoints.json", |cloud, request| {
        let until = request.query.iter().find_map(|it| it.strip_prefix("filter[created_at_end_date]="));
        let until: Timestamp = until.unwrap().parse().unwrap();
        let hours = cloud.device().life_at(until);
        if cloud.device().connected_at.is_none() || hours < 0.0 {
            return (200, json!([]));
        }
        (200, json!([{"datapoint": {"id": "d", "value": hours, "created_at": wire(until)}}]))
    });
    answer("POST apiv1/dsns/{dsn}/properties/{name}/datapoints", |cloud, request| {
        let level = request.body.as_ref().unwrap()["datapoint"]["value"].as_i64().unwrap();
        cloud.device().level = Some(level);
        cloud.send(properties::FRAGRANCE_REMAINING, level, false);
        cloud.acknowledge(properties::FRAGRANCE_REMAINING, level);
        (201, json!({"datapoint": {"id": "d", "value": level, "created_at": wire(cloud.now), "echo": false}}))
    });
    answer("GET api/v1/users/index_by_oem.json", |cloud, _| (200, cloud.users()));
    answer("GET users/{uuid}.json", |cloud, _| match cloud.users().get(0) {
        Some(user) => (200, user.clone()),
        None => (404, json!({"error": "Not found"})),
    });
    mock
}

/// When the definition of a kind is met after a fault, or no longer met after its cure.
#[derive(Clone, Copy)]
enum Met {
    After(SignedDuration),
    /// With the end of this day of UTC, where 1 is the day of the fault.
    EndOfDay(i32),
}

impl Met {
    fn at(self, fault: Timestamp) -> Timestamp {
        let midnight = Timestamp::from_second(fault.as_second().div_euclid(86_400) * 86_400).unwrap();
        match self {
            Self::After(time) => fault + time,
            Self::EndOfDay(day) => midnight + DAY * day,
        }
    }
}

const AT_ONCE: Met = Met::After(SignedDuration::ZERO);

/// A fault at the cloud, and its cure.
struct Fault {
    name: &'static str,
    kind: AttentionKind,
    cause: fn(&mut CloudState),
    met: Met,
    cure: fn(&mut CloudState),
    gone: Met,
    /// Prepares another fault within a day; `None` if there can be none.
    again: Option<fn(&mut CloudState)>,
}

const FAULTS: [Fault; 13] = [
    Fault {
        name: "a cartridge with little left",
        kind: AttentionKind::RunsDry,
        cause: |it| it.set_life(940.0),
        met: AT_ONCE,
        cure: |it| it.set_life(0.0),
        gone: AT_ONCE,
        again: Some(|_| ()),
    },
    Fault {
        name: "a fragrance with a higher flow, by another application",
        kind: AttentionKind::RunsDry,
        cause: |it| it.device().fragrance = "Oud",
        met: AT_ONCE,
        cure: |it| it.set_life(0.0),
        gone: AT_ONCE,
        again: None,
    },
    Fault {
        name: "a cartridge that is used up",
        kind: AttentionKind::Empty,
        cause: |it| it.set_life(1000.0),
        met: AT_ONCE,
        cure: |it| it.set_life(0.0),
        gone: AT_ONCE,
        again: Some(|_| ()),
    },
    Fault {
        name: "a lost connection",
        kind: AttentionKind::Offline,
        cause: |it| it.set_online(false),
        met: Met::After(HOUR),
        cure: |it| it.set_online(true),
        gone: AT_ONCE,
        again: Some(|_| ()),
    },
    Fault {
        name: "a device that nobody connects",
        kind: AttentionKind::NeverConnected,
        cause: |it| {
            let now = it.now;
            let created_at = now - DAY * 2 + MINUTE * 30;
            it.device =
                Some(Diffuser { online: false, connected_at: None, created_at, level: None, ..Diffuser::new(now) });
        },
        met: Met::After(SignedDuration::from_mins(30)),
        cure: |it| it.set_online(true),
        gone: AT_ONCE,
        again: None,
    },
    Fault {
        name: "a clogged nozzle",
        kind: AttentionKind::NoUse,
        cause: |it| it.set_use(0.0),
        // Half of the first day had use.
        met: Met::EndOfDay(4),
        cure: |it| it.set_use(10.0),
        gone: Met::EndOfDay(1),
        again: None,
    },
    Fault {
        name: "a device that ignores its schedule",
        kind: AttentionKind::ExcessUse,
        cause: |it| it.set_use(20.0),
        // 15, 20 and 20 hours after four days with 10.
        met: Met::EndOfDay(3),
        cure: |it| it.set_use(10.0),
        // The first day is then older than a week.
        gone: Met::EndOfDay(5),
        again: None,
    },
    Fault {
        name: "an unanswered intensity",
        kind: AttentionKind::UnansweredCommand,
        cause: |it| it.command(properties::INTENSITY, 20),
        met: Met::After(HOUR),
        cure: |it| it.acknowledge(properties::INTENSITY, 20),
        gone: AT_ONCE,
        again: Some(|_| ()),
    },
    Fault {
        name: "an unanswered schedule",
        kind: AttentionKind::UnansweredCommand,
        cause: |it| it.command(properties::SCHEDULE_BLOB, DAILY),
        met: Met::After(HOUR),
        cure: |it| it.acknowledge(properties::SCHEDULE_BLOB, DAILY),
        gone: AT_ONCE,
        again: Some(|_| ()),
    },
    Fault {
        name: "a broken schedule",
        kind: AttentionKind::NoRunningTime,
        cause: |it| it.set_schedule("1,1,0,99,8,0,17,59"),
        met: AT_ONCE,
        cure: |it| it.set_schedule(DAILY),
        gone: AT_ONCE,
        again: Some(|_| ()),
    },
    Fault {
        name: "a schedule without an active frame",
        kind: AttentionKind::NoRunningTime,
        cause: |it| it.set_schedule("1,0,0,20,8,0,17,59"),
        met: AT_ONCE,
        cure: |it| it.set_schedule(DAILY),
        gone: AT_ONCE,
        again: Some(|_| ()),
    },
    Fault {
        name: "a refill without a reset",
        kind: AttentionKind::LevelNotReset,
        cause: |it| it.set_life(100.0),
        met: AT_ONCE,
        cure: |it| it.set_life(0.0),
        gone: AT_ONCE,
        again: Some(|it| it.set_life(500.0)),
    },
    Fault {
        name: "a technician who leaves",
        kind: AttentionKind::NoTechnician,
        cause: |it| it.has_technician = false,
        met: AT_ONCE,
        cure: |it| it.has_technician = true,
        gone: AT_ONCE,
        again: Some(|_| ()),
    },
];

async fn item_of_each_kind_opens_within_a_minute_of_its_cause_and_closes_as_soon(db: Db) {
    for kind in AttentionKind::ALL {
        assert!(FAULTS.iter().any(|fault| fault.kind == kind), "no fault has the kind {kind:?}");
    }
    for fault in FAULTS {
        let is_new = fault.kind == AttentionKind::NeverConnected;
        let device = Diffuser::new(START.parse().unwrap());
        let mut scene = Scene::start(&db, Some(device).filter(|_| !is_new)).await;
        assert_eq!(scene.items().await, [], "{} before it", fault.name);
        let kind = fault.kind.name();
        for occurrence in 1..=if fault.again.is_some() { 2 } else { 1 } {
            if occurrence > 1 {
                fault.again.expect("a preparation")(&mut scene.cloud());
                scene.leap_until(scene.now() + MINUTE).await;
            }
            scene.just_after_a_pass().await;
            let closed = scene.items().await;
            (fault.cause)(&mut scene.cloud());
            let met_at = fault.met.at(scene.now());
            scene.leap_until(met_at - SECOND).await;
            if met_at > scene.now() {
                assert_eq!(scene.items().await, closed, "{} too soon", fault.name);
                scene.leap_until(met_at).await;
            }
            scene.expect(&[(kind, true, occurrence)], fault.name).await;

            scene.just_after_a_pass().await;
            (fault.cure)(&mut scene.cloud());
            scene.leap_until(fault.gone.at(scene.now())).await;
            scene.expect(&[(kind, false, occurrence)], fault.name).await;
        }
    }
}

platform::store_suite!(
    migrate = crate::migrations::migrate,
    tests = [item_of_each_kind_opens_within_a_minute_of_its_cause_and_closes_as_soon]
);
