//! The device list read from the cloud: before the index is filled, and if the operator has configured it.

use serde_json::{Value, json};

use crate::world::*;

async fn world() -> World {
    World::start_with(|config| config.lists_from_cloud = true).await
}

fn dsns(list: &Value) -> Vec<&str> {
    list["devices"].as_array().unwrap().iter().map(|device| device["dsn"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn every_role_gets_its_own_devices_from_the_cloud() {
    let world = world().await;
    let rows: [(&str, &[&str]); 6] = [
        (ADMIN, &[NORTH, NORTH_AQ290, SOUTH, OWNED]),
        (OBSERVER, &[NORTH, NORTH_AQ290, SOUTH, OWNED]),
        (NORTH_TECH, &[NORTH, NORTH_AQ290]),
        (SOUTH_ADMIN, &[SOUTH]),
        (NO_ROLE, &[]),
        (END_USER, &[]),
    ];
    for (email, expected) in rows {
        let mut browser = world.signed_in(email).await;
        let list = browser.get("/api/devices?orderBy=dsn&order=asc").await;
        assert_eq!((list.status, dsns(&list.body)), (200, expected.to_vec()), "{email}");
        assert_eq!((&list.body["source"], &list.body["total"]), (&json!("cloud"), &json!(expected.len())), "{email}");
        assert_eq!(list.body["asOf"], "2026-11-20T10:00:00Z");
    }
}

/// The total comes from the cloud and must not count the excluded device.
#[tokio::test]
async fn list_from_the_cloud_can_exclude_a_device() {
    let world = world().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let list = browser.get(&format!("/api/devices?orderBy=dsn&order=asc&excludeDsn={NORTH}")).await.body;
    assert_eq!((dsns(&list), &list["total"]), (vec![NORTH_AQ290], &json!(2)));
}

/// The rows without what the index alone knows: why there is no forecast.
fn common(list: &Value) -> Vec<Value> {
    let mut rows = list["devices"].as_array().unwrap().clone();
    for row in &mut rows {
        row.as_object_mut().unwrap().remove("forecastObstacle").unwrap();
    }
    rows
}

#[tokio::test]
async fn row_is_the_same_from_cloud_and_index() {
    let (from_cloud, from_index) = (world().await, World::start().await);
    let mut rows = Vec::new();
    for world in [&from_cloud, &from_index] {
        let mut browser = world.signed_in(NORTH_ADMIN).await;
        rows.push(common(&browser.get("/api/devices?orderBy=dsn&order=asc").await.body).remove(0));
    }
    assert_eq!(rows[0]["dsn"], NORTH);
    assert_eq!(rows[0], rows[1]);
}

#[tokio::test]
async fn pages_and_order_match_the_index() {
    let (from_cloud, from_index) = (world().await, World::start().await);
    let mut answers = Vec::new();
    for world in [&from_cloud, &from_index] {
        for number in 0..8 {
            world.add_device(&format!("SC-A{number}"), "North").await;
        }
        // The cloud also reports devices that have never connected as Offline.
        for dsn in [NORTH, NORTH_AQ290, SOUTH, OWNED]
            .map(str::to_owned)
            .into_iter()
            .chain((0..8).map(|number| format!("SC-A{number}")))
        {
            let device = world.cloud.device(&dsn).await;
            let generation = device.connect().await;
            device.disconnect(generation).await;
        }
        world.console.resync().await;
        let mut browser = world.signed_in(ADMIN).await;
        let mut pages = Vec::new();
        for query in [
            "orderBy=dsn&order=desc",
            "orderBy=dsn&order=asc&page=3",
            "orderBy=dsn&order=asc&page=99",
            "orderBy=dsn&pageSize=25",
            "orderBy=servicearea&order=asc&page=2",
            "orderBy=dsn&connectionstatus=Offline",
            "connectionstatus=Online",
        ] {
            let list = browser.get(&format!("/api/devices?{query}")).await.body;
            pages.push((query, common(&list), list["total"].clone(), list["currentPageNumber"].clone()));
        }
        answers.push(pages);
    }
    for (cloud, index) in answers[0].iter().zip(&answers[1]) {
        // The index orders devices of the same name by dsn, the cloud by key.
        if cloud.0.contains("servicearea") {
            assert_eq!((&cloud.2, &cloud.3), (&index.2, &index.3));
        } else {
            assert_eq!(cloud, index);
        }
    }
}

#[tokio::test]
async fn parameters_unsupported_by_the_cloud_are_refused_by_name() {
    let world = world().await;
    let mut admin = world.signed_in(ADMIN).await;
    let columns = "serialnumber csp customer model network city stateprovince country fragranceremaining runsdry";
    for column in columns.split(' ') {
        let answer = admin.get(&format!("/api/devices?orderBy={column}")).await;
        assert_eq!((answer.status, &answer.body["code"]), (503, &json!("list_limited")), "{column}");
        assert!(answer.body["errors"]["orderBy"].is_array(), "{}", answer.body);
    }
    let filters = "csp dsn network servicearea fragrance model serialnumber customer city country stateprovince";
    for filter in filters.split(' ') {
        let answer = admin.get(&format!("/api/devices?{filter}=x")).await;
        assert_eq!((answer.status, &answer.body["code"]), (503, &json!("list_limited")), "{filter}");
        assert!(answer.body["errors"][filter].is_array(), "{}", answer.body);
    }
    let answers = "q=x maxremaining=20 offlinehours=1 runsdrydays=7 runsdrybefore=2026-12-01 near=1,1 \
                   connectionstatus=NeverConnected";
    for query in answers.split(' ') {
        let answer = admin.get(&format!("/api/devices?{query}")).await;
        assert_eq!((answer.status, &answer.body["code"]), (503, &json!("list_limited")), "{query}");
        assert!(answer.body["errors"][query.split('=').next().unwrap()].is_array(), "{}", answer.body);
    }
    // The CSP filter is ignored for CSP roles.
    let mut north = world.signed_in(NORTH_ADMIN).await;
    assert_eq!(north.get("/api/devices?csp=South").await.body["total"], 2);
    assert_eq!(admin.get("/api/devices?orderBy=nothing").await.status, 422, "no column at all");
}

#[tokio::test]
async fn unreachable_cloud_is_an_error_and_not_an_empty_list() {
    let world = world().await;
    let mut browser = world.signed_in(ADMIN).await;
    for _ in 0..3 {
        world.cloud.faults().push(cloud::testing::Fault::Drop);
    }
    assert_eq!(browser.get("/api/devices").await.status, 502);
}
