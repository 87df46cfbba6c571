//! Groups of stream changes, and how they advance the time of the index.

use platform::nodes::lease::Lease;

use super::super::stream_group::GroupOutcome;
use super::super::sync_state::complete;
use super::*;
use IndexedProperty::{Fan, FragranceRemaining, Intensity, Mode};
use StreamChange::{Acknowledged, Commanded, Connection, NotIndexed, Reported};

fn of(dsn: &str, changes: &[StreamChange]) -> DeviceChanges {
    DeviceChanges { dsn: dsn.to_owned(), changes: changes.to_vec() }
}

async fn state(db: &Db, dsn: &str) -> DeviceState {
    find(db, dsn).await.unwrap().unwrap().state
}

async fn stamps(db: &Db) -> Vec<(String, i64)> {
    db.fetch_all("select dsn, synced_at from idx_device_state order by dsn", params![]).await.unwrap()
}

async fn group_writes_each_device_with_all_its_changes(db: Db) {
    store(&db, &["A", "B", "C", "D", "E"].map(|dsn| record(dsn, Some("North")))).await;
    let clock = clock();
    clock.advance(SignedDuration::from_secs(1));
    let group = [
        of("E", &[Reported(FragranceRemaining, 70), Connection(ConnectionStatus::Offline, None)]),
        of("A", &[Reported(Fan, 1), Reported(Fan, 2), Commanded(Intensity, 30)]),
        of("B", &[Connection(ConnectionStatus::Offline, None)]),
        of("C", &[Reported(FragranceRemaining, 79)]),
        of("D", &[Reported(Mode, 3), NotIndexed, Acknowledged(Fan, 9)]),
        of("UNKNOWN", &[Reported(Mode, 3)]),
    ];
    let outcome = apply_group(&db, &clock, &group).await.unwrap();
    let lists = ["B", "C", "E"].map(|dsn| (dsn.to_owned(), "North".to_owned())).into();
    let written = ["E", "A", "B", "C"].map(str::to_owned).to_vec();
    assert_eq!(outcome, GroupOutcome { lists, written, lacks_devices: true });

    let before = record("A", None).state;
    assert_eq!(state(&db, "A").await, DeviceState { fan: Some(2), intensity: Some(30), pending: 4, ..before });
    let offline = DeviceState {
        connection_status: ConnectionStatus::Offline,
        connection_changed_at: Some(clock.now()),
        ..before
    };
    assert_eq!(state(&db, "B").await, offline);
    assert_eq!(state(&db, "C").await, DeviceState { fragrance_remaining: Some(79), ..before });
    assert_eq!(state(&db, "D").await, before);
    assert_eq!(state(&db, "E").await, DeviceState { fragrance_remaining: Some(70), ..offline });
    assert_eq!(
        DeviceLists::new(db.clone())
            .counts(&admin(), &DeviceFilter::default(), NOON.parse().unwrap())
            .await
            .unwrap()
            .offline,
        2
    );
}

async fn changes_that_change_nothing_write_nothing(db: Db) {
    store(&db, &["A", "B"].map(|dsn| record(dsn, None))).await;
    let (clock, before) = (clock(), stamps(&db).await);
    clock.advance(SignedDuration::from_secs(1));
    let group = [of("A", &[NotIndexed]), of("B", &[Reported(Intensity, 20), Acknowledged(Intensity, 20)])];
    assert_eq!(apply_group(&db, &clock, &group).await.unwrap(), GroupOutcome::default());
    assert_eq!(stamps(&db).await, before);
    // A read that is in progress may have seen 21.
    let flip = [of("B", &[Reported(Intensity, 21), Reported(Intensity, 20)])];
    let outcome = apply_group(&db, &clock, &flip).await.unwrap();
    assert_eq!((outcome.written.len(), outcome.lists.len()), (1, 0));
    assert_ne!(stamps(&db).await, before);
}

async fn large_group_is_written_completely(db: Db) {
    let dsns: Vec<String> = (0..700).map(|number| format!("D{number:03}")).collect();
    store(&db, &dsns.iter().map(|dsn| record(dsn, None)).collect::<Vec<_>>()).await;
    let group: Vec<DeviceChanges> = dsns.iter().map(|dsn| of(dsn, &[Reported(Fan, 7)])).collect();
    assert_eq!(apply_group(&db, &clock(), &group).await.unwrap().written.len(), 700);
    let (with_fan,): (i64,) =
        db.fetch_one("select count(*) from idx_device_state where fan = 7", params![]).await.unwrap();
    assert_eq!(with_fan, 700);
}

async fn stream_change_never_moves_a_stamp_back(db: Db) {
    let clock = clock();
    store(&db, &[record("A", None)]).await;
    let later = clock.now() + SignedDuration::from_secs(5);
    db.execute("update idx_device_state set synced_at = $1", params![later]).await.unwrap();
    apply_group(&db, &clock, &[of("A", &[Reported(Fan, 1)])]).await.unwrap();
    assert_eq!(stamps(&db).await[0].1, platform::run::clock::to_micros(later));
}

async fn node_that_does_not_write_finds_changes_once_they_are_written(db: Db) {
    store(&db, &["A", "B", "C"].map(|dsn| record(dsn, Some("North")))).await;
    let clock = clock();
    let group = [
        of("A", &[Reported(Fan, 1)]),
        of("B", &[Connection(ConnectionStatus::Offline, Some(clock.now()))]),
        of("C", &[NotIndexed]),
        of("UNKNOWN", &[Reported(Fan, 1)]),
    ];
    let applied = async || {
        let mut applied: Vec<_> = find_applied(&db, &clock, &group).await.unwrap().into_iter().collect();
        applied.sort();
        applied
    };
    let unwritten = [("C".to_owned(), None), ("UNKNOWN".to_owned(), None)];
    assert_eq!(applied().await, unwritten);
    apply_group(&db, &clock, &group).await.unwrap();
    let [c, unknown] = unwritten;
    let written = [("A".to_owned(), None), ("B".to_owned(), Some("North".to_owned())), c, unknown];
    assert_eq!(applied().await, written);
}

/// A lease that is held.
async fn lease(db: &Db, clock: &Clock) -> Lease {
    let lease = Lease::new(db.clone(), clock.clone(), LEASE, "test".to_owned());
    assert!(lease.take().await.unwrap());
    lease
}

async fn times_of_the_index_need_a_pass_and_never_move_back(db: Db) {
    let (clock, noon) = (clock(), clock().now());
    let lease = lease(&db, &clock).await;
    let at = |second: i64| noon + SignedDuration::from_secs(second);
    let present = async || times(&db).await.unwrap().map(|times| (times.as_of, times.states_as_of));
    advance(&db, &lease, at(0)).await.unwrap();
    assert_eq!(present().await, None, "no pass is complete");
    assert!(complete(&db, &lease, None, 0).await.unwrap());
    assert_eq!(present().await, None, "the pass left a device to the next one");
    assert!(complete(&db, &lease, Some(at(0)), 0).await.unwrap());
    assert_eq!(present().await, Some((at(0), at(0))));
    for (stream, expected) in [(5, 5), (3, 5), (6, 6)] {
        assert!(advance(&db, &lease, at(stream)).await.unwrap());
        assert_eq!(present().await, Some((at(0), at(expected))), "{stream}: the stream reports only states");
    }
    for (pass, expected) in [(Some(4), (4, 6)), (None, (4, 6)), (Some(30), (30, 30)), (Some(20), (30, 30))] {
        assert!(complete(&db, &lease, pass.map(at), 0).await.unwrap());
        assert_eq!(present().await, Some((at(expected.0), at(expected.1))), "{pass:?}");
    }
    drop_index(&db).await.unwrap();
    assert!(!advance(&db, &lease, at(40)).await.unwrap(), "the lease is revoked");
    assert_eq!(present().await, None);
}

platform::store_suite!(
    migrate = crate::migrations::migrate,
    tests = [
        group_writes_each_device_with_all_its_changes,
        changes_that_change_nothing_write_nothing,
        large_group_is_written_completely,
        stream_change_never_moves_a_stamp_back,
        node_that_does_not_write_finds_changes_once_they_are_written,
        times_of_the_index_need_a_pass_and_never_move_back,
    ]
);
