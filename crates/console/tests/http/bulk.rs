//! Assigning many devices to one CSP.

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::jobs::{assign, ended};
use crate::world::*;

const PATH: &str = "/api/devices/csp";

/// The partner labels of a device in the cloud.
async fn labels(world: &World, dsn: &str) -> Vec<(String, String)> {
    let cloud = world.cloud_as(ADMIN).await;
    let device = cloud.devices().get(dsn).include([devicecloud::Include::RoleLabels]).send().await.unwrap();
    let of = |it: devicecloud::RoleLabel| Some((it.role_name, it.label?.value));
    let mut labels: Vec<_> = device.role_labels.into_iter().filter_map(of).collect();
    labels.sort();
    labels
}

fn all_of(csp: &str) -> Vec<(String, String)> {
    let roles = diffuser::Role::ALL.into_iter().filter(|role| role.is_csp_scoped());
    let mut labels: Vec<_> = roles.map(|role| (role.name().to_owned(), csp.to_owned())).collect();
    labels.sort();
    labels
}

async fn audited(browser: &mut Browser, query: &str) -> Vec<Value> {
    let entries = browser.get(&format!("/api/audit?{query}")).await.body["entries"].as_array().unwrap().clone();
    entries.into_iter().filter(|entry| entry["operation"] != "create_session").collect()
}

#[tokio::test]
async fn all_devices_get_the_csp_in_the_cloud_and_in_the_lists() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let mut south = world.signed_in(SOUTH_ADMIN).await.follow(&[NORTH]).await;
    let answer = admin.put(PATH, &json!({ "dsns": [NORTH, SOUTH, OWNED, NORTH], "csp": " South " })).await;
    assert_eq!((answer.status, &answer.body["counts"]["total"]), (202, &json!(3)), "{}", answer.body);
    let job = ended(&mut admin, &answer.body).await;
    let counts = json!({ "total": 3, "waiting": 0, "done": 3, "failed": 0, "left": 0, "cancelled": 0 });
    assert_eq!((&job["state"], &job["counts"], &job["unfinished"]), (&json!("done"), &counts, &json!([])));
    assert_eq!(job["can"], json!({ "cancel": false, "retry": false, "undo": true }));
    for dsn in [NORTH, SOUTH, OWNED] {
        assert_eq!(labels(&world, dsn).await, all_of("South"), "{dsn}");
        assert_eq!(admin.listed(dsn).await["csp"], "South", "{dsn}");
    }
    assert_eq!(labels(&world, NORTH_AQ290).await, all_of("North"), "a device that was not named keeps its CSP");
    assert_eq!(south.until("changed", NORTH).await["csp"], "South", "the new CSP gets the event");
    assert_eq!(world.signed_in(NORTH_TECH).await.dsns("").await, [NORTH_AQ290]);
}

#[tokio::test]
async fn every_target_is_tried_and_each_failure_has_its_reason() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let job = assign(&mut admin, &["SC-NONE", NORTH, STOCK], "South").await;
    let counts = json!({ "total": 3, "waiting": 0, "done": 1, "failed": 2, "left": 0, "cancelled": 0 });
    assert_eq!((&job["state"], &job["counts"]), (&json!("done"), &counts));
    let failed = |dsn: &str| json!({ "dsn": dsn, "state": "failed", "reason": "There is no such thing here." });
    assert_eq!(job["unfinished"], json!([failed("SC-NONE"), failed(STOCK)]), "in their order");
    assert_eq!(job["can"], json!({ "cancel": false, "retry": true, "undo": true }));
    assert_eq!(admin.listed(NORTH).await["csp"], "South");
}

#[tokio::test]
async fn partly_relabelled_device_gets_its_csp() {
    let world = World::start().await;
    let cloud = world.cloud_as(ADMIN).await;
    let device = cloud.devices().get(NORTH).send().await.unwrap();
    let role = diffuser::Role::CspAdmin.name();
    cloud.role_labels().disassociate(&device.key, role).label("partner_id", "North").send().await.unwrap();
    cloud.role_labels().associate(&device.key, role).label("partner_id", "South").send().await.unwrap();
    let mut admin = world.signed_in(ADMIN).await;
    for csp in ["North", "South"] {
        let job = assign(&mut admin, &[NORTH], csp).await;
        assert_eq!((&job["counts"]["done"], labels(&world, NORTH).await), (&json!(1), all_of(csp)));
    }
}

#[tokio::test]
async fn start_and_each_changed_device_are_audited() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let job = assign(&mut admin, &[NORTH, SOUTH], "South").await;
    let id = job["id"].as_str().unwrap();
    let start = audited(&mut admin, &format!("target={id}")).await.remove(0);
    assert_eq!((&start["operation"], &start["result"]), (&json!("assign_csp"), &json!("done")));
    assert_eq!(start["target"], json!({ "kind": "job", "id": id, "csp": null }));
    let expected = json!([
        { "field": "csp", "before": null, "after": "South", "saved": true },
        { "field": "devices", "before": null, "after": 2, "saved": true },
    ]);
    assert_eq!(start["changes"], expected);
    let change = audited(&mut admin, &format!("target={NORTH}")).await.remove(0);
    assert_eq!((&change["operation"], &change["actor"]["email"]), (&json!("update_device"), &json!(ADMIN)));
    let expected = json!([{ "field": "csp", "before": "North", "after": "South", "saved": true }]);
    assert_eq!(change["changes"], expected);
    assert!(audited(&mut admin, &format!("target={SOUTH}")).await.is_empty(), "it was South's already");
    for email in [NORTH_ADMIN, SOUTH_ADMIN] {
        assert!(audited(&mut world.signed_in(email).await, "").await.is_empty(), "{email}: the change names both CSPs");
    }
}

#[tokio::test]
async fn assignment_requires_an_existing_csp_and_devices() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let long = "x".repeat(256);
    let many: Vec<String> = (0..=5000).map(|number| format!("SC-{number}")).collect();
    let rows = [
        (json!({}), vec!["csp", "dsns"]),
        (json!({ "dsns": [NORTH] }), vec!["csp"]),
        (json!({ "dsns": [NORTH], "csp": null }), vec!["csp"]),
        (json!({ "dsns": [NORTH], "csp": "  " }), vec!["csp"]),
        (json!({ "dsns": [NORTH], "csp": "south" }), vec!["csp"]),
        (json!({ "dsns": [NORTH], "csp": long }), vec!["csp"]),
        (json!({ "dsns": [NORTH], "csp": "a\0b" }), vec!["csp"]),
        (json!({ "dsns": [NORTH], "csp": ["South"] }), vec!["csp"]),
        (json!({ "csp": "South" }), vec!["dsns"]),
        (json!({ "dsns": [], "csp": "South" }), vec!["dsns"]),
        (json!({ "dsns": NORTH, "csp": "South" }), vec!["dsns"]),
        (json!({ "dsns": [NORTH, "../etc"], "csp": "South" }), vec!["dsns"]),
        (json!({ "dsns": many, "csp": "South" }), vec!["dsns"]),
    ];
    for (body, fields) in rows {
        let answer = admin.put(PATH, &body).await;
        assert_eq!((answer.status, answer.fields()), (422, fields), "{body:.100}");
    }
    assert!(audited(&mut admin, "").await.is_empty());
    assert_eq!(admin.listed(NORTH).await["csp"], "North");
}

#[tokio::test]
async fn bulk_edit_requires_an_oem_admin() {
    let world = World::start().await;
    for email in [OBSERVER, NORTH_ADMIN, NORTH_OBSERVER, NORTH_TECH, NO_ROLE, END_USER] {
        let mut browser = world.signed_in(email).await;
        let answer = browser.put(PATH, &json!({ "dsns": [NORTH], "csp": "North" })).await;
        assert_eq!((answer.status, answer.code()), (403, "forbidden"), "{email}");
        let can = browser.get("/api/session").await.body["can"].clone();
        assert!(!can.as_array().unwrap().contains(&json!("devices.bulk_edit")), "{email}");
    }
    let answer = world.browser().put(PATH, &json!({ "dsns": [NORTH], "csp": "North" })).await;
    assert_eq!(answer.status, 401);
    let can = world.signed_in(ADMIN).await.get("/api/session").await.body["can"].clone();
    assert!(can.as_array().unwrap().contains(&json!("devices.bulk_edit")));
}
