//! The second factor: set-up, the second step of the sign-in, recovery codes and removal.

use futures::future::join_all;
use platform::db::{Db, params};
use platform::testing::TestDb;
use reqwest::Method;
use serde_json::{Value, json};
use totp_rs::{Builder, Secret, Totp};

use crate::authorisation::{call, operations};
use crate::browser::{Answer, Browser};
use crate::disconnects::Write;
use crate::passkeys::PASSKEYS;
use crate::scene::answer;
use crate::software_passkey::SoftwarePasskey;
use crate::world::*;

pub(crate) const FACTOR: &str = "/api/account/second-factor";
pub(crate) const TOTP_PATH: &str = "/api/account/second-factor/totp";
const REMOVAL: &str = "/api/account/second-factor/totp/removal";
const RENEWAL: &str = "/api/account/second-factor/recovery-codes";
pub(crate) const SECOND_STEP: &str = "/api/session/second-factor";

/// The operations that need no session.
const SESSIONLESS: [&str; 11] = [
    "create_session",
    "get_session",
    "delete_session",
    "check_second_factor",
    "begin_passkey_check",
    "check_passkey",
    "request_password_reset",
    "set_password",
    "confirm_account",
    "confirm_email_change",
    "cancel_email_change",
];

/// An authenticator app.
pub(crate) struct App(Totp);

impl App {
    pub(crate) fn new(secret: &str) -> Self {
        let secret = Secret::try_from_base32(secret).unwrap();
        Self(Builder::new().with_secret(secret).with_account_name("app").build().unwrap())
    }

    /// The code that the app shows now, or will have shown `seconds` later.
    pub(crate) fn code(&self, world: &World, seconds: i64) -> String {
        self.0.generate(u64::try_from(world.clock.now().as_second() + seconds).unwrap()).to_string()
    }

    /// Six digits that are none of the present codes.
    fn wrong_code(&self, world: &World) -> String {
        let right = [-30, 0, 30].map(|seconds| self.code(world, seconds));
        (0..).map(|number| format!("{number:06}")).find(|code| !right.contains(code)).unwrap()
    }
}

/// Adds an app to the account of the browser. Returns it with the recovery codes.
pub(crate) async fn add_app(world: &World, browser: &mut Browser) -> (App, Vec<String>) {
    let begun = browser.post(TOTP_PATH, &json!({ "current": PASSWORD })).await;
    assert_eq!(begun.status, 200, "{}", begun.body);
    let app = App::new(begun.body["secret"].as_str().unwrap());
    let added = browser.put(TOTP_PATH, &json!({ "code": app.code(world, 0) })).await;
    assert_eq!(added.status, 200, "{}", added.body);
    world.pass_seconds(30);
    (app, codes_of(&added))
}

/// The second factor of a user without one.
pub(crate) fn none() -> Value {
    json!({ "totpAddedAt": null, "passkeys": [], "passkeyDomain": "localhost", "recoveryCodes": 0 })
}

pub(crate) fn codes_of(answer: &Answer) -> Vec<String> {
    answer.body["codes"].as_array().unwrap().iter().map(|code| code.as_str().unwrap().to_owned()).collect()
}

/// A browser whose password was right, and whose second factor is awaited.
pub(crate) async fn pending(world: &World, email: &str) -> Browser {
    let mut browser = world.browser();
    let answer = browser.sign_in(email, PASSWORD).await;
    assert_eq!(answer.status, 202, "{}", answer.body);
    browser
}

pub(crate) async fn enter(browser: &mut Browser, code: &str) -> Answer {
    browser.post(SECOND_STEP, &json!({ "code": code })).await
}

async fn is_signed_in(browser: &mut Browser) -> bool {
    browser.get("/api/jwt/ping").await.status == 200
}

async fn code_completes_the_sign_in(database: TestDb) {
    let world = World::start_on(&database).await;
    let (app, _) = add_app(&world, &mut world.signed_in(NORTH_TECH).await).await;
    let mut browser = world.browser();
    let awaited = browser.sign_in(NORTH_TECH, PASSWORD).await;
    assert_eq!(
        (awaited.status, awaited.body),
        (202, json!({ "expiresAt": "2026-11-20T10:05:30Z", "kinds": ["totp", "recovery_code"] }))
    );
    let cookie = awaited.headers["set-cookie"].to_str().unwrap();
    assert!(cookie.starts_with("sillage-sign-in=") && cookie.contains("HttpOnly; SameSite=Lax"), "{cookie}");
    assert!(cookie.ends_with("Max-Age=300"), "{cookie}");

    let wrong = enter(&mut browser, &app.wrong_code(&world)).await;
    assert_eq!((wrong.status, wrong.fields()), (422, vec!["code"]));
    let code = app.code(&world, 0);
    let pending_cookie = browser.cookie.clone();
    let completed = enter(&mut browser, &format!(" {} {} ", &code[..3], &code[3..])).await;
    assert_eq!((completed.status, &completed.body["user"]["email"]), (200, &json!(NORTH_TECH)));
    assert!(browser.cookie.as_ref().unwrap().starts_with("sillage="));
    assert!(is_signed_in(&mut browser).await);
    assert_eq!(browser.get("/api/devices").await.status, 200);

    world.pass_seconds(30);
    browser.cookie = pending_cookie;
    let again = enter(&mut browser, &app.code(&world, 0)).await;
    assert_eq!((again.status, again.code()), (401, "sign_in_ended"));
    let mut other = world.browser();
    assert_eq!(other.sign_in(NORTH_ADMIN, PASSWORD).await.status, 200, "others are not asked");
}

async fn pending_sign_in_grants_no_access(database: TestDb) {
    let world = World::start_on(&database).await;
    add_app(&world, &mut world.signed_in(ADMIN).await).await;
    let mut browser = pending(&world, ADMIN).await;
    assert_eq!(browser.get("/api/session").await.body, Value::Null);
    let person = world.user_id(NORTH_GUEST).await;
    let secret = browser.cookie.clone().unwrap().replace("sillage-sign-in=", "");
    let mut disguised = browser.clone();
    disguised.cookie = Some(format!("sillage={secret}"));
    let mut tried = 0;
    for operation in operations() {
        if SESSIONLESS.contains(&operation.id.as_str()) {
            continue;
        }
        for sender in [&browser, &disguised] {
            let request = call(&mut sender.clone(), &operation.about(&person), NORTH, STOCK, ADMIN).await;
            let refused = answer(request).await;
            assert_eq!((refused.status, refused.code()), (401, "not_signed_in"), "{}", operation.id);
        }
        tried += 1;
    }
    assert!(tried > 50, "{tried}");
}

async fn code_is_accepted_once_on_all_nodes(database: TestDb) {
    let world = World::start_on(&database).await;
    let other = world.another_console(|_| {}).await;
    let (app, _) = add_app(&world, &mut world.signed_in(NORTH_TECH).await).await;
    let mut browsers = Vec::new();
    for number in 0..4 {
        let browser = pending(&world, NORTH_TECH).await;
        browsers.push(if number % 2 == 0 { browser } else { browser.at(other.addr()) });
    }
    let code = app.code(&world, 0);
    let answers = join_all(browsers.iter_mut().map(|browser| enter(browser, &code))).await;
    let mut statuses: Vec<_> = answers.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 422, 422, 422]);
    world.pass_seconds(30);
    let mut late = pending(&world, NORTH_TECH).await;
    assert_eq!(enter(&mut late, &code).await.status, 422, "still within its window");
    assert_eq!(enter(&mut late, &app.code(&world, 30)).await.status, 200, "a clock that is fast");
    let mut later = pending(&world, NORTH_TECH).await;
    assert_eq!(enter(&mut later, &app.code(&world, 0)).await.status, 422, "older than the last accepted one");
}

async fn pending_sign_in_ends_with_its_attempts_and_its_time(database: TestDb) {
    let world = World::start_on(&database).await;
    let (app, _) = add_app(&world, &mut world.signed_in(NORTH_TECH).await).await;
    let mut browser = pending(&world, NORTH_TECH).await;
    for _ in 0..5 {
        assert_eq!(enter(&mut browser, &app.wrong_code(&world)).await.status, 422);
    }
    let ended = enter(&mut browser, &app.code(&world, 0)).await;
    assert_eq!((ended.status, ended.code()), (401, "sign_in_ended"));

    let mut slow = pending(&world, NORTH_TECH).await;
    world.pass_seconds(300);
    let ended = enter(&mut slow, &app.code(&world, 0)).await;
    assert_eq!((ended.status, ended.code()), (401, "sign_in_ended"));

    let mut cancelled = pending(&world, NORTH_TECH).await;
    let cookie = cancelled.cookie.clone();
    assert_eq!(cancelled.delete("/api/session").await.status, 204);
    assert_eq!(cancelled.cookie, None);
    cancelled.cookie = cookie;
    assert_eq!(enter(&mut cancelled, &app.code(&world, 0)).await.code(), "sign_in_ended");
    let mut fresh = pending(&world, NORTH_TECH).await;
    assert_eq!(enter(&mut fresh, &app.code(&world, 0)).await.status, 200);
}

async fn wrong_codes_of_an_account_are_limited_over_all_sign_ins(database: TestDb) {
    let world = World::start_on(&database).await;
    let (app, codes) = add_app(&world, &mut world.signed_in(NORTH_TECH).await).await;
    for _ in 0..2 {
        let mut browser = pending(&world, NORTH_TECH).await;
        for _ in 0..5 {
            assert_eq!(enter(&mut browser, &app.wrong_code(&world)).await.status, 422);
        }
    }
    for code in [app.code(&world, 0), codes[0].clone()] {
        let refused = enter(&mut pending(&world, NORTH_TECH).await, &code).await;
        assert_eq!((refused.status, refused.headers["retry-after"].to_str().unwrap()), (429, "3601"));
    }
    world.pass_seconds(3600);
    assert_eq!(enter(&mut pending(&world, NORTH_TECH).await, &app.code(&world, 0)).await.status, 200);
}

async fn recovery_code_is_accepted_once_and_new_ones_replace_the_rest(database: TestDb) {
    let world = World::start_on(&database).await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let (app, codes) = add_app(&world, &mut browser).await;
    assert_eq!(codes.len(), 10);
    assert_eq!(enter(&mut pending(&world, NORTH_TECH).await, &codes[0].to_uppercase()).await.status, 200);
    assert_eq!(enter(&mut pending(&world, NORTH_TECH).await, &codes[0]).await.status, 422, "used");
    let status = browser.get(FACTOR).await.body;
    assert_eq!((&status["totpAddedAt"], &status["recoveryCodes"]), (&json!("2026-11-20T10:00:00Z"), &json!(9)));

    let renewed = browser.post(RENEWAL, &json!({ "current": PASSWORD, "code": app.code(&world, 0) })).await;
    assert_eq!(renewed.status, 200, "{}", renewed.body);
    let new_codes = codes_of(&renewed);
    assert_eq!(enter(&mut pending(&world, NORTH_TECH).await, &codes[1]).await.status, 422, "replaced");
    assert_eq!(enter(&mut pending(&world, NORTH_TECH).await, &new_codes[1]).await.status, 200);
}

async fn removal_needs_password_and_code(database: TestDb) {
    let world = World::start_on(&database).await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let (app, codes) = add_app(&world, &mut browser).await;
    let mut waiting = pending(&world, NORTH_TECH).await;
    let code = app.code(&world, 0);
    let wrong = app.wrong_code(&world);
    for path in [REMOVAL, RENEWAL] {
        let rows = [
            (json!({ "current": "Wrong-Horse-1", "code": code }), "current"),
            (json!({ "current": PASSWORD, "code": wrong }), "code"),
            (json!({ "current": PASSWORD, "code": "" }), "code"),
            (json!({ "current": "", "code": code }), "current"),
            (json!({ "current": PASSWORD }), "code"),
            (json!({ "code": code }), "current"),
        ];
        for (body, field) in rows {
            let refused = browser.post(path, &body).await;
            assert_eq!((refused.status, refused.fields()), (422, vec![field]), "{path} {body}");
        }
    }
    assert_eq!(browser.post(REMOVAL, &json!({ "current": PASSWORD, "code": code })).await.status, 204);
    assert_eq!(browser.get(FACTOR).await.body, none());
    assert_eq!(world.browser().sign_in(NORTH_TECH, PASSWORD).await.status, 200, "not asked any more");
    let ended = enter(&mut waiting, &codes[0]).await;
    assert_eq!((ended.status, ended.code()), (401, "sign_in_ended"));
    let refused = browser.post(REMOVAL, &json!({ "current": PASSWORD, "code": code })).await;
    assert_eq!((refused.status, refused.code()), (409, "conflict"));
}

async fn app_counts_only_after_its_first_code(database: TestDb) {
    let world = World::start_on(&database).await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    assert_eq!(browser.put(TOTP_PATH, &json!({ "code": "123456" })).await.status, 409, "not begun");
    for (password, status) in [("", 422), ("Wrong-Horse-1", 422), (PASSWORD, 200)] {
        let begun = browser.post(TOTP_PATH, &json!({ "current": password })).await;
        assert_eq!(begun.status, status, "{password:?}");
        if status == 422 {
            assert_eq!(begun.fields(), ["current"]);
        }
    }
    assert_eq!(browser.get(FACTOR).await.body, none());
    assert_eq!(world.browser().sign_in(NORTH_TECH, PASSWORD).await.status, 200, "not asked yet");

    let begun = browser.post(TOTP_PATH, &json!({ "current": PASSWORD })).await.body;
    let address = begun["address"].as_str().unwrap();
    assert!(address.starts_with("otpauth://totp/Sillage:tech.north%40example.com?"), "{address}");
    assert!(begun["qrCode"]["size"].as_i64().unwrap() >= 21);
    let app = App::new(begun["secret"].as_str().unwrap());
    for code in [app.wrong_code(&world), "12345".to_owned(), "0123-4567-89ab-cdef-ghjk-mnpq".to_owned()] {
        let refused = browser.put(TOTP_PATH, &json!({ "code": code })).await;
        assert_eq!((refused.status, refused.fields()), (422, vec!["code"]), "{code}");
    }
    let codes = codes_of(&browser.put(TOTP_PATH, &json!({ "code": app.code(&world, 0) })).await);
    let again = browser.post(TOTP_PATH, &json!({ "current": PASSWORD, "code": codes[0] })).await;
    assert_eq!((again.status, again.code()), (409, "conflict"), "an added app is replaced only after its removal");
    assert_eq!(enter(&mut pending(&world, NORTH_TECH).await, &app.code(&world, 0)).await.status, 422, "used at set-up");
}

async fn answers_with_secrets_are_not_repeated(database: TestDb) {
    let world = World::start_on(&database).await;
    let browser = world.signed_in(NORTH_TECH).await;
    let write = |method: Method, path: &str, body: Value| Write {
        key: format!("{method}-{}", path.rsplit('/').next().unwrap()),
        method,
        path: path.to_owned(),
        body,
    };
    let token = json!({ "name": "t", "password": PASSWORD, "rights": ["devices_read"], "expiresInDays": 1 });
    let begin = write(Method::POST, TOTP_PATH, json!({ "current": PASSWORD }));
    for (begin, secret) in [(&begin, "secret"), (&write(Method::POST, "/api/account/tokens", token), "token")] {
        let (first, second) = (begin.send(&browser).await, begin.send(&browser).await);
        assert!(first.status < 300 && first.status == second.status, "{}", first.body);
        assert!(first.body[secret].is_string() && first.body[secret] != second.body[secret], "{}", first.body);
    }
    let app = App::new(begin.send(&browser).await.body["secret"].as_str().unwrap());
    let confirm = write(Method::PUT, TOTP_PATH, json!({ "code": app.code(&world, 0) }));
    let confirmed = confirm.send(&browser).await;
    assert_eq!(codes_of(&confirmed).len(), 10);
    let repeated = confirm.send(&browser).await;
    assert_eq!((repeated.status, repeated.code()), (409, "conflict"));
    let proof = json!({ "current": PASSWORD, "code": codes_of(&confirmed)[0] });
    let renew = write(Method::POST, RENEWAL, proof);
    assert_eq!(codes_of(&renew.send(&browser).await).len(), 10);
    assert_eq!(renew.send(&browser).await.fields(), ["code"], "the code is used up");

    let mut other = world.signed_in(NORTH_ADMIN).await;
    let options = other.post(PASSKEYS, &json!({ "current": PASSWORD })).await.body["options"].clone();
    let added = json!({ "name": "Key", "credential": SoftwarePasskey::new(1).register(&options) });
    let add = write(Method::PUT, PASSKEYS, added);
    assert_eq!(codes_of(&add.send(&other).await).len(), 10);
    assert_eq!(add.send(&other).await.status, 409);
    let sql = "select count(*) from idempotency_keys where response is not null";
    assert_eq!(database.fetch_one::<(i64,)>(sql, params![]).await.unwrap(), (0,));
}

async fn secrets_are_unreadable_in_the_database(database: TestDb) {
    let world = World::start_on(&database).await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let begun = browser.post(TOTP_PATH, &json!({ "current": PASSWORD })).await.body;
    let shown = begun["secret"].as_str().unwrap();
    let (secret, app) = (Secret::try_from_base32(shown).unwrap(), App::new(shown));
    let codes = codes_of(&browser.put(TOTP_PATH, &json!({ "code": app.code(&world, 0) })).await);
    pending(&world, NORTH_TECH).await;
    let db = Db::connect(&world.database).await.unwrap();
    let (stored,): (Vec<u8>,) = db.fetch_one("select totp_secret from second_factors", params![]).await.unwrap();
    assert!(!stored.windows(4).any(|window| secret.windows(4).any(|part| part == window)));
    let hashes: Vec<(String,)> = db.fetch_all("select code_hash from recovery_codes", params![]).await.unwrap();
    assert_eq!(hashes.len(), 10);
    for code in &codes {
        assert!(!hashes.iter().any(|(hash,)| hash.contains(&code[..4]) && hash.contains(&code[15..])), "{code}");
    }
    let (tokens,): (Vec<u8>,) = db.fetch_one("select tokens from pending_sign_ins", params![]).await.unwrap();
    assert!(!tokens.windows(12).any(|window| window == b"access_token" || window == b"refresh_toke"));
}

on_both_databases!(
    code_completes_the_sign_in,
    pending_sign_in_grants_no_access,
    code_is_accepted_once_on_all_nodes,
    pending_sign_in_ends_with_its_attempts_and_its_time,
    wrong_codes_of_an_account_are_limited_over_all_sign_ins,
    recovery_code_is_accepted_once_and_new_ones_replace_the_rest,
    removal_needs_password_and_code,
    app_counts_only_after_its_first_code,
    answers_with_secrets_are_not_repeated,
    secrets_are_unreadable_in_the_database,
);

#[tokio::test]
async fn second_factor_and_its_use_are_audited() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let (app, codes) = add_app(&world, &mut browser).await;
    let mut second = pending(&world, NORTH_TECH).await;
    enter(&mut second, &app.wrong_code(&world)).await;
    world.pass_seconds(1);
    enter(&mut second, &codes[0]).await;
    world.pass_seconds(1);
    browser.post(RENEWAL, &json!({ "current": PASSWORD, "code": app.code(&world, 0) })).await;
    world.pass_seconds(30);
    browser.post(REMOVAL, &json!({ "current": PASSWORD, "code": app.code(&world, 0) })).await;

    let mut admin = world.signed_in(ADMIN).await;
    let id = world.user_id(NORTH_TECH).await;
    let entries = admin.get(&format!("/api/audit?target={id}")).await.body;
    let recorded: Vec<_> = entries["entries"].as_array().unwrap().iter().rev().skip(1).collect();
    let found: Vec<_> = recorded.iter().map(|it| json!([it["operation"], it["result"], it["code"]])).collect();
    let done = |operation: &str| json!([operation, "done", null]);
    let expected = [
        done("confirm_totp"),
        json!(["create_session", "failed", "second_factor_failed"]),
        done("create_session"),
        done("create_recovery_codes"),
        done("remove_totp"),
    ];
    assert_eq!(found, expected);
    let factor = json!([{ "field": "secondFactor", "before": null, "after": "recovery_code", "saved": true }]);
    assert_eq!(recorded[2]["changes"], factor);
    let all = entries.to_string();
    assert!(codes.iter().all(|code| !all.contains(code.as_str())));
}

#[tokio::test]
async fn malformed_codes_are_refused_and_do_not_end_the_sign_in() {
    let world = World::start().await;
    let (app, _) = add_app(&world, &mut world.signed_in(NORTH_TECH).await).await;
    let mut browser = pending(&world, NORTH_TECH).await;
    let long = "1".repeat(100_000);
    for code in ["", "      ", "12345", "1234567", "abcdef", "１２３４５６", "12\u{0}456", &long] {
        let refused = enter(&mut browser, code).await;
        assert_eq!((refused.status, refused.fields()), (422, vec!["code"]), "{code:.20}");
    }
    for body in [json!({}), json!({ "code": null }), json!({ "code": 123_456 }), json!({ "code": ["123456"] })] {
        assert_eq!(browser.post(SECOND_STEP, &body).await.status, 422, "{body}");
    }
    let foreign = browser.request(Method::POST, SECOND_STEP).json(&json!({ "code": app.code(&world, 0) }));
    assert_eq!(answer(foreign.header("sec-fetch-site", "cross-site")).await.status, 403);
    assert_eq!(enter(&mut browser, &app.code(&world, 0)).await.status, 200);
}
