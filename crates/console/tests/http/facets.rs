//! The values of a filter with the number of devices that each leaves, and the filter that empties a list.

use cloud::operator::NewDevice;
use platform::testing::TestDb;
use reqwest::Method;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::world::*;

const FIELDS: [&str; 10] =
    ["customer", "servicearea", "csp", "model", "fragrance", "network", "city", "country", "connectionstatus", "mode"];
/// Filters that are set beside the counted one.
const OTHERS: [&str; 7] = [
    "",
    "&city=%22Bergen%22",
    "&customer=hotel&fragrance=linen",
    "&connectionstatus=NeverConnected&model=AQ380",
    "&q=shop",
    "&csp=East&mode=Run",
    "&excludeDsn=F-03&installedfrom=2099-01-01",
];

fn shop(number: usize) -> NewDevice {
    let pick = |texts: &[&str]| texts[number % texts.len()].to_owned();
    let csp = pick(&["North", "South", "East", "North", "East", "East"]);
    let mut shop = device(&format!("F-{number:02}"), Some(&csp), &pick(&["AQ380", "AQ290"]));
    for (key, value) in &mut shop.data {
        match key.as_str() {
            "customer" => *value = pick(&["Hotel Aurora", "Shop 7", "HOTEL AURORA", "It's \"q\""]),
            "fragrance" => *value = pick(&["Linen", "Warm Linen", "Amber"]),
            _ => {}
        }
    }
    shop.product_name = pick(&["Lobby", "Lobby East", "Bar", "Spa", "Lift", "Roof", "Pool"]);
    shop.addr.city = Some(pick(&["Bergen", "Bergen aan Zee", "São Paulo"]));
    shop
}

async fn world_with(database: &TestDb, shops: usize) -> World {
    let world = World::start_on(database).await;
    let devices: Vec<NewDevice> = (0..shops).map(shop).collect();
    world.cloud.operator().add_devices(&world.oem, &devices).await.unwrap();
    world.console.resync().await;
    world
}

async fn facets(browser: &mut Browser, query: &str) -> Value {
    let answer = browser.get(&format!("/api/devices/facets?{query}")).await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.body);
    answer.body
}

fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

async fn each_value_has_the_number_of_devices_that_the_list_has_with_it(database: TestDb) {
    let world = world_with(&database, 40).await;
    for email in [ADMIN, NORTH_TECH] {
        let mut browser = world.signed_in(email).await;
        for field in FIELDS.into_iter().filter(|field| email == ADMIN || *field != "csp") {
            for others in OTHERS.into_iter().filter(|others| email == ADMIN || !others.contains("csp")) {
                let found = facets(&mut browser, &format!("field={field}&pageSize=50{others}")).await;
                let values = found["values"].as_array().unwrap();
                assert!(!values.is_empty(), "{field}");
                let counts: Vec<u64> = values.iter().map(|value| value["devices"].as_u64().unwrap()).collect();
                assert!(counts.is_sorted_by(|one, next| one >= next), "the most frequent first: {found}");
                for (value, count) in values.iter().zip(counts) {
                    // The counted filter replaces one that is set.
                    let kept: String = others
                        .split('&')
                        .filter(|it| !it.is_empty() && !it.starts_with(&format!("{field}=")))
                        .map(|it| format!("&{it}"))
                        .collect();
                    let filter = encoded(value["filter"].as_str().unwrap());
                    let list = browser.get(&format!("/api/devices?{field}={filter}{kept}")).await.body;
                    assert_eq!(list["total"], json!(count), "{email} {field} {value} {kept}");
                }
            }
        }
    }
}

async fn values_are_searched_paged_and_limited_to_the_scope(database: TestDb) {
    let world = world_with(&database, 40).await;
    let mut admin = world.signed_in(ADMIN).await;
    let names = |found: &Value| -> Vec<String> {
        found["values"].as_array().unwrap().iter().map(|it| it["value"].as_str().unwrap().to_owned()).collect()
    };
    let bergen = facets(&mut admin, "field=city&text=+BERGEN+").await;
    assert_eq!(names(&bergen), ["Bergen", "Bergen aan Zee"]);
    let grey = facets(&mut admin, "field=city&text=sao&q=nothing").await;
    assert_eq!(grey["values"], json!([{ "value": "São Paulo", "filter": "\"São Paulo\"", "devices": 0 }]));
    let customers = facets(&mut admin, "field=customer&text=aurora").await;
    assert_eq!(customers["total"], 1, "names that differ only in case are one: {customers}");
    let all = facets(&mut admin, "field=servicearea&pageSize=50").await;
    let mut paged = Vec::new();
    for page in 1..=2 {
        let found = facets(&mut admin, &format!("field=servicearea&pageSize=5&page={page}")).await;
        assert_eq!((&found["total"], &found["currentPageNumber"]), (&all["total"], &json!(page)));
        paged.extend(names(&found));
    }
    assert_eq!(paged, names(&all));
    let last = facets(&mut admin, "field=servicearea&pageSize=5&page=99").await;
    assert_eq!(last["currentPageNumber"], 2);

    let none = facets(&mut world.signed_in(NO_ROLE).await, "field=city").await;
    assert_eq!((&none["values"], &none["total"]), (&json!([]), &json!(0)));
    let mut south = world.signed_in(SOUTH_ADMIN).await;
    let own: u64 = facets(&mut south, "field=model").await["values"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["devices"].as_u64().unwrap())
        .sum();
    assert_eq!(json!(own), south.get("/api/devices").await.body["total"]);

    for (query, field, refusal) in [
        ("", "field", "is required"),
        ("field=dsn", "field", "must be the name of a filter whose values can be counted"),
        ("field=city&field=city", "field", "must be given once"),
        ("field=city&pageSize=7", "pageSize", "must be 5, 25 or 50"),
        ("field=city&page=0", "page", "must be a whole number from 1"),
        ("field=city&text=a%00b", "text", "must not contain control characters"),
        ("field=city&maxremaining=101", "maxremaining", "must be a whole number from 0 to 100"),
    ] {
        let answer = admin.get(&format!("/api/devices/facets?{query}")).await;
        assert_eq!((answer.status, &answer.body["errors"][field]), (422, &json!([refusal])), "{query}");
    }
    let answer = south.get("/api/devices/facets?field=csp").await;
    assert_eq!(answer.status, 422, "only people who see all CSPs choose one");
    assert_eq!(world.browser().get("/api/devices/facets?field=city").await.status, 401);

    let first = admin.get("/api/devices/facets?field=city").await;
    let tag = first.headers["etag"].to_str().unwrap().to_owned();
    let request = admin.request(Method::GET, "/api/devices/facets?field=city").header("if-none-match", &tag);
    let again = admin.send(request).await;
    assert_eq!(again.status, 304);
}

async fn empty_list_names_the_filter_without_which_it_has_the_most_devices(database: TestDb) {
    let world = world_with(&database, 12).await;
    let mut admin = world.signed_in(ADMIN).await;
    let rows = [
        ("city=nowhere&fragrance=linen", Some("city")),
        ("city=nowhere&customer=nobody", None),
        ("maxremaining=0&fragrance=amber", Some("maxremaining")),
        ("q=nothing", Some("q")),
        ("offlinehours=9", Some("offlinehours")),
        ("runsdrydays=1&city=bergen", Some("runsdrydays")),
        ("runsdrybefore=2020-01-01", Some("runsdrybefore")),
        ("near=-60,-60", Some("near")),
        ("installedfrom=2099-01-01", Some("installedfrom")),
        ("installedthrough=1999-01-01", Some("installedthrough")),
        ("csp=None&city=bergen", Some("csp")),
        ("connectionstatus=Online", Some("connectionstatus")),
        // The one that leaves more.
        ("fragrance=%22Amber%22&city=%22Bergen%22", Some("fragrance")),
        ("excludeDsn=F-00&city=nowhere", Some("city")),
        ("city=bergen", None),
    ];
    for (query, expected) in rows {
        let list = admin.get(&format!("/api/devices?{query}")).await.body;
        let named = list["emptiedBy"]["filter"].as_str();
        assert_eq!(named, expected, "{query}: {list}");
        if let Some(named) = named {
            let rest: Vec<&str> = query.split('&').filter(|it| !it.starts_with(&format!("{named}="))).collect();
            let without = admin.get(&format!("/api/devices?{}", rest.join("&"))).await.body;
            assert_eq!(without["total"], list["emptiedBy"]["devices"], "{query}");
        }
    }
}

on_both_databases!(
    each_value_has_the_number_of_devices_that_the_list_has_with_it,
    values_are_searched_paged_and_limited_to_the_scope,
    empty_list_names_the_filter_without_which_it_has_the_most_devices,
);
