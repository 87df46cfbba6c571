//! The authorisation matrix: every call × every kind of caller × the own and another partner's device, against
//! quality/permissions.tsv. Refused calls write nothing.

mod people;

mod notifications;
mod records;
mod rules;
mod schedules;
mod shares;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use cloud::operator::{NewDevice, NewUser};
use cloud::testing::{APP_ID, APP_SECRET, PASSWORD, RouteEntry, World, routes};
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::Fixture;

/// The columns of the table, and the user of the test world for each of them.
pub(crate) const CALLERS: [(&str, Option<&str>); 7] = [
    ("signed_out", None),
    ("no_role", Some(World::END_USER)),
    ("OEM::Admin", Some(World::ADMIN)),
    ("OEM::Observer", Some(World::OBSERVER)),
    ("CspAdmin", Some(World::PARTNER_ADMIN_A)),
    ("CspObserver", Some(World::PARTNER_OBSERVER_A)),
    ("CspTech", Some(World::TECHNICIAN_A)),
];

/// permissions.tsv: operation → column → value, without the `?` that marks our own decisions.
pub(crate) fn permissions() -> HashMap<String, HashMap<String, String>> {
    let text = include_str!("../../../../quality/permissions.tsv");
    let mut lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    lines
        .filter(|cells| cells[0] == "cloud-api")
        .map(|cells| {
            let columns = header
                .iter()
                .zip(&cells)
                .map(|(name, cell)| ((*name).to_owned(), cell.trim_end_matches('?').to_owned()));
            (cells[1].to_owned(), columns.collect())
        })
        .collect()
}

/// A device in the scope of a caller of this column, and one outside it; `None` if all devices are in scope.
fn devices(column: &str) -> (&'static str, Option<&'static str>) {
    match column {
        "no_role" => ("DEV-U1", Some("DEV-A1")),
        "CspAdmin" | "CspObserver" | "CspTech" => ("DEV-A1", Some("DEV-B1")),
        _ => ("DEV-A1", None),
    }
}

/// The status that the table demands for a device in scope.
fn expected(permission: &str, good: u16) -> u16 {
    match permission {
        "allow" | "own-csp" | "own-record" => good,
        "deny" => 403,
        other => panic!("no rule for {other:?}"),
    }
}

struct Target {
    dsn: &'static str,
    device_key: i64,
    property_key: i64,
    datapoint: String,
    role_label: i64,
    /// A file's datapoint, complete.
    file: String,
}

/// A label that makes no device visible to anybody.
fn role_label(key: &str) -> Value {
    json!({ "role_name": "OEM::Admin", "key": key, "value": "1" })
}

async fn target(fixture: &Fixture, admin: &str, dsn: &'static str) -> Target {
    let intensity = fixture.property(admin, dsn, "intensity").await;
    let labels = format!("/apiv1/devices/{}/role_labels", intensity["device_key"]);
    let datum = json!({ "datum": { "key": "zone", "value": "1" } });
    fixture.post(admin, &format!("/apiv1/dsns/{dsn}/data"), datum).await;
    let label = fixture.post(admin, &labels, json!({ "role_label": role_label("zone") })).await.body;
    Target {
        dsn,
        role_label: label["role_label"]["id"].as_i64().unwrap(),
        device_key: intensity["device_key"].as_i64().unwrap(),
        property_key: intensity["key"].as_i64().unwrap(),
        datapoint: fixture.command(admin, dsn, "intensity", json!(30)).await,
        file: complete_file(fixture, admin, dsn).await["id"].as_str().unwrap().to_owned(),
    }
}

/// Whether the call cannot be repeated on the same device.
fn uses_up(route: RouteEntry) -> bool {
    matches!(
        (route.method, route.path),
        ("DELETE", "/apiv1/devices/{key}" | "/apiv1/role_labels/{id}")
            | ("DELETE" | "POST", "/apiv1/dsns/{dsn}/data" | "/apiv1/dsns/{dsn}/data/{key}")
            | (_, "/apiv1/devices/{key}/role_labels/disassociate")
    )
}

/// Another device with the labels or the owner of this device of the test world.
async fn another_like(fixture: &Fixture, admin: &str, dsn: &str) -> Target {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let new: &'static str = format!("NEW-{}", COUNT.fetch_add(1, Ordering::Relaxed)).leak();
    let partner = dsn.strip_prefix("DEV-").and_then(|dsn| dsn.chars().next()).filter(|partner| *partner != 'U');
    let roles = ["OEM::Partner::Admin", "OEM::Partner::Observer", "OEM::Partner::Technician"];
    let label = |role: &str, partner: char| (role.to_owned(), "partner_id".to_owned(), partner.to_string());
    let device = NewDevice {
        dsn: new.into(),
        template: "thing".into(),
        registered: true,
        owner_email: partner.is_none().then(|| World::END_USER.to_owned()),
        labels: partner.map(|partner| roles.map(|role| label(role, partner)).into()).unwrap_or_default(),
        ..NewDevice::default()
    };
    fixture.cloud.operator().add_devices(&fixture.world.oem, &[device]).await.unwrap();
    target(fixture, admin, new).await
}

/// A file whose bytes have not been uploaded yet.
async fn placeholder(fixture: &Fixture, token: &str, dsn: &str) -> Value {
    let path = format!("/apiv1/dsns/{dsn}/properties/log/datapoints");
    fixture.post(token, &path, json!({})).await.body["datapoint"].take()
}

async fn complete_file(fixture: &Fixture, token: &str, dsn: &str) -> Value {
    let file = placeholder(fixture, token, dsn).await;
    let bytes = crate::client::client().put(file["file"].as_str().unwrap()).body("bytes").send().await.unwrap();
    assert_eq!(bytes.status(), 200);
    let path = format!("/apiv1/datapoints/{}", file["id"].as_str().unwrap());
    fixture.call(Method::PUT, &path, Some(token), None).await.body["datapoint"].take()
}

impl Target {
    fn path(&self, route: RouteEntry, subscription: &str) -> String {
        let template = route.path;
        if route.method == "PUT" && template.contains("/datapoints/{id}") {
            let path = template.replace("{dsn}", self.dsn).replace("{key}", &self.device_key.to_string());
            return path.replace("{name}", "log").replace("{id}", &self.file);
        }
        let key = if template.contains("/properties/{key}") { self.property_key } else { self.device_key };
        let role_label = self.role_label.to_string();
        let id = match template {
            "/api/v1/subscriptions/{id}" => subscription,
            "/apiv1/role_labels/{id}" => &role_label,
            _ => &self.datapoint,
        };
        // The key of a datum.
        let template = template.replace("/data/{key}", "/data/zone");
        if template.ends_with("/find_by_role_label") {
            return format!("{template}?role=OEM::Admin&key=zone&value=1");
        }
        template
            .replace("{dsn}", self.dsn)
            .replace("{key}", &key.to_string())
            .replace("{name}", "intensity")
            .replace("{id}", id)
    }
}

async fn call(fixture: &Fixture, route: RouteEntry, target: &Target, path: &str, token: Option<&str>) -> u16 {
    let body = match route.path {
        "/users/sign_in" => {
            Some(json!({ "user": { "email": World::ADMIN, "password": PASSWORD, "application": application() } }))
        }
        path if path.ends_with("/datapoints") && route.method == "POST" => {
            Some(json!({ "datapoint": { "value": 31 } }))
        }
        path if route.method == "PUT" && path.ends_with("/time_zones") => Some(json!({ "tz_id": "Asia/Tokyo" })),
        "/apiv1/devices" if route.method == "POST" => Some(json!({ "device": { "dsn": "NO-SUCH" } })),
        path if route.method == "PUT" && path.ends_with("/addr") => {
            let addr = json!({ "street": "1 Rue", "city": "Lyon", "state": "Rhône", "country": "FR", "zip": "69001" });
            Some(json!({ "addr": addr }))
        }
        path if route.method == "PUT" && path.ends_with("/datapoints/{id}") => {
            Some(json!({ "datapoint": { "fetched": "true" } }))
        }
        path if path.ends_with("/locations") => Some(json!({ "location": { "lat": 1, "long": 2 } })),
        "/apiv1/devices/{key}/role_labels" | "/apiv1/role_labels/{id}" if route.method != "GET" => {
            Some(json!({ "role_label": role_label(if route.method == "POST" { "floor" } else { "hall" }) }))
        }
        "/apiv1/dsns/{dsn}/data" if route.method == "POST" => {
            Some(json!({ "datum": { "key": "floor", "value": "2" } }))
        }
        "/apiv1/dsns/{dsn}/data/{key}" if route.method == "PUT" => Some(json!({ "datum": { "value": "2" } })),
        path if path.ends_with("/associate") => Some(role_label("shelf")),
        path if path.ends_with("/disassociate") => Some(role_label("zone")),
        "/apiv1/devices/{key}" | "/apiv1/dsns/{dsn}" if route.method == "PUT" => {
            Some(json!({ "device": { "product_name": "Lobby" } }))
        }
        _ => None,
    };
    let method = Method::from_bytes(route.method.as_bytes()).unwrap();
    if route.path == "/apiv1/batch_datapoints" {
        let entry = json!({ "dsn": target.dsn, "name": "intensity", "datapoint": { "value": 31 } });
        let answer = fixture.call(method, path, token, Some(json!({ "batch_datapoints": [entry] }))).await;
        // Each entry has its own status.
        return answer.body[0]["status"].as_u64().map_or(answer.status, |status| u16::try_from(status).unwrap());
    }
    fixture.call(method, path, token, body).await.status
}

fn application() -> Value {
    json!({ "app_id": APP_ID, "app_secret": APP_SECRET })
}

fn subscription() -> Value {
    json!({ "name": "Lobby", "description": "Values", "dsn": "*", "property_name": "intensity", "oem_model": "*",
            "client_type": "mobile", "subscription_type": "datapoint" })
}

/// The body of a request that sends a mail to this address.
fn mail_to(email: &str) -> Value {
    json!({ "user": { "email": email, "application": application() } })
}

/// A new user with the permissions of this user of the test world.
async fn person_like(fixture: &Fixture, email: Option<&str>, confirmed: bool) -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let new = format!("person{}@example.com", COUNT.fetch_add(1, Ordering::Relaxed));
    let (role, label) = match email {
        Some(World::ADMIN) => (Some("OEM::Admin"), None),
        Some(World::OBSERVER) => (Some("OEM::Observer"), None),
        Some(World::PARTNER_ADMIN_A) => (Some("OEM::Partner::Admin"), Some("A")),
        Some(World::PARTNER_ADMIN_B) => (Some("OEM::Partner::Admin"), Some("B")),
        Some(World::PARTNER_OBSERVER_A) => (Some("OEM::Partner::Observer"), Some("A")),
        Some(World::TECHNICIAN_A) => (Some("OEM::Partner::Technician"), Some("A")),
        _ => (None, None),
    };
    let (role, label) = (role.map(Into::into), label.map(Into::into));
    let user = NewUser { email: new.clone(), password: PASSWORD.into(), role, label, confirmed, ..NewUser::default() };
    assert!(fixture.cloud.operator().ensure_user(&fixture.world.oem, &user).await.unwrap());
    new
}

/// The token of the newest mail.
async fn mailed_token(fixture: &Fixture) -> String {
    fixture.cloud.outbox().await.last().unwrap().token().to_owned()
}

/// Calls about the caller's own account, made by a new user with the same permissions, so that the world stays
/// unchanged.
async fn account_call(fixture: &Fixture, route: RouteEntry, email: Option<&str>) -> Option<u16> {
    let body = match (route.method, route.path) {
        ("POST", "/users/password") => mail_to(World::OBSERVER),
        ("PUT", "/users/password") => {
            let person = person_like(fixture, email, true).await;
            fixture.call(Method::POST, "/users/password", None, Some(mail_to(&person))).await;
            let token = mailed_token(fixture).await;
            json!({ "user": { "reset_password_token": token, "password": "Battery-Staple-2",
                              "password_confirmation": "Battery-Staple-2" } })
        }
        ("PUT", "/users/confirmation") => {
            let person = person_like(fixture, email, false).await;
            let admin = fixture.token(World::ADMIN).await;
            fixture.post(&admin, "/users/confirmation", mail_to(&person)).await;
            json!({ "confirmation_token": mailed_token(fixture).await })
        }
        ("POST", "/users/confirmation") => mail_to(&person_like(fixture, Some(World::TECHNICIAN_A), false).await),
        ("PUT", "/users/update_email") => json!({ "email": format!("new.{}", person_like(fixture, None, true).await) }),
        ("PUT", "/users/update_email/cancel") => {
            let person = person_like(fixture, email, true).await;
            let token = fixture.token(&person).await;
            let body = json!({ "email": format!("new.{person}"), "current_password": PASSWORD });
            assert_eq!(fixture.put(&token, "/users/update_email", body).await.status, 200);
            let outbox = fixture.cloud.outbox().await;
            let mail = outbox.iter().rfind(|mail| mail.recipient == person).unwrap();
            json!({ "cancellation_token": mail.token() })
        }
        ("PUT", "/users") => json!({ "user": { "city": "Paris" } }),
        ("DELETE", "/users") => json!({}),
        _ => return None,
    };
    let token = match email {
        Some(_) => Some(fixture.token(&person_like(fixture, email, true).await).await),
        None => None,
    };
    let method = Method::from_bytes(route.method.as_bytes()).unwrap();
    Some(fixture.call(method, route.path, token.as_deref(), Some(body)).await.status)
}

#[tokio::test]
async fn partner_administrator_confirms_only_the_own_users() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let nobody = "nobody@example.com".to_owned();
    let (own, others) = (Some(World::TECHNICIAN_A), [Some(World::PARTNER_ADMIN_B), Some(World::ADMIN), None]);
    let resend = async |email: String| fixture.post(&token, "/users/confirmation", mail_to(&email)).await.status;
    assert_eq!(resend(person_like(&fixture, own, false).await).await, 201);
    for other in others {
        assert_eq!(resend(person_like(&fixture, other, false).await).await, 404, "{other:?}");
    }
    assert_eq!((resend(nobody).await, resend(World::MACHINE.to_owned()).await), (404, 404));
    assert_eq!(fixture.cloud.outbox().await.len(), 1);
}

/// Calls that concern no device: the caller's own session, or a mail address.
async fn session_call(fixture: &Fixture, route: RouteEntry, email: Option<&str>) -> Option<u16> {
    let post = async |path, token: Option<&str>, body| fixture.call(Method::POST, path, token, Some(body)).await;
    match route.path {
        "/users/refresh_token" => {
            let Some(email) = email else { return Some(post(route.path, None, json!({})).await.status) };
            let user = json!({ "email": email, "password": PASSWORD, "application": application() });
            let mut session = post("/users/sign_in", None, json!({ "user": user })).await.body;
            let body = json!({ "user": { "refresh_token": session["refresh_token"].take() } });
            Some(post(route.path, None, body).await.status)
        }
        "/api/v1/token_sign_in" => {
            let token = match email {
                Some(email) => fixture.token(email).await,
                None => "0".repeat(32),
            };
            let body = json!({ "token": token, "app_id": APP_ID, "app_secret": APP_SECRET });
            Some(post(route.path, None, body).await.status)
        }
        "/users/sign_out" => {
            let token = match email {
                Some(email) => Some(fixture.token(email).await),
                None => None,
            };
            let body = token.as_ref().map_or(json!({}), |token| json!({ "user": { "access_token": token } }));
            Some(post(route.path, token.as_deref(), body).await.status)
        }
        // The signed address itself grants access.
        "/files/{id}" => {
            let admin = fixture.token(World::ADMIN).await;
            let (method, file) = match route.method {
                "PUT" => (Method::PUT, placeholder(fixture, &admin, "DEV-A1").await),
                _ => (Method::GET, complete_file(fixture, &admin, "DEV-A1").await),
            };
            let path = file["file"].as_str().unwrap().strip_prefix(&fixture.cloud.url()).unwrap().to_owned();
            let token = match email {
                Some(email) => Some(fixture.token(email).await),
                None => None,
            };
            Some(fixture.call(method, &path, token.as_deref(), None).await.status)
        }
        "/stream" => {
            let Some(email) = email else {
                return Some(fixture.call(Method::GET, "/stream", None, None).await.status);
            };
            let token = fixture.token(email).await;
            let body = fixture.post(&token, "/api/v1/subscriptions", subscription()).await.body;
            let key = body["subscription"]["stream_key"].as_str().unwrap().to_owned();
            // Without an upgrade.
            fixture.call(Method::GET, &format!("/stream?stream_key={key}"), None, None).await;
            Some(if crate::stream::open(fixture, "/stream", &key).await.is_ok() { 101 } else { 0 })
        }
        _ => None,
    }
}

/// The status of a permitted call with valid input.
fn good(route: RouteEntry) -> u16 {
    match (route.method, route.path) {
        (_, "/stream") => 101,
        // No device has LAN access.
        (_, path) if path.ends_with("/lan") => 404,
        // No registration window is open.
        ("GET", "/apiv1/devices/register") | ("POST", "/apiv1/devices") => 404,
        ("DELETE", path) if notifications::names_one(path) => 200,
        ("DELETE", "/apiv1/devices/{key}" | "/apiv1/dsns/{dsn}/data/{key}") => 200,
        ("DELETE", path) if path.contains("/schedule") => 200,
        ("DELETE", _) | ("PUT", "/users" | "/users/password") => 204,
        ("POST", "/users/password" | "/users/confirmation") => 201,
        ("POST", "/api/v1/token_sign_in") => 200,
        ("PUT", path) if path.starts_with("/api/v1/users/") && path.contains("_") => 204,
        ("POST", "/users") => 201,
        ("POST", "/rulesservice/v1/rules/{uuid}") => 200,
        ("POST", path) if !path.starts_with("/users") => 201,
        _ => 200,
    }
}

/// The status of a call without a sign-in.
fn refused(route: RouteEntry) -> u16 {
    // A refresh is refused by its own token, not by the header's (docs/wire.md#users).
    if route.path == "/users/refresh_token" { 422 } else { 401 }
}

#[tokio::test]
async fn every_call_enforces_the_permissions() {
    let wrong = wrong_answers(&Fixture::start().await.watching(), &CALLERS).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Makes every call as these callers. Returns the answers whose status is not that of the table.
#[expect(clippy::too_many_lines, reason = "a table")]
pub(crate) async fn wrong_answers(fixture: &Fixture, callers: &[(&str, Option<&str>)]) -> Vec<String> {
    let admin = fixture.token(World::ADMIN).await;
    let permissions = permissions();
    let mut targets = HashMap::new();
    for dsn in ["DEV-A1", "DEV-B1", "DEV-U1"] {
        targets.insert(dsn, target(fixture, &admin, dsn).await);
    }
    let mut wrong: Vec<String> = Vec::new();
    for route in routes() {
        let row = permissions.get(route.permission);
        let row = row.unwrap_or_else(|| panic!("permissions.tsv has no cloud-api row {:?}", route.permission));
        for &(column, email) in callers {
            let permission = &row[column];
            let mut check = |what: &str, status: u16, expected: u16| {
                if status != expected {
                    let call = format!("{} {}", route.method, route.path);
                    wrong.push(format!("{call} as {column} on {what}: {status}, not {expected} ({permission})"));
                }
            };
            let own_status = match email {
                None if permission == "deny" => refused(route),
                _ => expected(permission, good(route)),
            };
            if let Some(status) = session_call(fixture, route, email).await {
                check("the own session", status, own_status);
                continue;
            }
            if let Some(status) = account_call(fixture, route, email).await {
                check("the own account", status, own_status);
                continue;
            }
            if let Some((status, others)) = people::statuses(fixture, route, column, email).await {
                check("the own people", status, own_status);
                wrong.extend(others);
                continue;
            }
            if let Some((status, others)) = rules::statuses(fixture, route, column, email).await {
                check("the own rules", status, own_status);
                wrong.extend(others);
                continue;
            }
            let token = match email {
                Some(email) => Some(fixture.token(email).await),
                None => None,
            };
            if let Some(status) = records::call(fixture, route, token.as_deref()).await {
                check("the own record", status, own_status);
                continue;
            }
            let subscription = match &token {
                Some(token) if route.path.contains("subscriptions/{id}") => {
                    let created = fixture.post(token, "/api/v1/subscriptions", subscription()).await;
                    created.body["subscription"]["id"].to_string()
                }
                _ => "1".to_owned(),
            };
            let (own, other) = devices(column);
            // Calls use up devices, and earlier calls end the sessions of the administrator.
            let admin = fixture.token(World::ADMIN).await;
            let used_up = if uses_up(route) { Some(another_like(fixture, &admin, own).await) } else { None };
            let target = used_up.as_ref().unwrap_or(&targets[own]);
            let path = target.path(route, &subscription);
            if notifications::is_one(route) {
                let status = notifications::call(fixture, route, own, token.as_deref()).await;
                check(own, status, own_status);
                if let Some(other) = other {
                    check(other, notifications::call(fixture, route, other, token.as_deref()).await, 404);
                }
                continue;
            }
            if schedules::is_about(route) {
                let status = schedules::call(fixture, route, own, token.as_deref()).await;
                check(own, status, own_status);
                if let Some(other) = other.filter(|_| schedules::names_one(route)) {
                    check(other, schedules::call(fixture, route, other, token.as_deref()).await, 404);
                }
                continue;
            }
            if route.path.starts_with(shares::PATH) {
                let status = shares::call(fixture, route, own, token.as_deref()).await;
                check(own, status, own_status);
                if let Some(other) = other.filter(|_| shares::names_a_device(route)) {
                    check(other, shares::call(fixture, route, other, token.as_deref()).await, 404);
                }
                continue;
            }
            check(own, call(fixture, route, target, &path, token.as_deref()).await, own_status);
            let names_a_device =
                ["{dsn}", "{key}", "batch", "/datapoints/{id}"].iter().any(|name| route.path.contains(name));
            if let Some(other) = other.filter(|_| names_a_device) {
                let path = targets[other].path(route, &subscription);
                check(other, call(fixture, route, &targets[other], &path, token.as_deref()).await, 404);
            }
        }
    }
    wrong
}

#[test]
fn every_permission_row_has_a_route_or_a_separate_test() {
    // The routes of these calls refer to other rows. A separate test checks each of these rows.
    let tested_apart = [
        "GET apiv1/dsns/{dsn} of an unregistered base device",
        "associate own partner label on an unregistered device",
        "rules: GET by type and id",
    ];
    let without_a_call = "outbox of messages (operator only)";
    let mut without_a_route = Vec::new();
    for (row, columns) in permissions() {
        if row == without_a_call {
            assert!(CALLERS.iter().all(|(column, _)| columns[*column] == "deny"), "{columns:?}");
        }
        if !routes().into_iter().any(|route| route.permission == row) {
            without_a_route.push(row);
        }
    }
    without_a_route.sort_unstable();
    let mut expected = [&tested_apart[..], &[without_a_call]].concat();
    expected.sort_unstable();
    assert_eq!(without_a_route, expected);
}

/// Without this, the matrix could never find a row that a refused call wrote.
#[tokio::test]
async fn written_rows_are_counted() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let before = fixture.cloud.rows_written().await;
    assert_eq!(fixture.put(&token, "/users", json!({ "user": { "city": "Paris" } })).await.status, 204);
    assert_eq!(fixture.cloud.rows_written().await, before + 1);
}

#[tokio::test]
async fn only_an_administrator_reads_unregistered_stock() {
    let fixture = Fixture::start().await;
    let permissions = permissions();
    let row = &permissions["GET apiv1/dsns/{dsn} of an unregistered base device"];
    for (column, email) in CALLERS {
        let token = match email {
            Some(email) => Some(fixture.token(email).await),
            None => None,
        };
        let status = fixture.call(Method::GET, "/apiv1/dsns/DEV-S1", token.as_deref(), None).await.status;
        let expected = match (column, &*row[column]) {
            ("signed_out", _) => 401,
            (_, "allow") => 200,
            // Devices outside the scope do not exist for the caller.
            _ => 404,
        };
        assert_eq!(status, expected, "{column}");
    }
}
