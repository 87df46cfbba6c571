//! Jobs for all devices that match a filter, and what they would change.

use cloud::testing::Fault;
use console::{Rate, RateLimit};
use serde_json::{Value, json};

use crate::browser::{Answer, Browser};
use crate::copy::{self, AQ290, SOURCE, TARGET, body};
use crate::jobs::{PASS, ended, fleet};
use crate::world::*;

const ASSIGNMENT: &str = "/api/devices/csp/preview";

fn copy_path() -> String {
    format!("/api/devices/dsns/{SOURCE}/copy")
}

async fn preview_copy(browser: &mut Browser, body: &Value) -> Answer {
    browser.post(&format!("{}/preview", copy_path()), body).await
}

async fn dsns_of_job(browser: &mut Browser, job: &Value) -> Vec<String> {
    let targets = browser.get(&format!("/api/jobs/{}/targets", job["id"].as_str().unwrap())).await.body;
    targets["targets"].as_array().unwrap().iter().map(|it| it["dsn"].as_str().unwrap().to_owned()).collect()
}

fn change(field: &str, before: impl Into<Value>, after: impl Into<Value>) -> Value {
    json!({ "field": field, "before": before.into(), "after": after.into() })
}

#[tokio::test]
async fn preview_of_a_copy_shows_changed_and_unchanged_devices_and_changes_nothing() {
    let world = copy::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let before = browser.device(TARGET).await;
    let mut admin = world.signed_in(ADMIN).await;
    let newest = admin.get("/api/audit?limit=1").await.body;
    let input = body(&["settings"], &[TARGET, AQ290]);
    let answer = preview_copy(&mut browser, &input).await;
    assert_eq!((answer.status, &answer.body["total"], &answer.body["next"]), (200, &json!(2), &Value::Null));
    let changes = |intensity: i64| {
        json!([change("mode", 3, 4), change("cycle", 3, 1), change("intensity", 9, intensity), change("fan", 5, 2)])
    };
    let expected = json!([
        { "dsn": TARGET, "changes": changes(50), "refusal": null },
        { "dsn": AQ290, "changes": changes(49), "refusal": null },
    ]);
    assert_eq!(answer.body["targets"], expected, "the intensity is lowered to what the model can do");
    assert_eq!(browser.device(TARGET).await, before);
    assert!(world.cloud.device(TARGET).await.pending().await.is_empty());
    assert_eq!(admin.get("/api/audit?limit=1").await.body, newest);
    assert_eq!(browser.get("/api/jobs").await.body["jobs"], json!([]));

    copy::copy(&mut browser, &["settings"], &[TARGET]).await;
    let audited = admin.get(&format!("/api/audit?target={TARGET}")).await.body["entries"][0]["changes"].clone();
    for (planned, written) in changes(50).as_array().unwrap().iter().zip(audited.as_array().unwrap()) {
        assert_eq!((&planned["field"], &planned["after"]), (&written["field"], &written["after"]));
    }
    let again = preview_copy(&mut browser, &body(&["settings"], &[TARGET])).await.body;
    assert_eq!(again["targets"], json!([{ "dsn": TARGET, "changes": [], "refusal": null }]), "unchanged");
}

#[tokio::test]
async fn preview_of_an_assignment_is_paged_and_shows_refused_devices() {
    let world = World::start().await;
    let (mut admin, mut dsns) = (world.signed_in(ADMIN).await, fleet(&world, 30).await);
    dsns.push("SC-NONE".to_owned());
    let input = json!({ "dsns": dsns, "csp": "South" });
    let first = admin.post(ASSIGNMENT, &input).await.body;
    assert_eq!((&first["total"], &first["next"]), (&json!(31), &json!(25)));
    let targets = first["targets"].as_array().unwrap();
    let expected = json!({ "dsn": "SC-F00", "changes": [change("csp", "North", "South")], "refusal": null });
    assert_eq!((targets.len(), &targets[0]), (25, &expected));
    let rest = admin.post(&format!("{ASSIGNMENT}?from=25"), &input).await.body;
    assert_eq!((rest["targets"].as_array().unwrap().len(), &rest["next"]), (6, &Value::Null));
    assert_eq!(rest["targets"][0]["dsn"], "SC-F25");
    let gone = json!({ "dsn": "SC-NONE", "changes": [], "refusal": "There is no such thing here." });
    assert_eq!(rest["targets"][5], gone);
    for beyond in ["31", "18446744073709551615"] {
        let page = admin.post(&format!("{ASSIGNMENT}?from={beyond}"), &input).await;
        assert_eq!((page.status, &page.body["targets"]), (200, &json!([])), "{beyond}");
    }
    for query in ["from=-1", "from=x", "from=1&from=2"] {
        assert_eq!(admin.post(&format!("{ASSIGNMENT}?{query}"), &input).await.fields(), ["from"], "{query}");
    }
}

#[tokio::test]
async fn preview_requires_what_the_job_requires() {
    let world = copy::start().await;
    for email in [NORTH_TECH, OBSERVER, NO_ROLE] {
        let refused = world.signed_in(email).await.post(ASSIGNMENT, &json!({ "dsns": [NORTH], "csp": "North" })).await;
        assert_eq!(refused.status, 403, "{email}");
    }
    for (email, status) in [(NORTH_OBSERVER, 403), (SOUTH_ADMIN, 404), (NO_ROLE, 404)] {
        let refused = preview_copy(&mut world.signed_in(email).await, &body(&["copyId"], &[TARGET])).await;
        assert_eq!(refused.status, status, "{email}");
    }
    let mut admin = world.signed_in(ADMIN).await;
    let many: Vec<String> = (0..=5000).map(|number| format!("SC-{number}")).collect();
    let rows = [
        (json!({}), vec!["csp", "dsns"]),
        (json!({ "dsns": many, "csp": "South" }), vec!["dsns"]),
        (json!({ "dsns": [NORTH], "csp": "Nowhere" }), vec!["csp"]),
        (json!({ "matching": 7, "csp": "South" }), vec!["matching"]),
    ];
    for (input, fields) in rows {
        let answer = admin.post(ASSIGNMENT, &input).await;
        assert_eq!((answer.status, answer.fields()), (422, fields), "{input:.100}");
    }
    let refused = preview_copy(&mut admin, &body(&["copyId"], &[TARGET, SOURCE])).await;
    assert_eq!(refused.fields(), ["targets"]);
}

#[tokio::test]
async fn unavailable_cloud_fails_the_preview_and_refuses_no_device() {
    let world = copy::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    // The source can be read; the target cannot, however often.
    world.cloud.faults().push(PASS);
    for _ in 0..10 {
        world.cloud.faults().push(Fault::Drop);
    }
    let answer = preview_copy(&mut browser, &body(&["copyId"], &[TARGET])).await;
    assert_eq!((answer.status, answer.code()), (502, "cloud_failed"), "{}", answer.body);
}

#[tokio::test]
async fn previews_of_one_person_are_limited() {
    let few = RateLimit { per_address: Rate::per_minute(100), per_account: Rate::per_minute(2) };
    let world = World::start_with(|config| config.rate_limits.previews = few).await;
    let (mut admin, input) = (world.signed_in(ADMIN).await, json!({ "dsns": [NORTH], "csp": "South" }));
    for _ in 0..2 {
        assert_eq!(admin.post(ASSIGNMENT, &input).await.status, 200);
    }
    let refused = admin.post(ASSIGNMENT, &input).await;
    assert_eq!((refused.status, refused.code()), (429, "too_many_requests"));
    assert_eq!(admin.put("/api/devices/csp", &input).await.status, 202, "the job itself may start");
}

#[tokio::test]
async fn job_for_a_filter_takes_exactly_the_devices_that_match_at_its_start() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let input = json!({ "matching": "csp=North", "csp": "South" });
    let preview = admin.post(ASSIGNMENT, &input).await.body;
    assert_eq!(preview["total"], 2);
    // Meanwhile one of them goes to South, and another one comes to North.
    let form = json!({ "csp": "South" });
    assert_eq!(admin.put(&format!("/api/devices/dsns/{NORTH}"), &form).await.status, 200);
    assert_eq!(admin.put(&format!("/api/devices/dsns/{OWNED}"), &json!({ "csp": "North" })).await.status, 200);
    let answer = admin.put("/api/devices/csp", &input).await;
    assert_eq!(answer.status, 202, "{}", answer.body);
    let job = ended(&mut admin, &answer.body).await;
    assert_eq!(dsns_of_job(&mut admin, &job).await, [NORTH_AQ290, OWNED]);
    assert_eq!(job["counts"]["done"], 2);
}

#[tokio::test]
async fn filter_of_a_copy_reaches_no_other_csp_and_not_the_source() {
    let world = copy::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let mut input = json!({ "matching": "", "copyId": true });
    let answer = browser.post(&copy_path(), &input).await;
    assert_eq!(answer.status, 202, "{}", answer.body);
    let job = ended(&mut browser, &answer.body).await;
    assert_eq!(dsns_of_job(&mut browser, &job).await, [TARGET, AQ290, NORTH, NORTH_AQ290]);
    input["matching"] = json!("excludeDsn=SC-N1&model=AQ290");
    let answer = browser.post(&copy_path(), &input).await;
    let job = ended(&mut browser, &answer.body).await;
    assert_eq!(dsns_of_job(&mut browser, &job).await, [AQ290, NORTH_AQ290]);
}

#[tokio::test]
async fn filter_that_is_unknown_or_matches_nothing_is_refused() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let rows = [
        (json!({ "matching": "scp=North", "csp": "South" }), "matching", "scp is no filter"),
        (json!({ "matching": "page=1", "csp": "South" }), "matching", "page is no filter"),
        (json!({ "matching": "csp=a&csp=b", "csp": "South" }), "matching", "csp must be given once"),
        (json!({ "matching": format!("dsn={}", "x".repeat(65)), "csp": "South" }), "matching", "dsn is too long"),
        (json!({ "matching": "x".repeat(2_001), "csp": "South" }), "matching", "is too long"),
        (json!({ "matching": "csp=Nowhere", "csp": "South" }), "dsns", "No device matches"),
        (
            json!({ "matching": "csp=North", "dsns": [NORTH], "csp": "South" }),
            "matching",
            "Name devices or a filter, not both",
        ),
    ];
    for (input, field, text) in rows {
        for answer in [admin.put("/api/devices/csp", &input).await, admin.post(ASSIGNMENT, &input).await] {
            assert_eq!((answer.status, &answer.body["errors"][field]), (422, &json!([text])), "{input:.100}");
        }
    }
    assert_eq!(admin.get("/api/jobs").await.body["jobs"], json!([]));
}
