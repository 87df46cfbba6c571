//! The authorisation matrix: every operation of api/openapi.json by every actor of quality/permissions.tsv, on a device of the
//! actor's CSP and on one of another CSP. An operation without a row, or one that this file cannot call, fails.

use diffuser::{Fragrance, Role};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::world::*;
use crate::{attention, jobs, schedule};

/// The columns of permissions.tsv, each with its test user. Two kinds of users have none of the five roles.
const ACTORS: [(&str, Option<&str>); 8] = [
    ("signed_out", None),
    ("no_role", Some(NO_ROLE)),
    ("no_role", Some(END_USER)),
    ("OEM::Admin", Some(ADMIN)),
    ("OEM::Observer", Some(OBSERVER)),
    ("CspAdmin", Some(NORTH_ADMIN)),
    ("CspObserver", Some(NORTH_OBSERVER)),
    ("CspTech", Some(NORTH_TECH)),
];
const ANOTHER_PASSWORD: &str = "Other-Horse-2";
const UNKNOWN_TOKEN: &str = "00000000000000000000000000000000";
/// An id that no CSP and no job has.
const NO_ID: &str = "00000000-0000-4000-8000-000000000000";
const READ_DEVICE: &str = "GET /api/devices/dsns/{dsn}";
/// The ids of items of attention of [`NORTH`] and [`SOUTH`].
pub(crate) const ITEMS: [&str; 2] = ["019aa000-0000-7000-8000-000000000001", "019aa000-0000-7000-8000-000000000002"];
const READ_ITEM: &str = "GET /api/attention/{id}/comments";
const READ_PERSON: &str = "GET /api/users/{id}";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Own,
    Other,
}

pub(crate) struct Operation {
    pub(crate) id: String,
    pub(crate) method: Method,
    pub(crate) path: String,
    /// The success status in the API document.
    success: u16,
}

impl Operation {
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    fn is_about_a_device(&self) -> bool {
        self.path.contains("/dsns/{dsn}")
    }

    fn is_about_a_person(&self) -> bool {
        self.path.starts_with("/api/users/{id}")
    }

    fn is_about_an_item(&self) -> bool {
        self.path == "/api/attention/update" || self.path.starts_with("/api/attention/{id}")
    }

    fn is_about_a_job(&self) -> bool {
        self.path.starts_with("/api/jobs/{id}")
    }

    /// The operation with the id of `person` in its path, if it is about a person.
    pub(crate) fn about(&self, person: &str) -> Self {
        let path = if self.is_about_a_person() { self.path.replace("{id}", person) } else { self.path.clone() };
        Self { id: self.id.clone(), method: self.method.clone(), path, success: self.success }
    }
}

#[tokio::test]
async fn every_role_is_allowed_exactly_the_operations_of_the_table() {
    let world = World::start().await;
    // Each actor who may add a device uses up one.
    let in_stock: Vec<_> = (0..2 * ACTORS.len()).map(|n| format!("SC-STOCK{n}")).collect();
    let devices: Vec<_> = in_stock.iter().map(|dsn| stock(dsn)).collect();
    world.cloud.operator().add_devices(&world.oem, &devices).await.unwrap();
    world.console.add_missing_fragrances(&[fragrance()]).await.unwrap();
    attention::open_items(&world.database, &[(ITEMS[0], NORTH), (ITEMS[1], SOUTH)]).await;
    let mut people = world.guests().await;
    let permissions = Permissions::read();
    let mut witness = world.signed_in(ADMIN).await;
    let mut browsers = ACTORS.map(|_| world.browser());
    for ((_, email), browser) in ACTORS.into_iter().zip(&mut browsers) {
        be_signed_in_as(&world, browser, email).await;
    }
    for operation in operations() {
        let mut in_stock = in_stock.iter();
        let cases = ACTORS.into_iter().enumerate().flat_map(|(actor, (column, email))| {
            [(Target::Own, NORTH, 0), (Target::Other, SOUTH, 1)].map(|target| (actor, column, email, target))
        });
        let (refused, allowed): (Vec<_>, Vec<_>) =
            cases.partition(|(_, column, _, (target, ..))| permissions.expected(&operation, column, *target) >= 400);
        // One comparison for all refused calls of an operation: it takes more requests than they do.
        let before = state(&mut witness, &people).await;
        for (actor, column, email, (target, dsn, guest)) in refused {
            let case = format!("{} by {column} ({email:?}) on {target:?}", operation.name());
            let (browser, in_stock) = (&mut browsers[actor], in_stock.next().unwrap());
            let request = call(browser, &operation.about(&people[guest]), dsn, in_stock, email.unwrap_or(ADMIN)).await;
            let expected = permissions.expected(&operation, column, target);
            assert_eq!(status(browser, request, &operation).await, expected, "{case}");
        }
        assert_eq!(state(&mut witness, &people).await, before, "a refused {} changed something", operation.name());
        for (actor, column, email, (target, dsn, guest)) in allowed {
            let case = format!("{} by {column} ({email:?}) on {target:?}", operation.name());
            let (browser, in_stock) = (&mut browsers[actor], in_stock.next().unwrap());
            let request = call(browser, &operation.about(&people[guest]), dsn, in_stock, email.unwrap_or(ADMIN)).await;
            let expected = permissions.expected(&operation, column, target);
            assert_eq!(status(browser, request, &operation).await, expected, "{case}");
            obey(&world, dsn).await;
            if restore_password(&world, &operation, email.unwrap_or(ADMIN)).await {
                (witness.cookie, browser.cookie) = (None, None);
            }
            people = world.guests().await;
            stay_signed_in(&world, &mut witness, ADMIN).await;
            be_signed_in_as(&world, browser, email).await;
        }
    }
}

/// Even a role that may change others. Actors who may not read people get 404 for their own record.
#[tokio::test]
async fn own_record_cannot_be_changed() {
    let world = World::start().await;
    let mut witness = world.signed_in(ADMIN).await;
    let changes = ["update_user", "remove_user", "disable_user", "enable_user", "resend_confirmation"];
    for operation in operations().iter().filter(|operation| changes.contains(&&*operation.id)) {
        for (column, email) in ACTORS.into_iter().filter_map(|(column, email)| Some((column, email?))) {
            let own = world.user_id(email).await;
            let mut browser = world.signed_in(email).await;
            let before = witness.get(&format!("/api/users/{own}")).await.body;
            let request = call(&mut browser, &operation.about(&own), NORTH, "SC-STOCK", email).await;
            let status = status(&mut browser, request, operation).await;
            let case = format!("{} by {column} ({email})", operation.name());
            let expected = if column == "no_role" { 404 } else { 403 };
            assert_eq!(status, expected, "{case}");
            assert_eq!(witness.get(&format!("/api/users/{own}")).await.body, before, "{case} changed something");
        }
    }
}

/// Like [`stay_signed_in`]; without an email, the browser is signed out.
async fn be_signed_in_as(world: &World, browser: &mut Browser, email: Option<&str>) {
    match email {
        Some(email) => stay_signed_in(world, browser, email).await,
        None => browser.cookie = None,
    }
}

/// Signs in again if the session has ended: some operations end sessions of the caller.
pub(crate) async fn stay_signed_in(world: &World, browser: &mut Browser, email: &str) {
    if browser.get("/api/jwt/ping").await.status == 401 {
        *browser = world.signed_in(email).await;
    }
}

/// Restores the password if the operation changes it. Returns whether this has ended the sessions of the person.
pub(crate) async fn restore_password(world: &World, operation: &Operation, email: &str) -> bool {
    let changes_password = operation.id == "update_account_password";
    if changes_password {
        world.cloud.operator().set_password(&world.oem, email, PASSWORD.into()).await.unwrap();
    }
    changes_password
}

/// Builds a valid request for each operation. A new operation needs an entry here.
#[expect(clippy::too_many_lines, reason = "a table")]
pub(crate) async fn call(
    browser: &mut Browser,
    operation: &Operation,
    dsn: &str,
    in_stock: &str,
    email: &str,
) -> RequestBuilder {
    let mut path = operation.path.replace("{dsn}", dsn);
    let item = ITEMS[usize::from(dsn != NORTH)];
    if operation.is_about_an_item() {
        path = path.replace("{id}", item);
    }
    if operation.id == "delete_account_session" {
        let own = browser.get("/api/account/sessions").await.body;
        path = path.replace("{id}", own[0]["id"].as_str().unwrap_or("none"));
    }
    if operation.id == "delete_account_token" {
        let created = browser.post("/api/account/tokens", &account_token(&["devices_read"])).await.body;
        path = path.replace("{id}", created["id"].as_str().unwrap_or("none"));
    }
    if operation.path == "/api/csps/{id}" {
        // A CSP without devices or users. An actor who may not add it may not know any CSP, so an unknown id does.
        let free = browser.post("/api/csps", &json!({ "name": format!("{} {in_stock}", operation.id) })).await.body;
        path = path.replace("{id}", free["id"].as_str().unwrap_or(NO_ID));
    }
    path += match operation.id.as_str() {
        "report_purchasing" => "?until=2027-01-31",
        "report_stores" => "?month=2026-11",
        _ => "",
    };
    if operation.id == "undo_job" {
        // A second job restores what the first one wrote, so the undo changes nothing.
        let job = jobs::assign(browser, &[dsn], if dsn == NORTH { "South" } else { "North" }).await;
        jobs::assign(browser, &[dsn], csp_of(dsn)).await;
        path = path.replace("{id}", job["id"].as_str().unwrap_or(NO_ID));
    } else if operation.is_about_a_job() {
        // A job that changes nothing and has one failed target to retry. An actor who may not start it has no job.
        let job = jobs::assign(browser, &[dsn, "SC-NONE"], csp_of(dsn)).await;
        path = path.replace("{id}", job["id"].as_str().unwrap_or(NO_ID));
    }
    if operation.path.ends_with("/notifications/{id}") {
        // An actor who may not add a notification may not know any, so an unknown id does.
        let recipient = format!("{}.{in_stock}@example.com", operation.id);
        let notifications = format!("/api/devices/dsns/{dsn}/notifications");
        let added = browser.post(&notifications, &notification(&recipient)).await.body;
        path = path.replace("{id}", added["notifications"][0]["id"].as_str().unwrap_or("none"));
    }
    if operation.id == "undo_device_notification_removal" {
        let notifications = format!("/api/devices/dsns/{dsn}/notifications");
        let added = browser.post(&notifications, &notification(&format!("undo.{in_stock}@example.com"))).await.body;
        let id = added["notifications"][0]["id"].as_str().unwrap_or("none").to_owned();
        let removed = browser.delete(&format!("{notifications}/{id}")).await.body;
        path = path.replace("{id}", removed["undo"]["id"].as_str().unwrap_or(NO_ID));
    }
    if operation.id == "undo_fragrance_level_reset" {
        path = path.replace("{id}", &reset(browser, dsn).await);
    }
    if ["remove_passkey", "rename_passkey"].contains(&operation.id.as_str()) {
        path = path.replace("{id}", NO_ID);
    }
    if ["confirm_totp", "add_passkey"].contains(&operation.id.as_str()) {
        browser.post(&path, &json!({ "current": PASSWORD })).await;
    }
    let request = browser.request(operation.method.clone(), &path);
    match operation.id.as_str() {
        // The comment makes it a change, also if another person acted on the item before.
        "update_attention" => request.json(&json!({ "ids": [item], "comment": email })),
        "update_attention_settings" => request.json(&json!({ "offlineMinutes": 5 + in_stock.len() + email.len() })),
        "create_session" => request.json(&json!({ "email": email, "password": PASSWORD })),
        "update_device_schedule" => request.json(&schedule::running_at_noon()),
        "update_device_settings" => request.json(&json!({ "fan": 4 })),
        "request_password_reset" => request.json(&json!({ "email": email })),
        "set_password" => request.json(&json!({
            "token": UNKNOWN_TOKEN, "newPassword": PASSWORD, "confirmNewPassword": PASSWORD,
        })),
        "confirm_account" | "confirm_email_change" | "cancel_email_change" => {
            request.json(&json!({ "token": UNKNOWN_TOKEN }))
        }
        "update_account" => request.json(&json!({
            "firstname": email, "lastname": "Tester", "city": "Oslo", "country": "Norway",
        })),
        "update_account_password" => request.json(&json!({ "current": PASSWORD, "new": ANOTHER_PASSWORD })),
        "begin_totp" | "begin_passkey" => request.json(&json!({ "current": PASSWORD })),
        "confirm_totp" | "check_second_factor" => request.json(&json!({ "code": "000000" })),
        "add_passkey" => request.json(&json!({ "name": "Laptop", "credential": {} })),
        "rename_passkey" => request.json(&json!({ "name": "Phone" })),
        "begin_passkey_check" | "begin_passkey_proof" => request,
        "check_passkey" => request.json(&json!({ "credential": {} })),
        "remove_totp" | "create_recovery_codes" | "remove_passkey" => {
            request.json(&json!({ "current": PASSWORD, "code": "000000" }))
        }
        "stream_events" => request.query(&[("dsn", dsn)]),
        "list_facets" => request.query(&[("field", "city")]),
        "get_place" => request.query(&[("latitude", 59.9139), ("longitude", 10.7522)]),
        "create_account_token" => request.json(&account_token(&["devices_read"])),
        "update_attention_digest" => request.json(&json!({ "hour": 7, "timeZone": "UTC" })),
        "update_assignment_mails" => request.json(&json!({ "wanted": false })),
        "update_preferences" => request.json(&json!({ "timeFormat": "24hour" })),
        "update_list_preferences" => request.json(&json!({ "density": "compact" })),
        "create_device_notification" => request.json(&notification(&format!("{in_stock}@example.com"))),
        "update_device_notification" => request.json(&notification(&format!("{in_stock}.too@example.com"))),
        "create_csp" => request.json(&json!({ "name": format!("Added {in_stock}") })),
        "update_csp" => request.json(&json!({ "name": format!("Renamed {in_stock}") })),
        "create_device" => request.json(&form(in_stock, "North", "Lobby")),
        // The job changes nothing, even if it runs after the check.
        "preview_device_forecast" => request.json(&json!({ "settings": { "mode": 3 } })),
        "copy_device" | "preview_copy" => {
            // A CSP may only name its own devices; that one has the same fragrance already.
            let target = if email == ADMIN { "SC-NONE" } else { NORTH_AQ290 };
            request.json(&json!({ "targets": [target], "copyId": true }))
        }
        "assign_csp" | "preview_csp_assignment" => request.json(&json!({ "dsns": [dsn], "csp": csp_of(dsn) })),
        "update_device" => request.json(&form(dsn, csp_of(dsn), email)),
        "refresh_device"
        | "get_base_device"
        | "reset_fragrance_level"
        | "undo_fragrance_level_reset"
        | "delete_device_notification"
        | "undo_device_notification_removal"
        | "refresh_user"
        | "get_user"
        | "remove_user"
        | "disable_user"
        | "enable_user"
        | "resend_confirmation"
        | "send_password_reset"
        | "remove_attention_digest"
        | "reset_second_factor" => request,
        // A change of nothing: it would lock the other actors out.
        "update_sign_in_rules" => {
            request.json(&json!({ "role": Role::CspObserver.name(), "needsSecondFactor": false }))
        }
        "update_fragrances" | "preview_import" => request.json(&json!([{ "Fragrance": in_stock, "Density": "0.9" }])),
        "preview_import_undo" => request,
        "undo_import" => request.json(&json!({ "decidedOn": "0" })),
        "invite_user" => request.json(&invitation(&format!("{in_stock}@example.com"), json!({}))),
        "update_user" => request.json(&person(json!({ "csp": csp_of(dsn), "phone": email }))),
        "get_session"
        | "delete_session"
        | "update_jwt"
        | "ping_jwt"
        | "get_account"
        | "get_second_factor"
        | "get_attention_digest"
        | "list_attention"
        | "count_attention"
        | "list_attention_comments"
        | "list_attention_assignees"
        | "get_attention_settings"
        | "get_sign_in_rules"
        | "get_last_import"
        | "list_devices"
        | "count_devices"
        | "select_devices"
        | "get_device"
        | "get_device_forecast"
        | "get_device_history"
        | "list_device_notifications"
        | "list_account_sessions"
        | "delete_account_session"
        | "list_account_tokens"
        | "delete_account_token"
        | "delete_other_account_sessions"
        | "get_preferences"
        | "list_all_csps"
        | "list_csps"
        | "list_customers"
        | "get_csp"
        | "delete_csp"
        | "list_jobs"
        | "list_job_targets"
        | "get_job"
        | "cancel_job"
        | "retry_job"
        | "undo_job"
        | "list_audit"
        | "report_audit"
        | "list_fragrances"
        | "export_fragrances"
        | "list_time_zones"
        | "list_users"
        | "report_csps"
        | "report_job"
        | "report_devices"
        | "report_purchasing"
        | "get_fleet_history"
        | "report_fleet"
        | "report_stores"
        | "report_users" => request,
        unknown => panic!("the matrix does not know how to call {unknown}"),
    }
}

/// The id of a reset that can be undone, or `NO_ID` for an actor who may not reset the level.
async fn reset(browser: &mut Browser, dsn: &str) -> String {
    let path = format!("/api/devices/dsns/{dsn}/fragrance-level/reset");
    // Before the first, the hours of the cartridge may be unknown.
    browser.post(&path, &Value::Null).await;
    let answer = browser.post(&path, &Value::Null).await.body;
    answer["reset"]["undo"]["id"].as_str().unwrap_or(NO_ID).to_owned()
}

fn csp_of(dsn: &str) -> &'static str {
    if dsn == NORTH { "North" } else { "South" }
}

pub(crate) fn form(dsn: &str, csp: &str, service_area: &str) -> Value {
    json!({
        "dsn": dsn, "csp": csp, "serviceArea": service_area, "serialNumber": "4711", "systemConfiguration": "AQ380",
        "fragrance": "White Tea", "customer": "Hotel Aurora", "timeZone": "Europe/Oslo", "city": "Oslo", "country": "Norway",
    })
}

/// The request of the form of an access token.
pub(crate) fn account_token(rights: &[&str]) -> Value {
    json!({ "name": "Nightly report", "rights": rights, "expiresInDays": 30, "password": PASSWORD })
}

/// The request of the notification dialog.
fn notification(recipient: &str) -> Value {
    json!({ "method": "email", "recipient": recipient, "events": { "connected": true, "lowProductLevel": true } })
}

/// The request of the form of an existing person.
pub(crate) fn person(changes: Value) -> Value {
    with(
        json!({
            "role": Role::CspTech.name(), "csp": "North", "firstname": "Tess", "lastname": "Tester", "city": "Oslo",
            "country": "Norway",
        }),
        changes,
    )
}

/// The request of the invitation form.
pub(crate) fn invitation(email: &str, changes: Value) -> Value {
    with(person(json!({ "email": email, "password": PASSWORD })), changes)
}

fn with(mut form: Value, changes: Value) -> Value {
    let Value::Object(changes) = changes else { panic!("{changes}") };
    form.as_object_mut().unwrap().extend(changes);
    form
}

pub(crate) fn fragrance() -> Fragrance {
    Fragrance { name: "White Tea".to_owned(), sku: "WT".to_owned(), density: 1.0, flow: [Some(1.0); 7] }
}

async fn status(browser: &mut Browser, request: RequestBuilder, operation: &Operation) -> u16 {
    if operation.id == "stream_events" {
        return request.send().await.unwrap().status().as_u16();
    }
    browser.send(request).await.status
}

/// The data that a forbidden call could change.
pub(crate) async fn state(witness: &mut Browser, people: &[String; 2]) -> Value {
    let audit = witness.get("/api/audit?limit=1").await.body;
    let csps = witness.get("/api/csps/all").await.body;
    let items = witness.get("/api/attention?kind=no_use").await.body;
    let thresholds = witness.get("/api/attention/settings?csp=North").await.body;
    let mut state = vec![witness.device(NORTH).await, witness.device(SOUTH).await, csps, audit, items, thresholds];
    for person in people {
        state.push(witness.post(&format!("/api/users/{person}"), &Value::Null).await.body);
    }
    Value::Array(state)
}

/// Acknowledges the pending commands and restores the fan, so that the next write has a value to change.
async fn obey(world: &World, dsn: &str) {
    let device = world.cloud.device(dsn).await;
    for (id, ..) in device.pending().await {
        device.ack(&id, 200, 0).await;
        device.report(&[("fan", json!(2))]).await;
    }
}

pub(crate) fn operations() -> Vec<Operation> {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../api/openapi.json")).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    let mut operations = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let statuses = operation["responses"].as_object().unwrap().keys().filter_map(|key| key.parse().ok());
            operations.push(Operation {
                id: operation["operationId"].as_str().unwrap().to_owned(),
                method: method.to_uppercase().parse().unwrap(),
                path: path.clone(),
                success: statuses.filter(|status| (200..300).contains(status)).min().unwrap(),
            });
        }
    }
    assert!(!operations.is_empty());
    operations
}

/// The rows of the kind `app-api`, by method and path.
struct Permissions {
    columns: Vec<String>,
    rows: Vec<(String, Vec<String>)>,
}

impl Permissions {
    fn read() -> Self {
        let text =
            std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../quality/permissions.tsv")).unwrap();
        let mut lines = text.lines().map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>());
        let columns = lines.next().unwrap();
        let rows = lines
            .filter(|cells| cells[0] == "app-api")
            .flat_map(|cells| names(&cells[1]).into_iter().map(move |name| (name, cells.clone())).collect::<Vec<_>>());
        Self { rows: rows.collect(), columns }
    }

    fn cell(&self, name: &str, column: &str) -> &str {
        let row = self.rows.iter().find(|(row, _)| row == name);
        let (_, cells) = row.unwrap_or_else(|| panic!("quality/permissions.tsv has no row for {name}"));
        let at = self.columns.iter().position(|known| known == column).unwrap();
        cells[at].trim_end_matches('?')
    }

    fn expected(&self, operation: &Operation, column: &str, target: Target) -> u16 {
        let success = match operation.id.as_str() {
            // The mail token grants the right, so requests without one end here.
            "set_password" | "confirm_account" | "confirm_email_change" | "cancel_email_change" => 422,
            // Nobody has a second factor, and the code of a new one is unknown.
            "check_second_factor" | "begin_passkey_check" | "check_passkey" => 401,
            "confirm_totp" | "add_passkey" => 422,
            "rename_passkey" => 404,
            "begin_passkey_proof"
            | "remove_totp"
            | "remove_passkey"
            | "create_recovery_codes"
            | "reset_second_factor" => 409,
            // Without a mail server.
            "update_attention_digest" => 409,
            // Decided on another preview.
            "undo_import" => 409,
            _ => operation.success,
        };
        let admits = |cell: &str| match cell {
            "allow" | "own-record" => true,
            "own-csp" => {
                let has_target =
                    operation.is_about_a_device() || operation.is_about_a_person() || operation.is_about_an_item();
                !has_target || target == Target::Own
            }
            "deny" => false,
            other => panic!("quality/permissions.tsv: {other:?}"),
        };
        let cell = self.cell(&operation.name(), column);
        let may_know = match column {
            "signed_out" => return if admits(cell) { success } else { 401 },
            _ if operation.is_about_a_device() => admits(self.cell(READ_DEVICE, column)),
            // Each actor only has jobs that it may start; jobs.rs tests the access to jobs of others.
            _ if operation.is_about_a_job() => return if column == "OEM::Admin" { success } else { 404 },
            _ if operation.is_about_an_item() => admits(self.cell(READ_ITEM, column)),
            _ if operation.is_about_a_person() => admits(self.cell(READ_PERSON, column)),
            _ => true,
        };
        match (admits(cell), may_know) {
            (true, _) => success,
            (false, true) => 403,
            (false, false) => 404,
        }
    }
}

/// The operations of a cell: two for `POST, PUT /api/x (remark)`, none for a row about a part of one (`PUT /api/x: part`).
fn names(cell: &str) -> Vec<String> {
    let at = cell.find('/').unwrap();
    let path = cell[at..].split(' ').next().unwrap();
    if path.ends_with(':') {
        return Vec::new();
    }
    cell[..at].split(',').map(|method| format!("{} {path}", method.trim())).collect()
}
