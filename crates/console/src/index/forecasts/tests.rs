//! Forecasts on both databases.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use devicecloud::testing::{MockCloud, model};
use devicecloud::{Client, Device};
use diffuser::Fragrance;
use diffuser::forecast::DAILY_USE_DAYS;
use jiff::{SignedDuration, Timestamp};
use platform::bus::{Bus, Delivery};
use platform::db::{Db, params};
use platform::run::clock::{Clock, from_micros, to_micros};
use platform::run::random::Random;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use super::device_facts::Reading;
use super::store::StoredForecast;
use super::*;
use crate::base::Base;
use crate::events::notices::{self, DeviceEventKind, Notice};
use crate::index::observed_devices::AttentionQueue;
use crate::index::{self, CloudRead, IndexEntry};
use crate::records::Catalogue;
use crate::records::device_panic::DEFECTIVE;
use crate::sessions::service_account::ServiceSession;

/// A Friday.
const NOON: &str = "2026-11-20T12:00:00Z";
/// Every day from 8 to 18.
const SCHEDULE: &str = "1,1,0,20,8,0,17,59";

/// An AQ290 with 1000 running hours in a cartridge, in UTC.
#[derive(Clone)]
pub(super) struct Diffuser {
    dsn: &'static str,
    hours: f64,
    mode: i64,
    schedule: &'static str,
}

pub(super) const DIFFUSER: Diffuser = Diffuser { dsn: "A", hours: 500.0, mode: 4, schedule: SCHEDULE };

impl Diffuser {
    fn device(&self) -> Device {
        let property = |name: &str, base_type: &str, value: Value| {
            json!({"property": {
                "name": name, "base_type": base_type, "value": value, "data_updated_at": "2026-11-20T11:50:00Z"
            }})
        };
        model(json!({"device": {
            "dsn": self.dsn,
            "key": 1,
            "connection_status": "Online",
            "connected_at": "2026-11-01T00:00:00Z",
            "data": [
                {"datum": {"key": "cart_name", "value": "AQ290"}},
                {"datum": {"key": "fragrance", "value": "Fig"}},
                {"datum": {"key": "time_zone", "value": "UTC"}},
            ],
            "properties": [
                property("cartridge_life", "decimal", json!(self.hours)),
                property("current_state", "integer", json!(self.mode)),
                property("schedule_blob", "string", json!(self.schedule)),
            ],
        }}))
    }

    pub(super) fn facts(&self, read_at: Timestamp) -> DeviceFacts {
        let device = self.device();
        DeviceFacts::of(&device, &IndexEntry::of(&device).record, &catalogue(), read_at)
    }
}

fn catalogue() -> Catalogue {
    let flow = [Some(0.5), None, None, None, None, None, None];
    let fig = Fragrance { name: "Fig".to_owned(), sku: "F-1".to_owned(), density: 1.0, flow };
    [("Fig".to_owned(), fig)].into()
}

/// A console whose cloud has the history of a device that ran ten hours a day for 70 days, and was refilled 50 days ago.
struct Console {
    updater: ForecastUpdater,
    clock: Clock,
    calls: Arc<Mutex<Vec<Timestamp>>>,
}

impl Console {
    fn new(db: Db) -> Self {
        let clock = Clock::mock(NOON.parse().unwrap());
        let (mock, calls) = (MockCloud::new(), Arc::new(Mutex::new(Vec::new())));
        let noted = Arc::clone(&calls);
        mock.answer_with("GET apiv1/dsns/{dsn}/properties/{name}/datapoints.json", move |request| {
            let until = request.query.iter().find_map(|it| it.strip_prefix("filter[created_at_end_date]="));
            let until: Timestamp = until.unwrap().parse().unwrap();
            noted.lock().unwrap().push(until);
            (200, history(until))
        });
        let client: Client = mock.client();
        let service = ServiceSession::new(&client, "service@example.com".to_owned(), "Secret-1".into());
        let base = Base { db, bus: Bus::in_process(), clock: clock.clone(), random: Random::seeded(1) };
        let (service, due) = (Arc::new(service), DueForecasts::default());
        Self {
            updater: ForecastUpdater {
                base,
                service,
                pause: Duration::ZERO,
                due,
                attention: AttentionQueue::default(),
            },
            clock,
            calls,
        }
    }

    fn db(&self) -> &Db {
        &self.updater.base.db
    }

    async fn index(&self, diffuser: &Diffuser) {
        let read = CloudRead::begin(&self.clock).end(&self.clock);
        index::apply_read(self.db(), &[IndexEntry::of(&diffuser.device())], read).await.unwrap();
    }

    async fn update(&self, diffuser: &Diffuser) -> super::updater::Updated {
        self.updater.update(&[diffuser.facts(self.clock.now())]).await.unwrap()
    }

    async fn stored(&self, dsn: &str) -> Option<StoredForecast> {
        super::store::read(self.db(), &[dsn]).await.unwrap().remove(dsn)
    }

    /// The sort values in ascending and descending order.
    async fn sort_values(&self) -> Vec<(String, i64, i64)> {
        let sql = "select dsn, runs_dry_rising, runs_dry_falling from idx_device_state order by runs_dry_rising, dsn";
        self.db().fetch_all(sql, params![]).await.unwrap()
    }
}

/// The newest value at `until` or earlier. There is one at each noon of 70 days. Ten days ago the device refused a reset, and has not
/// answered another one.
fn history(until: Timestamp) -> Value {
    let noon: Timestamp = NOON.parse().unwrap();
    let refused = noon - SignedDuration::from_hours(24 * 10 - 1);
    let expired = refused + SignedDuration::from_hours(1);
    let next = noon - SignedDuration::from_hours(24 * 9);
    for (at, answer) in
        [(expired, json!({"expired": true})), (refused, json!({"acked_at": refused.to_string(), "ack_status": 422}))]
    {
        if (at..next).contains(&until) {
            let mut reset = answer;
            reset["id"] = json!(at.to_string());
            reset["value"] = json!(0);
            reset["created_at"] = json!(at.to_string());
            return json!([{"datapoint": reset}]);
        }
    }
    let days = (noon - SignedDuration::from_secs(1)).duration_since(until).as_hours().div_euclid(24) + 1;
    let days = days.max(0);
    let at = noon - SignedDuration::from_hours(24 * days);
    if days > 70 {
        return json!([]);
    }
    let hours = 500 - 10 * days;
    let hours = if hours >= 0 { hours } else { hours + 1000 };
    json!([{"datapoint": {"id": days.to_string(), "value": hours, "created_at": at.to_string()}}])
}

async fn forecast_is_stored_and_sorted_with_unknown_ones_last(db: Db) {
    let console = Console::new(db);
    let fuller = Diffuser { dsn: "B", hours: 400.0, ..DIFFUSER };
    let unknown = Diffuser { dsn: "C", mode: 1, ..DIFFUSER };
    for diffuser in [&unknown, &fuller, &DIFFUSER] {
        console.index(diffuser).await;
        console.update(diffuser).await;
    }
    let empty = console.stored("A").await.unwrap().empty.unwrap();
    // 500 hours at ten a day, six of which are left today.
    assert_eq!(empty.median, "2027-01-09T12:00:00Z".parse().unwrap());
    assert!(empty.earliest < empty.median && empty.latest.is_some_and(|latest| empty.median < latest));
    let later = console.stored("B").await.unwrap().empty.unwrap().median;
    assert_eq!(later, empty.median + SignedDuration::from_hours(240));
    assert_eq!(console.stored("C").await.unwrap().empty, None);
    let [a, b] = [empty.median, later].map(to_micros);
    let expected = [("A", a, a), ("B", b, b), ("C", i64::MAX, -i64::MAX)];
    assert_eq!(console.sort_values().await, expected.map(|(dsn, rising, falling)| (dsn.to_owned(), rising, falling)));
}

async fn new_date_is_published_to_the_lists_of_the_csp(db: Db) {
    let console = Console::new(db);
    let mut notices = notices::listen(&console.updater.base.bus);
    let other = Diffuser { dsn: "B", ..DIFFUSER };
    for diffuser in [&DIFFUSER, &other] {
        console.index(diffuser).await;
    }
    // The second update changes nothing.
    console.update(&DIFFUSER).await;
    console.update(&DIFFUSER).await;
    console.update(&other).await;
    for dsn in ["A", "B"] {
        let Some(Delivery::Message { subject, payload }) = notices.next().await else { panic!("a notice") };
        let Some(Notice::Device(device)) = notices::read(&subject, &payload) else { panic!("{subject}") };
        assert_eq!((device.dsn, device.kind), (dsn, DeviceEventKind::Changed));
        assert_eq!(device.lists().collect::<Vec<_>>(), [""], "it has no CSP");
    }
}

async fn daily_use_is_filled_once_with_a_call_per_day(db: Db) {
    let console = Console::new(db);
    console.index(&DIFFUSER).await;
    let other = Diffuser { dsn: "B", ..DIFFUSER };
    console.index(&other).await;
    console.update(&other).await;
    let new = console.update(&DIFFUSER).await.new;
    assert_eq!(new.len(), 1, "it is not filled yet");
    let read_so_far = async |of| histories(console.db(), of, console.clock.now()).await.unwrap();
    let both = Histories { devices: 2, read: 0, read_by: None };
    assert_eq!(read_so_far(HistoriesOf::default()).await, Some(both));
    console.updater.fill(&new[0]).await.unwrap();
    let read = Histories { read: 1, ..both };
    assert_eq!(read_so_far(HistoriesOf::default()).await, Some(read), "it is not known how long one takes");
    console.clock.advance(SignedDuration::from_mins(3));
    let read_by = Some(console.clock.now() + SignedDuration::from_mins(3));
    assert_eq!(read_so_far(HistoriesOf::default()).await, Some(Histories { read: 1, read_by, ..both }));
    let fig = HistoriesOf { fragrance: Some("Fig"), ..HistoriesOf::default() };
    assert_eq!(read_so_far(fig).await, Some(Histories { read: 1, read_by, ..both }));
    for elsewhere in [
        HistoriesOf { csp: Some("North"), ..HistoriesOf::default() },
        HistoriesOf { customer: Some("Hotel"), ..HistoriesOf::default() },
        HistoriesOf { fragrance: Some("fig"), ..HistoriesOf::default() },
    ] {
        assert_eq!(read_so_far(elsewhere).await, None, "{elsewhere:?}");
    }
    let calls = console.calls.lock().unwrap().len();
    let commands = 2;
    assert!(calls <= DAILY_USE_DAYS + 1 + commands, "{calls} calls");

    let stored = console.stored("A").await.unwrap();
    assert_eq!(stored.filled_at, Some(console.clock.now() - SignedDuration::from_mins(3)));
    let days: Vec<Option<f64>> = stored.daily_use.days().map(|(_, hours)| hours).collect();
    assert_eq!(days.len(), DAILY_USE_DAYS - 1);
    // The refill hides the use of two days; all others are known.
    let known: Vec<f64> = days.iter().copied().flatten().collect();
    assert!(known.len() >= DAILY_USE_DAYS - 4 && known.iter().all(|hours| (hours - 10.0).abs() < 0.02), "{days:?}");

    console.clock.advance(SignedDuration::from_hours(24) - SignedDuration::from_mins(3));
    assert_eq!(console.update(&Diffuser { hours: 508.0, ..DIFFUSER }).await.new.len(), 0);
    console.updater.fill(&new[0]).await.unwrap();
    assert_eq!(console.calls.lock().unwrap().len(), calls, "it is filled once");
    let kept = console.stored("A").await.unwrap().daily_use;
    assert_eq!(kept.last_reading(), Some(console.clock.now()));
    assert_eq!(kept.days().count(), DAILY_USE_DAYS - 1);
}

async fn history_that_is_read_later_keeps_the_newest_facts(db: Db) {
    let console = Console::new(db);
    console.index(&DIFFUSER).await;
    let device = DIFFUSER.device();
    let record = IndexEntry::of(&device).record;
    for catalogue in [Catalogue::default(), catalogue()] {
        console.updater.due.add(DeviceFacts::of(&device, &record, &catalogue, console.clock.now()));
    }
    let filled = async {
        loop {
            if let Some(filled) = console.stored("A").await.filter(|it| it.filled_at.is_some()) {
                return filled;
            }
        }
    };
    tokio::select! {
        filled = filled => assert!(filled.empty.is_some(), "the catalogue was read after the first pass"),
        () = console.updater.run() => unreachable!(),
    }
}

async fn panic_while_a_history_is_read_leaves_the_device_to_its_next_change(db: Db) {
    let console = Console::new(db);
    let defective = Diffuser { dsn: DEFECTIVE, ..DIFFUSER };
    console.index(&Diffuser { dsn: "HEALTHY", ..DIFFUSER }).await;
    for table in ["idx_device_state", "idx_devices"] {
        let sql = format!("update {table} set dsn = '{DEFECTIVE}' where dsn = 'HEALTHY'");
        console.db().execute(AssertSqlSafe(sql), params![]).await.unwrap();
    }
    console.updater.fill_or_retry(defective.facts(console.clock.now())).await;
    assert_eq!(console.stored(DEFECTIVE).await.unwrap().filled_at, None);
    assert_eq!(console.calls.lock().unwrap().len(), 0);
}

async fn change_of_the_running_time_keeps_the_usual_share(db: Db) {
    let console = Console::new(db);
    console.index(&DIFFUSER).await;
    console.update(&DIFFUSER).await;
    let before = console.stored("A").await.unwrap();
    assert_eq!((before.plan_since, before.share), (None, Some(1.0)));

    console.clock.advance(SignedDuration::from_hours(1));
    // Another intensity is no other running time.
    console.update(&Diffuser { schedule: "1,1,0,50,8,0,17,59", ..DIFFUSER }).await;
    assert_eq!(console.stored("A").await.unwrap().plan_since, None);
    console.update(&Diffuser { mode: 1, ..DIFFUSER }).await;
    let off = console.stored("A").await.unwrap();
    assert_eq!((off.plan_since, off.usual_share, off.empty), (Some(console.clock.now()), Some(1.0), None));
    console.clock.advance(SignedDuration::from_hours(1));
    console.update(&DIFFUSER).await;
    let again = console.stored("A").await.unwrap();
    assert_eq!((again.plan_since, again.usual_share), (Some(console.clock.now()), Some(1.0)));
}

async fn dropped_index_is_filled_again(db: Db) {
    let console = Console::new(db);
    console.index(&DIFFUSER).await;
    let new = console.update(&DIFFUSER).await.new;
    console.updater.fill(&new[0]).await.unwrap();
    let before = console.stored("A").await.unwrap();

    index::drop_index(console.db()).await.unwrap();
    assert_eq!(console.stored("A").await, None);
    let missing = console.update(&DIFFUSER).await.missing;
    assert_eq!(missing.len(), 1, "the pass has not written the device yet");
    console.index(&DIFFUSER).await;
    let new = console.update(&DIFFUSER).await.new;
    console.updater.fill(&new[0]).await.unwrap();
    assert_eq!(console.stored("A").await, Some(before));
    assert_ne!(console.sort_values().await[0].1, i64::MAX);
}

/// The days of November on which something was used or refilled, with mL and refills.
async fn sums(console: &Console) -> Vec<(String, i64, i64)> {
    let sql = "select day, used_ml, refills from fleet_days where dimension = 'fragrance' and value = 'Fig' \
               and (used_devices > 0 or refills > 0) order by day";
    let rows: Vec<(i64, f64, i64)> = console.db().fetch_all(sql, params![]).await.unwrap();
    #[expect(clippy::cast_possible_truncation, reason = "a small number")]
    let day = |(day, used, refills): (i64, f64, i64)| {
        (from_micros(day).to_string()[5..10].to_owned(), used.round() as i64, refills)
    };
    rows.into_iter().map(day).collect()
}

async fn use_and_refills_are_added_to_the_sums_of_the_fleet_once(db: Db) {
    let console = Console::new(db);
    console.index(&DIFFUSER).await;
    let new = console.update(&DIFFUSER).await.new;
    assert_eq!(sums(&console).await, [], "its history is still to be read");
    console.updater.fill(&new[0]).await.unwrap();
    let filled = sums(&console).await;
    // Ten hours at half a millilitre.
    assert_eq!(filled.last(), Some(&("11-19".to_owned(), 5, 0)));
    let refills: Vec<&str> = filled.iter().filter(|(_, _, refills)| *refills > 0).map(|(day, ..)| &day[..]).collect();
    assert_eq!(refills, ["10-01"]);
    assert!(filled.len() > DAILY_USE_DAYS - 5, "{filled:?}");

    // The index is dropped, and the same history read again.
    index::drop_index(console.db()).await.unwrap();
    console.index(&DIFFUSER).await;
    let new = console.update(&DIFFUSER).await.new;
    console.updater.fill(&new[0]).await.unwrap();
    assert_eq!(sums(&console).await, filled);

    console.clock.advance(SignedDuration::from_hours(24));
    console.update(&Diffuser { hours: 4.0, ..DIFFUSER }).await;
    console.clock.advance(SignedDuration::from_hours(24));
    for hours in [14.0, 14.5] {
        console.update(&Diffuser { hours, ..DIFFUSER }).await;
    }
    let later = sums(&console).await;
    assert_eq!(later[..filled.len()], filled, "earlier days stay as they are");
    // What was used around the refill is unknown.
    assert_eq!(later[filled.len()..], [("11-21".to_owned(), 0, 1)]);
}

#[test]
fn reset_that_the_device_has_not_answered_is_no_reading() {
    let mut device = DIFFUSER.device();
    device.properties[0] = model(json!({"property": {
        "name": "cartridge_life", "base_type": "decimal", "value": 0, "data_updated_at": NOON,
        "reported_value": 500, "reported_at": "2026-11-20T11:50:00Z",
        "command": {"id": "c", "value": 0, "state": "pending", "created_at": NOON},
    }}));
    for (status, at) in [("Online", NOON), ("Offline", "2026-11-20T11:50:00Z")] {
        device.connection_status = status.into();
        let record = IndexEntry::of(&device).record;
        let facts = DeviceFacts::of(&device, &record, &catalogue(), NOON.parse().unwrap());
        assert_eq!(facts.reading, Some(Reading { at: at.parse().unwrap(), hours: 500.0 }), "{status}");
    }
}

#[test]
fn device_is_due_when_its_facts_or_the_day_change() {
    let due = DueForecasts::default();
    let noon: Timestamp = NOON.parse().unwrap();
    let is_due = |diffuser: &Diffuser, at: Timestamp| {
        assert!(due.add(diffuser.facts(at)));
        !due.take(10).is_empty()
    };
    let minutes = |count: i64| noon + SignedDuration::from_mins(count);
    assert!(is_due(&DIFFUSER, noon), "a device that is seen for the first time");
    assert!(!is_due(&DIFFUSER, minutes(1)));
    assert!(!is_due(&Diffuser { hours: 501.0, ..DIFFUSER }, minutes(2)), "the level is still 50 percent");
    assert!(is_due(&Diffuser { hours: 520.0, ..DIFFUSER }, minutes(3)), "the level");
    let off = Diffuser { hours: 520.0, mode: 1, ..DIFFUSER };
    assert!(is_due(&off, minutes(4)), "the mode");
    let other = Diffuser { hours: 520.0, schedule: "1,1,0,20,9,0,17,59", ..DIFFUSER };
    assert!(is_due(&other, minutes(5)), "the schedule");
    assert!(!is_due(&other, minutes(11 * 60)));
    assert!(is_due(&other, minutes(12 * 60)), "the day");
    due.forget(&"A".into());
    assert!(is_due(&other, minutes(12 * 60 + 1)), "a device that was not stored");
}

platform::store_suite!(
    migrate = crate::migrations::migrate,
    tests = [
        forecast_is_stored_and_sorted_with_unknown_ones_last,
        new_date_is_published_to_the_lists_of_the_csp,
        daily_use_is_filled_once_with_a_call_per_day,
        history_that_is_read_later_keeps_the_newest_facts,
        change_of_the_running_time_keeps_the_usual_share,
        dropped_index_is_filled_again,
        panic_while_a_history_is_read_leaves_the_device_to_its_next_change,
        use_and_refills_are_added_to_the_sums_of_the_fleet_once,
    ]
);
