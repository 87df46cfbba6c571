//! The account of the signed-in user: checks, requests, and effects on the session.

use std::sync::{Arc, Mutex};

use devicecloud::{
    AuthProvider, Authorization, BoxFuture, Client, Config, Endpoints, ErrorKind, MemoryTokenStore, Result, SecretText,
    ServiceLocation, ServiceType, SessionEvent, SessionState, SignIn, TokenStore, UserChanges, UserUuid,
};
use serde_json::json;

use crate::server::Server;

const EMAIL: &str = "jo@example.com";

fn authorization() -> Authorization {
    Authorization {
        access_token: "access".into(),
        refresh_token: "refresh".into(),
        expires_in_secs: 86_400,
        role: None,
        created_at: "2999-01-01T00:00:00Z".parse().unwrap(),
    }
}

fn store() -> MemoryTokenStore {
    MemoryTokenStore::with(authorization())
}

fn client(server: &Server) -> Client {
    Client::new(Config::local(&server.base, "app", "app secret").unwrap(), Arc::new(store())).unwrap()
}

fn signed_out(server: &Server) -> Client {
    client(server).with_store(Arc::new(MemoryTokenStore::new()))
}

fn secret(text: &str) -> SecretText {
    text.into()
}

fn fails<T: std::fmt::Debug>(result: Result<T>, kind: ErrorKind, message: &str) {
    let error = result.unwrap_err();
    assert_eq!((error.kind(), error.message()), (kind, message));
}

fn missing<T: std::fmt::Debug>(result: Result<T>, message: &str) {
    fails(result, ErrorKind::InvalidArgument, message);
}

#[tokio::test]
async fn email_request_requires_an_address() {
    let server = Server::answering(201, String::new()).await;
    let users = client(&server).users();
    for blank in ["", " "] {
        missing(users.request_password_reset(blank).send().await, "Email is required");
        missing(users.resend_confirmation(blank).send().await, "Email is required");
    }
    assert_eq!(server.count(), 0);
}

#[tokio::test]
async fn confirmation_and_cancellation_require_a_token() {
    let server = Server::answering(200, String::new()).await;
    for blank in ["", " "] {
        missing(client(&server).users().confirm(&secret(blank)).await, "Confirmation Token is required");
        missing(client(&server).users().cancel_email_change(&secret(blank)).await, "Cancellation Token is required");
    }
    assert_eq!(server.count(), 0);
}

#[tokio::test]
async fn password_reset_checks_token_password_and_confirmation_in_order() {
    let server = Server::answering(204, String::new()).await;
    let users = client(&server).users();
    let reset = async |token: &str, password: &str, confirmation: &str| {
        users.reset_password(&secret(token), &secret(password), &secret(confirmation)).await
    };
    missing(reset("", "", "").await, "Password reset token is required");
    missing(reset("t", " ", "").await, "Password is required");
    missing(reset("t", "p", " ").await, "Password confirmation is required");
    assert_eq!(server.count(), 0);
}

#[tokio::test]
async fn new_email_requires_an_at_sign() {
    let server = Server::answering(204, String::new()).await;
    for invalid in ["", " ", "jo.example.com"] {
        missing(client(&server).users().update_email(invalid).send().await, "Invalid Email address");
    }
    let blank = client(&server).users().update_email(EMAIL).current_password(" ");
    missing(blank.send().await, "Password must not be empty");
    assert_eq!(server.count(), 0);
}

#[tokio::test]
async fn empty_passwords_are_rejected() {
    let server = Server::answering(204, String::new()).await;
    for (current, new) in [("", "new"), ("current", ""), (" ", "new"), ("", "")] {
        let updated = client(&server).users().update_password(&secret(current), &secret(new)).await;
        missing(updated, "Password must not be empty");
    }
    assert_eq!(server.count(), 0);
}

#[tokio::test]
async fn mail_token_calls_return_the_user_if_the_cloud_names_it() {
    let uuid = "11111111-2222-3333-4444-555555555555";
    let named = json!({ "uuid": uuid }).to_string();
    for (body, expected) in [(named, Some(uuid)), ("{}".to_owned(), None), (String::new(), None)] {
        let server = Server::answering(200, body).await;
        let users = client(&server).users();
        let token = secret("t");
        let found = [
            users.confirm(&token).await.unwrap(),
            users.reset_password(&token, &secret("p"), &secret("p")).await.unwrap(),
            users.cancel_email_change(&token).await.unwrap(),
        ];
        assert_eq!(found, [expected; 3].map(|uuid| uuid.map(UserUuid::from)));
    }
}

#[tokio::test]
async fn identical_new_password_is_rejected() {
    let server = Server::answering(204, String::new()).await;
    let updated = client(&server).users().update_password(&secret("same"), &secret("same")).await;
    missing(updated, "Current and new password are identical");
    assert_eq!(server.count(), 0);
}

#[tokio::test]
async fn library_checks_no_password_rules() {
    let server = Server::answering(204, String::new()).await;
    let users = client(&server).users();
    users.update_password(&secret("a"), &secret("b")).await.unwrap();
    assert_eq!(server.first().body, Some(json!({"user": {"current_password": "a", "password": "b"}})));
    users.reset_password(&secret("t"), &secret("b"), &secret("c")).await.unwrap();
    assert_eq!(server.count(), 2);
}

#[tokio::test]
async fn profile_update_requires_a_user() {
    let server = Server::answering(204, String::new()).await;
    missing(client(&server).users().update_profile(None).await, "User may not be null");
    // The user is checked before the application.
    missing(uninitialized(&server).users().update_profile(None).await, "User may not be null");
    assert_eq!(server.count(), 0);
}

fn uninitialized(server: &Server) -> Client {
    let endpoints = Endpoints::local(&server.base).unwrap();
    let config = Config::without_application(endpoints, ServiceLocation::Local, ServiceType::Development);
    Client::new(config, Arc::new(store())).unwrap()
}

#[tokio::test]
async fn profile_update_without_application_is_rejected() {
    let server = Server::answering(200, json!({"user": {"uuid": "u"}}).to_string()).await;
    let client = uninitialized(&server);
    let precondition = |result: Result<()>, message: &str| fails(result, ErrorKind::Precondition, message);
    precondition(
        client.users().update_profile(UserChanges::new().city("Paris")).await,
        "Library has not been initialized. Call AylaNetworks.initialize() before calling any other methods",
    );
    let required = "Application id and secret are required";
    precondition(client.users().request_password_reset(EMAIL).send().await, required);
    precondition(client.users().resend_confirmation(EMAIL).send().await, required);
    precondition(client.sign_in(EMAIL, &secret("p")).await.map(drop), required);
    assert_eq!(server.count(), 0);
    assert_eq!(
        client.users().profile().await.unwrap().uuid.as_str(),
        "u",
        "a session that was started elsewhere works"
    );
}

#[tokio::test]
async fn only_specified_calls_work_without_a_session() {
    let server = Server::answering(204, String::new()).await;
    let users = signed_out(&server).users();
    let no_session = |result: Result<()>| fails(result, ErrorKind::Precondition, "No session is active");
    no_session(users.profile().await.map(drop));
    no_session(users.update_profile(UserChanges::new()).await);
    no_session(users.update_password(&secret("a"), &secret("b")).await);
    no_session(users.update_email(EMAIL).send().await);
    no_session(users.delete_account().await);
    no_session(users.resend_confirmation(EMAIL).send().await);
    assert_eq!(server.count(), 0);
    users.request_password_reset(EMAIL).send().await.unwrap();
    users.confirm(&secret("t")).await.unwrap();
    users.reset_password(&secret("t"), &secret("p"), &secret("p")).await.unwrap();
    users.cancel_email_change(&secret("t")).await.unwrap();
    assert_eq!(server.count(), 4);
}

#[tokio::test]
async fn profile_update_sends_only_set_fields() {
    let server = Server::answering(204, String::new()).await;
    let changes = UserChanges::new().firstname("Jo").company("").city("Lyon").city("Paris");
    client(&server).users().update_profile(changes).await.unwrap();
    let user = json!({"firstname": "Jo", "company": "", "city": "Paris"});
    assert_eq!(server.first().body, Some(json!({"user": user})));
}

/// The stored tokens, and whether the client considers the session closed.
async fn is_over(client: &Client, store: &MemoryTokenStore) -> bool {
    let empty = store.load().await.unwrap().is_none();
    assert_eq!(empty, client.session_state() == SessionState::Closed);
    empty
}

#[tokio::test]
async fn email_change_and_account_deletion_end_the_session() {
    for deletes in [true, false] {
        for (status, ends) in [(204, true), (409, false)] {
            let server = Server::answering(status, String::new()).await;
            let store = store();
            let client = client(&server).with_store(Arc::new(store.clone()));
            let mut events = client.session_events();
            let users = client.users();
            let change = users.update_email(EMAIL).current_password("correct horse");
            let result = if deletes { users.delete_account().await } else { change.send().await };
            assert_eq!((result.is_ok(), is_over(&client, &store).await), (ends, ends), "{status}");
            if ends {
                assert_eq!(events.next().await, Some(SessionEvent::Closed));
            }
            if !deletes {
                let body = json!({"email": EMAIL, "current_password": "correct horse"});
                assert_eq!(server.first().body, Some(body));
                assert!(!format!("{change:?}").contains("correct") && !format!("{change:?}").contains(EMAIL));
            }
        }
    }
}

#[tokio::test]
async fn requested_email_change_keeps_the_session() {
    let server = Server::answering(200, "{}".to_owned()).await;
    let store = store();
    let client = client(&server).with_store(Arc::new(store.clone()));
    client.users().update_email(EMAIL).send().await.unwrap();
    assert_eq!(server.first().body, Some(json!({"email": EMAIL})));
    assert!(!is_over(&client, &store).await);
}

#[tokio::test]
async fn one_time_calls_are_not_retried() {
    let server = Server::answering(503, String::new()).await;
    let users = client(&server).users();
    assert!(users.confirm(&secret("t")).await.is_err());
    assert!(users.reset_password(&secret("t"), &secret("p"), &secret("p")).await.is_err());
    assert!(users.update_password(&secret("a"), &secret("b")).await.is_err());
    assert!(users.update_email(EMAIL).send().await.is_err());
    assert!(users.cancel_email_change(&secret("t")).await.is_err());
    assert!(users.delete_account().await.is_err());
    assert!(users.request_password_reset(EMAIL).send().await.is_err());
    assert!(users.resend_confirmation(EMAIL).send().await.is_err());
    assert_eq!(server.count(), 8);
}

/// An auth provider other than the cloud's.
#[derive(Clone, Default)]
struct RecordingAuth(Arc<Mutex<Vec<String>>>);

impl AuthProvider for RecordingAuth {
    fn sign_in<'a>(&'a self, email: &'a str, password: &'a SecretText) -> BoxFuture<'a, Result<SignIn>> {
        self.0.lock().unwrap().push(format!("in {email} {}", password.expose()));
        Box::pin(async { Ok(SignIn::new(authorization(), vec![])) })
    }

    fn sign_out<'a>(&'a self, authorization: &'a Authorization) -> BoxFuture<'a, Result<()>> {
        self.0.lock().unwrap().push(format!("out {}", authorization.access_token.expose()));
        Box::pin(async { Ok(()) })
    }
}

#[tokio::test]
async fn custom_auth_provider_replaces_the_cloud_sign_in() {
    let server = Server::answering(200, json!({"user": {"uuid": "u"}}).to_string()).await;
    let (provider, store) = (RecordingAuth::default(), Arc::new(MemoryTokenStore::new()));
    let config = Config::local(&server.base, "app", "app secret").unwrap();
    let client = Client::builder(config, store).auth_provider(Arc::new(provider.clone())).build().unwrap();
    client.sign_in(EMAIL, &secret("1234")).await.unwrap();
    assert_eq!(client.users().profile().await.unwrap().uuid.as_str(), "u");
    assert_eq!(server.first().headers["authorization"], "auth_token access");
    client.sign_out().await.unwrap();
    assert_eq!(*provider.0.lock().unwrap(), ["in jo@example.com 1234", "out access"]);
    assert_eq!(server.count(), 1);
}

#[test]
fn debug_output_has_no_personal_data() {
    let config = Config::local("http://127.0.0.1:1", "app", "app secret").unwrap();
    let users = Client::new(config, Arc::new(MemoryTokenStore::new())).unwrap().users();
    assert!(!format!("{:?}", users.request_password_reset(EMAIL)).contains(EMAIL));
    assert!(!format!("{:?}", UserChanges::new().firstname("Zoë")).contains("Zoë"));
}
