use cloud::operator::NewDevice;
use cloud::testing::Fault;
use jiff::SignedDuration;
use serde_json::{Map, Value, json};

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
        "installedAt": null,
        "serviceArea": "Lobby",
        "systemConfiguration": "AQ380",
        "systemConfigurationLabel": "AQ300 Series 500 mL",
        "cartridgeMl": 500,
        "fragrance": "White Tea",
        "fragranceSku": null,
        "fragranceRemaining": 64,
        "emptySince": null,
        "runsDryAt": null,
        "forecastObstacle": "no_fragrance",
        "isProvisional": true,
        "supply": "other",
        "network": "Aurora Guest",
        "connectionStatus": "Offline",
        "neverConnected": true,
        "connectedAt": null,
        "connectionChangedAt": null,
        "csp": "North",
        "street": null,
        "city": "Oslo",
        "state": null,
        "zip": null,
        "country": "Norway",
        "timeZone": "Europe/Oslo",
        "mode": 3,
        "cycle": 3,
        "intensity": 20,
        "fan": 2,
        "can": { "edit": true, "copy": true, "resetLevel": true },
    });
    assert_eq!(browser.listed(NORTH).await, expected);

    let page = browser.device(NORTH).await;
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&page[name], value, "{name}");
    }
}

#[tokio::test]
async fn page_shows_when_a_silent_device_was_last_heard() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let device = world.cloud.device(NORTH).await;
    let generation = device.connect().await;
    assert_eq!(browser.device(NORTH).await["lastHeardAt"], Value::Null);
    let heard = world.clock.now() + SignedDuration::from_secs(90);
    world.pass_seconds(25 * 60 + 90);
    device.fall_silent(generation, heard).await;
    let page = browser.device(NORTH).await;
    assert_eq!((&page["connectionStatus"], &page["lastHeardAt"]), (&json!("Online"), &json!(heard)));
    device.disconnect(generation).await;
    let page = browser.device(NORTH).await;
    assert_eq!((&page["connectionStatus"], &page["lastSeenAt"]), (&json!("Offline"), &json!(heard)));
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a table")]
async fn page_has_every_field_of_a_device() {
    let world = World::start().await;
    let mut full = device("SC-FULL", Some("North"), "AQ380");
    full.data.push(("store_number".to_owned(), "7".to_owned()));
    full.data.push(("installed_at".to_owned(), "2026-11-20".to_owned()));
    let text = |text: &str| Some(text.to_owned());
    (full.addr.street, full.addr.zip, full.addr.state) = (text("Karl Johans gate 1"), text("0154"), text("Viken"));
    world.cloud.operator().add_devices(&world.oem, &[full]).await.unwrap();
    let mut browser = world.signed_in(NORTH_TECH).await;
    let device = world.cloud.device("SC-FULL").await;
    device.connect().await;
    let blob = "1,1,9,25,8,0,17,30,2,1,8,50,10,5,23,59";
    let values = [
        ("schedule_blob", json!(blob)),
        ("current_state", json!(4)),
        ("fan", json!(0)),
        ("current_schedule_running", json!(2)),
        ("appliance_life", json!(5120.5)),
        ("cartridge_life", json!(310.25)),
        ("pump_life", json!(2044)),
        ("clock_mode", json!(1)),
        ("host_version", json!("2.1.7")),
        ("oem_host_version", json!("4.0")),
    ];
    world.pass_seconds(90);
    device.report(&values).await;

    let mut page = browser.device("SC-FULL").await;
    let frames = page.as_object_mut().unwrap().remove("schedule").unwrap();
    let mut labels = page.as_object_mut().unwrap().remove("roleLabels").unwrap();
    labels.as_array_mut().unwrap().sort_by_key(|label| label["role"].to_string());
    let label = |role: &str| json!({ "role": role, "key": "partner_id", "value": "North" });
    assert_eq!(
        labels,
        json!([
            label("OEM::ProlitecCommercial::CspAdmin"),
            label("OEM::ProlitecCommercial::CspObserver"),
            label("OEM::ProlitecCommercial::CspTech"),
        ])
    );
    let expected = [
        ("dsn", json!("SC-FULL")),
        ("productName", json!("Lobby")),
        ("connectionStatus", json!("Online")),
        ("neverConnected", json!(false)),
        ("connectedAt", json!("2026-11-20T10:00:00Z")),
        ("connectionChangedAt", json!("2026-11-20T10:00:00Z")),
        ("lastSeenAt", json!("2026-11-20T10:01:30Z")),
        ("ssid", json!("Aurora Guest")),
        ("lanEnabled", json!(false)),
        ("network", json!("Aurora Guest")),
        ("lanIp", Value::Null),
        ("swVersion", Value::Null),
        ("lastRefusal", Value::Null),
        ("faults", json!([])),
        ("lastHeardAt", Value::Null),
        ("lat", json!(59.911_491)),
        ("lng", json!(10.757_933)),
        ("serialNumber", json!("4711")),
        ("systemConfiguration", json!("AQ380")),
        ("systemConfigurationLabel", json!("AQ300 Series 500 mL")),
        ("cartridgeMl", json!(500)),
        ("fragrance", json!("White Tea")),
        ("fragranceSku", Value::Null),
        ("fragranceRemaining", json!(64)),
        ("emptySince", Value::Null),
        ("runsDryAt", Value::Null),
        ("forecastObstacle", json!("no_fragrance")),
        ("isProvisional", json!(true)),
        ("supply", json!("other")),
        ("customer", json!("Hotel Aurora")),
        ("customerId", json!("C-9")),
        ("storeNumber", json!("7")),
        ("installedAt", json!("2026-11-20")),
        ("serviceArea", json!("Lobby")),
        ("timeZone", json!("Europe/Oslo")),
        ("csp", json!("North")),
        ("street", json!("Karl Johans gate 1")),
        ("city", json!("Oslo")),
        ("state", json!("Viken")),
        ("country", json!("Norway")),
        ("zip", json!("0154")),
        ("applianceLife", json!(5120.5)),
        ("cartridgeLife", json!(310.25)),
        ("pumpLife", json!(2044.0)),
        ("clockMode", json!(1)),
        ("mode", json!(4)),
        ("cycle", json!(3)),
        ("intensity", json!(20)),
        ("shownIntensity", json!({ "value": 50, "schedule": 2 })),
        ("fan", json!(0)),
        ("hostVersion", json!("2.1.7")),
        ("oemHostVersion", json!("4.0")),
        ("currentScheduleRunning", json!(2)),
        ("scheduleBlob", json!(blob)),
        ("commands", json!({})),
        ("asOf", json!("2026-11-20T10:01:30Z")),
        ("stale", json!(false)),
        ("undoableReset", Value::Null),
        ("can", json!({ "edit": true, "copy": true, "resetLevel": true })),
    ];
    let expected: Map<String, Value> = expected.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    assert_eq!(page, Value::Object(expected));

    assert_eq!(browser.notifications("SC-FULL").await, json!([]));

    let frames = frames.as_array().unwrap();
    assert_eq!(frames.len(), 21);
    assert_eq!(frames[0], frame(1, true, 9, 25, (8, 0), (17, 30)));
    assert_eq!(frames[1], frame(2, true, 8, 50, (10, 5), (23, 59)));
    for (number, missing) in (3..).zip(&frames[2..]) {
        assert_eq!(*missing, frame(number, false, 0, 1, (0, 0), (0, 0)));
    }
}

/// List and page agree for every status of the device.
#[tokio::test]
async fn network_is_lan_or_the_ssid() {
    let world = World::start().await;
    let rows = [
        (Some("Aurora Guest"), false, "Aurora Guest"),
        (Some("Aurora Guest"), true, "LAN"),
        (Some(""), false, "LAN"),
        (Some("  "), false, "LAN"),
        (None, false, "LAN"),
        (None, true, "LAN"),
    ];
    for (number, (ssid, lan_enabled, _)) in (0..).zip(rows) {
        let ssid = ssid.map(str::to_owned);
        let device = NewDevice { ssid, lan_enabled, ..device(&format!("NET-{number}"), Some("North"), "AQ380") };
        world.cloud.operator().add_devices(&world.oem, &[device]).await.unwrap();
    }
    world.console.resync().await;
    let mut browser = world.signed_in(NORTH_OBSERVER).await;
    for (number, (ssid, lan_enabled, network)) in (0..).zip(rows) {
        let dsn = format!("NET-{number}");
        assert_eq!(browser.device(&dsn).await["network"], network, "{ssid:?} {lan_enabled}");
        assert_eq!(browser.listed(&dsn).await["network"], network, "{ssid:?} {lan_enabled}");
    }
}

fn frame(number: u8, active: bool, days: u8, intensity: u8, start: (u8, u8), stop: (u8, u8)) -> Value {
    json!({
        "number": number,
        "active": active,
        "dayOfTheWeek": days,
        "intensity": intensity,
        "startHour": start.0,
        "startMinute": start.1,
        "stopHour": stop.0,
        "stopMinute": stop.1,
    })
}

#[tokio::test]
async fn schedule_always_has_21_frames() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let device = world.cloud.device(NORTH).await;
    let entries = |count: u8| {
        let entry = |number| format!("{number},1,{},7,8,0,9,30", number % 10);
        (1..=count).map(entry).collect::<Vec<_>>().join(",")
    };
    let active = |number: u8| frame(number, true, number % 10, 7, (8, 0), (9, 30));
    let missing = |number: u8| frame(number, false, 0, 1, (0, 0), (0, 0));
    let first_kept = |count: u8| (1..=21).map(|it| if it <= count { active(it) } else { missing(it) }).collect();

    assert_eq!(browser.device(NORTH).await["scheduleBlob"], Value::Null);
    assert_eq!(browser.device(NORTH).await["schedule"], Value::Array(first_kept(0)), "never reported");
    for (count, kept) in [(5, 5), (21, 21), (30, 21)] {
        device.report(&[("schedule_blob", json!(entries(count)))]).await;
        assert_eq!(browser.device(NORTH).await["schedule"], Value::Array(first_kept(kept)), "{count} entries");
    }

    let broken = entries(3).replace("2,1,2,7", "2,1,12,7");
    device.report(&[("schedule_blob", json!(broken))]).await;
    let page = browser.device(NORTH).await;
    assert_eq!(page["scheduleBlob"], broken, "as the device stores it");
    assert_eq!(page["schedule"][0], active(1));
    assert_eq!(page["schedule"][1], missing(2));
    assert_eq!(page["schedule"][2], active(3));
}

/// Mode 2 is valid and shown, but does not accept an intensity.
#[tokio::test]
async fn device_in_mode_2_takes_no_intensity_until_it_leaves_it() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    world.cloud.device(NORTH).await.report(&[("current_state", json!(2))]).await;
    assert_eq!(browser.device(NORTH).await["mode"], 2);

    let settings = format!("/api/devices/dsns/{NORTH}/settings");
    let refused = browser.put(&settings, &json!({ "intensity": 30 })).await;
    assert_eq!((refused.status, refused.fields()), (422, vec!["intensity"]));
    let kept = browser.put(&settings, &json!({ "mode": 2, "fan": 3 })).await;
    assert_eq!((kept.status, &kept.body["mode"], &kept.body["fan"]), (200, &json!(2), &json!(3)));
    let left = browser.put(&settings, &json!({ "mode": 3, "intensity": 30 })).await;
    assert_eq!((left.status, &left.body["mode"], &left.body["intensity"]), (200, &json!(3), &json!(30)));
}

/// Only the device changes the connection status: no operation accepts it, and a write that contains it ignores it.
#[tokio::test]
async fn no_call_changes_the_connection_status() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    let settings = format!("/api/devices/dsns/{NORTH}/settings");
    let online =
        json!({ "connectionStatus": "Online", "connection_status": "Online", "connectedAt": "2026-11-20T09:00:00Z" });
    assert_eq!(browser.put(&settings, &online).await.status, 422, "not a setting");
    let mut with_a_setting = online.clone();
    with_a_setting["fan"] = json!(4);
    let answer = browser.put(&settings, &with_a_setting).await;
    assert_eq!((answer.status, &answer.body["connectionStatus"]), (200, &json!("Offline")));
    let form = format!("/api/devices/dsns/{NORTH}");
    let unchanged = browser.put(&form, &online).await;
    assert_eq!(
        (unchanged.status, &unchanged.body["connectionStatus"]),
        (200, &json!("Offline")),
        "no field of the form"
    );
    let status = browser.put(&format!("{form}/connectionStatus"), &online).await.status;
    assert!([404, 405].contains(&status), "{status}");
    let page = browser.device(NORTH).await;
    assert_eq!((&page["connectionStatus"], &page["connectedAt"]), (&json!("Offline"), &Value::Null));
    assert_eq!(browser.listed(NORTH).await["connectionStatus"], "Offline");

    let contract: Value = serde_json::from_str(include_str!("../../../../api/openapi.json")).unwrap();
    let operations =
        contract["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values());
    let bodies: Vec<&Value> =
        operations.map(|operation| &operation["requestBody"]).filter(|it| !it.is_null()).collect();
    assert!(bodies.len() >= 2, "{bodies:?}");
    for body in bodies {
        let schema = &body["content"]["application/json"]["schema"];
        // For a list, check the schema of its items.
        let schema = schema["$ref"].as_str().or_else(|| schema["items"]["$ref"].as_str()).unwrap();
        let members = &contract.pointer(schema.trim_start_matches('#')).unwrap()["properties"];
        let mut names = members.as_object().into_iter().flat_map(|members| members.keys());
        assert!(names.all(|name| !name.starts_with("connect")), "{schema}: {members}");
    }

    let generation = world.cloud.device(NORTH).await.connect().await;
    assert_eq!(browser.device(NORTH).await["connectionStatus"], "Online");
    world.cloud.device(NORTH).await.disconnect(generation).await;
    assert_eq!(browser.device(NORTH).await["connectionStatus"], "Offline");
}

#[tokio::test]
async fn list_has_pages_filters_and_as_of() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    for number in 0..9 {
        world.add_device(&format!("ZZ-{number}"), "South").await;
    }
    world.console.resync().await;
    let page = browser.get("/api/devices?page=3&pageSize=5&order=asc&orderBy=dsn").await.body;
    assert_eq!((&page["total"], &page["currentPageNumber"]), (&json!(13), &json!(3)));
    assert_eq!(page["devices"].as_array().unwrap().len(), 3);
    assert_eq!(page["asOf"], "2026-11-20T09:59:50Z");
    assert_eq!(
        browser.get("/api/devices?page=99").await.body["currentPageNumber"],
        3,
        "beyond the end is the last page"
    );

    assert_eq!(browser.dsns("&dsn=zz-4").await, ["ZZ-4"]);
    assert_eq!(browser.dsns("&dsn=Z").await.len(), 9);
    assert_eq!(browser.dsns("&dsn=-4").await.len(), 0, "two letters match the beginning");
    assert_eq!(browser.dsns("&connectionstatus=Online").await.len(), 0);
    assert_eq!(browser.dsns("&connectionstatus=NeverConnected&dsn=zz-").await.len(), 9);
}

#[tokio::test]
async fn every_filter_of_the_list_narrows_it() {
    let world = World::start().await;
    // Differs from the other devices in every filtered value.
    let mut shop = device("SC-SHOP", Some("East"), "AQ580");
    for (key, value) in &mut shop.data {
        match key.as_str() {
            "serial_number" => *value = "9000".to_owned(),
            "customer" => *value = "Corner shop".to_owned(),
            "fragrance" => *value = "Warm Linen".to_owned(),
            _ => {}
        }
    }
    shop.product_name = "Door".to_owned();
    shop.lan_enabled = true;
    let text = |text: &str| Some(text.to_owned());
    (shop.addr.city, shop.addr.state, shop.addr.country) = (text("Chicago"), text("Illinois"), text("United States"));
    world.cloud.operator().add_devices(&world.oem, &[shop]).await.unwrap();
    world.cloud.device("SC-SHOP").await.connect().await;
    world.console.resync().await;
    let mut browser = world.signed_in(ADMIN).await;
    let everything = vec![NORTH, NORTH_AQ290, SOUTH, OWNED];
    let shop = vec!["SC-SHOP"];
    let rows = [
        ("csp=South", vec![SOUTH]),
        ("csp=south", vec![]),
        ("dsn=n2", vec![]),
        ("dsn=-n2", vec![NORTH_AQ290]),
        ("network=LAN", shop.clone()),
        ("network=ora+g", everything.clone()),
        ("servicearea=LOB", everything.clone()),
        ("servicearea=ob", vec![]),
        ("servicearea=door", shop.clone()),
        ("fragrance=WHITE", everything.clone()),
        ("fragrance=linen", shop.clone()),
        ("fragrance=li", vec![]),
        ("model=AQ290", vec![NORTH_AQ290]),
        ("model=AQ29", vec![]),
        ("serialnumber=711", everything.clone()),
        ("serialnumber=11", vec![]),
        ("serialnumber=9", shop.clone()),
        ("connectionstatus=Online", shop.clone()),
        ("connectionstatus=NeverConnected", everything.clone()),
        ("connectionstatus=Offline", vec![]),
        ("customer=aurora", everything.clone()),
        ("customer=corner", shop.clone()),
        ("customer=%25%25%25", vec![]),
        ("city=os", everything.clone()),
        ("city=slo", everything.clone()),
        ("city=chi", shop.clone()),
        ("country=norway", everything.clone()),
        ("country=united+states", shop.clone()),
        ("stateprovince=ill", shop),
        ("stateprovince=a", vec![]),
        ("csp=North&model=AQ380&customer=hotel", vec![NORTH]),
        ("csp=South&model=AQ290", vec![]),
    ];
    for (query, expected) in rows {
        assert_eq!(browser.dsns(&format!("&{query}")).await, expected, "{query}");
    }
}

#[tokio::test]
async fn excluded_device_is_left_out_with_any_filter() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    let without = format!("&excludeDsn={NORTH}");
    let rows = [
        ("", vec![NORTH_AQ290, SOUTH, OWNED]),
        ("&csp=North", vec![NORTH_AQ290]),
        ("&csp=South", vec![SOUTH]),
        ("&dsn=sc-n", vec![NORTH_AQ290]),
        ("&network=ora+g", vec![NORTH_AQ290, SOUTH, OWNED]),
        ("&servicearea=lobby", vec![NORTH_AQ290, SOUTH, OWNED]),
        ("&model=AQ380", vec![SOUTH, OWNED]),
        ("&serialnumber=4711", vec![NORTH_AQ290, SOUTH, OWNED]),
        ("&connectionstatus=NeverConnected", vec![NORTH_AQ290, SOUTH, OWNED]),
        ("&connectionstatus=Offline", vec![]),
        ("&connectionstatus=Online", vec![]),
        ("&customer=aurora", vec![NORTH_AQ290, SOUTH, OWNED]),
        ("&city=os", vec![NORTH_AQ290, SOUTH, OWNED]),
        ("&country=norway", vec![NORTH_AQ290, SOUTH, OWNED]),
        ("&stateprovince=a", vec![]),
    ];
    for (query, expected) in rows {
        assert_eq!(browser.dsns(&format!("{query}{without}")).await, expected, "{query}");
        let total = &browser.get(&format!("/api/devices?{query}{without}")).await.body["total"];
        assert_eq!(total, &json!(expected.len()), "{query}");
    }
    assert_eq!(browser.dsns("&excludeDsn=sc-n1").await.len(), 4, "exactly this DSN");
    let mut north = world.signed_in(NORTH_TECH).await;
    assert_eq!(north.dsns(&without).await, [NORTH_AQ290]);
    assert_eq!(north.dsns(&format!("&excludeDsn={SOUTH}")).await, [NORTH, NORTH_AQ290], "nothing of it shows");
}

#[tokio::test]
async fn csp_filter_is_ignored_for_csp_scoped_actors() {
    let world = World::start().await;
    let rows = [
        (ADMIN, vec![SOUTH]),
        (OBSERVER, vec![SOUTH]),
        (NORTH_ADMIN, vec![NORTH, NORTH_AQ290]),
        (NORTH_OBSERVER, vec![NORTH, NORTH_AQ290]),
        (NORTH_TECH, vec![NORTH, NORTH_AQ290]),
        (SOUTH_ADMIN, vec![SOUTH]),
        (NO_ROLE, vec![]),
    ];
    for (email, expected) in rows {
        assert_eq!(world.signed_in(email).await.dsns("&csp=South").await, expected, "{email}");
    }
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
        ("customer=a&customer=b", "customer"),
        ("city=a%00", "city"),
    ];
    let too_long =
        "dsn network servicearea fragrance model serialnumber customer city country stateprovince csp excludeDsn"
            .split(' ')
            .map(|name| (format!("{name}={}", "x".repeat(300)), name));
    for (query, field) in rows.map(|(query, field)| (query.to_owned(), field)).into_iter().chain(too_long) {
        let answer = browser.get(&format!("/api/devices?{query}")).await;
        assert_eq!((answer.status, answer.code(), answer.fields()), (422, "invalid", vec![field]), "{query}");
    }
}

#[tokio::test]
async fn device_of_another_csp_is_not_found() {
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
async fn cloud_failure_is_reported_and_the_next_read_succeeds() {
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
