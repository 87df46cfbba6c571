//! Of a write whose answer is lost, another write and the first one again, the last is carried out or refused. Every operation
//! of api/openapi.json that takes a key is a kind of write here or has a reason why not.

use diffuser::Role;
use platform::db::params;
use platform::testing::TestDb;
use reqwest::Method;
use serde_json::{Value, json};

use crate::attention::open_items;
use crate::authorisation::{ITEMS, form, fragrance, invitation, operations, person as person_form};
use crate::browser::{Answer, Browser};
use crate::contract::Contract;
use crate::disconnects::Write;
use crate::inbox::Inbox;
use crate::jobs::{self, ended};
use crate::passkeys::{PASSKEYS, add_passkey};
use crate::schedule;
use crate::second_factor::FACTOR;
use crate::world::*;

/// Why a repetition of these operations cannot report what is not so.
const EXCEPTIONS: [(&str, &str); 19] = [
    ("begin_passkey", "changes no record"),
    ("begin_passkey_proof", "changes no record"),
    ("begin_totp", "the answer has a secret, so it is not stored"),
    ("confirm_totp", "the answer has a secret, so it is not stored"),
    ("add_passkey", "the answer has a secret, so it is not stored"),
    ("create_recovery_codes", "the answer has a secret, so it is not stored"),
    ("create_account_token", "the answer has a secret, so it is not stored"),
    ("remove_totp", "needs a code that is valid once"),
    ("remove_passkey", "the passkey does not come back"),
    ("reset_second_factor", "has a test of its own below"),
    ("update_account_password", "has a test of its own below"),
    ("delete_account_session", "the session does not come back"),
    ("delete_account_token", "the token does not come back"),
    ("delete_other_account_sessions", "has a test of its own below"),
    ("delete_csp", "the CSP does not come back"),
    ("remove_user", "the person does not come back"),
    ("undo_import", "an import is undone once"),
    ("retry_job", "idempotency.rs tests it with changed targets"),
    ("cancel_job", "idempotency.rs tests it with changed targets"),
];

/// Who writes in between.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Same,
    /// An administrator of the CSP.
    Other,
    /// First the one, then the other.
    Each,
}

/// A kind of write.
struct Kind {
    operation: &'static str,
    first: Write,
    /// `{id}` stands for the id in the answer to the first write, also in `read`.
    between: Write,
    by: By,
    /// Where the value is read, and its place in the answer.
    read: (String, &'static str),
}

fn write(method: Method, path: &str, body: Value) -> Write {
    Write { method, path: path.to_owned(), body, key: String::new() }
}

/// A kind whose write in between is alike, with another body.
fn kind(operation: &'static str, method: Method, path: &str, [first, between]: [Value; 2]) -> Kind {
    Kind {
        operation,
        first: write(method.clone(), path, first),
        between: write(method, path, between),
        by: By::Each,
        read: (path.to_owned(), ""),
    }
}

impl Kind {
    fn between(self, method: Method, path: &str, body: Value) -> Self {
        Self { between: write(method, path, body), ..self }
    }

    fn by(self, by: By) -> Self {
        Self { by, ..self }
    }

    fn read(self, path: &str, pointer: &'static str) -> Self {
        Self { read: (path.to_owned(), pointer), ..self }
    }

    async fn value(&self, browser: &Browser, id: &str) -> Value {
        let path = self.read.0.replace("{id}", id);
        let answer = browser.clone().get(&path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.body.pointer(self.read.1).unwrap_or_else(|| panic!("{path}: {}", answer.body)).clone()
    }
}

async fn send(write: &Write, key: &str, id: &str, browser: &Browser) -> Answer {
    let (method, path) = (write.method.clone(), write.path.replace("{id}", id));
    Write { method, path, body: write.body.clone(), key: key.to_owned() }.send(browser).await
}

/// Waits for the end of a started job.
async fn settled(browser: &Browser, answer: &Answer) {
    if answer.body["counts"].is_object() {
        ended(&mut browser.clone(), &answer.body).await;
    }
}

fn id_in(answer: &Answer) -> String {
    let ids = ["/id", "/notifications/0/id"].map(|at| answer.body.pointer(at).and_then(Value::as_str));
    ids.into_iter().flatten().next().unwrap_or_default().to_owned()
}

fn recipient(address: &str) -> Value {
    json!({ "method": "email", "recipient": address, "events": { "connected": true } })
}

/// The path of a notification that is added here.
async fn added(admin: &mut Browser, path: &str, address: &str) -> String {
    let rows = admin.post(path, &recipient(address)).await.body["notifications"].clone();
    let row = rows.as_array().unwrap().iter().find(|row| row["recipient"] == address).unwrap();
    format!("{path}/{}", row["id"].as_str().unwrap())
}

/// Kinds whose targets are devices.
#[expect(clippy::too_many_lines, reason = "a table")]
async fn kinds_of_devices(admin: &mut Browser) -> Vec<Kind> {
    let [device, second] = [NORTH, NORTH_AQ290].map(|dsn| format!("/api/devices/dsns/{dsn}"));
    let [noon, longer] = [13, 14].map(schedule::running_until);
    let notifications = format!("{device}/notifications");
    let (changed, removed) = (
        added(admin, &notifications, "changed@example.com").await,
        added(admin, &notifications, "removed@example.com").await,
    );
    let restored = added(admin, &notifications, "restored@example.com").await;
    let undo_removal = admin.delete(&restored).await.body["undo"]["id"].as_str().unwrap().to_owned();
    let undo_removal = format!("{notifications}/removals/{undo_removal}/undo");
    let reset = format!("{second}/fragrance-level/reset");
    // Before the first, the hours of the cartridge may be unknown.
    admin.post(&reset, &Value::Null).await;
    let undo = admin.post(&reset, &Value::Null).await.body["reset"]["undo"]["id"].as_str().unwrap().to_owned();
    let undo = format!("{second}/fragrance-level/resets/{undo}/undo");
    let settings = format!("{device}/settings");
    let (put, post) = (Method::PUT, Method::POST);
    let low_level = |is: bool| json!({ "events": { "lowProductLevel": is } });
    let area = |area: &str| json!({ "serviceArea": area });
    vec![
        kind("undo_fragrance_level_reset", post.clone(), &undo, [Value::Null, Value::Null])
            .between(put.clone(), &second, area("A"))
            .by(By::Other)
            .read(&second, "/fragranceRemaining"),
        kind(
            "update_device_settings",
            put.clone(),
            &settings,
            [json!({ "intensity": 31 }), json!({ "intensity": 32 })],
        )
        .read(&device, "/intensity"),
        kind("update_device_settings", put.clone(), &settings, [json!({ "mode": 4 }), json!({ "mode": 3 })])
            .read(&device, "/mode"),
        kind("update_device", put.clone(), &device, [form(NORTH, "North", "A"), form(NORTH, "North", "B")])
            .read(&device, "/serviceArea"),
        kind("update_device_schedule", put.clone(), &format!("{device}/schedule"), [noon, longer])
            .read(&device, "/scheduleBlob"),
        kind(
            "reset_fragrance_level",
            post.clone(),
            &format!("{device}/fragrance-level/reset"),
            [Value::Null, Value::Null],
        )
        .read(&device, "/dsn"),
        kind("create_device", post.clone(), "/api/devices", [form("SC-STOCK", "North", "A"), Value::Null])
            .between(put.clone(), "/api/devices/dsns/SC-STOCK", area("B"))
            .by(By::Other)
            .read("/api/devices/dsns/SC-STOCK", "/serviceArea"),
        kind(
            "create_device_notification",
            post.clone(),
            &format!("{second}/notifications"),
            [recipient("jo@example.com"), Value::Null],
        )
        .between(Method::DELETE, &format!("{second}/notifications/{{id}}"), Value::Null),
        kind("update_device_notification", put.clone(), &changed, [low_level(true), low_level(false)])
            .read(&notifications, ""),
        kind("undo_device_notification_removal", post.clone(), &undo_removal, [Value::Null, Value::Null])
            .between(Method::DELETE, &restored, Value::Null)
            .by(By::Other)
            .read(&notifications, ""),
        kind("delete_device_notification", Method::DELETE, &removed, [Value::Null, Value::Null])
            .between(post.clone(), &notifications, recipient("removed@example.com"))
            .by(By::Other)
            .read(&notifications, ""),
        kind(
            "copy_device",
            post,
            &format!("{device}/copy"),
            [json!({ "targets": [NORTH_AQ290], "copyName": true }), Value::Null],
        )
        .between(put, &second, area("Elsewhere"))
        .by(By::Other)
        .read(&second, "/serviceArea"),
    ]
}

/// Kinds about people, CSPs and the console.
#[expect(clippy::too_many_lines, reason = "a table")]
async fn other_kinds(world: &World, admin: &mut Browser) -> Vec<Kind> {
    open_items(&world.database, &[(ITEMS[0], NORTH)]).await;
    let csp = admin.post("/api/csps", &json!({ "name": "Free" })).await.body["id"].as_str().unwrap().to_owned();
    let csp = format!("/api/csps/{csp}");
    let (person, guest) = (world.user_id(NORTH_TECH).await, world.user_id(NORTH_GUEST).await);
    let [person, guest] = [person, guest].map(|id| format!("/api/users/{id}"));
    let disabled = format!("{guest}/disabled");
    let key = format!("{PASSKEYS}/{}", admin.get(FACTOR).await.body["passkeys"][0]["id"].as_str().unwrap());
    let thresholds = "/api/attention/settings?csp=North";
    let ack = |is: bool| json!({ "ids": [ITEMS[0]], "acknowledged": is });
    let rule = |is: bool| json!({ "role": Role::CspObserver.name(), "needsSecondFactor": is });
    let density = |density: &str| json!([{ "Fragrance": "Cedar", "Density": density }]);
    let own = |name: &str| json!({ "firstname": name, "lastname": "Tester", "city": "Oslo", "country": "Norway" });
    let name = |name: &str| json!({ "name": name });
    let phone = |phone: &str| person_form(json!({ "phone": phone }));
    let minutes = |minutes: i64| json!({ "offlineMinutes": minutes });
    let hour = |hour: i64| json!({ "hour": hour, "timeZone": "UTC" });
    let (put, post, digest) = (Method::PUT, Method::POST, "/api/account/digest");
    let none = [Value::Null, Value::Null];
    vec![
        kind("update_attention", post.clone(), "/api/attention/update", [ack(true), ack(false)])
            .read("/api/attention", "/items/0/acknowledgedAt"),
        kind("update_attention_settings", put.clone(), thresholds, [minutes(90), minutes(70)])
            .read(thresholds, "/settings/offlineMinutes"),
        kind("update_user", put.clone(), &person, [phone("1"), phone("2")]).read(&person, "/phone"),
        kind("invite_user", post.clone(), "/api/users", [invitation("new@example.com", json!({})), Value::Null])
            .between(put.clone(), "/api/users/{id}", phone("3"))
            .by(By::Other)
            .read("/api/users/{id}", "/phone"),
        kind("disable_user", put.clone(), &disabled, none.clone())
            .between(Method::DELETE, &disabled, Value::Null)
            .read(&guest, "/disabled"),
        kind("enable_user", Method::DELETE, &disabled, none.clone())
            .between(put.clone(), &disabled, Value::Null)
            .read(&guest, "/disabled"),
        kind("resend_confirmation", post.clone(), &format!("{guest}/confirmation"), none.clone()).read(&guest, "/id"),
        kind("send_password_reset", post.clone(), &format!("{person}/password-reset"), none.clone())
            .by(By::Same)
            .read(&person, "/id"),
        kind("update_account", put.clone(), "/api/account", [own("Ada"), own("Eve")])
            .by(By::Same)
            .read("/api/account", "/firstname"),
        kind("rename_passkey", put.clone(), &key, [name("Laptop"), name("Phone")])
            .by(By::Same)
            .read(FACTOR, "/passkeys"),
        kind(
            "update_preferences",
            put.clone(),
            "/api/account/preferences",
            [json!({ "timeFormat": "24hour" }), json!({ "timeFormat": "12hour" })],
        )
        .by(By::Same),
        kind(
            "update_list_preferences",
            put.clone(),
            "/api/account/list-preferences",
            [json!({ "density": "compact" }), json!({ "density": "comfortable" })],
        )
        .by(By::Same)
        .read("/api/session", "/listPreferences"),
        kind("update_attention_digest", put.clone(), digest, [hour(7), hour(8)]).by(By::Same),
        kind("remove_attention_digest", Method::DELETE, digest, none.clone())
            .between(put.clone(), digest, hour(9))
            .by(By::Same),
        kind(
            "update_assignment_mails",
            put.clone(),
            "/api/account/digest/assignments",
            [json!({ "wanted": false }), json!({ "wanted": true })],
        )
        .by(By::Same)
        .read(digest, "/assignments"),
        kind("create_csp", post.clone(), "/api/csps", [name("New"), Value::Null])
            .between(put.clone(), "/api/csps/{id}", name("Newer"))
            .by(By::Same)
            .read("/api/csps/{id}", "/name"),
        kind("update_csp", put.clone(), &csp, [name("One"), name("Two")]).by(By::Same).read(&csp, "/name"),
        kind("update_sign_in_rules", put, "/api/sign-in-rules", [rule(true), rule(false)]).by(By::Same),
        kind("update_fragrances", post, "/api/import", [density("0.9"), density("0.8")])
            .by(By::Same)
            .read("/api/fragrances", ""),
    ]
}

/// Kinds that move a device to another CSP, and so come last.
async fn kinds_of_moves(admin: &mut Browser) -> Vec<Kind> {
    let second = format!("/api/devices/dsns/{NORTH_AQ290}");
    let assignment = |csp: &str| json!({ "dsns": [NORTH_AQ290], "csp": csp });
    let undo = format!("{}/undo", jobs::path(&jobs::assign(admin, &[NORTH_AQ290], "South").await));
    vec![
        kind("undo_job", Method::POST, &undo, [Value::Null, Value::Null])
            .between(Method::PUT, &second, json!({ "serviceArea": "C" }))
            .by(By::Other)
            .read(&second, "/csp"),
        kind("assign_csp", Method::PUT, "/api/devices/csp", [assignment("South"), assignment("North")])
            .by(By::Same)
            .read(&second, "/csp"),
    ]
}

async fn write_after_another_is_carried_out_or_refused(database: TestDb) {
    let (_inbox, server) = Inbox::start().await;
    let url = database.url.clone();
    let world = World::start_with(|config| {
        config.database_url = url;
        config.public_url = Some("http://localhost:8080".parse().unwrap());
        config.mail_server = Some(server);
        reads_devices(config);
    })
    .await;
    world.cloud.operator().add_devices(&world.oem, &[stock("SC-STOCK")]).await.unwrap();
    world.console.add_missing_fragrances(&[fragrance()]).await.unwrap();
    let (mut admin, other) = (world.signed_in(ADMIN).await, world.signed_in(NORTH_ADMIN).await);
    add_passkey(&mut admin, 1).await;
    let mut tested = Vec::new();
    let mut kinds = kinds_of_devices(&mut admin).await;
    kinds.extend(other_kinds(&world, &mut admin).await);
    check(&world, &kinds, &admin, &other).await;
    tested.extend(kinds.iter().map(|kind| kind.operation));
    let kinds = kinds_of_moves(&mut admin).await;
    check(&world, &kinds, &admin, &other).await;
    tested.extend(kinds.iter().map(|kind| kind.operation));

    let (contract, exceptions) = (Contract::read(), EXCEPTIONS.map(|(operation, _)| operation));
    let mut writes: Vec<String> = operations()
        .into_iter()
        .filter(|operation| contract.takes_key(operation))
        .map(|operation| operation.id)
        .collect();
    writes.sort_unstable();
    tested.extend(exceptions);
    tested.sort_unstable();
    tested.dedup();
    assert_eq!(tested, writes, "every write with a key is tested or has a reason why not");
}

async fn check(world: &World, kinds: &[Kind], admin: &Browser, other: &Browser) {
    for (number, kind) in kinds.iter().enumerate() {
        let others = [("same", admin, By::Same), ("other", other, By::Other)];
        for (who, other, _) in others.into_iter().filter(|(.., by)| [By::Each, *by].contains(&kind.by)) {
            let (about, key) = (format!("{} and {who}", kind.operation), format!("{}-{number}-{who}", kind.operation));
            // What was written before is earlier.
            world.pass_seconds(1);
            let first = send(&kind.first, &key, "", admin).await;
            assert!((200..300).contains(&first.status), "{about}: {}", first.body);
            settled(admin, &first).await;
            let id = id_in(&first);
            let repeated = send(&kind.first, &key, "", admin).await;
            assert_eq!((repeated.status, &repeated.body), (first.status, &first.body), "{about}: one press");
            let value = kind.value(admin, &id).await;
            let between = send(&kind.between, &format!("{key}-between"), &id, other).await;
            assert!((200..300).contains(&between.status), "{about}: {}", between.body);
            settled(admin, &between).await;
            let last = send(&kind.first, &key, "", admin).await;
            settled(admin, &last).await;
            match last.status {
                409 => assert_eq!(last.code(), "changed_since", "{about}"),
                200..300 => assert_eq!(kind.value(admin, &id).await, value, "{about}: it is carried out"),
                _ => panic!("{about}: {}", last.body),
            }
        }
    }
}

/// A session that began in between is ended, too.
async fn repeated_end_of_other_sessions_is_carried_out(database: TestDb) {
    let world = World::start_on(&database).await;
    let browser = world.signed_in(NORTH_TECH).await;
    let end = Write { key: "k".to_owned(), ..write(Method::DELETE, "/api/account/sessions", Value::Null) };
    for _ in 0..2 {
        let mut other = world.signed_in(NORTH_TECH).await;
        assert_eq!(end.send(&browser).await.status, 204);
        assert_eq!(other.get("/api/account").await.status, 401);
        assert_eq!(end.send(&browser).await.status, 204, "one press");
    }
    let stored: Vec<(String,)> = database.fetch_all("select user_id from idempotency_keys", params![]).await.unwrap();
    assert!(stored.is_empty());
}

/// A factor that the person, or another administrator, has left there since is not reported as reset.
async fn repeated_reset_of_a_second_factor_is_carried_out_or_refused(database: TestDb) {
    let world = World::start_on(&database).await;
    let (admin, other) = (world.signed_in(ADMIN).await, world.signed_in(NORTH_ADMIN).await);
    let path = format!("/api/users/{}/second-factor", world.user_id(NORTH_TECH).await);
    let reset = |key: &str| Write { key: key.to_owned(), ..write(Method::DELETE, &path, Value::Null) };
    for (key, between) in [("person", None), ("administrator", Some(&other))] {
        add_passkey(&mut world.signed_in(NORTH_TECH).await, 1).await;
        world.pass_seconds(1);
        assert_eq!(reset(key).send(&admin).await.status, 204, "{key}");
        assert_eq!(reset(key).send(&admin).await.status, 204, "{key}: one press");
        add_passkey(&mut world.signed_in(NORTH_TECH).await, 2).await;
        if let Some(other) = between {
            world.pass_seconds(1);
            assert_eq!(reset("other").send(other).await.status, 204);
            add_passkey(&mut world.signed_in(NORTH_TECH).await, 3).await;
        }
        world.pass_seconds(1);
        let last = reset(key).send(&admin).await;
        let is_left = world.browser().sign_in(NORTH_TECH, PASSWORD).await.status == 202;
        match last.status {
            409 => assert_eq!((last.code(), is_left), ("changed_since", true), "{key}"),
            204 => assert!(!is_left, "{key}: it is carried out"),
            _ => panic!("{key}: {}", last.body),
        }
        reset("cleared").send(&admin).await;
    }
}

/// The same person in another browser changes the password in between.
async fn repeated_change_of_a_password_is_carried_out_or_refused(database: TestDb) {
    const PASSWORDS: [&str; 3] = [PASSWORD, "Better-Horse-2", "Better-Horse-3"];
    const PATH: &str = "/api/account/password";
    let world = World::start_on(&database).await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let changed = |from: usize, to: usize, key: &str| {
        let body = json!({ "current": PASSWORDS[from], "new": PASSWORDS[to] });
        Write { key: key.to_owned(), ..write(Method::PUT, PATH, body) }
    };
    let first = browser.send(changed(0, 1, "k").request(&browser)).await;
    assert_eq!(first.status, 200, "{}", first.body);
    let repeated = changed(0, 1, "k").send(&browser).await;
    assert_eq!((repeated.status, &repeated.body), (200, &first.body), "one press");
    let mut other = world.browser();
    assert_eq!(other.sign_in(NORTH_TECH, PASSWORDS[1]).await.status, 200);
    world.pass_seconds(1);
    assert_eq!(other.send(changed(1, 2, "other").request(&other)).await.status, 200);
    // Both sessions of the person are ended by a change, but that of the browser that makes it.
    let last = changed(0, 1, "k").send(&other).await;
    assert_eq!((last.status, last.code()), (409, "changed_since"), "{}", last.body);
    let accepted = async |password: &str| world.browser().sign_in(NORTH_TECH, password).await.status == 200;
    assert!(accepted(PASSWORDS[2]).await && !accepted(PASSWORDS[1]).await);
    // With the password of now it is carried out.
    world.pass_seconds(1);
    let last = other.send(changed(2, 1, "again").request(&other)).await;
    assert_eq!(last.status, 200, "{}", last.body);
    assert!(accepted(PASSWORDS[1]).await);
}

on_both_databases!(
    write_after_another_is_carried_out_or_refused,
    repeated_end_of_other_sessions_is_carried_out,
    repeated_reset_of_a_second_factor_is_carried_out_or_refused,
    repeated_change_of_a_password_is_carried_out_or_refused,
);
