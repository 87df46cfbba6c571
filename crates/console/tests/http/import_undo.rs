//! The undo of the newest import of the catalogue.

use platform::db::params;
use platform::testing::TestDb;
use serde_json::{Value, json};

use crate::browser::{Answer, Browser};
use crate::import::{audited, catalogue, levels};
use crate::import_preview::{row, world_with_tea};
use crate::world::*;

const LAST: &str = "/api/import/last";
const WEEK_MICROS: i64 = 7 * 24 * 3600 * 1_000_000;

/// White Tea with a higher density, and a new fragrance.
async fn import_tea(browser: &mut Browser) -> Value {
    let rows = json!([row("White Tea", "1.25", "1"), row("Zest", "0.9", "0.5")]);
    let answer = browser.post("/api/import?file=tea.csv", &rows).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body
}

async fn preview(browser: &mut Browser) -> Answer {
    browser.post(&format!("{LAST}/preview"), &Value::Null).await
}

async fn undo(browser: &mut Browser, digest: &str) -> Answer {
    browser.post(&format!("{LAST}/undo"), &json!({ "decidedOn": digest })).await
}

/// The reason why the import cannot be undone.
async fn refusal(browser: &mut Browser) -> String {
    let answer = preview(browser).await;
    assert_eq!((answer.status, answer.code()), (409, "conflict"), "{}", answer.body);
    let undone = undo(browser, "0").await;
    assert_eq!((undone.status, &undone.body["detail"]), (409, &answer.body["detail"]));
    answer.body["detail"].as_str().unwrap().to_owned()
}

async fn import_is_undone_as_decided_on_its_preview_also_after_a_restart(database: TestDb) {
    let world = world_with_tea(&database).await;
    let mut admin = world.signed_in(ADMIN).await;
    assert_eq!(admin.get(LAST).await.body, json!({ "import": null }));
    let before = (catalogue(&mut admin).await, levels(&mut admin).await);
    let imported = import_tea(&mut admin).await;
    let after = (catalogue(&mut admin).await, levels(&mut admin).await);
    assert!(before.0 != after.0 && before.1 != after.1);

    let restarted = world.another_console(|_| {}).await;
    let mut admin = admin.at(restarted.addr());
    let last = admin.get(LAST).await.body["import"].clone();
    assert_eq!(last["file"], "tea.csv");
    let [at, until] =
        ["importedAt", "undoUntil"].map(|at| last[at].as_str().unwrap().parse::<jiff::Timestamp>().unwrap());
    assert_eq!(until.duration_since(at).as_hours(), 7 * 24);
    let seen = preview(&mut admin).await.body;
    assert_eq!(seen["devices"], imported["devices"]);
    let rows = seen["rows"].as_array().unwrap();
    let [tea, zest] = [&rows[0], &rows[1]];
    assert_eq!((&tea["before"], &tea["after"]), (&row("White Tea", "1.25", "1"), &row("White Tea", "1", "1")));
    assert_eq!((&zest["before"], &zest["after"]), (&row("Zest", "0.9", "0.5"), &Value::Null));
    assert_eq!(undo(&mut admin, "0").await.status, 409, "not as decided");
    assert_eq!((catalogue(&mut admin).await, levels(&mut admin).await), after);

    let undone = undo(&mut admin, seen["digest"].as_str().unwrap()).await;
    assert_eq!((undone.status, &undone.body["devices"]), (200, &imported["devices"]), "{}", undone.body);
    assert_eq!((catalogue(&mut admin).await, levels(&mut admin).await), before);
    let [entry] = <[Value; 1]>::try_from(audited(&mut admin, "foldJobs=true&operation=undo_import").await).unwrap();
    assert_eq!((&entry["result"], &entry["actor"]["email"]), (&json!("done"), &json!(ADMIN)));
    let changes = json!([
        { "field": "White Tea", "before": "WT, 1.25, , 1, , , , , ", "after": "WT, 1, , 1, , , , , ", "saved": true },
        { "field": "Zest", "before": "WT, 0.9, , 0.5, , , , , ", "after": null, "saved": true },
        { "field": "devices", "before": null, "after": imported["devices"], "saved": true },
    ]);
    assert_eq!(entry["changes"], changes);
    let [device] = <[Value; 1]>::try_from(audited(&mut admin, "target=SC-10&operation=undo_import").await).unwrap();
    assert_eq!(device["cause"], entry["id"]);
    assert_eq!(admin.get(LAST).await.body, json!({ "import": null }));
    assert_eq!(refusal(&mut admin).await, "There is no import of the last week that can be undone.");
}

async fn import_is_not_undone_after_a_week(database: TestDb) {
    let world = world_with_tea(&database).await;
    let mut admin = world.signed_in(ADMIN).await;
    import_tea(&mut admin).await;
    let age = async |micros: i64| {
        database.execute("update last_import set imported_at = imported_at - $1", params![micros]).await.unwrap();
    };
    age(WEEK_MICROS - 3_600_000_000).await;
    assert_eq!(preview(&mut admin).await.status, 200);
    age(3_600_000_000).await;
    assert_eq!(refusal(&mut admin).await, "There is no import of the last week that can be undone.");
    assert_eq!(admin.get(LAST).await.body, json!({ "import": null }));
}

async fn import_whose_fragrances_are_used_or_changed_is_not_undone(database: TestDb) {
    let world = world_with_tea(&database).await;
    let mut admin = world.signed_in(ADMIN).await;
    import_tea(&mut admin).await;
    let device = "/api/devices/dsns/SC-10";
    assert_eq!(admin.put(device, &json!({ "fragrance": "Zest" })).await.status, 200);
    let in_use = "Devices have Zest, which the import added. Give them another fragrance first.";
    assert_eq!(refusal(&mut admin).await, in_use);
    assert_eq!(admin.put(device, &json!({ "fragrance": "White Tea" })).await.status, 200);
    let seen = preview(&mut admin).await;
    assert_eq!(seen.status, 200, "{}", seen.body);

    // The rows are changed by nobody but an import, which is the newest one then.
    database.execute("update fragrances set sku = 'New' where name = 'White Tea'", params![]).await.unwrap();
    let changed = "White Tea was changed after the import. Undo would overwrite that.";
    assert_eq!(refusal(&mut admin).await, changed);
    assert_eq!(undo(&mut admin, seen.body["digest"].as_str().unwrap()).await.status, 409);
    assert_eq!(admin.post("/api/import?file=next.csv", &json!([row("Oud", "1", "0.5")])).await.status, 200);
    assert_eq!(admin.get(LAST).await.body["import"]["file"], "next.csv");
    let seen = preview(&mut admin).await.body;
    assert_eq!(seen["rows"].as_array().unwrap().len(), 1, "only the newest import is undone");
}

on_both_databases!(
    import_is_undone_as_decided_on_its_preview_also_after_a_restart,
    import_is_not_undone_after_a_week,
    import_whose_fragrances_are_used_or_changed_is_not_undone,
);
