//! A cloud that implements the specification without our extensions.

use cloud::testing::TestCloud;
use platform::db::{Db, params};
use serde_json::json;

use crate::world::*;

/// Both index tables without their timestamps, and the CSPs.
async fn index(world: &World) -> Vec<String> {
    let database = Db::connect(&world.database).await.unwrap();
    let mut rows = Vec::new();
    let columns = "d.dsn, d.key, d.csp, d.serial_number, d.customer, d.customer_id, d.service_area, d.fragrance, \
                   d.system_configuration, d.network, d.city, d.country, d.time_zone, d.created_at, s.connection_status";
    for column in columns.split(", ") {
        let sql = format!(
            "select cast({column} as text) from idx_devices d join idx_device_state s on s.dsn = d.dsn order by d.dsn"
        );
        let values: Vec<(String,)> = database.fetch_all(sqlx::AssertSqlSafe(sql), params![]).await.unwrap();
        rows.extend(values.into_iter().map(|(value,)| format!("{column} {value}")));
    }
    for column in ["mode", "cycle", "intensity", "fan", "fragrance_remaining", "pending"] {
        let sql = format!("select {column} from idx_device_state order by dsn");
        let values: Vec<(Option<i64>,)> = database.fetch_all(sqlx::AssertSqlSafe(sql), params![]).await.unwrap();
        rows.extend(values.into_iter().map(|(value,)| format!("{column} {value:?}")));
    }
    let names: Vec<(String,)> = database.fetch_all("select name from csps order by name", params![]).await.unwrap();
    rows.extend(names.into_iter().map(|(name,)| format!("csp {name}")));
    rows
}

#[tokio::test]
async fn index_is_the_same_without_cloud_extensions() {
    let (plain, ours) = (World::start_before(TestCloud::start_plain().await, |_| {}).await, World::start().await);
    let found = index(&plain).await;
    assert!(found.contains(&"csp South".to_owned()) && found.len() > 50, "{found:?}");
    assert_eq!(found, index(&ours).await);
}

#[tokio::test]
async fn users_have_their_roles_without_cloud_extensions() {
    let (plain, ours) = (World::start_before(TestCloud::start_plain().await, |_| {}).await, World::start().await);
    let people = async |world: &World| {
        let mut list = world.signed_in(ADMIN).await.get("/api/users?orderBy=email&order=asc").await.body;
        for person in list["users"].as_array_mut().unwrap() {
            person.as_object_mut().unwrap().remove("id");
        }
        list
    };
    let found = people(&plain).await;
    assert_eq!(found["total"], 10);
    assert_eq!(found, people(&ours).await);
    assert!(plain.cloud.faults().carried_out("/user/api/v1/users/role_users") >= 10, "the roles of each user are read");
}

#[tokio::test]
async fn later_passes_work_without_cloud_extensions() {
    let world = World::start_before(TestCloud::start_plain().await, |_| {}).await;
    let mut browser = world.signed_in(SOUTH_ADMIN).await;
    // More devices than one page, with and without the extension for multiple reads.
    for number in 0..13 {
        world.add_device(&format!("NEW-{number:02}"), "South").await;
    }
    world.console.resync().await;
    assert_eq!(browser.get("/api/devices").await.body["total"], 14);
    let database = Db::connect(&world.database).await.unwrap();
    for table in ["idx_devices", "idx_device_state"] {
        let sql = format!("update {table} set dsn = 'SC-GONE' where dsn = 'NEW-05'");
        database.execute(sqlx::AssertSqlSafe(sql), params![]).await.unwrap();
    }
    world.console.resync().await;
    let dsns = browser.dsns("").await;
    assert!(dsns.contains(&"NEW-05".to_owned()) && !dsns.contains(&"SC-GONE".to_owned()), "{dsns:?}");
}

#[tokio::test]
async fn device_page_and_settings_work_without_cloud_extensions() {
    let world = World::start_before(TestCloud::start_plain().await, |_| {}).await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let path = format!("/api/devices/dsns/{NORTH}");
    let page = browser.get(&path).await;
    assert_eq!(
        (page.status, &page.body["csp"], &page.body["customer"]),
        (200, &json!("North"), &json!("Hotel Aurora"))
    );
    let written = browser.put(&format!("{path}/settings"), &json!({ "intensity": 30 })).await;
    assert_eq!(written.status, 200, "{}", written.body);
    assert_eq!(browser.listed(NORTH).await["intensity"], 30);
    assert_eq!(browser.get(&format!("/api/devices/dsns/{SOUTH}")).await.status, 404);
}

#[tokio::test]
async fn every_device_list_request_filters_registered_devices() {
    let (from_index, from_cloud) = (World::start().await, World::start_with(|c| c.lists_from_cloud = true).await);
    let plain = World::start_before(TestCloud::start_plain().await, |_| {}).await;
    for world in [from_index, from_cloud, plain] {
        world.add_device("SC-A0", "North").await;
        world.console.resync().await;
        let mut browser = world.signed_in(ADMIN).await;
        for query in ["pageSize=25", "orderBy=dsn&order=asc&connectionstatus=Online"] {
            assert_eq!(browser.get(&format!("/api/devices?{query}")).await.status, 200);
        }
        let lists = world.cloud.faults().queries("/device/apiv1/devices.json");
        assert!(lists.len() > 1, "{lists:?}");
        for query in lists {
            assert!(query.contains("filter%5Bregistered%5D=true"), "{query}");
        }
    }
}
