//! When devices run dry, in lists, counts, reports, pages and events.

use cloud::operator::NewDevice;
use diffuser::{Fragrance, data_keys, properties};
use platform::testing::{PATIENCE, TestDb};
use serde_json::{Value, json};

use crate::browser::{Browser, Stream};
use crate::reports::unquoted;
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
    let mut off = with_days("SC-OFF", 8);
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
    assert!(csv.text().await.unwrap().trim_end().ends_with("\"With a forecast\",\"2026-11-23\",\"\""));
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

/// A device of East of which this share of the cartridge is left.
fn with_level(dsn: &str, percent: u16, mode: i64) -> NewDevice {
    let mut device = device(dsn, Some("East"), "AQ380");
    let values = [
        (properties::CARTRIDGE_LIFE, json!(5 * (100 - percent))),
        (properties::FRAGRANCE_REMAINING, json!(percent)),
        (properties::CURRENT_STATE, json!(mode)),
    ];
    for (name, value) in values {
        device.values.retain(|(known, _)| known != name);
        device.values.push((name.to_owned(), value));
    }
    device
}

/// What a device of each kind is for those who refill it: its group, when it is empty, and why there is no forecast.
type Kind = (&'static str, &'static str, Option<&'static str>, Option<&'static str>, Option<&'static str>);

/// In the order of the list.
const KINDS: [Kind; 9] = [
    ("K-EMPTY", "empty", Some("2026-11-20T10:00:00Z"), None, None),
    ("K-SOON", "forecast", None, Some("2026-12-24T14:00:00Z"), None),
    ("K-WEEK", "forecast", None, Some("2026-12-27T02:00:00Z"), None),
    ("K-LATER", "forecast", None, Some("2027-01-01T12:00:00Z"), None),
    ("K-GONE", "no_contact", None, None, Some("passed_offline")),
    ("K-OFF", "low", None, None, Some("off")),
    ("K-NO-FLOW", "low", None, None, Some("no_flow")),
    ("K-LONG", "low", None, None, Some("offline")),
    ("K-FULL", "other", None, None, Some("off")),
];

/// Of [`KINDS`], those that need a cartridge within 7 days.
const IN_NEED: [&str; 7] = ["K-EMPTY", "K-SOON", "K-WEEK", "K-GONE", "K-OFF", "K-NO-FLOW", "K-LONG"];

/// A world with a device of each kind. Two have been offline for 30 days.
async fn world_of_kinds(database: &TestDb) -> World {
    let (all_day, off) = (3, 1);
    let mut no_flow = with_level("K-NO-FLOW", 15, all_day);
    no_flow.data.retain(|(key, _)| key != data_keys::CART_NAME);
    no_flow.data.push((data_keys::CART_NAME.to_owned(), "AQ880w1250".to_owned()));
    let mut empty = with_level("K-EMPTY", 0, all_day);
    empty.data.push((data_keys::STORE_NUMBER.to_owned(), "7".to_owned()));
    (empty.addr.street, empty.addr.zip) = (Some("Storgata 1".to_owned()), Some("0155".to_owned()));
    let mut week = with_level("K-WEEK", 32, all_day);
    week.data.retain(|(key, _)| key != data_keys::CUSTOMER);
    week.data.push((data_keys::CUSTOMER.to_owned(), "Borealis".to_owned()));
    let mut later = with_level("K-LATER", 58, all_day);
    later.addr.city = Some("Bergen".to_owned());
    let mut long = with_level("K-LONG", 20, 4);
    long.values.push((properties::SCHEDULE_BLOB.to_owned(), json!("1,1,0,20,8,0,8,59")));
    let known_before = [empty, with_level("K-GONE", 55, all_day), long];
    let mut others = [
        with_level("K-SOON", 20, all_day),
        week,
        later,
        with_level("K-OFF", 10, off),
        no_flow,
        with_level("K-FULL", 64, off),
    ];
    let world = World::start_on(database).await;
    world.console.add_missing_fragrances(&[white_tea()]).await.unwrap();
    world.cloud.operator().add_devices(&world.oem, &known_before).await.unwrap();
    for dsn in ["K-GONE", "K-LONG"] {
        let device = world.cloud.device(dsn).await;
        device.disconnect(device.connect().await).await;
    }
    let mut admin = world.signed_in(ADMIN).await;
    until_listed(&world, &mut admin, "K-EMPTY", |device| device["emptySince"].is_string()).await;
    world.pass_seconds(30 * 24 * 60 * 60);
    // Their first readings are from now, so that no day without use changes their forecasts.
    others.iter_mut().for_each(|device| device.created_at = world.clock.now());
    world.cloud.operator().add_devices(&world.oem, &others).await.unwrap();
    for dsn in others.iter().map(|device| device.dsn.as_str()).chain(["K-EMPTY"]) {
        world.cloud.device(dsn).await.connect().await;
    }
    world
}

/// Runs passes until the device is listed so.
async fn until_listed(world: &World, browser: &mut Browser, dsn: &str, is_expected: impl Fn(&Value) -> bool) {
    let reached = async {
        world.console.resync().await;
        while !is_expected(&browser.listed(dsn).await) {
            world.console.resync().await;
        }
    };
    if tokio::time::timeout(PATIENCE, reached).await.is_err() {
        panic!("{dsn}: {}", browser.listed(dsn).await);
    }
}

async fn assert_kinds(world: &World, admin: &mut Browser) {
    for (dsn, supply, empty_since, runs_dry_at, obstacle) in KINDS {
        let expected = json!([supply, empty_since, runs_dry_at, obstacle, false]);
        let names = ["supply", "emptySince", "runsDryAt", "forecastObstacle", "isProvisional"];
        let of = |device: &Value| Value::from_iter(names.map(|name| device[name].clone()));
        until_listed(world, admin, dsn, |device| of(device) == expected).await;
        assert_eq!(of(&admin.device(dsn).await), expected, "page of {dsn}");
    }
}

/// How many of [`IN_NEED`] are in this group.
fn in_group(wanted: &str) -> usize {
    KINDS.iter().filter(|(dsn, group, ..)| *group == wanted && IN_NEED.contains(dsn)).count()
}

async fn every_list_and_figure_of_what_runs_dry_has_the_same_devices(database: TestDb) {
    let world = world_of_kinds(&database).await;
    let mut admin = world.signed_in(ADMIN).await;
    assert_kinds(&world, &mut admin).await;

    let list = "csp=East&orderBy=runsdry&order=asc";
    assert_eq!(in_order(&mut admin, list).await, KINDS.map(|(dsn, ..)| dsn));
    let falling = ["K-LATER", "K-WEEK", "K-SOON", "K-EMPTY", "K-GONE", "K-OFF", "K-NO-FLOW", "K-LONG", "K-FULL"];
    assert_eq!(in_order(&mut admin, "csp=East&orderBy=runsdry&order=desc").await, falling);
    for filter in ["runsdrydays=7", "runsdrybefore=2026-12-28"] {
        let query = format!("{list}&{filter}");
        assert_eq!(in_order(&mut admin, &query).await, IN_NEED, "{filter}");
        let report = admin.get(&format!("/api/devices/report?{query}")).await.body;
        let reported: Vec<&Value> = report["items"].as_array().unwrap().iter().map(|item| &item["dsn"]).collect();
        assert_eq!(reported, IN_NEED, "{filter}");
        let selected = admin.get(&format!("/api/devices/selection?{query}")).await.body;
        assert_eq!(selected["total"], IN_NEED.len(), "{filter}");
        // No device at 20 percent or less is missing.
        let low = in_order(&mut admin, "csp=East&maxremaining=20&orderBy=dsn&order=asc").await;
        assert_eq!(in_order(&mut admin, &format!("{query}&maxremaining=20")).await.len(), low.len(), "{filter}");
    }
    assert_eq!(runs_dry(&mut admin, "csp=East").await, IN_NEED.len() as u64);

    for (kind, group) in [("empty", "empty"), ("runs_dry", "forecast")] {
        let path = format!("/api/attention?csp=East&kind={kind}");
        let reached = async {
            while admin.get(&path).await.body["items"].as_array().unwrap().len() != in_group(group) {
                world.console.resync().await;
            }
        };
        assert!(tokio::time::timeout(PATIENCE, reached).await.is_ok(), "items of {kind}");
    }

    let settings = admin.put("/api/devices/dsns/K-EMPTY/settings", &json!({ "intensity": 19 })).await;
    assert_eq!(settings.status, 200, "{}", settings.body);
    assert_eq!(settings.body["supply"], "empty");
    world.console.resync().await;
    assert_kinds(&world, &mut admin).await;
    assert_eq!(in_order(&mut admin, &format!("{list}&runsdrydays=7")).await, IN_NEED);
    assert_eq!(runs_dry(&mut admin, "csp=East").await, IN_NEED.len() as u64);
}

/// The text of a report of this path and type.
async fn report(browser: &Browser, path: &str, kind: &str) -> String {
    let answer = browser.request(reqwest::Method::GET, &format!("{path}&type={kind}")).send().await.unwrap();
    assert_eq!(answer.status(), 200, "{path}");
    answer.text().await.unwrap()
}

/// The lines of the CSV file of this path, without quotes.
async fn csv_lines(browser: &Browser, path: &str) -> Vec<String> {
    unquoted(&report(browser, path, "csv").await).lines().map(str::to_owned).collect()
}

#[expect(clippy::too_many_lines, reason = "one story")]
async fn cartridges_to_buy_are_added_up_with_what_is_needed_to_order_them(database: TestDb) {
    let world = world_of_kinds(&database).await;
    let mut admin = world.signed_in(ADMIN).await;
    assert_kinds(&world, &mut admin).await;

    let row = csv_lines(&admin, "/api/devices/report?dsn=K-EMPTY").await.remove(1);
    let expected = "4711,K-EMPTY,Hotel Aurora,C-9,Lobby,7,East,,White Tea,WT,AQ300 Series 500 mL,500,Aurora Guest,Storgata 1,\
                    0155,Oslo,,Norway,Online,2026-12-20 10:00:00,0,Empty,,2026-11-20";
    assert_eq!(row, expected);
    let listed = admin.listed("K-EMPTY").await;
    let values = json!({
        "fragrance": "White Tea", "fragranceSku": "WT", "cartridgeMl": 500, "customerId": "C-9", "storeNumber": "7",
        "street": "Storgata 1", "zip": "0155", "city": "Oslo",
    });
    for device in [&listed, &admin.device("K-EMPTY").await] {
        for (name, value) in values.as_object().unwrap() {
            assert_eq!(&device[name], value, "{name}");
        }
    }
    // Levels are numbers, and the emptiest devices come first.
    let by_level = in_order(&mut admin, "csp=East&orderBy=fragranceremaining").await;
    assert_eq!(by_level[..3], ["K-EMPTY", "K-OFF", "K-NO-FLOW"]);

    let head = "Row,Customer,City,Fragrance,SKU,Cartridge (mL),Devices,Cartridges";
    let path = "/api/devices/purchasing?csp=East&until=";
    let week = csv_lines(&admin, &format!("{path}2026-12-27")).await;
    let expected = [
        head,
        "Item,Borealis,Oslo,White Tea,WT,500,1,1",
        "Customer total,Borealis,,,,,1,1",
        "Item,Hotel Aurora,Oslo,White Tea,WT,500,5,5",
        "Item,Hotel Aurora,Oslo,White Tea,WT,1250,1,1",
        "Customer total,Hotel Aurora,,,,,6,6",
        "Total,,,,,,7,7",
    ];
    assert_eq!(week, expected);
    // A cartridge of 500 mL lasts for 20 days and 20 hours.
    let further = csv_lines(&admin, &format!("{path}2027-01-31")).await;
    let expected = [
        head,
        "Item,Borealis,Oslo,White Tea,WT,500,1,2",
        "Customer total,Borealis,,,,,1,2",
        "Item,Hotel Aurora,Bergen,White Tea,WT,500,1,2",
        "Item,Hotel Aurora,Oslo,White Tea,WT,500,5,6",
        "Item,Hotel Aurora,Oslo,White Tea,WT,1250,1,1",
        "Customer total,Hotel Aurora,,,,,7,9",
        "Total,,,,,,8,11",
    ];
    assert_eq!(further, expected);
    let answer = admin.get("/api/devices/purchasing?csp=East&until=2027-01-31&customer=borealis").await.body;
    assert_eq!(answer["filters"], json!({ "until": "2027-01-31", "csp": "East", "customer": "borealis" }));
    let total = answer["items"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&total["sum"], &total["devices"], &total["cartridges"]), (&json!("total"), &json!(1), &json!(2)));
    let page = report(&admin, &format!("{path}2027-01-31"), "printable").await;
    for part in [
        "<dt>Needed until</dt><dd>2027-01-31</dd>",
        ">Hotel Aurora</th>",
        "<td><div>8</div></td><td><div>11</div></td>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    for until in ["", "&until=2027-02-30"] {
        let answer = admin.get(&format!("/api/devices/purchasing?csp=East{until}")).await;
        assert_eq!((answer.status, answer.fields()), (422, vec!["until"]));
    }
    let mut other = world.signed_in(SOUTH_ADMIN).await;
    let items = other.get("/api/devices/purchasing?until=2027-01-31").await.body["items"].clone();
    assert_eq!(items[0]["cartridges"], 0, "{items}");
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
    every_list_and_figure_of_what_runs_dry_has_the_same_devices,
    cartridges_to_buy_are_added_up_with_what_is_needed_to_order_them,
    dates_are_listed_sorted_filtered_counted_and_reported,
    dates_of_other_scopes_are_hidden,
    new_date_reaches_open_lists_and_pages,
);
