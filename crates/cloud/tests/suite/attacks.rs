//! Attempts of callers to exceed their permissions. They are refused and change nothing.

use cloud::testing::{APP_ID, APP_SECRET, World, routes};
use reqwest::Method;
use serde_json::{Value, json};

use crate::authorisation::permissions;
use crate::client::Fixture;
use crate::people::{ADMIN, TECHNICIAN, new_user};

const OBSERVER: &str = "OEM::Partner::Observer";

/// All users with all their fields, as an administrator reads them.
async fn everybody(fixture: &Fixture) -> Value {
    fixture.get(&fixture.token(World::ADMIN).await, "/api/v1/users/index_by_oem").await.body
}

#[tokio::test]
async fn expired_token_is_rejected() {
    let fixture = Fixture::start().await;
    let (operator, oem) = (fixture.cloud.operator(), &fixture.world.oem);
    let mut tokens = vec![
        ("expired", fixture.token(World::ADMIN).await),
        ("invented", "0".repeat(32)),
        ("endless", "f".repeat(8000)),
        ("a pattern", "%".into()),
    ];
    fixture.cloud.expire_access_tokens().await;
    let signed_out = fixture.token(World::ADMIN).await;
    assert_eq!(fixture.post(&signed_out, "/users/sign_out", json!({})).await.status, 200);
    tokens.push(("signed out", signed_out));
    tokens.push(("of somebody who was locked", fixture.token(World::OBSERVER).await));
    operator.lock_user(oem, World::OBSERVER).await.unwrap();
    tokens.push(("of somebody who was removed", fixture.token(World::END_USER).await));
    operator.remove_user(oem, World::END_USER).await.unwrap();

    let permissions = permissions();
    // Requests to these paths carry their token in the body.
    let others = ["/users/refresh_token", "/users/sign_out", "/api/v1/token_sign_in"];
    let is_closed = |permission: &str| permissions[permission]["signed_out"] == "deny";
    let closed = routes().into_iter().filter(|route| is_closed(route.permission) && !others.contains(&route.path));
    let mut tried = 0;
    for route in closed {
        let path: Vec<&str> =
            route.path.split('/').map(|part| if part.starts_with('{') { "1" } else { part }).collect();
        let method = Method::from_bytes(route.method.as_bytes()).unwrap();
        for (what, token) in &tokens {
            let status = fixture.call(method.clone(), &path.join("/"), Some(token), Some(json!({}))).await.status;
            assert_eq!(status, 401, "{what}: {} {}", route.method, route.path);
        }
        tried += 1;
    }
    assert!(tried > 50, "only {tried} calls require a sign-in");
}

#[tokio::test]
async fn users_of_other_partners_are_unreachable_by_any_identifier() {
    let fixture = Fixture::start().await.watching();
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let before = everybody(&fixture).await;
    for email in [World::PARTNER_ADMIN_B, World::ADMIN, World::OBSERVER, World::END_USER] {
        let user = fixture.user(email).await;
        let names = [user["id"].to_string(), user["uuid"].as_str().unwrap().to_owned(), email.replace('@', "%40")];
        for name in names {
            let profile = json!({ "user": { "city": "Lyon" } });
            let path = format!("/users/{name}");
            assert_eq!(fixture.get(&token, &path).await.status, 404, "{path}");
            assert_eq!(fixture.put(&token, &path, profile).await.status, 404, "{path}");
            assert_eq!(fixture.delete(&token, &format!("/admin{path}")).await.status, 404, "{path}");
        }
        for name in [email.to_owned(), email.to_uppercase(), format!(" {email} ")] {
            for call in ["assign_role", "revoke_role", "assign_label", "revoke_label", "disassociate_user"] {
                for (role, partner) in [(ADMIN, "A"), (TECHNICIAN, "A"), (ADMIN, "B"), ("OEM::Admin", "A")] {
                    let body = json!({
                        "user_email": name, "user_id": user["id"], "role": role, "label": { "partner_id": partner },
                        "label_key": "partner_id",
                    });
                    let status = fixture.put(&token, &format!("/api/v1/users/{call}"), body).await.status;
                    assert_eq!(status, 404, "{call} {role} {partner} of {name:?}");
                }
            }
            let application = json!({ "app_id": APP_ID, "app_secret": APP_SECRET });
            let resend = json!({ "user": { "email": name.trim(), "application": application } });
            assert_eq!(fixture.post(&token, "/users/confirmation", resend).await.status, 404, "{name:?}");
        }
        let roles = format!("/api/v1/users/role_users?user_email={email}");
        assert_eq!(fixture.get(&token, &roles).await.status, 404);
    }
    for query in
        ["role=OEM::Admin", &format!("role={ADMIN}&key=partner_id&value=B"), &format!("role={ADMIN}&value=%25")]
    {
        let found = fixture.get(&token, &format!("/api/v1/users/index_by_role?{query}")).await.body;
        assert_eq!(found, json!([]), "{query}");
    }
    for filter in
        ["filter[email]=admin.b@example.com", "filter[id]=1", "filter[key_after]=-1&filter[email]=admin@example.com"]
    {
        let path = format!("/oems/{}/users?{filter}", fixture.world.oem.id);
        assert_eq!(fixture.get(&token, &path).await.body, json!([]), "{filter}");
    }
    assert_eq!(everybody(&fixture).await, before);
    assert!(fixture.cloud.outbox().await.is_empty());
}

#[tokio::test]
async fn partner_grants_only_its_own_roles_and_labels() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let before = everybody(&fixture).await;
    let change = |role: &str, label: Value| json!({ "user_email": World::TECHNICIAN_A, "role": role, "label": label });
    for label in [json!({ "partner_id": "B" }), json!({ "key": "partner_id", "value": "B" })] {
        let status = fixture.put(&token, "/api/v1/users/assign_label", change(TECHNICIAN, label.clone())).await.status;
        assert_eq!(status, 403, "{label}");
    }
    for role in ["OEM::Admin", "OEM::Observer"] {
        for call in ["assign_role", "revoke_role", "assign_label"] {
            let body = change(role, json!({ "partner_id": "A" }));
            let status = fixture.put(&token, &format!("/api/v1/users/{call}"), body).await.status;
            // These roles take no label.
            assert!(matches!(status, 403 | 422), "{call} {role}: {status}");
        }
    }
    for call in ["create_role_user", "create_associated_user"] {
        for (role, label) in [
            (TECHNICIAN, json!({ "partner_id": "B" })),
            ("OEM::Admin", json!(null)),
            ("OEM::Observer", json!(null)),
            ("OEM::Admin", json!({})),
        ] {
            let body = json!({ "user": new_user("more@example.org")["user"], "role": role, "label": label });
            assert_eq!(
                fixture.post(&token, &format!("/api/v1/users/{call}"), body).await.status,
                403,
                "{role} {label}"
            );
        }
    }
    assert_eq!(everybody(&fixture).await, before);
    // A role that a partner assigns gets the partner's own label, even if the request names another.
    let body = change(OBSERVER, json!({ "partner_id": "B" }));
    assert_eq!(fixture.put(&token, "/api/v1/users/assign_role", body).await.status, 204);
    let tags = fixture.user(World::TECHNICIAN_A).await["role_tags"].take();
    assert!(tags.as_array().unwrap().iter().all(|tag| tag["value"] == "A"), "{tags}");
}

#[tokio::test]
async fn members_of_a_record_cannot_grant_permissions() {
    let fixture = Fixture::start().await;
    let partner = fixture.token(World::PARTNER_ADMIN_A).await;
    let own = fixture.token(World::TECHNICIAN_A).await;
    let more = json!({
        "role": "OEM::Admin", "role_tags": [{ "namespace": ADMIN, "key": "partner_id", "value": "B" }], "label": { "partner_id": "B" },
        "custody": { "key": "partner_id", "value": "B" }, "id": 1, "uuid": "1", "oem_id": 2, "confirmed": false, "approved": false,
        "confirmed_at": null, "application_id": 1, "password_hash": "x", "locked_until": 0, "created_at": "2000-01-01T00:00:00Z",
    });
    let before = everybody(&fixture).await;
    let path = format!("/users/{}", fixture.user(World::TECHNICIAN_A).await["id"]);
    assert_eq!(fixture.put(&partner, &path, json!({ "user": more })).await.status, 200);
    assert_eq!(fixture.put(&own, "/users", json!({ "user": more })).await.status, 204);
    assert_eq!(everybody(&fixture).await, before);

    let mut body = new_user("made@example.org");
    for (name, value) in more.as_object().unwrap() {
        body["user"][name] = value.clone();
    }
    let made = fixture.post(&partner, "/api/v1/users/create_associated_user", body).await;
    let tags = json!([{ "namespace": TECHNICIAN, "key": "partner_id", "value": "A" }]);
    assert_eq!((made.status, &made.body["role"], &made.body["role_tags"]), (201, &json!(TECHNICIAN), &tags));
    assert_eq!((made.body["confirmed"].as_bool(), made.body.get("custody")), (Some(false), None));
}

/// Fields that take texts of any letters.
const TEXTS: [&str; 11] = [
    "firstname",
    "lastname",
    "company",
    "street",
    "city",
    "state",
    "zip",
    "country",
    "phone_country_code",
    "phone",
    "ayla_dev_kit_num",
];

#[tokio::test]
async fn string_of_a_megabyte_is_refused_and_markup_is_kept() {
    let fixture = Fixture::start().await;
    let (token, own) = (fixture.token(World::PARTNER_ADMIN_A).await, fixture.token(World::TECHNICIAN_A).await);
    let path = format!("/users/{}", fixture.user(World::TECHNICIAN_A).await["id"]);
    // The largest string that fits into a request.
    let megabyte = "x".repeat(1024 * 1024 - 1024);
    let before = everybody(&fixture).await;
    for field in TEXTS {
        for (token, path) in [(&token, path.as_str()), (&own, "/users")] {
            let answer = fixture.put(token, path, json!({ "user": { field: megabyte } })).await;
            assert_eq!((answer.status, answer.body["errors"][field][0].is_string()), (422, true), "{path} {field}");
            assert!(answer.body.to_string().len() < 500, "the answer repeats the string");
        }
        let mut body = new_user("big@example.org");
        body["user"][field] = json!(megabyte);
        assert_eq!(fixture.post(&token, "/api/v1/users/create_associated_user", body).await.status, 422, "{field}");
    }
    for (call, field) in [
        ("assign_role", "user_email"),
        ("assign_role", "role"),
        ("revoke_role", "user_email"),
        ("assign_label", "label"),
        ("revoke_label", "label_key"),
    ] {
        let mut body = json!({
            "user_email": World::TECHNICIAN_A, "role": TECHNICIAN, "label": { "partner_id": "A" }, "label_key": "partner_id",
        });
        body[field] = if field == "label" { json!({ "partner_id": megabyte }) } else { json!(megabyte) };
        assert_eq!(fixture.put(&token, &format!("/api/v1/users/{call}"), body).await.status, 422, "{call} {field}");
    }
    assert_eq!(everybody(&fixture).await, before);

    for text in
        ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "=HYPERLINK(\"x\")", "'; drop table users; --"]
    {
        let fields: serde_json::Map<_, _> = TEXTS.iter().map(|field| ((*field).to_owned(), json!(text))).collect();
        let changed = fixture.put(&token, &path, json!({ "user": fields })).await;
        assert_eq!(changed.status, 200, "{text}");
        let request = fixture.request(Method::GET, &path).header("authorization", &token).send().await.unwrap();
        assert_eq!(request.headers()["content-type"], "application/json; charset=utf-8");
        let read: Value = request.json().await.unwrap();
        assert!(TEXTS.iter().all(|field| read[field] == *text), "{read}");
    }
    // Only a company takes any text: applications store documents there.
    for field in TEXTS {
        let answer = fixture.put(&token, &path, json!({ "user": { field: "\u{202e}x" } })).await;
        assert_eq!(answer.status, if field == "company" { 200 } else { 422 }, "{field}");
    }
}
