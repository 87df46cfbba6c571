//! Assigned and revoked roles apply to the next call and to open streams.

use cloud::testing::{APP_ID, APP_SECRET, PASSWORD, World};
use reqwest::Method;
use serde_json::{Value, json};

use super::{ADMIN, TECHNICIAN, new_user};
use crate::client::Fixture;
use crate::stream::{closed, event, subscribe};

async fn role_of(fixture: &Fixture, email: &str) -> String {
    fixture.user(email).await["role"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn strongest_of_several_roles_applies_to_the_next_call() {
    let fixture = Fixture::start().await;
    let (admin, technician) = (fixture.token(World::ADMIN).await, fixture.token(World::TECHNICIAN_A).await);
    let partner = fixture.token(World::PARTNER_ADMIN_A).await;
    let list = format!("/oems/{}/users", fixture.world.oem.id);
    let mut body = json!({ "user_email": World::TECHNICIAN_A, "role": ADMIN });
    assert_eq!(fixture.get(&technician, &list).await.status, 403);

    // The partner's administrator assigns the role with the partner's label.
    assert_eq!(fixture.put(&partner, "/api/v1/users/assign_role", body.clone()).await.status, 204);
    assert_eq!(fixture.put(&partner, "/api/v1/users/assign_role", body.clone()).await.status, 204, "again");
    let listed = fixture.get(&technician, &list).await.body;
    assert_eq!(listed.as_array().unwrap().len(), 3);
    assert_eq!(role_of(&fixture, World::TECHNICIAN_A).await, ADMIN);
    let path = format!("/api/v1/users/role_users?user_email={}", World::TECHNICIAN_A);
    let label = json!({ "key": "partner_id", "value": "A" });
    let roles = json!([{ "role": ADMIN, "label": label }, { "role": TECHNICIAN, "label": label }]);
    assert_eq!(fixture.get(&technician, &path).await.body, roles);

    assert_eq!(fixture.put(&admin, "/api/v1/users/revoke_role", body.clone()).await.status, 204);
    assert_eq!(fixture.get(&technician, &list).await.status, 403);
    assert_eq!(role_of(&fixture, World::TECHNICIAN_A).await, TECHNICIAN);
    assert_eq!(fixture.put(&admin, "/api/v1/users/revoke_role", body.clone()).await.status, 404, "no such role");

    body["role"] = json!(TECHNICIAN);
    body["label"] = json!({ "partner_id": "B" });
    assert_eq!(fixture.get(&technician, "/apiv1/dsns/DEV-A1").await.status, 200);
    assert_eq!(fixture.put(&admin, "/api/v1/users/assign_label", body.clone()).await.status, 204);
    assert_eq!(fixture.get(&technician, "/apiv1/dsns/DEV-A1").await.status, 404);
    assert_eq!(fixture.get(&technician, "/apiv1/dsns/DEV-B1").await.status, 200);
    body["label_key"] = json!("partner_id");
    assert_eq!(fixture.put(&admin, "/api/v1/users/revoke_label", body.clone()).await.status, 204);
    assert_eq!(fixture.get(&technician, "/apiv1/dsns/DEV-B1").await.status, 404);
    assert_eq!(fixture.put(&admin, "/api/v1/users/revoke_label", body).await.status, 404, "no such label");
}

#[tokio::test]
async fn open_stream_follows_permissions_and_ends_with_the_user() {
    let fixture = Fixture::start().await;
    let admin = fixture.token(World::ADMIN).await;
    let (_, mut socket) = subscribe(&fixture, World::TECHNICIAN_A, json!({})).await;
    let body = json!({ "user_email": World::TECHNICIAN_A, "role": TECHNICIAN, "label": { "partner_id": "B" } });
    assert_eq!(fixture.put(&admin, "/api/v1/users/assign_label", body).await.status, 204);
    let (a, b) = (fixture.cloud.device("DEV-A1").await, fixture.cloud.device("DEV-B1").await);
    // In each round one of the two devices is in scope, so an event comes. The heartbeat interval is never reached.
    let mut round = 0;
    let mut next = async || {
        round += 1;
        a.report(&[("fan", json!(round))]).await;
        b.report(&[("fan", json!(round))]).await;
        let event = event(&mut socket).await;
        event["metadata"]["dsn"].as_str().unwrap().to_owned()
    };
    while next().await != "DEV-B1" {}
    for _ in 0..3 {
        assert_eq!(next().await, "DEV-B1");
    }
    let path = format!("/admin/users/{}", fixture.user(World::TECHNICIAN_A).await["id"]);
    assert_eq!(fixture.call(Method::DELETE, &path, Some(&admin), None).await.status, 204);
    assert_eq!(closed(socket).await, Some(1008));
}

#[tokio::test]
async fn deleted_user_loses_all_sessions_and_can_sign_up_again() {
    let fixture = Fixture::start().await;
    let (admin, technician) = (fixture.token(World::ADMIN).await, fixture.token(World::TECHNICIAN_A).await);
    let path = format!("/admin/users/{}", fixture.user(World::TECHNICIAN_A).await["id"]);
    assert_eq!(fixture.call(Method::DELETE, &path, Some(&admin), None).await.status, 204);
    assert_eq!(fixture.call(Method::DELETE, &path, Some(&admin), None).await.status, 404, "again");
    assert_eq!(fixture.get(&technician, "/users/get_user_profile").await.status, 401);
    let made = fixture.post(&admin, "/users", new_user(World::TECHNICIAN_A)).await;
    assert_eq!((made.status, &made.body["role"]), (201, &json!("EndUser")));
}

#[tokio::test]
async fn last_administrator_cannot_be_deleted() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let path = format!("/admin/users/{}", fixture.user(World::ADMIN).await["id"]);
    let revoke = |email: &str| json!({ "user_email": email, "role": "OEM::Admin" });
    assert_eq!(fixture.delete(&token, &path).await.status, 409);
    assert_eq!(fixture.put(&token, "/api/v1/users/revoke_role", revoke(World::ADMIN)).await.status, 409);
    // An administrator without a confirmed address does not count, and can be removed.
    let other = json!({ "user": new_user("second@example.com")["user"], "role": "OEM::Admin" });
    assert_eq!(fixture.post(&token, "/api/v1/users/create_role_user", other.clone()).await.status, 201);
    assert_eq!(fixture.delete(&token, &path).await.status, 409);
    assert_eq!(fixture.put(&token, "/api/v1/users/revoke_role", revoke("second@example.com")).await.status, 204);
    // With a second administrator, the first can be deleted.
    assert_eq!(fixture.put(&token, "/api/v1/users/assign_role", revoke(World::OBSERVER)).await.status, 204);
    assert_eq!(fixture.delete(&token, &path).await.status, 204);
}

/// Kind, recipient and template of the newest message.
async fn last_message(fixture: &Fixture) -> (String, String, Option<String>) {
    let message = fixture.cloud.outbox().await.pop().unwrap();
    assert_eq!(message.token().len(), 32);
    (message.kind, message.recipient, message.email_template_id)
}

#[tokio::test]
async fn created_user_gets_a_mail_and_awaits_confirmation() {
    let fixture = Fixture::start().await;
    let (admin, partner) = (fixture.token(World::ADMIN).await, fixture.token(World::PARTNER_ADMIN_A).await);
    let made = |kind: &str, email: &str, template: Option<&str>| {
        (kind.to_owned(), email.to_owned(), template.map(str::to_owned))
    };
    let plain = fixture.post(&admin, "/users?email_template_id=welcome", new_user("a@example.org")).await;
    assert_eq!((plain.status, &plain.body["role"], &plain.body["confirmed"]), (201, &json!("EndUser"), &json!(false)));
    assert_eq!(last_message(&fixture).await, made("confirmation", "a@example.org", Some("welcome")));

    let mut with_role = new_user("b@example.org");
    with_role["email_template_id"] = json!("dealers");
    let with_role = fixture.post(&admin, "/api/v1/users/create_role_user", with_role).await;
    assert_eq!((with_role.status, &with_role.body["user"]["role"]), (201, &json!(TECHNICIAN)));
    assert_eq!(last_message(&fixture).await, made("invitation", "b@example.org", Some("dealers")));

    // Without a label, a partner's administrator invites to the own partner.
    let mut associated = new_user(" C@Example.org ");
    associated.as_object_mut().unwrap().remove("label");
    let associated = fixture.post(&partner, "/api/v1/users/create_associated_user", associated).await;
    assert_eq!((associated.status, &associated.body["role_tags"][0]["value"]), (201, &json!("A")));
    assert_eq!(last_message(&fixture).await, made("invitation", "C@Example.org", None));
    assert_eq!(fixture.cloud.outbox().await.len(), 3);

    // The creator can read and change the new user.
    let path = format!("/users/{}", associated.body["id"]);
    assert_eq!(fixture.get(&partner, &path).await.body["email"], "c@example.org");
    let rename = json!({ "user": { "lastname": "Hill" } });
    assert_eq!(fixture.put(&partner, &path, rename).await.body["lastname"], "Hill");

    let application = json!({ "app_id": APP_ID, "app_secret": APP_SECRET });
    let user = json!({ "email": "c@example.org", "password": PASSWORD, "application": application });
    let sign_in = fixture.call(Method::POST, "/users/sign_in", None, Some(json!({ "user": user }))).await;
    assert_eq!((sign_in.status, sign_in.body["error"].as_str().unwrap().contains("confirm")), (401, true));
}

async fn customers(fixture: &Fixture, token: &str) -> Value {
    let path = format!("/api/v1/users/index_by_label?role={TECHNICIAN}&key=partner_id&value=A");
    let mut users = fixture.get(token, &path).await.body;
    users.as_array_mut().unwrap().iter_mut().map(|user| user["email"].take()).collect()
}

#[tokio::test]
async fn customer_is_associated_with_a_role_user_and_either_side_ends_it() {
    let fixture = Fixture::start().await;
    let (customer, partner) = (fixture.token(World::END_USER).await, fixture.token(World::PARTNER_ADMIN_A).await);
    let admin = fixture.token(World::ADMIN).await;
    let id = fixture.user(World::END_USER).await["id"].take();
    let record = format!("/users/{id}");
    let pair = json!({
        "role": TECHNICIAN, "label": { "partner_id": "A" }, "label_key": "partner_id", "user_id": id,
        "user_email": World::END_USER.to_uppercase(),
    });
    let call =
        async |token: &str, call: &str| fixture.put(token, &format!("/api/v1/users/{call}"), pair.clone()).await.status;
    for (who, begins, ends) in [
        (&customer, "associate_role_user", (&partner, "disassociate_user")),
        (&partner, "associate_role_user", (&customer, "disassociate_role_user")),
        (&admin, "associate_role_user", (&admin, "disassociate_role_user")),
        (&admin, "associate_role_user", (&admin, "disassociate_user")),
    ] {
        assert_eq!(fixture.get(&partner, &record).await.status, 404);
        assert_eq!(call(who, begins).await, 204);
        assert_eq!(call(who, begins).await, 204, "again");
        // The role user can read the record but not change it.
        assert_eq!(fixture.get(&partner, &record).await.status, 200);
        assert_eq!(fixture.put(&partner, &record, json!({ "user": { "city": "Lyon" } })).await.status, 403);
        assert_eq!(fixture.delete(&partner, &format!("/admin{record}")).await.status, 403);
        assert_eq!(fixture.get(&partner, "/apiv1/dsns/DEV-U1").await.status, 404);
        assert_eq!(customers(&fixture, &partner).await, json!([World::END_USER]));
        let path = format!("/api/v1/users/role_users?user_email={}", World::END_USER);
        let role_users = json!([{ "role": TECHNICIAN, "label": { "key": "partner_id", "value": "A" } }]);
        assert_eq!(fixture.get(&customer, &path).await.body, role_users);
        let (who, ends) = ends;
        assert_eq!(call(who, ends).await, 204);
        assert_eq!(call(who, ends).await, 404, "again");
        assert_eq!(customers(&fixture, &partner).await, json!([]));
    }
    let nobodys = json!({ "role": TECHNICIAN, "label": { "partner_id": "Z" }, "user_email": World::END_USER });
    assert_eq!(fixture.put(&customer, "/api/v1/users/associate_role_user", nobodys).await.status, 404);
}
