//! Stored counts after each kind of write.

use platform::testing::{PATIENCE, TestDb};
use sea_query::Iden;
use sqlx::AssertSqlSafe;

use super::*;
use crate::index::columns::{COUNTED, IdxDevices};
use crate::index::filter::TextFilter;
use crate::index::scope::visible_rows;
use crate::index::upsert::remove;
use crate::index::value_counts::{ColumnValues, find};

/// Scope, column, value, and the numbers of devices that are online, offline and never connected.
type ValueCount = (String, String, String, i64, i64, i64);

/// The stored counts equal those of the devices, for exactly the columns in [`COUNTED`].
async fn assert_counts_match(db: &Db, what: &str) {
    let stored: Vec<ValueCount> = db
        .fetch_all(
            "select scope, name, value, online, offline, never_connected from idx_value_counts order by 1, 2, 3",
            params![],
        )
        .await
        .unwrap();
    let mut counted: Vec<ValueCount> = Vec::new();
    for (scope, column) in ["'*'", "'=' || s.csp"].iter().flat_map(|scope| COUNTED.iter().map(move |it| (scope, it))) {
        let of = |status| format!("count(case when s.connection_status = '{status}' then 1 end)");
        let sql = format!(
            "select {scope}, '{column}', d.{column}, {}, {}, {} from idx_devices d \
             join idx_device_state s on s.dsn = d.dsn group by 1, 2, 3",
            of("Online"),
            of("Offline"),
            of("NeverConnected"),
            column = column.unquoted(),
        );
        counted.extend(db.fetch_all::<ValueCount>(AssertSqlSafe(sql), params![]).await.unwrap());
    }
    counted.sort();
    assert_eq!(stored, counted, "{what}");
}

#[expect(clippy::too_many_lines, reason = "a table")]
async fn stored_counts_are_correct_after_every_kind_of_write(db: Db) {
    let clock = clock();
    let fleet: Vec<DeviceRecord> =
        (0..700).map(|n| record(&format!("D{n:03}"), [None, Some("North"), Some("South")][n % 3])).collect();
    store(&db, &fleet).await;
    assert_counts_match(&db, "many new rows").await;

    let offline = StreamChange::Connection(ConnectionStatus::Offline, None);
    for (change, what) in [
        (offline, "a device disconnects"),
        (offline, "it disconnects again"),
        (StreamChange::Connection(ConnectionStatus::Online, None), "it connects"),
        (StreamChange::Reported(IndexedProperty::Fan, 3), "it reports"),
        (StreamChange::Commanded(IndexedProperty::Fan, 4), "it is commanded"),
    ] {
        apply_change(&db, "D001", change, clock.now()).await.unwrap();
        apply_change(&db, "unknown", change, clock.now()).await.unwrap();
        assert_counts_match(&db, what).await;
    }

    let changed = |change: fn(usize, DeviceRecord) -> DeviceRecord| -> Vec<DeviceRecord> {
        fleet.iter().cloned().enumerate().map(|(n, device)| change(n, device)).collect()
    };
    let rows: [(Vec<DeviceRecord>, &str); 6] = [
        (changed(|_, device| device), "the same again"),
        (
            changed(|n, device| if n % 2 == 0 { device } else { DeviceRecord { csp: Some("East".into()), ..device } }),
            "CSP",
        ),
        (
            changed(|n, device| if n % 5 > 0 { device } else { DeviceRecord { system_configuration: None, ..device } }),
            "model",
        ),
        (
            changed(|n, device| {
                let connection_status = if n % 3 == 0 { ConnectionStatus::Offline } else { ConnectionStatus::Online };
                DeviceRecord { state: DeviceState { connection_status, ..device.state }, ..device }
            }),
            "status",
        ),
        (
            changed(|n, device| {
                let text = |name: &str, values: usize| Some(format!("{name} {}", n % values));
                let network = if n % 3 == 0 { "LAN".to_owned() } else { format!("Wi-Fi {}", n % 7) };
                DeviceRecord {
                    csp: ["North", "*", "=", ""][n % 4].to_owned().into(),
                    customer: text("Customer", 40),
                    service_area: (n % 2 == 0).then(|| "BAR".to_owned()),
                    fragrance: text("Linen", 5),
                    network,
                    city: text("Ærø", 30),
                    state_province: None,
                    country: text("country", 2),
                    ..device
                }
            }),
            "values",
        ),
        (changed(|_, device| DeviceRecord { serial_number: None, ..device }), "the old values, and another column"),
    ];
    for (records, what) in rows {
        clock.advance(SignedDuration::from_secs(1));
        apply_read(&db, &entries(&records), CloudRead::begin(&clock).end(&clock)).await.unwrap();
        assert_counts_match(&db, what).await;
    }

    for dsn in ["D000", "D001", "D001", "unknown"] {
        remove(&db, dsn, Timestamp::MAX).await.unwrap();
        assert_counts_match(&db, "removed").await;
    }
    let count = list(&db, &admin(), &query()).await.unwrap().total;
    assert_eq!(count, 698);
    drop_index(&db).await.unwrap();
    assert_counts_match(&db, "all removed").await;
    assert_eq!(list(&db, &admin(), &query()).await.unwrap().total, 0);
}

async fn stored_counts_are_correct_after_concurrent_writers(db: Db) {
    let fleet: Vec<DeviceRecord> =
        (0..60).map(|n| record(&format!("D{n:03}"), [Some("North"), Some("South")][n % 2])).collect();
    store(&db, &fleet).await;
    let now: Timestamp = "2026-11-20T13:00:00Z".parse().unwrap();
    let passes = (0..4).map(|pass| {
        let db = db.clone();
        let mut fleet = fleet.clone();
        fleet.rotate_left(pass * 13);
        tokio::spawn(async move {
            let clock = Clock::mock(now);
            for round in 0..5 {
                let csp = ["North", "South", "East"][(round + pass) % 3];
                let moved: Vec<DeviceRecord> = fleet
                    .iter()
                    .map(|device| {
                        let city = Some(format!("{csp} {}", device.dsn.len() + pass));
                        DeviceRecord { csp: Some(csp.to_owned()), city, ..device.clone() }
                    })
                    .collect();
                clock.advance(SignedDuration::from_secs(1));
                apply_read(&db, &entries(&moved), CloudRead::begin(&clock).end(&clock)).await.unwrap();
            }
        })
    });
    let events = (0..4).map(|node| {
        let db = db.clone();
        tokio::spawn(async move {
            for n in (0..60).map(|n| (n * 7 + node * 11) % 60) {
                let status = if (n + node) % 2 == 0 { ConnectionStatus::Online } else { ConnectionStatus::Offline };
                apply_change(&db, &format!("D{n:03}"), StreamChange::Connection(status, None), now).await.unwrap();
            }
        })
    });
    for task in passes.chain(events).collect::<Vec<_>>() {
        task.await.unwrap();
    }
    assert_counts_match(&db, "all together").await;
}

async fn writes_of_other_columns_do_not_touch_the_counts(db: Db) {
    let clock = clock();
    store(&db, &[record("A", None), record("B", Some("North"))]).await;
    // A trigger that ran would insert rows.
    db.execute("delete from idx_value_counts", params![]).await.unwrap();
    for change in [
        StreamChange::Reported(IndexedProperty::FragranceRemaining, 7),
        StreamChange::Commanded(IndexedProperty::Fan, 4),
        StreamChange::Connection(ConnectionStatus::Online, Some(clock.now())),
    ] {
        apply_change(&db, "A", change, clock.now()).await.unwrap();
    }
    clock.advance(SignedDuration::from_secs(1));
    let other = DeviceRecord {
        serial_number: None,
        store_number: None,
        created_at: None,
        // Equal in the folded column.
        city: Some("OSLO".to_owned()),
        ..record("B", Some("North"))
    };
    let read = CloudRead::begin(&clock).end(&clock);
    assert_eq!(apply_read(&db, &entries(&[other]), read).await.unwrap().changed.len(), 1);
    let left: Vec<(String,)> = db.fetch_all("select name from idx_value_counts", params![]).await.unwrap();
    assert!(left.is_empty(), "{left:?}");
}

fn contains(text: &str) -> TextFilter {
    TextFilter { column: IdxDevices::CityFolded, text_match: TextMatch::Contains(text.to_owned()) }
}

/// Number of matching values, and the devices with them.
async fn found(db: &Db, actor: &Actor, text: &str) -> Option<(Option<ColumnValues>, u64)> {
    let (visible, filter) = (visible_rows(actor, None).unwrap(), contains(text));
    let values = find(db, visible, &filter).await.unwrap()?;
    Some((values.list(db, visible).await.unwrap(), values.devices.matching(None)))
}

async fn values_of_other_csps_are_not_found(db: Db) {
    let device =
        |dsn: &str, csp: Option<&str>, city: &str| DeviceRecord { city: Some(city.into()), ..record(dsn, csp) };
    let fleet = [
        device("N1", Some("North"), "Oslo"),
        device("N2", Some("North"), "Oslofjord"),
        device("S1", Some("South"), "Tromsø-Oslo"),
        device("S2", Some("South"), "Oslo"),
        device("X1", None, "Old Oslo"),
        // The names of scopes are not those of CSPs.
        device("A1", Some("*"), "Oslo *"),
        device("E1", Some("=North"), "Oslo ="),
    ];
    store(&db, &fleet).await;
    let csp = |name: &str| actor(Some(Role::CspTech), Some(name));
    let rows: [(Actor, &[&str], u64); 6] = [
        (admin(), &["old oslo", "oslo", "oslo *", "oslo =", "oslofjord", "tromso-oslo"], 7),
        (csp("North"), &["oslo", "oslofjord"], 2),
        (csp("South"), &["oslo", "tromso-oslo"], 2),
        (csp("*"), &["oslo *"], 1),
        (csp("=North"), &["oslo ="], 1),
        (csp("East"), &[], 0),
    ];
    for (actor, values, devices) in rows {
        let (listed, number) = found(&db, &actor, "oslo").await.unwrap();
        let mut listed = listed.unwrap().values;
        listed.sort();
        assert_eq!(
            (listed, number),
            (values.iter().map(|&value| value.to_owned()).collect::<Vec<_>>(), devices),
            "{actor:?}"
        );
        let filter = DeviceFilter::by("city", "oslo");
        assert_eq!(list(&db, &actor, &ListQuery { filter, ..query() }).await.unwrap().total, devices, "{actor:?}");
    }
}

async fn many_matching_values_are_counted_but_not_listed(db: Db) {
    let fleet: Vec<DeviceRecord> = (0..51)
        .map(|n| DeviceRecord { city: Some(format!("City {n:02}")), ..record(&format!("D{n:02}"), None) })
        .collect();
    store(&db, &fleet).await;
    assert_eq!(found(&db, &admin(), "city").await, Some((None, 51)));
    let (listed, devices) = found(&db, &admin(), "ty 1").await.unwrap();
    assert_eq!((listed.unwrap().values.len(), devices), (10, 10));
    for (text, total) in [("city", 51), ("ty 1", 10), ("ci", 51)] {
        let last = ListQuery { page: 99, filter: DeviceFilter::by("city", text), ..query() };
        let page = list(&db, &admin(), &last).await.unwrap();
        assert_eq!(page.total, total, "{text}");
        assert_eq!(page.devices.last().unwrap().record.dsn, if text == "ty 1" { "D19" } else { "D50" }, "{text}");
    }
}

async fn text_is_not_searched_among_too_many_values(db: Db) {
    store(&db, &[DeviceRecord { city: Some("Oslo".into()), ..record("A", None) }, record("B", Some("North"))]).await;
    // As if there were 9,999 other cities.
    let fill = "insert into idx_value_counts (scope, name, value, online, offline, never_connected) \
                with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 9999) \
                select '*', 'city_folded', cast(n as text), 1, 0, 0 from numbers";
    db.execute(fill, params![]).await.unwrap();
    assert_eq!(found(&db, &admin(), "slo").await.unwrap().1, 2);
    let one_more = "insert into idx_value_counts (scope, name, value, online, offline, never_connected) \
                    values ('*', 'city_folded', 'x', 1, 0, 0)";
    db.execute(one_more, params![]).await.unwrap();
    assert_eq!(found(&db, &admin(), "slo").await, None);
    let filter = DeviceFilter::by("city", "slo").and(STATUS, "Online");
    assert_eq!(dsns(&db, &admin(), &ListQuery { filter, ..query() }).await, ["A", "B"]);
    let north = actor(Some(Role::CspTech), Some("North"));
    assert_eq!(found(&db, &north, "slo").await.unwrap().1, 1, "the limit applies to the scope");
}

platform::store_suite!(
    migrate = crate::migrations::migrate,
    tests = [
        stored_counts_are_correct_after_every_kind_of_write,
        stored_counts_are_correct_after_concurrent_writers,
        writes_of_other_columns_do_not_touch_the_counts,
        values_of_other_csps_are_not_found,
        many_matching_values_are_counted_but_not_listed,
        text_is_not_searched_among_too_many_values,
    ]
);

/// PostgreSQL only: SQLite has a single writer.
#[tokio::test]
async fn device_report_does_not_wait_for_locked_counts() {
    let db = TestDb::postgres_with(crate::migrations::migrate).await;
    store(&db, &[record("A", None), record("B", None)]).await;
    let mut pass = db.begin().await.unwrap();
    let disconnect = "update idx_device_state set connection_status = 'Offline' where dsn = $1";
    pass.execute(disconnect, params!["A"]).await.unwrap();
    let report = StreamChange::Reported(IndexedProperty::Intensity, 30);
    let reported = apply_change(&db, "B", report, clock().now());
    tokio::time::timeout(PATIENCE, reported).await.expect("it must not wait for the counts").unwrap();
    pass.execute(disconnect, params!["B"]).await.unwrap();
    pass.commit().await.unwrap();
    assert_counts_match(&db, "a report between two changes").await;
}
