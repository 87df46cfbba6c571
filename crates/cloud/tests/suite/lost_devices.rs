//! Shares, triggers and notifications of users who lose a device.

use cloud::testing::{TestCloud, World};
use jiff::SignedDuration;
use platform::testing::TestDb;
use serde_json::{Value, json};

use crate::client::Fixture;
use crate::shares::{GUEST, SHARES, device, give, guest};

const ROLES: [&str; 3] = ["OEM::Partner::Admin", "OEM::Partner::Observer", "OEM::Partner::Technician"];

async fn start(database: &TestDb) -> Fixture {
    Fixture::on(TestCloud::start_with(|config| config.database_url.clone_from(&database.url)).await).await
}

/// Shares the device for writing, now and in the future, and creates a trigger and notifications that send mail to `address`.
async fn set_up(fixture: &Fixture, author: &str, dsn: &str, address: &str) {
    let token = fixture.token(author).await;
    let later = json!({ "operation": "write", "start_date_at": "2026-11-21T00:00:00Z" });
    for share in [device(dsn, GUEST, json!({ "operation": "write" })), device(dsn, World::END_USER, later)] {
        assert_eq!(give(fixture, &token, share).await.status, 201);
    }
    alert(fixture, author, dsn, address).await;
}

/// Creates a trigger and notifications that send mail to `address`. Returns the paths of their apps.
async fn alert(fixture: &Fixture, author: &str, dsn: &str, address: &str) -> [String; 3] {
    let token = fixture.token(author).await;
    let app = json!({ "name": "email", "param1": address });
    let trigger = json!({ "trigger": { "trigger_type": "on_change", "active": true, "trigger_apps": [app] } });
    let made = fixture.post(&token, &format!("/apiv1/dsns/{dsn}/properties/hours/triggers"), trigger).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let mut paths =
        [format!("/apiv1/triggers/{}/trigger_apps", made.body["trigger"]["key"]), String::new(), String::new()];
    let path = format!("/apiv1/devices/{}/notifications", fixture.device_key(&token, dsn).await);
    for (kind, apps) in ["on_connect", "on_connection_lost"].into_iter().zip(&mut paths[1..]) {
        let notification = json!({ "notification": { "notification_type": kind, "threshold": 0 } });
        let made = fixture.post(&token, &path, notification).await;
        *apps = format!("/apiv1/notifications/{}/notification_apps", made.body["notification"]["id"]);
        add_recipient(fixture, author, apps, address).await;
    }
    paths
}

/// Adds a recipient to a trigger or notification, also of another user.
async fn add_recipient(fixture: &Fixture, author: &str, apps: &str, address: &str) {
    let app = if apps.contains("trigger") {
        json!({ "trigger_app": { "name": "email", "param1": address } })
    } else {
        json!({ "notification_app": { "app_type": "email", "notification_app_parameters": { "email": address } } })
    };
    let made = fixture.post(&fixture.token(author).await, apps, app).await;
    assert_eq!(made.status, 201, "{}", made.body);
}

/// The statuses of reading the device and of writing a value as the recipient of the share.
async fn statuses_of_guest(fixture: &Fixture, dsn: &str) -> [u16; 2] {
    let token = fixture.token(GUEST).await;
    let write = json!({ "datapoint": { "value": 3 } });
    [
        fixture.get(&token, &format!("/apiv1/dsns/{dsn}")).await.status,
        fixture.post(&token, &format!("/apiv1/dsns/{dsn}/properties/fan/datapoints"), write).await.status,
    ]
}

/// The recipients of the messages when the device connects, reports a new value and is lost, with repetitions.
async fn alerted(fixture: &Fixture, dsn: &str) -> Vec<String> {
    // Longer than the interval between messages of a source.
    fixture.cloud.clock().advance(SignedDuration::from_mins(10));
    let before = fixture.cloud.outbox().await.len();
    let device = fixture.cloud.device(dsn).await;
    let connection = device.connect().await;
    let hours: Value = format!("{}.5", fixture.cloud.clock().now().as_second() % 10_000).parse().unwrap();
    device.report(&[("hours", hours)]).await;
    device.disconnect(connection).await;
    fixture.cloud.notify_losses().await;
    let mut recipients: Vec<String> =
        fixture.cloud.outbox().await.into_iter().skip(before).map(|message| message.recipient).collect();
    recipients.sort();
    recipients
}

/// The numbers of shares, triggers and notifications of the device that this user reads.
async fn listed(fixture: &Fixture, reader: &str, dsn: &str) -> [usize; 3] {
    let token = fixture.token(reader).await;
    let key = fixture.device_key(&token, dsn).await;
    let mut counts = [0; 3];
    for (count, path) in counts.iter_mut().zip([
        format!("{SHARES}.json?resource_name=device&resource_id={dsn}"),
        format!("/apiv1/dsns/{dsn}/properties/hours/triggers"),
        format!("/apiv1/devices/{key}/notifications/all"),
    ]) {
        let list = fixture.get(&token, &path).await;
        assert_eq!(list.status, 200, "{path}");
        *count = list.body.as_array().unwrap().len();
    }
    counts
}

/// Gives the device to partner B, in one of the two ways that the API has.
async fn hand_over(fixture: &Fixture, dsn: &str, in_place: bool) {
    let admin = fixture.token(World::ADMIN).await;
    let path = format!("/apiv1/devices/{}/role_labels", fixture.device_key(&admin, dsn).await);
    if in_place {
        for item in fixture.get(&admin, &path).await.body.as_array().unwrap() {
            let role = &item["role_label"]["role_name"];
            let label = json!({ "role_label": { "role_name": role, "key": "partner_id", "value": "B" } });
            let one = format!("/apiv1/role_labels/{}", item["role_label"]["id"]);
            assert_eq!(fixture.put(&admin, &one, label).await.status, 200);
        }
    } else {
        for (action, partner) in [("disassociate", "A"), ("associate", "B")] {
            for role in ROLES {
                let label = json!({ "role_name": role, "key": "partner_id", "value": partner });
                assert_eq!(fixture.put(&admin, &format!("{path}/{action}"), label).await.status, 200);
            }
        }
    }
}

fn thrice(address: &str) -> Vec<String> {
    vec![address.to_owned(); 3]
}

async fn nothing_of_the_former_partner_acts_or_is_readable_after_a_device_moved(database: &TestDb) {
    let fixture = start(database).await;
    guest(&fixture, GUEST).await;
    for (dsn, author, in_place) in [("DEV-A1", World::TECHNICIAN_A, false), ("DEV-A2", World::PARTNER_ADMIN_A, true)] {
        set_up(&fixture, author, dsn, "north@example.com").await;
        // Some recipients of the manufacturer's alerts were chosen by the partner.
        for apps in alert(&fixture, World::ADMIN, dsn, "oem@example.com").await {
            add_recipient(&fixture, author, &apps, "also.north@example.com").await;
        }
        let all = [thrice("also.north@example.com"), thrice("north@example.com"), thrice("oem@example.com")].concat();
        assert_eq!((statuses_of_guest(&fixture, dsn).await, alerted(&fixture, dsn).await), ([200, 201], all), "{dsn}");
        assert_eq!(listed(&fixture, World::PARTNER_ADMIN_A, dsn).await, [2, 2, 4]);

        hand_over(&fixture, dsn, in_place).await;
        assert_eq!(statuses_of_guest(&fixture, dsn).await, [404, 404], "{dsn}");
        assert_eq!(alerted(&fixture, dsn).await, thrice("oem@example.com"), "those of the manufacturer stay");
        assert_eq!(listed(&fixture, World::PARTNER_ADMIN_B, dsn).await, [0, 1, 2]);
        let new = fixture.token(World::PARTNER_ADMIN_B).await;
        let triggers = fixture.get(&new, &format!("/apiv1/dsns/{dsn}/properties/hours/triggers")).await.body;
        assert!(!triggers.to_string().contains("north"), "{triggers}");
        let former = fixture.token(author).await;
        assert_eq!(fixture.get(&former, SHARES).await.body, json!([]), "{dsn}");
        assert_eq!(fixture.get(&fixture.token(GUEST).await, &format!("{SHARES}/received")).await.body, json!([]));
    }
}

async fn nothing_of_a_technician_acts_or_is_readable_without_the_role(database: &TestDb) {
    let fixture = start(database).await;
    guest(&fixture, GUEST).await;
    set_up(&fixture, World::TECHNICIAN_A, "DEV-A1", "technician@example.com").await;
    for apps in alert(&fixture, World::PARTNER_ADMIN_A, "DEV-A1", "partner@example.com").await {
        add_recipient(&fixture, World::TECHNICIAN_A, &apps, "technician@example.com").await;
    }
    let all =
        [thrice("partner@example.com"), thrice("technician@example.com"), thrice("technician@example.com")].concat();
    let before = (statuses_of_guest(&fixture, "DEV-A1").await, alerted(&fixture, "DEV-A1").await);
    assert_eq!(before, ([200, 201], all));
    let admin = fixture.token(World::PARTNER_ADMIN_A).await;
    let role = json!({ "user_email": World::TECHNICIAN_A, "role": "OEM::Partner::Technician" });
    assert_eq!(fixture.put(&admin, "/api/v1/users/revoke_role", role).await.status, 204);
    let after = (statuses_of_guest(&fixture, "DEV-A1").await, alerted(&fixture, "DEV-A1").await);
    assert_eq!(after, ([404, 404], thrice("partner@example.com")));
    assert_eq!(listed(&fixture, World::PARTNER_ADMIN_A, "DEV-A1").await, [0, 1, 2]);
    assert_eq!(fixture.get(&fixture.token(World::TECHNICIAN_A).await, SHARES).await.body, json!([]));

    // The right is checked where they act, too: a change that ends nothing has the same effect.
    set_up(&fixture, World::PARTNER_ADMIN_A, "DEV-A2", "partner@example.com").await;
    let before = (statuses_of_guest(&fixture, "DEV-A2").await, alerted(&fixture, "DEV-A2").await);
    assert_eq!(before, ([200, 201], thrice("partner@example.com")));
    fixture.cloud.revoke_roles(World::PARTNER_ADMIN_A).await;
    let after = (statuses_of_guest(&fixture, "DEV-A2").await, alerted(&fixture, "DEV-A2").await);
    assert_eq!(after, ([404, 404], Vec::<String>::new()));
    assert_eq!(listed(&fixture, World::ADMIN, "DEV-A2").await, [2, 1, 2], "nothing has ended");
}

async fn administrators_of_a_device_list_and_end_its_shares(database: &TestDb) {
    let fixture = start(database).await;
    guest(&fixture, GUEST).await;
    let technician = fixture.token(World::TECHNICIAN_A).await;
    let list = format!("{SHARES}.json?resource_name=device&resource_id=DEV-A1");
    let shares = [
        device("DEV-A1", GUEST, json!({ "operation": "write" })),
        device("DEV-A1", World::END_USER, json!({ "start_date_at": "2026-11-21T00:00:00Z" })),
        device("DEV-A2", GUEST, json!({})),
    ];
    // Each administrator lists the shares of others, ends one by its id and the rest in one call.
    for email in [World::ADMIN, World::PARTNER_ADMIN_A, World::TECHNICIAN_A] {
        let made = fixture.post(&technician, SHARES, json!({ "shares": shares })).await;
        let [first, second, other] = made.body.as_array().unwrap().as_slice() else { panic!("{}", made.body) };
        let token = fixture.token(email).await;
        assert_eq!(fixture.get(&token, &list).await.body, json!([first, second]), "{email}");
        assert_eq!(fixture.delete(&token, &format!("{SHARES}/{}", first["share"]["id"])).await.status, 204);
        assert_eq!(fixture.get(&token, &list).await.body, json!([second]), "{email}");
        assert_eq!(fixture.delete(&token, &list).await.status, 204);
        assert_eq!(fixture.get(&token, &list).await.body, json!([]), "{email}");
        assert_eq!(fixture.delete(&technician, &format!("{SHARES}/{}", other["share"]["id"])).await.status, 204);
    }
    // Others neither list nor end them. An end user who owns a device administers it.
    assert_eq!(fixture.post(&technician, SHARES, json!({ "shares": shares[..1] })).await.status, 201);
    for (email, status) in [
        (World::OBSERVER, 403),
        (World::PARTNER_OBSERVER_A, 403),
        (World::PARTNER_ADMIN_B, 404),
        (World::END_USER, 404),
        (GUEST, 403),
    ] {
        let token = fixture.token(email).await;
        let statuses = [fixture.get(&token, &list).await.status, fixture.delete(&token, &list).await.status];
        assert_eq!(statuses, [status; 2], "{email}");
    }
    let owner = fixture.token(World::END_USER).await;
    let own: Value = give(&fixture, &owner, device("DEV-U1", GUEST, json!({}))).await.body;
    let path = |query: &str| format!("{SHARES}.json?{query}");
    assert_eq!(fixture.get(&owner, &path("resource_name=device&resource_id=DEV-U1")).await.body, json!([own]));
    for query in ["resource_name=device", "resource_id=DEV-U1", "resource_name=user&resource_id=DEV-U1"] {
        assert_eq!(fixture.get(&owner, &path(query)).await.status, 422, "{query}");
    }
}

platform::on_both_databases![
    nothing_of_the_former_partner_acts_or_is_readable_after_a_device_moved,
    nothing_of_a_technician_acts_or_is_readable_without_the_role,
    administrators_of_a_device_list_and_end_its_shares,
];
