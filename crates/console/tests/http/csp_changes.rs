//! Listing, adding, renaming and removing CSPs.

use cloud::operator::{NewDevice, NewUser};
use cloud::testing::Fault;
use diffuser::{PARTNER_LABEL_KEY, Role};
use platform::db::{Db, params};
use platform::testing::{TestDb, pause};
use reqwest::Method;
use serde_json::{Value, json};

use crate::attention::item_ids;
use crate::browser::{Answer, Browser};
use crate::world::*;
use crate::{authorisation, jobs};

const CSPS: &str = "/api/csps";
const NONE: &str = "/api/csps/00000000-0000-4000-8000-000000000000";

fn named(name: &str) -> Value {
    json!({ "name": name })
}

fn technician(csp: &str) -> NewUser {
    NewUser {
        email: "new@example.com".to_owned(),
        password: PASSWORD.into(),
        role: Some(Role::CspTech.name().to_owned()),
        label: Some(csp.to_owned()),
        ..NewUser::default()
    }
}

/// Adds a CSP and returns its path.
async fn add(admin: &mut Browser, name: &str) -> String {
    let answer = admin.post(CSPS, &named(name)).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    format!("{CSPS}/{}", answer.body["id"].as_str().unwrap())
}

/// The CSP of this name in the list.
async fn listed(admin: &mut Browser, name: &str) -> Value {
    let list = admin.get(&format!("{CSPS}?pageSize=50")).await.body;
    list["csps"].as_array().unwrap().iter().find(|csp| csp["name"] == name).cloned().unwrap_or_default()
}

async fn path_of(admin: &mut Browser, name: &str) -> String {
    format!("{CSPS}/{}", listed(admin, name).await["id"].as_str().unwrap())
}

async fn names(admin: &mut Browser, query: &str) -> Vec<String> {
    let answer = admin.get(&format!("{CSPS}?{query}")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let csps = answer.body["csps"].as_array().unwrap();
    csps.iter().map(|csp| csp["name"].as_str().unwrap().to_owned()).collect()
}

fn is_refused(answer: &Answer, status: u16, code: &str, text: &str) {
    assert_eq!((answer.status, answer.code()), (status, code), "{}", answer.body);
    let actual = if answer.fields().is_empty() { &answer.body["detail"] } else { &answer.body["errors"]["name"][0] };
    assert_eq!(actual, text);
}

fn is_in_use(answer: &Answer) {
    is_refused(answer, 409, "conflict", "Devices or people belong to this CSP.");
}

fn is_taken(answer: &Answer) {
    is_refused(answer, 409, "taken", "There is a CSP of this name");
}

#[tokio::test]
async fn csp_is_added_renamed_and_removed() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let answer = admin.post(CSPS, &named(" Acme \u{a0}")).await;
    let expected = json!({
        "id": answer.body["id"], "name": "Acme", "deviceCount": 0, "userCount": 0, "isFree": true, "can": { "edit": true },
    });
    assert_eq!((answer.status, &answer.body), (201, &expected));
    let path = path_of(&mut admin, "Acme").await;
    assert_eq!(admin.get(&path).await.body, expected, "trimmed, and there to stay");
    assert_eq!(listed(&mut admin, "Acme").await, expected);

    let answer = admin.put(&path, &named("  ACME & Söhne ")).await;
    assert_eq!((answer.status, &answer.body["name"]), (200, &json!("ACME & Söhne")), "{}", answer.body);
    assert_eq!(admin.get(&path).await.body, answer.body);
    let all = admin.get("/api/csps/all").await.body;
    assert_eq!(all[0], json!({ "id": expected["id"], "name": "ACME & Söhne" }), "the CSP is offered as a choice, too");

    assert_eq!(admin.delete(&path).await.status, 204);
    assert_eq!(admin.get(&path).await.status, 404);
    assert_eq!(names(&mut admin, "").await, ["North", "South"]);
}

#[tokio::test]
async fn devices_and_users_of_a_csp_are_counted() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    for name in ["Free", "People"] {
        add(&mut admin, name).await;
    }
    world.cloud.operator().ensure_user(&world.oem, &technician("People")).await.unwrap();
    world.console.resync().await;
    for (name, devices, people) in [("Free", 0, 0), ("North", 2, 4), ("People", 0, 1), ("South", 1, 2)] {
        let csp = listed(&mut admin, name).await;
        let expected = (json!(devices), json!(people), json!(devices + people == 0));
        assert_eq!((&csp["deviceCount"], &csp["userCount"], &csp["isFree"]), (&expected.0, &expected.1, &expected.2));
        let path = path_of(&mut admin, name).await;
        assert_eq!(admin.get(&path).await.body, csp, "page and list agree");
    }
}

/// Without the index of devices or of people there are no counts.
#[tokio::test]
async fn csp_without_counts_is_not_free() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let path = add(&mut admin, "Free").await;
    let database = Db::connect(&world.database).await.unwrap();
    for sql in
        ["update idx_sync set users_as_of = null", "update idx_sync set as_of = users_as_of, users_as_of = as_of"]
    {
        database.execute(sql, params![]).await.unwrap();
        let csp = admin.get(&path).await.body;
        assert_eq!(csp, listed(&mut admin, "Free").await);
        let unknown = (&Value::Null, &Value::Null, &json!(false));
        assert_eq!((&csp["deviceCount"], &csp["userCount"], &csp["isFree"]), unknown, "{sql}");
    }
    assert_eq!(admin.delete(&path).await.status, 204, "the usage is checked in the cloud, not in the index");
}

#[tokio::test]
async fn csp_in_use_is_neither_renamed_nor_removed() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let path = path_of(&mut admin, "North").await;
    let before = admin.get(&path).await.body;
    for name in ["West", "NORTH", "North"] {
        is_in_use(&admin.put(&path, &named(name)).await);
    }
    is_in_use(&admin.delete(&path).await);
    assert_eq!(admin.get(&path).await.body, before);
}

/// The index shows the usage only after the next pass.
#[tokio::test]
async fn csp_usage_is_checked_in_the_cloud_before_a_change() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let one_label = (Role::CspTech.name().to_owned(), PARTNER_LABEL_KEY.to_owned(), "Half".to_owned());
    let device = NewDevice { labels: vec![one_label], ..device("SC-H1", None, "AQ380") };
    let mut paths = Vec::new();
    for name in ["Whole", "Half", "People", "Free"] {
        paths.push(add(&mut admin, name).await);
    }
    let free = paths.pop().unwrap();
    world.add_device("SC-W1", "Whole").await;
    world.cloud.operator().add_devices(&world.oem, &[device]).await.unwrap();
    world.cloud.operator().ensure_user(&world.oem, &technician("People")).await.unwrap();
    for path in &paths {
        assert_eq!(admin.get(path).await.body["isFree"], true, "as far as the index knows");
        is_in_use(&admin.put(path, &named("Other")).await);
        is_in_use(&admin.delete(path).await);
    }
    assert_eq!(names(&mut admin, "").await, ["Free", "Half", "North", "People", "South", "Whole"]);
    assert_eq!(admin.delete(&free).await.status, 204);
}

#[tokio::test]
async fn csp_is_unchanged_if_its_usage_cannot_be_checked() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let path = add(&mut admin, "Free").await;
    // One of several requests fails; the answers to the others are not enough.
    for method in [Method::PUT, Method::DELETE] {
        world.cloud.faults().push(Fault::UnprocessableEntity);
        let request = admin.request(method, &path).json(&named("Other"));
        assert_eq!(admin.send(request).await.status, 502);
    }
    assert_eq!(admin.get(&path).await.body["name"], "Free");
}

#[tokio::test]
async fn csp_name_taken_in_any_case_is_refused() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let path = add(&mut admin, "Łódź").await;
    for name in ["Łódź", " ŁÓDŹ ", "north", "NORTH"] {
        is_taken(&admin.post(CSPS, &named(name)).await);
    }
    is_taken(&admin.put(&path, &named("SOUTH")).await);
    assert_eq!(admin.put(&path, &named("łódź")).await.status, 200, "its own in another case");
    assert_eq!(names(&mut admin, "").await, ["łódź", "North", "South"]);
}

#[tokio::test]
async fn concurrent_use_of_a_csp_name_gives_one_conflict() {
    let world = World::start().await;
    let admin = world.signed_in(ADMIN).await;
    let asking: Vec<_> = (0..8)
        .map(|n| {
            let mut browser = admin.clone();
            let name = if n % 2 == 0 { "West" } else { "WEST" };
            tokio::spawn(async move { browser.post(CSPS, &named(name)).await })
        })
        .collect();
    let mut added = 0;
    for asked in asking {
        let answer = asked.await.unwrap();
        if answer.status == 201 { added += 1 } else { is_taken(&answer) }
    }
    assert_eq!(added, 1);
}

#[tokio::test]
async fn invalid_name_is_refused() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let path = add(&mut admin, "Free").await;
    let before = admin.get(CSPS).await.body;
    let invalid = [
        (r#"{"name": null}"#.to_owned(), "Required"),
        (r#"{"name": " \t\u00a0\n "}"#.to_owned(), "Required"),
        (r#"{"name": 7}"#.to_owned(), "has no such value"),
        (r#"{"name": ["A"]}"#.to_owned(), "has no such value"),
        (r#"{"name": "A", "name": "B"}"#.to_owned(), "must be given once"),
        (r#"{"name": "A\u0000"}"#.to_owned(), "Must be one line of text"),
        (r#"{"name": "A\nB"}"#.to_owned(), "Must be one line of text"),
        (r#"{"name": "A\u009bB"}"#.to_owned(), "Must be one line of text"),
        (r#"{"name": "A\u2028B"}"#.to_owned(), "Must be one line of text"),
        (r#"{"name": " AB\u202eC"}"#.to_owned(), "Character 3 is invisible (U+202E): delete it"),
        (named(&"ä".repeat(256)).to_string(), "Must be at most 255 characters"),
    ];
    for (method, path) in [(Method::POST, CSPS), (Method::PUT, &path)] {
        let send = async |admin: &mut Browser, body: String| {
            let request = admin.request(method.clone(), path).header("content-type", "application/json").body(body);
            admin.send(request).await
        };
        for (body, text) in &invalid {
            is_refused(&send(&mut admin, body.clone()).await, 422, "invalid", text);
        }
        for body in ["", "{", "[]", r#""A""#, r#"{"name": "A"} x"#] {
            assert_eq!(send(&mut admin, body.to_owned()).await.status, 400, "{body}");
        }
        assert_eq!(send(&mut admin, named(&"x".repeat(1 << 20)).to_string()).await.status, 413);
        let no_json = admin.request(method.clone(), path).header("content-type", "text/plain").body(r#"{"name": "A"}"#);
        assert_eq!(admin.send(no_json).await.status, 415);
    }
    assert_eq!(admin.post(CSPS, &json!({})).await.status, 422, "a new one needs a name");
    let unchanged = admin.put(&path, &json!({})).await;
    assert_eq!((unchanged.status, &unchanged.body["name"]), (200, &json!("Free")), "one that is there keeps it");
    assert_eq!(admin.get(CSPS).await.body, before);
}

#[tokio::test]
async fn unusual_csp_name_is_the_same_everywhere() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let longest = "ß".repeat(255);
    let unusual = [
        "<b>Bold</b>",
        "=1+1",
        "A & B",
        "100%_\\",
        "'; DROP TABLE csps",
        "\u{1f469}\u{200d}\u{1f466}",
        "東京",
        &longest,
    ];
    for (number, name) in unusual.into_iter().enumerate() {
        let path = add(&mut admin, name).await;
        assert_eq!(admin.get(&path).await.body["name"], name);
        world.add_device(&format!("SC-T{number}"), name).await;
        is_in_use(&admin.delete(&path).await);
    }
    world.console.resync().await;
    for name in unusual {
        assert_eq!(listed(&mut admin, name).await["deviceCount"], 1, "{name}");
    }
    assert_eq!(names(&mut admin, "").await.len(), unusual.len() + 2, "each once");
}

#[tokio::test]
async fn labels_that_differ_only_in_case_are_separate_csps() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    world.add_device("SC-N3", "NORTH").await;
    world.console.resync().await;
    let list = admin.get(CSPS).await.body;
    let actual: Vec<_> = list["csps"].as_array().unwrap().iter().map(|it| (&it["name"], &it["deviceCount"])).collect();
    assert_eq!(actual, [(&json!("NORTH"), &json!(1)), (&json!("North"), &json!(2)), (&json!("South"), &json!(1))]);
}

/// A device that gets the label while its CSP is being removed has no CSP until the next pass.
#[tokio::test]
async fn pass_restores_a_removed_csp_that_is_in_use() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let path = add(&mut admin, "East").await;
    assert_eq!(admin.delete(&path).await.status, 204);
    world.add_device("SC-E1", "East").await;
    world.console.resync().await;
    assert_eq!(listed(&mut admin, "East").await["deviceCount"], 1);
}

#[tokio::test]
async fn device_can_be_assigned_to_a_new_csp() {
    let world = World::start().await;
    world.console.add_missing_fragrances(&[authorisation::fragrance()]).await.unwrap();
    let mut admin = world.signed_in(ADMIN).await;
    let path = add(&mut admin, "A & B").await;
    let answer = admin.post("/api/devices", &authorisation::form(STOCK, "A & B", "Lobby")).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let csp = admin.get(&path).await.body;
    assert_eq!((&csp["deviceCount"], &csp["isFree"]), (&json!(1), &json!(false)), "the index knows at once");
    let answer = admin.get("/api/devices?csp=A%20%26%20B").await.body;
    assert_eq!((&answer["total"], &answer["devices"][0]["dsn"]), (&json!(1), &json!(STOCK)));
}

#[tokio::test]
async fn list_is_paged_sorted_and_filtered_by_the_query() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    for name in ["alpha", "Beta", "Ärmel", "beta 2", "Gamma & Söhne"] {
        add(&mut admin, name).await;
    }
    let sorted = ["alpha", "Ärmel", "Beta", "beta 2", "Gamma & Söhne", "North", "South"];
    for query in ["", "order=asc&orderBy=name", "order=&orderBy=", "page=9"] {
        assert_eq!(names(&mut admin, query).await, sorted, "{query}");
    }
    let last = admin.get(&format!("{CSPS}?order=desc&pageSize=5&page=2")).await.body;
    assert_eq!((&last["total"], &last["currentPageNumber"]), (&json!(7), &json!(2)));
    assert_eq!(names(&mut admin, "order=desc&pageSize=5&page=2").await, ["Ärmel", "alpha"]);
    assert_eq!(names(&mut admin, "name=BE").await, ["Beta", "beta 2"]);
    assert_eq!(names(&mut admin, "name=%26%20s%C3%B6").await, ["Gamma & Söhne"]);

    let refused = admin.get(&format!("{CSPS}?page=0&pageSize=7&order=up&orderBy=id&name=a&name=b")).await;
    assert_eq!((refused.status, refused.fields()), (422, vec!["name", "order", "orderBy", "page", "pageSize"]));
}

#[tokio::test]
async fn only_users_of_the_manufacturer_see_the_list_and_only_its_administrator_edits_it() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let path = add(&mut admin, "Free").await;
    let before = admin.get(CSPS).await.body;
    for email in [OBSERVER, NORTH_ADMIN, NORTH_OBSERVER, NORTH_TECH, NO_ROLE, END_USER] {
        let mut browser = world.signed_in(email).await;
        let list = browser.get(CSPS).await;
        if email == OBSERVER {
            let seen = list.body["csps"].as_array().unwrap();
            let may: Vec<_> = seen.iter().map(|csp| (&csp["name"], &csp["can"]["edit"])).collect();
            let no = json!(false);
            assert_eq!(may, [(&json!("Free"), &no), (&json!("North"), &no), (&json!("South"), &no)]);
        } else {
            assert_eq!((list.status, list.code()), (403, "forbidden"), "{email}");
        }
        for path in [&*path, NONE] {
            let answers = [
                browser.get(path).await,
                browser.put(path, &named("Other")).await,
                browser.delete(path).await,
                browser.post(CSPS, &named("Other")).await,
            ];
            for answer in answers {
                assert_eq!((answer.status, answer.code()), (403, "forbidden"), "{email} {path}");
            }
        }
    }
    assert_eq!(world.browser().get(CSPS).await.status, 401);
    assert_eq!(world.browser().delete(&path).await.status, 401);
    assert_eq!(admin.get(CSPS).await.body, before);
}

#[tokio::test]
async fn missing_csp_is_not_found() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    for path in [NONE, "/api/csps/7", "/api/csps/North", "/api/csps/%00", "/api/csps/ALL"] {
        let answers = [
            admin.get(path).await,
            admin.put(path, &named("Other")).await,
            admin.put(path, &named("")).await,
            admin.delete(path).await,
        ];
        for answer in answers {
            assert_eq!((answer.status, answer.code()), (404, "not_found"), "{path}");
        }
    }
}

#[tokio::test]
async fn csp_changes_are_audited_for_actors_who_see_every_csp() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let path = add(&mut admin, "Acme").await;
    assert_eq!(admin.put(&path, &named("Apex")).await.status, 200);
    assert_eq!(admin.put(&path, &named("Apex")).await.status, 200, "changes nothing");
    is_taken(&admin.put(&path, &named("North")).await);
    is_in_use(&{
        let north = path_of(&mut admin, "North").await;
        admin.delete(&north).await
    });
    assert_eq!(admin.delete(&path).await.status, 204);
    let id = path.strip_prefix("/api/csps/").unwrap();
    let entries = world.signed_in(OBSERVER).await.get(&format!("/api/audit?target={id}")).await.body;
    let actual: Vec<_> = entries["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| json!([it["operation"], it["result"], it["target"]["kind"], it["changes"]]))
        .collect();
    let name =
        |before: Value, after: Value| json!([{ "field": "name", "before": before, "after": after, "saved": true }]);
    let expected = [
        json!(["delete_csp", "done", "csp", name(json!("Apex"), Value::Null)]),
        json!(["update_csp", "done", "csp", name(json!("Acme"), json!("Apex"))]),
        json!(["create_csp", "done", "csp", name(Value::Null, json!("Acme"))]),
    ];
    assert_eq!(actual, expected);
    let seen = world.signed_in(NORTH_ADMIN).await.get(&format!("/api/audit?target={id}")).await.body;
    assert_eq!(seen["entries"], json!([]));
}

const BOSS: &str = "boss.east@example.com";
const NEWCOMER: &str = "newcomer@example.com";

fn administrator(email: &str, csp: &str) -> NewUser {
    let role = Some(Role::CspAdmin.name().to_owned());
    NewUser { email: email.to_owned(), role, confirmed: true, ..technician(csp) }
}

/// What a person sees of the past of their CSP: the use of yesterday, changes, those by one author, closed items and their comments.
async fn past(world: &World, email: &str, item: &str) -> Value {
    let mut browser = world.signed_in(email).await;
    let history = browser.get("/api/fleet/history").await.body;
    let mut of_audit = async |query: &str| {
        let entries = browser.get(&format!("/api/audit?operation=update_device_settings{query}")).await;
        assert_eq!(entries.status, 200, "{}", entries.body);
        let entries = entries.body["entries"].as_array().unwrap().clone();
        entries.into_iter().map(|entry| entry["id"].clone()).collect::<Vec<_>>()
    };
    let (changes, of_author) = (of_audit("").await, of_audit(&format!("&actor={BOSS}")).await);
    json!({
        "used": history["days"][26]["usedMl"],
        "changes": changes,
        "ofAuthor": of_author,
        "items": item_ids(&mut browser, "state=closed").await,
        "comments": browser.get(&format!("/api/attention/{item}/comments")).await.status,
    })
}

async fn assign_person(admin: &mut Browser, world: &World, email: &str, csp: &str) {
    let user = format!("/api/users/{}", world.user_id(email).await);
    let answer = admin.put(&user, &json!({ "role": Role::CspAdmin.name(), "csp": csp })).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
}

async fn past_of_a_csp_follows_it_and_not_its_name(database: TestDb) {
    let world = World::start_on(&database).await;
    let mut admin = world.signed_in(ADMIN).await;
    let east = add(&mut admin, "East").await;
    world.add_device("SC-E1", "East").await;
    world.cloud.operator().ensure_user(&world.oem, &administrator(BOSS, "East")).await.unwrap();
    world.console.resync().await;
    let mut boss = world.signed_in(BOSS).await;
    assert_eq!(boss.put("/api/devices/dsns/SC-E1/settings", &json!({ "fan": 4 })).await.status, 200);
    let device = world.cloud.device("SC-E1").await;
    device.connect().await;
    device.report(&[("fragrance_remaining", json!(0))]).await;
    let item = loop {
        match item_ids(&mut boss, "kind=empty").await.pop() {
            Some(item) => break item,
            None => pause().await,
        }
    };
    let day = world.clock.now().as_second().div_euclid(86_400) * 86_400 - 86_400;
    let sql = "insert into fleet_days (dimension, value, csp, day, devices, refills, used_ml, used_devices) \
               values ('all', '', 'East', $1, 1, 0, 30.0, 1)";
    database.execute(sql, params![jiff::Timestamp::from_second(day).unwrap()]).await.unwrap();

    // All leave the CSP, which closes the item, so that it can be renamed.
    jobs::assign(&mut admin, &["SC-E1"], "North").await;
    world.console.resync().await;
    while item_ids(&mut boss, "state=closed").await.is_empty() {
        pause().await;
    }
    let of_east = past(&world, BOSS, &item).await;
    let entries = of_east["changes"].as_array().unwrap();
    assert_eq!(entries.len(), 1);
    let expected = json!({ "used": 30.0, "changes": entries, "ofAuthor": entries, "items": [item], "comments": 200 });
    assert_eq!(of_east, expected);
    assign_person(&mut admin, &world, BOSS, "North").await;
    let renamed = admin.put(&east, &named("Far East")).await;
    assert_eq!(renamed.status, 200, "{}", renamed.body);

    let nothing = json!({ "used": null, "changes": [], "ofAuthor": [], "items": [], "comments": 404 });
    add(&mut admin, "East").await;
    world.cloud.operator().ensure_user(&world.oem, &administrator(NEWCOMER, "East")).await.unwrap();
    world.console.resync().await;
    assert_eq!(past(&world, NEWCOMER, &item).await, nothing, "a CSP of the former name");
    assign_person(&mut admin, &world, BOSS, "Far East").await;
    assert_eq!(past(&world, BOSS, &item).await, of_east, "the renamed CSP");

    assign_person(&mut admin, &world, BOSS, "North").await;
    assert_eq!(admin.delete(&east).await.status, 204);
    add(&mut admin, "Far East").await;
    assign_person(&mut admin, &world, NEWCOMER, "Far East").await;
    assert_eq!(past(&world, NEWCOMER, &item).await, nothing, "a CSP of the name of a removed one");
}

on_both_databases!(past_of_a_csp_follows_it_and_not_its_name);
