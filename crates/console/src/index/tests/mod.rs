//! The index on both databases.

use diffuser::Role;
use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, params};
use platform::run::clock::Clock;

use super::*;
use crate::http::sort_order::SortOrder;
use crate::policy::Actor;
use crate::policy::session_hash::SessionHash;
use crate::records::{ConnectionStatus, DeviceRecord, DeviceState, DeviceStatus, IndexedProperty};

mod filters;
mod following;
mod lists;
mod merging;
mod page_memory;
mod simulation;
mod stream_groups;

const NOON: &str = "2026-11-20T12:00:00Z";

fn clock() -> Clock {
    Clock::mock(NOON.parse().unwrap())
}

fn record(dsn: &str, csp: Option<&str>) -> DeviceRecord {
    DeviceRecord {
        dsn: dsn.to_owned(),
        csp: csp.map(str::to_owned),
        serial_number: Some(format!("S-{dsn}")),
        customer: Some("Hotel Aurora".to_owned()),
        store_number: Some("12".to_owned()),
        installed_at: Some("2026-11-20".parse().unwrap()),
        service_area: Some("Lobby".to_owned()),
        system_configuration: Some("AQ290".to_owned()),
        fragrance: Some("White Tea".to_owned()),
        network: "LAN".to_owned(),
        city: Some("Oslo".to_owned()),
        country: Some("Norway".to_owned()),
        time_zone: Some("Europe/Oslo".to_owned()),
        created_at: Some(NOON.parse().unwrap()),
        state: DeviceState {
            connection_status: ConnectionStatus::Online,
            connected_at: Some(NOON.parse().unwrap()),
            connection_changed_at: Some(NOON.parse().unwrap()),
            mode: Some(3),
            cycle: Some(2),
            intensity: Some(20),
            fan: None,
            fragrance_remaining: Some(80),
            pending: 0,
        },
        ..DeviceRecord::default()
    }
}

async fn find(db: &Db, dsn: &str) -> platform::db::Result<Option<DeviceRecord>> {
    Ok(find_with(db, dsn, "select cast(0 as bigint)").await?.map(|(device, _)| device.record))
}

fn actor(role: Option<Role>, csp: Option<&str>) -> Actor {
    Actor { session: SessionHash::of(&[1; 32]), user: uuid::Uuid::nil(), role, csp: csp.map(str::to_owned) }
}

fn admin() -> Actor {
    actor(Some(Role::Admin), None)
}

/// Entries with the keys 1, 2, ….
fn entries(records: &[DeviceRecord]) -> Vec<IndexEntry> {
    (1..).zip(records).map(|(key, record)| IndexEntry { key, record: record.clone() }).collect()
}

async fn store(db: &Db, records: &[DeviceRecord]) {
    let clock = clock();
    apply_read(db, &entries(records), CloudRead::begin(&clock).end(&clock)).await.unwrap();
}

/// Applies one change of one device at `now`, and returns the CSP whose list it changed.
async fn apply_change(
    db: &Db,
    dsn: &str,
    change: StreamChange,
    now: Timestamp,
) -> platform::db::Result<Option<String>> {
    let group = [DeviceChanges { dsn: dsn.to_owned(), changes: vec![change] }];
    Ok(apply_group(db, &Clock::mock(now), &group).await?.lists.remove(dsn))
}

fn query() -> ListQuery {
    ListQuery { page: 1, page_size: 5, order: SortOrder::Asc, sort: DeviceSort::Dsn, filter: DeviceFilter::default() }
}

/// The page as a node shows it that has just started.
async fn list(db: &Db, actor: &Actor, query: &ListQuery) -> platform::db::Result<query::Page> {
    DeviceLists::new(db.clone()).page(actor, query).await
}

async fn dsns(db: &Db, actor: &Actor, query: &ListQuery) -> Vec<String> {
    list(db, actor, query).await.unwrap().devices.into_iter().map(|device| device.record.dsn).collect()
}

async fn written_device_is_read_back_unchanged(db: Db) {
    let written = record("SC1", Some("North"));
    store(&db, std::slice::from_ref(&written)).await;
    assert_eq!(find(&db, "SC1").await.unwrap(), Some(written));
    assert_eq!(find(&db, "SC2").await.unwrap(), None);
}

async fn each_role_reads_only_devices_of_its_scope(db: Db) {
    store(
        &db,
        &[record("N1", Some("North")), record("N2", Some("North")), record("S1", Some("South")), record("X1", None)],
    )
    .await;
    let everything = vec!["N1", "N2", "S1", "X1"];
    let rows = [
        (actor(Some(Role::Admin), None), everything.clone()),
        (actor(Some(Role::Observer), None), everything),
        (actor(Some(Role::CspAdmin), Some("North")), vec!["N1", "N2"]),
        (actor(Some(Role::CspObserver), Some("South")), vec!["S1"]),
        (actor(Some(Role::CspTech), Some("north")), vec![]),
        (actor(Some(Role::CspTech), Some("")), vec![]),
        (actor(Some(Role::CspTech), Some("%")), vec![]),
        (actor(Some(Role::CspTech), None), vec![]),
        (actor(None, Some("North")), vec![]),
    ];
    for (actor, expected) in rows {
        assert_eq!(dsns(&db, &actor, &query()).await, expected, "{actor:?}");
    }
}

async fn pages_list_each_device_once_and_a_page_past_the_end_is_the_last(db: Db) {
    let records: Vec<DeviceRecord> = (0..12).map(|number| record(&format!("D{number:02}"), None)).collect();
    store(&db, &records).await;
    let mut seen = Vec::new();
    for page in 1..=3 {
        // All devices share `created_at`, so only the tie-break separates the pages.
        let by_time = ListQuery { page, sort: DeviceSort::CreatedAt, order: SortOrder::Desc, ..query() };
        let answer = list(&db, &admin(), &by_time).await.unwrap();
        assert_eq!((answer.total, answer.number), (12, page));
        seen.extend(answer.devices.into_iter().map(|device| device.record.dsn));
    }
    let mut expected: Vec<String> = records.iter().map(|record| record.dsn.clone()).collect();
    expected.reverse();
    assert_eq!(seen, expected);

    let beyond = list(&db, &admin(), &ListQuery { page: u64::MAX, ..query() }).await.unwrap();
    assert_eq!((beyond.number, beyond.devices.len()), (3, 2));
    let nothing = list(&db, &actor(None, None), &ListQuery { page: 9, ..query() }).await.unwrap();
    assert_eq!((nothing.number, nothing.total, nothing.devices.len()), (1, 0, 0));
}

async fn every_column_sorts_in_both_directions_with_missing_values_first(db: Db) {
    let earlier: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    let text = |value: &str| Some(value.to_owned());
    let mut low = record("A", text("a").as_deref());
    low = DeviceRecord {
        serial_number: text("1"),
        customer: text("a"),
        service_area: text("a"),
        system_configuration: text("AQ290"),
        network: "a".to_owned(),
        city: text("a"),
        state_province: text("a"),
        country: text("a"),
        created_at: Some(earlier),
        state: DeviceState { connection_status: ConnectionStatus::Offline, connected_at: Some(earlier), ..low.state },
        ..low
    };
    let mut high = record("B", Some("b"));
    high = DeviceRecord {
        serial_number: text("2"),
        customer: text("b"),
        service_area: text("b"),
        system_configuration: text("AQ380"),
        network: "b".to_owned(),
        city: text("b"),
        state_province: text("b"),
        country: text("b"),
        ..high
    };
    store(&db, &[high, low]).await;
    let names = [
        "created_at",
        "serialnumber",
        "dsn",
        "csp",
        "customer",
        "servicearea",
        "model",
        "network",
        "connectionstatus",
        "connectedat",
        "city",
        "stateprovince",
        "country",
    ];
    for name in names {
        let sort = name.parse().unwrap();
        assert_eq!(dsns(&db, &admin(), &ListQuery { sort, ..query() }).await, ["A", "B"], "{name} asc");
        let descending = ListQuery { sort, order: SortOrder::Desc, ..query() };
        assert_eq!(dsns(&db, &admin(), &descending).await, ["B", "A"], "{name} desc");
    }
    store(&db, &[DeviceRecord { city: None, ..record("C", None) }]).await;
    assert_eq!(dsns(&db, &admin(), &ListQuery { sort: DeviceSort::City, ..query() }).await[0], "C");
}

async fn read_overwrites_a_row_only_if_it_began_after_the_last_update(db: Db) {
    let clock = clock();
    store(&db, &[record("SC1", None)]).await;
    let slow = CloudRead::begin(&clock);
    clock.advance(SignedDuration::from_secs(1));
    apply_change(&db, "SC1", StreamChange::Connection(ConnectionStatus::Offline, None), clock.now()).await.unwrap();
    clock.advance(SignedDuration::from_secs(1));

    let applied = apply_read(&db, &entries(&[record("SC1", None)]), slow.end(&clock)).await.unwrap();
    assert_eq!((applied.outdated.len(), applied.changed.len()), (1, 0));
    let status = |record: Option<DeviceRecord>| record.unwrap().state.connection_status;
    assert_eq!(status(find(&db, "SC1").await.unwrap()), ConnectionStatus::Offline);

    let later = CloudRead::begin(&clock);
    let applied = apply_read(&db, &entries(&[record("SC1", None)]), later.end(&clock)).await.unwrap();
    assert_eq!((applied.outdated.len(), applied.changed[0].dsn.as_str()), (0, "SC1"));
    assert_eq!(status(find(&db, "SC1").await.unwrap()), ConnectionStatus::Online);
}

async fn equal_read_reports_no_changed_device(db: Db) {
    let clock = clock();
    let read = || CloudRead::begin(&clock).end(&clock);
    let changed = |records: Vec<DeviceRecord>| {
        let (db, read) = (db.clone(), read());
        async move {
            let changed = apply_read(&db, &entries(&records), read).await.unwrap().changed;
            changed.into_iter().map(|changed| changed.dsn).collect::<Vec<_>>()
        }
    };
    assert_eq!(changed(vec![record("SC1", None)]).await, ["SC1"]);
    assert!(changed(vec![record("SC1", None)]).await.is_empty());
    let renamed = DeviceRecord { customer: None, ..record("SC1", Some("North")) };
    assert_eq!(changed(vec![renamed.clone()]).await, ["SC1"]);
    assert_eq!(find(&db, "SC1").await.unwrap(), Some(renamed));
}

async fn commanded_value_is_kept_until_the_device_acknowledges_it(db: Db) {
    let now: Timestamp = NOON.parse().unwrap();
    store(&db, &[record("SC1", None)]).await;
    let shown = |record: DeviceRecord| (record.state.intensity, record.state.pending);
    let rows = [
        (StreamChange::Reported(IndexedProperty::Intensity, 21), (Some(21), 0)),
        (StreamChange::Commanded(IndexedProperty::Intensity, 30), (Some(30), 4)),
        (StreamChange::Reported(IndexedProperty::Intensity, 22), (Some(30), 4)),
        (StreamChange::Commanded(IndexedProperty::Intensity, 31), (Some(31), 4)),
        (StreamChange::Acknowledged(IndexedProperty::Intensity, 30), (Some(31), 4)),
        (StreamChange::Acknowledged(IndexedProperty::Fan, 31), (Some(31), 4)),
        (StreamChange::Acknowledged(IndexedProperty::Intensity, 31), (Some(31), 0)),
        (StreamChange::Reported(IndexedProperty::Intensity, 32), (Some(32), 0)),
        (StreamChange::NotIndexed, (Some(32), 0)),
    ];
    for (change, expected) in rows {
        apply_change(&db, "SC1", change, now).await.unwrap();
        assert_eq!(shown(find(&db, "SC1").await.unwrap().unwrap()), expected, "{change:?}");
    }
    apply_change(&db, "UNKNOWN", StreamChange::Reported(IndexedProperty::Fan, 1), now).await.unwrap();
    assert_eq!(find(&db, "UNKNOWN").await.unwrap(), None);
}

async fn connection_changes_affect_lists_and_other_values_do_not(db: Db) {
    store(&db, &[record("N1", Some("North")), record("X1", None)]).await;
    let offline = StreamChange::Connection(ConnectionStatus::Offline, None);
    let rows = [
        ("N1", offline, Some("North")),
        ("X1", offline, Some("")),
        ("UNKNOWN", offline, None),
        ("N1", StreamChange::Reported(IndexedProperty::Fan, 1), None),
        ("N1", StreamChange::Commanded(IndexedProperty::Fan, 2), None),
        ("N1", StreamChange::Acknowledged(IndexedProperty::Fan, 2), None),
        ("N1", StreamChange::NotIndexed, None),
    ];
    for (dsn, change, list) in rows {
        assert_eq!(apply_change(&db, dsn, change, NOON.parse().unwrap()).await.unwrap().as_deref(), list, "{change:?}");
    }
}

/// Disconnecting a device that never connected does not make it offline.
async fn connection_changes_set_status_and_time(db: Db) {
    let at = |second: i64| Timestamp::from_second(1_800_000_000 + second).ok();
    let never = |dsn: &str| {
        let like = record(dsn, None);
        let (connection_status, none) = (ConnectionStatus::Offline, None);
        let state = DeviceState { connection_status, connected_at: none, connection_changed_at: none, ..like.state };
        DeviceRecord { state, ..like }
    };
    store(&db, &[never("SC1"), never("SC2")]).await;
    let (online, offline) = (ConnectionStatus::Online, ConnectionStatus::Offline);
    let rows = [
        (offline, at(1), DeviceStatus::NeverConnected, None, None),
        (online, at(2), DeviceStatus::Online, at(2), at(2)),
        (offline, at(3), DeviceStatus::Offline, at(2), at(3)),
        (offline, at(4), DeviceStatus::Offline, at(2), at(3)),
        (online, at(5), DeviceStatus::Online, at(5), at(5)),
        (online, at(6), DeviceStatus::Online, at(6), at(6)),
        // Without a time, the time of arrival is used.
        (offline, None, DeviceStatus::Offline, at(6), at(100)),
    ];
    for (status, time, expected, connected_at, changed_at) in rows {
        apply_change(&db, "SC1", StreamChange::Connection(status, time), at(100).unwrap()).await.unwrap();
        let state = find(&db, "SC1").await.unwrap().unwrap().state;
        let found = (state.status(), state.connected_at, state.connection_changed_at);
        assert_eq!(found, (expected, connected_at, changed_at), "{status:?} {time:?}");
        let filter = DeviceFilter::by(STATUS, expected.name());
        assert!(
            dsns(&db, &admin(), &ListQuery { filter, ..query() }).await.contains(&"SC1".to_owned()),
            "{expected:?}"
        );
    }
}

/// The cloud reports when a device connected, but not when it disconnected.
async fn read_keeps_the_known_time_of_the_last_disconnect(db: Db) {
    let clock = clock();
    let came: Timestamp = NOON.parse().unwrap();
    let read = |status: ConnectionStatus, heard: Timestamp| {
        let like = record("SC1", None);
        let changed = if status == ConnectionStatus::Online { came } else { heard };
        let state = DeviceState { connection_status: status, connection_changed_at: Some(changed), ..like.state };
        DeviceRecord { state, ..like }
    };
    let apply = async |record: DeviceRecord| {
        clock.advance(SignedDuration::from_hours(1));
        apply_read(&db, &entries(&[record]), CloudRead::begin(&clock).end(&clock)).await.unwrap();
        find(&db, "SC1").await.unwrap().unwrap().state.connection_changed_at.unwrap()
    };
    let (online, offline) = (ConnectionStatus::Online, ConnectionStatus::Offline);
    assert_eq!(apply(read(online, came)).await, came);
    let known_until = came + SignedDuration::from_mins(90);
    db.execute("update idx_sync set as_of = $1 where id = 1", params![known_until]).await.unwrap();
    assert_eq!(apply(read(offline, came)).await, known_until, "it was online at least until the last complete pass");
    let later = came + SignedDuration::from_mins(100);
    assert_eq!(apply(read(offline, came)).await, known_until, "the next read adds no information");
    assert_eq!(apply(read(offline, later)).await, later, "it reported even later");
    assert_eq!(apply(read(online, came)).await, came);
}

async fn changed_level_affects_lists(db: Db) {
    store(&db, &[record("N1", Some("North")), record("X1", None)]).await;
    let level = IndexedProperty::FragranceRemaining;
    let rows = [
        ("N1", StreamChange::Reported(level, 80), None),
        ("N1", StreamChange::Reported(level, 79), Some("North")),
        ("X1", StreamChange::Commanded(level, 100), Some("")),
        // The commanded value is kept.
        ("X1", StreamChange::Reported(level, 5), None),
        ("X1", StreamChange::Acknowledged(level, 100), None),
        ("UNKNOWN", StreamChange::Reported(level, 5), None),
    ];
    for (dsn, change, list) in rows {
        assert_eq!(apply_change(&db, dsn, change, NOON.parse().unwrap()).await.unwrap().as_deref(), list, "{change:?}");
    }
    let filter = DeviceFilter { max_remaining: Some(79), ..DeviceFilter::default() };
    assert_eq!(dsns(&db, &admin(), &ListQuery { filter, ..query() }).await, ["N1"]);
    let by_level = ListQuery { sort: DeviceSort::FragranceRemaining, ..query() };
    assert_eq!(dsns(&db, &admin(), &by_level).await, ["N1", "X1"]);
}

async fn every_indexed_property_has_its_own_column(db: Db) {
    store(&db, &[record("SC1", None)]).await;
    for (shown, value) in IndexedProperty::ALL.into_iter().zip([4, 1, 7, 5, 55]) {
        apply_change(&db, "SC1", StreamChange::Reported(shown, value), NOON.parse().unwrap()).await.unwrap();
    }
    let state = find(&db, "SC1").await.unwrap().unwrap().state;
    let values = [state.mode, state.cycle, state.intensity, state.fan, state.fragrance_remaining];
    assert_eq!(values, [4, 1, 7, 5, 55].map(Some));
}

platform::store_suite!(
    migrate = crate::migrations::migrate,
    tests = [
        written_device_is_read_back_unchanged,
        each_role_reads_only_devices_of_its_scope,
        pages_list_each_device_once_and_a_page_past_the_end_is_the_last,
        every_column_sorts_in_both_directions_with_missing_values_first,
        read_overwrites_a_row_only_if_it_began_after_the_last_update,
        equal_read_reports_no_changed_device,
        commanded_value_is_kept_until_the_device_acknowledges_it,
        connection_changes_affect_lists_and_other_values_do_not,
        connection_changes_set_status_and_time,
        read_keeps_the_known_time_of_the_last_disconnect,
        changed_level_affects_lists,
        every_indexed_property_has_its_own_column,
    ]
);
