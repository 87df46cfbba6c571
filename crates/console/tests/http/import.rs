//! Export and import of the fragrance catalogue.

use std::collections::BTreeMap;

use platform::testing::TestDb;
use serde_json::{Value, json};

use crate::browser::{Answer, Browser};
use crate::notifications;
use crate::runs_dry::{white_tea, with_days};
use crate::world::*;

const EXPORT: &str = "/api/import/export";

/// The row of a fragrance that suits every model.
fn row(name: &str, density: &str) -> Value {
    json!({
        "Fragrance": name, "SKU": format!("SKU {name}"), "Density": density, "AQ200w500": "0.5", "AQ300w500": "0.25",
        "AQ500w500": "", "AQ800w1250": "1", "AQ800w2500": "1.1", "AQ1200w1250": "1.9", "AQ1200w2500": "2",
    })
}

async fn import(browser: &mut Browser, rows: &Value) -> Answer {
    browser.post("/api/import", rows).await
}

pub(crate) async fn catalogue(browser: &mut Browser) -> Value {
    browser.get(EXPORT).await.body["items"].clone()
}

#[tokio::test]
async fn import_adds_and_changes_but_never_removes() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    assert_eq!(catalogue(&mut browser).await, json!([]));
    let answer = import(&mut browser, &json!([row("fig", "0.9"), row(" Amber ", "1.10")])).await;
    assert_eq!((answer.status, answer.body), (200, json!({ "added": 2, "changed": 0, "unchanged": 0, "devices": 0 })));
    let answer = import(&mut browser, &json!([row("fig", "0.95"), row("Zest", "1")])).await;
    assert_eq!(answer.body, json!({ "added": 1, "changed": 1, "unchanged": 0, "devices": 0 }));
    let names: Vec<_> =
        catalogue(&mut browser).await.as_array().unwrap().iter().map(|row| row["Fragrance"].clone()).collect();
    assert_eq!(names, ["Amber", "fig", "Zest"]);
    let fragrances = browser.get("/api/fragrances").await.body;
    assert_eq!((&fragrances[1]["name"], &fragrances[1]["density"]), (&json!("fig"), &json!(0.95)));
    assert_eq!(fragrances[1]["flow"]["AQ1200w2500"], 2.0);
    assert_eq!(fragrances[1]["flow"]["AQ500w500"], Value::Null, "an empty flow is none");
}

#[tokio::test]
async fn reimported_export_changes_nothing() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    let rows = ["=1+1", "Émeraude", "a \"quoted\", one", "Fig"].map(|name| row(name, "0.918"));
    assert_eq!(import(&mut browser, &json!(rows)).await.body["added"], 4);
    let before = catalogue(&mut browser).await;
    assert_eq!(before[0], row("=1+1", "0.918"), "names are not escaped here");
    let answer = import(&mut browser, &before).await;
    assert_eq!(answer.body, json!({ "added": 0, "changed": 0, "unchanged": 4, "devices": 0 }));
    assert_eq!(catalogue(&mut browser).await, before);
    let audit = browser.get("/api/audit?operation=update_fragrances").await.body;
    assert_eq!(audit["entries"].as_array().unwrap().len(), 1, "an import without changes is not audited");
}

#[tokio::test]
async fn import_with_an_invalid_row_changes_nothing() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    import(&mut browser, &json!([row("Fig", "0.9")])).await;
    let before = catalogue(&mut browser).await;
    let rows = json!([row("Amber", "0.9"), row("Fig", "1.5"), row("Amber", "heavy")]);
    let answer = import(&mut browser, &rows).await;
    assert_eq!((answer.status, answer.code()), (422, "invalid"));
    assert_eq!(answer.body["errors"]["[2].Fragrance"], json!(["Duplicate Fragrance Found: Amber"]));
    assert_eq!(answer.body["errors"]["[2].Density"], json!(["Must be a number of at least 0"]));
    assert_eq!(answer.fields().len(), 2);
    let long = "x".repeat(1_000_000);
    for (rows, status, field) in [
        (json!([]), 422, "rows"),
        (json!([row(&long, "1")]), 422, "[0].Fragrance"),
        (json!([row("Fig", &long)]), 422, "[0].Density"),
        (json!([{ "Fragrance": "Fig", "Density": 1 }]), 422, "[0].Density"),
        (json!([{ "Fragrance": "Fig", "Density": null }]), 422, "[0].Density"),
        (json!([{ "Fragrance": "Fig" }]), 422, "[0].Density"),
        (json!([row("Fig", "1"), "Amber"]), 422, "[1]"),
        (json!({ "rows": [] }), 400, ""),
    ] {
        let answer = import(&mut browser, &rows).await;
        assert_eq!((answer.status, answer.fields().first().copied().unwrap_or_default()), (status, field));
        assert!(answer.body.to_string().len() < 500, "the text came back");
    }
    let mut unknown = row("Fig", "1");
    unknown["Notes"] = json!("x");
    assert_eq!(import(&mut browser, &json!([unknown])).await.status, 422, "an unknown column");
    assert_eq!(catalogue(&mut browser).await, before);
}

#[tokio::test]
async fn import_accepts_at_most_ten_thousand_rows() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    let rows: Vec<Value> = (0..10_000).map(|number| row(&format!("Fragrance number {number:05}"), "0.918")).collect();
    let answer = import(&mut browser, &json!(rows)).await;
    assert_eq!((answer.status, &answer.body["added"]), (200, &json!(10_000)));
    assert_eq!(catalogue(&mut browser).await.as_array().unwrap().len(), 10_000);
    let more: Vec<Value> = (0..10_001).map(|number| row(&number.to_string(), "1")).collect();
    assert_eq!(import(&mut browser, &json!(more)).await.fields(), ["rows"]);
    let huge = json!([row(&"x".repeat(5 * 1024 * 1024), "1")]);
    let answer = import(&mut browser, &huge).await;
    assert_eq!((answer.status, answer.code()), (413, "too_large"));

    let audit = browser.get("/api/audit?operation=update_fragrances").await.body;
    let changes = audit["entries"][0]["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 101, "a hundred fragrances and the number of the others");
    assert_eq!((&changes[100]["field"], &changes[100]["after"]), (&json!("furtherFragrances"), &json!(9900)));
}

#[tokio::test]
async fn only_an_oem_admin_exports_and_imports() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    for email in [OBSERVER, NORTH_ADMIN, NORTH_OBSERVER, NORTH_TECH, NO_ROLE, END_USER] {
        let mut browser = world.signed_in(email).await;
        assert_eq!(browser.get(EXPORT).await.status, 403, "{email}");
        for rows in [json!([row("Fig", "0.9")]), json!([])] {
            let answer = import(&mut browser, &rows).await;
            assert_eq!(
                (answer.status, answer.code()),
                (403, "forbidden"),
                "{email}: before anything is said of the rows"
            );
        }
        let session = browser.get("/api/session").await.body;
        assert!(!session["can"].as_array().unwrap().contains(&json!("fragrances.edit")), "{email}");
    }
    assert_eq!(world.browser().get(EXPORT).await.status, 401);
    assert_eq!(import(&mut world.browser(), &json!([row("Fig", "0.9")])).await.status, 401);
    assert_eq!(catalogue(&mut admin).await, json!([]));
    let session = admin.get("/api/session").await.body;
    assert!(session["can"].as_array().unwrap().contains(&json!("fragrances.edit")));
}

#[tokio::test]
async fn audit_lists_each_changed_fragrance_for_actors_who_see_every_csp() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    import(&mut browser, &json!([row("Fig", "0.9"), row("Amber", "1")])).await;
    import(&mut browser, &json!([row("Fig", "0.95"), row("Amber", "1"), row("Zest", "1")])).await;
    let audit = browser.get("/api/audit?operation=update_fragrances").await.body;
    let last = &audit["entries"][0];
    assert_eq!(
        (&last["result"], &last["target"]["kind"], &last["actor"]["email"]),
        (&json!("done"), &json!("fragrances"), &json!(ADMIN))
    );
    let line = |name: &str, density: &str| format!("SKU {name}, {density}, 0.5, 0.25, , 1, 1.1, 1.9, 2");
    assert_eq!(
        last["changes"],
        json!([
            { "field": "Fig", "before": line("Fig", "0.9"), "after": line("Fig", "0.95"), "saved": true },
            { "field": "Zest", "before": null, "after": line("Zest", "1"), "saved": true },
        ])
    );
    let partner = world.signed_in(NORTH_ADMIN).await.get("/api/audit?operation=update_fragrances").await.body;
    assert_eq!(partner["entries"], json!([]));
}

#[tokio::test]
async fn concurrent_imports_leave_the_rows_of_one() {
    let world = World::start().await;
    let rows = |of: fn(usize) -> &'static str| {
        json!((0..200).map(|number| row(&format!("F{number}"), of(number))).collect::<Vec<_>>())
    };
    let (mut one, mut other) = (world.signed_in(ADMIN).await, world.signed_in(ADMIN).await);
    // Half of the rows of the first file are already in the catalogue.
    let (before, first, second) =
        (rows(|_| "0.5"), rows(|number| if number % 2 == 0 { "0.5" } else { "0.6" }), rows(|_| "0.75"));
    for _ in 0..5 {
        import(&mut one, &before).await;
        let (first_in, second_in) = tokio::join!(import(&mut one, &first), import(&mut other, &second));
        assert_eq!((first_in.status, second_in.status), (200, 200));
        let mut densities: Vec<_> =
            catalogue(&mut one).await.as_array().unwrap().iter().map(|row| row["Density"].to_string()).collect();
        densities.sort();
        densities.dedup();
        assert!(densities == [r#""0.5""#, r#""0.6""#] || densities == [r#""0.75""#], "{densities:?}");
    }
}

/// The job between the passes updates one device after the other (A-16), so an import causes no burst of writes.
#[tokio::test]
async fn levels_follow_the_catalogue() {
    let world = World::start_with(reads_devices).await;
    let mut browser = world.signed_in(ADMIN).await;
    let white_tea = |flow: &str| json!([{ "Fragrance": "White Tea", "Density": "1", "AQ200w500": flow }]);
    import(&mut browser, &white_tea("0.5")).await;
    world.cloud.device(NORTH_AQ290).await.report(&[("cartridge_life", json!(500))]).await;
    world.console.resync().await;
    let mut stream = browser.follow(&[NORTH_AQ290]).await;
    import(&mut browser, &white_tea("0.1")).await;
    let stored = world.cloud.device(NORTH_AQ290).await.pending().await;
    assert!(!stored.iter().any(|(_, _, value)| value == &json!(90)), "the import itself writes to no device");
    assert_eq!(browser.device(NORTH_AQ290).await["fragranceRemaining"], 90, "a page computes");
    world.console.resync().await;
    while stream.until("commanded", NORTH_AQ290).await["fragranceRemaining"] != 90 {}
}

async fn level_that_an_import_changes_sends_no_message(database: TestDb) {
    let world = World::start_on(&database).await;
    let mut browser = world.signed_in(ADMIN).await;
    let white_tea = |flow: &str| json!([{ "Fragrance": "White Tea", "Density": "1", "AQ200w500": flow }]);
    let recipients = async || {
        let messages = world.cloud.outbox().await;
        messages
            .into_iter()
            .filter(|message| message.kind == "value")
            .map(|message| message.recipient)
            .collect::<Vec<_>>()
    };
    import(&mut browser, &white_tea("0.5")).await;
    notifications::add(
        &mut browser,
        NORTH_AQ290,
        &notifications::form("email", "jo@example.com", &["lowProductLevel"]),
    )
    .await;
    let mut stream = browser.follow(&[NORTH_AQ290]).await;
    let mut stored = async |level: i64| {
        world.console.resync().await;
        while stream.until("commanded", NORTH_AQ290).await["fragranceRemaining"] != level {}
    };
    let device = world.cloud.device(NORTH_AQ290).await;
    device.report(&[("cartridge_life", json!(500))]).await;
    stored(50).await;
    world.console.forecasts_known().await;
    for (flow, level) in [("0.9", 10), ("0.5", 50)] {
        import(&mut browser, &white_tea(flow)).await;
        stored(level).await;
        assert_eq!(recipients().await, Vec::<String>::new(), "{level}");
    }
    // Taken back before the device was read: nothing is left to be stored.
    for flow in ["0.9", "0.5"] {
        import(&mut browser, &white_tea(flow)).await;
    }
    device.report(&[("cartridge_life", json!(810))]).await;
    stored(19).await;
    assert_eq!(recipients().await, ["jo@example.com"], "this level follows from use");
}

/// The levels of all devices as their pages show them.
pub(crate) async fn levels(browser: &mut Browser) -> BTreeMap<String, Value> {
    let list = browser.get("/api/devices?pageSize=25").await.body;
    let mut levels = BTreeMap::new();
    for device in list["devices"].as_array().unwrap() {
        let dsn = device["dsn"].as_str().unwrap();
        levels.insert(dsn.to_owned(), browser.device(dsn).await["fragranceRemaining"].clone());
    }
    levels
}

pub(crate) async fn audited(browser: &mut Browser, query: &str) -> Vec<Value> {
    browser.get(&format!("/api/audit?{query}")).await.body["entries"].as_array().unwrap().clone()
}

async fn each_level_that_an_import_changes_is_an_entry_of_its_device(database: TestDb) {
    let world = World::start_on(&database).await;
    world.console.add_missing_fragrances(&[white_tea()]).await.unwrap();
    let devices = [with_days("SC-10", 10), with_days("SC-3", 3), with_days("SC-0", 0)];
    world.cloud.operator().add_devices(&world.oem, &devices).await.unwrap();
    world.console.resync().await;
    world.console.forecasts_known().await;
    let mut admin = world.signed_in(ADMIN).await;
    let before = levels(&mut admin).await;
    // The same flow with a higher density is less fragrance: also the empty cartridge is not empty any more.
    let white_tea =
        |density: &str| json!([{ "Fragrance": "White Tea", "SKU": "WT", "Density": density, "AQ300w500": "1" }]);
    let answer = admin.post("/api/import?file=tea.csv", &white_tea("1.25")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let after = levels(&mut admin).await;
    assert_eq!((&before["SC-0"], &after["SC-0"]), (&json!(0), &json!(20)));

    let [import] =
        <[Value; 1]>::try_from(audited(&mut admin, "foldJobs=true&operation=update_fragrances").await).unwrap();
    let (mut entries, mut changed) = (0, 0);
    for (dsn, level) in &before {
        let of_device = audited(&mut admin, &format!("target={dsn}&operation=update_fragrances")).await;
        entries += of_device.len();
        let changes = of_device.iter().flat_map(|entry| entry["changes"].as_array().unwrap());
        let levels: Vec<_> = changes.filter(|change| change["field"] == "fragranceRemaining").collect();
        if level == &after[dsn] {
            assert!(levels.is_empty(), "{dsn}");
            continue;
        }
        changed += 1;
        let [entry] = &of_device[..] else { panic!("{dsn}: {of_device:?}") };
        let expected = json!({ "field": "fragranceRemaining", "before": level, "after": after[dsn], "saved": true });
        assert_eq!(levels, [&expected], "{dsn}");
        let file = json!({ "field": "file", "before": null, "after": "tea.csv", "saved": true });
        assert!(entry["changes"].as_array().unwrap().contains(&file), "{entry}");
        assert_eq!((&entry["cause"], &entry["actor"]["email"]), (&import["id"], &json!(ADMIN)));
        assert_eq!((&entry["result"], &entry["target"]["id"]), (&json!("done"), &json!(dsn)));
    }
    assert_eq!(changed, 3);
    // All devices that use the fragrance with this flow, also those without a level that could be computed.
    assert_eq!(answer.body["devices"], entries);
    let cause = import["id"].as_str().unwrap();
    assert_eq!(audited(&mut admin, &format!("cause={cause}")).await.len(), entries);
    let history = admin.get("/api/devices/dsns/SC-3/history").await.body;
    let marks = history["marks"].as_array().unwrap();
    assert!(marks.iter().any(|mark| mark["operation"] == "update_fragrances"), "{marks:?}");

    let mut partner = world.signed_in(NORTH_ADMIN).await;
    let [entry] = <[Value; 1]>::try_from(audited(&mut partner, "operation=update_fragrances").await).unwrap();
    assert_eq!((&entry["target"]["id"], &entry["actor"]["email"]), (&json!(NORTH), &Value::Null));

    let again = admin.post("/api/import?file=tea.csv", &white_tea("1.25")).await;
    assert_eq!(again.body["devices"], 0);
    assert_eq!(audited(&mut admin, "target=SC-3&operation=update_fragrances").await.len(), 1);
    let long = format!("/api/import?file={}", "x".repeat(256));
    assert_eq!(admin.post(&long, &white_tea("1")).await.fields(), ["file"]);
}

on_both_databases!(
    level_that_an_import_changes_sends_no_message,
    each_level_that_an_import_changes_is_an_entry_of_its_device,
);
