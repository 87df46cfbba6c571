//! Stored counts after each kind of write.

use std::time::Duration;

use platform::testing::TestDb;

use super::*;
use crate::index::upsert::remove;

type Kind = (String, String, String, i64);

async fn assert_counts_match(db: &Db, what: &str) {
    let kept: Vec<Kind> = db
        .fetch_all(
            "SELECT csp, system_configuration, connection_status, n FROM idx_device_counts WHERE n <> 0 ORDER BY 1, 2, 3",
            params![],
        )
        .await
        .unwrap();
    let counted: Vec<Kind> = db
        .fetch_all(
            "SELECT d.csp, d.system_configuration, s.connection_status, COUNT(*) FROM idx_devices d \
             JOIN idx_device_state s ON s.dsn = d.dsn GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
            params![],
        )
        .await
        .unwrap();
    assert_eq!(kept, counted, "{what}");
}

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
    let rows: [(Vec<DeviceRecord>, &str); 4] = [
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
    db.execute("DELETE FROM idx_device_state", params![]).await.unwrap();
    db.execute("DELETE FROM idx_devices", params![]).await.unwrap();
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
                let moved: Vec<DeviceRecord> =
                    fleet.iter().map(|device| DeviceRecord { csp: Some(csp.to_owned()), ..device.clone() }).collect();
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

platform::store_suite!(
    migrate = crate::migrations::migrate,
    tests = [stored_counts_are_correct_after_every_kind_of_write, stored_counts_are_correct_after_concurrent_writers]
);

/// PostgreSQL only: SQLite has a single writer.
#[tokio::test]
async fn device_report_does_not_wait_for_locked_counts() {
    let db = TestDb::postgres_with(crate::migrations::migrate).await;
    store(&db, &[record("A", None), record("B", None)]).await;
    let mut pass = db.begin().await.unwrap();
    let disconnect = "UPDATE idx_device_state SET connection_status = 'Offline' WHERE dsn = $1";
    pass.execute(disconnect, params!["A"]).await.unwrap();
    let report = StreamChange::Reported(IndexedProperty::Intensity, 30);
    let reported = apply_change(&db, "B", report, clock().now());
    tokio::time::timeout(Duration::from_secs(20), reported).await.expect("it must not wait for the counts").unwrap();
    pass.execute(disconnect, params!["B"]).await.unwrap();
    pass.commit().await.unwrap();
    assert_counts_match(&db, "a report between two changes").await;
}
