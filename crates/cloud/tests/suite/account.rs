//! The caller's own account: profile, address, confirmation, deletion.

use cloud::testing::{PASSWORD, World};
use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Answer, Fixture};
use crate::passwords::mail_to;
use crate::sessions::{is_signed_in, refresh, sign_in};

async fn profile(fixture: &Fixture, token: &str) -> Value {
    fixture.get(token, "/users/get_user_profile").await.body
}

#[tokio::test]
async fn profile_update_keeps_omitted_fields() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::END_USER).await;
    let other = profile(&fixture, &fixture.token(World::OBSERVER).await).await;
    let company = "{\"settings\": [1, 2, \"é\"]}";
    let user = json!({
        "firstname": " Jo ", "lastname": "Doe", "company": company, "street": "1 Rue", "city": "Paris", "state": "IDF",
        "zip": "75001", "country": "France", "phone_country_code": "33", "phone": "612345678",
        "ayla_dev_kit_num": "DK-7", "unknown": 1,
    });
    fixture.cloud.clock().advance(SignedDuration::from_secs(60));
    for wrapper in ["user", "users"] {
        assert_eq!(fixture.put(&token, "/users.json", json!({ wrapper: user })).await.status, 204);
    }
    let read = profile(&fixture, &token).await;
    for (name, value) in user.as_object().unwrap().iter().filter(|(name, _)| *name != "unknown") {
        assert_eq!((&read[name], &read["user"][name]), (value, value), "{name}");
    }
    assert_eq!(read["updated_at"], "2026-11-20T10:01:00Z");
    assert_eq!(fixture.put(&token, "/users", json!({ "city": "Lyon", "company": "" })).await.status, 204);
    let read = profile(&fixture, &token).await;
    assert_eq!((&read["city"], &read["company"], &read["street"]), (&json!("Lyon"), &json!(null), &json!("1 Rue")));
    assert_eq!(profile(&fixture, &fixture.token(World::OBSERVER).await).await, other, "other users do not change");
}

#[tokio::test]
async fn profile_update_changes_neither_address_nor_password_nor_role() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::END_USER).await;
    let before = profile(&fixture, &token).await;
    let user = json!({
        "id": 1, "uuid": "x", "email": "other@example.com", "password": "Battery-Staple-2", "role": "OEM::Admin",
        "confirmed_at": null, "oem_id": 7, "role_tags": [],
    });
    assert_eq!(fixture.put(&token, "/users", json!({ "user": user })).await.status, 204);
    assert_eq!(profile(&fixture, &token).await, before);
    assert_eq!(sign_in(&fixture, World::END_USER, PASSWORD).await.status, 200);
}

#[tokio::test]
async fn profile_is_validated_by_field() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::END_USER).await;
    let before = profile(&fixture, &token).await;
    let table = [
        (json!({ "firstname": "" }), "firstname", "can't be blank"),
        (json!({ "lastname": null }), "lastname", "can't be blank"),
        (json!({ "city": 7 }), "city", "is not a text"),
        (json!({ "city": ["a"] }), "city", "is not a text"),
        (json!({ "city": "c".repeat(256) }), "city", "is too long (max: 255 characters)"),
        (json!({ "company": "c".repeat(16_385) }), "company", "is too long (max: 16384 characters)"),
        (json!({ "zip": "a\u{0}" }), "zip", "has a character that is not allowed"),
    ];
    for (user, field, text) in table {
        let answer = fixture.put(&token, "/users", json!({ "user": user })).await;
        assert_eq!((answer.status, &answer.body["errors"][field][0]), (422, &json!(text)), "{user}");
    }
    assert_eq!(fixture.put(&token, "/users", json!({ "user": "text" })).await.status, 422);
    assert_eq!(profile(&fixture, &token).await, before);
}

#[tokio::test]
async fn new_address_takes_effect_when_it_is_confirmed_and_ends_every_session() {
    let fixture = Fixture::start().await;
    let session = sign_in(&fixture, World::END_USER, PASSWORD).await.body;
    let token = session["access_token"].as_str().unwrap();
    fixture.call(Method::POST, "/users/password", None, Some(mail_to(World::END_USER))).await;
    let answer = fixture.put(token, "/users/update_email.json", json!({ "email": " Jo.New@Example.com " })).await;
    assert_eq!((answer.status, answer.body), (200, json!({})));
    assert_eq!(sign_in(&fixture, "jo.new@example.com", PASSWORD).await.status, 401);
    assert!(is_signed_in(&fixture, &json!(token)).await);
    let outbox = fixture.cloud.outbox().await;
    let mails: Vec<_> = outbox[1..].iter().map(|mail| (&*mail.kind, &*mail.recipient)).collect();
    assert_eq!(mails, [("email_change_requested", World::END_USER), ("email_confirmation", "Jo.New@Example.com")]);
    let [cancellation, confirmation] = [1, 2].map(|mail: usize| outbox[mail].link.clone().unwrap());
    assert!(
        cancellation.contains("/account/email/cancel?token=") && confirmation.contains("/account/email/confirm?token=")
    );
    // Who only has the link may be a stranger, or the mail scanner of one.
    let stranger = fixture.token(World::OBSERVER).await;
    let refusals = [
        (None, json!({}), "can't be blank"),
        (Some(&*stranger), json!({}), "can't be blank"),
        (Some("unknown"), json!({}), "can't be blank"),
        (Some(token), json!({ "current_password": "Wrong-Horse-1" }), "is invalid"),
        (None, json!({ "current_password": "p".repeat(1025) }), "is too long (max: 1024 characters)"),
        (None, json!({ "current_password": 7 }), "is not a text"),
    ];
    for (access_token, mut body, text) in refusals {
        body["confirmation_token"] = json!(outbox[2].token());
        let refused = fixture.call(Method::PUT, "/users/confirmation.json", access_token, Some(body)).await;
        assert_eq!((refused.status, &refused.body["errors"]["current_password"][0]), (422, &json!(text)));
    }
    assert!(is_signed_in(&fixture, &json!(token)).await);
    let body = json!({ "confirmation_token": outbox[2].token(), "current_password": PASSWORD });
    let confirmed = confirm(&fixture, "/users/confirmation.json", Some(body)).await;
    assert_eq!((confirmed.status, &confirmed.body["email"]), (200, &json!("jo.new@example.com")));
    assert!(!is_signed_in(&fixture, &json!(token)).await);
    assert_eq!(refresh(&fixture, &session["refresh_token"]).await.status, 422);
    let reset = json!({ "user": { "reset_password_token": outbox[0].token(), "password": "Battery-Staple-2",
                                  "password_confirmation": "Battery-Staple-2" } });
    let reset = fixture.call(Method::PUT, "/users/password", None, Some(reset)).await;
    assert_eq!(reset.status, 422, "tokens that were mailed to the old address are revoked");
    assert_eq!(sign_in(&fixture, World::END_USER, PASSWORD).await.status, 401);
    assert_eq!(sign_in(&fixture, "jo.new@example.com", PASSWORD).await.status, 200);
}

#[tokio::test]
async fn new_address_with_the_current_password_takes_effect_immediately() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::END_USER).await;
    let change = async |password: Value| {
        let body = json!({ "email": "jo.new@example.com", "current_password": password });
        fixture.put(&token, "/users/update_email", body).await
    };
    for (password, text) in [("wrong", "is invalid"), (" ", "can't be blank")] {
        let answer = change(json!(password)).await;
        assert_eq!((answer.status, &answer.body["errors"]["current_password"][0]), (422, &json!(text)));
    }
    assert!(fixture.cloud.outbox().await.is_empty());
    assert_eq!(change(json!(PASSWORD)).await.status, 200);
    assert!(!is_signed_in(&fixture, &json!(token)).await);
    let outbox = fixture.cloud.outbox().await;
    let mails: Vec<_> = outbox.iter().map(|mail| (&*mail.kind, &*mail.recipient, mail.link.is_some())).collect();
    let expected = [("email_changed", World::END_USER, true), ("email_changed", "jo.new@example.com", false)];
    assert_eq!(mails, expected, "only the old address receives a link that cancels");
    assert_eq!(sign_in(&fixture, "jo.new@example.com", PASSWORD).await.status, 200);
}

#[tokio::test]
async fn wrong_current_passwords_of_an_address_change_lock_the_account() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::END_USER).await;
    let body = json!({ "email": "jo.new@example.com", "current_password": "wrong" });
    for _ in 0..5 {
        assert_eq!(fixture.put(&token, "/users/update_email", body.clone()).await.status, 422);
    }
    assert_eq!(sign_in(&fixture, World::END_USER, PASSWORD).await.body["error"], "Your account is locked.");
}

#[tokio::test]
async fn old_address_cancels_a_confirmed_change_and_ends_every_session() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::END_USER).await;
    fixture.put(&token, "/users/update_email", json!({ "email": "jo.new@example.com" })).await;
    let outbox = fixture.cloud.outbox().await;
    let [cancellation, confirmation] = [0, 1].map(|mail: usize| outbox[mail].token().to_owned());
    let body = json!({ "confirmation_token": confirmation });
    let confirmed = fixture.put(&token, "/users/confirmation", body).await;
    assert_eq!(confirmed.status, 200, "a session is as good as the password");
    let session = sign_in(&fixture, "jo.new@example.com", PASSWORD).await.body;
    let profile = fixture.get(session["access_token"].as_str().unwrap(), "/users/get_user_profile").await;
    let uuid = profile.body["uuid"].clone();
    let cancel = async |body: Value| fixture.call(Method::PUT, "/users/update_email/cancel", None, Some(body)).await;
    for (body, text) in [
        (json!({}), "can't be blank"),
        (json!({ "cancellation_token": 7 }), "is not a text"),
        (json!({ "cancellation_token": "0".repeat(32) }), "is invalid"),
        (json!({ "cancellation_token": confirmation }), "is invalid"),
    ] {
        let refused = cancel(body.clone()).await;
        assert_eq!((refused.status, &refused.body["errors"]["cancellation_token"][0]), (422, &json!(text)), "{body}");
    }
    let cancelled = cancel(json!({ "cancellation_token": cancellation })).await;
    assert_eq!((cancelled.status, cancelled.body), (200, json!({ "uuid": uuid })));
    assert!(!is_signed_in(&fixture, &session["access_token"]).await);
    assert_eq!(sign_in(&fixture, "jo.new@example.com", PASSWORD).await.status, 401);
    assert_eq!(sign_in(&fixture, World::END_USER, PASSWORD).await.status, 200);
}

#[tokio::test]
async fn confirmation_of_an_address_taken_meanwhile_is_rejected() {
    let fixture = Fixture::start().await;
    let tokens = [fixture.token(World::END_USER).await, fixture.token(World::OBSERVER).await];
    for token in &tokens {
        let answer = fixture.put(token, "/users/update_email", json!({ "email": "wanted@example.com" })).await;
        assert_eq!(answer.status, 200, "an unconfirmed address is not reserved");
    }
    let outbox = fixture.cloud.outbox().await;
    let confirm = async |mail: usize| {
        let body = json!({ "confirmation_token": outbox[mail].token(), "current_password": PASSWORD });
        confirm(&fixture, "/users/confirmation", Some(body)).await
    };
    assert_eq!(confirm(3).await.status, 200);
    let refused = confirm(1).await;
    assert_eq!((refused.status, &refused.body["errors"]["email"][0]), (422, &json!("has already been taken")));
    assert_eq!(sign_in(&fixture, World::END_USER, PASSWORD).await.status, 200);
}

#[tokio::test]
async fn new_address_is_read_from_the_query() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::END_USER).await;
    let path = "/users/update_email?email=new%2Buser%40example.com";
    assert_eq!(fixture.call(Method::PUT, path, Some(&token), None).await.status, 200);
    assert_eq!(fixture.cloud.outbox().await[1].recipient, "new+user@example.com");
}

#[tokio::test]
async fn invalid_address_changes_nothing() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::END_USER).await;
    let table = [
        (json!({}), "can't be blank"),
        (json!({ "email": " " }), "can't be blank"),
        (json!({ "email": 7 }), "is not a text"),
        (json!({ "email": "jo" }), "is invalid"),
        (json!({ "email": "jo doe@example.com" }), "is invalid"),
        (json!({ "email": format!("{}@example.com", "e".repeat(255)) }), "is too long (max: 255 characters)"),
        (json!({ "email": World::OBSERVER.to_uppercase() }), "has already been taken"),
        (json!({ "email": World::END_USER }), "has already been taken"),
    ];
    for (body, text) in table {
        let answer = fixture.put(&token, "/users/update_email", body.clone()).await;
        assert_eq!((answer.status, &answer.body["errors"]["email"][0]), (422, &json!(text)), "{body}");
    }
    assert!(is_signed_in(&fixture, &json!(token)).await);
    assert!(fixture.cloud.outbox().await.is_empty());
}

#[tokio::test]
async fn one_of_two_concurrent_changes_to_an_address_succeeds() {
    let fixture = Fixture::start().await;
    let tokens = [fixture.token(World::END_USER).await, fixture.token(World::OBSERVER).await];
    let change = async |token: &str| {
        let body = json!({ "email": "wanted@example.com", "current_password": PASSWORD });
        fixture.put(token, "/users/update_email", body).await.status
    };
    let (one, other) = tokio::join!(change(&tokens[0]), change(&tokens[1]));
    let mut statuses = [one, other];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 422]);
}

async fn confirm(fixture: &Fixture, path: &str, body: Option<Value>) -> Answer {
    fixture.call(Method::PUT, path, None, body).await
}

#[tokio::test]
async fn mailed_token_confirms_once() {
    let fixture = Fixture::start().await;
    let admin = fixture.token(World::ADMIN).await;
    let resend = async || fixture.post(&admin, "/users/confirmation.json", mail_to(World::UNCONFIRMED)).await;
    for _ in 0..2 {
        assert_eq!(resend().await.status, 201);
    }
    let outbox = fixture.cloud.outbox().await;
    assert_eq!((&*outbox[1].kind, &*outbox[1].recipient), ("confirmation", World::UNCONFIRMED));
    let [first, second] = [0, 1].map(|mail: usize| outbox[mail].token());
    assert!(outbox[1].link.as_deref().unwrap().ends_with(&format!("/account/confirm?token={second}")));
    let path = |token: &str| format!("/users/confirmation.json?confirmation_token={token}");
    assert_eq!(confirm(&fixture, &path(first), None).await.status, 422, "replaced");
    assert_eq!(sign_in(&fixture, World::UNCONFIRMED, PASSWORD).await.status, 401);
    let confirmed = confirm(&fixture, &path(second), None).await;
    assert_eq!((confirmed.status, &confirmed.body["email"]), (200, &json!(World::UNCONFIRMED)));
    assert_eq!(confirmed.body["confirmed_at"], "2026-11-20T10:00:00Z");
    assert_eq!(sign_in(&fixture, World::UNCONFIRMED, PASSWORD).await.status, 200);
    let text = "was already confirmed, please try signing in";
    // Longer than a token is valid.
    for days in [0, 30] {
        fixture.cloud.clock().advance(SignedDuration::from_hours(24 * days));
        let again = confirm(&fixture, &path(second), None).await;
        assert_eq!((again.status, &again.body["errors"]["confirmation_token"][0]), (422, &json!(text)));
    }
    let admin = fixture.token(World::ADMIN).await;
    let late = fixture.post(&admin, "/users/confirmation.json", mail_to(World::UNCONFIRMED)).await;
    assert_eq!((late.status, &late.body["errors"]["email"][0]), (422, &json!(text)));
}

#[tokio::test]
async fn confirmation_token_in_the_body_is_accepted_and_checked() {
    let fixture = Fixture::start().await;
    let admin = fixture.token(World::ADMIN).await;
    fixture.post(&admin, "/users/confirmation", mail_to(World::UNCONFIRMED)).await;
    let token = fixture.cloud.outbox().await[0].token().to_owned();
    let table = [
        (json!({}), "can't be blank"),
        (json!({ "confirmation_token": " " }), "can't be blank"),
        (json!({ "confirmation_token": 7 }), "is not a text"),
        (json!({ "confirmation_token": "t".repeat(256) }), "is too long (max: 255 characters)"),
        (json!({ "confirmation_token": "0".repeat(32) }), "is invalid"),
    ];
    for (body, text) in table {
        let refused = confirm(&fixture, "/users/confirmation", Some(body.clone())).await;
        assert_eq!((refused.status, &refused.body["errors"]["confirmation_token"][0]), (422, &json!(text)), "{body}");
    }
    fixture.cloud.clock().advance(SignedDuration::from_hours(7 * 24) - SignedDuration::from_secs(1));
    let body = json!({ "confirmation_token": token });
    assert_eq!(confirm(&fixture, "/users/confirmation", Some(body)).await.status, 200);
}

#[tokio::test]
async fn signed_in_user_is_already_confirmed() {
    let fixture = Fixture::start().await;
    for email in [World::END_USER, World::ADMIN, World::OBSERVER] {
        let token = fixture.token(email).await;
        let answer = fixture.post(&token, "/users/confirmation", mail_to(email)).await;
        assert_eq!((answer.status, answer.body["errors"]["email"].is_array()), (422, true), "{email}");
    }
}

#[tokio::test]
async fn account_is_deleted_with_all_its_data() {
    let fixture = Fixture::start().await;
    let session = sign_in(&fixture, World::END_USER, PASSWORD).await.body;
    let token = session["access_token"].as_str().unwrap();
    let subscription = fixture.post(token, "/api/v1/subscriptions", json!({})).await.body["subscription"].take();
    let answer = fixture.delete(token, "/users.json").await;
    assert_eq!((answer.status, answer.body), (204, json!("")));
    assert!(!is_signed_in(&fixture, &json!(token)).await);
    assert_eq!(refresh(&fixture, &session["refresh_token"]).await.status, 422);
    assert_eq!(sign_in(&fixture, World::END_USER, PASSWORD).await.status, 401);
    let key = subscription["stream_key"].as_str().unwrap();
    assert!(crate::stream::open(&fixture, "/stream", key).await.is_err());
    let admin = fixture.token(World::ADMIN).await;
    let device = fixture.get(&admin, "/apiv1/dsns/DEV-U1").await.body["device"].take();
    assert_eq!(
        (&device["registered"], &device["user_id"], &device["addr"]),
        (&json!(false), &json!(null), &json!(null))
    );
    assert_eq!(fixture.property(&admin, "DEV-U1", "intensity").await["value"], json!(null));
    assert_eq!(fixture.get(&admin, "/apiv1/dsns/DEV-A1").await.body["device"]["registered"], true);
}

#[tokio::test]
async fn last_administrator_cannot_be_deleted() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let refused = fixture.delete(&token, "/users").await;
    assert_eq!((refused.status, refused.body["error"].is_string()), (409, true));
    assert!(is_signed_in(&fixture, &json!(token)).await, "the machine account does not count");
    let partner = fixture.token(World::PARTNER_ADMIN_A).await;
    assert_eq!(fixture.delete(&partner, "/users").await.status, 204);
}
