//! When devices run dry, in lists, counts, reports, pages and events.

use cloud::operator::NewDevice;
use diffuser::{Fragrance, properties};
use platform::testing::TestDb;
use serde_json::{Value, json};

use crate::browser::{Browser, Stream};
use crate::world::*;

/// An AQ380 has 500 running hours in a cartridge of this fragrance.
pub(crate) fn white_tea() -> Fragrance {
    let flow = [None, Some(1.0), None, None, None, None, None];
    Fragrance { name: "White Tea".to_owned(), sku: "WT".to_owned(), density: 1.0, flow }
}

/// A device of East that runs all day, with this many days of fragrance.
pub(crate) fn with_days(dsn: &str, days: u16) -> NewDevice {
    let mut device = device(dsn, Some("East"), "AQ380");
    let used = f64::from(500 - 24 * days);
    device.values.push((properties::CARTRIDGE_LIFE.to_owned(), json!(used)));
    device
}

/// A world with devices for 3, 7 and 10 days, and one that is off, after their forecasts were made.
async fn world_with_forecasts(database: &TestDb) -> World {
    let mut off = with_days("SC-OFF", 2);
    off.values.retain(|(name, _)| name != properties::CURRENT_STATE);
    off.values.push((properties::CURRENT_STATE.to_owned(), json!(1)));
    let devices = [with_days("SC-10", 10), with_days("SC-3", 3), with_days("SC-7", 7), off];
    let world = World::start_on(database).await;
    world.console.add_missing_fragrances(&[white_tea()]).await.unwrap();
    world.cloud.operator().add_devices(&world.oem, &devices).await.unwrap();
    let admin = world.signed_in(ADMIN).await;
    let mut streams = Vec::new();
    for dsn in ["SC-10", "SC-3", "SC-7"] {
        streams.push((dsn, admin.follow(&[dsn]).await));
    }
    world.console.resync().await;
    for (dsn, mut stream) in streams {
        until_forecast(&mut stream, dsn, Value::is_string).await;
    }
    world
}

/// Skips to the first event after which the device has such a date.
async fn until_forecast(stream: &mut Stream, dsn: &str, is_expected: impl Fn(&Value) -> bool) -> Value {
    loop {
        let device = stream.until("changed", dsn).await;
        if is_expected(&device["runsDryAt"]) {
            return device;
        }
    }
}

async fn in_order(browser: &mut Browser, query: &str) -> Vec<String> {
    let list = browser.get(&format!("/api/devices?pageSize=25&{query}")).await;
    assert_eq!(list.status, 200, "{query}: {}", list.body);
    list.body["devices"].as_array().unwrap().iter().map(|it| it["dsn"].as_str().unwrap().to_owned()).collect()
}

async fn runs_dry(browser: &mut Browser, query: &str) -> u64 {
    browser.get(&format!("/api/devices/counts?{query}")).await.body["runsDry"].as_u64().unwrap()
}

async fn dates_are_listed_sorted_filtered_counted_and_reported(database: TestDb) {
    let world = world_with_forecasts(&database).await;
    let mut admin = world.signed_in(ADMIN).await;
    let row = admin.listed("SC-3").await;
    assert_eq!(row["runsDryAt"], "2026-11-23T10:00:00Z");
    assert_eq!(admin.device("SC-3").await["runsDryAt"], "2026-11-23T10:00:00Z");
    assert_eq!(admin.listed("SC-OFF").await["runsDryAt"], json!(null));

    let east = |query: &str| format!("csp=East&orderBy=runsdry&{query}");
    assert_eq!(in_order(&mut admin, &east("order=asc")).await, ["SC-3", "SC-7", "SC-10", "SC-OFF"]);
    assert_eq!(in_order(&mut admin, &east("order=desc")).await, ["SC-10", "SC-7", "SC-3", "SC-OFF"]);
    let rows: [(&str, &[&str]); 8] = [
        ("runsdrydays=3", &[]),
        ("runsdrydays=4", &["SC-3"]),
        ("runsdrydays=8", &["SC-3", "SC-7"]),
        ("runsdrydays=365", &["SC-3", "SC-7", "SC-10"]),
        ("runsdrybefore=2026-11-23", &[]),
        ("runsdrybefore=2026-11-24", &["SC-3"]),
        ("runsdrybefore=9999-12-31", &["SC-3", "SC-7", "SC-10"]),
        ("runsdrybefore=2026-11-28&runsdrydays=4", &["SC-3"]),
    ];
    for (filter, expected) in rows {
        let query = east(&format!("order=asc&{filter}"));
        assert_eq!(in_order(&mut admin, &query).await, expected, "{filter}");
        let report = admin.get(&format!("/api/devices/report?{query}")).await.body;
        assert_eq!(report["items"].as_array().unwrap().len(), expected.len(), "{filter}");
        let (name, value) = filter.split('&').next().unwrap().split_once('=').unwrap();
        assert_eq!(report["filters"][name], value, "{filter}");
        let selected = admin.get(&format!("/api/devices/selection?{query}")).await.body;
        assert_eq!(selected["total"], expected.len(), "{filter}");
    }

    // The count is exact to the minute and ignores the filters by date.
    for (query, expected) in
        [("", 1), ("csp=East", 1), ("csp=North", 0), ("runsdrydays=30", 1), ("runsdrybefore=2000-01-01", 1)]
    {
        assert_eq!(runs_dry(&mut admin, query).await, expected, "{query}");
    }
    world.pass_seconds(60);
    assert_eq!(runs_dry(&mut admin, "").await, 2);
    assert_eq!(in_order(&mut admin, "runsdrydays=7&orderBy=dsn&order=asc").await, ["SC-3", "SC-7"]);

    let csv = admin.request(reqwest::Method::GET, "/api/devices/report?type=csv&dsn=SC-3").send().await.unwrap();
    assert!(csv.text().await.unwrap().trim_end().ends_with("%,2026-11-23"));
}

async fn dates_of_other_scopes_are_hidden(database: TestDb) {
    let world = world_with_forecasts(&database).await;
    for email in [SOUTH_ADMIN, NORTH_TECH, NO_ROLE] {
        let mut browser = world.signed_in(email).await;
        assert_eq!(runs_dry(&mut browser, "").await, 0, "{email}");
        assert_eq!(in_order(&mut browser, "runsdrydays=365").await, [""; 0], "{email}");
    }
    assert_eq!(runs_dry(&mut world.signed_in(OBSERVER).await, "").await, 1);
}

async fn new_date_reaches_open_lists_and_pages(database: TestDb) {
    let world = world_with_forecasts(&database).await;
    let mut admin = world.signed_in(ADMIN).await;
    assert_eq!(runs_dry(&mut admin, "").await, 1);
    let (mut row, mut list) = (admin.follow_page("SC-10").await, admin.follow(&[]).await);
    // Two days of fragrance are left.
    let hours = 500 - 48;
    world.cloud.device("SC-10").await.report(&[(properties::CARTRIDGE_LIFE, json!(hours))]).await;
    world.console.resync().await;
    let changed = until_forecast(&mut row, "SC-10", |time| time == "2026-11-22T10:00:00Z").await;
    assert_eq!(changed["dsn"], "SC-10");
    list.until_event("list").await;
    assert_eq!(runs_dry(&mut admin, "").await, 2);
    assert_eq!(in_order(&mut admin, "orderBy=runsdry&order=asc").await[..2], ["SC-10", "SC-3"]);
}

on_both_databases!(
    dates_are_listed_sorted_filtered_counted_and_reported,
    dates_of_other_scopes_are_hidden,
    new_date_reaches_open_lists_and_pages,
);
