//! Invalid input about users: it is refused and leaves nothing behind.

use cloud::testing::World;
use serde_json::{Value, json};

use super::{TECHNICIAN, new_user};
use crate::client::Fixture;

fn with(pointer: &str, value: Value) -> Value {
    let mut body = new_user("new@example.org");
    match body.pointer_mut(pointer) {
        Some(member) => *member = value,
        None => {
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            body.pointer_mut(parent).unwrap()[name] = value;
        }
    }
    body
}

#[tokio::test]
async fn new_user_is_validated_by_field_and_not_stored_when_refused() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let long = || json!("x".repeat(256));
    let of_user = [
        (json!({}), "email"),
        (json!({ "user": 7 }), "user"),
        (with("/user/email", json!(null)), "email"),
        (with("/user/email", json!("jo")), "email"),
        (with("/user/email", json!(format!("{}@example.org", "x".repeat(250)))), "email"),
        (with("/user/email", json!(World::END_USER.to_uppercase())), "email"),
        (with("/user/email", json!(World::MACHINE)), "email"),
        (with("/user/password", json!(null)), "password"),
        (with("/user/password", json!("short")), "password"),
        (with("/user/password", json!("x".repeat(2000))), "password"),
        (with("/user/firstname", json!("  ")), "firstname"),
        (with("/user/lastname", json!(7)), "lastname"),
        (with("/user/city", long()), "city"),
        (with("/user/phone", json!([1])), "phone"),
        (with("/user/application", json!("my-app")), "application"),
        (with("/user/application/app_id", json!(7)), "app_id"),
        (with("/user/application/app_secret", json!(null)), "app_secret"),
        (with("/email_template_id", long()), "email_template_id"),
    ];
    let of_role = [
        (with("/role", json!(null)), "role"),
        (with("/role", json!("No::Such")), "role"),
        (with("/role", long()), "role"),
        (with("/label", json!(null)), "label"),
        (with("/label", json!({ "zone": "north" })), "label"),
        (with("/label", json!({ "partner_id": "" })), "label"),
        (with("/label", json!({ "partner_id": "A", "zone": "north" })), "label"),
        (with("/label", json!("A")), "label"),
        (with("/role", json!("OEM::Observer")), "label"),
    ];
    let before = fixture.get(&token, "/api/v1/users/index_by_oem").await.body;
    for (body, field) in of_user.iter().chain(&of_role) {
        for path in ["/api/v1/users/create_role_user", "/api/v1/users/create_associated_user"] {
            let answer = fixture.post(&token, path, body.clone()).await;
            assert_eq!(answer.status, 422, "{body}");
            assert!(answer.body["errors"][field][0].is_string(), "{body} {}", answer.body);
        }
    }
    for (body, field) in &of_user {
        let answer = fixture.post(&token, "/users", body.clone()).await;
        assert_eq!((answer.status, answer.body["errors"][field][0].is_string()), (422, true), "{body}");
    }
    let wrong = with("/user/application/app_secret", json!("wrong"));
    assert_eq!(fixture.post(&token, "/users", wrong).await.status, 404);
    assert_eq!(fixture.get(&token, "/api/v1/users/index_by_oem").await.body, before);
    assert!(fixture.cloud.outbox().await.is_empty());
}

#[tokio::test]
async fn sign_up_returns_all_field_errors_together() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let body = json!({ "user": { "email": World::END_USER } });
    let errors = fixture.post(&token, "/users", body).await.body["errors"].take();
    assert_eq!(errors["email"], json!(["has already been taken"]));
    for field in ["password", "firstname", "lastname"] {
        assert_eq!(errors[field], json!(["can't be blank"]), "{field}");
    }
}

#[tokio::test]
async fn record_of_another_user_is_changed_without_address_or_password() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let path = format!("/users/{}", fixture.user(World::TECHNICIAN_A).await["uuid"].as_str().unwrap());
    let company = "{\"business_role\": \"lead\"}";
    let changes =
        json!({ "user": { "email": World::TECHNICIAN_A, "city": "Lyon", "company": company, "unknown": [] } });
    let changed = fixture.put(&token, &path, changes).await;
    assert_eq!(
        (changed.status, &changed.body["city"], &changed.body["company"]),
        (200, &json!("Lyon"), &json!(company))
    );
    assert_eq!((&changed.body["firstname"], &changed.body["user"]["city"]), (&json!("Test"), &json!("Lyon")));
    let cleared = fixture.put(&token, &path, json!({ "user": { "city": "" } })).await;
    assert_eq!((cleared.status, &cleared.body["city"]), (200, &json!(null)));
    for (body, field) in [
        (json!({ "user": [] }), "user"),
        (json!({ "user": { "firstname": "" } }), "firstname"),
        (json!({ "user": { "zip": "x".repeat(256) } }), "zip"),
        (json!({ "user": { "email": "other@example.com" } }), "email"),
        (json!({ "user": { "password": "Correct-Horse-2" } }), "password"),
    ] {
        let answer = fixture.put(&token, &path, body.clone()).await;
        assert_eq!((answer.status, answer.body["errors"][field][0].is_string()), (422, true), "{body}");
    }
    assert_eq!(fixture.get(&token, &path).await.body, cleared.body);
}

#[tokio::test]
async fn invalid_field_of_a_role_or_customer_change_is_named() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let good = json!({
        "user_email": World::TECHNICIAN_A, "role": TECHNICIAN, "label": { "partner_id": "A" }, "label_key": "partner_id",
    });
    let customer = json!({ "user_email": World::END_USER });
    let without = |body: &Value, field: &str| {
        let mut body = body.clone();
        body.as_object_mut().unwrap().remove(field);
        body
    };
    for (path, fields) in [
        ("assign_role", vec!["user_email", "role"]),
        ("revoke_role", vec!["user_email", "role"]),
        ("assign_label", vec!["user_email", "role", "label"]),
        ("revoke_label", vec!["user_email", "role", "label_key"]),
        ("associate_role_user", vec!["user_email", "role", "label"]),
        ("disassociate_role_user", vec!["user_email", "role", "label_key"]),
        ("disassociate_user", vec!["user_email", "role"]),
    ] {
        let mut good = good.clone();
        if path.contains("associate") {
            good["user_email"] = customer["user_email"].clone();
        }
        for field in fields {
            let mut bodies = vec![without(&good, field)];
            for wrong in [json!(7), json!(""), json!("x".repeat(300))] {
                let mut body = good.clone();
                body[field] = wrong;
                bodies.push(body);
            }
            for body in bodies {
                let answer = fixture.put(&token, &format!("/api/v1/users/{path}"), body.clone()).await;
                assert_eq!((answer.status, answer.body["errors"][field][0].is_string()), (422, true), "{path} {body}");
            }
        }
    }
    for (id, status) in [(json!(true), 404), (json!("x"), 404), (json!(-1), 404), (json!(null), 204)] {
        let body = json!({
            "role": TECHNICIAN, "label": { "partner_id": "A" }, "user_id": id, "user_email": World::END_USER,
        });
        assert_eq!(fixture.put(&token, "/api/v1/users/associate_role_user", body).await.status, status, "{id}");
    }
}
