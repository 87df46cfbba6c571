use cloud::testing::Fault;
use serde_json::{Value, json};

use crate::world::*;

#[tokio::test]
async fn each_role_lists_its_own_devices() {
    let world = World::start().await;
    let everything = vec![NORTH, NORTH_AQ290, SOUTH, OWNED];
    let rows = [
        (ADMIN, everything.clone()),
        (OBSERVER, everything),
        (NORTH_ADMIN, vec![NORTH, NORTH_AQ290]),
        (NORTH_OBSERVER, vec![NORTH, NORTH_AQ290]),
        (NORTH_TECH, vec![NORTH, NORTH_AQ290]),
        (SOUTH_ADMIN, vec![SOUTH]),
        (NO_ROLE, vec![]),
        (END_USER, vec![]),
    ];
    for (email, expected) in rows {
        assert_eq!(world.signed_in(email).await.dsns("").await, expected, "{email}");
    }
}

#[tokio::test]
async fn list_and_page_show_the_same_fields() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let expected = json!({
        "dsn": NORTH,
        "serialNumber": "4711",
        "customer": "Hotel Aurora",
        "customerId": "C-9",
        "storeNumber": null,
        "serviceArea": "Lobby",
        "systemConfiguration": "AQ380",
        "fragrance": "White Tea",
        "fragranceRemaining": 64,
        "network": "Aurora Guest",
        "connectionStatus": "Offline",
        "connectedAt": null,
        "csp": "North",
        "city": "Oslo",
        "state": null,
        "country": "Norway",
        "timeZone": "Europe/Oslo",
        "mode": 3,
        "cycle": 3,
        "intensity": 20,
        "fan": 2,
        "can": { "edit": true },
    });
    assert_eq!(browser.listed(NORTH).await, expected);

    let mut page = browser.device(NORTH).await;
    let own = |page: &mut Value, name: &str| page.as_object_mut().unwrap().remove(name).unwrap();
    assert_eq!(own(&mut page, "latitude"), json!(59.911_491));
    assert_eq!(own(&mut page, "longitude"), json!(10.757_933));
    assert_eq!(own(&mut page, "currentScheduleRunning"), json!(0));
    assert_eq!(own(&mut page, "commands"), json!({}));
    assert_eq!(page, expected);
}

#[tokio::test]
async fn the_list_has_pages_filters_and_its_age() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    for number in 0..9 {
        world.add_device(&format!("ZZ-{number}"), "South").await;
    }
    world.console.resync().await;
    let page = browser.get("/api/devices?page=3&pageSize=5&order=asc&orderBy=dsn").await.body;
    assert_eq!((&page["total"], &page["currentPageNumber"]), (&json!(13), &json!(3)));
    assert_eq!(page["devices"].as_array().unwrap().len(), 3);
    assert_eq!(page["asOf"], "2026-11-20T10:00:00Z");
    assert_eq!(
        browser.get("/api/devices?page=99").await.body["currentPageNumber"],
        3,
        "beyond the end is the last page"
    );

    assert_eq!(browser.dsns("&dsn=zz-4").await, ["ZZ-4"]);
    assert_eq!(browser.dsns("&dsn=Z").await.len(), 9);
    assert_eq!(browser.dsns("&dsn=-4").await.len(), 0, "two letters match the beginning");
    assert_eq!(browser.dsns("&connectionstatus=Online").await.len(), 0);
    assert_eq!(browser.dsns("&connectionstatus=Offline&dsn=zz-").await.len(), 9);
}

#[tokio::test]
async fn bad_queries_are_named_by_parameter() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    let rows = [
        ("page=0", "page"),
        ("page=x", "page"),
        ("page=1&page=2", "page"),
        ("pageSize=7", "pageSize"),
        ("order=up", "order"),
        ("orderBy=password", "orderBy"),
        ("connectionstatus=maybe", "connectionstatus"),
    ];
    for (query, field) in rows {
        let answer = browser.get(&format!("/api/devices?{query}")).await;
        assert_eq!((answer.status, answer.code(), answer.fields()), (422, "invalid", vec![field]), "{query}");
    }
}

#[tokio::test]
async fn what_is_not_yours_is_not_there() {
    let world = World::start().await;
    let rows = [
        (NORTH_TECH, SOUTH),
        (NORTH_TECH, OWNED),
        (NORTH_TECH, "SC-NONE"),
        (SOUTH_ADMIN, NORTH),
        (END_USER, OWNED),
        (NO_ROLE, NORTH),
        (ADMIN, "SC-NONE"),
        (ADMIN, STOCK),
        (ADMIN, "..%2f..%2fusers"),
        (ADMIN, "%00"),
    ];
    for (email, dsn) in rows {
        let answer = world.signed_in(email).await.get(&format!("/api/devices/dsns/{dsn}")).await;
        assert_eq!((answer.status, answer.code()), (404, "not_found"), "{email} {dsn}");
    }
}

#[tokio::test]
async fn a_cloud_that_fails_is_told_and_loses_nothing() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    for _ in 0..3 {
        world.cloud.faults().push(Fault::Drop);
    }
    let answer = browser.get(&format!("/api/devices/dsns/{NORTH}")).await;
    assert_eq!((answer.status, answer.code()), (502, "cloud_failed"));
    assert_eq!(answer.body["detail"], "The device cloud cannot be reached.");
    assert_eq!(browser.device(NORTH).await["intensity"], 20);
}
