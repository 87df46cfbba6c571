//! Sign-in, refresh, sign-out.

use cloud::operator::{NewUser, OperatorError};
use cloud::testing::{APP_ID, APP_SECRET, Fault, PASSWORD, TestCloud, World};
use jiff::SignedDuration;
use platform::db::Db;
use platform::testing::{TestDb, TestMailServer};
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Answer, Fixture, answer};

pub(crate) fn credentials(email: &str, password: &str) -> Value {
    let application = json!({ "app_id": APP_ID, "app_secret": APP_SECRET });
    json!({ "user": { "email": email, "password": password, "application": application } })
}

pub(crate) async fn sign_in(fixture: &Fixture, email: &str, password: &str) -> Answer {
    fixture.call(Method::POST, "/users/sign_in.json", None, Some(credentials(email, password))).await
}

pub(crate) async fn refresh(fixture: &Fixture, token: &Value) -> Answer {
    let body = json!({ "user": { "refresh_token": token } });
    fixture.call(Method::POST, "/users/refresh_token.json", None, Some(body)).await
}

pub(crate) async fn is_signed_in(fixture: &Fixture, token: &Value) -> bool {
    fixture.get(token.as_str().unwrap(), "/users/get_user_profile").await.status == 200
}

#[tokio::test]
async fn correct_password_opens_a_session_with_the_role_of_the_user() {
    let fixture = Fixture::start().await;
    let session = sign_in(&fixture, &World::PARTNER_ADMIN_A.to_uppercase(), PASSWORD).await;
    assert_eq!(session.status, 200);
    assert_eq!(session.body["expires_in"], 86_400);
    assert_eq!(session.body["role"], "OEM::Partner::Admin");
    assert_eq!(
        session.body["role_tags"],
        json!([{ "namespace": "OEM::Partner::Admin", "key": "partner_id", "value": "A" }])
    );
    assert!(is_signed_in(&fixture, &session.body["access_token"]).await);
    let end_user = sign_in(&fixture, World::END_USER, PASSWORD).await;
    assert_eq!((&end_user.body["role"], &end_user.body["role_tags"]), (&json!("EndUser"), &json!([])));
}

#[tokio::test]
async fn failed_sign_in_gets_the_status_of_its_cause() {
    let fixture = Fixture::start().await;
    let with = |pointer: &str, value: Value| {
        let mut body = credentials(World::ADMIN, PASSWORD);
        *body.pointer_mut(pointer).unwrap() = value;
        body
    };
    let table = [
        (with("/user/password", json!("wrong")), 401),
        (with("/user/email", json!("nobody@example.com")), 401),
        (with("/user/email", json!(World::UNCONFIRMED)), 401),
        (with("/user/application/app_id", json!("wrong")), 404),
        (with("/user/application/app_secret", json!("wrong")), 404),
        (with("/user/application", json!(null)), 404),
        (with("/user/email", json!(null)), 422),
        (with("/user/email", json!(["a"])), 422),
        (with("/user/email", json!("e".repeat(256))), 422),
        (with("/user/password", json!("")), 422),
        (with("/user/password", json!("p".repeat(1025))), 422),
        (with("/user/password", json!("a\u{0}b")), 422),
        (with("/user", json!("text")), 422),
        (json!({}), 422),
    ];
    for (body, status) in table {
        let answer = fixture.call(Method::POST, "/users/sign_in", None, Some(body.clone())).await;
        assert_eq!(answer.status, status, "{body} {}", answer.body);
        if status != 422 {
            let text = answer.body["error"].as_str().unwrap();
            assert!(!text.contains("message"), "a client takes the word for another form: {text}");
        }
    }
}

#[tokio::test]
async fn five_wrong_passwords_lock_the_account_for_half_an_hour() {
    let fixture = Fixture::start().await;
    for _ in 0..5 {
        assert_eq!(sign_in(&fixture, World::ADMIN, "wrong").await.status, 401);
    }
    let locked = sign_in(&fixture, World::ADMIN, PASSWORD).await;
    assert_eq!((locked.status, &locked.body["error"]), (401, &json!("Your account is locked.")));
    assert_eq!(sign_in(&fixture, World::OBSERVER, PASSWORD).await.status, 200);
    fixture.cloud.clock().advance(SignedDuration::from_mins(30));
    assert_eq!(sign_in(&fixture, World::ADMIN, PASSWORD).await.status, 200);
}

/// Several nodes look for locks at the same time.
async fn owner_gets_one_mail_for_each_lock(db: &TestDb) {
    let smtp = TestMailServer::start(&[]);
    let start = || {
        TestCloud::start_with(|config| {
            config.database_url.clone_from(&db.url);
            config.mail_server = Some(smtp.plain());
        })
    };
    let fixture = Fixture::on(start().await).await;
    let others = if matches!(db.db, Db::Postgres(_)) { Some(start().await) } else { None };
    let delivery = fixture.cloud.mail_delivery(&smtp.plain());
    let fail = async |times: usize| {
        for _ in 0..times {
            for email in [World::ADMIN, World::MACHINE, "nobody@example.com"] {
                assert_eq!(sign_in(&fixture, email, "wrong").await.status, 401);
            }
        }
    };
    let deliver = async || {
        let one = others.as_ref().unwrap_or(&fixture.cloud);
        tokio::join!(fixture.cloud.tell_locks(), one.tell_locks(), one.tell_locks());
        delivery.deliver().await
    };
    fail(4).await;
    assert_eq!(deliver().await, 0);
    fail(1).await;
    assert_eq!(deliver().await, 1);
    fail(6).await;
    assert_eq!(deliver().await, 0, "one for each lock");
    for cloud in [Some(&fixture.cloud), others.as_ref()].into_iter().flatten() {
        cloud.clock().advance(SignedDuration::from_mins(30));
    }
    assert_eq!(deliver().await, 0);
    fail(5).await;
    assert_eq!(deliver().await, 1);
    fixture.cloud.operator().unlock_user(&fixture.world.oem, World::ADMIN).await.unwrap();
    fail(5).await;
    assert_eq!(deliver().await, 1);
    fixture.cloud.operator().lock_user(&fixture.world.oem, World::OBSERVER).await.unwrap();
    assert_eq!(deliver().await, 0, "the operator answers for other locks");
    let mails = fixture.cloud.outbox().await;
    assert!(mails.iter().all(|mail| (&*mail.kind, &*mail.recipient) == ("sign_in_locked", World::ADMIN)));
    assert!(mails[0].body.contains("rests for 30 minutes") && mails[0].body.contains("/password/reset"));
    assert_eq!(smtp.stop().len(), 3);
}

platform::on_both_databases![owner_gets_one_mail_for_each_lock];

#[tokio::test]
async fn wrong_passwords_do_not_reveal_whether_there_is_an_account() {
    const WRONG: &str = "Invalid email or password";
    const LOCKED: &str = "Your account is locked.";
    let fixture = Fixture::start().await;
    fixture.cloud.operator().lock_user(&fixture.world.oem, World::PARTNER_ADMIN_B).await.unwrap();
    let spellings: [fn(&str) -> String; 5] = [
        str::to_owned,
        |email| format!("{email} "),
        |email| format!(" \t{email}"),
        str::to_uppercase,
        |email| format!("{}\n", email.to_uppercase()),
    ];
    // The hours before an attempt, its spelling and the answer.
    let scripts: [&[(i64, usize, &str)]; 4] = [
        &[(0, 0, WRONG), (0, 1, WRONG), (0, 2, WRONG), (0, 3, WRONG), (0, 4, WRONG), (0, 0, LOCKED)],
        &[
            (0, 0, WRONG),
            (0, 0, WRONG),
            (0, 0, WRONG),
            (0, 0, WRONG),
            (0, 0, WRONG),
            (0, 0, LOCKED),
            (0, 1, LOCKED),
            (0, 2, LOCKED),
            (0, 3, LOCKED),
            (0, 4, LOCKED),
            // The lock has ended.
            (1, 1, WRONG),
        ],
        &[(0, 0, WRONG), (0, 0, WRONG), (0, 0, WRONG), (0, 0, WRONG), (23, 1, WRONG), (0, 0, LOCKED)],
        &[
            (0, 0, WRONG),
            (0, 0, WRONG),
            (0, 0, WRONG),
            (0, 0, WRONG),
            // Forgotten after a day.
            (25, 1, WRONG),
            (0, 0, WRONG),
            (0, 0, WRONG),
            (0, 0, WRONG),
            (0, 0, WRONG),
            (0, 0, LOCKED),
        ],
    ];
    let people = [World::OBSERVER, World::MACHINE, World::UNCONFIRMED, World::PARTNER_ADMIN_B, "nobody@example.com"];
    for script in scripts {
        for (hours, spelling, expected) in script {
            fixture.cloud.clock().advance(SignedDuration::from_hours(*hours));
            for email in people {
                let (hashes, rows) = (fixture.cloud.hashes(), fixture.cloud.rows_written().await);
                let answer = sign_in(&fixture, &spellings[*spelling](email), "wrong").await;
                let work = (fixture.cloud.hashes() - hashes, fixture.cloud.rows_written().await - rows);
                assert_eq!((answer.status, &answer.body), (401, &json!({ "error": expected })), "{email}");
                assert_eq!(work, (1, i64::from(*expected == WRONG)), "{email}");
            }
        }
        fixture.cloud.clock().advance(SignedDuration::from_hours(48));
    }
}

#[tokio::test]
async fn correct_password_resets_the_count_of_wrong_ones() {
    let fixture = Fixture::start().await;
    for password in ["1", "2", "3", "4", PASSWORD, "5", "6", "7", "8"] {
        sign_in(&fixture, World::ADMIN, password).await;
    }
    assert_eq!(sign_in(&fixture, World::ADMIN, PASSWORD).await.status, 200);
}

#[tokio::test]
async fn service_account_is_never_locked() {
    let fixture = Fixture::start().await;
    for _ in 0..6 {
        assert_eq!(sign_in(&fixture, World::MACHINE, "wrong").await.status, 401);
    }
    assert_eq!(sign_in(&fixture, World::MACHINE, PASSWORD).await.status, 200);
}

#[tokio::test]
async fn service_account_signs_in_through_its_own_application_only() {
    let fixture = Fixture::start().await;
    let (operator, secret) = (fixture.cloud.operator(), "other-secret");
    operator.ensure_application(&fixture.world.oem, "other-app", "Other", &secret.into()).await.unwrap();
    for (email, status) in [(World::ADMIN, 200), (World::MACHINE, 401), ("nobody@example.com", 401)] {
        let mut body = credentials(email, PASSWORD);
        body["user"]["application"] = json!({ "app_id": "other-app", "app_secret": secret });
        let answer = fixture.call(Method::POST, "/users/sign_in.json", None, Some(body)).await;
        assert_eq!(answer.status, status, "{email}");
        if status == 401 {
            assert_eq!(answer.body["error"], "Invalid email or password", "{email}");
        }
    }
    assert_eq!(sign_in(&fixture, World::MACHINE, PASSWORD).await.status, 200);
    let stray =
        NewUser { email: "m@example.com".to_owned(), machine_of: Some("none".to_owned()), ..NewUser::default() };
    let refused = operator.ensure_user(&fixture.world.oem, &stray).await;
    assert!(matches!(refused, Err(OperatorError::UnknownApplication(_))));
}

#[tokio::test]
async fn access_token_is_valid_for_a_day() {
    let fixture = Fixture::start().await;
    let token = sign_in(&fixture, World::ADMIN, PASSWORD).await.body["access_token"].take();
    fixture.cloud.clock().advance(SignedDuration::from_secs(86_399));
    assert!(is_signed_in(&fixture, &token).await);
    fixture.cloud.clock().advance(SignedDuration::from_secs(1));
    assert!(!is_signed_in(&fixture, &token).await);
}

#[tokio::test]
async fn refresh_issues_a_new_pair_and_revokes_the_old_access_token() {
    let fixture = Fixture::start().await;
    let old = sign_in(&fixture, World::ADMIN, PASSWORD).await.body;
    fixture.cloud.expire_access_tokens().await;
    assert!(!is_signed_in(&fixture, &old["access_token"]).await);
    let new = refresh(&fixture, &old["refresh_token"]).await;
    assert_eq!(new.status, 200);
    assert!(is_signed_in(&fixture, &new.body["access_token"]).await);
    assert_ne!(new.body["refresh_token"], old["refresh_token"]);
    let newer = refresh(&fixture, &new.body["refresh_token"]).await;
    assert!(!is_signed_in(&fixture, &new.body["access_token"]).await);
    assert!(is_signed_in(&fixture, &newer.body["access_token"]).await);
}

#[tokio::test]
async fn replaced_refresh_token_is_accepted_for_a_minute() {
    let fixture = Fixture::start().await;
    let lost = sign_in(&fixture, World::ADMIN, PASSWORD).await.body["refresh_token"].take();
    // The cloud refreshed the token, but its answer was lost.
    fixture.cloud.faults().push(Fault::DropAnswer);
    let body = json!({ "user": { "refresh_token": lost } });
    assert!(fixture.request(Method::POST, "/users/refresh_token").json(&body).send().await.is_err());
    fixture.cloud.clock().advance(SignedDuration::from_secs(59));
    let again = refresh(&fixture, &lost).await;
    assert_eq!(again.status, 200);
    assert!(is_signed_in(&fixture, &again.body["access_token"]).await);
    fixture.cloud.clock().advance(SignedDuration::from_secs(1));
    assert_eq!(refresh(&fixture, &lost).await.status, 422);
    assert_eq!(refresh(&fixture, &again.body["refresh_token"]).await.status, 200);
}

#[tokio::test]
async fn two_concurrent_refreshes_both_get_a_usable_pair() {
    let fixture = Fixture::start().await;
    let token = sign_in(&fixture, World::ADMIN, PASSWORD).await.body["refresh_token"].take();
    let (one, other) = tokio::join!(refresh(&fixture, &token), refresh(&fixture, &token));
    assert_eq!((one.status, other.status), (200, 200));
    for pair in [one, other] {
        assert_eq!(refresh(&fixture, &pair.body["refresh_token"]).await.status, 200);
    }
}

#[tokio::test]
async fn refresh_without_a_valid_token_is_refused() {
    let fixture = Fixture::start().await;
    for token in [json!("0".repeat(32)), json!(""), json!(null), json!(7), json!("t".repeat(1000)), json!("a\u{0}")] {
        let answer = refresh(&fixture, &token).await;
        assert_eq!((answer.status, &answer.body["error"]), (422, &json!("Your refresh token is invalid")), "{token}");
    }
}

#[tokio::test]
async fn signing_out_ends_both_tokens() {
    let fixture = Fixture::start().await;
    let session = sign_in(&fixture, World::ADMIN, PASSWORD).await.body;
    let body = json!({ "user": { "access_token": session["access_token"] } });
    let answer = fixture.call(Method::POST, "/users/sign_out.json", None, Some(body.clone())).await;
    assert_eq!((answer.status, answer.body), (200, json!({ "logout": true })));
    assert!(!is_signed_in(&fixture, &session["access_token"]).await);
    assert_eq!(refresh(&fixture, &session["refresh_token"]).await.status, 422);
    assert_eq!(fixture.call(Method::POST, "/users/sign_out", None, Some(body)).await.status, 401);
}

#[tokio::test]
async fn sign_out_accepts_the_header_token_even_if_expired() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    fixture.cloud.expire_access_tokens().await;
    assert_eq!(fixture.post(&token, "/users/sign_out", json!({})).await.status, 200);
    assert_eq!(fixture.call(Method::POST, "/users/sign_out", None, None).await.status, 401);
}

#[tokio::test]
async fn token_is_accepted_in_every_format() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    for header in [format!("auth_token {token}"), format!("Bearer {token}"), token.clone()] {
        let request = fixture.request(Method::GET, "/users/get_user_profile.json").header("AUTHORIZATION", &header);
        assert_eq!(answer(request.send().await.unwrap()).await.status, 200, "{header}");
    }
    for header in [format!("Basic {token}"), token[1..].to_owned(), String::new()] {
        let request = fixture.request(Method::GET, "/users/get_user_profile.json").header("authorization", &header);
        assert_eq!(answer(request.send().await.unwrap()).await.status, 401, "{header}");
    }
}

#[tokio::test]
async fn demoted_user_loses_permissions_with_the_next_call() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    assert_eq!(fixture.get(&token, "/apiv1/dsns/DEV-A1").await.status, 200);
    fixture.cloud.revoke_roles(World::PARTNER_ADMIN_A).await;
    assert_eq!(fixture.get(&token, "/apiv1/dsns/DEV-A1").await.status, 404);
}
