//! New passwords: by a mailed token, and by the current password.

use cloud::testing::{APP_ID, APP_SECRET, PASSWORD, World};
use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Answer, Fixture};
use crate::sessions::{is_signed_in, refresh, sign_in};

pub(crate) const NEW: &str = "Battery-Staple-2";

/// The body of a request for a mail to this address.
pub(crate) fn mail_to(email: &str) -> Value {
    let application = json!({ "app_id": APP_ID, "app_secret": APP_SECRET });
    json!({ "user": { "email": email, "application": application } })
}

async fn ask(fixture: &Fixture, email: &str) -> Answer {
    let answer = fixture.call(Method::POST, "/users/password.json", None, Some(mail_to(email))).await;
    // The mail is written after the answer.
    fixture.cloud.writes_ended().await;
    answer
}

pub(crate) async fn reset(fixture: &Fixture, token: &str, password: &str) -> Answer {
    reset_at(fixture, "/users/password.json", token, password).await
}

async fn reset_at(fixture: &Fixture, path: &str, token: &str, password: &str) -> Answer {
    let user = json!({ "reset_password_token": token, "password": password, "password_confirmation": password });
    fixture.call(Method::PUT, path, None, Some(json!({ "user": user }))).await
}

/// Requests a reset mail for this user. Returns its token.
pub(crate) async fn token(fixture: &Fixture, email: &str) -> String {
    assert_eq!(ask(fixture, email).await.status, 201);
    fixture.cloud.outbox().await.last().unwrap().token().to_owned()
}

pub(crate) async fn change(fixture: &Fixture, token: &str, current: &str, new: &str) -> Answer {
    let user = json!({ "current_password": current, "password": new });
    fixture.put(token, "/users.json", json!({ "user": user })).await
}

#[tokio::test]
async fn new_password_does_not_lift_the_lock_of_an_operator() {
    let fixture = Fixture::start().await;
    let operator = fixture.cloud.operator();
    operator.lock_user(&fixture.world.oem, World::ADMIN).await.unwrap();
    let token = token(&fixture, World::ADMIN).await;
    assert_eq!(reset(&fixture, &token, NEW).await.status, 204);
    assert_eq!(sign_in(&fixture, World::ADMIN, NEW).await.status, 401);
    operator.unlock_user(&fixture.world.oem, World::ADMIN).await.unwrap();
    assert_eq!(sign_in(&fixture, World::ADMIN, NEW).await.status, 200);
}

#[tokio::test]
async fn reset_mail_contains_a_token_for_a_new_password() {
    let fixture = Fixture::start().await;
    let session = sign_in(&fixture, World::ADMIN, PASSWORD).await.body;
    let token = token(&fixture, &World::ADMIN.to_uppercase()).await;
    let outbox = fixture.cloud.outbox().await;
    assert_eq!((&*outbox[0].kind, &*outbox[0].recipient), ("password_reset", World::ADMIN));
    assert!(outbox[0].link.as_deref().unwrap().ends_with(&format!("/password/set?token={token}")));

    let profile = fixture.get(session["access_token"].as_str().unwrap(), "/users/get_user_profile").await.body;
    let done = reset_at(&fixture, "/users/password.json?include=user", &token, NEW).await;
    assert_eq!((done.status, done.body), (200, json!({ "uuid": profile["uuid"] })));
    assert_eq!(sign_in(&fixture, World::ADMIN, PASSWORD).await.status, 401);
    assert_eq!(sign_in(&fixture, World::ADMIN, NEW).await.status, 200);
    assert!(!is_signed_in(&fixture, &session["access_token"]).await, "sessions from before the reset are ended");
    assert_eq!(refresh(&fixture, &session["refresh_token"]).await.status, 422);
    let outbox = fixture.cloud.outbox().await;
    assert_eq!((&*outbox[1].kind, &*outbox[1].recipient, outbox.len()), ("password_changed", World::ADMIN, 2));

    let again = reset(&fixture, &token, NEW).await;
    assert_eq!((again.status, &again.body["errors"]["reset_password_token"][0]), (422, &json!("not found")));
}

#[tokio::test]
async fn answers_do_not_reveal_accounts() {
    let fixture = Fixture::start().await;
    for _ in 0..5 {
        sign_in(&fixture, World::OBSERVER, "wrong").await;
    }
    let before = fixture.cloud.hashes();
    let people = [World::ADMIN, World::OBSERVER, World::UNCONFIRMED, World::MACHINE, "nobody@example.com"];
    for (index, email) in people.into_iter().enumerate() {
        let answer = ask(&fixture, email).await;
        assert_eq!((answer.status, answer.body), (201, json!("")), "{email}");
        assert_eq!(fixture.cloud.hashes() - before, index + 1, "{email}");
    }
    for email in [format!(" {}", World::ADMIN), World::ADMIN.to_uppercase(), "Nobody@Example.com ".to_owned()] {
        let answer = ask(&fixture, &email).await;
        assert_eq!((answer.status, answer.body), (201, json!("")), "{email}");
    }
    // A confirmation is requested by the administrators of its account; to others, all addresses are alike.
    for (caller, status) in [(World::END_USER, 403), (World::PARTNER_ADMIN_A, 404)] {
        let caller = fixture.token(caller).await;
        for email in [World::UNCONFIRMED, World::PARTNER_ADMIN_B, "nobody@example.com"] {
            for email in [email.to_owned(), format!("{email} "), email.to_uppercase()] {
                let answer = fixture.post(&caller, "/users/confirmation.json", mail_to(&email)).await;
                assert_eq!((answer.status, answer.body["errors"].is_null()), (status, true), "{email}");
            }
        }
    }
    let recipients: Vec<_> = fixture.cloud.outbox().await.into_iter().map(|message| message.recipient).collect();
    let expected = [World::ADMIN, World::OBSERVER, World::UNCONFIRMED, World::ADMIN, World::ADMIN];
    assert_eq!(recipients, expected, "machine accounts get no mail");
}

#[tokio::test]
async fn sign_in_checks_one_password_for_every_user() {
    let fixture = Fixture::start().await;
    for _ in 0..5 {
        sign_in(&fixture, World::OBSERVER, "wrong").await;
    }
    let before = fixture.cloud.hashes();
    let attempts = [
        (World::ADMIN, PASSWORD, 200),
        (World::ADMIN, "wrong", 401),
        ("nobody@example.com", PASSWORD, 401),
        (World::OBSERVER, PASSWORD, 401),
        (World::OBSERVER, "wrong", 401),
        (World::UNCONFIRMED, PASSWORD, 401),
        (World::UNCONFIRMED, "wrong", 401),
        (World::MACHINE, "wrong", 401),
    ];
    for (tried, (email, password, status)) in attempts.into_iter().enumerate() {
        assert_eq!(sign_in(&fixture, email, password).await.status, status, "{email}");
        assert_eq!(fixture.cloud.hashes() - before, tried + 1, "{email}");
    }
}

#[tokio::test]
async fn mail_template_is_accepted_in_query_or_body() {
    let fixture = Fixture::start().await;
    let post = async |path: &str, body| fixture.call(Method::POST, path, None, Some(body)).await.status;
    let mut body = mail_to(World::ADMIN);
    assert_eq!(post("/users/password.json?email_template_id=short", body.clone()).await, 201);
    body["email_template_id"] = json!("long");
    assert_eq!(post("/users/password.json", body.clone()).await, 201);
    assert_eq!(post("/users/password.json?email_template_id=short", body).await, 201);
    let templates: Vec<_> = fixture.cloud.outbox().await.into_iter().map(|mail| mail.email_template_id).collect();
    assert_eq!(templates, ["short", "long", "short"].map(|id| Some(id.to_owned())));
}

#[tokio::test]
async fn invalid_request_for_a_mail_gets_the_status_of_its_cause() {
    let fixture = Fixture::start().await;
    let with = |pointer: &str, value: Value| {
        let mut body = mail_to(World::ADMIN);
        body["email_template_id"] = json!("short");
        *body.pointer_mut(pointer).unwrap() = value;
        body
    };
    let table = [
        (with("/user/email", json!(null)), 422),
        (with("/user/email", json!(" ")), 422),
        (with("/user/email", json!("jo")), 422),
        (with("/user/email", json!("jo@a@b")), 422),
        (with("/user/email", json!(["a@b"])), 422),
        (with("/user/email", json!(format!("{}@example.com", "e".repeat(255)))), 422),
        (with("/user/email", json!("a\u{0}@b")), 422),
        (with("/user", json!("text")), 422),
        (with("/email_template_id", json!(7)), 422),
        (with("/email_template_id", json!("t".repeat(256))), 422),
        (with("/user/application/app_id", json!(7)), 422),
        (with("/user/application/app_id", json!("wrong")), 404),
        (with("/user/application/app_secret", json!("wrong")), 404),
        (with("/user/application", json!(null)), 404),
        (json!({}), 422),
    ];
    let admin = fixture.token(World::ADMIN).await;
    for path in ["/users/password", "/users/confirmation"] {
        for (body, status) in &table {
            let answer = fixture.post(&admin, path, body.clone()).await;
            assert_eq!(answer.status, *status, "{path} {body} {}", answer.body);
            assert!(!answer.body.to_string().contains("message"), "{}", answer.body);
        }
    }
    assert!(fixture.cloud.outbox().await.is_empty());
}

#[tokio::test]
async fn rejected_new_password_leaves_the_token_valid() {
    let fixture = Fixture::start().await;
    let token = token(&fixture, World::ADMIN).await;
    let body = |token: Value, password: Value, confirmation: Value| json!({ "user": { "reset_password_token": token, "password": password, "password_confirmation": confirmation } });
    let (good, long) = (|| json!(token), "Aa1".repeat(400));
    let table = [
        (json!({}), "reset_password_token", "can't be blank"),
        (
            body(json!("x".repeat(300)), json!(NEW), json!(NEW)),
            "reset_password_token",
            "is too long (max: 255 characters)",
        ),
        (body(json!(7), json!(NEW), json!(NEW)), "reset_password_token", "is not a text"),
        (body(json!("0".repeat(32)), json!(NEW), json!(NEW)), "reset_password_token", "not found"),
        (body(good(), json!(null), json!(NEW)), "password", "can't be blank"),
        (body(good(), json!("Short-1"), json!("Short-1")), "password", "Must be 8 to 128 characters"),
        (body(good(), json!(long), json!(long)), "password", "is too long (max: 1024 characters)"),
        (body(good(), json!("lowercase-1"), json!("lowercase-1")), "password", "Must contain an uppercase letter"),
        (body(good(), json!("UPPERCASE-1"), json!("UPPERCASE-1")), "password", "Must contain a lowercase letter"),
        (
            body(good(), json!("OnlyLetters"), json!("OnlyLetters")),
            "password",
            "Must contain a number or special character",
        ),
        (body(good(), json!(NEW), json!("")), "password_confirmation", "can't be blank"),
        (body(good(), json!(NEW), json!("Other-Staple-3")), "password_confirmation", "Does not match"),
    ];
    for (body, field, text) in table {
        let answer = fixture.call(Method::PUT, "/users/password", None, Some(body.clone())).await;
        assert_eq!((answer.status, &answer.body["errors"][field][0]), (422, &json!(text)), "{body}");
    }
    assert_eq!(reset(&fixture, &token, NEW).await.status, 204);
}

#[tokio::test]
async fn mailed_token_is_valid_for_six_hours_and_until_the_next_one() {
    let fixture = Fixture::start().await;
    let (first, second) = (token(&fixture, World::ADMIN).await, token(&fixture, World::ADMIN).await);
    assert_eq!(reset(&fixture, &first, NEW).await.status, 422);
    fixture.cloud.clock().advance(SignedDuration::from_hours(6) - SignedDuration::from_secs(1));
    assert_eq!(reset(&fixture, &second, NEW).await.status, 204);
    let late = token(&fixture, World::ADMIN).await;
    fixture.cloud.clock().advance(SignedDuration::from_hours(6));
    assert_eq!(reset(&fixture, &late, NEW).await.status, 422);
}

#[tokio::test]
async fn password_reset_confirms_and_unlocks_the_account() {
    let fixture = Fixture::start().await;
    for _ in 0..5 {
        sign_in(&fixture, World::UNCONFIRMED, "wrong").await;
    }
    let token = token(&fixture, World::UNCONFIRMED).await;
    assert_eq!(sign_in(&fixture, World::UNCONFIRMED, PASSWORD).await.status, 401);
    assert_eq!(reset(&fixture, &token, NEW).await.status, 204);
    assert_eq!(sign_in(&fixture, World::UNCONFIRMED, NEW).await.status, 200);
}

#[tokio::test]
async fn password_change_ends_the_other_sessions() {
    let fixture = Fixture::start().await;
    let (mine, other) = (fixture.token(World::ADMIN).await, fixture.token(World::ADMIN).await);
    let reset_token = token(&fixture, World::ADMIN).await;
    assert_eq!(change(&fixture, &mine, PASSWORD, NEW).await.status, 204);
    assert!(is_signed_in(&fixture, &json!(mine)).await);
    assert!(!is_signed_in(&fixture, &json!(other)).await);
    assert_eq!(reset(&fixture, &reset_token, PASSWORD).await.status, 422, "tokens mailed before are revoked");
    assert_eq!(sign_in(&fixture, World::ADMIN, PASSWORD).await.status, 401);
    assert_eq!(sign_in(&fixture, World::ADMIN, NEW).await.status, 200);
    let notice = fixture.cloud.outbox().await.pop().unwrap();
    assert_eq!((&*notice.kind, &*notice.recipient), ("password_changed", World::ADMIN));
}

#[tokio::test]
async fn wrong_current_password_changes_nothing_and_counts_towards_the_lockout() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    for _ in 0..5 {
        let answer = change(&fixture, &token, "wrong", NEW).await;
        assert_eq!((answer.status, &answer.body["errors"]["current_password"][0]), (422, &json!("is invalid")));
    }
    let locked = change(&fixture, &token, PASSWORD, NEW).await;
    assert_eq!(
        (locked.status, &locked.body["errors"]["current_password"][0]),
        (422, &json!("Your account is locked."))
    );
    assert_eq!(sign_in(&fixture, World::ADMIN, PASSWORD).await.status, 401);
    fixture.cloud.clock().advance(SignedDuration::from_mins(30));
    assert_eq!(sign_in(&fixture, World::ADMIN, PASSWORD).await.status, 200);
    assert!(fixture.cloud.outbox().await.is_empty());
}

#[tokio::test]
async fn invalid_password_change_names_its_field() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let table = [
        (json!({ "current_password": PASSWORD }), "password", "can't be blank"),
        (json!({ "current_password": "", "password": NEW }), "current_password", "can't be blank"),
        (json!({ "current_password": null, "password": NEW }), "current_password", "can't be blank"),
        (json!({ "current_password": 7, "password": NEW }), "current_password", "is not a text"),
        (
            json!({ "current_password": "p".repeat(1025), "password": NEW }),
            "current_password",
            "is too long (max: 1024 characters)",
        ),
        (json!({ "current_password": PASSWORD, "password": "weak" }), "password", "Must be 8 to 128 characters"),
    ];
    for (user, field, text) in table {
        let answer = fixture.put(&token, "/users", json!({ "user": user })).await;
        assert_eq!((answer.status, &answer.body["errors"][field][0]), (422, &json!(text)), "{user}");
    }
    assert_eq!(sign_in(&fixture, World::ADMIN, PASSWORD).await.status, 200);
}

#[tokio::test]
async fn reset_token_is_accepted_once_by_a_thousand_concurrent_requests() {
    let fixture = Fixture::start().await;
    let token = token(&fixture, World::ADMIN).await;
    let mut statuses = Vec::new();
    for _ in 0..20 {
        let uses = (0..50).map(|_| reset(&fixture, &token, NEW));
        statuses.extend(futures::future::join_all(uses).await.into_iter().map(|answer| answer.status));
    }
    assert_eq!(statuses.len(), 1_000);
    assert_eq!(statuses.iter().filter(|status| **status == 204).count(), 1);
    assert!(statuses.iter().all(|status| [204, 422].contains(status)));
}
