//! The writer on both databases, with faults.

use platform::bus::{Bus, BusAddress, Delivery};
use platform::db::{Db, Tx, params};
use platform::run::clock::Clock;
use platform::run::random::Random;
use platform::testing::TestDb;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::events::notices::{self, DeviceEventKind, Notice, Notices};
use crate::index::{CloudRead, IndexEntry, LEASE, StreamChange, apply_read, times};
use crate::records::{ConnectionStatus, DeviceRecord, DeviceState, IndexedProperty};
use crate::sync::event_group::{DeviceEvent, EventChange};
use crate::sync::stream_queue::StreamQueue;

/// A console's path from the queue to the notices, over an index with the online devices A and B of the CSP North.
struct Scene {
    base: Base,
    lease: Lease,
    passes: PassHandle,
    queue: StreamQueue,
    rejected: mpsc::Receiver<String>,
    reads: DueReads,
    notices: Notices,
    _writer: JoinHandle<()>,
}

impl Scene {
    async fn start(db: Db) -> Self {
        Self::start_on(db, Bus::in_process()).await
    }

    async fn start_on(db: Db, bus: Bus) -> Self {
        let clock = Clock::mock("2026-11-20T12:00:00Z".parse().unwrap());
        let base = Base { db, bus, clock: clock.clone(), random: Random::seeded(1) };
        let entries: Vec<IndexEntry> = (1..).zip(["A", "B"]).map(|(key, dsn)| entry(key, dsn)).collect();
        apply_read(&base.db, &entries, CloudRead::begin(&clock).end(&clock)).await.unwrap();
        clock.advance(SignedDuration::from_secs(1));
        let lease = Lease::new(base.db.clone(), clock, LEASE, "this".to_owned());
        let (passes, (events, queued)) = (PassHandle::new(), mpsc::channel(100));
        let (reject, rejected) = mpsc::channel(1);
        let (attention, reads) = (AttentionQueue::default(), DueReads::default());
        let writer =
            StreamWriter::new(base.clone(), lease.clone(), passes.clone(), queued, reject, attention, reads.clone());
        let (notices, queue) = (notices::listen(&base.bus), StreamQueue::new(&base, passes.clone(), events));
        Self { base, lease, passes, queue, rejected, reads, notices, _writer: tokio::spawn(writer.run()) }
    }

    /// The device reports a fan speed at the present time.
    fn report(&mut self, dsn: &str, fan: i64) {
        self.push(
            dsn,
            EventChange::Known(StreamChange::Reported(IndexedProperty::Fan, fan)),
            DeviceEventKind::Reported,
        );
    }

    fn push(&mut self, dsn: &str, change: EventChange, kind: DeviceEventKind) {
        let event = DeviceEvent { dsn: dsn.to_owned(), change, kind, is_published: false };
        assert!(self.queue.push(event, Some(self.base.clock.now())));
    }

    /// The dsn, kind and lists of the next notice.
    async fn notice(&mut self) -> (String, DeviceEventKind, Vec<String>) {
        let Some(Delivery::Message { subject, payload }) = self.notices.next().await else { panic!("no notice") };
        let Some(Notice::Device(notice)) = notices::read(&subject, &payload) else { panic!("not about a device") };
        (notice.dsn.to_owned(), notice.kind, notice.lists().map(str::to_owned).collect())
    }

    async fn fan(&self, dsn: &str) -> Option<i64> {
        let sql = "select fan from idx_device_state where dsn = $1";
        self.base.db.fetch_one::<(Option<i64>,)>(sql, params![dsn]).await.unwrap().0
    }
}

fn entry(key: i64, dsn: &str) -> IndexEntry {
    let connected_at = Some("2026-11-20T11:00:00Z".parse().unwrap());
    let connection_status = ConnectionStatus::Online;
    let connection_changed_at = connected_at;
    let state = DeviceState { connection_status, connected_at, connection_changed_at, ..DeviceState::default() };
    let (dsn, csp) = (dsn.to_owned(), Some("North".to_owned()));
    IndexEntry { key, record: DeviceRecord { dsn, csp, state, ..DeviceRecord::default() } }
}

fn reported(dsn: &str) -> (String, DeviceEventKind, Vec<String>) {
    (dsn.to_owned(), DeviceEventKind::Reported, vec![])
}

/// Keeps all other transactions from changing the index.
async fn block_writes(db: &Db) -> Tx {
    let mut tx = db.begin().await.unwrap();
    if let Db::Postgres(_) = db {
        tx.execute("LOCK TABLE idx_device_state, idx_sync IN EXCLUSIVE MODE", params![]).await.unwrap();
    }
    tx
}

async fn events_that_change_nothing_are_published_without_a_transaction(db: Db) {
    let mut scene = Scene::start(db.clone()).await;
    assert!(scene.lease.take().await.unwrap());
    scene.report("A", 1);
    assert_eq!(scene.notice().await, reported("A"));
    let blocked = block_writes(&db).await;
    for _ in 0..3 {
        scene.report("A", 1);
        assert_eq!(scene.notice().await, reported("A"));
        scene.push("B", EventChange::Known(StreamChange::NotIndexed), DeviceEventKind::Commanded);
        assert_eq!(scene.notice().await, ("B".to_owned(), DeviceEventKind::Commanded, vec![]));
    }
    blocked.commit().await.unwrap();
    assert!(!scene.passes.is_requested());
}

async fn change_of_unindexed_facts_queues_a_read(db: Db) {
    let mut scene = Scene::start(db).await;
    assert!(scene.lease.take().await.unwrap());
    scene.report("A", 1);
    assert_eq!(scene.notice().await, reported("A"));
    assert_eq!(scene.reads.take(), None);
    scene.push("A", EventChange::Known(StreamChange::FactsChanged), DeviceEventKind::Acknowledged);
    assert_eq!(scene.notice().await.0, "A");
    assert_eq!(scene.reads.take(), Some("A".into()));
    scene.push("B", EventChange::Rejected, DeviceEventKind::Acknowledged);
    assert_eq!(scene.rejected.recv().await.unwrap(), "B");
    assert_eq!(scene.reads.take(), Some("B".into()));
}

async fn event_is_published_after_it_is_written(db: Db) {
    let mut scene = Scene::start(db.clone()).await;
    assert!(scene.lease.take().await.unwrap());
    let blocked = block_writes(&db).await;
    scene.report("A", 2);
    scene.push(
        "A",
        EventChange::Known(StreamChange::Connection(ConnectionStatus::Offline, None)),
        DeviceEventKind::Connection,
    );
    tokio::task::yield_now().await;
    blocked.commit().await.unwrap();
    assert_eq!(scene.notice().await.0, "A");
    assert_eq!(scene.fan("A").await, Some(2));
}

async fn failed_transaction_requests_a_pass_and_stops_the_time_of_the_index(db: Db) {
    let mut scene = Scene::start(db.clone()).await;
    assert!(scene.lease.take().await.unwrap());
    let started = scene.base.clock.now();
    let before = started - SignedDuration::from_mins(1);
    db.execute("update idx_sync set as_of = $1", params![before]).await.unwrap();
    scene.passes.complete(started + SignedDuration::from_secs(1));
    scene.base.clock.advance(SignedDuration::from_secs(5));
    scene.report("A", 1);
    scene.notice().await;
    scene.report("B", 1);
    scene.notice().await;
    let advanced = times(&db).await.unwrap().unwrap();
    assert!(advanced.states_as_of > before, "the stream is complete since before the pass");
    assert_eq!(advanced.as_of, before, "the stream does not report every change");

    db.execute("alter table idx_device_state rename to elsewhere", params![]).await.unwrap();
    scene.base.clock.advance(SignedDuration::from_secs(5));
    scene.report("A", 2);
    while !scene.passes.is_requested() {
        tokio::task::yield_now().await;
    }
    db.execute("alter table elsewhere rename to idx_device_state", params![]).await.unwrap();
    for _ in 0..2 {
        scene.base.clock.advance(SignedDuration::from_secs(5));
        scene.report("B", 3);
        assert_eq!(scene.notice().await, reported("B"), "the lost event is not published");
    }
    assert_eq!((scene.fan("A").await, scene.fan("B").await), (Some(1), Some(3)));
    assert_eq!(times(&db).await.unwrap(), Some(advanced), "the pass began before the gap");
    scene.passes.complete(scene.base.clock.now());
    for _ in 0..2 {
        scene.base.clock.advance(SignedDuration::from_secs(5));
        scene.report("B", 4);
        scene.notice().await;
    }
    assert!(times(&db).await.unwrap().unwrap().states_as_of > advanced.states_as_of);
}

async fn node_without_the_lease_publishes_what_the_other_node_has_written(db: Db) {
    let mut scene = Scene::start(db.clone()).await;
    let other = Lease::new(db.clone(), scene.base.clock.clone(), LEASE, "other".to_owned());
    assert!(other.take().await.unwrap());
    scene.report("A", 5);
    scene.report("B", 5);
    let sql = "update idx_device_state set fan = 5 where dsn = $1";
    db.execute(sql, params!["B"]).await.unwrap();
    assert_eq!(scene.notice().await, reported("B"), "A is not written yet");
    assert_eq!(scene.fan("A").await, None);
    db.execute(sql, params!["A"]).await.unwrap();
    assert_eq!(scene.notice().await, reported("A"));
}

async fn node_that_acquires_the_lease_writes_waiting_events(db: Db) {
    let mut scene = Scene::start(db.clone()).await;
    let other = Lease::new(db.clone(), scene.base.clock.clone(), LEASE, "other".to_owned());
    assert!(other.take().await.unwrap());
    scene.report("A", 5);
    scene.push("B", EventChange::Known(StreamChange::NotIndexed), DeviceEventKind::Commanded);
    assert_eq!(scene.notice().await.0, "B");
    other.release().await.unwrap();
    assert!(scene.lease.take().await.unwrap());
    assert_eq!(scene.notice().await, reported("A"));
    assert_eq!(scene.fan("A").await, Some(5));
}

async fn rejected_command_is_read_again_after_the_events_before_it(db: Db) {
    let mut scene = Scene::start(db.clone()).await;
    assert!(scene.lease.take().await.unwrap());
    scene.report("A", 6);
    scene.push("A", EventChange::Rejected, DeviceEventKind::Acknowledged);
    assert_eq!(scene.rejected.recv().await.as_deref(), Some("A"));
    assert_eq!(scene.fan("A").await, Some(6));
}

#[tokio::test]
async fn node_that_hears_the_others_leaves_events_to_the_node_with_the_lease() {
    let test = TestDb::postgres_with(crate::migrations::migrate).await;
    let (bus, link) = Bus::connect(&BusAddress::Postgres, &test.db, &Random::system()).await.unwrap();
    tokio::spawn(link.unwrap().run(CancellationToken::new()));
    let mut scene = Scene::start_on(test.db.clone(), bus.clone()).await;
    let other = Lease::new(test.db.clone(), scene.base.clock.clone(), LEASE, "other".to_owned());
    assert!(other.take().await.unwrap());
    scene.push("A", EventChange::Known(StreamChange::NotIndexed), DeviceEventKind::Commanded);
    // Handled after the event before it.
    scene.push("A", EventChange::Rejected, DeviceEventKind::Acknowledged);
    assert_eq!(scene.rejected.recv().await.as_deref(), Some("A"));
    notices::device(&bus, "B", DeviceEventKind::Changed, &[]);
    let subject = loop {
        match scene.notices.next().await.unwrap() {
            Delivery::Message { subject, .. } => break subject,
            Delivery::Resync => {}
        }
    };
    assert_eq!(&*subject, "device.B", "nothing was published about A");
}

platform::store_suite!(
    migrate = crate::migrations::migrate,
    tests = [
        events_that_change_nothing_are_published_without_a_transaction,
        change_of_unindexed_facts_queues_a_read,
        event_is_published_after_it_is_written,
        failed_transaction_requests_a_pass_and_stops_the_time_of_the_index,
        node_without_the_lease_publishes_what_the_other_node_has_written,
        node_that_acquires_the_lease_writes_waiting_events,
        rejected_command_is_read_again_after_the_events_before_it,
    ]
);
