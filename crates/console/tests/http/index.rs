use cloud::operator::NewDevice;
use cloud::testing::Fault;
use jiff::Timestamp;
use platform::db::{Db, params};
use platform::testing::{PATIENCE, until};
use serde_json::json;

use crate::world::*;

#[tokio::test]
async fn pass_indexes_new_devices_and_more_than_one_page() {
    let world = World::start().await;
    let mut browser = world.signed_in(SOUTH_ADMIN).await;
    for number in 0..120 {
        world.add_device(&format!("NEW-{number:03}"), "South").await;
    }
    world.console.resync().await;
    let list = browser.get("/api/devices").await.body;
    assert_eq!(list["total"], 121);
}

#[tokio::test]
async fn pass_survives_occasional_cloud_failures() {
    let world = World::start().await;
    let mut browser = world.signed_in(SOUTH_ADMIN).await;
    world.add_device("NEW-1", "South").await;
    for fault in [Fault::InternalServerError, Fault::Drop, Fault::TooManyRequests] {
        world.cloud.faults().push(fault);
    }
    world.console.resync().await;
    assert_eq!(browser.dsns("").await, ["NEW-1", SOUTH]);
}

#[tokio::test]
async fn unchanged_device_is_not_written_again() {
    let world = World::start().await;
    // The cloud reports 1970 for a device without a creation time.
    let ageless = NewDevice { created_at: Timestamp::UNIX_EPOCH, ..device("SC-1970", None, "AQ380") };
    world.cloud.operator().add_devices(&world.oem, &[ageless]).await.unwrap();
    world.console.resync().await;
    let database = Db::connect(&world.database).await.unwrap();
    let stamps = async || {
        let sql = "select dsn, synced_at from idx_device_state order by dsn";
        database.fetch_all::<(String, i64)>(sql, params![]).await.unwrap()
    };
    let before = stamps().await;
    assert!(before.iter().any(|(dsn, _)| dsn == "SC-1970"));
    world.pass_seconds(60);
    world.console.resync().await;
    assert_eq!(stamps().await, before);
}

#[tokio::test]
async fn pass_publishes_an_event_for_a_changed_device() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    let mut stream = browser.follow(&["NEW-1"]).await;
    world.add_device("NEW-1", "South").await;
    world.console.resync().await;
    assert_eq!(stream.until("changed", "NEW-1").await["csp"], "South");
    assert_eq!(browser.listed("NEW-1").await["csp"], "South");
}

/// At least ten seconds ago: a delayed event may replace a newer value.
#[tokio::test]
async fn list_contains_its_times() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    let mut stream = browser.follow(&[NORTH]).await;
    let times = async |browser: &mut crate::browser::Browser| {
        let list = browser.get("/api/devices").await.body;
        ["asOf", "statesAsOf"].map(|name| list[name].as_str().unwrap().to_owned())
    };
    let mut report = async |level: i64| {
        world.cloud.device(NORTH).await.report(&[("fragrance_remaining", json!(level))]).await;
        stream.until("reported", NORTH).await;
    };
    world.pass_seconds(30);
    for level in [5, 6] {
        report(level).await;
    }
    assert_eq!(times(&mut browser).await, ["2026-11-20T09:59:50Z"; 2], "events before the stream may be missing");
    world.console.resync().await;
    assert_eq!(times(&mut browser).await, ["2026-11-20T10:00:20Z"; 2], "a pass");
    world.pass_seconds(30);
    report(7).await;
    // The stream does not report a device that another application has renamed, for example.
    let expected = ["2026-11-20T10:00:20Z", "2026-11-20T10:00:50Z"];
    let advanced = until(async || times(&mut browser).await == expected);
    tokio::time::timeout(PATIENCE, advanced).await.expect("the stream is complete since before the pass");
}

/// Marks all rows as changed, as every writer does; a pass skips pages that are unchanged since the last one.
pub(crate) async fn stamp(database: &Db) {
    database.execute("update idx_device_state set synced_at = synced_at - 1", params![]).await.unwrap();
}

#[tokio::test]
async fn pass_removes_devices_missing_from_the_cloud() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    let database = Db::connect(&world.database).await.unwrap();
    for (old, new) in [(SOUTH, "SC-GONE"), (OWNED, STOCK)] {
        for table in ["idx_devices", "idx_device_state"] {
            let sql = format!("update {table} set dsn = $2 where dsn = $1");
            database.execute(sqlx::AssertSqlSafe(sql), params![old, new]).await.unwrap();
        }
    }
    stamp(&database).await;
    assert_eq!(browser.dsns("").await, ["SC-GONE", NORTH, NORTH_AQ290, STOCK]);
    world.console.resync().await;
    assert_eq!(
        browser.dsns("").await,
        [NORTH, NORTH_AQ290, SOUTH, OWNED],
        "without the removed device and factory stock"
    );
}

#[tokio::test]
async fn failed_pass_removes_nothing() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    let database = Db::connect(&world.database).await.unwrap();
    for table in ["idx_devices", "idx_device_state"] {
        let sql = format!("update {table} set dsn = 'SC-GONE' where dsn = $1");
        database.execute(sqlx::AssertSqlSafe(sql), params![SOUTH]).await.unwrap();
    }
    stamp(&database).await;
    let pass = Fault::Delay(std::time::Duration::ZERO);
    // Requests: the people, the page of devices, and the read of the missing device with its retries.
    for fault in [pass, pass, Fault::Drop, Fault::Drop, Fault::Drop] {
        world.cloud.faults().push(fault);
    }
    let resync = world.console.resync();
    tokio::pin!(resync);
    while world.cloud.faults().waiting() > 0 {
        tokio::select! { () = &mut resync => panic!("the pass is not complete"), () = tokio::task::yield_now() => {} }
    }
    assert!(browser.dsns("").await.contains(&"SC-GONE".to_owned()));
    resync.await;
    assert!(
        !browser.dsns("").await.contains(&"SC-GONE".to_owned()),
        "the next pass can read the device and removes it"
    );
}
