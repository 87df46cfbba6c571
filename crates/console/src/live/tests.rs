//! Streams of readers, without HTTP and without a cloud.

use std::collections::HashSet;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use devicecloud::{Client, MemoryTokenStore};
use diffuser::Role;
use futures::{Stream, StreamExt};
use platform::bus::Bus;
use platform::db::params;
use platform::run::clock::Clock;
use platform::run::random::Random;
use platform::testing::TestDb;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::frame::{HEARTBEAT, LIST, READY, RESYNC};
use super::{Publisher, reader_stream};
use crate::base::Base;
use crate::config::ConsoleConfig;
use crate::events::hub::View;
use crate::events::notices::{self, DeviceEventKind};
use crate::policy::Actor;
use crate::policy::session_hash::SessionHash;
use crate::records::device_panic::DEFECTIVE;
use crate::server;
use crate::sessions::service_account::{CloudCheck, ServiceSession};
use crate::state::CoreState;
use crate::test_tools::captured_log::CapturedLog;

const NOON: &str = "2026-11-20T12:00:00Z";
const DSN: &str = "SC1";
/// Notices that the hub queues for a reader.
const QUEUED: usize = 64;

struct World {
    state: CoreState,
    _database: TestDb,
}

impl World {
    async fn start() -> Self {
        let database = TestDb::sqlite().await;
        crate::migrations::migrate(&database.db).await;
        let cloud = devicecloud::Config::local("http://127.0.0.1:1", "app", "secret").unwrap();
        let config = ConsoleConfig::new(&*database.url, cloud, "service@example.com", "secret", [7; 32]);
        let (clock, random) = (Clock::mock(NOON.parse().unwrap()), Random::seeded(1));
        let base = Base { db: database.db.clone(), bus: Bus::in_process(), clock, random };
        let client = Client::new(config.cloud.clone(), Arc::new(MemoryTokenStore::new())).unwrap();
        let service =
            Arc::new(ServiceSession::new(&client, config.service_email.clone(), config.service_password.clone()));
        let check = Arc::new(CloudCheck::new(service, base.clock.clone()));
        let stopping = CancellationToken::new();
        let state = server::state(&config, None, &base, &base.db, &client, &check, &stopping).core;
        Self { state, _database: database }
    }

    /// A technician of North with a session of this number.
    async fn sign_in(&self, number: u8) -> Actor {
        let session = SessionHash::of(&[number; 32]);
        let (user, role) = (Uuid::from_u128(u128::from(number)), Role::CspTech);
        let now = self.state.base.clock.now();
        let insert = "insert into sessions (id_hash, user_id, email, firstname, lastname, role, csp, access_read_at, \
                      tokens, created_at, seen_at) values ($1, $2, '', '', '', $3, 'North', $4, null, $4, $4)";
        let values = params![session.as_str(), user, role.name(), now];
        self.state.base.db.execute(insert, values).await.unwrap();
        Actor { session, user, role: Some(role), csp: Some("North".to_owned()) }
    }

    async fn open(&self, actor: &Actor) -> Reader {
        self.open_for(actor, &[DSN]).await
    }

    async fn open_for(&self, actor: &Actor, dsns: &[&str]) -> Reader {
        let dsns = dsns.iter().map(|dsn| (*dsn).to_owned()).collect();
        let stream = reader_stream::start(self.state.clone(), actor.clone(), dsns, &HashSet::new());
        let mut reader = Reader(Box::pin(stream.map(|frame| frame.unwrap())));
        assert_eq!(reader.next().await, READY);
        reader
    }

    /// Sends an event to all readers of the device.
    fn send(&self, event: &Bytes, session_version: i64) {
        self.state.hub.send(DSN, View::Row, session_version, |_| vec![event.clone()]);
    }

    /// The list of this CSP changes.
    async fn change_list(&self, csp: &str) {
        let mut listener = notices::listen(&self.state.base.bus);
        notices::device(&self.state.base.bus, "OTHER", DeviceEventKind::Changed, &[csp.to_owned()]);
        self.state.hub.dispatch(&listener.next().await.unwrap(), |_| false);
    }

    async fn session_version(&self) -> i64 {
        self.state.sessions.version().await.unwrap()
    }
}

struct Reader(Pin<Box<dyn Stream<Item = Bytes> + Send>>);

impl Reader {
    async fn next(&mut self) -> Bytes {
        self.0.next().await.expect("the stream goes on")
    }

    /// The next frame that is not about lists.
    async fn next_of_devices(&mut self) -> Bytes {
        loop {
            let frame = self.next().await;
            if frame != LIST {
                return frame;
            }
        }
    }

    async fn is_ended_by(&mut self, reason: &str) -> bool {
        let end = format!("event: end\ndata: {{\"reason\":\"{reason}\"}}\n\n");
        self.0.next().await == Some(end.into()) && self.0.next().await.is_none()
    }
}

fn event(number: usize) -> Bytes {
    format!("event: device\ndata: {number}\n\n").into()
}

#[tokio::test]
async fn slow_reader_gets_a_resync_before_the_newest_events_and_delays_no_other() {
    let world = World::start().await;
    let mut slow = world.open(&world.sign_in(1).await).await;
    let mut fast = world.open(&world.sign_in(2).await).await;
    for number in 0..QUEUED * 2 {
        world.send(&event(number), 0);
        assert_eq!(fast.next().await, event(number));
    }
    assert_eq!(slow.next().await, RESYNC);
    for number in QUEUED..QUEUED * 2 {
        assert_eq!(slow.next().await, event(number));
    }
    world.send(&event(1_000), 0);
    assert_eq!(slow.next().await, event(1_000), "the stream goes on, with one resync");
}

#[tokio::test]
async fn all_readers_get_the_same_bytes() {
    let world = World::start().await;
    let mut readers = Vec::new();
    for number in 1..=50 {
        readers.push(world.open(&world.sign_in(number).await).await);
    }
    let event = event(1);
    world.send(&event, 0);
    for reader in &mut readers {
        assert_eq!(reader.next().await.as_ptr(), event.as_ptr());
    }
}

#[tokio::test]
async fn events_after_the_end_of_a_session_are_not_sent() {
    let world = World::start().await;
    let [ended, demoted, unchanged] = [world.sign_in(1).await, world.sign_in(2).await, world.sign_in(3).await];
    let mut readers = [world.open(&ended).await, world.open(&demoted).await, world.open(&unchanged).await];
    let before = world.session_version().await;
    world.send(&event(1), before);
    for reader in &mut readers {
        assert_eq!(reader.next().await, event(1));
    }
    // As another node does, whose notices do not reach this one.
    let db = &world.state.base.db;
    db.execute("delete from sessions where id_hash = $1", params![ended.session.as_str()]).await.unwrap();
    let demotion = "update sessions set role = $2 where id_hash = $1";
    db.execute(demotion, params![demoted.session.as_str(), Role::CspObserver.name()]).await.unwrap();
    db.execute("update session_version set version = version + 1", params![]).await.unwrap();
    world.send(&event(2), before + 1);
    let [of_ended, of_demoted, of_unchanged] = &mut readers;
    assert!(of_ended.is_ended_by("signed_out").await);
    assert!(of_demoted.is_ended_by("access_changed").await);
    assert_eq!(of_unchanged.next().await, event(2));
}

#[tokio::test]
async fn reader_whose_session_cannot_be_checked_gets_a_resync_when_it_can_again() {
    let world = World::start().await;
    let mut reader = world.open(&world.sign_in(1).await).await;
    world.send(&event(1), 0);
    assert_eq!(reader.next().await, event(1));
    let db = &world.state.base.db;
    let rename = async |from: &str, to: &str| {
        let sql = sqlx::AssertSqlSafe(format!("alter table {from} rename to {to}"));
        db.execute(sql, params![]).await.unwrap();
    };
    rename("sessions", "hidden").await;
    world.send(&event(2), 1);
    // Only a heartbeat is sent while the session cannot be read.
    tokio::time::pause();
    assert_eq!(reader.next().await, HEARTBEAT);
    tokio::time::resume();
    rename("hidden", "sessions").await;
    world.send(&event(3), 0);
    let sent = HashSet::from([reader.next().await, reader.next().await]);
    assert_eq!(sent, HashSet::from([RESYNC, event(3)]));
}

#[tokio::test]
async fn list_event_follows_a_change_of_the_own_list_only() {
    let world = World::start().await;
    let mut reader = world.open(&world.sign_in(1).await).await;
    world.change_list("South").await;
    world.send(&event(1), 0);
    assert_eq!(reader.next().await, event(1));
    world.change_list("North").await;
    assert_eq!(reader.next().await, LIST);
}

#[tokio::test]
async fn panic_in_the_events_of_a_device_is_a_resync_and_stops_no_others() {
    let log = CapturedLog::start();
    let world = World::start().await;
    let mut reader = world.open_for(&world.sign_in(1).await, &[DEFECTIVE, DSN]).await;
    let bus = &world.state.base.bus;
    let publisher = tokio::spawn(Publisher::new(world.state.clone()).run(notices::listen(bus)));
    let lists = ["North".to_owned()];
    notices::device(bus, DEFECTIVE, DeviceEventKind::Changed, &lists);
    assert_eq!(reader.next_of_devices().await, RESYNC);
    notices::device(bus, DSN, DeviceEventKind::Changed, &lists);
    assert_eq!(reader.next_of_devices().await, "event: removed\ndata: {\"dsn\":\"SC1\"}\n\n");
    publisher.abort();
    let text = log.text();
    assert!(text.contains("work on a device panicked") && text.contains(DEFECTIVE), "{text}");
}
