//! Passkeys as a second factor: registration, use at sign-in, and removal.

use platform::testing::TestDb;
use serde_json::{Value, json};

use crate::browser::{Answer, Browser};
use crate::second_factor::{App, FACTOR, TOTP_PATH, add_app, codes_of, enter, none, pending};
use crate::software_passkey::SoftwarePasskey;
use crate::world::*;

pub(crate) const PASSKEYS: &str = "/api/account/second-factor/passkeys";
const PROOF: &str = "/api/account/second-factor/passkeys/proof";
const CHECK: &str = "/api/session/second-factor/passkey";
const RULES: &str = "/api/sign-in-rules";

/// The options of a new registration of a person without a second factor.
async fn begin(browser: &mut Browser) -> Value {
    begin_with(browser, &json!({ "current": PASSWORD })).await
}

async fn begin_with(browser: &mut Browser, proof: &Value) -> Value {
    let begun = browser.post(PASSKEYS, proof).await;
    assert_eq!(begun.status, 200, "{}", begun.body);
    begun.body["options"].clone()
}

async fn finish(browser: &mut Browser, name: &str, credential: &Value) -> Answer {
    browser.put(PASSKEYS, &json!({ "name": name, "credential": credential })).await
}

/// Adds a passkey to the account of the browser, which has no second factor. Returns it with the recovery codes.
pub(crate) async fn add_passkey(browser: &mut Browser, seed: u8) -> (SoftwarePasskey, Vec<String>) {
    add_with(browser, seed, &json!({ "current": PASSWORD })).await
}

/// Adds a passkey beside another second factor, with a code of that.
pub(crate) async fn add_further_passkey(browser: &mut Browser, seed: u8, code: &str) -> (SoftwarePasskey, Vec<String>) {
    add_with(browser, seed, &json!({ "current": PASSWORD, "code": code })).await
}

async fn add_with(browser: &mut Browser, seed: u8, proof: &Value) -> (SoftwarePasskey, Vec<String>) {
    let passkey = SoftwarePasskey::new(seed);
    let options = begin_with(browser, proof).await;
    let added = finish(browser, &format!("Key {seed}"), &passkey.register(&options)).await;
    assert_eq!(added.status, 200, "{}", added.body);
    (passkey, codes_of(&added))
}

/// Uses a passkey in a sign-in whose password was right.
async fn use_passkey(browser: &mut Browser, passkey: &mut SoftwarePasskey) -> Answer {
    let begun = browser.post(CHECK, &json!({})).await;
    assert_eq!(begun.status, 200, "{}", begun.body);
    let credential = passkey.assert(&begun.body["options"]);
    browser.put(CHECK, &json!({ "credential": credential })).await
}

async fn passkey_completes_the_sign_in(database: TestDb) {
    let world = World::start_on(&database).await;
    let mut owner = world.signed_in(NORTH_TECH).await;
    let options = begin(&mut owner).await;
    assert_eq!(options["rp"]["id"], "localhost");
    assert_eq!((&options["user"]["name"], &options["excludeCredentials"]), (&json!(NORTH_TECH), &json!([])));
    assert_eq!(options["authenticatorSelection"]["userVerification"], "required");
    let (mut passkey, codes) = add_passkey(&mut owner, 1).await;
    assert_eq!(codes.len(), 10, "recovery codes come with the first second factor");
    let listed = owner.get(FACTOR).await.body;
    assert_eq!((&listed["totpAddedAt"], &listed["recoveryCodes"]), (&Value::Null, &json!(10)));
    let [one] = listed["passkeys"].as_array().unwrap().as_slice() else { panic!("{listed}") };
    assert_eq!((&one["name"], &one["lastUsedAt"]), (&json!("Key 1"), &Value::Null));
    assert_eq!(one["addedAt"], "2026-11-20T10:00:00Z");

    let mut browser = world.browser();
    let awaited = browser.sign_in(NORTH_TECH, PASSWORD).await;
    assert_eq!((awaited.status, &awaited.body["kinds"]), (202, &json!(["passkey", "recovery_code"])));
    world.pass_seconds(60);
    let completed = use_passkey(&mut browser, &mut passkey).await;
    assert_eq!((completed.status, &completed.body["user"]["email"]), (200, &json!(NORTH_TECH)));
    assert_eq!(browser.get("/api/devices").await.status, 200);
    assert_eq!(owner.get(FACTOR).await.body["passkeys"][0]["lastUsedAt"], "2026-11-20T10:01:00Z");

    let (_, codes_again) = add_further_passkey(&mut owner, 2, &codes[1]).await;
    assert!(codes_again.is_empty(), "the earlier recovery codes stay");
    let proof = json!({ "current": PASSWORD, "code": codes[2] });
    let known = begin_with(&mut owner, &proof).await["excludeCredentials"].as_array().unwrap().len();
    assert_eq!(known, 2);
    assert_eq!(use_passkey(&mut pending(&world, NORTH_TECH).await, &mut passkey).await.status, 200, "again");
    assert_eq!(enter(&mut pending(&world, NORTH_TECH).await, &codes[0]).await.status, 200, "without the passkey");
}

async fn answer_is_accepted_once_and_only_for_its_sign_in(database: TestDb) {
    let world = World::start_on(&database).await;
    let (mut passkey, _) = add_passkey(&mut world.signed_in(NORTH_TECH).await, 1).await;
    let (mut first, mut second) = (pending(&world, NORTH_TECH).await, pending(&world, NORTH_TECH).await);
    let options = first.post(CHECK, &json!({})).await.body["options"].clone();
    second.post(CHECK, &json!({})).await;
    let credential = passkey.assert(&options);
    let body = json!({ "credential": credential });
    let refused = second.put(CHECK, &body).await;
    assert_eq!((refused.status, refused.fields()), (422, vec!["passkey"]), "the challenge of another sign-in");
    let mut copy = first.clone();
    assert_eq!(first.put(CHECK, &body).await.status, 200);
    assert_eq!(copy.put(CHECK, &body).await.code(), "sign_in_ended");

    let mut third = pending(&world, NORTH_TECH).await;
    let refused = third.put(CHECK, &body).await;
    assert_eq!((refused.status, refused.code()), (409, "conflict"), "not begun");
    third.post(CHECK, &json!({})).await;
    world.pass_seconds(299);
    assert_eq!(use_passkey(&mut third, &mut passkey).await.status, 200);
    let mut late = pending(&world, NORTH_TECH).await;
    late.post(CHECK, &json!({})).await;
    world.pass_seconds(300);
    assert_eq!(late.put(CHECK, &body).await.code(), "sign_in_ended");
    assert_eq!(late.post(CHECK, &json!({})).await.code(), "sign_in_ended");
}

async fn answer_that_does_not_fit_is_refused(database: TestDb) {
    let world = World::start_on(&database).await;
    let (passkey, _) = add_passkey(&mut world.signed_in(NORTH_TECH).await, 1).await;
    let (foreign, _) = add_passkey(&mut world.signed_in(NORTH_ADMIN).await, 2).await;
    let wrong = [
        passkey.at("http://evil.example"),
        passkey.at("http://127.0.0.1:8080"),
        passkey.unverified(),
        foreign,
        SoftwarePasskey::new(3),
    ];
    let mut browser = pending(&world, NORTH_TECH).await;
    for mut wrong in wrong {
        let refused = use_passkey(&mut browser, &mut wrong).await;
        assert_eq!((refused.status, refused.fields()), (422, vec!["passkey"]));
        assert_eq!(refused.body["errors"]["passkey"], json!(["was not accepted"]), "the reason is not revealed");
    }
    let ended = browser.put(CHECK, &json!({ "credential": {} })).await;
    assert_eq!((ended.status, ended.code()), (401, "sign_in_ended"), "after five attempts");

    let mut browser = pending(&world, NORTH_TECH).await;
    let mut altered = passkey.clone();
    let options = browser.post(CHECK, &json!({})).await.body["options"].clone();
    let mut credential = altered.assert(&options);
    credential["response"]["signature"] = altered.assert(&options)["response"]["signature"].clone();
    assert_eq!(browser.put(CHECK, &json!({ "credential": credential })).await.status, 422, "another signature");
    assert_eq!(use_passkey(&mut browser, &mut passkey.clone()).await.status, 200);
}

async fn copied_passkey_is_refused_by_its_counter(database: TestDb) {
    let world = World::start_on(&database).await;
    let (mut passkey, _) = add_passkey(&mut world.signed_in(NORTH_TECH).await, 1).await;
    let mut copy = passkey.clone();
    for _ in 0..2 {
        assert_eq!(use_passkey(&mut pending(&world, NORTH_TECH).await, &mut passkey).await.status, 200);
    }
    let mut browser = pending(&world, NORTH_TECH).await;
    assert_eq!(use_passkey(&mut browser, &mut copy).await.status, 422);
    assert_eq!(use_passkey(&mut browser, &mut passkey).await.status, 200);
}

async fn wrong_passkeys_are_limited_with_wrong_codes(database: TestDb) {
    let world = World::start_on(&database).await;
    let (mut passkey, codes) = add_passkey(&mut world.signed_in(NORTH_TECH).await, 1).await;
    for _ in 0..2 {
        let mut browser = pending(&world, NORTH_TECH).await;
        for _ in 0..5 {
            assert_eq!(use_passkey(&mut browser, &mut SoftwarePasskey::new(9)).await.status, 422);
        }
    }
    assert_eq!(use_passkey(&mut pending(&world, NORTH_TECH).await, &mut passkey).await.status, 429);
    assert_eq!(enter(&mut pending(&world, NORTH_TECH).await, &codes[0]).await.status, 429);
    world.pass_seconds(3600);
    assert_eq!(use_passkey(&mut pending(&world, NORTH_TECH).await, &mut passkey).await.status, 200);
}

async fn passkey_is_removed_with_password_and_code(database: TestDb) {
    let world = World::start_on(&database).await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let (app, codes) = add_app(&world, &mut browser).await;
    let (_, no_codes) = add_further_passkey(&mut browser, 1, &codes[5]).await;
    assert!(no_codes.is_empty());
    let mut awaiting = world.browser();
    let kinds = awaiting.sign_in(NORTH_TECH, PASSWORD).await.body["kinds"].clone();
    assert_eq!(kinds, json!(["passkey", "totp", "recovery_code"]));
    let id = browser.get(FACTOR).await.body["passkeys"][0]["id"].as_str().unwrap().to_owned();
    let path = format!("{PASSKEYS}/{id}/removal");
    let rows = [
        (json!({ "current": "Wrong-Horse-1", "code": codes[0] }), "current"),
        (json!({ "current": PASSWORD, "code": "0123-4567-89ab-cdef-ghjk-mnpq" }), "code"),
        (json!({ "current": PASSWORD }), "code"),
        (json!({ "code": codes[0] }), "current"),
    ];
    for (body, field) in rows {
        let refused = browser.post(&path, &body).await;
        assert_eq!((refused.status, refused.fields()), (422, vec![field]), "{body}");
    }
    let proof = json!({ "current": PASSWORD, "code": app.code(&world, 0) });
    let mut other = world.signed_in(NORTH_ADMIN).await;
    let (_, other_codes) = add_passkey(&mut other, 2).await;
    let foreign = json!({ "current": PASSWORD, "code": other_codes[0] });
    assert_eq!(other.post(&path, &foreign).await.status, 404, "another person's");
    assert_eq!(browser.post(&path, &proof).await.status, 204);
    let again = json!({ "current": PASSWORD, "code": codes[4] });
    assert_eq!(browser.post(&path, &again).await.status, 404, "removed already");
    let refused = awaiting.post(CHECK, &json!({})).await;
    assert_eq!((refused.status, refused.code()), (409, "conflict"), "of a sign-in that began before");
    assert_eq!(enter(&mut awaiting, &codes[0]).await.status, 200, "the app and its recovery codes stay");

    add_further_passkey(&mut browser, 1, &codes[6]).await;
    let removal = format!("{FACTOR}/totp/removal");
    let removed = browser.post(&removal, &json!({ "current": PASSWORD, "code": codes[1] })).await;
    assert_eq!(removed.status, 204, "{}", removed.body);
    let refused = browser.post(&removal, &json!({ "current": PASSWORD, "code": codes[2] })).await;
    assert_eq!((refused.status, refused.code()), (409, "conflict"), "there is no app any more");
    let status = browser.get(FACTOR).await.body;
    assert_eq!((&status["totpAddedAt"], status["passkeys"].as_array().unwrap().len()), (&Value::Null, 1));
    let id = status["passkeys"][0]["id"].as_str().unwrap();
    let last = json!({ "current": PASSWORD, "code": codes[3] });
    assert_eq!(browser.post(&format!("{PASSKEYS}/{id}/removal"), &last).await.status, 204);
    assert_eq!(browser.get(FACTOR).await.body, none());
    assert_eq!(world.browser().sign_in(NORTH_TECH, PASSWORD).await.status, 200, "the password is enough");
}

async fn further_factor_needs_an_existing_one(database: TestDb) {
    let world = World::start_on(&database).await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    // Begun with the password alone, before there was a factor.
    let early = browser.post(TOTP_PATH, &json!({ "current": PASSWORD })).await.body["secret"].clone();
    let (mut passkey, codes) = add_passkey(&mut browser, 1).await;
    let code = App::new(early.as_str().unwrap()).code(&world, 0);
    let refused = browser.put(TOTP_PATH, &json!({ "code": code })).await;
    assert_eq!((refused.status, refused.code()), (409, "conflict"), "the set-up began without a proof");

    let before = browser.get(FACTOR).await.body;
    let rows = [
        (json!({ "current": PASSWORD }), "code"),
        (json!({ "current": PASSWORD, "code": "" }), "code"),
        (json!({ "current": PASSWORD, "code": "000000" }), "code"),
        (json!({ "current": PASSWORD, "code": "0123-4567-89ab-cdef-ghjk-mnpq" }), "code"),
        (json!({ "current": "Wrong-Horse-1", "code": codes[0] }), "current"),
        (json!({ "code": codes[0] }), "current"),
    ];
    for path in [TOTP_PATH, PASSKEYS] {
        for (proof, field) in &rows {
            let refused = browser.post(path, proof).await;
            assert_eq!((refused.status, refused.fields()), (422, vec![*field]), "{path} {proof}");
        }
    }
    assert_eq!(browser.get(FACTOR).await.body, before);

    let options = browser.post(PROOF, &json!({})).await.body["options"].clone();
    let proof = json!({ "current": PASSWORD, "passkey": passkey.assert(&options) });
    let begun = browser.post(TOTP_PATH, &proof).await;
    let app = App::new(begun.body["secret"].as_str().unwrap());
    assert_eq!(browser.put(TOTP_PATH, &json!({ "code": app.code(&world, 0) })).await.status, 200);
    world.pass_seconds(30);
    add_further_passkey(&mut browser, 2, &app.code(&world, 0)).await;
    let status = browser.get(FACTOR).await.body;
    assert_eq!((status["totpAddedAt"].is_string(), status["passkeys"].as_array().unwrap().len()), (true, 2));
}

async fn passkey_proves_changes_of_the_second_factor(database: TestDb) {
    let world = World::start_on(&database).await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let refused = browser.post(PROOF, &json!({})).await;
    assert_eq!((refused.status, refused.code()), (409, "conflict"), "there is no passkey");
    let (mut passkey, codes) = add_passkey(&mut browser, 1).await;
    let renewal = format!("{FACTOR}/recovery-codes");
    let begun = browser.post(PROOF, &json!({})).await;
    let proof = json!({ "current": PASSWORD, "passkey": passkey.assert(&begun.body["options"]) });
    let renewed = browser.post(&renewal, &proof).await;
    assert_eq!(renewed.status, 200, "{}", renewed.body);
    assert_ne!(codes_of(&renewed), codes);
    assert_eq!(browser.post(&renewal, &proof).await.status, 409, "used up");
    let id = browser.get(FACTOR).await.body["passkeys"][0]["id"].as_str().unwrap().to_owned();
    let removal = format!("{PASSKEYS}/{id}/removal");
    let begun = browser.post(PROOF, &json!({})).await.body["options"].clone();
    let rows = [
        (json!({ "current": PASSWORD, "passkey": null }), "code"),
        (json!({ "current": "", "passkey": {} }), "current"),
        (json!({ "current": "Wrong-Horse-1", "passkey": passkey.assert(&begun) }), "current"),
        (json!({ "current": PASSWORD, "passkey": SoftwarePasskey::new(2).assert(&begun) }), "passkey"),
    ];
    for (body, field) in rows {
        let refused = browser.post(&removal, &body).await;
        assert_eq!((refused.status, refused.fields()), (422, vec![field]), "{body}");
    }
    let mut other = pending(&world, NORTH_TECH).await;
    let begun = other.post(CHECK, &json!({})).await.body["options"].clone();
    let foreign = json!({ "current": PASSWORD, "passkey": passkey.assert(&begun) });
    assert_eq!(browser.post(&removal, &foreign).await.status, 409, "the challenge of a sign-in");
    let begun = browser.post(PROOF, &json!({})).await.body["options"].clone();
    let proof = json!({ "current": PASSWORD, "passkey": passkey.assert(&begun) });
    assert_eq!(browser.post(&removal, &proof).await.status, 204);
    assert_eq!(browser.get(FACTOR).await.body, none());
}

async fn passkey_satisfies_the_rule_of_a_role_and_is_reset_by_an_administrator(database: TestDb) {
    let world = World::start_on(&database).await;
    let mut admin = world.signed_in(ADMIN).await;
    let rule = json!({ "role": "OEM::ProlitecCommercial::CspTech", "needsSecondFactor": true });
    assert_eq!(admin.put(RULES, &rule).await.status, 200);
    let mut tech = world.signed_in(NORTH_TECH).await;
    assert_eq!(tech.get("/api/devices").await.code(), "second_factor_required");
    add_passkey(&mut tech, 1).await;
    assert_eq!(tech.get("/api/devices").await.status, 200);
    let path = format!("/api/users/{}/second-factor", world.user_id(NORTH_TECH).await);
    assert_eq!(admin.delete(&path).await.status, 204);
    assert_eq!(tech.get("/api/devices").await.code(), "second_factor_required");
    assert_eq!(tech.get(FACTOR).await.body, none());
    assert_eq!(admin.delete(&path).await.status, 409, "none is left");
}

on_both_databases!(
    passkey_completes_the_sign_in,
    answer_is_accepted_once_and_only_for_its_sign_in,
    answer_that_does_not_fit_is_refused,
    copied_passkey_is_refused_by_its_counter,
    wrong_passkeys_are_limited_with_wrong_codes,
    passkey_is_removed_with_password_and_code,
    further_factor_needs_an_existing_one,
    passkey_proves_changes_of_the_second_factor,
    passkey_satisfies_the_rule_of_a_role_and_is_reset_by_an_administrator,
);

#[tokio::test]
async fn registration_needs_the_password_and_a_fitting_answer() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let passkey = SoftwarePasskey::new(1);
    let unasked = passkey.register(&json!({ "rp": { "id": "localhost" }, "challenge": "AAAAAAAAAAAAAAAAAAAAAA" }));
    assert_eq!(finish(&mut browser, "Key", &unasked).await.status, 409, "not begun");
    for password in ["", "Wrong-Horse-1"] {
        let refused = browser.post(PASSKEYS, &json!({ "current": password })).await;
        assert_eq!((refused.status, refused.fields()), (422, vec!["current"]), "{password:?}");
    }
    let options = begin(&mut browser).await;
    for name in [json!(null), json!(""), json!("  "), json!("n".repeat(41)), json!("two\nlines")] {
        let body = json!({ "name": name, "credential": passkey.register(&options) });
        let refused = browser.put(PASSKEYS, &body).await;
        assert_eq!((refused.status, refused.fields()), (422, vec!["name"]), "{name}");
    }
    let wrong = [
        unasked,
        json!({}),
        json!(null),
        json!([1]),
        json!("x".repeat(100_000)),
        passkey.at("http://evil.example").register(&options),
        passkey.unverified().register(&options),
    ];
    for credential in wrong {
        begin(&mut browser).await;
        let refused = finish(&mut browser, "Key", &credential).await;
        assert_eq!((refused.status, refused.fields()), (422, vec!["passkey"]), "{:.80}", credential.to_string());
    }
    let options = begin(&mut browser).await;
    world.pass_seconds(300);
    assert_eq!(finish(&mut browser, "Key", &passkey.register(&options)).await.status, 409, "expired");
    let options = begin(&mut browser).await;
    let name = "ñ".repeat(40);
    assert_eq!(finish(&mut browser, &name, &passkey.register(&options)).await.status, 200);
    assert_eq!(finish(&mut browser, &name, &passkey.register(&options)).await.status, 409, "used up");
    assert_eq!(browser.get(FACTOR).await.body["passkeys"][0]["name"], name);
    let mut other = world.signed_in(NORTH_ADMIN).await;
    let options = begin(&mut other).await;
    let refused = finish(&mut other, "Mine", &passkey.register(&options)).await;
    assert_eq!((refused.status, refused.code()), (409, "conflict"), "registered already");
}

#[tokio::test]
async fn passkey_is_renamed_by_its_owner_only() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    add_passkey(&mut browser, 1).await;
    let listed = browser.get(FACTOR).await.body["passkeys"][0].clone();
    let path = format!("{PASSKEYS}/{}", listed["id"].as_str().unwrap());
    for name in [json!(null), json!(""), json!("  "), json!("n".repeat(41)), json!("two\nlines")] {
        let refused = browser.put(&path, &json!({ "name": name })).await;
        assert_eq!((refused.status, refused.fields()), (422, vec!["name"]), "{name}");
    }
    let name = json!({ "name": " Work phone " });
    let mut other = world.signed_in(NORTH_ADMIN).await;
    assert_eq!(other.put(&path, &name).await.status, 404);
    assert_eq!(browser.put(&format!("{PASSKEYS}/{}", uuid::Uuid::nil()), &name).await.status, 404);
    assert_eq!(browser.get(FACTOR).await.body["passkeys"][0], listed);
    assert_eq!(browser.put(&path, &name).await.status, 204);
    let renamed = browser.get(FACTOR).await.body["passkeys"][0].clone();
    assert_eq!((&renamed["name"], &renamed["id"]), (&json!("Work phone"), &listed["id"]));
}

#[tokio::test]
async fn number_of_passkeys_is_limited() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let (_, codes) = add_passkey(&mut browser, 1).await;
    for (seed, code) in (2..=10).zip(&codes) {
        add_further_passkey(&mut browser, seed, code).await;
    }
    let refused = browser.post(PASSKEYS, &json!({ "current": PASSWORD, "code": codes[9] })).await;
    assert_eq!((refused.status, refused.code()), (409, "conflict"));
    assert_eq!(browser.get(FACTOR).await.body["passkeys"].as_array().unwrap().len(), 10);
}

#[tokio::test]
async fn console_at_an_ip_address_offers_no_passkeys() {
    let world = World::start_with(|config| config.public_url = Some("http://127.0.0.1:8080".parse().unwrap())).await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    assert_eq!(browser.get(FACTOR).await.body["passkeyDomain"], Value::Null);
    let refused = browser.post(PASSKEYS, &json!({ "current": PASSWORD })).await;
    assert_eq!((refused.status, refused.code()), (409, "conflict"));
}

#[tokio::test]
async fn passkeys_and_their_use_are_audited() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let (mut passkey, codes) = add_passkey(&mut browser, 1).await;
    let mut second = pending(&world, NORTH_TECH).await;
    world.pass_seconds(1);
    use_passkey(&mut second, &mut SoftwarePasskey::new(2)).await;
    world.pass_seconds(1);
    use_passkey(&mut second, &mut passkey).await;
    world.pass_seconds(1);
    let id = browser.get(FACTOR).await.body["passkeys"][0]["id"].as_str().unwrap().to_owned();
    browser.put(&format!("{PASSKEYS}/{id}"), &json!({ "name": "Phone" })).await;
    world.pass_seconds(1);
    browser.post(&format!("{PASSKEYS}/{id}/removal"), &json!({ "current": PASSWORD, "code": codes[0] })).await;

    let mut admin = world.signed_in(ADMIN).await;
    let id = world.user_id(NORTH_TECH).await;
    let entries = admin.get(&format!("/api/audit?target={id}")).await.body;
    let recorded: Vec<_> = entries["entries"].as_array().unwrap().iter().rev().skip(1).collect();
    let found: Vec<_> = recorded.iter().map(|it| json!([it["operation"], it["result"], it["code"]])).collect();
    let expected = [
        json!(["add_passkey", "done", null]),
        json!(["create_session", "failed", "second_factor_failed"]),
        json!(["create_session", "done", null]),
        json!(["rename_passkey", "done", null]),
        json!(["remove_passkey", "done", null]),
    ];
    assert_eq!(found, expected);
    let change =
        |before: Value, after: Value| json!([{ "field": "passkey", "before": before, "after": after, "saved": true }]);
    assert_eq!(recorded[0]["changes"], change(Value::Null, json!("Key 1")));
    assert_eq!(recorded[3]["changes"], change(json!("Key 1"), json!("Phone")));
    assert_eq!(recorded[4]["changes"], change(json!("Phone"), Value::Null));
    let factor = json!([{ "field": "secondFactor", "before": null, "after": "passkey", "saved": true }]);
    assert_eq!(recorded[2]["changes"], factor);
}
