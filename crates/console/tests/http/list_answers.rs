//! Finding devices that need attention: search, filters by level, status, time and place, counts, and selection of all matches.

use cloud::operator::NewDevice;
use platform::db::{Db, params};
use platform::testing::TestDb;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::world::*;

/// A device of North with unique texts in all searched fields.
fn shop() -> NewDevice {
    let mut shop = device("SC-SHOP", Some("North"), "AQ380");
    for (key, value) in &mut shop.data {
        match key.as_str() {
            "serial_number" => *value = "9000-77".to_owned(),
            "customer" => *value = "Saffron & Söhne".to_owned(),
            "customer_id" => *value = "C-1005".to_owned(),
            "fragrance" => *value = "Warm Linen".to_owned(),
            _ => {}
        }
    }
    shop.data.push(("store_number".to_owned(), "K42".to_owned()));
    shop.product_name = "Lift hall 7".to_owned();
    shop.addr.city = Some("São Paulo".to_owned());
    (shop.lat, shop.lng) = (Some(-23.55), Some(-46.63));
    shop
}

async fn world_with(database: &TestDb, devices: &[NewDevice]) -> World {
    let world = World::start_on(database).await;
    world.cloud.operator().add_devices(&world.oem, devices).await.unwrap();
    world.console.resync().await;
    world
}

/// A device of East with this level, or with an unknown one.
fn with_level(dsn: &str, level: Option<u8>) -> NewDevice {
    let mut device = device(dsn, Some("East"), "AQ380");
    device.values.retain(|(name, _)| name != "fragrance_remaining");
    device.values.extend(level.map(|level| ("fragrance_remaining".to_owned(), json!(level))));
    device
}

/// The serial numbers of a list, in its order.
async fn in_order(browser: &mut Browser, query: &str) -> Vec<String> {
    let list = browser.get(&format!("/api/devices?pageSize=25&{query}")).await;
    assert_eq!(list.status, 200, "{query}: {}", list.body);
    list.body["devices"].as_array().unwrap().iter().map(|it| it["dsn"].as_str().unwrap().to_owned()).collect()
}

async fn goes_offline(world: &World, dsn: &str) {
    let device = world.cloud.device(dsn).await;
    let generation = device.connect().await;
    device.disconnect(generation).await;
}

async fn search_finds_words_in_any_of_eight_fields_within_the_scope(database: TestDb) {
    let world = world_with(&database, &[shop()]).await;
    let mut admin = world.signed_in(ADMIN).await;
    let shop = vec!["SC-SHOP"];
    let rows = [
        ("9000", shop.clone()),
        ("0-77", shop.clone()),
        ("c-sho", shop.clone()),
        ("saffron", shop.clone()),
        ("S%C3%96HNE", shop.clone()),
        ("lift", shop.clone()),
        ("s%C3%A3o", shop.clone()),
        ("k42", shop.clone()),
        // Short terms match the beginning of any word.
        ("k4", shop.clone()),
        ("7", shop.clone()),
        ("%26", shop.clone()),
        ("42", vec![]),
        ("ao", vec![]),
        // Every term must match; each may match another field.
        ("paulo+lift++s%C3%B6hne", shop.clone()),
        ("+shop+9+k+h+sa+", shop.clone()),
        ("shop+aurora", vec![]),
        ("c-1005", shop.clone()),
        ("warm+linen", shop.clone()),
        // A number is found without its hyphens, and in parts.
        ("c1005", shop.clone()),
        ("scshop", shop.clone()),
        ("sc+shop", shop.clone()),
        // Country and model are not searched, and no term matches across two fields.
        ("norway", vec![]),
        ("AQ380", vec![]),
        ("hall7", vec![]),
        ("%25%25%25", vec![]),
        ("___", vec![]),
        ("%22+OR+1", vec![]),
        ("aurora", vec![NORTH, NORTH_AQ290, SOUTH, OWNED]),
        ("os+sc", vec![NORTH, NORTH_AQ290, SOUTH, OWNED]),
        // An empty search.
        ("", vec![NORTH, NORTH_AQ290, SOUTH, "SC-SHOP", OWNED]),
        ("+++", vec![NORTH, NORTH_AQ290, SOUTH, "SC-SHOP", OWNED]),
    ];
    for (search, expected) in rows {
        assert_eq!(admin.dsns(&format!("&q={search}")).await, expected, "{search}");
        let report = admin.get(&format!("/api/devices/report?q={search}&orderBy=dsn&order=asc")).await.body;
        let items: Vec<&Value> = report["items"].as_array().unwrap().iter().map(|item| &item["dsn"]).collect();
        assert_eq!(items, expected, "report of {search}");
    }
    assert_eq!(world.signed_in(NORTH_TECH).await.dsns("&q=aurora").await, [NORTH, NORTH_AQ290]);
    assert_eq!(world.signed_in(SOUTH_ADMIN).await.dsns("&q=saffron").await, [""; 0]);
    assert_eq!(world.signed_in(NO_ROLE).await.dsns("&q=aurora").await, [""; 0]);
    assert_eq!(admin.dsns("&q=aurora&model=AQ290").await, [NORTH_AQ290], "with other filters");
}

async fn customers_are_suggested_by_name_within_the_scope(database: TestDb) {
    let of = |number: usize, csp, customer: &str| {
        let mut device = device(&format!("C-{number:02}"), Some(csp), "AQ380");
        device.data.retain(|(key, _)| key != "customer");
        device.data.push(("customer".to_owned(), customer.to_owned()));
        device
    };
    let named = [("North", "Thistle & Co"), ("North", "THISTLE & CO"), ("South", "The Thistle"), ("South", "50%_Off")];
    let named = named.into_iter().enumerate().map(|(number, (csp, customer))| of(number, csp, customer));
    let many = (10..40).map(|number| of(number, "South", &format!("Shop {number}")));
    let world = world_with(&database, &named.chain(many).collect::<Vec<_>>()).await;
    let path = |query: &str| format!("/api/devices/customers{query}");
    let shops = |numbers: std::ops::Range<usize>| numbers.map(|number| format!("Shop {number}")).collect::<Vec<_>>();
    let texts = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();

    let mut all = texts(&["50%_Off", "Hotel Aurora"]);
    all.extend(shops(10..28));
    let rows: [(&str, &str, Vec<String>); 14] = [
        (ADMIN, "?text=thistle", texts(&["Thistle & Co", "The Thistle"])),
        (OBSERVER, "?text=+THISTLE+", texts(&["Thistle & Co", "The Thistle"])),
        (NORTH_TECH, "?text=thistle", texts(&["Thistle & Co"])),
        (SOUTH_ADMIN, "?text=thistle", texts(&["The Thistle"])),
        (ADMIN, "?text=th", texts(&["The Thistle", "Thistle & Co"])),
        (ADMIN, "?text=le", vec![]),
        (ADMIN, "?text=%25_", vec![]),
        (ADMIN, "?text=0%25_o", texts(&["50%_Off"])),
        (ADMIN, "?text=thistel", vec![]),
        (ADMIN, "?text=shop", shops(10..30)),
        // Without a text, the first names.
        (ADMIN, "", all),
        (NORTH_TECH, "?text=++&other=1", texts(&["Hotel Aurora", "Thistle & Co"])),
        (NO_ROLE, "?text=thistle", vec![]),
        (NO_ROLE, "", vec![]),
    ];
    for (email, query, expected) in rows {
        let answer = world.signed_in(email).await.get(&path(query)).await;
        assert_eq!((answer.status, answer.body), (200, json!(expected)), "{email} {query}");
    }

    let mut admin = world.signed_in(ADMIN).await;
    let long = format!("?text={}", "a".repeat(65));
    for (query, refusal) in [
        (long.as_str(), "is too long"),
        ("?text=a&text=b", "must be given once"),
        ("?text=a%00b", "must not contain control characters"),
    ] {
        let answer = admin.get(&path(query)).await;
        assert_eq!((answer.status, &answer.body["errors"]["text"]), (422, &json!([refusal])), "{query}");
    }
    assert_eq!(world.browser().get(&path("?text=thistle")).await.status, 401);
}

async fn levels_sort_with_unknown_ones_last_and_filter_up_to_a_percentage(database: TestDb) {
    let devices = [("L0", Some(0)), ("L20", Some(20)), ("L21", Some(21)), ("L90", Some(90)), ("L-NONE", None)];
    let world = world_with(&database, &devices.map(|(dsn, level)| with_level(dsn, level))).await;
    let mut admin = world.signed_in(ADMIN).await;
    let by_level = "csp=East&orderBy=fragranceremaining";
    let rising = in_order(&mut admin, &format!("{by_level}&order=asc")).await;
    assert_eq!(rising, ["L0", "L20", "L21", "L90", "L-NONE"]);
    let falling = in_order(&mut admin, &format!("{by_level}&order=desc")).await;
    assert_eq!(falling, ["L90", "L21", "L20", "L0", "L-NONE"]);
    let rows: [(&str, &[&str]); 4] =
        [("0", &["L0"]), ("20", &["L0", "L20"]), ("21", &["L0", "L20", "L21"]), ("100", &["L0", "L20", "L21", "L90"])];
    for (most, expected) in rows {
        let query = format!("{by_level}&order=asc&maxremaining={most}");
        assert_eq!(in_order(&mut admin, &query).await, expected, "{most}");
        let report = admin.get(&format!("/api/devices/report?{query}")).await.body;
        assert_eq!(report["items"].as_array().unwrap().len(), expected.len(), "{most}");
        assert_eq!(report["filters"]["maxremaining"], most);
    }
    let mut stream = admin.follow(&["L90"]).await;
    world.cloud.device("L90").await.report(&[("fragrance_remaining", json!(3))]).await;
    stream.until("reported", "L90").await;
    assert_eq!(in_order(&mut admin, &format!("{by_level}&order=asc&maxremaining=20")).await, ["L0", "L90", "L20"]);
}

async fn never_connected_device_is_not_offline_before_its_first_disconnect(database: TestDb) {
    let world = world_with(&database, &[]).await;
    let mut admin = world.signed_in(ADMIN).await;
    let status = |name: &str| format!("&connectionstatus={name}");
    assert_eq!(admin.dsns(&status("Offline")).await, [""; 0]);
    assert_eq!(admin.dsns(&status("NeverConnected")).await.len(), 4);
    let row = admin.listed(NORTH).await;
    assert_eq!((&row["connectionStatus"], &row["neverConnected"]), (&json!("Offline"), &json!(true)));

    let mut stream = admin.follow(&[NORTH]).await;
    let device = world.cloud.device(NORTH).await;
    let generation = device.connect().await;
    let shown = stream.until("connection", NORTH).await;
    assert_eq!((&shown["connectionStatus"], &shown["neverConnected"]), (&json!("Online"), &json!(false)));
    assert_eq!(shown["connectionChangedAt"], "2026-11-20T10:00:00Z");
    assert_eq!(admin.dsns(&status("Online")).await, [NORTH]);
    assert_eq!(admin.dsns(&status("NeverConnected")).await, [NORTH_AQ290, SOUTH, OWNED]);

    world.pass_seconds(90);
    device.disconnect(generation).await;
    let shown = stream.until("connection", NORTH).await;
    assert_eq!((&shown["connectionStatus"], &shown["neverConnected"]), (&json!("Offline"), &json!(false)));
    assert_eq!(shown["connectionChangedAt"], "2026-11-20T10:01:30Z", "when it went, not when it came");
    assert_eq!(admin.dsns(&status("Offline")).await, [NORTH]);
    world.console.resync().await;
    assert_eq!(admin.listed(NORTH).await["connectionChangedAt"], "2026-11-20T10:01:30Z", "a pass knows no better");
    assert_eq!(admin.dsns(&status("Offline")).await, [NORTH]);
}

async fn offline_hours_count_from_the_disconnect(database: TestDb) {
    let world = world_with(&database, &[]).await;
    goes_offline(&world, NORTH).await;
    world.console.resync().await;
    world.pass_seconds(3 * 3600);
    goes_offline(&world, SOUTH).await;
    world.cloud.device(OWNED).await.connect().await;
    world.pass_seconds(2 * 3600 + 60);
    world.console.resync().await;
    let mut admin = world.signed_in(ADMIN).await;
    let rows: [(&str, &[&str]); 4] = [("1", &[NORTH, SOUTH]), ("2", &[NORTH, SOUTH]), ("3", &[NORTH]), ("6", &[])];
    for (hours, expected) in rows {
        assert_eq!(admin.dsns(&format!("&offlinehours={hours}")).await, expected, "{hours}");
    }
    assert_eq!(admin.dsns("&offlinehours=1&connectionstatus=Online").await, [""; 0]);
    assert_eq!(admin.dsns("&offlinehours=1&connectionstatus=NeverConnected").await, [""; 0]);
    assert_eq!(world.signed_in(SOUTH_ADMIN).await.dsns("&offlinehours=1").await, [SOUTH]);
    let report = admin.get("/api/devices/report?offlinehours=3").await.body;
    assert_eq!((&report["filters"]["offlinehours"], &report["items"][0]["dsn"]), (&json!("3"), &json!(NORTH)));
}

async fn near_devices_come_nearest_first_with_their_distance(database: TestDb) {
    let at = |dsn: &str, lat: f64, lng: f64| NewDevice {
        lat: Some(lat),
        lng: Some(lng),
        ..device(dsn, Some("East"), "AQ380")
    };
    let nowhere = NewDevice { lat: None, lng: None, ..device("SC-NOWHERE", Some("East"), "AQ380") };
    let [close, far] = [at("SC-CLOSE", -17.0, 179.99), at("SC-FAR", -17.0, -179.9)];
    let world = world_with(&database, &[close, far, nowhere]).await;
    let mut admin = world.signed_in(ADMIN).await;
    // The nearest devices are across the date line.
    let list = admin.get("/api/devices?near=-17.0,-179.99&orderBy=distance&order=asc&csp=East").await.body;
    let rows: Vec<(&str, f64)> = list["devices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["dsn"].as_str().unwrap(), row["distanceKm"].as_f64().unwrap()))
        .collect();
    assert_eq!(rows, [("SC-CLOSE", 2.1), ("SC-FAR", 9.6)]);
    let rows: [(&str, &[&str]); 5] = [
        ("near=-17,-179.99&orderBy=distance&order=desc", &["SC-FAR", "SC-CLOSE"]),
        ("near=-17,-179.99&radius=3", &["SC-CLOSE"]),
        ("near=-17,-179.99&radius=1", &[]),
        ("near=-17,-179.99&radius=500&q=far", &["SC-FAR"]),
        ("near=59.911491,10.757933&radius=1&orderBy=dsn&order=asc", &[NORTH, NORTH_AQ290, SOUTH, OWNED]),
    ];
    for (query, expected) in rows {
        assert_eq!(in_order(&mut admin, query).await, expected, "{query}");
    }
    let mut south = world.signed_in(SOUTH_ADMIN).await;
    assert_eq!(in_order(&mut south, "near=59.9,10.7&orderBy=distance&order=asc").await, [SOUTH]);
    assert!(admin.listed(NORTH).await.get("distanceKm").is_none(), "only a search by position has distances");
    let report = admin.get("/api/devices/report?near=-17,-179.99&radius=9&orderBy=distance&order=asc").await.body;
    assert_eq!(report["items"].as_array().unwrap().len(), 1);
    assert_eq!(report["items"][0]["distanceKm"], 2.1);
}

async fn counts(browser: &mut Browser, query: &str) -> [u64; 5] {
    let answer = browser.get(&format!("/api/devices/counts?{query}")).await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.body);
    ["all", "online", "offline", "neverConnected", "low"].map(|name| answer.body[name].as_u64().unwrap())
}

async fn counts_match_the_filtered_lists(database: TestDb) {
    let world = world_with(&database, &[with_level("L5", Some(5)), with_level("L20", Some(20))]).await;
    world.cloud.device("L5").await.connect().await;
    goes_offline(&world, NORTH).await;
    world.console.resync().await;
    let mut admin = world.signed_in(ADMIN).await;
    let rows = [
        ("", [6, 1, 1, 4, 2]),
        // Counts by status ignore the status filter.
        ("connectionstatus=Online", [6, 1, 1, 4, 1]),
        ("connectionstatus=Offline", [6, 1, 1, 4, 0]),
        ("maxremaining=10", [1, 1, 0, 0, 2]),
        ("maxremaining=10&connectionstatus=NeverConnected", [1, 1, 0, 0, 1]),
        ("csp=East", [2, 1, 0, 1, 2]),
        ("csp=North", [2, 0, 1, 1, 0]),
        ("q=hotel", [6, 1, 1, 4, 2]),
        ("q=l2", [1, 0, 0, 1, 1]),
        ("model=AQ290", [1, 0, 0, 1, 0]),
        ("city=nowhere", [0; 5]),
        ("near=59.9,10.7&csp=East", [2, 1, 0, 1, 2]),
        ("excludeDsn=L5", [5, 0, 1, 4, 1]),
        ("excludeDsn=L5&q=hotel", [5, 0, 1, 4, 1]),
        ("excludeDsn=L5&csp=North", [2, 0, 1, 1, 0]),
        // Page and order are ignored.
        ("page=7&orderBy=nothing", [6, 1, 1, 4, 2]),
    ];
    for (query, expected) in rows {
        assert_eq!(counts(&mut admin, query).await, expected, "{query}");
    }
    assert_eq!(counts(&mut world.signed_in(NORTH_TECH).await, "csp=East").await, [2, 0, 1, 1, 0], "of the own scope");
    assert_eq!(counts(&mut world.signed_in(NO_ROLE).await, "").await, [0; 5]);

    let mut stream = admin.follow(&["L20"]).await;
    world.cloud.device("L20").await.connect().await;
    stream.until_event("list").await;
    assert_eq!(counts(&mut admin, "").await, [6, 2, 1, 3, 2], "the cached counts are dropped");
    world.cloud.device("L20").await.report(&[("fragrance_remaining", json!(70))]).await;
    stream.until_event("list").await;
    assert_eq!(counts(&mut admin, "").await, [6, 2, 1, 3, 1]);
}

async fn selection_contains_all_matches_in_the_scope(database: TestDb) {
    let many: Vec<NewDevice> =
        (0..60).map(|number| device(&format!("SC-M{number:02}"), Some("North"), "AQ380")).collect();
    let world = world_with(&database, &many).await;
    let mut admin = world.signed_in(ADMIN).await;
    let selected = async |browser: &mut Browser, query: &str| {
        let answer = browser.get(&format!("/api/devices/selection?{query}")).await;
        assert_eq!(answer.status, 200, "{query}: {}", answer.body);
        let dsns: Vec<String> =
            answer.body["dsns"].as_array().unwrap().iter().map(|dsn| dsn.as_str().unwrap().to_owned()).collect();
        assert_eq!(answer.body["total"], dsns.len(), "{query}");
        dsns
    };
    let expected: Vec<&str> = many.iter().map(|device| &*device.dsn).collect();
    assert_eq!(selected(&mut admin, "q=sc-m").await, expected, "more than any page has");
    assert_eq!(selected(&mut admin, "").await.len(), 64);
    assert_eq!(selected(&mut admin, &format!("csp=North&model=AQ380&excludeDsn={NORTH}")).await, expected);
    assert_eq!(selected(&mut admin, "dsn=sc-m0&connectionstatus=NeverConnected&maxremaining=64").await.len(), 10);
    assert_eq!(selected(&mut admin, "connectionstatus=Online").await, [""; 0]);
    let mut south = world.signed_in(SOUTH_ADMIN).await;
    assert_eq!(selected(&mut south, "csp=North").await, [SOUTH]);
    for email in [OBSERVER, NORTH_OBSERVER, NO_ROLE] {
        assert_eq!(world.signed_in(email).await.get("/api/devices/selection").await.status, 403, "{email}");
    }
    // A job accepts exactly the selected devices.
    let dsns = selected(&mut admin, "q=sc-m1").await;
    let job = crate::jobs::assign(&mut admin, &dsns.iter().map(String::as_str).collect::<Vec<_>>(), "South").await;
    assert_eq!((&job["state"], &job["counts"]["done"]), (&json!("done"), &json!(10)));
    assert_eq!(selected(&mut south, "").await.len(), 11);
}

/// Gives South copies of its only device, so that it has this many.
async fn stock_up(database: &TestDb, devices: i64) {
    let columns = |table: &str| match table {
        "idx_devices" => {
            "key, csp, serial_number, customer, customer_id, store_number, service_area, system_configuration, fragrance, network, \
             street, zip, city, state_province, country, time_zone, search_folded, installed_at, created_at"
        }
        _ => "csp, system_configuration, connection_status, connected_at, pending, synced_at",
    };
    for table in ["idx_device_state", "idx_devices"] {
        let columns = columns(table);
        let sql = format!(
            "with recursive n (n) as (select 2 union all select n + 1 from n where n < $1) \
             insert into {table} (dsn, {columns}) select 'SC-COPY-' || n, {columns} from {table} cross join n where dsn = $2 \
             on conflict do nothing"
        );
        database.execute(sqlx::AssertSqlSafe(sql), params![devices, SOUTH]).await.unwrap();
    }
}

async fn selection_above_the_job_limit_is_refused(database: TestDb) {
    let world = World::start_on(&database).await;
    let mut admin = world.signed_in(ADMIN).await;
    for (number, status) in [(5000, 200), (5001, 422)] {
        stock_up(&database, number).await;
        assert_eq!(admin.get("/api/devices/selection?csp=South").await.status, status, "{number}");
    }
    let answer = admin.get("/api/devices/selection?csp=South").await;
    assert_eq!(
        answer.body["errors"],
        json!({ "dsns": ["5001 devices match, and at most 5000 can be selected at once"] })
    );
    assert_eq!(admin.get("/api/devices/selection?csp=North").await.status, 200);
}

#[tokio::test]
async fn bad_values_are_named_by_parameter_wherever_they_are_read() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let long = format!("q={}", "x".repeat(65));
    let degrees = format!("near=0.{},0", "0".repeat(100));
    let rows = [
        ("q=a+b+c+d+e+f", "q", "must have at most 5 words"),
        (&*long, "q", "is too long"),
        ("q=a&q=b", "q", "must be given once"),
        ("q=a%00b", "q", "must not contain control characters"),
        ("maxremaining=101", "maxremaining", "must be a whole number from 0 to 100"),
        ("maxremaining=-1", "maxremaining", "must be a whole number from 0 to 100"),
        ("maxremaining=1.5", "maxremaining", "must be a whole number from 0 to 100"),
        ("maxremaining=256", "maxremaining", "must be a whole number from 0 to 100"),
        ("maxremaining=1&maxremaining=2", "maxremaining", "must be given once"),
        ("offlinehours=0", "offlinehours", "must be a whole number from 1 to 8760"),
        ("offlinehours=8761", "offlinehours", "must be a whole number from 1 to 8760"),
        ("offlinehours=x", "offlinehours", "must be a whole number from 1 to 8760"),
        ("offlinehours=1&offlinehours=1", "offlinehours", "must be given once"),
        ("runsdrydays=0", "runsdrydays", "must be a whole number from 1 to 365"),
        ("runsdrydays=366", "runsdrydays", "must be a whole number from 1 to 365"),
        ("runsdrydays=70000", "runsdrydays", "must be a whole number from 1 to 365"),
        ("runsdrydays=week", "runsdrydays", "must be a whole number from 1 to 365"),
        ("runsdrydays=7&runsdrydays=7", "runsdrydays", "must be given once"),
        ("runsdrybefore=2026-02-30", "runsdrybefore", "must be a date like 2026-11-20"),
        ("runsdrybefore=soon", "runsdrybefore", "must be a date like 2026-11-20"),
        ("runsdrybefore=2026-12-01&runsdrybefore=2026-12-01", "runsdrybefore", "must be given once"),
        ("connectionstatus=neverconnected", "connectionstatus", "must be one of Online, Offline, NeverConnected"),
        ("radius=5", "radius", "is only possible with near"),
        ("near=&radius=5", "radius", "is only possible with near"),
        ("near=1,1&radius=0", "radius", "must be a whole number from 1 to 500"),
        ("near=1,1&radius=501", "radius", "must be a whole number from 1 to 500"),
        ("near=1,1&near=2,2", "near", "must be given once"),
    ];
    let place = "must be a latitude and a longitude in decimal degrees, like 59.91,10.75";
    let places =
        ["1", "1,", ",1", "1,2,3", "91,0", "-90.1,0", "0,180.5", "NaN,0", "inf,0", "1e1,0", "north,east", "1;2"];
    let places = places.map(|text| format!("near={text}"));
    let places = places.iter().chain([&degrees]).map(|query| (&**query, "near", place));
    for (query, field, text) in rows.into_iter().chain(places) {
        for path in ["/api/devices", "/api/devices/report", "/api/devices/counts", "/api/devices/selection"] {
            let answer = admin.get(&format!("{path}?{query}")).await;
            assert_eq!(
                (answer.status, answer.code(), answer.fields()),
                (422, "invalid", vec![field]),
                "{path} {query}"
            );
            assert_eq!(answer.body["errors"][field], json!([text]), "{path} {query}");
        }
    }
    for path in ["/api/devices", "/api/devices/report"] {
        let answer = admin.get(&format!("{path}?orderBy=distance")).await;
        assert_eq!(answer.body["errors"], json!({ "orderBy": ["is only possible with near"] }), "{path}");
    }
}

/// Partial counts or selections would look complete.
#[tokio::test]
async fn nothing_is_counted_or_selected_in_a_list_that_is_being_filled() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    assert_eq!(counts(&mut admin, "").await, [4, 0, 0, 4, 0]);
    let db = Db::connect(&world.database).await.unwrap();
    db.execute("update idx_sync set as_of = null", params![]).await.unwrap();
    for path in ["/api/devices/counts?q=x", "/api/devices/selection"] {
        let answer = admin.get(path).await;
        assert_eq!((answer.status, answer.code()), (503, "not_ready"), "{path}");
    }
}

on_both_databases!(
    search_finds_words_in_any_of_eight_fields_within_the_scope,
    customers_are_suggested_by_name_within_the_scope,
    levels_sort_with_unknown_ones_last_and_filter_up_to_a_percentage,
    never_connected_device_is_not_offline_before_its_first_disconnect,
    offline_hours_count_from_the_disconnect,
    near_devices_come_nearest_first_with_their_distance,
    counts_match_the_filtered_lists,
    selection_contains_all_matches_in_the_scope,
    selection_above_the_job_limit_is_refused,
);
