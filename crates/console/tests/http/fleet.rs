//! The fleet over time, within the reader's scope.

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, params};
use platform::testing::TestDb;
use reqwest::Method;
use serde_json::{Value, json};

use crate::world::*;

const HISTORY: &str = "/api/fleet/history";

/// Stores the use of yesterday and of the day before, and a sample of today, of groups of two CSPs.
async fn world_with_days(database: &TestDb) -> World {
    let world = World::start_on(database).await;
    let db = Db::connect(&database.url).await.unwrap();
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
            let sql = "INSERT INTO fleet_days (dimension, value, csp, day, devices, level_empty, level_low, level_medium, \
                       level_high, refills, used_ml, used_devices, online_00) \
                       VALUES ($1, $2, $3, $4, $5, 0, 1, 0, $6, 1, $7, $5, $6)";
            let values = params![dimension, value, csp, day(&world, age), devices, devices - 1, used_ml];
            db.execute(sql, values).await.unwrap();
        }
        let sql = "INSERT INTO fleet_days (dimension, value, csp, day, devices, refills, used_ml, used_devices, online_09) \
                   VALUES ($1, $2, $3, $4, $5, 0, 0, 0, $5)";
        db.execute(sql, params![dimension, value, csp, today, devices]).await.unwrap();
    }
    let sql = "INSERT INTO fleet_samples (id, first_at, last_at) VALUES (1, $1, $1)";
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
    let csv = text(NORTH_TECH, "type=csv&customer=Hotel").await;
    let date = day(&world, 2).to_string()[..10].to_owned();
    assert!(
        csv.lines().nth(1).unwrap().starts_with(&format!("{date},Customer,Hotel,2,0,1,0,1,0,1,20.0,2,1,")),
        "{csv}"
    );
    assert!(text(ADMIN, "type=csv").await.starts_with("Day (UTC),CSP,Group,Name,Devices,"));
    let printed = text(ADMIN, "type=printable&csp=South").await;
    assert!(printed.contains("South") && !printed.contains("North"));
}

async fn invalid_queries_are_refused(database: TestDb) {
    let world = World::start_on(&database).await;
    let mut admin = world.signed_in(ADMIN).await;
    for path in [HISTORY, "/api/fleet/report"] {
        for (query, field) in [
            ("days=1", "days"),
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
    invalid_queries_are_refused,
);
