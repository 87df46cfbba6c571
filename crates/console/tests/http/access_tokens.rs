//! Access tokens of programs.

use jiff::SignedDuration;
use platform::db::{Db, params};
use platform::testing::TestDb;
use reqwest::header::{AUTHORIZATION, COOKIE, ORIGIN};
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};

use crate::authorisation::{Operation, account_token, operations};
use crate::browser::{Answer, Browser};
use crate::world::*;

on_both_databases![
    token_is_shown_once_and_works_until_it_is_revoked,
    token_ends_at_its_own_time,
    tokens_end_with_the_password_and_with_the_user,
];

const TOKENS: &str = "/api/account/tokens";
const RIGHTS: [&str; 11] = [
    "devices_read",
    "devices_write",
    "users_read",
    "users_write",
    "csps_read",
    "csps_write",
    "fragrances_read",
    "fragrances_write",
    "jobs_read",
    "jobs_write",
    "audit_read",
];
const NO_ID: &str = "00000000-0000-4000-8000-000000000000";

/// A program with a token: it has no cookies and sends no origin.
pub(crate) struct Program {
    http: Client,
    console: String,
    token: String,
}

impl Program {
    fn new(world: &World, token: &str) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = Client::builder().tls_certs_only([]).build().unwrap();
        Self { http, console: format!("http://{}", world.console.addr()), token: token.to_owned() }
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.console));
        request.header(AUTHORIZATION, format!("Bearer {}", self.token))
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        answer(self.request(Method::GET, path)).await
    }

    async fn put(&self, path: &str, body: &Value) -> Answer {
        answer(self.request(Method::PUT, path).json(body)).await
    }
}

async fn answer(request: RequestBuilder) -> Answer {
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let body = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or(Value::Null);
    Answer { status, headers, body }
}

/// Creates a token with these rights in the browser of its user.
pub(crate) async fn create(world: &World, browser: &mut Browser, rights: &[&str]) -> Program {
    let created = browser.post(TOKENS, &account_token(rights)).await;
    assert_eq!(created.status, 201, "{}", created.body);
    Program::new(world, created.body["token"].as_str().unwrap())
}

/// The newest entry of the audit about this operation.
async fn audited(browser: &mut Browser, operation: &str) -> Value {
    browser.get(&format!("/api/audit?operation={operation}")).await.body["entries"][0].clone()
}

fn assert_rejected(answer: &Answer) {
    assert_eq!((answer.status, answer.code()), (401, "token_rejected"), "{}", answer.body);
    assert_eq!(answer.headers["www-authenticate"], r#"Bearer error="invalid_token""#);
}

async fn token_is_shown_once_and_works_until_it_is_revoked(database: TestDb) {
    let world = World::start_on(&database).await;
    let mut browser = world.signed_in(ADMIN).await;
    let created = browser.post(TOKENS, &account_token(&["devices_write"])).await;
    assert_eq!(created.status, 201, "{}", created.body);
    let secret = created.body["token"].as_str().unwrap().to_owned();
    let mut expected = json!({
        "id": created.body["id"], "name": "Nightly report", "rights": ["devices_write"],
        "createdAt": "2026-11-20T10:00:00Z", "expiresAt": "2026-12-20T10:00:00Z", "lastUsedAt": null, "address": null,
    });
    assert_eq!(browser.get(TOKENS).await.body, json!([expected]));
    assert_eq!(browser.get("/api/account/sessions").await.body.as_array().unwrap().len(), 1, "tokens are no sessions");

    let program = Program::new(&world, &secret);
    assert_eq!(program.get("/api/devices").await.body["total"], 4);
    (expected["lastUsedAt"], expected["address"]) = (expected["createdAt"].clone(), json!("127.0.0.1"));
    assert_eq!(browser.get(TOKENS).await.body, json!([expected]));
    let settings = format!("/api/devices/dsns/{NORTH}/settings");
    assert_eq!(program.put(&settings, &json!({ "fan": 4 })).await.status, 200);
    let foreign = program.request(Method::PUT, &settings).header(ORIGIN, "https://evil.example");
    assert_eq!(answer(foreign.json(&json!({ "fan": 3 }))).await.status, 200, "no page can send the token");

    let entry = audited(&mut browser, "create_account_token").await;
    let changes = json!([
        { "field": "token", "before": null, "after": "Nightly report", "saved": true },
        { "field": "rights", "before": null, "after": "devices_write", "saved": true },
        { "field": "expiresInDays", "before": null, "after": 30, "saved": true },
    ]);
    assert_eq!(
        (&entry["actor"]["email"], &entry["result"], &entry["changes"]),
        (&json!(ADMIN), &json!("done"), &changes)
    );
    let entry = audited(&mut browser, "update_device_settings").await;
    assert_eq!(
        (&entry["actor"]["email"], &entry["actor"]["browser"]),
        (&json!(ADMIN), &json!("Access token “Nightly report”"))
    );

    let db = Db::connect(&world.database).await.unwrap();
    let hex = secret.trim_start_matches("sillage_");
    let (stored,): (i64,) =
        db.fetch_one("select count(*) from sessions where id_hash like $1", params![format!("%{hex}%")]).await.unwrap();
    assert_eq!(stored, 0, "only the hash is stored");
    assert!(!browser.get("/api/audit").await.body.to_string().contains(hex));

    let path = format!("{TOKENS}/{}", created.body["id"].as_str().unwrap());
    assert_eq!(world.signed_in(OBSERVER).await.delete(&path).await.status, 404, "of another user");
    assert_eq!(browser.delete(&path).await.status, 204);
    assert_rejected(&program.get("/api/devices").await);
    assert_eq!(browser.get(TOKENS).await.body, json!([]));
    assert_eq!(browser.delete(&path).await.status, 404, "revoked already");
    let entry = audited(&mut browser, "delete_account_token").await;
    assert_eq!(
        entry["changes"],
        json!([{ "field": "token", "before": "Nightly report", "after": null, "saved": true }])
    );
}

async fn token_ends_at_its_own_time(database: TestDb) {
    let world = World::start_on(&database).await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let program = create(&world, &mut browser, &["devices_read"]).await;
    for _ in 0..29 {
        world.clock.advance(SignedDuration::from_hours(24));
        assert_eq!(program.get("/api/devices").await.status, 200, "unlike the session of a browser");
    }
    // A sign-in deletes ended sessions.
    let mut browser = world.signed_in(NORTH_TECH).await;
    world.clock.advance(SignedDuration::from_hours(24) - SignedDuration::from_secs(1));
    assert_eq!(program.get("/api/devices").await.status, 200);
    assert_eq!(browser.get("/api/account").await.status, 401);
    world.pass_seconds(1);
    assert_rejected(&program.get("/api/devices").await);
    assert_eq!(world.signed_in(NORTH_TECH).await.get(TOKENS).await.body, json!([]));
}

async fn tokens_end_with_the_password_and_with_the_user(database: TestDb) {
    let world = World::start_on(&database).await;
    let mut admin = world.signed_in(ADMIN).await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let (first, second) =
        (create(&world, &mut browser, &["devices_read"]).await, create(&world, &mut browser, &["devices_write"]).await);
    let other = create(&world, &mut admin, &["devices_read"]).await;
    let passwords = json!({ "current": PASSWORD, "new": "Other-Horse-2" });
    assert_eq!(browser.put("/api/account/password", &passwords).await.status, 200);
    for program in [&first, &second] {
        assert_rejected(&program.get("/api/devices").await);
    }
    assert_eq!(browser.get(TOKENS).await.body, json!([]));
    assert_eq!(other.get("/api/devices").await.status, 200, "of another user");

    let form = json!({ "name": "Again", "rights": ["devices_read"], "expiresInDays": 1, "password": "Other-Horse-2" });
    let created = browser.post(TOKENS, &form).await;
    let program = Program::new(&world, created.body["token"].as_str().unwrap());
    assert_eq!(program.get("/api/devices").await.status, 200);
    let id = world.user_id(NORTH_TECH).await;
    assert_eq!(admin.delete(&format!("/api/users/{id}")).await.status, 204);
    assert_rejected(&program.get("/api/devices").await);
}

#[tokio::test]
async fn each_operation_requires_the_right_of_the_table() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/token-rights.tsv")).unwrap();
    let rows: Vec<(&str, &str)> = text.lines().skip(1).map(|line| line.split_once('\t').unwrap()).collect();
    let operations = operations();
    assert_eq!(rows.len(), operations.len(), "one row for each operation");
    let required = |operation: &Operation| {
        let row = rows.iter().find(|(name, _)| *name == operation.name());
        row.unwrap_or_else(|| panic!("docs/token-rights.tsv has no row for {}", operation.name())).1
    };
    for right in RIGHTS {
        let program = create(&world, &mut browser, &[right]).await;
        for operation in &operations {
            let required = required(operation);
            let path = operation.path.replace("{dsn}", "SC-NONE").replace("{id}", NO_ID);
            // Without a body, so that no call that is let through changes anything.
            let response = program.request(operation.method.clone(), &path).send().await.unwrap();
            let status = response.status().as_u16();
            let is_event_stream = operation.id == "stream_events" && status == 200;
            let body: Value = if is_event_stream { Value::Null } else { response.json().await.unwrap_or_default() };
            let code = body["code"].as_str().unwrap_or_default();
            let case = format!("{} with {right}: {status} {code}", operation.name());
            let family = required.strip_suffix("_read");
            let may = required == right || family.is_some() && family == right.strip_suffix("_write");
            match required {
                // No sign-in awaits a second factor.
                "open" if code == "sign_in_ended" => {}
                "open" => assert!(!matches!(status, 401 | 403) && status < 500, "{case}"),
                "never" => assert!((status, code) == (403, "not_for_tokens") || status == 401, "{case}"),
                _ if may => assert!(!matches!(status, 401 | 403) && status < 500, "{case}"),
                _ => {
                    assert_eq!((status, code), (403, "right_missing"), "{case}");
                    assert!(body["detail"].as_str().unwrap().ends_with(&format!("{required}.")), "{body}");
                }
            }
        }
    }
}

#[tokio::test]
async fn token_grants_nothing_that_its_user_may_not_do() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let program = create(&world, &mut browser, &RIGHTS).await;
    assert_eq!(program.get("/api/devices").await.body["total"], 2);
    assert_eq!(program.get(&format!("/api/devices/dsns/{SOUTH}")).await.status, 404);
    for path in ["/api/users", "/api/csps", "/api/audit"] {
        let answer = program.get(path).await;
        assert_eq!((answer.status, answer.code()), (403, "forbidden"), "{path}");
    }
}

#[tokio::test]
async fn cookies_and_tokens_do_not_mix() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    let reader = create(&world, &mut browser, &["devices_read"]).await;
    let cookie = browser.cookie.clone().unwrap();
    let with_cookie = |program: &Program, path: &str| program.request(Method::GET, path).header(COOKIE, &cookie);

    let answers = answer(with_cookie(&reader, "/api/users")).await;
    assert_eq!((answers.status, answers.code()), (403, "right_missing"), "the cookie would permit it");
    assert_eq!(answer(with_cookie(&reader, "/api/session")).await.body, Value::Null);
    assert_eq!(answer(with_cookie(&reader, "/api/jwt/ping")).await.status, 401);
    let id = cookie.split_once('=').unwrap().1;
    for token in ["", "x", "sillage_", &format!("sillage_{}", "0".repeat(64)), id, &format!("sillage_{id}")] {
        let program = Program::new(&world, token);
        assert_rejected(&answer(with_cookie(&program, "/api/devices")).await);
    }
    // Signing out with a token and a cookie ends neither.
    let both = reader.request(Method::DELETE, "/api/session").header(COOKIE, &cookie);
    assert_eq!(answer(both).await.status, 204);
    assert_eq!(browser.get("/api/devices").await.status, 200);
    assert_eq!(reader.get("/api/devices").await.status, 200);

    browser.cookie = Some(format!("sillage={}", reader.token.trim_start_matches("sillage_")));
    assert_eq!(browser.get("/api/devices").await.status, 401);
    assert_eq!(browser.get("/api/session").await.body, Value::Null);
}

#[tokio::test]
async fn invalid_form_names_its_fields_and_creates_nothing() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    let long = "x".repeat(61);
    let valid = account_token(&["devices_read", "devices_read"]);
    let with = |field: &str, value: Value| {
        let mut form = valid.clone();
        form[field] = value;
        form
    };
    let without = |field: &str| {
        let mut form = valid.clone();
        form.as_object_mut().unwrap().remove(field);
        form
    };
    for (form, field) in [
        (without("name"), "name"),
        (without("rights"), "rights"),
        (without("expiresInDays"), "expiresInDays"),
        (without("password"), "password"),
        (with("name", json!("  ")), "name"),
        (with("name", json!("two\nlines")), "name"),
        (with("name", json!(long)), "name"),
        (with("name", json!(7)), "name"),
        (with("rights", json!([])), "rights"),
        (with("rights", json!("devices_read")), "rights"),
        (with("rights", json!(["account_write"])), "rights[0]"),
        (with("expiresInDays", json!(0)), "expiresInDays"),
        (with("expiresInDays", json!(366)), "expiresInDays"),
        (with("expiresInDays", json!(-1)), "expiresInDays"),
        (with("expiresInDays", json!(1.5)), "expiresInDays"),
        (with("password", json!("")), "password"),
        (with("password", json!("x".repeat(129))), "password"),
        (with("password", json!("Wrong-Horse-1")), "password"),
    ] {
        let answer = browser.post(TOKENS, &form).await;
        assert_eq!((answer.status, answer.fields()), (422, vec![field]), "{form}");
    }
    assert_eq!(browser.get(TOKENS).await.body, json!([]));
    let created = browser.post(TOKENS, &valid).await;
    assert_eq!(
        (created.status, &created.body["rights"]),
        (201, &json!(["devices_read"])),
        "a repeated right counts once"
    );
}

#[tokio::test]
async fn number_of_tokens_is_limited_for_each_user() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    for _ in 0..20 {
        create(&world, &mut browser, &["devices_read"]).await;
    }
    let refused = browser.post(TOKENS, &account_token(&["devices_read"])).await;
    assert_eq!((refused.status, refused.code()), (409, "conflict"));
    let id = browser.get(TOKENS).await.body[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(browser.delete(&format!("{TOKENS}/{id}")).await.status, 204);
    create(&world, &mut browser, &["devices_read"]).await;
    let mut other = world.signed_in(NORTH_ADMIN).await;
    create(&world, &mut other, &["devices_read"]).await;
    assert_eq!(browser.get("/api/account/sessions").await.body.as_array().unwrap().len(), 1, "no session had to end");
}

#[tokio::test]
async fn guesses_of_the_password_are_limited_like_sign_ins() {
    let world = World::start_with(|config| config.rate_limits.sign_in.per_account = console::Rate::per_minute(2)).await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let mut form = account_token(&["devices_read"]);
    form["password"] = json!("Wrong-Horse-1");
    assert_eq!(browser.post(TOKENS, &form).await.status, 422);
    assert_eq!(browser.post(TOKENS, &form).await.status, 429);
}

#[tokio::test]
async fn requests_of_each_token_are_limited() {
    let world = World::start_with(|config| config.rate_limits.per_token = console::Rate::per_minute(2)).await;
    let mut browser = world.signed_in(ADMIN).await;
    let (program, other) =
        (create(&world, &mut browser, &["devices_write"]).await, create(&world, &mut browser, &["devices_read"]).await);
    let keyed = program.request(Method::PUT, &format!("/api/devices/dsns/{NORTH}/settings"));
    assert_eq!(
        answer(keyed.header("idempotency-key", "k").json(&json!({ "fan": 4 }))).await.status,
        200,
        "counts once"
    );
    assert_eq!(program.get("/api/devices").await.status, 200);
    let limited = program.get("/api/devices").await;
    assert_eq!((limited.status, limited.code()), (429, "too_many_requests"));
    let wait: i64 = limited.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert_eq!(other.get("/api/devices").await.status, 200);
    assert_eq!(browser.get("/api/devices").await.status, 200);
    world.pass_seconds(wait);
    assert_eq!(program.get("/api/devices").await.status, 200);
}

#[tokio::test]
async fn repeated_creation_does_not_reveal_the_first_token() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    let mut tokens = Vec::new();
    for _ in 0..2 {
        let request = browser.request(Method::POST, TOKENS).header("idempotency-key", "same");
        let created = browser.send(request.json(&account_token(&["devices_read"]))).await;
        assert_eq!(created.status, 201);
        tokens.push(created.body["token"].clone());
    }
    assert_ne!(tokens[0], tokens[1]);
}

#[tokio::test]
async fn event_stream_of_a_revoked_token_ends() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    let program = create(&world, &mut browser, &["devices_read"]).await;
    let mut stream = program.request(Method::GET, &format!("/api/events?dsn={NORTH}")).send().await.unwrap();
    assert_eq!(stream.status(), 200);
    let mut read = String::new();
    while !read.contains("event: ready") {
        read.push_str(str::from_utf8(&stream.chunk().await.unwrap().unwrap()).unwrap());
    }
    let id = browser.get(TOKENS).await.body[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(browser.delete(&format!("{TOKENS}/{id}")).await.status, 204);
    while let Ok(Some(chunk)) = stream.chunk().await {
        read.push_str(str::from_utf8(&chunk).unwrap());
    }
    assert!(read.contains("event: end"), "{read}");
}
