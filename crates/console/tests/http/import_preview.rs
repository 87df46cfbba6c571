//! What an import of the catalogue would change, and implausible values.

use console::{Rate, RateLimit};
use platform::testing::TestDb;
use serde_json::{Value, json};

use crate::browser::{Answer, Browser};
use crate::import::{audited, catalogue, levels};
use crate::runs_dry::{white_tea, with_days};
use crate::world::*;

const PREVIEW: &str = "/api/import/preview";

/// A world with devices for 10 and 3 days of White Tea, and an empty one.
pub(crate) async fn world_with_tea(database: &TestDb) -> World {
    let world = World::start_on(database).await;
    world.console.add_missing_fragrances(&[white_tea()]).await.unwrap();
    let devices = [with_days("SC-10", 10), with_days("SC-3", 3), with_days("SC-0", 0)];
    world.cloud.operator().add_devices(&world.oem, &devices).await.unwrap();
    world.console.resync().await;
    world.console.forecasts_known().await;
    world
}

/// A row with these numbers, which has other cells as the console returns them.
pub(crate) fn row(name: &str, density: &str, flow: &str) -> Value {
    json!({
        "Fragrance": name, "SKU": "WT", "Density": density, "AQ200w500": "", "AQ300w500": flow, "AQ500w500": "",
        "AQ800w1250": "", "AQ800w2500": "", "AQ1200w1250": "", "AQ1200w2500": "",
    })
}

pub(crate) async fn preview(browser: &mut Browser, rows: &Value) -> Value {
    let answer = browser.post(PREVIEW, rows).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body
}

/// Imports the rows as decided on this preview.
pub(crate) async fn import(browser: &mut Browser, preview: &Value, rows: &Value) -> Answer {
    browser.post(&format!("/api/import?decidedOn={}", preview["digest"].as_str().unwrap()), rows).await
}

async fn preview_has_values_before_and_after_and_the_touched_devices_and_changes_nothing(database: TestDb) {
    let world = world_with_tea(&database).await;
    let mut admin = world.signed_in(ADMIN).await;
    let kept = json!([row("Fig", "0.9", "0.5"), row("Zest", "0.9", "0.5")]);
    assert_eq!(admin.post("/api/import", &kept).await.status, 200);
    let (before, newest) = (levels(&mut admin).await, audited(&mut admin, "").await);

    let rows = json!([
        row("Fig", "0.9", "0.5"),
        row("ZEST", "0.9", "5"),
        row("Oud", "1", "0.7"),
        row("White Tea", "1.25", "1")
    ]);
    let body = preview(&mut admin, &rows).await;
    for (member, expected) in
        [("added", 1), ("changed", 2), ("unchanged", 1), ("implausible", 0), ("emptied", 0), ("furtherRows", 0)]
    {
        assert_eq!(body[member], expected, "{member}: {body}");
    }
    let [tea, zest, oud] = <[Value; 3]>::try_from(body["rows"].as_array().unwrap().clone()).unwrap();
    assert_eq!((&tea["row"], &tea["before"], &tea["after"]), (&json!(3), &row("White Tea", "1", "1"), &rows[3]));
    assert_eq!((&tea["devices"], &tea["doubts"]), (&body["devices"], &json!([])));
    let factor = json!({ "column": "AQ300w500", "isImplausible": false, "from": 0.0458, "to": 7.08, "factor": 10.0 });
    assert_eq!((&zest["before"]["AQ300w500"], &zest["doubts"]), (&json!("0.5"), &json!([factor])));
    assert_eq!(zest["after"], row("Zest", "0.9", "5"), "devices have this form of the name");
    assert_eq!((&oud["row"], &oud["before"], &oud["devices"]), (&json!(2), &Value::Null, &json!(0)));
    assert_eq!((levels(&mut admin).await, audited(&mut admin, "").await), (before.clone(), newest));

    let imported = import(&mut admin, &body, &rows).await;
    assert_eq!((imported.status, &imported.body["devices"]), (200, &body["devices"]), "{}", imported.body);
    let after = levels(&mut admin).await;
    let moved = |dsn: &String| after[dsn].as_i64().zip(before[dsn].as_i64()).is_some_and(|(to, from)| to - from > 5);
    assert_eq!(body["movedFar"], before.keys().filter(|dsn| moved(dsn)).count());
}

async fn implausible_values_are_imported_only_as_decided_on_their_preview(database: TestDb) {
    let world = world_with_tea(&database).await;
    let mut admin = world.signed_in(ADMIN).await;
    let before = catalogue(&mut admin).await;
    // A spreadsheet has lost the decimal points.
    let rows = json!([row("Kiesel & Moos", "918", "0.5"), row("White Tea", "1", "1000")]);
    let refused = admin.post("/api/import", &rows).await;
    assert_eq!((refused.status, refused.code()), (422, "invalid"));
    let text = |range: &str| json!([format!("Must be {range}, or be confirmed: it is probably 1000 times too large")]);
    assert_eq!(
        refused.body["errors"],
        json!({ "[0].Density": text("from 0.5 to 1.5"), "[1].AQ300w500": text("from 0.0458 to 7.08") })
    );

    let seen = preview(&mut admin, &rows).await;
    assert_eq!((&seen["implausible"], &seen["emptied"], &seen["movedFar"]), (&json!(2), &json!(2), &json!(2)));
    let [tea, new] = <[Value; 2]>::try_from(seen["rows"].as_array().unwrap().clone()).unwrap();
    assert_eq!((&tea["row"], &tea["emptied"], &tea["before"]["AQ300w500"]), (&json!(1), &json!(2), &json!("1")));
    for doubt in [&tea["doubts"][0], &new["doubts"][0]] {
        assert_eq!((&doubt["isImplausible"], &doubt["factor"]), (&json!(true), &json!(1000.0)));
    }
    let other_rows = json!([row("Kiesel & Moos", "918", "0.5"), row("White Tea", "1", "1001")]);
    for (decided_on, rows) in [(&seen, &other_rows), (&json!({ "digest": "0" }), &rows)] {
        let answer = import(&mut admin, decided_on, rows).await;
        assert_eq!((answer.status, answer.code()), (409, "conflict"));
    }
    assert_eq!(catalogue(&mut admin).await, before);
    assert_eq!(audited(&mut admin, "operation=update_fragrances").await.len(), 0);

    // Another administrator changes one of the fragrances meanwhile.
    let mut other = world.signed_in(ADMIN).await;
    assert_eq!(other.post("/api/import", &json!([row("White Tea", "1.1", "1")])).await.status, 200);
    assert_eq!(import(&mut admin, &seen, &rows).await.status, 409);
    let seen = preview(&mut admin, &rows).await;
    assert_eq!(import(&mut admin, &seen, &rows).await.body["changed"], 1);
    assert_eq!(levels(&mut admin).await["SC-10"], 0);
    assert_eq!(admin.post("/api/import", &rows).await.body["unchanged"], 2, "what is stored is not asked again");
}

#[tokio::test]
async fn preview_of_ten_thousand_rows_has_the_most_important_ones() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let number = |number: usize| if number == 9_999 { "95" } else { "0.9" };
    let rows: Vec<Value> = (0..10_000).map(|it| row(&format!("Fragrance {it:05}"), number(it), "0.5")).collect();
    let body = preview(&mut admin, &json!(rows)).await;
    assert_eq!(
        (&body["added"], &body["implausible"], &body["furtherRows"]),
        (&json!(10_000), &json!(1), &json!(9_500))
    );
    let listed: Vec<_> = body["rows"].as_array().unwrap().iter().map(|row| row["row"].as_u64().unwrap()).collect();
    assert_eq!((listed.len(), listed[0], listed[1], listed[499]), (500, 9_999, 0, 498));
    assert!(body.to_string().len() < 500_000);
    let invalid = admin.post(PREVIEW, &json!([row("Fig", "heavy", "")])).await;
    assert_eq!((invalid.status, invalid.fields()), (422, vec!["[0].Density"]));
}

#[tokio::test]
async fn previews_of_imports_by_one_person_are_limited() {
    let few = RateLimit { per_address: Rate::per_minute(100), per_account: Rate::per_minute(2) };
    let world = World::start_with(|config| config.rate_limits.previews = few).await;
    let (mut admin, rows) = (world.signed_in(ADMIN).await, json!([row("Fig", "0.9", "0.5")]));
    for _ in 0..2 {
        preview(&mut admin, &rows).await;
    }
    for path in [PREVIEW, "/api/import/last/preview"] {
        let refused = admin.post(path, &rows).await;
        assert_eq!((refused.status, refused.code()), (429, "too_many_requests"), "{path}");
    }
    assert_eq!(admin.post("/api/import", &rows).await.status, 200);
}

on_both_databases!(
    preview_has_values_before_and_after_and_the_touched_devices_and_changes_nothing,
    implausible_values_are_imported_only_as_decided_on_their_preview,
);
