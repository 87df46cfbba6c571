//! The contacts of users.

use std::time::Duration;

use cloud::testing::World;
use devicecloud::ErrorKind;
use serde_json::{Value, json};

use crate::client::Fixture;
use crate::client_devices::signed_in;

const CONTACTS: &str = "/api/v1/users/contacts";

fn contact(members: impl Into<Value>) -> Value {
    json!({ "contact": members.into() })
}

#[tokio::test]
async fn contact_is_created_read_changed_and_deleted() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::END_USER).await;
    let members = json!({
        "display_name": "Zoë 🌸", "firstname": "Zoë", "lastname": "Doe", "email": " zoe@example.com ",
        "phone_country_code": "+49", "phone_number": "+5550100", "street_address": "1 Main Street", "zip_code": "75001",
        "country": "France", "metadata": { "floor": [1, null] }, "notes": "Mornings", "sms_notification": true,
        "email_notification": true, "push_notification": false, "oem_models": ["thing-1", "thing-2"], "unknown": {},
    });
    let made = fixture.post(&token, &format!("{CONTACTS}.json"), contact(members)).await;
    let id = made.body["contact"]["id"].clone();
    let mut expected = json!({
        "id": id, "display_name": "Zoë 🌸", "firstname": "Zoë", "lastname": "Doe", "email": "zoe@example.com",
        "phone_country_code": "49", "phone_number": "5550100", "street_address": "1 Main Street", "zip_code": "75001",
        "country": "France", "metadata": { "floor": [1, null] }, "notes": "Mornings", "sms_notification": true,
        "email_notification": true, "push_notification": false, "oem_models": ["thing-1", "thing-2"],
        "sms_accept": "not_req", "email_accept": "not_req",
        "created_at": "2026-11-20T10:00:00Z", "updated_at": "2026-11-20T10:00:00Z",
    });
    assert_eq!((made.status, &made.body["contact"]), (201, &expected));
    let one = format!("{CONTACTS}/{id}.json");
    assert_eq!(fixture.get(&token, &one).await.body, made.body);
    assert_eq!(fixture.get(&token, CONTACTS).await.body, json!([made.body]));

    fixture.cloud.clock().advance(Duration::from_secs(60).try_into().unwrap());
    let change =
        json!({ "notes": "", "metadata": null, "oem_models": [], "sms_notification": null, "lastname": "Roe" });
    let changed = fixture.put(&token, &one, contact(change)).await;
    for (name, value) in [
        ("notes", json!(null)),
        ("metadata", json!(null)),
        ("oem_models", json!([])),
        ("sms_notification", json!(false)),
        ("lastname", json!("Roe")),
        ("updated_at", json!("2026-11-20T10:01:00Z")),
    ] {
        expected[name] = value;
    }
    assert_eq!((changed.status, &changed.body["contact"]), (200, &expected), "omitted fields stay");

    assert_eq!(fixture.delete(&token, &one).await.status, 204);
    for path in [&*one, &format!("{CONTACTS}/x"), &format!("{CONTACTS}/-1")] {
        let body = contact(json!({ "notes": "x" }));
        for answer in
            [fixture.get(&token, path).await, fixture.delete(&token, path).await, fixture.put(&token, path, body).await]
        {
            assert_eq!((answer.status, &answer.body["error"]), (404, &json!("Contact not found")));
        }
    }
}

#[tokio::test]
async fn both_spellings_of_a_member_are_accepted() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::END_USER).await;
    let members = json!({
        "displayName": "Jo", "phoneCountryCode": "1", "phoneNumber": "5550100", "streetAddress": "1 Main Street",
        "zipCode": "75001", "emailNotification": true, "smsNotification": true, "oemModels": ["thing-1"],
        "metadata": { "keptAsItIs": 1 },
    });
    let created = fixture.post(&token, CONTACTS, contact(members)).await.body["contact"].take();
    for (name, value) in [
        ("display_name", json!("Jo")),
        ("phone_country_code", json!("1")),
        ("phone_number", json!("5550100")),
        ("street_address", json!("1 Main Street")),
        ("zip_code", json!("75001")),
        ("email_notification", json!(true)),
        ("sms_notification", json!(true)),
        ("oem_models", json!(["thing-1"])),
        ("metadata", json!({ "keptAsItIs": 1 })),
    ] {
        assert_eq!(created[name], value, "{name}");
    }
}

#[tokio::test]
async fn invalid_field_of_a_contact_is_named() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::END_USER).await;
    let jo = |name: &str, value: Value| contact(json!({ "firstname": "Jo", name: value }));
    let table = [
        (json!({}), "base"),
        (json!({ "contact": "text" }), "contact"),
        (contact(json!({})), "base"),
        (contact(json!({ "notes": "nobody" })), "base"),
        (contact(json!({ "firstname": " " })), "base"),
        (contact(json!({ "firstname": 7 })), "firstname"),
        (jo("display_name", json!("x".repeat(256))), "display_name"),
        (jo("lastname", json!("a\u{0}")), "lastname"),
        (jo("email", json!("nowhere")), "email"),
        (jo("email", json!("a@b@c")), "email"),
        (jo("phone_number", json!("12345")), "phone_number"),
        (jo("phone_number", json!("1".repeat(16))), "phone_number"),
        (jo("phone_number", json!("555-0100")), "phone_number"),
        (jo("phone_number", json!("++5550100")), "phone_number"),
        (jo("phone_country_code", json!("+")), "phone_country_code"),
        (jo("phone_country_code", json!("12345")), "phone_country_code"),
        (jo("notes", json!("x".repeat(4097))), "notes"),
        (jo("metadata", json!("x".repeat(4095))), "metadata"),
        (jo("email_notification", json!("yes")), "email_notification"),
        (jo("sms_notification", json!(1)), "sms_notification"),
        (jo("push_notification", json!([])), "push_notification"),
        (jo("oem_models", json!([1])), "oem_models"),
        (jo("oem_models", json!(["x".repeat(1025)])), "oem_models"),
    ];
    for (body, field) in &table {
        let answer = fixture.post(&token, CONTACTS, body.clone()).await;
        assert_eq!(answer.status, 422, "{body}");
        assert!(answer.body["errors"][field][0].is_string(), "{body} {}", answer.body);
    }
    assert_eq!(fixture.get(&token, CONTACTS).await.body, json!([]));
    let made = fixture.post(&token, CONTACTS, jo("email", json!("jo@example.com"))).await.body;
    let one = format!("{CONTACTS}/{}", made["contact"]["id"]);
    for (body, _) in table.iter().skip(5) {
        assert_eq!(fixture.put(&token, &one, body.clone()).await.status, 422, "{body}");
    }
    assert_eq!(fixture.put(&token, &one, contact(json!({ "firstname": null, "email": "" }))).await.status, 422);
    assert_eq!(fixture.get(&token, &one).await.body, made);
}

#[tokio::test]
async fn contacts_are_visible_only_to_their_owner() {
    let fixture = Fixture::start().await;
    let owner = fixture.token(World::END_USER).await;
    let made = fixture.post(&owner, CONTACTS, contact(json!({ "firstname": "Jo" }))).await.body;
    let one = format!("{CONTACTS}/{}", made["contact"]["id"]);
    for other in [World::ADMIN, World::MACHINE, World::TECHNICIAN_A] {
        let token = fixture.token(other).await;
        assert_eq!(fixture.get(&token, CONTACTS).await.body, json!([]));
        assert_eq!(fixture.get(&token, &one).await.status, 404);
        assert_eq!(fixture.put(&token, &one, contact(json!({ "firstname": "X" }))).await.status, 404);
        assert_eq!(fixture.delete(&token, &one).await.status, 404);
    }
    assert_eq!(fixture.get(&owner, &one).await.body, made);
}

#[tokio::test]
async fn user_has_at_most_500_contacts() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::END_USER).await;
    for _ in 0..500 {
        assert_eq!(fixture.post(&token, CONTACTS, contact(json!({ "firstname": "Jo" }))).await.status, 201);
    }
    let one_more = fixture.post(&token, CONTACTS, contact(json!({ "firstname": "Jo" }))).await;
    assert_eq!((one_more.status, one_more.body["errors"]["base"][0].is_string()), (422, true));
    let list = fixture.get(&token, CONTACTS).await.body;
    assert_eq!(list.as_array().unwrap().len(), 500);
    let one = format!("{CONTACTS}/{}", list[0]["contact"]["id"]);
    assert_eq!(fixture.delete(&token, &one).await.status, 204);
    assert_eq!(fixture.post(&token, CONTACTS, contact(json!({ "firstname": "Jo" }))).await.status, 201);
}

#[tokio::test]
async fn contacts_are_managed_through_the_library() {
    let fixture = Fixture::start().await;
    let contacts = signed_in(&fixture, World::END_USER).await.contacts();
    let jo = contacts.create().display_name("Jo").firstname("Joanna").lastname("Doe").email("jo@example.com");
    let jo = jo.phone_country_code("+49").phone_number("5550100").street_address("1 Main Street").zip_code("75001");
    let jo = jo.country("France").notes("Mornings").email_notification(true).sms_notification(true);
    let jo = jo.metadata(json!({ "floor": 2 })).oem_models(["thing-1"]).send().await.unwrap();
    assert_eq!((jo.display_name.as_deref(), jo.phone_country_code.as_deref()), (Some("Jo"), Some("49")));
    assert_eq!((&jo.metadata, &*jo.oem_models), (&Some(json!({ "floor": 2 })), &["thing-1".to_owned()][..]));
    assert!(jo.email_notification && jo.sms_notification && jo.created_at.is_some());
    assert_eq!(contacts.list().await.unwrap(), std::slice::from_ref(&jo));

    let changed = contacts.update(&jo.id).notes("").sms_notification(false).send().await.unwrap();
    assert_eq!((changed.notes.as_deref(), changed.sms_notification), (None, false));
    assert_eq!((&changed.email, &changed.metadata), (&jo.email, &jo.metadata), "omitted fields stay");
    let refused = contacts.update(&jo.id).email("nowhere").send().await.unwrap_err();
    assert_eq!((refused.kind(), refused.fields()[0].0.as_str()), (ErrorKind::Server, "email"));

    let other = signed_in(&fixture, World::ADMIN).await.contacts();
    assert!(other.list().await.unwrap().is_empty());
    assert_eq!(other.delete(&jo.id).await.unwrap_err().status(), Some(404));
    contacts.delete(&jo.id).await.unwrap();
    assert!(contacts.list().await.unwrap().is_empty());
}
