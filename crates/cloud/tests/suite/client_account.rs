//! Calls about the caller's own account through the client library.

use cloud::testing::{PASSWORD, World};
use devicecloud::{Client, Error, ErrorKind, Result, SecretText, SessionState, UserChanges};

use crate::client::Fixture;
use crate::client_devices::signed_in;
use crate::passwords::NEW;

fn secret(text: &str) -> SecretText {
    text.into()
}

/// The fields that the error of the call names.
fn refused<T: std::fmt::Debug>(result: Result<T>) -> Vec<String> {
    let error = result.unwrap_err();
    assert_eq!((error.kind(), error.status()), (ErrorKind::Server, Some(422)), "{error:?}");
    error.fields().iter().map(|(field, _)| field.clone()).collect()
}

/// Whether the password signs this user in.
async fn signs_in(client: &Client, email: &str, password: &str) -> bool {
    client.sign_in(email, &secret(password)).await.is_ok()
}

#[tokio::test]
async fn profile_is_changed_and_read() {
    let fixture = Fixture::start().await;
    let users = signed_in(&fixture, World::PARTNER_ADMIN_A).await.users();
    let before = users.profile().await.unwrap();
    users.update_profile(UserChanges::new().city("Paris").company("{}").ayla_dev_kit_num("DK-7")).await.unwrap();
    users.update_profile(UserChanges::new().company("")).await.unwrap();
    let after = users.profile().await.unwrap();
    assert_eq!((after.city.as_deref(), after.company.as_deref()), (Some("Paris"), None));
    assert_eq!(after.ayla_dev_kit_num.as_deref(), Some("DK-7"));
    assert_eq!(
        (&after.email, &after.firstname, &after.role_tags),
        (&before.email, &before.firstname, &before.role_tags)
    );
    assert_eq!(after.role_tags[0].value, "A");
    assert!(after.confirmed_at.is_some() && after.created_at.is_some() && after.updated_at.is_some());
    assert_eq!(refused(users.update_profile(UserChanges::new().lastname(" ")).await), ["lastname"]);
}

#[tokio::test]
async fn password_change_keeps_the_current_session() {
    let fixture = Fixture::start().await;
    let client = signed_in(&fixture, World::END_USER).await;
    let users = client.users();
    assert_eq!(refused(users.update_password(&secret("wrong"), &secret(NEW)).await), ["current_password"]);
    assert_eq!(refused(users.update_password(&secret(PASSWORD), &secret("weak")).await), ["password"]);
    users.update_password(&secret(PASSWORD), &secret(NEW)).await.unwrap();
    users.profile().await.unwrap();
    assert!(!signs_in(&client, World::END_USER, PASSWORD).await);
    assert!(signs_in(&client, World::END_USER, NEW).await);
}

#[tokio::test]
async fn forgotten_password_is_reset() {
    let fixture = Fixture::start().await;
    let client = signed_in(&fixture, World::END_USER).await;
    client.sign_out().await.unwrap();
    let users = client.users();
    users.request_password_reset(World::END_USER).email_template_id("short").send().await.unwrap();
    users.request_password_reset("nobody@example.com").send().await.unwrap();
    let outbox = fixture.cloud.outbox().await;
    assert_eq!((outbox.len(), &*outbox[0].kind, &*outbox[0].recipient), (1, "password_reset", World::END_USER));
    assert_eq!(outbox[0].email_template_id.as_deref(), Some("short"));
    let token = secret(outbox[0].token());
    assert_eq!(refused(users.reset_password(&token, &secret(NEW), &secret("other")).await), ["password_confirmation"]);
    users.reset_password(&token, &secret(NEW), &secret(NEW)).await.unwrap();
    assert_eq!(refused(users.reset_password(&token, &secret(NEW), &secret(NEW)).await), ["reset_password_token"]);
    assert!(signs_in(&client, World::END_USER, NEW).await);
}

#[tokio::test]
async fn account_is_confirmed_by_its_mail() {
    let fixture = Fixture::start().await;
    let admin = signed_in(&fixture, World::ADMIN).await;
    let users = admin.users();
    users.resend_confirmation(World::UNCONFIRMED).email_template_id("short").send().await.unwrap();
    let outbox = fixture.cloud.outbox().await;
    assert_eq!((&*outbox[0].kind, &*outbox[0].recipient), ("confirmation", World::UNCONFIRMED));
    assert_eq!(outbox[0].email_template_id.as_deref(), Some("short"));
    assert_eq!(refused(users.confirm(&secret("wrong")).await), ["confirmation_token"]);
    users.confirm(&secret(outbox[0].token())).await.unwrap();
    assert_eq!(refused(users.resend_confirmation(World::UNCONFIRMED).send().await), ["email"]);
    let unknown = users.resend_confirmation("nobody@example.com").send().await;
    assert_eq!(unknown.as_ref().err().and_then(Error::status), Some(404));
    let user = signed_in(&fixture, World::UNCONFIRMED).await.users();
    let forbidden = user.resend_confirmation(World::OBSERVER).send().await;
    assert_eq!(forbidden.as_ref().err().and_then(Error::status), Some(403));
}

#[tokio::test]
async fn changed_address_signs_the_user_out_and_is_confirmed_and_cancelled_by_mail() {
    let fixture = Fixture::start().await;
    let client = signed_in(&fixture, World::END_USER).await;
    assert_eq!(refused(client.users().update_email(World::OBSERVER).send().await), ["email"]);
    assert_eq!(client.session_state(), SessionState::Active);
    client.users().update_email("jo.new@example.com").send().await.unwrap();
    assert_eq!(client.session_state(), SessionState::Active);
    assert_eq!(client.users().profile().await.unwrap().email, World::END_USER, "the session stays valid");
    let outbox = fixture.cloud.outbox().await;
    let users = client.users();
    let confirmation = secret(outbox[1].token());
    assert_eq!(refused(users.confirm(&confirmation).await), ["current_password"]);
    let wrong = secret("wrong");
    assert_eq!(refused(users.confirm_email(&confirmation, Some(&wrong)).await), ["current_password"]);
    assert_eq!(client.session_state(), SessionState::Active);
    users.confirm_email(&confirmation, None).await.unwrap();
    assert_eq!(client.session_state(), SessionState::Closed);
    let without_session = users.confirm_email(&confirmation, None).await.unwrap_err();
    assert_eq!(without_session.kind(), ErrorKind::Precondition);
    let again = users.confirm_email(&confirmation, Some(&secret(PASSWORD))).await;
    assert_eq!(refused(again), ["confirmation_token"]);
    assert!(signs_in(&client, "jo.new@example.com", PASSWORD).await);
    assert_eq!(refused(users.cancel_email_change(&secret("wrong")).await), ["cancellation_token"]);
    users.cancel_email_change(&secret(outbox[0].token())).await.unwrap();
    assert!(signs_in(&client, World::END_USER, PASSWORD).await);
    let at_once = |password: &str| users.update_email("jo.new@example.com").current_password(password);
    assert_eq!(refused(at_once("wrong").send().await), ["current_password"]);
    assert_eq!(client.session_state(), SessionState::Active);
    at_once(PASSWORD).send().await.unwrap();
    assert_eq!(client.session_state(), SessionState::Closed);
    assert_eq!(client.users().profile().await.unwrap_err().kind(), ErrorKind::Precondition);
    assert!(signs_in(&client, "jo.new@example.com", PASSWORD).await);
}

#[tokio::test]
async fn account_is_deleted() {
    let fixture = Fixture::start().await;
    let client = signed_in(&fixture, World::END_USER).await;
    client.users().delete_account().await.unwrap();
    assert_eq!(client.session_state(), SessionState::Closed);
    assert!(!signs_in(&client, World::END_USER, PASSWORD).await);
    let admin = signed_in(&fixture, World::ADMIN).await;
    let last = admin.users().delete_account().await.unwrap_err();
    assert_eq!((last.kind(), last.status()), (ErrorKind::Server, Some(409)));
    assert_eq!(admin.session_state(), SessionState::Active);
}

#[tokio::test]
async fn sign_in_refresh_and_sign_out_call_the_cloud() {
    let fixture = Fixture::start().await;
    let client = signed_in(&fixture, World::PARTNER_ADMIN_A).await;
    let first = client.refresh().await.unwrap();
    assert_eq!((first.expires_in_secs, first.role.as_deref()), (86_400, Some("OEM::Partner::Admin")));
    let second = client.refresh().await.unwrap();
    assert_ne!(first.access_token.expose(), second.access_token.expose());
    assert_eq!(fixture.get(first.access_token.expose(), "/users/get_user_profile").await.status, 401);
    assert_eq!(fixture.get(second.access_token.expose(), "/users/get_user_profile").await.status, 200);
    client.sign_out().await.unwrap();
    assert_eq!(fixture.get(second.access_token.expose(), "/users/get_user_profile").await.status, 401);
    let refused = client.sign_in(World::PARTNER_ADMIN_A, &secret("wrong")).await.unwrap_err();
    assert_eq!((refused.kind(), refused.status()), (ErrorKind::Auth, Some(401)));
}
