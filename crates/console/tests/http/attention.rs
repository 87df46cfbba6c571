//! Items of attention: lists, counts, what people do with them, thresholds, and the way from a device to the closed item.

use platform::db::{Db, params};
use platform::testing::{TestDb, pause};
use serde_json::{Value, json};

use crate::browser::{Answer, Browser, Stream};
use crate::jobs;
use crate::world::*;

/// Items that the evaluation leaves alone: nothing is known about the causes of their kinds. The newest are first.
const NORTH_DRY: &str = "019aa000-0000-7000-8000-000000000001";
const NORTH_CLOG: &str = "019aa000-0000-7000-8000-000000000002";
const SOUTH_CLOG: &str = "019aa000-0000-7000-8000-000000000003";
const NORTH_OTHER: &str = "019aa000-0000-7000-8000-000000000004";
const UNKNOWN: &str = "019aa000-0000-7000-8000-00000000000f";

/// Adds open items of high severity for these devices.
pub(crate) async fn open_items(database: &str, items: &[(&str, &str)]) {
    let db = Db::connect(database).await.unwrap();
    for (id, dsn) in items {
        insert(&db, id, dsn, "no_use", 3).await;
    }
    db.close().await;
}

async fn insert(db: &Db, id: &str, dsn: &str, kind: &str, severity: i64) {
    db.execute(
        "insert into attention_items (id, kind, severity, dsn, csp, since, opened_at, occurrences, cause, evidence) \
         values ($1, $2, $3, $4, coalesce((select csp from idx_device_state where dsn = $4), ''), 1, 2, 1, 'clogged', '{\"usedHours\":0.5}')",
        params![id, kind, severity, dsn],
    )
    .await
    .unwrap();
}

async fn start(test: &TestDb) -> World {
    let world = World::start_on(test).await;
    insert(test, NORTH_DRY, NORTH, "runs_dry", 2).await;
    insert(test, NORTH_CLOG, NORTH, "no_use", 3).await;
    insert(test, SOUTH_CLOG, SOUTH, "no_use", 3).await;
    insert(test, NORTH_OTHER, NORTH_AQ290, "excess_use", 1).await;
    world
}

/// The ids of the items that the list has for these parameters.
pub(crate) async fn item_ids(browser: &mut Browser, query: &str) -> Vec<String> {
    let answer = browser.get(&format!("/api/attention?{query}")).await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.body);
    let items = answer.body["items"].as_array().unwrap();
    items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

async fn items_of_a_csp_with_many_devices_are_listed_within_the_scope(test: TestDb) {
    let world = start(&test).await;
    let many = "insert into idx_device_state \
                (dsn, csp, system_configuration, connection_status, connected_at, pending, synced_at) \
                with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 2001) \
                select 'MANY-' || n, 'North', 'AQ380', 'Online', 0, 0, 0 from numbers";
    test.execute(many, params![]).await.unwrap();
    let mut tech = world.signed_in(NORTH_TECH).await;
    assert_eq!(item_ids(&mut tech, "").await, [NORTH_CLOG, NORTH_DRY, NORTH_OTHER]);
    assert_eq!(item_ids(&mut tech, "kind=no_use&search=aurora").await, [NORTH_CLOG]);
    assert_eq!(item_ids(&mut tech, &format!("dsn={SOUTH}")).await, [""; 0]);
    assert_eq!(
        tech.get("/api/attention/count").await.body,
        json!({ "new": 3, "high": 1, "assigned": 0, "snoozed": 0 })
    );
    assert_eq!(update(&mut tech, &[SOUTH_CLOG], json!({ "acknowledged": true })).await.status, 404);
    assert_eq!(update(&mut tech, &[NORTH_CLOG], json!({ "acknowledged": true })).await.status, 200);
    assert_eq!(
        tech.get("/api/attention/count").await.body,
        json!({ "new": 2, "high": 0, "assigned": 0, "snoozed": 0 })
    );
}

async fn update(browser: &mut Browser, ids: &[&str], changes: Value) -> Answer {
    let mut body = changes;
    body["ids"] = json!(ids);
    browser.post("/api/attention/update", &body).await
}

async fn items_are_listed_by_severity_within_the_scope(test: TestDb) {
    let world = start(&test).await;
    let all = [SOUTH_CLOG, NORTH_CLOG, NORTH_DRY, NORTH_OTHER];
    let north = [NORTH_CLOG, NORTH_DRY, NORTH_OTHER];
    let rows: [(&str, &[&str]); 6] = [
        (ADMIN, &all),
        (OBSERVER, &all),
        (NORTH_ADMIN, &north),
        (NORTH_OBSERVER, &north),
        (NORTH_TECH, &north),
        (SOUTH_ADMIN, &[SOUTH_CLOG]),
    ];
    for (email, expected) in rows {
        let mut browser = world.signed_in(email).await;
        assert_eq!(item_ids(&mut browser, "").await, expected, "{email}");
        let high = expected.iter().filter(|id| id.ends_with("02") || id.ends_with("03")).count();
        let count = browser.get("/api/attention/count").await.body;
        assert_eq!(count, json!({ "new": expected.len(), "high": high, "assigned": 0, "snoozed": 0 }), "{email}");
    }
    let mut tech = world.signed_in(NORTH_TECH).await;
    // Their own CSP, whichever one they name.
    assert_eq!(item_ids(&mut tech, "csp=South").await, north);
    assert_eq!(item_ids(&mut tech, &format!("dsn={SOUTH}")).await, [""; 0]);
    let mut admin = world.signed_in(ADMIN).await;
    let filters: [(&str, &[&str]); 11] = [
        ("csp=South", &[SOUTH_CLOG]),
        ("kind=no_use", &[SOUTH_CLOG, NORTH_CLOG]),
        ("severity=low", &[NORTH_OTHER]),
        ("search=aurora", &all),
        ("search=sc-s", &[SOUTH_CLOG]),
        ("search=hotel+scs1", &[SOUTH_CLOG]),
        ("search=%25", &[]),
        ("assignee=me", &[]),
        ("assignee=nobody", &all),
        ("state=closed", &[]),
        ("state=new&kind=runs_dry", &[NORTH_DRY]),
    ];
    for (query, expected) in filters {
        assert_eq!(item_ids(&mut admin, query).await, expected, "{query}");
    }
    let item = &admin.get("/api/attention?kind=runs_dry").await.body["items"][0];
    assert_eq!(
        (&item["dsn"], &item["csp"], &item["customer"]),
        (&json!(NORTH), &json!("North"), &json!("Hotel Aurora"))
    );
    assert_eq!((&item["severity"], &item["cause"]), (&json!("medium"), &json!("clogged")));
    assert_eq!((&item["evidence"], &item["can"]), (&json!({ "usedHours": 0.5 }), &json!({ "edit": true })));
}

async fn pages_follow_each_other_without_gaps(test: TestDb) {
    let world = start(&test).await;
    let mut admin = world.signed_in(ADMIN).await;
    let (mut found, mut after) = (Vec::new(), String::new());
    loop {
        let page = admin.get(&format!("/api/attention?limit=1&after={after}")).await.body;
        found.extend(page["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()));
        match page["next"].as_str() {
            Some(next) => after = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(found, [SOUTH_CLOG, NORTH_CLOG, NORTH_DRY, NORTH_OTHER]);
}

#[expect(clippy::too_many_lines, reason = "one story")]
async fn items_are_acknowledged_assigned_snoozed_and_commented_in_bulk(test: TestDb) {
    let world = start(&test).await;
    let (mut tech, mut admin) = (world.signed_in(NORTH_TECH).await, world.signed_in(NORTH_ADMIN).await);
    let mut stream = admin.follow(&[]).await;
    let me = world.user_id(NORTH_TECH).await;
    let both = [NORTH_CLOG, NORTH_DRY];
    let changes = json!({ "acknowledged": true, "assignee": me, "comment": " On my way.\nBringing a nozzle. " });
    let answer = update(&mut tech, &both, changes.clone()).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    for item in answer.body["items"].as_array().unwrap() {
        let person = json!({ "id": me, "name": "Tess Tester" });
        assert_eq!((&item["acknowledgedBy"], &item["assignee"]), (&person, &person));
        assert_eq!((&item["acknowledgedAt"], &item["comments"]), (&json!("2026-11-20T10:00:00Z"), &json!(1)));
    }
    assert_eq!(stream.next().await, Some(("attention".to_owned(), json!({}))), "others see it live");
    assert_eq!(
        admin.get("/api/attention/count").await.body,
        json!({ "new": 1, "high": 0, "assigned": 0, "snoozed": 0 })
    );
    assert_eq!(item_ids(&mut admin, "state=acknowledged").await, both);
    assert_eq!(item_ids(&mut admin, "state=new").await, [NORTH_OTHER]);
    assert_eq!(item_ids(&mut tech, "assignee=me").await, both);
    assert_eq!(item_ids(&mut admin, &format!("assignee={me}")).await, both);

    // The audit has each item at its device.
    let entries = admin.get("/api/audit?operation=update_attention").await.body["entries"].clone();
    assert_eq!(entries.as_array().unwrap().len(), 2);
    let entry = &entries[0];
    assert_eq!(entry["target"], json!({ "kind": "device", "id": NORTH, "csp": "North" }));
    assert_eq!((&entry["actor"]["email"], &entry["result"]), (&json!(NORTH_TECH), &json!("done")));
    let fields: Vec<&str> =
        entry["changes"].as_array().unwrap().iter().map(|it| it["field"].as_str().unwrap()).collect();
    assert!(
        ["no_use", "runs_dry"].iter().any(|kind| {
            fields == [format!("{kind}.acknowledged"), format!("{kind}.assignee"), format!("{kind}.comment")]
        }),
        "{fields:?}"
    );

    // Repeating it changes nothing but adds the comment.
    world.pass_seconds(1);
    let answer = update(&mut admin, &[NORTH_DRY], changes).await;
    assert_eq!(answer.body["items"][0]["acknowledgedBy"]["id"], json!(me), "the first to acknowledge it stays");
    let comments = admin.get(&format!("/api/attention/{NORTH_DRY}/comments")).await.body;
    let texts: Vec<&str> = comments.as_array().unwrap().iter().map(|it| it["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["On my way.\nBringing a nozzle."; 2]);
    assert_eq!(comments[0]["author"], json!({ "id": me, "name": "Tess Tester" }));

    let until = "2026-11-21T10:00:00Z";
    let fresh = [NORTH_DRY, NORTH_OTHER];
    let mut witness = admin.clone();
    let answer = bulk(&mut admin, &tech, &mut witness, &fresh, json!({ "snoozedUntil": until })).await;
    assert!(answer.iter().all(|item| item["snoozedUntil"] == until), "{answer:?}");
    assert_eq!(item_ids(&mut tech, "state=snoozed").await, fresh);
    assert_eq!(item_ids(&mut tech, "").await, [NORTH_CLOG]);
    assert_eq!(
        admin.get("/api/attention/count").await.body,
        json!({ "new": 0, "high": 0, "assigned": 0, "snoozed": 0 })
    );
    // Each of the other actions alone, too.
    for (acknowledged, by) in [(false, Value::Null), (true, json!(me))] {
        let changes = json!({ "acknowledged": acknowledged });
        let answer = bulk(&mut tech, &admin, &mut witness, &both, changes).await;
        assert!(
            answer.iter().all(|item| item["acknowledgedBy"].get("id").unwrap_or(&Value::Null) == &by),
            "{answer:?}"
        );
    }
    let answer =
        bulk(&mut tech, &admin, &mut witness, &fresh, json!({ "assignee": world.user_id(NORTH_ADMIN).await })).await;
    assert!(answer.iter().all(|item| item["assignee"]["id"] != me && item["assignee"]["id"].is_string()), "{answer:?}");
    let answer = bulk(&mut tech, &admin, &mut witness, &fresh, json!({ "comment": "Tomorrow." })).await;
    let mut comments: Vec<Option<i64>> = answer.iter().map(|item| item["comments"].as_i64()).collect();
    comments.sort_unstable();
    assert_eq!(comments, [Some(1), Some(3)], "one more for each");
    let taken_back = json!({ "acknowledged": false, "assignee": null, "snoozedUntil": null });
    let answer = update(&mut tech, &[NORTH_OTHER, NORTH_CLOG], taken_back).await;
    for item in answer.body["items"].as_array().unwrap() {
        for member in ["acknowledgedAt", "acknowledgedBy", "assignee", "snoozedUntil"] {
            assert_eq!(item[member], Value::Null, "{member}");
        }
    }
    update(&mut admin, &[NORTH_OTHER], json!({ "snoozedUntil": until })).await;
    world.pass_seconds(24 * 3600);
    let mut later = world.signed_in(NORTH_ADMIN).await;
    assert_eq!(item_ids(&mut later, "state=snoozed").await, [""; 0], "the snooze has ended");
}

/// One person does one thing with two items: the other sees it live, and the audit has it for each.
async fn bulk(
    one: &mut Browser,
    other: &Browser,
    witness: &mut Browser,
    ids: &[&str; 2],
    changes: Value,
) -> Vec<Value> {
    let mut stream = other.follow(&[]).await;
    let answer = update(one, ids, changes.clone()).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(stream.next().await, Some(("attention".to_owned(), json!({}))));
    let items = answer.body["items"].as_array().unwrap().clone();
    let (field, wanted) = changes.as_object().unwrap().iter().next().unwrap();
    let audited = witness.get("/api/audit?operation=update_attention&limit=2").await.body["entries"].clone();
    let author = one.get("/api/account").await.body["email"].clone();
    for item in &items {
        let field = format!("{}.{field}", item["kind"].as_str().unwrap());
        let of_item = |entry: &&Value| entry["target"]["id"] == item["dsn"] && entry["changes"][0]["field"] == field;
        let entry = audited.as_array().unwrap().iter().find(of_item).unwrap_or_else(|| panic!("{field}: {audited}"));
        let change = entry["changes"].as_array().unwrap();
        // A person is named there.
        let wanted = if changes["assignee"].is_null() { wanted } else { &item["assignee"]["name"] };
        assert_eq!((change.len(), &change[0]["after"]), (1, wanted), "{entry}");
        assert_eq!((&entry["actor"]["email"], &entry["result"]), (&author, &json!("done")));
    }
    items
}

async fn item_has_at_most_a_hundred_comments(test: TestDb) {
    let world = start(&test).await;
    for number in 0..100_u8 {
        let id = format!("019aa000-0000-7000-8000-0000000001{number:02x}");
        let sql = "insert into attention_comments (id, item_id, user_id, text) values ($1, $2, $1, 'Again.')";
        test.execute(sql, params![id, NORTH_DRY]).await.unwrap();
    }
    let mut tech = world.signed_in(NORTH_TECH).await;
    let refused = update(&mut tech, &[NORTH_CLOG, NORTH_DRY], json!({ "comment": "One more." })).await;
    assert_eq!((refused.status, refused.fields()), (422, vec!["comment"]));
    assert_eq!(tech.get(&format!("/api/attention/{NORTH_CLOG}/comments")).await.body, json!([]), "all or none");
    assert_eq!(update(&mut tech, &[NORTH_CLOG], json!({ "comment": "The first." })).await.status, 200);
    assert_eq!(update(&mut tech, &[NORTH_DRY], json!({ "acknowledged": true })).await.status, 200);
}

async fn names_of_other_organizations_are_hidden(test: TestDb) {
    let world = start(&test).await;
    let mut admin = world.signed_in(ADMIN).await;
    let answer = update(&mut admin, &[NORTH_DRY], json!({ "acknowledged": true, "comment": "Please look." })).await;
    assert_eq!(answer.status, 200);
    let mut tech = world.signed_in(NORTH_TECH).await;
    let hidden = json!({ "id": null, "name": null });
    let item = tech.get("/api/attention?kind=runs_dry").await.body["items"][0].clone();
    assert_eq!(item["acknowledgedBy"], hidden);
    let comments = tech.get(&format!("/api/attention/{NORTH_DRY}/comments")).await.body;
    assert_eq!((&comments[0]["author"], &comments[0]["text"]), (&hidden, &json!("Please look.")));
}

async fn items_outside_the_scope_do_not_exist_and_nothing_is_changed(test: TestDb) {
    let world = start(&test).await;
    let rows = [
        (NORTH_TECH, 404),
        (NORTH_OBSERVER, 404),
        (NORTH_ADMIN, 404),
        (OBSERVER, 403),
        (NO_ROLE, 404),
        (END_USER, 404),
    ];
    for (email, expected) in rows {
        let mut browser = world.signed_in(email).await;
        let answer = update(&mut browser, &[NORTH_DRY, SOUTH_CLOG], json!({ "acknowledged": true })).await;
        assert_eq!(answer.status, expected, "{email}");
    }
    let mut observer = world.signed_in(NORTH_OBSERVER).await;
    assert_eq!(update(&mut observer, &[NORTH_DRY], json!({ "acknowledged": true })).await.status, 403);
    assert_eq!(observer.get(&format!("/api/attention/{SOUTH_CLOG}/comments")).await.status, 404);
    assert_eq!(observer.get("/api/attention/none/comments").await.status, 404);
    let mut admin = world.signed_in(ADMIN).await;
    assert_eq!(update(&mut admin, &[NORTH_DRY, UNKNOWN], json!({ "acknowledged": true })).await.status, 404);
    assert_eq!(item_ids(&mut admin, "state=acknowledged").await, [""; 0]);
    assert_eq!(admin.get("/api/audit?operation=update_attention").await.body["entries"], json!([]));
}

async fn invalid_update_is_refused_with_its_field(test: TestDb) {
    let world = start(&test).await;
    let mut admin = world.signed_in(ADMIN).await;
    let stranger = world.user_id(SOUTH_ADMIN).await;
    let own = world.user_id(ADMIN).await;
    let many: Vec<String> = (0..101).map(|number| format!("019aa000-0000-7000-8000-0000000001{number:02x}")).collect();
    let north = json!([NORTH_DRY]);
    let rows = [
        (json!({}), "ids"),
        (json!({ "ids": [] }), "ids"),
        (json!({ "ids": many }), "ids"),
        (json!({ "ids": ["SC-1"] }), "ids[0]"),
        (json!({ "ids": NORTH_DRY }), "ids"),
        (json!({ "ids": north, "acknowledged": "yes" }), "acknowledged"),
        (json!({ "ids": north, "assignee": stranger }), "assignee"),
        (json!({ "ids": north, "assignee": own }), "assignee"),
        (json!({ "ids": north, "assignee": UNKNOWN }), "assignee"),
        (json!({ "ids": north, "assignee": "me" }), "assignee"),
        (json!({ "ids": [NORTH_DRY, SOUTH_CLOG], "assignee": stranger }), "assignee"),
        (json!({ "ids": north, "snoozedUntil": "2026-11-20T10:00:00Z" }), "snoozedUntil"),
        (json!({ "ids": north, "snoozedUntil": "2027-11-22T10:00:00Z" }), "snoozedUntil"),
        (json!({ "ids": north, "snoozedUntil": "tomorrow" }), "snoozedUntil"),
        (json!({ "ids": north, "comment": "x".repeat(1001) }), "comment"),
        (json!({ "ids": north, "comment": "a\u{0}" }), "comment"),
        (json!({ "ids": north, "comment": 7 }), "comment"),
    ];
    for (body, field) in rows {
        let answer = admin.post("/api/attention/update", &body).await;
        let errors = answer.body["errors"].as_object().into_iter().flatten();
        let fields: Vec<&str> = errors.map(|(field, _)| field.as_str()).collect();
        assert_eq!((answer.status, fields), (422, vec![field]), "{body}");
    }
    assert_eq!(item_ids(&mut admin, "assignee=nobody").await.len(), 4);
    let item = admin.get("/api/attention?kind=runs_dry").await.body["items"][0].clone();
    assert_eq!(item["comments"], 0);
}

async fn assignees_are_the_people_of_the_csp(test: TestDb) {
    let world = start(&test).await;
    let count = async |email: &str, query: &str| {
        let answer = world.signed_in(email).await.get(&format!("/api/attention/assignees{query}")).await;
        assert_eq!(answer.status, 200, "{email}");
        answer.body.as_array().unwrap().len()
    };
    assert_eq!(count(NORTH_TECH, "").await, 4);
    assert_eq!(count(NORTH_TECH, "?csp=South").await, 4, "their own");
    assert_eq!(count(ADMIN, "?csp=South").await, 2);
    assert_eq!(count(ADMIN, "").await, 2, "those of the manufacturer");
    for email in [NORTH_OBSERVER, OBSERVER, NO_ROLE] {
        assert_eq!(world.signed_in(email).await.get("/api/attention/assignees").await.status, 403, "{email}");
    }
}

async fn assigned_to(browser: &mut Browser, person: &str) -> (Value, Value) {
    let count = browser.get(&format!("/api/attention/count?assignee={person}")).await.body;
    (count["assigned"].clone(), count["snoozed"].clone())
}

async fn items_of_removed_people_go_to_the_successor_or_to_nobody(test: TestDb) {
    let world = start(&test).await;
    let [tech, north, south] =
        [world.user_id(NORTH_TECH).await, world.user_id(NORTH_ADMIN).await, world.user_id(SOUTH_ADMIN).await];
    let [guest, _] = world.guests().await;
    let (mut admin, mut observer) = (world.signed_in(ADMIN).await, world.signed_in(OBSERVER).await);
    let both = [NORTH_CLOG, NORTH_DRY];
    assert_eq!(update(&mut admin, &both, json!({ "assignee": tech })).await.status, 200);
    let until = (world.clock.now() + jiff::SignedDuration::from_hours(1)).to_string();
    assert_eq!(update(&mut admin, &[NORTH_DRY], json!({ "snoozedUntil": until })).await.status, 200);
    assert_eq!(update(&mut admin, &[NORTH_OTHER], json!({ "assignee": guest })).await.status, 200);
    assert_eq!(assigned_to(&mut admin, &tech).await, (json!(1), json!(1)));
    let mine = world.signed_in(NORTH_TECH).await.get("/api/attention/count").await.body;
    assert_eq!((&mine["assigned"], &mine["snoozed"]), (&json!(1), &json!(1)));
    let people = observer.get("/api/attention/assignees?assigned=true").await.body;
    let mut people: Vec<&str> = people.as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
    people.sort_unstable();
    let mut expected = [tech.as_str(), guest.as_str()];
    expected.sort_unstable();
    assert_eq!(people, expected);
    let of_south = world.signed_in(SOUTH_ADMIN).await.get("/api/attention/assignees?assigned=true").await.body;
    assert_eq!(of_south, json!([]));

    for wrong in [&south, &tech] {
        let answer = admin.delete(&format!("/api/users/{tech}?successor={wrong}")).await;
        assert_eq!((answer.status, answer.fields()), (422, vec!["successor"]), "{}", answer.body);
    }
    assert_eq!(assigned_to(&mut admin, &tech).await, (json!(1), json!(1)), "nothing has changed");
    assert_eq!(admin.delete(&format!("/api/users/{tech}?successor={north}")).await.status, 204);
    assert_eq!(assigned_to(&mut admin, &tech).await, (json!(0), json!(0)));
    assert_eq!(assigned_to(&mut admin, &north).await, (json!(1), json!(1)));
    let removal = admin.get("/api/audit?operation=remove_user").await.body["entries"][0].clone();
    let changes = removal["changes"].as_array().unwrap();
    let of = |field: &str| changes.iter().find(|change| change["field"] == field).map(|change| &change["after"]);
    assert_eq!((of("openItems"), of("successor")), (Some(&json!(2)), Some(&json!("Tess Tester"))));
    let cause = removal["id"].as_str().unwrap();
    let items = admin.get(&format!("/api/audit?cause={cause}")).await.body["entries"].clone();
    let fields: Vec<&Value> = items.as_array().unwrap().iter().map(|it| &it["changes"][0]["field"]).collect();
    assert_eq!(fields.len(), 2);
    assert!(fields.contains(&&json!("no_use.assignee")) && fields.contains(&&json!("runs_dry.assignee")), "{fields:?}");

    assert_eq!(admin.delete(&format!("/api/users/{guest}")).await.status, 204);
    assert_eq!(item_ids(&mut admin, "assignee=nobody&csp=North").await, [NORTH_OTHER]);
    // The successor is removed at the cloud itself.
    world.cloud_as(ADMIN).await.admin().delete_user(north.clone()).await.unwrap();
    world.console.resync().await;
    assert_eq!(item_ids(&mut admin, "assignee=nobody&csp=North").await, [NORTH_CLOG, NORTH_OTHER]);
    assert_eq!(item_ids(&mut admin, "assignee=nobody&csp=North&state=snoozed").await, [NORTH_DRY]);
}

async fn thresholds_belong_to_a_csp(test: TestDb) {
    let world = start(&test).await;
    let (mut north, mut south) = (world.signed_in(NORTH_ADMIN).await, world.signed_in(SOUTH_ADMIN).await);
    let path = "/api/attention/settings";
    let before = north.get(path).await.body;
    assert_eq!((&before["csp"], &before["settings"]), (&json!("North"), &before["defaults"]));
    let body = json!({ "runsDryDays": 14, "disabled": ["no_technician", "no_use", "no_use"] });
    let answer = north.put(&format!("{path}?csp=South"), &body).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let settings = &answer.body["settings"];
    assert_eq!(
        (&answer.body["csp"], &settings["runsDryDays"], &settings["offlineMinutes"]),
        (&json!("North"), &json!(14), &json!(60))
    );
    assert_eq!(settings["disabled"], json!(["no_use", "no_technician"]));
    assert_eq!(south.get(path).await.body["settings"], before["defaults"]);
    let entry = north.get("/api/audit?limit=1").await.body["entries"][0].clone();
    assert_eq!((&entry["operation"], &entry["target"]["csp"]), (&json!("update_attention_settings"), &json!("North")));
    let mut fields: Vec<&str> =
        entry["changes"].as_array().unwrap().iter().map(|it| it["field"].as_str().unwrap()).collect();
    fields.sort_unstable();
    assert_eq!(fields, ["disabled", "runsDryDays"]);

    let mut admin = world.signed_in(ADMIN).await;
    assert_eq!(admin.get(&format!("{path}?csp=North")).await.body["settings"]["runsDryDays"], 14);
    assert_eq!(admin.get(path).await.body["csp"], Value::Null);
    assert_eq!(admin.put(&format!("{path}?csp=East"), &body).await.body["errors"], json!({ "csp": ["is no CSP"] }));
    for (body, field) in [
        (json!({ "runsDryDays": 0 }), "runsDryDays"),
        (json!({ "runsDryDays": "7" }), "runsDryDays"),
        (json!({ "commandMinutes": 1.5 }), "commandMinutes"),
        (json!({ "disabled": ["lost"] }), "disabled[0]"),
    ] {
        let answer = admin.put(path, &body).await;
        assert_eq!(answer.status, 422, "{body}");
        assert!(answer.body["errors"].get(field).is_some(), "{}", answer.body);
    }
    for email in [NORTH_TECH, NORTH_OBSERVER, OBSERVER] {
        let mut browser = world.signed_in(email).await;
        assert_eq!(browser.get(path).await.body["can"], json!({ "edit": false }), "{email}");
        assert_eq!(browser.put(path, &body).await.status, 403, "{email}");
    }
    assert_eq!(world.signed_in(NO_ROLE).await.get(path).await.status, 403);
}

async fn thresholds_follow_the_name_of_a_csp_and_end_with_it(test: TestDb) {
    let world = start(&test).await;
    let mut admin = world.signed_in(ADMIN).await;
    let path = "/api/attention/settings";
    let id = admin.post("/api/csps", &json!({ "name": "East" })).await.body["id"].as_str().unwrap().to_owned();
    assert_eq!(admin.put(&format!("{path}?csp=East"), &json!({ "runsDryDays": 14 })).await.status, 200);
    let renamed = admin.put(&format!("/api/csps/{id}"), &json!({ "name": "Far East" })).await;
    assert_eq!(renamed.status, 200, "{}", renamed.body);
    let body = admin.get(&format!("{path}?csp=Far%20East")).await.body;
    assert_eq!(body["settings"]["runsDryDays"], 14);
    assert_eq!(admin.delete(&format!("/api/csps/{id}")).await.status, 204);
    assert_eq!(admin.post("/api/csps", &json!({ "name": "Far East" })).await.status, 201);
    let body = admin.get(&format!("{path}?csp=Far%20East")).await.body;
    assert_eq!(body["settings"], body["defaults"], "another CSP of the same name");
}

/// From the behaviour of the device over cloud, stream and index to the item, and back.
async fn empty_cartridge_opens_an_item_that_a_refill_closes(test: TestDb) {
    let world = World::start_on(&test).await;
    let mut tech = world.signed_in(NORTH_TECH).await;
    let mut stream = tech.follow(&[]).await;
    let device = world.cloud.device(NORTH).await;
    device.connect().await;
    device.report(&[("fragrance_remaining", json!(0))]).await;
    until_attention(&mut stream).await;
    let item = tech.get("/api/attention").await.body["items"][0].clone();
    assert_eq!((&item["kind"], &item["dsn"], &item["closedAt"]), (&json!("empty"), &json!(NORTH), &Value::Null));
    assert_eq!((&item["evidence"], &item["cause"]), (&json!({ "level": 0 }), &json!("not_refilled")));

    device.report(&[("fragrance_remaining", json!(100))]).await;
    until_attention(&mut stream).await;
    assert_eq!(item_ids(&mut tech, "").await, [""; 0]);
    assert_eq!(item_ids(&mut tech, "state=closed").await, [item["id"].as_str().unwrap()]);
    assert_eq!(
        tech.get("/api/attention/count").await.body,
        json!({ "new": 0, "high": 0, "assigned": 0, "snoozed": 0 })
    );
}

async fn device_that_moves_leaves_its_items_to_the_former_partner(test: TestDb) {
    let world = World::start_on(&test).await;
    let mut north = world.signed_in(NORTH_ADMIN).await;
    let mut stream = north.follow(&[]).await;
    let device = world.cloud.device(NORTH).await;
    device.connect().await;
    device.report(&[("fragrance_remaining", json!(0))]).await;
    until_attention(&mut stream).await;
    let former = item_ids(&mut north, "").await.remove(0);
    let until = (world.clock.now() + jiff::SignedDuration::from_hours(24)).to_string();
    let handled = json!({
        "acknowledged": true, "assignee": world.user_id(NORTH_ADMIN).await, "snoozedUntil": until, "comment": "Not paid",
    });
    let answer = update(&mut north, &[&former], handled).await;
    assert_eq!(answer.status, 200, "{}", answer.body);

    let mut stream = north.follow(&[]).await;
    jobs::assign(&mut world.signed_in(ADMIN).await, &[NORTH], "South").await;
    world.console.resync().await;
    until_attention(&mut stream).await;
    let mut south = world.signed_in(SOUTH_ADMIN).await;
    let item = loop {
        let item = south.get("/api/attention").await.body["items"][0].clone();
        if !item.is_null() {
            break item;
        }
        pause().await;
    };
    assert_eq!((&item["kind"], &item["dsn"]), (&json!("empty"), &json!(NORTH)));
    for of_people in ["acknowledgedAt", "acknowledgedBy", "assignee", "snoozedUntil"] {
        assert_eq!(item[of_people], Value::Null, "{of_people}");
    }
    assert_eq!((&item["comments"], item["id"] == former.as_str()), (&json!(0), false));
    assert_eq!(south.get("/api/attention/count").await.body["new"], 1);
    for state in ["acknowledged", "snoozed", "closed"] {
        assert_eq!(item_ids(&mut south, &format!("state={state}")).await, [""; 0], "{state}");
    }
    let comments = format!("/api/attention/{former}/comments");
    assert_eq!(south.get(&comments).await.status, 404);
    assert_eq!(update(&mut south, &[&former], json!({ "acknowledged": false })).await.status, 404);
    assert_eq!(north.get(&comments).await.body[0]["text"], "Not paid");
    assert_eq!(item_ids(&mut north, "state=closed").await, [former]);
    for state in ["open", "acknowledged", "snoozed"] {
        assert_eq!(item_ids(&mut north, &format!("state={state}")).await, [""; 0], "{state}");
    }
}

async fn until_attention(stream: &mut Stream) {
    while stream.next().await.expect("an event").0 != "attention" {}
}

on_both_databases!(
    items_are_listed_by_severity_within_the_scope,
    items_of_a_csp_with_many_devices_are_listed_within_the_scope,
    pages_follow_each_other_without_gaps,
    items_are_acknowledged_assigned_snoozed_and_commented_in_bulk,
    item_has_at_most_a_hundred_comments,
    names_of_other_organizations_are_hidden,
    items_outside_the_scope_do_not_exist_and_nothing_is_changed,
    invalid_update_is_refused_with_its_field,
    assignees_are_the_people_of_the_csp,
    items_of_removed_people_go_to_the_successor_or_to_nobody,
    thresholds_belong_to_a_csp,
    thresholds_follow_the_name_of_a_csp_and_end_with_it,
    empty_cartridge_opens_an_item_that_a_refill_closes,
    device_that_moves_leaves_its_items_to_the_former_partner,
);
