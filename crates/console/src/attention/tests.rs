//! Simulated faults of each kind on both databases (F-06), and a healthy fleet (F-07).

use std::slice;

use diffuser::{Mode, Role};
use jiff::{SignedDuration, Timestamp};
use platform::bus::Bus;
use platform::db::{Db, params};
use platform::run::clock::Clock;
use platform::run::random::Random;
use uuid::Uuid;

use super::item_list::{ItemFilter, ItemState, count, page};
use super::{AttentionEvaluator, delete_old_items};
use crate::attention_rules::{AttentionKind, Observation, UseOfDay};
use crate::base::Base;
use crate::csps;
use crate::index::observed_devices::AttentionQueue;
use crate::index::streamed_values::StreamedValues;
use crate::index::{self, CloudRead, DueReads, IndexEntry};
use crate::policy::Scope;
use crate::records::{ConnectionStatus, DeviceRecord, DeviceState};

/// A Wednesday, within the running time of [`DAILY`].
const START: &str = "2026-11-25T12:00:00Z";
/// Every day from 08:00 to 17:59.
const DAILY: &str = "1,1,0,20,8,0,17,59";
/// The time between two steps of a simulation: less than the limit of 60 seconds.
const STEP: SignedDuration = SignedDuration::from_secs(30);
const LIMIT: SignedDuration = SignedDuration::from_secs(60);
const HOUR: SignedDuration = SignedDuration::from_hours(1);
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// A diffuser in UTC with all that its console knows.
#[derive(Clone, Debug)]
struct Diffuser {
    dsn: String,
    csp: &'static str,
    online: bool,
    /// When it connected or disconnected; `None` if it never connected.
    changed_at: Option<Timestamp>,
    created_at: Timestamp,
    pending: i64,
    schedule: &'static str,
    /// When the schedule was changed.
    plan_since: Option<Timestamp>,
    level: i64,
    life: f64,
    runs_dry_at: Option<Timestamp>,
    /// The hours used on each of the last seven days.
    daily_hours: f64,
}

impl Diffuser {
    fn new(dsn: &str, now: Timestamp) -> Self {
        Self {
            dsn: dsn.to_owned(),
            csp: "North",
            online: true,
            changed_at: Some(now - DAY * 30),
            created_at: now - DAY * 60,
            pending: 0,
            schedule: DAILY,
            plan_since: None,
            level: 50,
            life: 500.0,
            runs_dry_at: Some(now + DAY * 50),
            daily_hours: 10.0,
        }
    }

    fn set_online(&mut self, online: bool, now: Timestamp) {
        (self.online, self.changed_at) = (online, Some(now));
    }

    fn record(&self) -> DeviceRecord {
        let status = if self.online { ConnectionStatus::Online } else { ConnectionStatus::Offline };
        DeviceRecord {
            dsn: self.dsn.clone(),
            csp: Some(self.csp.to_owned()),
            customer: Some("Hotel Aurora".to_owned()),
            time_zone: Some("UTC".to_owned()),
            created_at: Some(self.created_at),
            state: DeviceState {
                connection_status: status,
                connected_at: self.changed_at,
                connection_changed_at: self.changed_at,
                mode: Some(i64::from(Mode::Run.code())),
                fragrance_remaining: Some(self.level),
                pending: self.pending,
                ..DeviceState::default()
            },
            ..DeviceRecord::default()
        }
    }

    fn observation(&self, now: Timestamp) -> Observation {
        let today = Timestamp::from_second(now.as_second().div_euclid(86_400) * 86_400).unwrap();
        let days = (1..=7).rev().map(|day| UseOfDay { start: today - DAY * day, hours: Some(self.daily_hours) });
        Observation {
            read_at: now,
            schedule: Some(self.schedule.to_owned()),
            fragrance: Some("Fig".to_owned()),
            life_hours: Some(self.life),
            level: Some(self.level),
            plan_since: self.plan_since,
            use_of_days: days.collect(),
            ..Observation::default()
        }
    }
}

struct Console {
    evaluator: AttentionEvaluator,
    clock: Clock,
}

/// An item as stored: kind, whether it is open, and how often it opened.
type Item = (String, bool, i64);

impl Console {
    async fn new(db: Db) -> Self {
        let clock = Clock::mock(START.parse().unwrap());
        let base = Base { db, bus: Bus::in_process(), clock: clock.clone(), random: Random::seeded(1) };
        let (queue, values, reads) = (AttentionQueue::default(), StreamedValues::default(), DueReads::default());
        let console = Self { evaluator: AttentionEvaluator { base, queue, values, reads }, clock };
        console.complete_pass().await;
        console
    }

    fn db(&self) -> &Db {
        &self.evaluator.base.db
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    async fn complete_pass(&self) {
        let sql = "update idx_sync set as_of = $1, users_as_of = $1 where id = 1";
        self.db().execute(sql, params![self.now()]).await.unwrap();
    }

    /// What a pass and the forecasts do about a device that has changed.
    async fn read(&self, diffuser: &Diffuser) {
        let read = CloudRead::begin(&self.clock).end(&self.clock);
        let entry = IndexEntry { key: 1, record: diffuser.record() };
        index::apply_read(self.db(), &[entry], read).await.unwrap();
        self.db()
            .execute(
                "update idx_device_state set runs_dry_at = $1 where dsn = $2",
                params![diffuser.runs_dry_at, &diffuser.dsn],
            )
            .await
            .unwrap();
        self.evaluator.queue.observe(&diffuser.dsn, diffuser.observation(self.now()));
    }

    /// A step of the evaluation.
    async fn examine(&self) {
        self.complete_pass().await;
        self.evaluator.examine_queued().await.unwrap();
        self.evaluator.examine_due().await.unwrap();
        self.evaluator.examine_csps().await.unwrap();
        delete_old_items(self.db(), self.now()).await.unwrap();
    }

    async fn run_for(&self, time: SignedDuration) {
        let end = self.now() + time;
        while self.now() < end {
            self.clock.advance(STEP.min(end.duration_since(self.now())));
            self.examine().await;
        }
    }

    async fn items(&self) -> Vec<Item> {
        let sql = "select kind, closed_at is null, occurrences from attention_items order by id";
        self.db().fetch_all(sql, params![]).await.unwrap()
    }
}

/// A fault of a device, and its cure.
struct Fault {
    kind: AttentionKind,
    cause: fn(&mut Diffuser, Timestamp),
    cure: fn(&mut Diffuser, Timestamp),
    /// From the fault to its cause of an item.
    delay: SignedDuration,
}

const FAULTS: [Fault; 9] = [
    Fault {
        kind: AttentionKind::RunsDry,
        cause: |it, now| it.runs_dry_at = Some(now + DAY * 7 + HOUR),
        cure: |it, now| it.runs_dry_at = Some(now + DAY * 60),
        delay: HOUR,
    },
    Fault {
        kind: AttentionKind::Empty,
        cause: |it, _| it.level = 0,
        cure: |it, _| (it.level, it.life) = (100, 0.0),
        delay: SignedDuration::ZERO,
    },
    Fault {
        kind: AttentionKind::Offline,
        cause: |it, now| it.set_online(false, now),
        cure: |it, now| it.set_online(true, now),
        delay: HOUR,
    },
    Fault {
        kind: AttentionKind::NeverConnected,
        cause: |it, now| (it.online, it.changed_at, it.created_at) = (false, None, now - DAY * 2 + HOUR),
        cure: |it, now| it.set_online(true, now),
        delay: HOUR,
    },
    Fault {
        kind: AttentionKind::NoUse,
        cause: |it, _| it.daily_hours = 0.0,
        cure: |it, _| it.daily_hours = 10.0,
        delay: SignedDuration::ZERO,
    },
    Fault {
        kind: AttentionKind::ExcessUse,
        cause: |it, _| it.daily_hours = 20.0,
        cure: |it, _| it.daily_hours = 10.0,
        delay: SignedDuration::ZERO,
    },
    Fault {
        kind: AttentionKind::UnansweredCommand,
        cause: |it, _| it.pending = 4,
        cure: |it, _| it.pending = 0,
        delay: HOUR,
    },
    Fault {
        kind: AttentionKind::NoRunningTime,
        cause: |it, now| (it.schedule, it.plan_since) = ("1,1,0,99,8,0,17,59", Some(now)),
        cure: |it, now| (it.schedule, it.plan_since) = (DAILY, Some(now)),
        delay: SignedDuration::ZERO,
    },
    Fault {
        kind: AttentionKind::LevelNotReset,
        cause: |it, _| (it.level, it.life) = (90, 100.0),
        cure: |it, _| (it.level, it.life) = (100, 0.0),
        delay: SignedDuration::ZERO,
    },
];

async fn item_of_each_kind_opens_merges_while_it_flaps_and_closes(db: Db) {
    for fault in FAULTS {
        let console = Console::new(db.clone()).await;
        let name = fault.kind.name();
        console.db().execute("delete from attention_items", params![]).await.unwrap();
        console.db().execute("delete from attention_devices", params![]).await.unwrap();
        let healthy = Diffuser::new(name, console.now());
        let mut diffuser = healthy.clone();
        if fault.kind == AttentionKind::NeverConnected {
            // It cannot have been healthy before.
            (fault.cause)(&mut diffuser, console.now());
        }
        console.read(&diffuser).await;
        console.examine().await;
        assert_eq!(console.items().await, [], "{name} before the fault");
        for occurrence in 1..=2 {
            if fault.kind == AttentionKind::NeverConnected && occurrence == 2 {
                break;
            }
            console.clock.advance(STEP);
            if fault.kind != AttentionKind::NeverConnected {
                (fault.cause)(&mut diffuser, console.now());
                console.read(&diffuser).await;
            }
            if fault.delay > LIMIT {
                console.run_for(STEP).await;
                console.clock.advance(fault.delay - LIMIT - STEP);
                console.examine().await;
                assert_eq!(console.items().await.iter().filter(|item| item.1).count(), 0, "{name} opens too soon");
                console.run_for(LIMIT).await;
            }
            console.run_for(LIMIT).await;
            assert_eq!(console.items().await, [(name.to_owned(), true, occurrence)], "{name} opens");

            (fault.cure)(&mut diffuser, console.now());
            console.read(&diffuser).await;
            console.run_for(LIMIT).await;
            assert_eq!(console.items().await, [(name.to_owned(), false, occurrence)], "{name} closes");
            // As before the fault, without an item in between.
            let (level, life) = (healthy.level, healthy.life);
            diffuser = Diffuser { level, life, ..diffuser };
            if fault.kind == AttentionKind::LevelNotReset {
                console.db().execute("update attention_devices set memory = '{}'", params![]).await.unwrap();
                console.read(&diffuser).await;
                console.run_for(LIMIT).await;
            }
        }
        // A cause that returns on another day is another item.
        if fault.kind != AttentionKind::NeverConnected && fault.kind != AttentionKind::LevelNotReset {
            console.clock.advance(DAY + HOUR);
            (fault.cause)(&mut diffuser, console.now());
            console.read(&diffuser).await;
            console.examine().await;
            console.clock.advance(fault.delay + STEP);
            console.examine().await;
            assert_eq!(console.items().await.len(), 2, "{name} on another day");
        }
        console.db().execute("delete from idx_device_state", params![]).await.unwrap();
        console.db().execute("delete from idx_devices", params![]).await.unwrap();
    }
}

async fn csp_without_a_technician_has_one_item(db: Db) {
    let console = Console::new(db).await;
    let names = ["North", "Empty"].map(str::to_owned);
    csps::adopt(console.db(), &Random::seeded(2), &names, console.now()).await.unwrap();
    for dsn in ["A", "B"] {
        console.read(&Diffuser::new(dsn, console.now())).await;
    }
    console.run_for(LIMIT).await;
    assert_eq!(console.items().await, [("no_technician".to_owned(), true, 1)]);
    let subject: (String, String) =
        console.db().fetch_one("select dsn, csp from attention_items", params![]).await.unwrap();
    assert_eq!(subject, (String::new(), "North".to_owned()));

    let columns = "email, firstname, lastname, company, business_role, phone, city, state, country";
    let folded = "email_folded, firstname_folded, lastname_folded, company_folded, business_role_folded, phone_folded";
    let (empty, role) = (["''"; 15].join(", "), Role::CspTech.name());
    let sql = format!(
        "insert into idx_users (id, confirmed, role, csp, created_at, synced_at, {columns}, {folded}) \
         values ('u', true, '{role}', 'North', 1, 1, {empty})"
    );
    console.db().execute(sqlx::AssertSqlSafe(sql), params![]).await.unwrap();
    console.run_for(LIMIT).await;
    assert_eq!(console.items().await, [("no_technician".to_owned(), false, 1)]);
    console.db().execute("delete from idx_users", params![]).await.unwrap();
    console.run_for(LIMIT).await;
    assert_eq!(console.items().await, [("no_technician".to_owned(), true, 2)]);
    console.db().execute("delete from csps", params![]).await.unwrap();
    console.run_for(LIMIT).await;
    assert_eq!(console.items().await, [("no_technician".to_owned(), false, 2)]);
}

async fn items_of_a_csp_are_found_by_each_filter(db: Db) {
    let console = Console::new(db).await;
    csps::adopt(console.db(), &Random::seeded(2), &["North".to_owned()], console.now()).await.unwrap();
    for (dsn, csp) in [("A", "North"), ("B", "North"), ("C", "South"), ("D", "South")] {
        console.read(&Diffuser { level: 0, csp, ..Diffuser::new(dsn, console.now()) }).await;
    }
    console.run_for(LIMIT).await;

    let everything = ItemFilter::default();
    let empty = ItemFilter { kind: Some(AttentionKind::Empty), ..everything.clone() };
    let one = ItemFilter { dsn: Some("A".to_owned()), ..everything.clone() };
    let found = ItemFilter { search: Some("b".to_owned()), ..everything.clone() };
    let subjects = async |scope, filter| {
        let page = page(console.db(), scope, filter, None, 10, console.now()).await.unwrap();
        let mut subjects: Vec<_> = page.into_iter().map(|item| item.dsn.unwrap_or_default()).collect();
        subjects.sort();
        subjects
    };
    let (north, south) = (Scope::Csp("North"), Scope::Csp("South"));
    assert_eq!(subjects(north, &everything).await, ["", "A", "B"]);
    assert_eq!(subjects(south, &everything).await, ["C", "D"]);
    assert_eq!(subjects(north, &empty).await, ["A", "B"]);
    assert_eq!(subjects(north, &one).await, ["A"]);
    assert_eq!(subjects(north, &found).await, ["B"]);
    assert_eq!(subjects(south, &found).await, [""; 0]);
    assert_eq!(subjects(Scope::Everything, &everything).await, ["", "A", "B", "C", "D"]);
}

/// The states of the items that this CSP sees, with the time of their cause, whether somebody is assigned, and the customer.
async fn listed(console: &Console, csp: &str, state: ItemState) -> Vec<(Timestamp, bool, Option<String>)> {
    let filter = ItemFilter { state, ..ItemFilter::default() };
    let items = page(console.db(), Scope::Csp(csp), &filter, None, 10, console.now()).await.unwrap();
    items.into_iter().map(|item| (item.since, item.assignee.is_some(), item.customer)).collect()
}

/// Acknowledges, assigns and snoozes all items.
async fn handle_all(console: &Console) {
    let sql =
        "update attention_items set acknowledged_at = $1, acknowledged_by = $2, assignee = $2, snoozed_until = $3";
    let until = console.now() + DAY * 365;
    console.db().execute(sql, params![console.now(), Uuid::from_u128(1), until]).await.unwrap();
}

async fn item_that_opens_again_is_new_with_the_time_of_its_cause(db: Db) {
    let console = Console::new(db).await;
    let mut diffuser = Diffuser::new("A", console.now());
    diffuser.set_online(false, console.now());
    console.read(&diffuser).await;
    console.run_for(HOUR * 2).await;
    let first = (diffuser.changed_at.unwrap(), false, diffuser.record().customer);
    assert_eq!(listed(&console, "North", ItemState::New).await, slice::from_ref(&first));
    assert_eq!(count(console.db(), Scope::Csp("North"), console.now()).await.unwrap().0, 1);
    handle_all(&console).await;
    assert_eq!(listed(&console, "North", ItemState::Snoozed).await, [(first.0, true, first.2.clone())]);
    assert_eq!(count(console.db(), Scope::Csp("North"), console.now()).await.unwrap().0, 0);

    diffuser.set_online(true, console.now());
    console.read(&diffuser).await;
    console.run_for(LIMIT).await;
    diffuser.set_online(false, console.now());
    console.read(&diffuser).await;
    console.run_for(HOUR * 2).await;
    assert_eq!(console.items().await, [("offline".to_owned(), true, 2)]);
    let again = (diffuser.changed_at.unwrap(), true, first.2);
    assert!(again.0 > first.0);
    for state in [ItemState::New, ItemState::Open] {
        assert_eq!(listed(&console, "North", state).await, slice::from_ref(&again), "{state:?}: the assignee stays");
    }
    assert_eq!(count(console.db(), Scope::Csp("North"), console.now()).await.unwrap().0, 1);

    // Another cause of an open item has its own time; more evidence of the same cause has not.
    for (cause, since) in [("another", again.0), ("power_or_network", Timestamp::from_microsecond(1).unwrap())] {
        let sql = "update attention_items set since = 1, cause = $1, evidence = '{}'";
        console.db().execute(sql, params![cause]).await.unwrap();
        console.evaluator.queue.note("A");
        console.examine().await;
        assert_eq!(listed(&console, "North", ItemState::New).await[0].0, since, "{cause}");
    }
}

async fn item_of_an_empty_cartridge_has_the_time_that_its_history_gives(db: Db) {
    let console = Console::new(db).await;
    console.read(&Diffuser { level: 0, ..Diffuser::new("A", console.now()) }).await;
    console.run_for(LIMIT).await;
    let since = async || listed(&console, "North", ItemState::New).await[0].0;
    let first = since().await;
    for (emptied_at, expected) in
        [(first - DAY * 2, first - DAY * 2), (first - DAY, first - DAY * 2), (first - DAY * 3, first - DAY * 3)]
    {
        console.db().execute("update idx_device_state set emptied_at = $1", params![emptied_at]).await.unwrap();
        console.evaluator.queue.note("A");
        console.examine().await;
        assert_eq!(since().await, expected, "it does not become younger");
    }
}

async fn device_that_moves_leaves_its_items_and_gets_new_ones(db: Db) {
    let console = Console::new(db).await;
    let mut diffuser = Diffuser { level: 0, ..Diffuser::new("A", console.now()) };
    console.read(&diffuser).await;
    console.run_for(LIMIT).await;
    let customer = diffuser.record().customer;
    assert_eq!(listed(&console, "North", ItemState::New).await.len(), 1);
    handle_all(&console).await;

    diffuser.csp = "South";
    console.read(&diffuser).await;
    assert!(listed(&console, "South", ItemState::Open).await.is_empty(), "not those of the former CSP");
    assert_eq!(listed(&console, "North", ItemState::Snoozed).await[0].2, None, "it says nothing of the new one");
    console.run_for(LIMIT).await;
    assert_eq!(console.items().await, [("empty".to_owned(), false, 1), ("empty".to_owned(), true, 1)]);
    let south = listed(&console, "South", ItemState::New).await;
    assert_eq!((south.len(), south[0].1, &south[0].2), (1, false, &customer));
    assert!(listed(&console, "South", ItemState::Closed).await.is_empty());
    assert_eq!(listed(&console, "North", ItemState::Closed).await.len(), 1);
    assert!(listed(&console, "North", ItemState::Open).await.is_empty());

    // Back again, it is not taken for a cause that comes and goes.
    diffuser.csp = "North";
    console.read(&diffuser).await;
    console.run_for(LIMIT).await;
    let item = |is_open| ("empty".to_owned(), is_open, 1);
    assert_eq!(console.items().await, [item(false), item(false), item(true)]);
    assert_eq!(listed(&console, "North", ItemState::New).await.len(), 1);
}

async fn nothing_is_examined_while_the_index_is_empty_or_old(db: Db) {
    let console = Console::new(db).await;
    let mut diffuser = Diffuser::new("A", console.now());
    diffuser.level = 0;
    console.read(&diffuser).await;
    console.clock.advance(SignedDuration::from_mins(16));
    console.evaluator.examine_queued().await.unwrap();
    assert_eq!(console.items().await, [], "the last pass is too old");
    assert!(console.evaluator.queue.take(1).is_empty(), "the queue has room for further devices");
    console.db().execute("update idx_sync set as_of = null", params![]).await.unwrap();
    console.evaluator.examine_queued().await.unwrap();
    assert_eq!(console.items().await, [], "the index is being filled");
    console.examine().await;
    assert_eq!(console.items().await, [("empty".to_owned(), true, 1)], "the device has waited");
    console.db().execute("delete from idx_device_state", params![]).await.unwrap();
    console.db().execute("update idx_sync set as_of = null", params![]).await.unwrap();
    console.evaluator.examine_csps().await.unwrap();
    assert_eq!(console.items().await, [("empty".to_owned(), true, 1)], "an empty index says nothing");
    console.examine().await;
    assert_eq!(console.items().await, [("empty".to_owned(), false, 1)], "the device was removed");
}

async fn closed_items_are_deleted_after_ninety_days(db: Db) {
    let console = Console::new(db).await;
    let mut diffuser = Diffuser { level: 0, runs_dry_at: None, ..Diffuser::new("A", console.now()) };
    console.read(&diffuser).await;
    console.examine().await;
    diffuser.level = 90;
    console.read(&diffuser).await;
    console.examine().await;
    assert_eq!(console.items().await.len(), 1);
    console.clock.advance(DAY * 90);
    console.examine().await;
    assert_eq!(console.items().await.len(), 1);
    console.clock.advance(STEP);
    console.examine().await;
    assert_eq!(console.items().await, []);
}

/// Devices that follow their schedule, lose their network now and then, get commands that they answer within minutes, and
/// cartridges ten days before they run dry.
async fn healthy_fleet_has_less_than_one_item_in_a_hundred_device_days(db: Db) {
    const DEVICES: usize = 12;
    const DAYS: usize = 10;
    let (console, random) = (Console::new(db).await, Random::seeded(7));
    let start = console.now();
    let level = |number: usize| 20 + i64::try_from(number).unwrap() * 4;
    let mut fleet: Vec<Diffuser> = (0..DEVICES)
        .map(|number| Diffuser { level: level(number), ..Diffuser::new(&format!("D{number}"), start) })
        .collect();
    for hour in 0..DAYS * 24 {
        let now = console.now();
        for diffuser in &mut fleet {
            let before = (diffuser.online, diffuser.pending, diffuser.level);
            if random.below(200) == 0 {
                diffuser.set_online(false, now);
            }
            diffuser.pending = if random.below(50) == 0 { 4 } else { 0 };
            if hour % 24 == 12 {
                // A percent a day.
                diffuser.level -= 1;
                diffuser.life += 10.0;
                if diffuser.level <= 10 {
                    (diffuser.level, diffuser.life) = (100, 0.0);
                }
                diffuser.runs_dry_at = Some(now + DAY * i32::try_from(diffuser.level).unwrap());
            }
            diffuser.daily_hours = 9.0 + f64::from(u32::try_from(random.below(20)).unwrap()) / 10.0;
            if before != (diffuser.online, diffuser.pending, diffuser.level) || hour % 24 == 12 || hour == 0 {
                console.read(diffuser).await;
            }
        }
        // Outages and commands of this hour end within it.
        console.examine().await;
        console.clock.advance(HOUR / 2);
        for diffuser in &mut fleet {
            if !diffuser.online || diffuser.pending != 0 {
                let now = console.now();
                diffuser.pending = 0;
                if !diffuser.online {
                    diffuser.set_online(true, now);
                }
                console.read(diffuser).await;
            }
        }
        console.examine().await;
        console.clock.advance(HOUR / 2);
    }
    let items = console.items().await;
    assert!(items.len() * 100 < DEVICES * DAYS, "{items:?}");
}

platform::store_suite!(
    migrate = crate::migrations::migrate,
    tests = [
        item_of_each_kind_opens_merges_while_it_flaps_and_closes,
        csp_without_a_technician_has_one_item,
        items_of_a_csp_are_found_by_each_filter,
        item_that_opens_again_is_new_with_the_time_of_its_cause,
        item_of_an_empty_cartridge_has_the_time_that_its_history_gives,
        device_that_moves_leaves_its_items_and_gets_new_ones,
        nothing_is_examined_while_the_index_is_empty_or_old,
        closed_items_are_deleted_after_ninety_days,
        healthy_fleet_has_less_than_one_item_in_a_hundred_device_days,
    ]
);
