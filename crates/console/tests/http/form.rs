//! Adding and editing devices.

use std::time::Duration;

use cloud::operator::{NewDevice, SetupCode};
use cloud::testing::Fault;
use console::{Rate, RateLimit};
use diffuser::{Fragrance, data_keys};
use platform::run::random::Random;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::world::*;

const DEVICES: &str = "/api/devices";
/// Lets one request to the cloud through.
const PASS: Fault = Fault::Delay(Duration::ZERO);

fn page(dsn: &str) -> String {
    format!("/api/devices/dsns/{dsn}")
}

fn base(dsn: &str) -> String {
    format!("/api/devices/base/{dsn}")
}

/// A valid device form with `changes` merged into it.
fn form(changes: Value) -> Value {
    let mut form = json!({
        "csp": "North", "serialNumber": "4711", "systemConfiguration": "AQ380", "fragrance": "White Tea",
        "customer": "Hotel Aurora", "timeZone": "Europe/Oslo", "serviceArea": "Lobby", "city": "Oslo", "country": "Norway",
        "customerId": "C-9",
    });
    let Value::Object(changes) = changes else { panic!("{changes}") };
    form.as_object_mut().unwrap().extend(changes);
    form
}

#[tokio::test]
async fn look_ups_of_serial_numbers_are_limited_for_one_person() {
    let few = RateLimit { per_address: Rate::per_minute(100), per_account: Rate::per_minute(2) };
    let world = World::start_with(|config| config.rate_limits.look_ups = few).await;
    let mut admin = world.signed_in(ADMIN).await;
    for dsn in [STOCK, "SC-NONE"] {
        assert_eq!(admin.get(&format!("/api/devices/base/{dsn}")).await.status, 200, "{dsn}");
    }
    let refused = admin.get(&format!("/api/devices/base/{STOCK}")).await;
    assert_eq!((refused.status, refused.code()), (429, "too_many_requests"));
    assert_eq!(world.signed_in(NORTH_TECH).await.get(&format!("/api/devices/base/{STOCK}")).await.status, 200);
}

fn new(changes: Value) -> Value {
    let mut form = form(changes);
    form["dsn"] = form.get("dsn").cloned().unwrap_or(json!(STOCK));
    form
}

async fn start() -> World {
    let world = World::start().await;
    let flow = [Some(0.5), Some(0.5), Some(0.5), Some(0.5), Some(0.5), Some(0.5), Some(0.5)];
    let catalogue =
        ["White Tea", "Fig"].map(|name| Fragrance { name: name.to_owned(), sku: name.to_owned(), density: 1.0, flow });
    world.console.add_missing_fragrances(&catalogue).await.unwrap();
    world
}

async fn pending(world: &World, dsn: &str) -> Vec<(String, Value)> {
    let pending = world.cloud.device(dsn).await.pending().await;
    pending.into_iter().map(|(_, name, value)| (name, value)).collect()
}

/// The members of a device that the form edits.
fn fields(device: &Value) -> Value {
    let mut fields = form(json!({}));
    for (name, value) in fields.as_object_mut().unwrap() {
        *value = device[name].clone();
    }
    for (name, member) in
        [("latitude", "lat"), ("longitude", "lng"), ("state", "state"), ("storeNumber", "storeNumber")]
    {
        fields[name] = device[member].clone();
    }
    fields
}

#[tokio::test]
async fn every_field_is_saved_and_listed_before_the_response() {
    let world = start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let changes = json!({
        "serialNumber": "4712", "systemConfiguration": "AQ290", "fragrance": "Fig", "customer": "Inn", "timeZone": "Asia/Tokyo",
        "serviceArea": "Spa", "city": "Tokyo", "state": "Tokyo", "country": "Japan", "customerId": null, "storeNumber": "7",
        "latitude": 35.689_487, "longitude": 139.691_706,
    });
    let answer = browser.put(&page(NORTH), &form(changes.clone())).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let mut expected = form(changes);
    assert_eq!(fields(&answer.body), expected);
    assert_eq!(fields(&browser.device(NORTH).await), expected, "read again");
    let listed = browser.listed(NORTH).await;
    for name in ["customer", "serialNumber", "serviceArea", "city", "country", "fragrance", "timeZone"] {
        assert_eq!(listed[name], expected[name], "{name}");
    }

    // Reverts the change: an emptied optional text is deleted, an omitted location is unchanged.
    let back = form(json!({ "storeNumber": "", "state": " " }));
    let answer = browser.put(&page(NORTH), &back).await;
    expected = form(json!({
        "storeNumber": null, "state": null, "latitude": 35.689_487, "longitude": 139.691_706,
    }));
    assert_eq!(fields(&answer.body), expected);
}

#[tokio::test]
async fn unusual_but_valid_addresses_and_products_are_accepted() {
    let world = start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let longest = "ß".repeat(255);
    let unusual = [
        json!({ "city": "'s-Hertogenbosch", "state": "N/A", "country": "Nowhere" }),
        json!({ "city": "東京", "state": "-", "country": "Côte d’Ivoire" }),
        json!({ "city": longest, "state": longest, "country": longest, "customer": longest }),
        json!({ "city": "7", "serialNumber": "0", "customerId": "#1 <A&B>", "storeNumber": "=1+1" }),
        json!({ "latitude": -90.0, "longitude": 180.0, "serviceArea": "\"Lobby\"; left" }),
        json!({ "latitude": 0.0, "longitude": 0.0, "city": "Null Island" }),
    ];
    for changes in unusual {
        let answer = browser.put(&page(NORTH), &form(changes.clone())).await;
        assert_eq!(answer.status, 200, "{changes}: {}", answer.body);
        let saved = fields(&answer.body);
        for (name, value) in changes.as_object().unwrap() {
            assert_eq!(&saved[name], value, "{name}");
        }
    }
}

#[tokio::test]
async fn omitted_fields_are_not_changed_and_the_audit_names_each_author() {
    let world = start().await;
    let (mut tech, mut admin) = (world.signed_in(NORTH_TECH).await, world.signed_in(NORTH_ADMIN).await);
    let whole = form(json!({ "latitude": 59.9, "longitude": 10.7, "state": "Oslo", "storeNumber": "7" }));
    assert_eq!(tech.put(&page(NORTH), &whole).await.status, 200);
    let mut expected = whole;
    let edits = [
        (json!({ "customer": "Inn" }), NORTH_ADMIN),
        (json!({ "serviceArea": "Spa" }), NORTH_TECH),
        (json!({ "city": "Bergen" }), NORTH_ADMIN),
        (json!({ "timeZone": "UTC", "storeNumber": null }), NORTH_TECH),
        (json!({ "latitude": 60.4, "longitude": 5.3 }), NORTH_ADMIN),
        (json!({ "csp": "North" }), NORTH_TECH),
        (json!({}), NORTH_ADMIN),
    ];
    for (edit, author) in &edits {
        let browser = if *author == NORTH_TECH { &mut tech } else { &mut admin };
        let answer = browser.put(&page(NORTH), edit).await;
        assert_eq!(answer.status, 200, "{edit}: {}", answer.body);
        expected.as_object_mut().unwrap().extend(edit.as_object().unwrap().clone());
        assert_eq!(fields(&answer.body), expected, "{edit}");
    }
    let audit = admin.get(&format!("/api/audit?operation=update_device&limit=5&target={NORTH}")).await;
    let actual: Vec<(&str, Vec<&str>)> =
        audit.body["entries"].as_array().unwrap().iter().map(author_and_fields).collect();
    let expected = [
        (NORTH_ADMIN, vec!["latitude", "longitude"]),
        (NORTH_TECH, vec!["timeZone", "storeNumber"]),
        (NORTH_ADMIN, vec!["city"]),
        (NORTH_TECH, vec!["serviceArea"]),
        (NORTH_ADMIN, vec!["customer"]),
    ];
    assert_eq!(actual, expected, "{}", audit.body);
}

fn author_and_fields(entry: &Value) -> (&str, Vec<&str>) {
    let changes = entry["changes"].as_array().unwrap();
    (
        entry["actor"]["email"].as_str().unwrap_or_default(),
        changes.iter().map(|it| it["field"].as_str().unwrap()).collect(),
    )
}

#[tokio::test]
async fn edited_device_keeps_street_and_zip() {
    let world = start().await;
    let mut device = device("SC-N9", Some("North"), "AQ380");
    device.addr.street = Some("Karl Johans gate 1".to_owned());
    device.addr.zip = Some("0154".to_owned());
    world.cloud.operator().add_devices(&world.oem, &[device]).await.unwrap();
    let mut browser = world.signed_in(NORTH_TECH).await;
    let answer = browser.put(&page("SC-N9"), &form(json!({ "city": "Bergen" }))).await.body;
    assert_eq!(
        (&answer["city"], &answer["street"], &answer["zip"]),
        (&json!("Bergen"), &json!("Karl Johans gate 1"), &json!("0154"))
    );
}

#[tokio::test]
async fn unchanged_fields_are_not_written() {
    let world = start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    // The device is read twice; every further request fails.
    for fault in [PASS, PASS, Fault::UnprocessableEntity] {
        world.cloud.faults().push(fault);
    }
    let answer = browser.put(&page(NORTH), &form(json!({}))).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(world.cloud.faults().waiting(), 1);
}

#[tokio::test]
async fn interrupted_edit_reports_the_saved_fields() {
    let world = start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    // Requests: the read, the name. The time zone is refused.
    for fault in [PASS, PASS, Fault::UnprocessableEntity] {
        world.cloud.faults().push(fault);
    }
    let changes = json!({ "serviceArea": "Spa", "timeZone": "UTC", "customer": "Inn" });
    let answer = browser.put(&page(NORTH), &form(changes)).await;
    assert_eq!((answer.status, answer.code(), answer.fields()), (502, "cloud_failed", vec!["timeZone"]));
    assert_eq!(answer.body["detail"], "Time zone was not saved: An injected fault. Already saved: Service area.");
    let listed = browser.listed(NORTH).await;
    assert_eq!((&listed["serviceArea"], &listed["customer"]), (&json!("Spa"), &json!("Hotel Aurora")));
}

#[tokio::test]
async fn administrator_assigns_a_device_to_another_csp() {
    let world = start().await;
    let (mut admin, mut north, mut south) =
        (world.signed_in(ADMIN).await, world.signed_in(NORTH_TECH).await, world.signed_in(SOUTH_ADMIN).await);
    let answer = admin.put(&page(NORTH), &form(json!({ "csp": "South", "serviceArea": "Spa" }))).await;
    assert_eq!((answer.status, &answer.body["csp"]), (200, &json!("South")), "{}", answer.body);
    assert_eq!(north.get(&page(NORTH)).await.status, 404);
    assert_eq!(south.device(NORTH).await["serviceArea"], "Spa");
    let labels = admin.device(NORTH).await["roleLabels"].as_array().unwrap().clone();
    assert_eq!(labels.len(), 3);
    assert!(labels.iter().all(|label| label["value"] == "South"), "{labels:?}");
    assert_eq!(south.dsns("").await, [NORTH, SOUTH]);
}

#[tokio::test]
async fn csp_roles_cannot_move_a_device_to_another_csp() {
    let world = start().await;
    let mut browser = world.signed_in(NORTH_ADMIN).await;
    for csp in [json!("South"), json!("Nobody"), json!(null)] {
        let answer = browser.put(&page(NORTH), &form(json!({ "csp": csp }))).await;
        assert_eq!((answer.status, &answer.body["csp"]), (200, &json!("North")), "{csp}");
    }
}

#[tokio::test]
async fn wrong_fields_are_named_and_nothing_is_written() {
    let world = start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let before = admin.device(NORTH).await;
    let rows = [
        (json!({ "customer": "", "city": null, "serviceArea": "  " }), vec!["city", "customer", "serviceArea"]),
        (json!({ "csp": "Nobody" }), vec!["csp"]),
        (json!({ "csp": null }), vec!["csp"]),
        (json!({ "fragrance": "Petrol", "systemConfiguration": "AQ1" }), vec!["fragrance", "systemConfiguration"]),
        (json!({ "timeZone": "Mars/Olympus" }), vec!["timeZone"]),
        (json!({ "latitude": 91, "longitude": 0 }), vec!["latitude"]),
        (json!({ "latitude": 9 }), vec!["longitude"]),
        (json!({ "latitude": "9" }), vec!["latitude"]),
        (json!({ "customer": 7 }), vec!["customer"]),
        (json!({ "serialNumber": "x".repeat(256) }), vec!["serialNumber"]),
    ];
    for (changes, expected) in rows {
        let answer = admin.put(&page(NORTH), &form(changes.clone())).await;
        assert_eq!((answer.status, answer.fields()), (422, expected), "{changes}");
    }
    assert_eq!(admin.device(NORTH).await, before);
    assert_eq!(admin.put(&page(NORTH), &json!([])).await.status, 400);
}

#[tokio::test]
async fn dsn_of_a_device_cannot_be_changed() {
    let world = start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let answer = browser.put(&page(NORTH), &new(json!({ "dsn": "SC-OTHER" }))).await;
    assert_eq!((answer.status, &answer.body["dsn"]), (200, &json!(NORTH)));
    assert_eq!(browser.get(&page("SC-OTHER")).await.status, 404);
}

#[tokio::test]
async fn changed_fragrance_recomputes_the_level() {
    let world = start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    world.cloud.device(NORTH).await.report(&[("cartridge_life", json!(250))]).await;
    let answer = browser.put(&page(NORTH), &form(json!({ "fragrance": "Fig" }))).await;
    assert_eq!(answer.body["fragranceRemaining"], 75);
    assert_eq!(pending(&world, NORTH).await, [("fragrance_remaining".to_owned(), json!(75))], "stored, too (A-16)");
}

#[tokio::test]
async fn device_is_added_from_stock_by_permitted_roles() {
    for (email, csp) in [(NORTH_TECH, "North"), (NORTH_ADMIN, "North"), (SOUTH_ADMIN, "South"), (ADMIN, "South")] {
        let world = start().await;
        let mut browser = world.signed_in(email).await;
        let changes =
            json!({ "csp": "South", "latitude": 59.9, "longitude": 10.7, "state": "Oslo", "storeNumber": "7" });
        let answer = browser.post(DEVICES, &new(changes.clone())).await;
        assert_eq!(answer.status, 201, "{email}: {}", answer.body);
        let mut expected = form(changes);
        expected["csp"] = json!(csp);
        assert_eq!(fields(&answer.body), expected, "{email}");
        assert!(browser.dsns("").await.contains(&STOCK.to_owned()), "the list knows it before the answer");
        assert_eq!(answer.body["roleLabels"].as_array().unwrap().len(), 3);
        let device = world.cloud.device(STOCK).await;
        device.connect().await;
        assert_eq!(browser.device(STOCK).await["connectionStatus"], "Online");
    }
}

#[tokio::test]
async fn first_contact_of_an_added_device_arrives_at_its_page() {
    let world = start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let added = browser.post(DEVICES, &new(json!({}))).await;
    assert_eq!((added.status, &added.body["neverConnected"]), (201, &json!(true)), "{}", added.body);
    let mut stream = browser.follow(&[STOCK]).await;
    world.pass_seconds(60);
    world.cloud.device(STOCK).await.connect().await;
    let shown = stream.until("connection", STOCK).await;
    let contact = json!("2026-11-20T10:01:00Z");
    assert_eq!((&shown["neverConnected"], &shown["connectedAt"]), (&json!(false), &contact));
    let page = browser.device(STOCK).await;
    assert_eq!((&page["neverConnected"], &page["connectionStatus"]), (&json!(false), &json!("Online")));
}

#[tokio::test]
async fn device_not_in_stock_is_refused_together_with_all_other_errors() {
    let world = start().await;
    let (unknown, taken) = ("No device with that DSN was found", "A device with this DSN has already been registered");
    let rows =
        [(json!("SC-NONE"), unknown), (json!(SOUTH), taken), (json!(" "), "Required"), (json!(null), "Required")];
    for email in [ADMIN, NORTH_TECH] {
        let mut browser = world.signed_in(email).await;
        for (dsn, text) in &rows {
            let answer = browser.post(DEVICES, &new(json!({ "dsn": dsn, "city": "" }))).await;
            assert_eq!((answer.status, answer.fields()), (422, vec!["city", "dsn"]), "{dsn}");
            assert_eq!(answer.body["errors"]["dsn"], json!([text]), "{email} {dsn}");
        }
    }
}

#[tokio::test]
async fn unregistered_device_that_has_a_customer_is_refused_as_registered() {
    let world = start().await;
    let dsn = "SC-X2";
    let customer = (data_keys::CUSTOMER.to_owned(), "Hotel Borealis".to_owned());
    let device = NewDevice { data: vec![customer], ..stock(dsn) };
    world.cloud.operator().add_devices(&world.oem, &[device]).await.unwrap();
    for email in [ADMIN, NORTH_TECH] {
        let mut browser = world.signed_in(email).await;
        assert_eq!(browser.get(&base(dsn)).await.body["registered"], true, "{email}");
        let answer = browser.post(DEVICES, &new(json!({ "dsn": dsn }))).await;
        let text = "A device with this DSN has already been registered";
        assert_eq!((answer.status, &answer.body["errors"]), (422, &json!({ "dsn": [text] })), "{email}");
        assert_eq!(browser.get(&page(dsn)).await.status, 404, "{email}: it stays in stock");
    }
}

#[tokio::test]
async fn lookup_returns_only_the_fields_of_the_form() {
    let world = start().await;
    let rows = [(STOCK, true, false), (SOUTH, true, true), (NORTH, true, true), ("SC-NONE", false, false)];
    for email in [ADMIN, NORTH_ADMIN, NORTH_TECH] {
        let mut browser = world.signed_in(email).await;
        for (dsn, exists, registered) in rows {
            let answer = browser.get(&base(dsn)).await;
            let expected = json!({ "dsn": dsn, "exists": exists, "registered": registered });
            assert_eq!((answer.status, answer.body), (200, expected), "{email}");
        }
    }
    for email in [OBSERVER, NORTH_OBSERVER, NO_ROLE, END_USER] {
        assert_eq!(world.signed_in(email).await.get(&base(STOCK)).await.status, 403, "{email}");
    }
}

#[tokio::test]
async fn failed_lookup_keeps_the_session() {
    let world = start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    world.cloud.faults().push(Fault::UnprocessableEntity);
    assert_eq!(browser.get(&base(STOCK)).await.status, 502);
    assert_eq!(browser.get(&base(STOCK)).await.status, 200);
}

#[tokio::test]
async fn device_whose_template_requires_a_setup_code_is_added_with_it() {
    let world = start().await;
    let (operator, code) = (world.cloud.operator(), SetupCode::random(&Random::seeded(1)));
    operator.set_setup_code(&world.oem, STOCK, &code).await.unwrap();
    for template in operator.templates(&world.oem).await.unwrap() {
        operator.require_setup_code(&world.oem, &template.name, true).await.unwrap();
    }
    let mut browser = world.signed_in(NORTH_TECH).await;
    let mut admin = world.signed_in(ADMIN).await;
    let (missing, wrong) =
        ("Enter the setup code that is printed on the device", "This is not the setup code of this device");
    for (sent, text) in [(json!(null), missing), (json!(" "), missing), (json!("0000-0000-0000"), wrong)] {
        let answer = browser.post(DEVICES, &new(json!({ "setupCode": sent }))).await;
        assert_eq!((answer.status, &answer.body["errors"]), (422, &json!({ "setupCode": [text] })), "{sent}");
        assert!(is_in_stock(&world, &mut admin).await, "{sent}");
    }
    let answer = browser.post(DEVICES, &new(json!({ "setupCode": code.expose().to_lowercase() }))).await;
    assert_eq!((answer.status, &answer.body["csp"]), (201, &json!("North")), "{}", answer.body);
}

async fn is_in_stock(world: &World, admin: &mut Browser) -> bool {
    let lookup = admin.get(&base(STOCK)).await.body;
    let visible = admin.get(&page(STOCK)).await.status != 404;
    assert!(pending(world, STOCK).await.is_empty());
    lookup["exists"] == true && lookup["registered"] == false && !visible
}

#[tokio::test]
async fn add_failed_at_any_step_is_undone_and_can_be_repeated() {
    let world = start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let mut admin = world.signed_in(ADMIN).await;
    let form = new(json!({ "latitude": 59.9, "longitude": 10.7, "storeNumber": "7" }));
    // Three labels, for the roles; then seven stored texts after the location.
    let steps = [
        ["CSP"; 3].as_slice(),
        &["Service area", "Time zone", "Address", "Location", "Serial number", "System configuration", "Fragrance"],
        &["Time zone", "Customer ID", "Store number", "Customer"],
    ]
    .concat();
    for (step, label) in steps.into_iter().enumerate() {
        // Lets the lookup and the preceding steps through.
        (0..=step).for_each(|_| world.cloud.faults().push(PASS));
        world.cloud.faults().push(Fault::UnprocessableEntity);
        let answer = browser.post(DEVICES, &form).await;
        assert_eq!((answer.status, answer.code()), (502, "cloud_failed"), "step {step}: {}", answer.body);
        let detail = answer.body["detail"].as_str().unwrap();
        let expected = format!("The device was not added. {label} was not saved: ");
        assert!(detail.starts_with(&expected) && detail.contains("An injected fault"), "step {step}: {detail}");
        assert!(is_in_stock(&world, &mut admin).await, "step {step}");
    }
    // Also if a limit is reached after the CSP was assigned.
    (0..10).for_each(|_| world.cloud.faults().push(PASS));
    world.cloud.faults().push(Fault::TooManyRequests);
    let answer = browser.post(DEVICES, &form).await;
    assert_eq!((answer.status, answer.code()), (429, "too_many_requests"), "{}", answer.body);
    assert_eq!((answer.headers["retry-after"].to_str().unwrap(), answer.fields()), ("1", vec![]));
    let expected = "The device was not added, because a limit of the device cloud is reached. Try again in 1 second.";
    assert_eq!(answer.body["detail"], expected);
    assert!(is_in_stock(&world, &mut admin).await);
    let answer = browser.post(DEVICES, &form).await;
    assert_eq!((answer.status, &answer.body["storeNumber"]), (201, &json!("7")), "{}", answer.body);
}

#[tokio::test]
async fn interrupted_add_without_rollback_resumes() {
    let world = start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    // Requests: the lookup, three labels, the name. The rollback finds the device, but unregistering it is refused.
    for fault in [PASS, PASS, PASS, PASS, Fault::UnprocessableEntity, PASS, Fault::UnprocessableEntity] {
        world.cloud.faults().push(fault);
    }
    assert_eq!(browser.post(DEVICES, &new(json!({}))).await.status, 502);
    assert_eq!(world.cloud.faults().waiting(), 0);
    let answer = browser.post(DEVICES, &new(json!({}))).await;
    assert_eq!((answer.status, &answer.body["customer"]), (201, &json!("Hotel Aurora")), "{}", answer.body);
}

#[tokio::test]
async fn concurrent_adds_by_two_csps_give_the_device_to_one() {
    for round in 0..5 {
        let world = start().await;
        let (mut north, mut south) = (world.signed_in(NORTH_TECH).await, world.signed_in(SOUTH_ADMIN).await);
        let form = new(json!({}));
        let (one, other) = tokio::join!(north.post(DEVICES, &form), south.post(DEVICES, &form));
        let (winner, loser) = if one.status == 201 { (&one, &other) } else { (&other, &one) };
        assert_eq!((winner.status, loser.status), (201, 422), "round {round}: {} {}", one.body, other.body);
        let text = &loser.body["errors"]["dsn"];
        assert_eq!(text, &json!(["A device with this DSN has already been registered"]), "round {round}");
        let mut admin = world.signed_in(ADMIN).await;
        assert_eq!(admin.device(STOCK).await["csp"], winner.body["csp"], "round {round}");
    }
}
