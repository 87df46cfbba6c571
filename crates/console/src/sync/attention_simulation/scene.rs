//! A console whose clock the test moves, beside the mock cloud.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use devicecloud::Device;
use devicecloud::testing::model;
use diffuser::Fragrance;
use jiff::{SignedDuration, Timestamp};
use platform::bus::Bus;
use platform::db::{Db, params};
use platform::nodes::lease::Lease;
use platform::run::clock::Clock;
use platform::run::random::Random;
use sqlx::AssertSqlSafe;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::cloud::{CloudState, Diffuser, mock_cloud};
use crate::base::Base;
use crate::config::PASS_EVERY;
use crate::events::own_commands::Echoes;
use crate::fragrances;
use crate::index::forecasts::DeviceFacts;
use crate::index::observed_devices::AttentionQueue;
use crate::index::streamed_values::{CartridgeLife, StreamedValues};
use crate::index::{self, CloudRead, Due, DueReads, IndexEntry, PageMemory};
use crate::records::device_panic::DEFECTIVE;
use crate::retention::Retention;
use crate::sessions::service_account::ServiceSession;
use crate::sessions::session::SessionLimits;
use crate::sync::backoff::Backoff;
use crate::sync::event_group::QueuedEvent;
use crate::sync::stream_queue::StreamQueue;
use crate::sync::{Listener, PassHandle, PassRunner, StreamWriter};

/// A Wednesday, within the running time of the diffuser's schedule.
pub(super) const START: &str = "2026-11-25T12:00:00Z";
/// From a cause to its item, and from the end of the cause to the closed item.
const LIMIT: SignedDuration = SignedDuration::from_secs(60);
pub(super) const SECOND: SignedDuration = SignedDuration::from_secs(1);
/// As those of the evaluator.
const DUE_INTERVAL: i64 = 10;
/// The longest pass of a small fleet, in seconds.
const PASS_DURATION: i64 = 3;
/// The time between two reports of the cartridge life.
const REPORT_INTERVAL: i64 = 15 * 60;
/// Long waits are simulated in steps of the first length, then of the second, and their last minute in seconds.
const LEAPS: [SignedDuration; 2] = [SignedDuration::from_mins(10), SignedDuration::from_mins(1)];

/// A console with the parts that lead from the cloud to items.
pub(super) struct Scene {
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
    pub(super) async fn start(db: &Db, device: Option<Diffuser>) -> Self {
        let clock = Clock::mock(START.parse().unwrap());
        let base = Base { db: db.clone(), bus: Bus::in_process(), clock: clock.clone(), random: Random::seeded(1) };
        index::drop_index(db).await.unwrap();
        for rows in ["delete from attention_items", "delete from attention_devices", "delete from csps"] {
            db.execute(rows, params![]).await.unwrap();
        }
        fragrances::add_missing(db, &[fragrance("Fig", 0.5), fragrance("Oud", 0.95)]).await.unwrap();
        let now = clock.now();
        let cloud = CloudState { device, has_technician: true, now, ..CloudState::default() };
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
            retention: Retention {
                base: base.clone(),
                audit_days: 1,
                sessions: SessionLimits::default(),
                clock_confirmed: None,
            },
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

    pub(super) fn now(&self) -> Timestamp {
        self.base.clock.now()
    }

    pub(super) fn cloud(&self) -> MutexGuard<'_, CloudState> {
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

    /// Moves on until about `at`. Work under way ends with each step.
    pub(super) async fn leap_until(&mut self, at: Timestamp) {
        while let Some(leap) = LEAPS.into_iter().find(|leap| self.now() + *leap < at) {
            self.advance(leap).await;
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
            assert!(reader.update(dsn.clone()).await.is_ok(), "{dsn} is not read");
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

    /// Adds a device that makes all work on it panic, and queues work of each kind for it.
    pub(super) async fn add_defective(&mut self) {
        let now = self.now();
        let device: Device = model(self.cloud().device().json(now, DEFECTIVE));
        // As it was before the defect.
        let mut entry = IndexEntry::of(&device);
        entry.record.state.intensity = Some(20);
        let catalogue = fragrances::by_name(&self.base.db).await.unwrap();
        self.due.forecasts.add(DeviceFacts::of(&device, &entry.record, &catalogue, now));
        entry.record.dsn = "HEALTHY".to_owned();
        let read = CloudRead::begin(&self.base.clock).end(&self.base.clock);
        index::apply_read(&self.base.db, &[entry], read).await.unwrap();
        for table in ["idx_device_state", "idx_devices"] {
            let sql = format!("update {table} set dsn = '{DEFECTIVE}' where dsn = 'HEALTHY'");
            self.base.db.execute(AssertSqlSafe(sql), params![]).await.unwrap();
        }
        self.runner.attention.note(DEFECTIVE);
        self.runner.values.set_life(DEFECTIVE, CartridgeLife { at: now, hours: 900.0 });
        self.due.reads.add(&device.dsn);
        let mut cloud = self.cloud();
        cloud.has_defective = true;
        cloud.send_events_of_defective();
    }

    async fn pass(&mut self) {
        let mut catalogue = Arc::new(fragrances::by_name(&self.base.db).await.unwrap());
        let lease = self.runner.lease.clone();
        self.runner.run_one(&lease, &mut self.memory, &mut catalogue, &self.due).await.unwrap();
        let every = SignedDuration::try_from(PASS_EVERY).unwrap();
        self.next_pass = self.now() + every + SECOND * i32::try_from(PASS_DURATION).unwrap();
    }

    /// Kind, whether it is open, and how often it opened.
    pub(super) async fn items(&self) -> Vec<(String, bool, i64)> {
        let sql = "select kind, closed_at is null, occurrences from attention_items order by id";
        self.base.db.fetch_all(sql, params![]).await.unwrap()
    }

    /// Moves on until the items are these ones, for a minute at most.
    pub(super) async fn expect(&mut self, items: &[(&str, bool, i64)], what: &str) {
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
    pub(super) async fn just_after_a_pass(&mut self) {
        while self.next_pass.duration_since(self.now()) < SignedDuration::try_from(PASS_EVERY).unwrap() {
            self.second().await;
        }
    }
}

fn fragrance(name: &str, flow: f64) -> Fragrance {
    let flow = [Some(flow), None, None, None, None, None, None];
    Fragrance { name: name.to_owned(), sku: name.to_owned(), density: 1.0, flow }
}
