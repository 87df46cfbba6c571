//! The fleet over time, within the reader's scope.

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, params};
use platform::testing::{TestDb, pause};
use reqwest::Method;
use serde_json::{Value, json};

use crate::reports::unquoted;
use crate::world::*;

const HISTORY: &str = "/api/fleet/history";

/// Stores the use of yesterday and of the day before, and a sample of today, of groups of two CSPs, after all histories were read.
pub(crate) async fn world_with_days(database: &TestDb) -> World {
    let world = World::start_on(database).await;
    let db = Db::connect(&database.url).await.unwrap();
    let unread = "select count(*) from idx_forecasts where filled_at is null";
    while db.fetch_one::<(i64,)>(unread, params![]).await.unwrap().0 > 0 {
        pause().await;
    }
    let today = day(&world, 0);
    let groups = [
        ("all", "", "North", 30.0, 3),
        ("customer", "Hotel", "North", 20.0, 2),
        ("customer", "", "North", 10.0, 1),
        ("fragrance", "Fig", "North", 30.0, 3),
        ("all", "", "South", 5.0, 1),
        ("customer", "Hotel", "South", 5.0, 1),
        ("fragrance", "Tea", "South", 5.0, 1),
    ];
    for (dimension, value, csp, used_ml, devices) in groups {
        for age in [1, 2] {
            let sql = "insert into fleet_days (dimension, value, csp, day, devices, level_empty, level_low, level_medium, \
                       level_high, refills, used_ml, used_devices, online_00) \
                       values ($1, $2, $3, $4, $5, 0, 1, 0, $6, 1, $7, $5, $6)";
            let values = params![dimension, value, csp, day(&world, age), devices, devices - 1, used_ml];
            db.execute(sql, values).await.unwrap();
        }
        let sql = "insert into fleet_days (dimension, value, csp, day, devices, refills, used_ml, used_devices, online_09) \
                   values ($1, $2, $3, $4, $5, 0, 0, 0, $5)";
        db.execute(sql, params![dimension, value, csp, today, devices]).await.unwrap();
    }
    let sql = "insert into fleet_samples (id, first_at, last_at) values (1, $1, $1)";
    db.execute(sql, params![today]).await.unwrap();
    world
}

/// When the day began that was `age` days ago.
fn day(world: &World, age: i32) -> Timestamp {
    let seconds = world.clock.now().as_second().div_euclid(86_400) * 86_400;
    Timestamp::from_second(seconds).unwrap() - SignedDuration::from_hours(24) * age
}

/// The number of devices and the use on the day before yesterday, yesterday and today.
fn last_days(body: &Value) -> Vec<(Value, Value)> {
    let days = body["days"].as_array().unwrap();
    days[days.len() - 3..].iter().map(|day| (day["devices"].clone(), day["usedMl"].clone())).collect()
}

fn names(groups: &Value) -> Vec<(Value, Value)> {
    let groups = groups["groups"].as_array().unwrap();
    groups.iter().map(|group| (group["name"].clone(), group["usedMl"][26].clone())).collect()
}

async fn each_role_reads_the_days_of_its_scope(database: TestDb) {
    let world = world_with_days(&database).await;
    let used = |devices: i64, used_ml: f64| {
        let past = (json!(devices), json!(used_ml));
        vec![past.clone(), past, (json!(devices), Value::Null)]
    };
    let rows = [
        (ADMIN, "", used(4, 35.0)),
        (OBSERVER, "csp=North", used(3, 30.0)),
        (ADMIN, "csp=South", used(1, 5.0)),
        (NORTH_ADMIN, "", used(3, 30.0)),
        (NORTH_OBSERVER, "csp=South", used(3, 30.0)),
        (NORTH_TECH, "customer=Hotel", used(2, 20.0)),
        (SOUTH_ADMIN, "fragrance=Tea", used(1, 5.0)),
        (SOUTH_ADMIN, "fragrance=Fig", vec![(Value::Null, Value::Null); 3]),
        (ADMIN, "customer=hotel", vec![(Value::Null, Value::Null); 3]),
        (ADMIN, "customer=Hotel", used(3, 25.0)),
    ];
    for (email, query, expected) in rows {
        let answer = world.signed_in(email).await.get(&format!("{HISTORY}?{query}")).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!(last_days(&answer.body), expected, "{email} {query}");
        assert_eq!(answer.body["days"].as_array().unwrap().len(), 28);
    }
    for email in [NO_ROLE, END_USER] {
        let answer = world.signed_in(email).await.get(HISTORY).await;
        assert_eq!((answer.status, answer.code()), (403, "forbidden"), "{email}");
    }
}

async fn days_have_levels_hours_and_use_by_group(database: TestDb) {
    let world = world_with_days(&database).await;
    let body = world.signed_in(ADMIN).await.get(HISTORY).await.body;
    let yesterday = &body["days"][26];
    assert_eq!(yesterday["levels"], json!({ "empty": 0, "low": 2, "medium": 0, "high": 2, "unknown": 0 }));
    assert_eq!((&yesterday["refills"], &yesterday["usedDevices"]), (&json!(2), &json!(4)));
    assert_eq!((&yesterday["online"][0], &yesterday["online"][1]), (&json!(2), &Value::Null));
    assert_eq!(body["days"][27]["online"][9], 4);
    let empty = json!({
        "day": body["days"][0]["day"], "devices": null, "online": vec![Value::Null; 24], "levels": null, "refills": null,
        "usedMl": null, "usedDevices": 0
    });
    assert_eq!(body["days"][0], empty, "nothing is known");
    assert_eq!(names(&body["customers"]), [(json!("Hotel"), json!(25.0)), (Value::Null, json!(10.0))]);
    assert_eq!(names(&body["fragrances"]), [(json!("Fig"), json!(30.0)), (json!("Tea"), json!(5.0))]);
    assert_eq!((&body["customers"]["othersMl"][26], &body["customers"]["othersMl"][0]), (&json!(0.0), &Value::Null));
    assert_eq!(body["recordedSince"], day(&world, 0).to_string());
    let of_hotel = world.signed_in(ADMIN).await.get(&format!("{HISTORY}?customer=Hotel")).await.body;
    assert_eq!((&of_hotel["customers"], &of_hotel["fragrances"]), (&Value::Null, &Value::Null));
}

async fn report_has_the_days_of_all_groups_in_the_scope(database: TestDb) {
    let world = world_with_days(&database).await;
    for (email, query, rows) in
        [(ADMIN, "", 21), (ADMIN, "csp=South", 9), (NORTH_TECH, "csp=South", 12), (NORTH_TECH, "customer=Hotel", 3)]
    {
        let report = world.signed_in(email).await.get(&format!("/api/fleet/report?days=7&{query}")).await.body;
        assert_eq!(report["items"].as_array().unwrap().len(), rows, "{email} {query}");
    }
    let text = async |email, query: &str| {
        let browser = world.signed_in(email).await;
        let path = format!("/api/fleet/report?days=7&{query}");
        browser.request(Method::GET, &path).send().await.unwrap().text().await.unwrap()
    };
    let csv = unquoted(&text(NORTH_TECH, "type=csv&customer=Hotel").await);
    let date = day(&world, 2).to_string()[..10].to_owned();
    assert!(
        csv.lines().nth(1).unwrap().starts_with(&format!("{date},Customer,Hotel,2,0,1,0,1,0,1,20.0,2,1,")),
        "{csv}"
    );
    assert!(text(ADMIN, "type=csv").await.starts_with("\"Day (UTC)\",\"CSP\",\"Group\",\"Name\",\"Devices\","));
    let printed = text(ADMIN, "type=printable&csp=South").await;
    assert!(printed.contains("South") && !printed.contains("North"));
}

/// Half of the histories are still to be read: those of North.
async fn incomplete_fleet_says_so_and_shows_nothing_that_would_follow_from_histories(database: TestDb) {
    let world = world_with_days(&database).await;
    let db = Db::connect(&database.url).await.unwrap();
    let now = world.clock.now();
    let earlier = now - SignedDuration::from_mins(5);
    db.execute("update idx_forecasts set filled_at = $1", params![earlier]).await.unwrap();
    let sql = "update idx_forecasts set filled_at = null where dsn in ($1, $2)";
    db.execute(sql, params![NORTH, NORTH_AQ290]).await.unwrap();

    // The other two have taken five minutes.
    let read_by = (now + SignedDuration::from_mins(5)).to_string();
    let body = world.signed_in(ADMIN).await.get(HISTORY).await.body;
    assert_eq!(body["histories"], json!({ "devices": 4, "read": 2, "readBy": read_by }));
    let unknown = (Value::Null, Value::Null);
    assert_eq!(last_days(&body), [unknown.clone(), unknown, (json!(4), Value::Null)], "today is sampled");
    assert_eq!((&body["days"][26]["levels"], &body["days"][26]["online"][0]), (&Value::Null, &Value::Null));
    assert_eq!((&body["days"][26]["refills"], &body["days"][27]["online"][9]), (&Value::Null, &json!(4)));
    assert_eq!((names(&body["customers"]), names(&body["fragrances"])), (vec![], vec![]));
    assert_eq!((&body["sums"], &body["sumsBefore"]), (&Value::Null, &Value::Null));

    let notice = "Incomplete: the history of 2 of 4 devices is still being read, probably until ";
    let month = &day(&world, 0).to_string()[..7];
    for path in ["/api/fleet/report?days=7".to_owned(), format!("/api/fleet/stores?month={month}")] {
        let browser = world.signed_in(ADMIN).await;
        let text = async |query: &str| {
            let path = format!("{path}&{query}");
            browser.request(Method::GET, &path).send().await.unwrap().text().await.unwrap()
        };
        assert!(text("type=csv").await.trim_start_matches('\u{feff}').trim_start_matches('"').starts_with(notice));
        assert!(text("type=printable").await.contains(&format!("<p class=\"notice\">{notice}")), "{path}");
        let json: Value = serde_json::from_str(&text("type=json").await).unwrap();
        assert!(json["notice"].as_str().unwrap().starts_with(notice), "{json}");
        assert!(!text("type=csv&csp=South").await.contains("Incomplete"), "those of South have been read");
    }
    let north = world.signed_in(NORTH_ADMIN).await.get(HISTORY).await.body;
    assert_eq!((&north["histories"]["devices"], &north["histories"]["read"]), (&json!(2), &json!(0)));
    let south = world.signed_in(SOUTH_ADMIN).await.get(HISTORY).await.body;
    assert_eq!((&south["histories"], &south["days"][26]["usedMl"]), (&Value::Null, &json!(5.0)));
}

async fn sums_are_those_of_the_days_whose_use_is_known_and_of_as_many_before(database: TestDb) {
    let world = world_with_days(&database).await;
    let db = Db::connect(&database.url).await.unwrap();
    let mut admin = world.signed_in(ADMIN).await;
    let date = |age| day(&world, age).to_string()[..10].to_owned();
    let body = admin.get(&format!("{HISTORY}?days=7")).await.body;
    let sums = json!({ "from": date(6), "to": date(1), "usedMl": 70.0, "refills": 4, "devices": 4, "empty": 0 });
    assert_eq!((&body["sums"], &body["sumsBefore"]), (&sums, &Value::Null), "the first days are unknown");
    for (age, used_ml) in [(13, 10.0), (12, 15.0), (7, 100.0), (6, 1.0)] {
        let sql = "insert into fleet_days (dimension, value, csp, day, devices, refills, used_ml, used_devices) \
                   values ('all', '', 'North', $1, 3, 0, $2, 3)";
        db.execute(sql, params![day(&world, age), used_ml]).await.unwrap();
    }
    let body = admin.get(&format!("{HISTORY}?days=7")).await.body;
    let before = json!({ "from": date(13), "to": date(8), "usedMl": 25.0, "refills": 0, "devices": 3, "empty": 0 });
    assert_eq!((&body["sums"]["usedMl"], &body["sumsBefore"]), (&json!(71.0), &before), "without the seventh day");

    let month = &date(0)[..7];
    let body = admin.get(&format!("{HISTORY}?month={month}")).await.body;
    let days = body["days"].as_array().unwrap();
    assert_eq!(
        (days[0]["day"].as_str(), days.last().unwrap()["day"].as_str()),
        (Some(&*format!("{month}-01")), Some(&*date(0)))
    );
    assert_eq!(body["sums"]["from"], format!("{month}-01"));
}

/// Stores what stores used in this month, and returns the month.
pub(crate) async fn add_store_months(world: &World, database: &TestDb) -> String {
    let db = Db::connect(&database.url).await.unwrap();
    let month = day(world, 0).to_string()[..7].to_owned();
    let begin: Timestamp = format!("{month}-01T00:00:00Z").parse().unwrap();
    for (csp, customer, store, city, fragrance, used_ml) in [
        ("North", "Hotel", "7", "Oslo", "Fig", 20.04),
        ("North", "Hotel", "7", "Oslo", "Tea", 10.06),
        ("North", "Hotel", "8", "Bergen", "Fig", 0.25),
        ("South", "", "", "", "Fig", 1000.33),
    ] {
        let sql = "insert into fleet_store_months (month, csp, customer, store_number, city, fragrance, refills, used_ml, used_days) \
                   values ($1, $2, $3, $4, $5, $6, 1, $7, 2)";
        db.execute(sql, params![begin, csp, customer, store, city, fragrance, used_ml]).await.unwrap();
    }
    month
}

async fn printed_month_of_stores_has_the_sums_of_its_csv_file(database: TestDb) {
    let world = world_with_days(&database).await;
    let month = add_store_months(&world, &database).await;
    let text = async |email, query: &str| {
        let path = format!("/api/fleet/stores?month={month}&{query}");
        world.signed_in(email).await.request(Method::GET, &path).send().await.unwrap().text().await.unwrap()
    };
    let csv = unquoted(&text(ADMIN, "type=csv").await);
    let rows: Vec<Vec<&str>> = csv.lines().skip(2).map(|line| line.split(',').collect()).collect();
    let expected = [
        ["Item", "South", "", "", "", "Fig", "2", "1", "1000.3"],
        ["Customer total", "", "", "", "", "", "2", "1", "1000.3"],
        ["Item", "North", "Hotel", "7", "Oslo", "Fig", "2", "1", "20.0"],
        ["Item", "North", "Hotel", "7", "Oslo", "Tea", "2", "1", "10.1"],
        ["Item", "North", "Hotel", "8", "Bergen", "Fig", "2", "1", "0.3"],
        ["Customer total", "", "Hotel", "", "", "", "6", "3", "30.4"],
        ["Fragrance total", "", "", "", "", "Fig", "6", "3", "1020.6"],
        ["Fragrance total", "", "", "", "", "Tea", "2", "1", "10.1"],
        ["Total", "", "", "", "", "", "8", "4", "1030.7"],
    ];
    assert_eq!(rows, expected, "{csv}");
    assert!(csv.starts_with("The month has not ended.\r\nRow,CSP,Customer,"), "{csv}");
    let tenths = |cell: &str| cell.replace('.', "").parse::<i64>().unwrap();
    let items = rows.iter().filter(|row| row[0] == "Item").map(|row| tenths(row[8])).sum::<i64>();
    assert_eq!(items, tenths(rows[8][8]));

    let printed = text(ADMIN, "type=printable").await;
    let cells = |row: &[&str]| {
        let cell = |text: &&str| format!("<td><div>{}</div></td>", if text.is_empty() { "–" } else { text });
        format!("<tr>{}</tr>", row.iter().map(cell).collect::<String>())
    };
    let places: Vec<usize> =
        rows.iter().map(|row| printed.find(&cells(row)).unwrap_or_else(|| panic!("{row:?}: {printed}"))).collect();
    assert!(places.is_sorted(), "each row of the file is printed, in its order");
    assert_eq!(printed.matches("<rect").count(), 2, "two days have a known use");

    let hotel = text(NORTH_TECH, "type=printable&customer=Hotel").await;
    let begin: Timestamp = format!("{month}-01T00:00:00Z").parse().unwrap();
    let month = begin.strftime("%B %Y").to_string();
    for part in [format!("<h1>Hotel, {month}</h1>"), format!("<title>Sillage - Hotel, {month} ("), "30.4".to_owned()] {
        assert!(hotel.contains(&part), "{part}: {hotel}");
    }
    assert!(!hotel.contains("South") && !hotel.contains("CSP"), "{hotel}");
    let json: Value = serde_json::from_str(&text(SOUTH_ADMIN, "type=json").await).unwrap();
    assert_eq!(json["items"][0]["usedMl"], 1000.3);
    let fig: Value = serde_json::from_str(&text(NORTH_TECH, "type=json&fragrance=Fig").await).unwrap();
    assert_eq!(fig["items"].as_array().unwrap().last().unwrap()["usedMl"], 20.3);
    let empty: Value = serde_json::from_str(&text(SOUTH_ADMIN, "type=json&customer=Hotel").await).unwrap();
    assert_eq!(empty["items"].as_array().unwrap().len(), 1, "only a total: {empty}");
}

async fn invalid_queries_are_refused(database: TestDb) {
    let world = World::start_on(&database).await;
    let mut admin = world.signed_in(ADMIN).await;
    for (path, query, field) in [
        ("/api/fleet/stores", "", "month"),
        ("/api/fleet/stores", "days=28", "month"),
        (HISTORY, "month=2999-01", "month"),
        ("/api/fleet/report", "month=2026-1", "month"),
    ] {
        let answer = admin.get(&format!("{path}?{query}")).await;
        assert_eq!((answer.status, answer.fields()), (422, vec![field]), "{path} {query}");
    }
    for path in [HISTORY, "/api/fleet/report", "/api/fleet/stores"] {
        for (query, field) in [
            ("days=1", "days"),
            ("month=2026-11&days=7", "month"),
            ("days=7&days=28", "days"),
            ("customer=a&fragrance=b", "fragrance"),
            ("csp=a%00", "csp"),
        ] {
            let answer = admin.get(&format!("{path}?{query}")).await;
            assert_eq!((answer.status, answer.fields()), (422, vec![field]), "{path} {query}");
        }
        let answer = world.browser().get(path).await;
        assert_eq!((answer.status, answer.code()), (401, "not_signed_in"));
    }
}

on_both_databases!(
    each_role_reads_the_days_of_its_scope,
    days_have_levels_hours_and_use_by_group,
    report_has_the_days_of_all_groups_in_the_scope,
    incomplete_fleet_says_so_and_shows_nothing_that_would_follow_from_histories,
    sums_are_those_of_the_days_whose_use_is_known_and_of_as_many_before,
    printed_month_of_stores_has_the_sums_of_its_csv_file,
    invalid_queries_are_refused,
);
