//! The first partner's label registers a device.

use cloud::testing::World;
use serde_json::{Value, json};

use crate::authorisation::{CALLERS, permissions};
use crate::client::{Answer, Fixture};
use crate::stream::{event, subscribe};

const ADMIN: &str = "OEM::Partner::Admin";
const OBSERVER: &str = "OEM::Partner::Observer";
const TECHNICIAN: &str = "OEM::Partner::Technician";

async fn associate(fixture: &Fixture, token: &str, key: i64, role: &str, value: &str) -> Answer {
    let label = json!({ "role_name": role, "key": "partner_id", "value": value });
    fixture.put(token, &format!("/apiv1/devices/{key}/role_labels/associate"), label).await
}

async fn stock(fixture: &Fixture) -> (String, i64) {
    let admin = fixture.token(World::ADMIN).await;
    // In the test world this device has an owner. Unregistering removes the owner.
    let key = fixture.device_key(&admin, "DEV-S1").await;
    assert_eq!(fixture.delete(&admin, &format!("/apiv1/devices/{key}")).await.status, 200);
    (admin, key)
}

async fn registered(fixture: &Fixture, admin: &str) -> Value {
    fixture.get(admin, "/apiv1/dsns/DEV-S1").await.body["device"]["registered"].take()
}

#[tokio::test]
async fn partner_registers_a_device_in_stock_label_by_label() {
    let fixture = Fixture::start().await;
    let (admin, key) = stock(&fixture).await;
    let partner = fixture.token(World::TECHNICIAN_A).await;
    let (_, mut socket) = subscribe(&fixture, World::PARTNER_ADMIN_A, json!({})).await;
    assert_eq!(registered(&fixture, &admin).await, false);

    assert_eq!(associate(&fixture, &partner, key, ADMIN, "A").await.status, 200);
    assert_eq!(registered(&fixture, &admin).await, true);
    let published = event(&mut socket).await;
    assert_eq!(published["metadata"]["event_type"], "registration");
    let published = &published["registration_event"];
    assert_eq!((&published["dsn"], &published["registered"]), (&json!("DEV-S1"), &json!(true)));
    assert_eq!(
        (&published["registered_at"], &published["unregistered_at"]),
        (&json!("2026-11-20T10:00:00Z"), &json!(null))
    );

    // The labels of the other roles are accepted too, and a repeated association has no effect.
    for role in [OBSERVER, TECHNICIAN, TECHNICIAN, ADMIN] {
        assert_eq!(associate(&fixture, &partner, key, role, "A").await.status, 200, "{role}");
    }
    let labels = fixture.get(&partner, &format!("/apiv1/devices/{key}/role_labels")).await.body;
    assert_eq!(labels.as_array().unwrap().len(), 3);
    assert_eq!(fixture.get(&partner, "/apiv1/dsns/DEV-S1").await.status, 200);
}

#[tokio::test]
async fn exactly_one_of_two_concurrent_partners_registers_a_device() {
    let fixture = Fixture::start().await;
    let (admin, key) = stock(&fixture).await;
    let a = fixture.token(World::PARTNER_ADMIN_A).await;
    let b = fixture.token(World::PARTNER_ADMIN_B).await;
    let (first, second) =
        tokio::join!(associate(&fixture, &a, key, ADMIN, "A"), associate(&fixture, &b, key, ADMIN, "B"));
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    let (winner, loser, lost) = if first.status == 200 { ("A", &b, second) } else { ("B", &a, first) };
    assert_eq!(lost.body["error"], "The device is already registered");
    // The loser cannot claim the device with another role's label either.
    let value = if winner == "A" { "B" } else { "A" };
    assert_eq!(associate(&fixture, loser, key, TECHNICIAN, value).await.status, 409);
    assert_eq!(fixture.get(loser, "/apiv1/dsns/DEV-S1").await.status, 404);
    let labels = fixture.get(&admin, &format!("/apiv1/devices/{key}/role_labels")).await.body;
    assert_eq!((&labels[0]["role_label"]["label"]["value"], labels.as_array().unwrap().len()), (&json!(winner), 1));
}

#[tokio::test]
async fn partner_cannot_claim_a_registered_device() {
    let fixture = Fixture::start().await;
    let (admin, key) = stock(&fixture).await;
    let partner = fixture.token(World::PARTNER_ADMIN_A).await;
    // Without the partner's own label, devices in stock do not exist for the partner.
    assert_eq!(associate(&fixture, &partner, key, ADMIN, "B").await.status, 404);
    assert_eq!(associate(&fixture, &partner, key, "OEM::Observer", "A").await.status, 404);
    let nowhere = associate(&fixture, &partner, 999_999, ADMIN, "A").await;
    assert_eq!((nowhere.status, &nowhere.body["error"]), (404, &json!("Device not found")));
    let other_key = json!({ "role_name": ADMIN, "key": "zone", "value": "A" });
    let path = format!("/apiv1/devices/{key}/role_labels/associate");
    assert_eq!(fixture.put(&partner, &path, other_key).await.status, 404);
    assert_eq!(registered(&fixture, &admin).await, false);
    // A device of another partner, and a device of an end user.
    for dsn in ["DEV-B1", "DEV-U1"] {
        let key = fixture.device_key(&admin, dsn).await;
        assert_eq!(associate(&fixture, &partner, key, ADMIN, "A").await.status, 409, "{dsn}");
        assert_eq!(fixture.get(&partner, &format!("/apiv1/dsns/{dsn}")).await.status, 404, "{dsn}");
    }
    // The partner's own device, and a device with a customer: only the manufacturer changes its labels.
    let own = fixture.device_key(&admin, "DEV-A1").await;
    let label = json!({ "role_name": OBSERVER, "key": "partner_id", "value": "A" });
    fixture.put(&admin, &format!("/apiv1/devices/{own}/role_labels/disassociate"), label).await;
    assert_eq!(associate(&fixture, &partner, own, OBSERVER, "A").await.status, 403);
    assert_eq!(associate(&fixture, &partner, own, ADMIN, "A").await.status, 200, "the label exists");
    assert_eq!(associate(&fixture, &partner, own, ADMIN, "B").await.status, 403);
}

#[tokio::test]
async fn only_a_partner_label_registers_and_removing_it_does_not_unregister() {
    let fixture = Fixture::start().await;
    let (admin, key) = stock(&fixture).await;
    let path = format!("/apiv1/devices/{key}/role_labels");
    let zone = json!({ "role_label": { "role_name": ADMIN, "key": "zone", "value": "north" } });
    let made = fixture.post(&admin, &path, zone).await;
    assert_eq!((made.status, registered(&fixture, &admin).await), (201, json!(false)));
    // The label becomes a partner's.
    let label = json!({ "role_label": { "role_name": ADMIN, "key": "partner_id", "value": "A" } });
    let one = format!("/apiv1/role_labels/{}", made.body["role_label"]["id"]);
    assert_eq!(fixture.put(&admin, &one, label).await.status, 200);
    assert_eq!(registered(&fixture, &admin).await, true);
    // A registered device without a partner cannot be claimed.
    assert_eq!(fixture.delete(&admin, &one).await.status, 204);
    assert_eq!(registered(&fixture, &admin).await, true);
    let partner = fixture.token(World::PARTNER_ADMIN_B).await;
    assert_eq!(associate(&fixture, &partner, key, ADMIN, "B").await.status, 409);
    assert_eq!(associate(&fixture, &admin, key, ADMIN, "B").await.status, 200);
}

#[tokio::test]
async fn own_label_on_stock_follows_the_permissions_table() {
    let permissions = permissions();
    let row = &permissions["associate own partner label on an unregistered device"];
    for (column, email) in CALLERS {
        let fixture = Fixture::start().await;
        let (_, key) = stock(&fixture).await;
        let token = match email {
            Some(email) => fixture.token(email).await,
            None => String::new(),
        };
        let status = associate(&fixture, &token, key, ADMIN, "A").await.status;
        let expected = match (column, &*row[column]) {
            ("signed_out", "deny") => 401,
            (_, "allow" | "own-csp") => 200,
            // Devices in stock do not exist for these callers.
            (_, "deny") => 404,
            (_, other) => panic!("no rule for {other:?}"),
        };
        assert_eq!(status, expected, "{column}");
    }
}

#[tokio::test]
async fn registration_calls_never_register_a_device() {
    let fixture = Fixture::start().await;
    let (admin, partner) = (fixture.token(World::ADMIN).await, fixture.token(World::PARTNER_ADMIN_A).await);
    let table = [
        (&admin, "DEV-S1", 412, 412),
        (&admin, "DEV-A1", 404, 417),
        (&admin, "NO-SUCH", 404, 404),
        (&partner, "DEV-A1", 404, 417),
        (&partner, "DEV-B1", 404, 404),
        (&partner, "DEV-S1", 404, 404),
    ];
    for (token, dsn, candidate, register) in table {
        let found = fixture.get(token, &format!("/apiv1/devices/register.json?dsn={dsn}&regtype=Dsn&time=5")).await;
        assert_eq!((found.status, found.body["error"].is_string()), (candidate, true), "{dsn}");
        let made = fixture.post(token, "/apiv1/devices.json", json!({ "device": { "dsn": dsn } })).await;
        assert_eq!((made.status, made.body["error"].is_string()), (register, true), "{dsn}");
    }
    assert_eq!(fixture.get(&admin, "/apiv1/devices/register?ip=10.0.0.2").await.status, 404);
    for body in [json!({}), json!({ "device": { "dsn": " " } }), json!({ "device": { "dsn": 7 } })] {
        let answer = fixture.post(&admin, "/apiv1/devices", body.clone()).await;
        assert_eq!((answer.status, answer.body["errors"]["dsn"][0].is_string()), (422, true), "{body}");
    }
    let long = json!({ "device": { "dsn": "D".repeat(65) } });
    assert_eq!(fixture.post(&admin, "/apiv1/devices", long).await.status, 422);
    assert_eq!(fixture.post(&admin, "/apiv1/devices", json!({ "device": [] })).await.status, 422);
}
