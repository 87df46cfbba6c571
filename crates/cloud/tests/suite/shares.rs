//! Shares of devices: creation, changes and deletion. `shared_devices` tests what recipients can do.

use std::time::Duration;

use cloud::operator::{NewDevice, NewUser};
use cloud::testing::{PASSWORD, World};
use devicecloud::{NewShare, ShareOperation, Time};
use serde_json::{Value, json};

use crate::client::{Answer, Fixture};
use crate::client_devices::signed_in;

pub(crate) const SHARES: &str = "/api/v1/users/shares";
pub(crate) const GUEST: &str = "guest@example.com";

/// A share of a device, of operation `read` unless `more` says otherwise.
pub(crate) fn device(dsn: &str, email: &str, more: impl Into<Value>) -> Value {
    let more = more.into();
    let mut share = json!({ "user_email": email, "resource_name": "device", "resource_id": dsn });
    if more.get("role_name").is_none() {
        share["operation"] = json!("read");
    }
    for (name, value) in more.as_object().unwrap() {
        share[name] = value.clone();
    }
    share
}

/// Another user without a role, beside the one of the world.
pub(crate) async fn guest(fixture: &Fixture, email: &str) -> String {
    let user = NewUser {
        email: email.into(),
        password: PASSWORD.into(),
        firstname: Some("Zoë".into()),
        lastname: Some("Guest".into()),
        confirmed: true,
        ..NewUser::default()
    };
    fixture.cloud.operator().ensure_user(&fixture.world.oem, &user).await.unwrap();
    fixture.token(email).await
}

pub(crate) async fn give(fixture: &Fixture, token: &str, share: Value) -> Answer {
    fixture.post(token, SHARES, json!({ "share": share })).await
}

fn ids(list: &Value) -> Vec<i64> {
    list.as_array().unwrap().iter().map(|item| item["share"]["id"].as_i64().unwrap()).collect()
}

fn pass(fixture: &Fixture, seconds: u64) {
    fixture.cloud.clock().advance(Duration::from_secs(seconds).try_into().unwrap());
}

#[tokio::test]
async fn share_is_created_read_changed_and_deleted() {
    let fixture = Fixture::start().await;
    let (owner, guest) = (fixture.token(World::END_USER).await, guest(&fixture, GUEST).await);
    let period = json!({ "start_date_at": "2026-11-20T11:00:00Z", "end_date_at": "2026-11-21T11:00:00.9+00:00" });
    let made = give(&fixture, &owner, device("DEV-U1", " Guest@Example.com ", period)).await;
    let share = &made.body["share"];
    let mut expected = json!({
        "id": share["id"], "status": "accepted", "accepted": true, "accepted_at": "2026-11-20T10:00:00Z",
        "created_at": "2026-11-20T10:00:00Z", "updated_at": "2026-11-20T10:00:00Z", "grant_id": share["id"],
        "operation": "read", "role": null, "resource_name": "device", "resource_type": "device", "resource_id": "DEV-U1",
        "start_date_at": "2026-11-20T11:00:00Z", "end_date_at": "2026-11-21T11:00:00Z",
        "owner_id": share["owner_id"], "user_id": share["user_id"], "user_email": GUEST,
        "owner_profile": { "firstname": "Test", "lastname": "User", "email": World::END_USER },
        "user_profile": { "firstname": "Zoë", "lastname": "Guest", "email": GUEST },
    });
    assert_eq!((made.status, share), (201, &expected));
    assert_ne!(share["owner_id"], share["user_id"]);
    let one = format!("{SHARES}/{}.json", share["id"]);
    for token in [&owner, &guest] {
        assert_eq!(fixture.get(token, &one).await.body, made.body);
    }
    let (list, received) = (format!("{SHARES}.json"), format!("{SHARES}/received.json"));
    assert_eq!(fixture.get(&owner, &list).await.body, json!([made.body]));
    assert_eq!(fixture.get(&guest, &received).await.body, json!([made.body]));
    assert_eq!(fixture.get(&guest, &list).await.body, json!([]));
    assert_eq!(fixture.get(&owner, &received).await.body, json!([]));

    pass(&fixture, 60);
    let body = json!({ "share": device("DEV-U1", GUEST, json!({ "operation": "write", "end_date_at": "" })) });
    let changed = fixture.put(&owner, &one, body).await;
    for (name, value) in
        [("operation", json!("write")), ("end_date_at", json!(null)), ("updated_at", json!("2026-11-20T10:01:00Z"))]
    {
        expected[name] = value;
    }
    assert_eq!((changed.status, &changed.body["share"]), (200, &expected), "omitted fields stay");
    let role = json!({ "share": { "role_name": "OEM::Partner::Observer", "start_date_at": null } });
    let changed = fixture.put(&owner, &one, role).await.body["share"].take();
    assert_eq!((&changed["operation"], &changed["role"]["name"]), (&json!(null), &json!("OEM::Partner::Observer")));
    assert_eq!(changed["start_date_at"], json!(null));
    let back = fixture.put(&owner, &one, json!({ "share": { "operation": "read" } })).await.body["share"].take();
    assert_eq!((&back["operation"], &back["role"]), (&json!("read"), &json!(null)));
    assert_eq!(fixture.put(&guest, &one, json!({ "share": { "operation": "write" } })).await.status, 403);

    assert_eq!(fixture.delete(&owner, &one).await.status, 204);
    for path in [&*one, &format!("{SHARES}/x"), &format!("{SHARES}/-1")] {
        for answer in [
            fixture.get(&owner, path).await,
            fixture.delete(&guest, path).await,
            fixture.put(&owner, path, json!({})).await,
        ] {
            assert_eq!((answer.status, &answer.body["error"]), (404, &json!("Share not found")), "{path}");
        }
    }
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a table")]
async fn invalid_share_names_its_field() {
    let fixture = Fixture::start().await;
    let owner = fixture.token(World::END_USER).await;
    guest(&fixture, GUEST).await;
    let with = |name: &str, value: Value| device("DEV-U1", GUEST, json!({ name: value }));
    let without = |name: &str| {
        let mut share = device("DEV-U1", GUEST, json!({}));
        share.as_object_mut().unwrap().remove(name);
        share
    };
    let table = [
        (json!({}), "resource_id"),
        (without("resource_name"), "resource_name"),
        (without("resource_id"), "resource_id"),
        (without("user_email"), "user_email"),
        (without("operation"), "operation"),
        (with("resource_name", json!("user")), "resource_name"),
        (with("resource_name", json!(7)), "resource_name"),
        (with("resource_type", json!("group")), "resource_type"),
        (with("resource_id", json!(7)), "resource_id"),
        (with("resource_id", json!("d".repeat(65))), "resource_id"),
        (with("user_email", json!("x".repeat(256))), "user_email"),
        (with("user_email", json!("a\u{0}")), "user_email"),
        (with("user_email", json!("nobody@example.com")), "user_email"),
        (with("user_email", json!(World::END_USER)), "user_email"),
        (with("user_email", json!(World::MACHINE)), "user_email"),
        (with("user_email", json!(World::TECHNICIAN_A)), "user_email"),
        (with("operation", json!("")), "operation"),
        (with("operation", json!(null)), "operation"),
        (with("operation", json!(true)), "operation"),
        (with("operation", json!("own")), "operation"),
        (with("operation", json!("x".repeat(256))), "operation"),
        (device("DEV-U1", GUEST, json!({ "role_name": "OEM::Admin", "operation": "read" })), "operation"),
        (with("role_name", json!(7)), "role_name"),
        (with("role_name", json!("No::Such")), "role_name"),
        (with("start_date_at", json!("tomorrow")), "start_date_at"),
        (with("start_date_at", json!(1_795_168_800)), "start_date_at"),
        (with("end_date_at", json!("2".repeat(65))), "end_date_at"),
        (with("end_date_at", json!("2026-11-20T10:00:00Z")), "end_date_at"),
        (
            device(
                "DEV-U1",
                GUEST,
                json!({ "start_date_at": "2027-01-01T00:00:00Z", "end_date_at": "2027-01-01T00:00:00Z" }),
            ),
            "end_date_at",
        ),
    ];
    for (share, field) in &table {
        let answer = give(&fixture, &owner, share.clone()).await;
        assert_eq!(answer.status, 422, "{share} {}", answer.body);
        assert!(answer.body["errors"][field][0].is_string(), "{share} {}", answer.body);
    }
    for body in [json!({}), json!({ "share": "text" }), json!({ "share": [] })] {
        assert_eq!(fixture.post(&owner, SHARES, body.clone()).await.status, 422, "{body}");
    }
    let unknown = give(&fixture, &owner, with("user_email", json!("nobody@example.com"))).await.body;
    let machine = give(&fixture, &owner, with("user_email", json!(World::MACHINE))).await.body;
    assert_eq!(unknown, machine, "a machine account is answered like an unknown user");
    assert_eq!(give(&fixture, &owner, device("NO-SUCH", GUEST, json!({}))).await.status, 404);
    assert_eq!(fixture.get(&owner, SHARES).await.body, json!([]));

    let made = give(&fixture, &owner, device("DEV-U1", GUEST, json!({ "resource_type": "device" }))).await.body;
    let one = format!("{SHARES}/{}", made["share"]["id"]);
    for share in [
        json!({ "resource_id": "DEV-A1" }),
        json!({ "user_email": World::UNCONFIRMED }),
        json!({ "resource_name": "user" }),
        json!({ "operation": "own" }),
        json!({ "operation": "read", "role_name": "OEM::Admin" }),
        json!({ "role_name": "No::Such" }),
        json!({ "start_date_at": "tomorrow" }),
        json!({ "end_date_at": "2026-11-20T10:00:00Z" }),
    ] {
        assert_eq!(fixture.put(&owner, &one, json!({ "share": share })).await.status, 422, "{share}");
    }
    assert_eq!(fixture.put(&owner, &one, json!({ "share": 7 })).await.status, 422);
    assert_eq!(fixture.get(&owner, &one).await.body, made);
}

#[tokio::test]
async fn second_share_of_a_device_with_the_same_user_is_rejected() {
    let fixture = Fixture::start().await;
    let (owner, guest) = (fixture.token(World::END_USER).await, guest(&fixture, GUEST).await);
    let until = json!({ "end_date_at": "2026-11-20T11:00:00Z" });
    let first = give(&fixture, &owner, device("DEV-U1", GUEST, until.clone())).await.body;
    let again = give(&fixture, &owner, device("DEV-U1", GUEST, json!({ "operation": "write" }))).await;
    assert_eq!((again.status, again.body["error"].is_string()), (404, true));
    // Of two concurrent requests, one creates the share.
    let other = json!({ "share": device("DEV-U1", World::UNCONFIRMED, json!({})) });
    let (one, two) =
        tokio::join!(fixture.post(&owner, SHARES, other.clone()), fixture.post(&owner, SHARES, other.clone()));
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 404]);

    pass(&fixture, 3600);
    // An expired share does not exist any more, for the owner and the recipient.
    let path = format!("{SHARES}/{}", first["share"]["id"]);
    assert_eq!(fixture.get(&owner, SHARES).await.body.as_array().unwrap().len(), 1);
    assert_eq!(fixture.get(&guest, &format!("{SHARES}/received")).await.body, json!([]));
    for token in [&owner, &guest] {
        assert_eq!(fixture.get(token, &path).await.status, 404);
        assert_eq!(fixture.delete(token, &path).await.status, 404);
    }
    assert_eq!(fixture.put(&owner, &path, json!({ "share": { "end_date_at": null } })).await.status, 404);
    assert_eq!(give(&fixture, &owner, device("DEV-U1", GUEST, json!({}))).await.status, 201);
}

#[tokio::test]
async fn concurrent_changes_of_different_fields_of_a_share_are_both_kept() {
    let fixture = Fixture::start().await;
    let owner = fixture.token(World::END_USER).await;
    guest(&fixture, GUEST).await;
    let created = give(&fixture, &owner, device("DEV-U1", GUEST, json!({}))).await;
    let share = format!("{SHARES}/{}", created.body["share"]["id"]);
    for round in 10..30 {
        let (start, end) = (json!(format!("2026-11-{round}T11:00:00Z")), json!(format!("2027-11-{round}T11:00:00Z")));
        let change = |field: &str, value: &Value| json!({ "share": { field: value } });
        let (first, second) = tokio::join!(
            fixture.put(&owner, &share, change("start_date_at", &start)),
            fixture.put(&owner, &share, change("end_date_at", &end)),
        );
        assert_eq!((first.status, second.status), (200, 200));
        let stored = fixture.get(&owner, &share).await.body["share"].take();
        assert_eq!((&stored["start_date_at"], &stored["end_date_at"]), (&start, &end));
    }
}

#[tokio::test]
async fn all_or_none_of_several_shares_are_created() {
    let fixture = Fixture::start().await;
    let admin = fixture.token(World::ADMIN).await;
    guest(&fixture, GUEST).await;
    let post = async |shares: Value| fixture.post(&admin, SHARES, json!({ "shares": shares })).await;
    let good = |dsn: &str| device(dsn, GUEST, json!({}));
    let table = [
        (json!([]), 422, "can't be blank"),
        (json!("text"), 422, "is not a list of objects"),
        (json!([good("DEV-A1"), 7]), 422, "is not a list of objects"),
        (Value::Array(vec![good("DEV-A1"); 101]), 422, "has too many entries (max: 100)"),
        (json!([good("DEV-A1"), device("DEV-A2", "nobody@example.com", json!({}))]), 422, "2: user_email not found"),
        (json!([device("DEV-A1", GUEST, json!({ "operation": "own" }))]), 422, "1: operation is not read or write"),
    ];
    for (shares, status, text) in table {
        let answer = post(shares).await;
        assert_eq!((answer.status, &answer.body["errors"]["shares"][0]), (status, &json!(text)));
    }
    for shares in [json!([good("DEV-A1"), good("NO-SUCH")]), json!([good("DEV-A1"), good("DEV-A1")])] {
        assert_eq!(post(shares).await.status, 404);
    }
    assert_eq!(
        post(json!([good("DEV-A1"), good("DEV-S1")])).await.status,
        422,
        "devices in factory stock cannot be shared"
    );
    assert_eq!(fixture.get(&admin, SHARES).await.body, json!([]), "none was made");

    let made = post(json!([good("DEV-B1"), good("DEV-A1")])).await;
    assert_eq!(made.status, 201);
    let dsns: Vec<&Value> = made.body.as_array().unwrap().iter().map(|item| &item["share"]["resource_id"]).collect();
    assert_eq!(dsns, ["DEV-B1", "DEV-A1"], "in the order of the request");
    assert_eq!(ids(&fixture.get(&admin, SHARES).await.body).len(), 2);
    assert_eq!(post(json!([good("DEV-A2")])).await.body.as_array().unwrap().len(), 1, "the answer to a list is a list");
}

#[tokio::test]
async fn users_who_may_change_a_device_manage_its_shares() {
    let fixture = Fixture::start().await;
    let (recipient, other) = (guest(&fixture, GUEST).await, guest(&fixture, "other@example.com").await);
    let technician = fixture.token(World::TECHNICIAN_A).await;
    let share = give(&fixture, &technician, device("DEV-A1", GUEST, json!({}))).await.body["share"].take();
    let one = format!("{SHARES}/{}", share["id"]);
    let change = json!({ "share": { "operation": "write" } });
    // Each caller with the statuses of GET, PUT and DELETE.
    let table = [
        (World::PARTNER_OBSERVER_A, [200, 403, 403]),
        (World::OBSERVER, [200, 403, 403]),
        (World::PARTNER_ADMIN_B, [404, 404, 404]),
        (World::END_USER, [404, 404, 404]),
        ("other@example.com", [404, 404, 404]),
        (GUEST, [200, 403, 204]),
        (World::PARTNER_ADMIN_A, [200, 200, 204]),
        (World::ADMIN, [200, 200, 204]),
        (World::TECHNICIAN_A, [200, 200, 204]),
    ];
    // Another recipient of the device does not see the first one's share.
    assert_eq!(give(&fixture, &technician, device("DEV-A1", "other@example.com", json!({}))).await.status, 201);
    let mut one = one;
    for (email, expected) in table {
        let token = fixture.token(email).await;
        let read = fixture.get(&token, &one).await.status;
        let changed = fixture.put(&token, &one, change.clone()).await.status;
        let ended = fixture.delete(&token, &one).await.status;
        assert_eq!([read, changed, ended], expected, "{email}");
        if ended == 204 {
            let share = give(&fixture, &technician, device("DEV-A1", GUEST, json!({}))).await.body["share"].take();
            one = format!("{SHARES}/{}", share["id"]);
        }
    }
    for (email, status) in [(World::OBSERVER, 403), (World::PARTNER_OBSERVER_A, 403), (World::PARTNER_ADMIN_B, 404)] {
        let token = fixture.token(email).await;
        assert_eq!(
            give(&fixture, &token, device("DEV-A1", World::UNCONFIRMED, json!({}))).await.status,
            status,
            "{email}"
        );
    }
    // A recipient cannot share the device with any operation.
    assert_eq!(fixture.put(&technician, &one, change).await.status, 200);
    for token in [&recipient, &other] {
        assert_eq!(give(&fixture, token, device("DEV-A1", World::UNCONFIRMED, json!({}))).await.status, 403);
        assert_eq!(
            fixture.delete(token, &format!("{SHARES}?resource_name=device&resource_id=DEV-A1")).await.status,
            403
        );
    }
    let owner = device("DEV-U1", World::END_USER, json!({}));
    let admin = fixture.token(World::ADMIN).await;
    assert_eq!(give(&fixture, &admin, owner).await.body["errors"]["user_email"], json!(["has the device already"]));
}

#[tokio::test]
async fn all_shares_of_a_device_are_deleted_in_one_call() {
    let fixture = Fixture::start().await;
    let owner = fixture.token(World::END_USER).await;
    let (guest, other) = (guest(&fixture, GUEST).await, guest(&fixture, "other@example.com").await);
    let first = give(&fixture, &owner, device("DEV-U1", GUEST, json!({}))).await.body["share"].take();
    give(&fixture, &owner, device("DEV-U1", "other@example.com", json!({}))).await;
    for (query, status) in [
        ("", 422),
        ("?resource_name=device", 422),
        ("?resource_name=user&resource_id=DEV-U1", 422),
        ("?resource_name=device&resource_id=DEV-U1&user_id=x", 422),
        ("?resource_name=device&resource_id=DEV-U1&user_id=0", 404),
        ("?resource_name=device&resource_id=DEV-A1", 404),
    ] {
        assert_eq!(fixture.delete(&owner, &format!("{SHARES}{query}")).await.status, status, "{query}");
    }
    let all = format!("{SHARES}.json?resource_name=device&resource_id=DEV-U1");
    assert_eq!(fixture.delete(&owner, &format!("{all}&user_id={}", first["user_id"])).await.status, 204);
    assert_eq!(fixture.get(&guest, &format!("{SHARES}/received")).await.body, json!([]));
    assert_eq!(fixture.get(&other, &format!("{SHARES}/received")).await.body.as_array().unwrap().len(), 1);
    assert_eq!(fixture.delete(&owner, &all).await.status, 204);
    assert_eq!(fixture.delete(&owner, &all).await.status, 404);
    assert_eq!(fixture.get(&owner, SHARES).await.body, json!([]));
}

#[tokio::test]
async fn device_has_at_most_100_recipients() {
    let fixture = Fixture::start().await;
    let owner = fixture.token(World::END_USER).await;
    let many = (0..101).map(|n| format!("guest{n}@example.com")).collect::<Vec<_>>();
    for email in &many {
        let user = NewUser { email: email.clone(), password: PASSWORD.into(), ..NewUser::default() };
        fixture.cloud.operator().ensure_user(&fixture.world.oem, &user).await.unwrap();
    }
    let shares: Vec<Value> = many[..100].iter().map(|email| device("DEV-U1", email, json!({}))).collect();
    assert_eq!(fixture.post(&owner, SHARES, json!({ "shares": shares })).await.status, 201);
    let one_more = device("DEV-U1", &many[100], json!({}));
    let refused = give(&fixture, &owner, one_more.clone()).await;
    assert_eq!((refused.status, refused.body["errors"]["resource_id"][0].is_string()), (422, true));
    let list = fixture.get(&owner, SHARES).await.body;
    assert_eq!(ids(&list).len(), 100);
    fixture.delete(&owner, &format!("{SHARES}/{}", ids(&list)[0])).await;
    assert_eq!(give(&fixture, &owner, one_more).await.status, 201);
}

#[tokio::test]
async fn user_gives_at_most_1000_shares() {
    let fixture = Fixture::start().await;
    let (owner, _) = (fixture.token(World::END_USER).await, guest(&fixture, GUEST).await);
    let thing = |n: usize| NewDevice {
        dsn: format!("THING-{n}"),
        template: "thing".into(),
        registered: true,
        owner_email: Some(World::END_USER.into()),
        ..NewDevice::default()
    };
    let things: Vec<NewDevice> = (0..1_001).map(thing).collect();
    fixture.cloud.operator().add_devices(&fixture.world.oem, &things).await.unwrap();
    let shares: Vec<Value> = things.iter().map(|thing| device(&thing.dsn, GUEST, json!({}))).collect();
    for some in shares[..1_000].chunks(100) {
        assert_eq!(fixture.post(&owner, SHARES, json!({ "shares": some })).await.status, 201);
    }
    let refused = give(&fixture, &owner, shares[1_000].clone()).await;
    assert_eq!((refused.status, refused.body["errors"]["base"][0].is_string()), (422, true));
    let first = format!("{SHARES}?resource_name=device&resource_id=THING-0");
    assert_eq!(fixture.delete(&owner, &first).await.status, 204);
    assert_eq!(give(&fixture, &owner, shares[1_000].clone()).await.status, 201);
}

#[tokio::test]
async fn library_creates_changes_and_deletes_shares() {
    let fixture = Fixture::start().await;
    guest(&fixture, GUEST).await;
    let (owner, recipient) = (signed_in(&fixture, World::END_USER).await, signed_in(&fixture, GUEST).await);
    let time = |text: &str| text.parse::<Time>().unwrap();
    let end = time("2026-12-01T00:00:00Z");
    let wanted = NewShare::for_device("DEV-U1", GUEST).operation(ShareOperation::Write).end_date_at(end);
    let share = owner.shares().create(wanted.clone()).email_template_id("welcome").send().await.unwrap();
    assert_eq!((share.status.as_deref(), share.operation.as_ref()), (Some("accepted"), Some(&ShareOperation::Write)));
    assert_eq!((share.start_date_at, share.end_date_at, share.user_email.as_str()), (None, Some(end), GUEST));
    assert_eq!(share.owner_profile.as_ref().unwrap().email.as_deref(), Some(World::END_USER));
    assert_eq!(share.user_profile.as_ref().unwrap().first_name.as_deref(), Some("Zoë"));
    assert_eq!(owner.shares().owned().await.unwrap(), std::slice::from_ref(&share));
    assert_eq!(recipient.shares().received().await.unwrap(), std::slice::from_ref(&share));
    assert_eq!(recipient.shares().get(&share.id).await.unwrap(), share);
    assert_eq!(owner.shares().create(wanted).send().await.unwrap_err().status(), Some(404));

    recipient.datapoints().create("DEV-U1", "fan", 3).send().await.unwrap();
    let update = owner.shares().update(&share).role_name("OEM::Observer").end_date_at(None);
    let update = update.start_date_at(time("2026-11-20T10:00:00Z"));
    let changed = update.send().await.unwrap();
    assert_eq!((changed.operation.as_ref(), changed.role_name.as_deref()), (None, Some("OEM::Observer")));
    assert_eq!((changed.start_date_at, changed.end_date_at), (Some(time("2026-11-20T10:00:00Z")), None));
    assert_eq!(owner.shares().update(&changed).send().await.unwrap().role_name, changed.role_name, "sent as it was");
    assert_eq!(recipient.datapoints().create("DEV-U1", "fan", 3).send().await.unwrap_err().status(), Some(403));
    assert_eq!(recipient.shares().update(&changed).send().await.unwrap_err().status(), Some(403));

    let admin = signed_in(&fixture, World::ADMIN).await.shares();
    let several = ["DEV-A1", "DEV-B1"].map(|dsn| NewShare::for_device(dsn, GUEST));
    let several = admin.create_several(several).send().await.unwrap();
    assert_eq!((several.len(), several[1].resource_id.as_str()), (2, "DEV-B1"));
    assert_eq!(recipient.devices().all().await.unwrap().len(), 3);
    recipient.shares().delete(&several[0].id).await.unwrap();
    admin.delete(&several[1].id).await.unwrap();
    assert!(admin.owned().await.unwrap().is_empty());
    owner.shares().delete(&share.id).await.unwrap();
    assert_eq!(recipient.shares().get(&share.id).await.unwrap_err().status(), Some(404));
    assert!(recipient.devices().all().await.unwrap().is_empty());
}
