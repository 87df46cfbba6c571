//! Names: their Unicode form, what they must not contain, and which are too alike.

use platform::testing::TestDb;
use serde_json::{Value, json};

use crate::authorisation::{account_token, invitation, person};
use crate::browser::{Answer, Browser};
use crate::world::*;

on_both_databases![
    names_are_stored_in_normal_form_c,
    invisible_characters_are_refused_in_every_name,
    csp_that_looks_like_another_is_refused,
    fragrance_in_another_form_is_the_same,
    time_zone_has_one_name,
    lists_find_and_order_names_regardless_of_accents_apostrophes_and_blanks,
];

/// 'Zürich' with a diaeresis of its own, as some systems write it.
const DECOMPOSED: &str = "Zu\u{308}rich";
const COMPOSED: &str = "Zürich";

fn device(field: &str, value: &str) -> Value {
    let mut form = json!({
        "csp": "North", "serialNumber": "4711", "systemConfiguration": "AQ380", "fragrance": "White Tea",
        "customer": "Hotel Aurora", "timeZone": "Europe/Oslo", "serviceArea": "Lobby", "city": "Oslo", "country": "Norway",
    });
    form[field] = json!(value);
    form
}

fn fragrance(name: &str, density: &str) -> Value {
    json!({
        "Fragrance": name, "SKU": "", "Density": density, "AQ200w500": "0.5", "AQ300w500": "", "AQ500w500": "",
        "AQ800w1250": "", "AQ800w2500": "", "AQ1200w1250": "", "AQ1200w2500": "",
    })
}

async fn world(database: &TestDb) -> (World, Browser) {
    let world = World::start_on(database).await;
    let mut admin = world.signed_in(ADMIN).await;
    let answer = admin.post("/api/import", &json!([fragrance("White Tea", "0.9")])).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    (world, admin)
}

/// The fields of one line of a device.
const DEVICE: [&str; 8] =
    ["serialNumber", "customer", "customerId", "storeNumber", "serviceArea", "city", "state", "country"];
/// The fields of one line of a person.
const PERSON: [&str; 8] = ["firstname", "lastname", "company", "businessRole", "city", "state", "country", "phone"];
/// The fields of one line of the own profile.
const PROFILE: [&str; 5] = ["firstname", "lastname", "city", "state", "country"];

fn page_of_device() -> String {
    format!("/api/devices/dsns/{NORTH}")
}

fn profile(field: &str, value: &str) -> Value {
    let mut form = json!({ "firstname": "Ada", "lastname": "Marsh", "city": "Oslo", "country": "Norway" });
    form[field] = json!(value);
    form
}

async fn names_are_stored_in_normal_form_c(database: TestDb) {
    let (_world, mut admin) = world(&database).await;
    for field in DEVICE {
        let answer = admin.put(&page_of_device(), &device(field, DECOMPOSED)).await;
        assert_eq!((answer.status, &answer.body[field]), (200, &json!(COMPOSED)), "{field}: {}", answer.body);
    }
    for (number, field) in PERSON.into_iter().filter(|field| *field != "phone").enumerate() {
        let invitation = invitation(&format!("n{number}@example.com"), json!({ field: DECOMPOSED }));
        let id = admin.post("/api/users", &invitation).await.body["id"].as_str().unwrap().to_owned();
        let stored = admin.get(&format!("/api/users/{id}")).await.body;
        assert_eq!(stored[field], COMPOSED, "{field}: {stored}");
    }
    for field in PROFILE {
        let answer = admin.put("/api/account", &profile(field, DECOMPOSED)).await;
        assert_eq!((answer.status, &answer.body[field]), (200, &json!(COMPOSED)), "{field}: {}", answer.body);
    }
    let answer = admin.post("/api/csps", &json!({ "name": DECOMPOSED })).await;
    assert_eq!((answer.status, &answer.body["name"]), (201, &json!(COMPOSED)));
    let mut token = account_token(&["devices_read"]);
    token["name"] = json!(DECOMPOSED);
    assert_eq!(admin.post("/api/account/tokens", &token).await.status, 201);
    assert_eq!(admin.get("/api/account/tokens").await.body[0]["name"], COMPOSED);
    assert_eq!(admin.post("/api/import", &json!([fragrance(DECOMPOSED, "1")])).await.body["added"], 1);
    let fragrances = admin.get("/api/fragrances").await.body;
    assert!(fragrances.as_array().unwrap().iter().any(|it| it["name"] == COMPOSED), "{fragrances}");
}

fn assert_refused(answer: &Answer, field: &str, text: &str) {
    assert_eq!((answer.status, &answer.body["errors"]), (422, &json!({ field: [text] })), "{}", answer.body);
}

async fn invisible_characters_are_refused_in_every_name(database: TestDb) {
    let (_world, mut admin) = world(&database).await;
    for (name, text) in [
        ("Lobby\u{202e}txt.exe", "Character 6 is invisible (U+202E): delete it"),
        ("Bar\u{200b}Nord", "Character 4 is invisible (U+200B): delete it"),
        ("\u{2067}a\u{2069}", "Character 1 is invisible (U+2067): delete it"),
        ("a\u{200d}b", "Character 2 is invisible (U+200D): delete it"),
        ("Line one\u{2028}Line two", "Must be one line of text"),
        ("a\u{1b}b", "Must be one line of text"),
    ] {
        for field in DEVICE {
            assert_refused(&admin.put(&page_of_device(), &device(field, name)).await, field, text);
        }
        for field in PERSON.into_iter().filter(|field| *field != "phone") {
            let form = invitation("jo@example.com", json!({ field: name }));
            assert_refused(&admin.post("/api/users", &form).await, field, text);
        }
        for field in PROFILE {
            assert_refused(&admin.put("/api/account", &profile(field, name)).await, field, text);
        }
        assert_refused(&admin.post("/api/csps", &json!({ "name": name })).await, "name", text);
        let mut token = account_token(&["devices_read"]);
        token["name"] = json!(name);
        assert_refused(&admin.post("/api/account/tokens", &token).await, "name", text);
        assert_refused(&admin.post("/api/import", &json!([fragrance(name, "1")])).await, "[0].Fragrance", text);
    }
    // Nothing was stored meanwhile.
    let people = admin.get("/api/users").await.body["total"].as_u64();
    assert_eq!(admin.post("/api/users", &person(json!({ "email": "" }))).await.status, 422);
    assert_eq!(admin.get("/api/users").await.body["total"].as_u64(), people);
    assert_eq!(admin.get("/api/fragrances").await.body.as_array().unwrap().len(), 1);
    let family = "\u{1f469}\u{200d}\u{1f466} Nord";
    assert_eq!(admin.post("/api/csps", &json!({ "name": family })).await.body["name"], family);
}

async fn csp_that_looks_like_another_is_refused(database: TestDb) {
    let (_world, mut admin) = world(&database).await;
    for (name, text) in [
        // Cyrillic and Greek letters, and a digit for a letter.
        ("N\u{43e}rth", "Looks like the CSP North"),
        ("N\u{3bf}rth", "Looks like the CSP North"),
        ("N0rth", "Looks like the CSP North"),
        ("\u{ff2e}orth", "Looks like the CSP North"),
        ("NORTH", "There is a CSP of this name"),
    ] {
        let answer = admin.post("/api/csps", &json!({ "name": name })).await;
        assert_eq!((answer.status, answer.code()), (409, "taken"), "{name}: {}", answer.body);
        assert_eq!(answer.body["errors"]["name"][0], text, "{name}");
    }
    let added = admin.post("/api/csps", &json!({ "name": "Acme" })).await.body;
    let path = format!("/api/csps/{}", added["id"].as_str().unwrap());
    let renamed = admin.put(&path, &json!({ "name": "S\u{3bf}uth" })).await;
    assert_eq!((renamed.status, &renamed.body["errors"]["name"][0]), (409, &json!("Looks like the CSP South")));
    assert_eq!(admin.put(&path, &json!({ "name": "\u{410}cme" })).await.status, 200, "like its own name only");
}

async fn fragrance_in_another_form_is_the_same(database: TestDb) {
    let (_world, mut admin) = world(&database).await;
    let forms = ["white tea", "WHITE  TEA", "White\u{a0}Tea", "\u{ff37}hite Tea"];
    for (number, form) in (1..).zip(forms) {
        let answer = admin.post("/api/import", &json!([fragrance(form, &format!("1.{number}"))])).await;
        assert_eq!((&answer.body["added"], &answer.body["changed"]), (&json!(0), &json!(1)), "{form}: {}", answer.body);
        let fragrances = admin.get("/api/fragrances").await.body;
        assert_eq!(fragrances.as_array().unwrap().len(), 1, "{form}: {fragrances}");
        assert_eq!(fragrances[0]["name"], "White Tea", "devices have this name");
        assert_eq!(fragrances[0]["density"], format!("1.{number}").parse::<f64>().unwrap(), "{form}");
    }
    let rows: Vec<Value> = ["White Tea"].into_iter().chain(forms).map(|name| fragrance(name, "1")).collect();
    let errors = admin.post("/api/import", &json!(rows)).await.body["errors"].clone();
    for (number, form) in (1..).zip(forms) {
        assert_eq!(errors[format!("[{number}].Fragrance")], json!([format!("Duplicate Fragrance Found: {form}")]));
    }
    assert_eq!(errors.as_object().unwrap().len(), forms.len(), "{errors}");
}

async fn time_zone_has_one_name(database: TestDb) {
    let (world, mut admin) = world(&database).await;
    for (sent, stored) in [
        ("Asia/Calcutta", "Asia/Kolkata"),
        ("Europe/Kiev", "Europe/Kyiv"),
        ("US/Pacific", "America/Los_Angeles"),
        ("Etc/UTC", "UTC"),
        ("Asia/Tokyo", "Asia/Tokyo"),
    ] {
        let answer = admin.put(&page_of_device(), &device("timeZone", sent)).await;
        assert_eq!((answer.status, &answer.body["timeZone"]), (200, &json!(stored)), "{sent}: {}", answer.body);
        let list = admin.get(&format!("/api/devices?dsn={NORTH}")).await.body;
        assert_eq!(list["devices"][0]["timeZone"], stored, "{list}");
    }
    for zone in ["EST5EDT", "Etc/GMT+5", "Factory", "Mars/Olympus"] {
        assert_refused(
            &admin.put(&page_of_device(), &device("timeZone", zone)).await,
            "timeZone",
            "Is not one of the choices",
        );
    }
    // Another program wrote a former name.
    world.cloud.set_time_zone(NORTH, Some("Asia/Saigon")).await;
    let device = admin.get(&page_of_device()).await.body;
    assert_eq!(device["timeZone"], "Asia/Ho_Chi_Minh", "{device}");
}

async fn lists_find_and_order_names_regardless_of_accents_apostrophes_and_blanks(database: TestDb) {
    let (_world, mut admin) = world(&database).await;
    for (dsn, csp, customer) in [
        (NORTH, "North", "Österreich-Café D’Angelo"),
        (NORTH_AQ290, "North", "Zypern\u{a0}Bar"),
        (SOUTH, "South", "ÅRHUS Łódź"),
    ] {
        let mut form = device("customer", customer);
        form["csp"] = json!(csp);
        let answer = admin.put(&format!("/api/devices/dsns/{dsn}"), &form).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    for (query, found) in [
        ("&customer=osterreich", vec![NORTH]),
        ("&customer=d'angelo", vec![NORTH]),
        ("&customer=CAFE%20D%60ANGELO", vec![NORTH]),
        ("&customer=Österreich‐Café", vec![NORTH]),
        ("&customer=zypern%20bar", vec![NORTH_AQ290]),
        ("&customer=lodz", vec![SOUTH]),
        ("&customer=A%CC%8Arhus", vec![SOUTH]),
        ("&customer=A%CC%8A", vec![SOUTH]),
        ("&q=cafe%20d'ang", vec![NORTH]),
        ("&q=aarhus", vec![]),
    ] {
        assert_eq!(admin.dsns(query).await, found, "{query}");
    }
    let in_order = admin.get("/api/devices?orderBy=customer&order=desc&country=NORWAY").await.body;
    let customers = in_order["devices"].as_array().unwrap().iter().map(|device| &device["customer"]);
    let expected = ["Zypern\u{a0}Bar", "Österreich-Café D’Angelo", "Hotel Aurora", "ÅRHUS Łódź"];
    assert_eq!(customers.collect::<Vec<_>>(), expected, "{in_order}");

    for name in ["Señal", "Senal"] {
        assert_eq!(admin.post("/api/csps", &json!({ "name": name })).await.status, 201, "an accent makes another name");
    }
    let csps = admin.get("/api/csps?name=SENAL&order=asc").await.body;
    assert_eq!([&csps["csps"][0]["name"], &csps["csps"][1]["name"]], [&json!("Senal"), &json!("Señal")], "{csps}");
    let zoe = invitation("zoe@example.com", json!({ "firstname": "Zoë", "lastname": "O’Brien" }));
    assert_eq!(admin.post("/api/users", &zoe).await.status, 201);
    for query in ["firstname=ZOE", "lastname=o'brien"] {
        let people = admin.get(&format!("/api/users?{query}")).await.body;
        assert_eq!(
            (&people["total"], &people["users"][0]["email"]),
            (&json!(1), &json!("zoe@example.com")),
            "{people}"
        );
    }
}
