//! The audit: author, target, changed values and result of each change.

use std::time::Duration;

use cloud::testing::Fault;
use platform::testing::{TestDb, pause};
use reqwest::Method;
use serde_json::{Value, json};

use crate::attention;
use crate::authorisation::{self, operations};
use crate::browser::Browser;
use crate::jobs;
use crate::reports;
use crate::world::*;

/// The writing operations that are not audited, with the reason for each.
const EXCEPTIONS: [(&str, &str); 34] = [
    ("update_jwt", "an open page calls it by itself; it changes nothing that a reader of the audit looks for"),
    ("refresh_device", "it reads the device again and writes nothing"),
    ("preview_csp_assignment", "it returns what a job would change and writes nothing"),
    ("preview_copy", "it returns what a job would change and writes nothing"),
    ("preview_device_forecast", "it returns what saved values would change and writes nothing"),
    ("preview_import", "it returns what an import would change and writes nothing"),
    ("preview_import_undo", "it returns what an undo would change and writes nothing"),
    ("undo_import", "it changes nothing that was not decided on; import_undo.rs tests it with a preview"),
    ("refresh_user", "it reads the user again and writes nothing"),
    (
        "request_password_reset",
        "it is open to everybody; an entry would reveal to readers of the audit which addresses have an account",
    ),
    ("set_password", "it changes nothing without a mail token; password.rs tests it with one"),
    ("confirm_account", "it changes nothing without a mail token; password.rs tests it with one"),
    ("confirm_email_change", "it changes nothing without a mail token; password.rs tests it with one"),
    ("cancel_email_change", "it changes nothing without a mail token; password.rs tests it with one"),
    ("check_second_factor", "it needs a sign-in that awaits a code; second_factor.rs tests it with one"),
    ("begin_totp", "an app counts only after confirm_totp"),
    ("confirm_totp", "it changes nothing without a code; second_factor.rs tests it with one"),
    ("remove_totp", "it changes nothing without a code; second_factor.rs tests it with one"),
    ("create_recovery_codes", "it changes nothing without a code; second_factor.rs tests it with one"),
    ("begin_passkey", "a passkey counts only after add_passkey"),
    ("add_passkey", "it changes nothing without a passkey; passkeys.rs tests it with one"),
    ("rename_passkey", "the user has none here; passkeys.rs tests it with one"),
    ("remove_passkey", "the user has none here; passkeys.rs tests it with one"),
    ("begin_passkey_proof", "it only draws a challenge"),
    ("begin_passkey_check", "it only draws a challenge"),
    ("check_passkey", "it needs a sign-in that awaits a second factor; passkeys.rs tests it with one"),
    ("reset_second_factor", "the person has none here; sign_in_rules.rs tests it with one"),
    ("enable_user", "the person is not disabled here; users.rs tests it with one who is"),
    ("update_sign_in_rules", "it changes nothing here; sign_in_rules.rs tests it with a change"),
    ("update_attention_digest", "it changes only which mails the caller gets"),
    ("remove_attention_digest", "it changes only which mails the caller gets"),
    ("update_assignment_mails", "it changes only which mails the caller gets"),
    ("update_preferences", "it changes only how times look to the caller"),
    ("update_list_preferences", "it changes only how lists look to the caller"),
];
/// Lets one request to the cloud through.
const PASS: Fault = Fault::Delay(Duration::ZERO);

fn settings(dsn: &str) -> String {
    format!("/api/devices/dsns/{dsn}/settings")
}

/// The audit entries that `browser` finds, newest first, without sign-ins.
async fn changes(browser: &mut Browser, query: &str) -> Vec<Value> {
    let answer = browser.get(&format!("/api/audit?{query}")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let entries = answer.body["entries"].as_array().unwrap().clone();
    entries.into_iter().filter(|entry| entry["operation"] != "create_session").collect()
}

async fn newest(browser: &mut Browser) -> Value {
    browser.get("/api/audit?limit=1").await.body["entries"][0].clone()
}

#[tokio::test]
async fn every_writing_operation_is_audited_or_exempt_with_a_reason() {
    let world = World::start().await;
    world.cloud.operator().add_devices(&world.oem, &[stock("SC-STOCK")]).await.unwrap();
    world.console.add_missing_fragrances(&[authorisation::fragrance()]).await.unwrap();
    attention::open_items(&world.database, &[(authorisation::ITEMS[0], NORTH)]).await;
    let mut witness = world.signed_in(OBSERVER).await;
    let mut unused: Vec<&str> = EXCEPTIONS.iter().map(|(id, _)| *id).collect();
    for operation in operations().into_iter().filter(|operation| operation.method != Method::GET) {
        let [person, _] = world.guests().await;
        let operation = operation.about(&person);
        let mut browser = world.signed_in(ADMIN).await;
        let before = newest(&mut witness).await;
        let request = authorisation::call(&mut browser, &operation, NORTH, "SC-STOCK", ADMIN).await;
        let answer = browser.send(request).await;
        // Some operations need a mail token or a second factor, which this test does not have.
        let refusals: &[u16] = if operation.id == "rename_passkey" { &[404] } else { &[401, 409, 422] };
        let is_expected = answer.status < 300 || refusals.contains(&answer.status);
        assert!(is_expected, "{}: {}", operation.id, answer.body);
        authorisation::restore_password(&world, &operation, ADMIN).await;
        let entry = newest(&mut witness).await;
        if unused.contains(&&*operation.id) {
            unused.retain(|id| *id != operation.id);
            assert_eq!(entry, before, "{} is written down, so it needs no reason not to be", operation.id);
        } else {
            let outcome = (&entry["operation"], &entry["result"], &entry["actor"]["email"]);
            assert_eq!(outcome, (&json!(operation.id), &json!("done"), &json!(ADMIN)), "{entry}");
        }
    }
    assert!(unused.is_empty(), "no such operations: {unused:?}");
}

#[tokio::test]
async fn audited_change_has_author_target_time_and_origin() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let body = json!({ "mode": 4, "intensity": 35, "fan": 2 });
    let chrome =
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0 Safari/537.36";
    let request = browser.request(Method::PUT, &settings(NORTH)).header("user-agent", chrome).json(&body);
    assert_eq!(browser.send(request).await.status, 200);

    let entry = changes(&mut world.signed_in(ADMIN).await, "").await.remove(0);
    let actor = &entry["actor"];
    assert_eq!(
        (&actor["email"], &actor["roleName"], &actor["csp"]),
        (&json!(NORTH_TECH), &json!("CSP Technician"), &json!("North"))
    );
    assert_eq!((&actor["address"], &actor["browser"]), (&json!("127.0.0.1"), &json!("Chrome on Windows")));
    assert_eq!(actor["userId"], browser.get("/api/session").await.body["user"]["id"]);
    assert_eq!(entry["operation"], "update_device_settings");
    assert_eq!(entry["target"], json!({ "kind": "device", "id": NORTH, "csp": "North" }));
    assert_eq!((&entry["at"], &entry["endedAt"]), (&json!("2026-11-20T10:00:00Z"), &json!("2026-11-20T10:00:00Z")));
    assert_eq!((&entry["result"], &entry["code"]), (&json!("done"), &Value::Null));
    let saved = json!([
        { "field": "mode", "before": 3, "after": 4, "saved": true },
        { "field": "intensity", "before": 20, "after": 35, "saved": true },
    ]);
    assert_eq!(entry["changes"], saved, "unchanged values are not listed");
}

#[tokio::test]
async fn change_is_audited_before_the_cloud_call() {
    let world = World::start().await;
    let (mut witness, browser) = (world.signed_in(ADMIN).await, world.signed_in(NORTH_TECH).await);
    for fault in [PASS, Fault::Delay(Duration::from_secs(3600))] {
        world.cloud.faults().push(fault);
    }
    let request = browser.request(Method::PUT, &settings(NORTH)).json(&json!({ "fan": 5 }));
    let asking = tokio::spawn(request.send());
    while world.cloud.faults().waiting() > 0 {
        pause().await;
    }
    let expected = json!([{ "field": "fan", "before": 2, "after": 5, "saved": null }]);
    let entry = changes(&mut witness, "").await.remove(0);
    assert_eq!((&entry["result"], &entry["endedAt"]), (&json!("started"), &Value::Null));
    assert_eq!(entry["changes"], expected);
    assert!(world.cloud.device(NORTH).await.pending().await.is_empty());
    asking.abort();
    assert_eq!(changes(&mut witness, "").await.remove(0)["result"], "started", "the result is still unknown");
}

#[tokio::test]
async fn audited_failure_has_its_code_and_the_saved_fields() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    for fault in [PASS, PASS, Fault::Drop] {
        world.cloud.faults().push(fault);
    }
    let answer = browser.put(&settings(NORTH), &json!({ "mode": 4, "intensity": 35, "fan": 5 })).await;
    assert_eq!(answer.status, 502);
    let entry = changes(&mut world.signed_in(ADMIN).await, "").await.remove(0);
    assert_eq!((&entry["result"], &entry["code"]), (&json!("failed"), &json!("cloud_failed")));
    let saved: Vec<_> = entry["changes"].as_array().unwrap().iter().map(|it| (&it["field"], &it["saved"])).collect();
    let (yes, no) = (json!(true), json!(false));
    assert_eq!(saved, [(&json!("mode"), &yes), (&json!("intensity"), &no), (&json!("fan"), &no)]);
}

#[tokio::test]
async fn refused_or_empty_change_is_not_audited() {
    let world = World::start().await;
    let rows = [
        (NORTH_OBSERVER, NORTH, json!({ "fan": 5 }), 403),
        (NORTH_TECH, SOUTH, json!({ "fan": 5 }), 404),
        (NORTH_TECH, NORTH, json!({ "fan": 6 }), 422),
        (NORTH_TECH, NORTH, json!("fan"), 400),
        (NORTH_TECH, NORTH, json!({ "fan": 2 }), 200),
    ];
    for (email, dsn, body, status) in rows {
        assert_eq!(world.signed_in(email).await.put(&settings(dsn), &body).await.status, status, "{email} {body}");
    }
    let stranger = world.browser().put(&settings(NORTH), &json!({ "fan": 5 })).await;
    assert_eq!(stranger.status, 401);
    assert_eq!(changes(&mut world.signed_in(ADMIN).await, "").await, [] as [Value; 0]);
}

#[tokio::test]
async fn audit_lists_schedule_frames_and_form_fields_separately() {
    let world = World::start().await;
    world.console.add_missing_fragrances(&[authorisation::fragrance()]).await.unwrap();
    let mut admin = world.signed_in(ADMIN).await;
    let path = format!("/api/devices/dsns/{NORTH}");
    let input = crate::schedule::running_at_noon();
    assert_eq!(admin.put(&format!("{path}/schedule"), &input).await.status, 200);
    let entry = newest(&mut admin).await;
    let [change] = entry["changes"].as_array().unwrap().as_slice() else { panic!("{entry}") };
    assert_eq!((&change["field"], &change["after"]), (&json!("schedule.1"), &input["frames"][0]));
    assert_eq!(change["before"]["active"], false);

    let form = json!({
        "csp": "North", "serialNumber": "4711", "systemConfiguration": "AQ380", "fragrance": "White Tea",
        "customer": "Hotel Boreas", "timeZone": "Europe/Berlin", "serviceArea": "Lobby", "city": "Oslo",
        "state": "Viken", "country": "Norway", "customerId": null, "storeNumber": "7", "latitude": 60, "longitude": 10.5,
    });
    assert_eq!(admin.put(&path, &form).await.status, 200);
    let entry = newest(&mut admin).await;
    let actual = entry["changes"].as_array().unwrap().iter();
    let actual: Vec<_> = actual.map(|it| json!([it["field"], it["before"], it["after"]])).collect();
    let expected = [
        json!(["timeZone", "Europe/Oslo", "Europe/Berlin"]),
        json!(["state", null, "Viken"]),
        json!(["latitude", 59.911_491, 60.0]),
        json!(["longitude", 10.757_933, 10.5]),
        json!(["customerId", "C-9", null]),
        json!(["storeNumber", null, "7"]),
        json!(["customer", "Hotel Aurora", "Hotel Boreas"]),
    ];
    assert_eq!(actual, expected);
}

#[tokio::test]
async fn csp_admin_reads_only_the_audit_of_the_own_csp() {
    let world = World::start().await;
    for (email, dsn) in [(NORTH_TECH, NORTH), (ADMIN, NORTH_AQ290), (ADMIN, SOUTH)] {
        assert_eq!(world.signed_in(email).await.put(&settings(dsn), &json!({ "fan": 5 })).await.status, 200);
    }
    let mut north = world.signed_in(NORTH_ADMIN).await;
    let found = changes(&mut north, "").await;
    let actual: Vec<_> = found.iter().map(|it| (it["target"]["id"].as_str().unwrap(), &it["actor"]["email"])).collect();
    assert_eq!(actual, [(NORTH_AQ290, &Value::Null), (NORTH, &json!(NORTH_TECH))]);
    let stranger = json!({
        "userId": null, "email": null, "roleName": "Admin", "csp": null, "address": null, "browser": null,
    });
    assert_eq!(found[0]["actor"], stranger, "partners do not see the names of OEM staff");
    for query in [format!("target={SOUTH}"), format!("actor={ADMIN}"), "target=SC-NONE".to_owned()] {
        assert_eq!(changes(&mut north, &query).await, [] as [Value; 0], "{query}");
    }
    let signed_in = north.get("/api/audit?operation=create_session").await.body;
    let people: Vec<_> = signed_in["entries"].as_array().unwrap().iter().map(|it| &it["actor"]["email"]).collect();
    assert_eq!(people, [&json!(NORTH_ADMIN), &json!(NORTH_TECH)], "sign-ins of users of the own CSP");

    for email in [NORTH_OBSERVER, NORTH_TECH, NO_ROLE, END_USER] {
        let answer = world.signed_in(email).await.get("/api/audit").await;
        assert_eq!((answer.status, answer.code()), (403, "forbidden"), "{email}");
    }
    assert_eq!(world.browser().get("/api/audit").await.status, 401);
}

#[tokio::test]
async fn change_of_csp_is_hidden_from_both_csps() {
    let world = World::start().await;
    world.console.add_missing_fragrances(&[authorisation::fragrance()]).await.unwrap();
    let mut admin = world.signed_in(ADMIN).await;
    assert_eq!(admin.put(&settings(NORTH), &json!({ "fan": 5 })).await.status, 200);
    let form = authorisation::form(NORTH, "South", "Sold");
    assert_eq!(admin.put(&format!("/api/devices/dsns/{NORTH}"), &form).await.status, 200);
    assert_eq!(newest(&mut admin).await["target"]["csp"], Value::Null);
    for (email, expected) in [(NORTH_ADMIN, 1), (SOUTH_ADMIN, 0)] {
        let found = changes(&mut world.signed_in(email).await, &format!("target={NORTH}")).await;
        assert_eq!(
            found.len(),
            expected,
            "{email} reads the entries of the time when the device was theirs: {found:?}"
        );
    }
}

#[tokio::test]
async fn sign_in_and_sign_out_are_audited_without_secrets() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    assert_eq!(world.browser().sign_in(NORTH_TECH, "Wrong-Horse-1").await.status, 401);
    let mut browser = world.signed_in(NORTH_TECH).await;
    let cookie = browser.cookie.clone().unwrap();
    assert_eq!(browser.delete("/api/session").await.status, 204);
    assert_eq!(browser.delete("/api/session").await.status, 204);
    let answer = admin.get(&format!("/api/audit?actor={}", NORTH_TECH.to_uppercase())).await;
    let entries = answer.body["entries"].as_array().unwrap();
    let actual: Vec<_> = entries.iter().map(|it| (&it["operation"], &it["result"])).collect();
    let done = json!("done");
    assert_eq!(actual, [(&json!("delete_session"), &done), (&json!("create_session"), &done)], "each once");
    assert_eq!(entries[0]["target"]["kind"], "user");
    let text = answer.body.to_string();
    for secret in [PASSWORD, "Wrong-Horse-1", cookie.split('=').next_back().unwrap()] {
        assert!(!text.contains(secret), "{secret}");
    }
}

/// Refused sign-ins that `browser` finds: target, code, number, and whether an address is known.
async fn refused_sign_ins(browser: &mut Browser) -> Vec<(Value, Value, Value, bool)> {
    let answer = browser.get("/api/audit?operation=create_session").await;
    let entries = answer.body["entries"].as_array().unwrap().clone();
    let refused = entries.into_iter().filter(|entry| entry["result"] == "failed");
    let parts = |it: Value| {
        let has_address = it["actor"]["address"] == "127.0.0.1" && it["actor"]["email"].is_null();
        (it["target"]["id"].clone(), it["code"].clone(), it["occurrences"].clone(), has_address)
    };
    let mut refused: Vec<_> = refused.map(parts).collect();
    refused.sort_by_key(|(id, code, ..)| (id.to_string(), code.to_string()));
    refused
}

#[tokio::test]
async fn refused_sign_in_is_audited_for_administrators_without_what_was_typed() {
    const TYPED: &str = "Wrong-Horse-1";
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let attempts =
        [(NORTH_TECH, TYPED), (NORTH_TECH, TYPED), ("stranger@example.com", TYPED), ("typed-password-here", TYPED)];
    let mut answers = Vec::new();
    for (email, password) in attempts {
        let answer = world.browser().sign_in(email, password).await;
        answers.push((answer.status, answer.body.to_string()));
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "known and unknown accounts get the same answer: {answers:?}");
    assert_eq!(answers[0].0, 401);
    let failed = json!("sign_in_failed");
    let expected =
        [(json!(""), failed.clone(), json!(2), true), (json!(world.user_id(NORTH_TECH).await), failed, json!(2), true)];
    assert_eq!(refused_sign_ins(&mut admin).await, expected);
    let all = admin.get("/api/audit").await.body.to_string();
    for typed in [TYPED, "stranger@example.com", "typed-password-here"] {
        assert!(!all.contains(typed), "{typed}");
    }
    for email in [OBSERVER, NORTH_ADMIN] {
        assert_eq!(refused_sign_ins(&mut world.signed_in(email).await).await, [], "{email}");
    }
    assert_eq!(world.browser().sign_in("nul\0@example.com", TYPED).await.status, 401);
}

#[tokio::test]
async fn rest_after_five_failures_is_audited_and_the_same_without_an_account() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let mut tries = Vec::new();
    for (email, sixth) in [(NORTH_TECH, PASSWORD), ("stranger@example.com", "Wrong-Horse-1")] {
        let mut answers = Vec::new();
        for number in 1..=6 {
            let password = if number == 6 { sixth } else { "Wrong-Horse-1" };
            let answer = world.browser().sign_in(email, password).await;
            let code = if number == 6 { "sign_in_rests" } else { "sign_in_failed" };
            assert_eq!((answer.status, answer.code()), (401, code), "{email} {number}");
            answers.push(answer.body);
        }
        tries.push(answers);
    }
    assert_eq!(tries[0], tries[1]);
    let found: Vec<_> =
        refused_sign_ins(&mut admin).await.into_iter().map(|(_, code, count, _)| (code, count)).collect();
    let (locked, failed) = ((json!("account_locked"), json!(1)), (json!("sign_in_failed"), json!(5)));
    assert_eq!(found, [locked.clone(), failed.clone(), locked, failed]);
}

#[tokio::test]
async fn report_download_is_audited_for_administrators() {
    let world = World::start().await;
    let (mut admin, mut north) = (world.signed_in(ADMIN).await, world.signed_in(NORTH_ADMIN).await);
    assert_eq!(admin.get("/api/csps/report").await.status, 200);
    assert_eq!(north.get("/api/devices/report?type=csv&dsn=SC").await.status, 200);
    assert_eq!(admin.get("/api/devices/report?type=pdf").await.status, 422);
    let reports = async |email: &str| {
        let answer = world.signed_in(email).await.get("/api/audit").await;
        let entries = answer.body["entries"].as_array().cloned().unwrap_or_default();
        entries.into_iter().filter(|entry| entry["target"]["kind"] == "report").collect::<Vec<_>>()
    };
    let all = reports(ADMIN).await;
    let operations: Vec<_> = all.iter().map(|entry| (&entry["operation"], &entry["result"])).collect();
    let done = json!("done");
    assert_eq!(operations, [(&json!("report_devices"), &done), (&json!("report_csps"), &done)]);
    let fields: Vec<_> =
        all[0]["changes"].as_array().unwrap().iter().map(|it| json!([it["field"], it["after"]])).collect();
    assert_eq!(fields, [json!(["format", "csv"]), json!(["rows", 2]), json!(["dsn", "SC"])]);
    assert_eq!(all[0]["target"], json!({ "kind": "report", "id": "", "csp": "North" }));
    assert_eq!((all[0]["actor"]["email"].clone(), all[1]["target"]["csp"].clone()), (json!(NORTH_ADMIN), Value::Null));
    assert_eq!(reports(NORTH_ADMIN).await.len(), 1);
    assert_eq!(reports(SOUTH_ADMIN).await.len(), 0);
    assert_eq!(reports(OBSERVER).await.len(), 0);
}

/// The changes of the pages that `query` finds, and the report of them.
async fn listed_and_reported(browser: &mut Browser, query: &str) -> (Vec<Value>, Value) {
    let (mut listed, mut next) = (Vec::new(), String::new());
    loop {
        let page = browser.get(&format!("/api/audit?limit=2&{query}{next}")).await;
        assert_eq!(page.status, 200, "{query}: {}", page.body);
        listed.extend(page.body["entries"].as_array().unwrap().iter().cloned());
        let Some(before) = page.body["next"].as_str() else { break };
        next = format!("&before={before}");
    }
    let report = browser.get(&format!("/api/audit/report?{query}")).await;
    assert_eq!(report.status, 200, "{query}: {}", report.body);
    (listed, report.body)
}

#[expect(clippy::too_many_lines, reason = "one story")]
async fn report_of_the_audit_has_the_changes_that_the_filters_of_the_page_find(database: TestDb) {
    let world = World::start_on(&database).await;
    let mut north = world.signed_in(NORTH_ADMIN).await;
    for fan in [5, 4] {
        assert_eq!(north.put(&settings(NORTH), &json!({ "fan": fan })).await.status, 200);
    }
    world.pass_seconds(60);
    let mut admin = world.signed_in(ADMIN).await;
    assert_eq!(admin.put(&settings(SOUTH), &json!({ "fan": 5 })).await.status, 200);
    let assigned = jobs::assign(&mut admin, &[NORTH_AQ290], "South").await;
    let job = assigned["id"].as_str().unwrap();

    let rows = [
        (String::new(), 3),
        (format!("target={SOUTH}"), 1),
        ("device=sc-n".to_owned(), 2),
        (format!("actor={NORTH_ADMIN}"), 2),
        ("operation=update_device_settings".to_owned(), 3),
        ("from=2026-11-20T10:00:30Z&operation=update_device_settings".to_owned(), 1),
        ("to=2026-11-20T10:00:30Z&operation=update_device_settings".to_owned(), 2),
        (format!("job={job}"), 1),
        ("operation=delete_csp".to_owned(), 0),
    ];
    for (query, at_least) in rows {
        let (listed, report) = listed_and_reported(&mut admin, &query).await;
        assert_eq!(report["items"], json!(listed), "{query}");
        assert!(listed.len() >= at_least, "{query}: {listed:?}");
        let filters: Vec<String> = report["filters"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, value)| format!("{name}={}", value.as_str().unwrap()))
            .collect();
        let mut expected: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty()).collect();
        expected.sort_unstable();
        assert_eq!(filters, expected);
    }
    let (listed, report) = listed_and_reported(&mut north, "").await;
    assert_eq!(report["items"], json!(listed), "within the scope");
    assert!(!report.to_string().contains(SOUTH), "{report}");

    let path = format!("/api/audit/report?type=csv&target={SOUTH}");
    let (_, csv) = reports::file(&admin, &path, None).await;
    let csv = reports::unquoted(csv.trim_start_matches('\u{feff}'));
    let (head, row) = csv.trim_end().split_once("\r\n").unwrap();
    assert!(head.starts_with("Began (UTC),Ended (UTC),Email,Role,CSP,Browser,Address,Operation,Record,ID,"), "{head}");
    let at = "2026-11-20 10:01:00";
    let device = format!("Update device settings,Device,{SOUTH},South");
    let expected = format!("{at},{at},{ADMIN},Admin,,,127.0.0.1,{device},Fan: 2 \u{2192} 5,Done,,1,,");
    assert_eq!(row, expected);
    let newest = newest(&mut admin).await;
    let fields: Vec<_> =
        newest["changes"].as_array().unwrap().iter().map(|it| json!([it["field"], it["after"]])).collect();
    assert_eq!((&newest["operation"], &newest["target"]["kind"]), (&json!("report_audit"), &json!("report")));
    assert_eq!(fields, [json!(["format", "csv"]), json!(["rows", 1]), json!(["target", SOUTH])]);

    for (email, status) in [(OBSERVER, 200), (NORTH_OBSERVER, 403), (NORTH_TECH, 403), (NO_ROLE, 403)] {
        let mut browser = world.signed_in(email).await;
        for kind in ["json", "csv", "printable"] {
            let answer = browser.get(&format!("/api/audit/report?type={kind}")).await;
            assert_eq!(answer.status, status, "{email} {kind}");
        }
    }
    let refused = admin.get("/api/audit/report?operation=list_devices&from=yesterday&type=pdf").await;
    assert_eq!((refused.status, refused.fields()), (422, vec!["from", "operation", "type"]));
}

on_both_databases!(report_of_the_audit_has_the_changes_that_the_filters_of_the_page_find);

#[tokio::test]
async fn changes_of_a_job_carry_its_id_and_fold() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    assert_eq!(admin.put(&settings(NORTH), &json!({ "fan": 5 })).await.status, 200);
    let job = crate::jobs::assign(&mut admin, &[NORTH, NORTH_AQ290, "SC-NONE"], "South").await;
    let id = job["id"].as_str().unwrap();
    let actual = |entries: &[Value]| -> Vec<Value> {
        let mut actual: Vec<_> =
            entries.iter().map(|it| json!([it["operation"], it["target"]["id"], it["job"]])).collect();
        actual.sort_by_key(Value::to_string);
        actual
    };
    let of_job =
        [json!(["assign_csp", id, id]), json!(["update_device", NORTH, id]), json!(["update_device", NORTH_AQ290, id])];
    assert_eq!(actual(&changes(&mut admin, &format!("job={id}")).await), of_job);
    let by_hand = json!(["update_device_settings", NORTH, null]);
    assert_eq!(actual(&changes(&mut admin, "foldJobs=true").await), [of_job[0].clone(), by_hand.clone()]);
    assert_eq!(actual(&changes(&mut admin, "").await).len(), 4);
    let devices = changes(&mut admin, "foldJobs=true").await;
    assert_eq!(devices[0]["changes"][1]["field"], "devices");
    assert_eq!(devices[0]["changes"][1]["after"], 3);

    // A partner sees the changes made by a copy, but not its job.
    let copy = json!({ "targets": [NORTH_AQ290], "copyName": true });
    admin.put(&format!("/api/devices/dsns/{NORTH}"), &json!({ "serviceArea": "Spa" })).await;
    let job = admin.post(&format!("/api/devices/dsns/{NORTH}/copy"), &copy).await.body;
    let job = crate::jobs::ended(&mut admin, &job).await;
    let id = job["id"].as_str().unwrap();
    let mut south = world.signed_in(SOUTH_ADMIN).await;
    for query in [format!("job={id}"), format!("job={id}&foldJobs=true")] {
        let expected = [json!(["copy_device", NORTH_AQ290, id])];
        assert_eq!(actual(&changes(&mut south, &query).await), expected, "{query}");
    }
    assert_eq!(changes(&mut world.signed_in(NORTH_ADMIN).await, &format!("job={id}")).await, [] as [Value; 0]);
    let refused = admin.get("/api/audit?job=7&foldJobs=maybe").await;
    assert_eq!((refused.status, refused.fields()), (422, vec!["foldJobs", "job"]));
}

#[tokio::test]
async fn part_of_a_dsn_or_serial_number_finds_the_changes_of_devices() {
    let world = World::start().await;
    let numbered = |dsn: &str, serial_number: &str| {
        let mut new = device(dsn, Some("North"), "AQ380");
        new.data.retain(|(key, _)| key != diffuser::data_keys::SERIAL_NUMBER);
        new.data.push((diffuser::data_keys::SERIAL_NUMBER.to_owned(), serial_number.to_owned()));
        new
    };
    let devices = [numbered("SC-NA7", "88001"), numbered("SC-NB7", "88002")];
    world.cloud.operator().add_devices(&world.oem, &devices).await.unwrap();
    world.console.resync().await;
    let mut admin = world.signed_in(ADMIN).await;
    for dsn in ["SC-NA7", "SC-NB7", SOUTH] {
        assert_eq!(admin.put(&settings(dsn), &json!({ "fan": 5 })).await.status, 200, "{dsn}");
    }
    let mut north = world.signed_in(NORTH_ADMIN).await;
    let rows = [
        ("SC-NA7", vec!["SC-NA7"], vec!["SC-NA7"]),
        ("b7", vec![], vec![]),
        ("nb7", vec!["SC-NB7"], vec!["SC-NB7"]),
        ("8800", vec!["SC-NB7", "SC-NA7"], vec!["SC-NB7", "SC-NA7"]),
        ("88002", vec!["SC-NB7"], vec!["SC-NB7"]),
        ("SC", vec![SOUTH, "SC-NB7", "SC-NA7"], vec!["SC-NB7", "SC-NA7"]),
        (SOUTH, vec![SOUTH], vec![]),
        ("%25", vec![], vec![]),
        ("SC_N", vec![], vec![]),
        ("none", vec![], vec![]),
    ];
    for (text, by_admin, by_north) in rows {
        for (browser, expected) in [(&mut admin, by_admin), (&mut north, by_north)] {
            let found = changes(browser, &format!("device={text}")).await;
            let found: Vec<_> = found.iter().map(|it| it["target"]["id"].as_str().unwrap()).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
    let long = "x".repeat(65);
    for query in [format!("device={long}"), "device=a&device=b".to_owned(), "device=%00".to_owned()] {
        let refused = admin.get(&format!("/api/audit?{query}")).await;
        assert_eq!((refused.status, refused.fields()), (422, vec!["device"]), "{query:.40}");
    }
    for email in [NORTH_OBSERVER, NORTH_TECH, NO_ROLE] {
        assert_eq!(world.signed_in(email).await.get("/api/audit?device=SC").await.status, 403, "{email}");
    }
}

#[tokio::test]
async fn removed_device_is_found_by_its_full_dsn_and_too_many_matches_are_refused() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    assert_eq!(admin.put(&settings(NORTH), &json!({ "fan": 5 })).await.status, 200);
    let many: Vec<_> = (0..99).map(|n| device(&format!("SC-M{n}"), Some("North"), "AQ380")).collect();
    world.cloud.operator().add_devices(&world.oem, &many).await.unwrap();
    world.console.resync().await;
    let refused = admin.get("/api/audit?device=SC").await;
    assert_eq!((refused.status, refused.fields()), (422, vec!["device"]));
    assert_eq!(refused.body["errors"]["device"], json!(["More than 100 devices match. Enter more of it."]));
    assert_eq!(changes(&mut admin, "device=SC-M").await, [] as [Value; 0], "99 are not too many");

    let database = platform::db::Db::connect(&world.database).await.unwrap();
    for table in ["idx_devices", "idx_device_state"] {
        let sql = format!("delete from {table} where dsn = $1");
        database.execute(sqlx::AssertSqlSafe(sql), platform::db::params![NORTH]).await.unwrap();
    }
    assert_eq!(changes(&mut admin, &format!("device={NORTH}")).await.len(), 1);
    assert_eq!(
        changes(&mut admin, "device=c-n1").await,
        [] as [Value; 0],
        "part of the dsn does not find a removed device"
    );
}

#[tokio::test]
async fn audit_pages_contain_every_entry_once() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    for (minute, fan) in [1, 3, 4, 5].into_iter().enumerate() {
        assert_eq!(admin.put(&settings(NORTH), &json!({ "fan": fan })).await.status, 200, "{minute}");
        world.pass_seconds(10);
    }
    let (mut query, mut fans, mut pages) = (format!("target={NORTH}&limit=3"), Vec::new(), 0);
    loop {
        let page = admin.get(&format!("/api/audit?{query}")).await.body;
        pages += 1;
        fans.extend(page["entries"].as_array().unwrap().iter().map(|it| it["changes"][0]["after"].clone()));
        let Some(next) = page["next"].as_str() else { break };
        query = format!("target={NORTH}&limit=3&before={next}");
    }
    assert_eq!((fans, pages), (vec![json!(5), json!(4), json!(3), json!(1)], 2));
    let times = "from=2026-11-20T10:00:10Z&to=2026-11-20T10:00:30Z";
    let between = changes(&mut admin, &format!("target={NORTH}&{times}")).await;
    let fans: Vec<_> = between.iter().map(|it| &it["changes"][0]["after"]).collect();
    assert_eq!(fans, [&json!(4), &json!(3)]);
    let refused = admin.get("/api/audit?limit=0&operation=nothing&from=x&to=x&before=x&target=a&target=b").await;
    assert_eq!((refused.status, refused.fields()), (422, vec!["before", "from", "limit", "operation", "target", "to"]));
}

#[tokio::test]
async fn audit_entries_older_than_the_retention_are_deleted() {
    let world = World::start_with(|config| config.audit_days = 2).await;
    let mut admin = world.signed_in(ADMIN).await;
    assert_eq!(admin.put(&settings(NORTH), &json!({ "fan": 5 })).await.status, 200);
    world.pass_seconds(47 * 3600);
    assert_eq!(world.signed_in(ADMIN).await.put(&settings(NORTH), &json!({ "fan": 4 })).await.status, 200);
    world.pass_seconds(3601);
    let (next_node, cloud) = (world.another_console(|_| {}), world.cloud);
    world.console.shutdown().await;
    let next_node = next_node.await;
    let mut browser = Browser::new(next_node.addr());
    assert_eq!(browser.sign_in(ADMIN, PASSWORD).await.status, 200);
    let mut fans = async || -> Vec<Value> {
        changes(&mut browser, "").await.iter().map(|it| it["changes"][0]["after"].clone()).collect()
    };
    assert_eq!(fans().await, [json!(4), json!(5)]);
    next_node.delete_expired().await;
    assert_eq!(fans().await, [json!(4)]);
    cloud.shutdown().await;
}
