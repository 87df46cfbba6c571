//! Faults at the cloud, and how long their items take to open and to close (F-06). Stream, passes, reads, forecasts and attention of a
//! console take their turns on a clock that the test moves; each hands over to the next one a second later.

mod cloud;
mod scene;

use diffuser::properties;
use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, params};

use self::cloud::{CloudState, DAILY, DAY, Diffuser};
use self::scene::{SECOND, START, Scene};
use crate::attention_rules::AttentionKind;
use crate::records::device_panic::DEFECTIVE;
use crate::test_tools::captured_log::CapturedLog;

const MINUTE: SignedDuration = SignedDuration::from_mins(1);
const HOUR: SignedDuration = SignedDuration::from_hours(1);

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

const FAULTS: [Fault; 15] = [
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
        name: "values that the cloud does not store",
        kind: AttentionKind::UnreadableValues,
        cause: |it| it.device().faults = 20,
        met: AT_ONCE,
        cure: |it| it.device().faults = 19,
        gone: AT_ONCE,
        again: Some(|_| ()),
    },
    Fault {
        name: "a second device with the same key",
        kind: AttentionKind::SharedIdentity,
        cause: |it| it.device().shared_identity = true,
        met: AT_ONCE,
        cure: |it| it.device().shared_identity = false,
        gone: AT_ONCE,
        again: Some(|_| ()),
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

async fn panic_of_work_on_one_device_is_logged_with_its_serial_number_and_stops_nothing_else(db: Db) {
    let log = CapturedLog::start();
    let mut scene = Scene::start(&db, Some(Diffuser::new(START.parse().unwrap()))).await;
    scene.add_defective().await;
    let [fault, ..] = FAULTS;
    (fault.cause)(&mut scene.cloud());
    scene.expect(&[(fault.kind.name(), true, 1)], fault.name).await;
    (fault.cure)(&mut scene.cloud());
    scene.expect(&[(fault.kind.name(), false, 1)], fault.name).await;
    scene.just_after_a_pass().await;
    let rows: Vec<(String, Option<i64>)> =
        db.fetch_all("select dsn, intensity from idx_device_state order by dsn", params![]).await.unwrap();
    let row = |dsn: &str| (dsn.to_owned(), Some(20));
    assert_eq!(rows, [row("A"), row(DEFECTIVE)], "the row of a defective device stays as it was");
    let text = log.text();
    for kind in ["pass", "read", "forecast", "attention", "level", "event", "datapoint", "acknowledgement"] {
        let line = text.lines().find(|line| line.contains(&format!("work=\"{kind}\"")));
        assert!(line.is_some_and(|line| line.contains(DEFECTIVE)), "{kind} in {text}");
    }
}

platform::store_suite!(
    migrate = crate::migrations::migrate,
    tests = [
        item_of_each_kind_opens_within_a_minute_of_its_cause_and_closes_as_soon,
        panic_of_work_on_one_device_is_logged_with_its_serial_number_and_stops_nothing_else,
    ]
);
