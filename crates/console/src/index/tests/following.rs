//! Lists follow the index: every change, on every node, whatever comes between.

use platform::run::random::Random;

use super::lists::{RandomValues, expected, store_forecast, store_forecasts};
use super::*;
use crate::index::upsert::remove;
use crate::records::DeviceRecord;

const SEEDS: u64 = 6;
const STEPS: usize = 60;

/// The nodes of a console: two that follow, and one that is new.
struct Nodes {
    db: Db,
    following: [DeviceLists; 2],
}

impl Nodes {
    fn new(db: &Db) -> Self {
        Self { db: db.clone(), following: [DeviceLists::new(db.clone()), DeviceLists::new(db.clone())] }
    }

    fn pick(&mut self, random: &RandomValues) -> DeviceLists {
        match random.below(8) {
            // The node is killed, and another takes its place.
            0 => self.following[0] = DeviceLists::new(self.db.clone()),
            1 => return DeviceLists::new(self.db.clone()),
            _ => {}
        }
        self.following[random.below(2)].clone()
    }
}

async fn lists_equal_a_plain_walk_after_any_changes_on_two_nodes(db: Db) {
    let clock = clock();
    for seed in 0..SEEDS {
        let random = RandomValues(Random::seeded(1000 + seed));
        drop_index(&db).await.unwrap();
        let mut nodes = Nodes::new(&db);
        let mut fleet: Vec<DeviceRecord> = (0..60).map(|number| random.device(number)).collect();
        clock.advance(SignedDuration::from_secs(1));
        apply_read(&db, &entries(&fleet), CloudRead::begin(&clock).end(&clock)).await.unwrap();
        store_forecasts(&db).await;
        for step in 0..STEPS {
            clock.advance(SignedDuration::from_secs(1));
            for _ in 0..=random.below(4) {
                change(&db, &clock, &random, &mut fleet).await;
            }
            let (actor, query) = (random.actor(), random.query());
            let answer = nodes.pick(&random).page(&actor, &query).await.unwrap();
            let found: Vec<String> = answer.devices.iter().map(|device| device.record.dsn.clone()).collect();
            let expected = expected(&fleet, &actor, &query);
            assert_eq!((found, answer.total, answer.number), expected, "{seed} {step} {actor:?} {query:?}");
        }
    }
}

/// Adds, moves, edits or removes a device, or changes its state; or a transaction is rolled back.
async fn change(db: &Db, clock: &Clock, random: &RandomValues, fleet: &mut Vec<DeviceRecord>) {
    let number = random.below(80);
    let device = random.device(number);
    let dsn = device.dsn.clone();
    let at = fleet.iter().position(|it| it.dsn == dsn);
    match random.below(6) {
        0 => {
            remove(db, &dsn, Timestamp::MAX).await.unwrap();
            fleet.retain(|it| it.dsn != dsn);
        }
        1 => {
            let mut tx = db.begin().await.unwrap();
            tx.execute("update idx_device_state set mode = 1, connected_at = 7", params![]).await.unwrap();
            tx.execute("delete from idx_devices where dsn > 'SC010'", params![]).await.unwrap();
            drop(tx);
        }
        2 if at.is_some() => {
            let level = StreamChange::Reported(IndexedProperty::FragranceRemaining, 20);
            apply_change(db, &dsn, level, clock.now()).await.unwrap();
            let state = &mut fleet[at.unwrap()].state;
            if state.pending == 0 {
                state.fragrance_remaining = Some(20);
            }
        }
        _ => {
            // It is registered again, so that nothing of its former state is kept.
            remove(db, &dsn, Timestamp::MAX).await.unwrap();
            fleet.retain(|it| it.dsn != dsn);
            apply_read(db, &entries(std::slice::from_ref(&device)), CloudRead::begin(clock).end(clock)).await.unwrap();
            store_forecast(db, &dsn).await;
            fleet.push(device);
        }
    }
}

async fn node_that_is_far_behind_reads_everything_again(db: Db) {
    let lists = DeviceLists::new(db.clone());
    store(&db, &[record("SC1", None)]).await;
    let found = async || lists.select(&admin(), &DeviceFilter::default(), 10).await.unwrap().0;
    assert_eq!(found().await, ["SC1"]);
    store(&db, &[record("SC2", None), record("SC3", None)]).await;
    remove(&db, "SC2", Timestamp::MAX).await.unwrap();
    db.execute("delete from idx_changes where number < (select max(number) from idx_changes)", params![])
        .await
        .unwrap();
    assert_eq!(found().await, ["SC1", "SC3"]);
    store(&db, &[record("SC4", None)]).await;
    assert_eq!(found().await, ["SC1", "SC3", "SC4"]);
}

/// What has changed without a change of what lists show is not read again.
async fn changes_that_no_list_shows_are_not_logged(db: Db) {
    store(&db, &[record("SC1", None)]).await;
    let changes =
        async || -> i64 { db.fetch_one("select max(number) from idx_changes", params![]).await.map(|(n,)| n).unwrap() };
    let before = changes().await;
    db.execute("update idx_device_state set reading_until = 1, intensity = 7, synced_at = 9", params![]).await.unwrap();
    let fan = StreamChange::Reported(IndexedProperty::Fan, 3);
    apply_change(&db, "SC1", fan, NOON.parse().unwrap()).await.unwrap();
    assert_eq!(changes().await, before);
    let offline = StreamChange::Connection(ConnectionStatus::Offline, None);
    apply_change(&db, "SC1", offline, NOON.parse().unwrap()).await.unwrap();
    assert_eq!(changes().await, before + 1);
}

/// Writers take turns, so that a reader that has seen a change has seen all with lower numbers.
async fn change_never_becomes_visible_after_a_later_one(db: Db) {
    let fleet: Vec<DeviceRecord> = (0..40).map(|number| record(&format!("SC{number:02}"), Some("North"))).collect();
    store(&db, &fleet).await;
    let clock = clock();
    clock.advance(SignedDuration::from_hours(1));
    let writer = async |from: usize| {
        for round in 0..10 {
            let city = format!("City {from} {round}");
            let changed =
                fleet[from..from + 10].iter().map(|it| DeviceRecord { city: Some(city.clone()), ..it.clone() });
            let changed: Vec<DeviceRecord> = changed.collect();
            let entries: Vec<IndexEntry> = (from..)
                .zip(&changed)
                .map(|(key, record)| IndexEntry { key: key as i64 + 1, record: record.clone() })
                .collect();
            clock.advance(SignedDuration::from_secs(1));
            apply_read(&db, &entries, CloudRead::begin(&clock).end(&clock)).await.unwrap();
        }
    };
    let reader = async || {
        let (lists, mut cities) = (DeviceLists::new(db.clone()), 0);
        for _ in 0..40 {
            let filter = DeviceFilter::by("city", "City");
            let found = lists.select(&admin(), &filter, 100).await.unwrap().1;
            assert!(found >= cities, "a change was lost");
            cities = found;
        }
        let known = DeviceLists::new(db.clone());
        let all = ListQuery { page_size: 100, ..query() };
        (lists, known, all)
    };
    let ((), (), (), (), (lists, known, all)) = tokio::join!(writer(0), writer(10), writer(20), writer(30), reader());
    for number in 0..4 {
        let filter = DeviceFilter::by("city", &format!("\"City {} 9\"", number * 10));
        let query = ListQuery { filter, ..all.clone() };
        let (following, fresh) =
            (lists.page(&admin(), &query).await.unwrap(), known.page(&admin(), &query).await.unwrap());
        assert_eq!((following.total, fresh.total), (10, 10));
    }
}

platform::store_suite!(
    migrate = crate::migrations::migrate,
    tests = [
        lists_equal_a_plain_walk_after_any_changes_on_two_nodes,
        node_that_is_far_behind_reads_everything_again,
        changes_that_no_list_shows_are_not_logged,
        change_never_becomes_visible_after_a_later_one,
    ]
);
