//! Calls for users and roles: checks in the specified order, and unexpected responses.
#![expect(clippy::unwrap_used, reason = "a failure in a helper fails the test")]

#[path = "support/server.rs"]
mod server;

use std::sync::Arc;

use devicecloud::{
    Authorization, Client, Clock, Config, Error, ErrorKind, Label, MemoryTokenStore, NewUser, Order, UserChanges,
};
use futures::TryStreamExt;
use serde_json::json;
use server::Server;

const NOW: &str = "2026-11-20T10:00:00Z";
const ROLE: &str = "OEM::Company::Dealer";
const EMAIL: &str = "jo@example.com";

fn client(server: &Server) -> Client {
    let store = MemoryTokenStore::with(Authorization {
        access_token: "access".into(),
        refresh_token: "refresh".into(),
        expires_in_secs: 86_400,
        role: None,
        created_at: NOW.parse().unwrap(),
    });
    let config = Config::local(&server.base, "app", "app secret").unwrap();
    Client::builder(config, Arc::new(store)).clock(Clock::mock(NOW.parse().unwrap())).build().unwrap()
}

fn jo() -> NewUser {
    NewUser::new(EMAIL, "Correct-Horse-1")
}

fn dealer() -> Label {
    Label::new("dealer_id", "101")
}

#[tokio::test]
async fn missing_session_is_reported_before_invalid_arguments() {
    let server = Server::answering(200, "[]".to_owned()).await;
    let signed_out = client(&server).with_store(Arc::new(MemoryTokenStore::new()));
    let first = |error: Error| {
        assert_eq!((error.kind(), error.message()), (ErrorKind::Precondition, "Session manager is required"));
    };
    let (admin, roles) = (signed_out.admin(), signed_out.roles());
    first(admin.users("").send().await.unwrap_err());
    first(admin.end_users("").page(0).send().await.unwrap_err());
    first(admin.get_user("").await.unwrap_err());
    first(admin.get_user_by_uuid("").await.unwrap_err());
    first(admin.create_user(NewUser::new("", "")).send().await.unwrap_err());
    first(admin.update_user("", &UserChanges::new()).await.unwrap_err());
    first(admin.delete_user("").await.unwrap_err());
    first(signed_out.devices().list().send().await.unwrap_err());
    first(signed_out.devices().get("").send().await.unwrap_err());
    first(roles.associate_role_user("", None, "", "").await.unwrap_err());
    first(roles.disassociate_role_user("", "", "", "").await.unwrap_err());
    first(roles.disassociate_user("", "", "").await.unwrap_err());
    first(roles.role_users("").await.unwrap_err());
    first(roles.index_by_role("").send().await.unwrap_err());
    first(roles.index_by_label("").send().await.unwrap_err());
    first(roles.index_by_oem().await.unwrap_err());
    first(roles.create_role_user(NewUser::new("", ""), "").send().await.unwrap_err());
    first(roles.create_associated_user(NewUser::new("", ""), "").send().await.unwrap_err());
    first(roles.assign_role("", "").await.unwrap_err());
    first(roles.revoke_role("", "").await.unwrap_err());
    first(roles.assign_label("", "", None).await.unwrap_err());
    first(roles.revoke_label("", "", None).await.unwrap_err());
    assert_eq!(server.count(), 0);
}

#[tokio::test]
async fn missing_arguments_are_rejected_in_the_specified_order() {
    let server = Server::answering(200, "[]".to_owned()).await;
    let client = client(&server);
    let (admin, roles) = (client.admin(), client.roles());
    let missing = |error: Error, message: &str| {
        assert_eq!((error.kind(), error.message()), (ErrorKind::InvalidArgument, message));
    };
    missing(admin.users(" ").page(0).send().await.unwrap_err(), "OEM ID is required");
    missing(admin.end_users("").send().await.unwrap_err(), "OEM ID is required");
    missing(admin.users(3).page(0).send().await.unwrap_err(), "Page and page size start at 1");
    missing(admin.users(3).per_page(0).send().await.unwrap_err(), "Page and page size start at 1");
    missing(admin.get_user(" ").await.unwrap_err(), "User id is empty");
    missing(admin.get_user_by_uuid("").await.unwrap_err(), "User id is empty");
    missing(admin.update_user("", &UserChanges::new()).await.unwrap_err(), "User id is empty");
    missing(admin.delete_user(" ").await.unwrap_err(), "User id is empty");
    missing(admin.create_user(NewUser::new(" ", " ")).send().await.unwrap_err(), "Email is required");
    missing(admin.create_user(NewUser::new(EMAIL, " ")).send().await.unwrap_err(), "Password is required");

    let user_id = "User id is empty";
    missing(roles.associate_role_user("", None, " ", "").await.unwrap_err(), user_id);
    missing(roles.disassociate_role_user("", "", "", "").await.unwrap_err(), user_id);
    missing(roles.disassociate_user("", "", "").await.unwrap_err(), user_id);
    let user_email = "User email is empty";
    missing(roles.associate_role_user("", None, 7, " ").await.unwrap_err(), user_email);
    missing(roles.disassociate_role_user("", "", 7, "").await.unwrap_err(), user_email);
    missing(roles.disassociate_user("", 7, "").await.unwrap_err(), user_email);
    missing(roles.role_users(" ").await.unwrap_err(), user_email);
    missing(roles.assign_role("", "").await.unwrap_err(), user_email);
    missing(roles.revoke_role(" ", "").await.unwrap_err(), user_email);
    missing(roles.assign_label("", ROLE, dealer()).await.unwrap_err(), user_email);
    missing(roles.revoke_label("", ROLE, dealer()).await.unwrap_err(), user_email);

    let role = "Role name is required";
    missing(roles.assign_label("", " ", None).await.unwrap_err(), role);
    missing(roles.revoke_label("", "", None).await.unwrap_err(), role);
    missing(roles.assign_role(EMAIL, " ").await.unwrap_err(), role);
    missing(roles.revoke_role(EMAIL, "").await.unwrap_err(), role);
    missing(roles.associate_role_user("", None, 7, EMAIL).await.unwrap_err(), role);
    missing(roles.disassociate_role_user("", "", 7, EMAIL).await.unwrap_err(), role);
    missing(roles.disassociate_user(" ", 7, EMAIL).await.unwrap_err(), role);
    missing(roles.index_by_role(" ").send().await.unwrap_err(), role);
    missing(roles.index_by_label("").send().await.unwrap_err(), role);
    missing(roles.create_role_user(jo(), "").send().await.unwrap_err(), role);
    missing(roles.create_associated_user(jo(), " ").send().await.unwrap_err(), role);

    let label = "Role label is required";
    for without in [None, Some(Label::new("", "101")), Some(Label::new("dealer_id", " "))] {
        missing(roles.assign_label("", ROLE, without.clone()).await.unwrap_err(), label);
        missing(roles.revoke_label("", ROLE, without.clone()).await.unwrap_err(), label);
        missing(roles.associate_role_user(ROLE, without, 7, EMAIL).await.unwrap_err(), label);
    }
    missing(roles.disassociate_role_user(ROLE, " ", 7, EMAIL).await.unwrap_err(), label);
    assert_eq!(server.count(), 0);
}

#[tokio::test]
async fn list_sends_the_specified_defaults_and_every_filter() {
    let (server, again) =
        (Server::answering(200, "[]".to_owned()).await, Server::answering(200, "[]".to_owned()).await);
    client(&server).admin().users(3).send().await.unwrap();
    let defaults = ["filter[order]=desc", "filter[order_by]=created_at", "page=1", "paginated=true", "per_page=10"];
    let seen = server.first();
    assert_eq!((seen.method.as_str(), seen.path.as_str()), ("GET", "/user/oems/3/users.json"));
    assert_eq!(
        (seen.headers["authorization"].to_str().unwrap(), seen.query),
        ("auth_token access", defaults.map(str::to_owned).to_vec())
    );
    let list = client(&again).admin().users(3).order(Order::Asc).filter("company", "Moss & Co").filter("city", "Paris");
    list.send().await.unwrap();
    for pair in ["filter[order]=asc", "filter[company]=Moss & Co", "filter[city]=Paris"] {
        assert!(again.first().query.iter().any(|sent| sent == pair), "{pair}");
    }
    assert_eq!([Order::Asc.as_str(), Order::Desc.as_str(), Order::default().as_str()], ["asc", "desc", "desc"]);
}

#[tokio::test]
async fn repeated_next_page_ends_the_stream() {
    let page = r#"{"total": 2, "next_page": 2, "users": [{"user": {"id": 1}}]}"#;
    let server = Server::answering(200, page.to_owned()).await;
    let users: Vec<_> = client(&server).admin().users(3).items().try_collect().await.unwrap();
    assert_eq!((users.len(), server.count()), (2, 2));
}

#[tokio::test]
async fn created_user_has_a_blank_id_if_the_response_is_unreadable() {
    for body in ["", "[]", "{\"unexpected\": true}", "null"] {
        let server = Server::answering(201, body.to_owned()).await;
        let client = client(&server);
        let (admin, roles) = (client.admin(), client.roles());
        for created in [
            admin.create_user(jo().firstname("Jo")).send().await.unwrap(),
            roles.create_role_user(jo().firstname("Jo"), ROLE).send().await.unwrap(),
            roles.create_associated_user(jo().firstname("Jo"), ROLE).send().await.unwrap(),
        ] {
            assert!(created.id.is_blank(), "{body}");
        }
    }
    let server = Server::answering(201, String::new()).await;
    let created = client(&server).admin().create_user(jo().firstname("Jo").city("Paris")).send().await.unwrap();
    assert_eq!(
        (created.email.as_str(), created.firstname.as_deref(), created.city.as_deref()),
        (EMAIL, Some("Jo"), Some("Paris"))
    );
}

#[tokio::test]
async fn new_user_sends_the_application_and_only_a_complete_label() {
    for (label, sent) in [(("dealer_id", "101"), json!({"dealer_id": "101"})), (("dealer_id", " "), json!(null))] {
        let server = Server::answering(201, "{}".to_owned()).await;
        let create = client(&server).roles().create_role_user(jo(), ROLE).label(label.0, label.1);
        create.send().await.unwrap();
        let body = server.first().body.unwrap();
        assert_eq!(body["user"]["application"], json!({"app_id": "app", "app_secret": "app secret"}));
        assert_eq!((&body["role"], &body["label"]), (&json!(ROLE), &sent));
    }
}
