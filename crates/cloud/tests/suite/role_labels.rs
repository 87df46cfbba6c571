//! Role labels on devices.

use cloud::operator::SetupCode;
use cloud::testing::World;
use jiff::SignedDuration;
use platform::run::random::Random;
use reqwest::Method;
use reqwest::header::RETRY_AFTER;
use serde_json::{Value, json};

use crate::client::Fixture;

const ADMIN: &str = "OEM::Partner::Admin";
const TECHNICIAN: &str = "OEM::Partner::Technician";

async fn labels_path(fixture: &Fixture, token: &str, dsn: &str) -> String {
    format!("/apiv1/devices/{}/role_labels", fixture.device_key(token, dsn).await)
}

/// Role, key and value of each label.
async fn labels(fixture: &Fixture, token: &str, path: &str) -> Vec<(String, Value)> {
    let list = fixture.get(token, path).await.body;
    let label = |item: &Value| {
        let label = &item["role_label"];
        (label["role_name"].as_str().unwrap().to_owned(), label["label"].clone())
    };
    list.as_array().unwrap().iter().map(label).collect()
}

#[tokio::test]
async fn role_label_is_created_read_changed_and_deleted() {
    let fixture = Fixture::start().await;
    let admin = fixture.token(World::ADMIN).await;
    let path = labels_path(&fixture, &admin, "DEV-U1").await;
    let zone = json!({ "role_name": ADMIN, "description": "North wing", "key": "zone", "value": "north" });
    let made = fixture.post(&admin, &format!("{path}.json"), json!({ "role_label": zone })).await;
    assert_eq!((made.status, &made.body["role_label"]["description"]), (201, &json!("North wing")));
    let pair = json!({ "key": "zone", "value": "north" });
    assert_eq!(made.body["role_label"]["label"], pair);

    let one = format!("/apiv1/role_labels/{}", made.body["role_label"]["id"]);
    let read = fixture.get(&admin, &format!("{one}.json")).await.body;
    assert_eq!((&read["role_label"]["label"], &read["role_label"]["tags"]), (&pair, &json!([pair])));

    let bare = json!({ "role_label": { "role_name": TECHNICIAN } });
    let changed = fixture.put(&admin, &one, bare).await;
    assert_eq!((changed.status, &changed.body["role_label"]["role_name"]), (200, &json!(TECHNICIAN)));
    assert_eq!(changed.body["role_label"]["description"], json!(null));
    assert_eq!(labels(&fixture, &admin, &path).await, [(TECHNICIAN.to_owned(), json!(null))]);

    assert_eq!(fixture.delete(&admin, &one).await.status, 204);
    for answer in [fixture.get(&admin, &one).await, fixture.delete(&admin, &one).await] {
        assert_eq!((answer.status, answer.body["error"].is_string()), (404, true));
    }
    assert!(labels(&fixture, &admin, &path).await.is_empty());
}

#[tokio::test]
async fn repeated_association_has_no_effect_and_labels_are_flat_or_nested() {
    let fixture = Fixture::start().await;
    let admin = fixture.token(World::ADMIN).await;
    let path = labels_path(&fixture, &admin, "DEV-U1").await;
    let (flat, nested) = (
        json!({ "role_name": ADMIN, "key": "zone", "value": "north" }),
        json!({ "role_name": ADMIN, "label": { "key": "zone", "value": "north" } }),
    );
    let first = fixture.put(&admin, &format!("{path}/associate"), flat.clone()).await;
    let again = fixture.put(&admin, &format!("{path}/associate.json"), nested.clone()).await;
    assert_eq!((first.status, again.status), (200, 200));
    assert_eq!(first.body, again.body);
    let made = fixture.post(&admin, &path, json!({ "role_label": flat })).await;
    assert_eq!((made.status, &made.body), (200, &first.body), "the label exists");
    assert_eq!(labels(&fixture, &admin, &path).await.len(), 1);

    let removed = fixture.put(&admin, &format!("{path}/disassociate"), nested).await;
    assert_eq!((removed.status, &removed.body), (200, &first.body));
    assert_eq!(fixture.put(&admin, &format!("{path}/disassociate"), flat).await.status, 404);
    assert!(labels(&fixture, &admin, &path).await.is_empty());
}

#[tokio::test]
async fn role_has_one_value_per_key_on_a_device() {
    let fixture = Fixture::start().await;
    let admin = fixture.token(World::ADMIN).await;
    let path = labels_path(&fixture, &admin, "DEV-A1").await;
    let before = labels(&fixture, &admin, &path).await;
    let other = json!({ "role_name": ADMIN, "key": "partner_id", "value": "B" });
    assert_eq!(fixture.put(&admin, &format!("{path}/associate"), other.clone()).await.status, 409);
    let wrapped = json!({ "role_label": other });
    assert_eq!(fixture.post(&admin, &path, wrapped.clone()).await.status, 409);
    let list = fixture.get(&admin, &path).await.body;
    let label = |role| list.as_array().unwrap().iter().find(|item| item["role_label"]["role_name"] == role).unwrap();
    let of = |role| format!("/apiv1/role_labels/{}", label(role)["role_label"]["id"]);
    assert_eq!(
        fixture.put(&admin, &of(TECHNICIAN), wrapped.clone()).await.status,
        409,
        "another label has the role and key"
    );
    assert_eq!(labels(&fixture, &admin, &path).await, before);
    assert_eq!(fixture.put(&admin, &of(ADMIN), wrapped).await.status, 200, "it may change its own value");
    let partner = fixture.token(World::PARTNER_ADMIN_B).await;
    assert_eq!(fixture.get(&partner, "/apiv1/dsns/DEV-A1").await.status, 200);
}

#[tokio::test]
async fn devices_are_found_by_role_key_and_value_within_the_scope() {
    let fixture = Fixture::start().await;
    let table: [(&str, &str, &[&str]); 8] = [
        (World::ADMIN, "role=OEM::Partner::Admin", &["DEV-A1", "DEV-A2", "DEV-B1"]),
        (World::ADMIN, "role=OEM::Partner::Admin&key=partner_id", &["DEV-A1", "DEV-A2", "DEV-B1"]),
        (World::ADMIN, "role=OEM::Partner::Admin&key=partner_id&value=B", &["DEV-B1"]),
        (World::ADMIN, "role=OEM::Partner::Admin&key=zone&value=B", &[]),
        (World::ADMIN, "role=No::Such::Role", &[]),
        (World::OBSERVER, "role=OEM::Partner::Technician&value=A", &["DEV-A1", "DEV-A2"]),
        (World::PARTNER_ADMIN_A, "role=OEM::Partner::Admin", &["DEV-A1", "DEV-A2"]),
        (World::PARTNER_ADMIN_A, "role=OEM::Partner::Admin&key=partner_id&value=B", &[]),
    ];
    for (email, query, expected) in table {
        let token = fixture.token(email).await;
        let found = fixture.get(&token, &format!("/apiv1/devices/find_by_role_label.json?{query}")).await.body;
        let dsns: Vec<_> = found.as_array().unwrap().iter().map(|item| item["device"]["dsn"].clone()).collect();
        assert_eq!(dsns, expected, "{email} {query}");
    }
    let token = fixture.token(World::ADMIN).await;
    for query in ["", "?role=", "?key=partner_id"] {
        let answer = fixture.get(&token, &format!("/apiv1/devices/find_by_role_label{query}")).await;
        assert_eq!((answer.status, answer.body["errors"]["role"][0].is_string()), (422, true), "{query}");
    }
}

#[tokio::test]
async fn invalid_field_of_a_role_label_is_named() {
    let fixture = Fixture::start().await;
    let admin = fixture.token(World::ADMIN).await;
    let path = labels_path(&fixture, &admin, "DEV-U1").await;
    let long = "x".repeat(256);
    let table = [
        (json!({}), "role_name"),
        (json!({ "role_name": " " }), "role_name"),
        (json!({ "role_name": 7 }), "role_name"),
        (json!({ "role_name": long }), "role_name"),
        (json!({ "role_name": "No::Such::Role" }), "role_name"),
        (json!({ "role_name": ADMIN, "key": "zone" }), "value"),
        (json!({ "role_name": ADMIN, "value": "north" }), "key"),
        (json!({ "role_name": ADMIN, "key": 7, "value": "north" }), "key"),
        (json!({ "role_name": ADMIN, "key": "zone", "value": long }), "value"),
        (json!({ "role_name": ADMIN, "label": { "key": "zone" } }), "value"),
        (json!({ "role_name": ADMIN, "label": "zone" }), "label"),
        (json!({ "role_name": ADMIN, "description": "x".repeat(1025) }), "description"),
        (json!({ "role_name": ADMIN, "description": {} }), "description"),
    ];
    for (body, field) in table {
        for (path, body) in [(path.clone(), json!({ "role_label": body })), (format!("{path}/associate"), body)] {
            let method = if path.ends_with("associate") { reqwest::Method::PUT } else { reqwest::Method::POST };
            let answer = fixture.call(method, &path, Some(&admin), Some(body.clone())).await;
            assert_eq!(answer.status, 422, "{path} {body}");
            assert!(answer.body["errors"][field][0].is_string(), "{path} {body} {}", answer.body);
        }
    }
    let answer = fixture.post(&admin, &path, json!({ "role_label": 7 })).await;
    assert!(answer.body["errors"]["role_label"][0].is_string(), "{}", answer.body);
    for id in ["x", "99999999999999999999", "0"] {
        assert_eq!(fixture.get(&admin, &format!("/apiv1/role_labels/{id}")).await.status, 404, "{id}");
    }
    assert!(labels(&fixture, &admin, &path).await.is_empty());
}

#[tokio::test]
async fn partner_who_tries_too_many_devices_waits_for_an_hour() {
    let fixture = Fixture::start().await;
    let (admin, partner) = (fixture.token(World::ADMIN).await, fixture.token(World::TECHNICIAN_A).await);
    let label = json!({ "role_name": TECHNICIAN, "key": "partner_id", "value": "A" });
    let associate = async |dsn: &str| {
        let path = format!("{}/associate", labels_path(&fixture, &admin, dsn).await);
        let request = fixture.request(Method::PUT, &path).bearer_auth(&partner).json(&label);
        let response = request.send().await.unwrap();
        let retry_after = response.headers().get(RETRY_AFTER).map(|seconds| seconds.to_str().unwrap().to_owned());
        (response.status().as_u16(), retry_after)
    };
    for _ in 0..30 {
        assert_eq!(associate("DEV-B1").await, (409, None));
    }
    fixture.cloud.clock().advance(SignedDuration::from_millis(500));
    assert_eq!(associate("DEV-S1").await, (429, Some("3600".to_owned())));
    fixture.cloud.clock().advance(SignedDuration::from_hours(1));
    assert_eq!(associate("DEV-S1").await, (200, None));
}

#[tokio::test]
async fn partner_names_the_setup_code_that_the_template_requires() {
    let fixture = Fixture::start().await;
    let (admin, partner) = (fixture.token(World::ADMIN).await, fixture.token(World::TECHNICIAN_A).await);
    let (operator, oem) = (fixture.cloud.operator(), &fixture.world.oem);
    let code = SetupCode::random(&Random::seeded(1));
    operator.set_setup_code(oem, "DEV-S1", &code).await.unwrap();
    for template in operator.templates(oem).await.unwrap() {
        operator.require_setup_code(oem, &template.name, true).await.unwrap();
    }
    let path = format!("{}/associate", labels_path(&fixture, &admin, "DEV-S1").await);
    let label = json!({ "role_name": TECHNICIAN, "key": "partner_id", "value": "A" });
    let missing = fixture.put(&partner, &path, label.clone()).await;
    assert_eq!((missing.status, missing.body), (422, json!({ "errors": { "setup_code": ["can't be blank"] } })));
    let with_code = |code: &str| {
        let mut label = label.clone();
        label["setup_code"] = json!(code);
        label
    };
    let wrong = fixture.put(&partner, &path, with_code("0000-0000-0000")).await;
    assert_eq!((wrong.status, wrong.body), (422, json!({ "errors": { "setup_code": ["is invalid"] } })));
    assert_eq!(fixture.put(&partner, &path, with_code(code.expose())).await.status, 200);
    assert_eq!(fixture.put(&partner, &path, label).await.status, 200, "an existing label stays");
}
