//! Inviting, editing and removing people.

use std::time::Duration;

use cloud::testing::Fault;
use diffuser::Role;
use platform::db::{Db, params};
use serde_json::{Value, json};

use crate::authorisation::{invitation, person};
use crate::browser::Browser;
use crate::second_factor::add_app;
use crate::world::*;

const USERS: &str = "/api/users";
const NEW: &str = "jo@example.com";
/// Lets one request to the cloud through.
const PASS: Fault = Fault::Delay(Duration::ZERO);

pub(crate) fn page(id: &str) -> String {
    format!("{USERS}/{id}")
}

async fn invited(browser: &mut Browser, changes: Value) -> String {
    let answer = browser.post(USERS, &invitation(NEW, changes)).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    answer.body["id"].as_str().unwrap().to_owned()
}

/// The role and the CSP of a person.
pub(crate) async fn access(browser: &mut Browser, id: &str) -> (Value, Value) {
    let body = browser.get(&page(id)).await.body;
    (body["role"].clone(), body["csp"].clone())
}

pub(crate) fn role_and_csp(role: Role, csp: Option<&str>) -> (Value, Value) {
    (json!(role.name()), json!(csp))
}

/// The newest audit entry about this person.
pub(crate) async fn newest(browser: &mut Browser, target: &str) -> Value {
    browser.get(&format!("/api/audit?limit=1&target={target}")).await.body["entries"][0].clone()
}

#[tokio::test]
async fn administrator_invites_users_of_every_role() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    for (at, role) in Role::ALL.into_iter().enumerate() {
        let email = format!("new{at}@example.com");
        let answer = admin.post(USERS, &invitation(&email, json!({ "role": role.name(), "csp": "South" }))).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        let csp = role.is_csp_scoped().then_some("South");
        assert_eq!(access(&mut admin, answer.body["id"].as_str().unwrap()).await, role_and_csp(role, csp));
        let mail = world.cloud.outbox().await.pop().unwrap();
        assert_eq!((mail.kind.as_str(), &mail.recipient), ("invitation", &email));
    }
}

#[tokio::test]
async fn invited_user_confirms_and_signs_in_with_the_invited_profile() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let typed = json!({
        "email": "  jo@example.com ", "company": "Aurora", "businessRole": "Owner", "phone": "+47 1", "state": "Viken",
    });
    let id = invited(&mut admin, typed).await;
    let answer = admin.get(&page(&id)).await;
    let expected = json!({
        "id": id, "email": NEW, "firstname": "Tess", "lastname": "Tester", "company": "Aurora",
        "businessRole": "Owner", "phone": "+47 1", "city": "Oslo", "state": "Viken", "country": "Norway",
        "confirmed": false, "role": Role::CspTech.name(), "roleName": "CSP Technician", "csp": "North",
        "lastSignInAt": null, "twoStep": false, "disabled": false,
        "can": { "edit": true, "resend": true, "resetPassword": true, "resetSecondFactor": false },
    });
    assert_eq!(answer.body, expected);
    let stored = world.cloud_as(ADMIN).await.admin().get_user_by_uuid(id).await.unwrap().company.unwrap();
    let company: Value = serde_json::from_str(&stored).unwrap();
    assert_eq!(company, json!({ "company": "Aurora", "businessRole": "Owner" }), "one structured value (A-68)");

    assert_eq!(world.browser().sign_in(NEW, PASSWORD).await.status, 401, "not confirmed yet (A-33)");
    let mail = world.cloud.outbox().await.pop().unwrap();
    world.cloud_as(ADMIN).await.users().confirm(&mail.token().into()).await.unwrap();
    let session = world.signed_in(NEW).await.get("/api/session").await.body;
    assert_eq!((&session["roleName"], &session["csp"]), (&json!("CSP Technician"), &json!("North")));
}

#[tokio::test]
async fn invited_user_chooses_the_first_password_with_the_link() {
    let world = World::start().await;
    invited(&mut world.signed_in(NORTH_ADMIN).await, json!({ "password": null, "ownPassword": true })).await;
    let mail = world.cloud.outbox().await.pop().unwrap();
    assert!(mail.body.starts_with("Tess Tester (North) has created an account"), "{}", mail.body);
    let mut browser = world.browser();
    let token = mail.token();
    let set = json!({ "token": token, "newPassword": PASSWORD, "confirmNewPassword": PASSWORD });
    assert_eq!(browser.post("/api/account/confirm", &json!({ "token": token })).await.status, 204);
    assert_eq!(browser.sign_in(NEW, PASSWORD).await.status, 401, "nobody knows the password");
    assert_eq!(browser.post("/api/password/set", &set).await.status, 204);
    assert_eq!(browser.sign_in(NEW, PASSWORD).await.status, 200);
    let again = browser.post("/api/password/set", &set).await;
    assert_eq!((again.status, again.fields()), (422, vec!["reset_password_token"]), "once");
}

#[tokio::test]
async fn csp_admin_invites_only_for_the_own_csp() {
    let world = World::start().await;
    let mut north = world.signed_in(NORTH_ADMIN).await;
    for (at, csp) in [json!("South"), json!("Nobody"), json!(null)].into_iter().enumerate() {
        for role in [Role::CspAdmin, Role::CspObserver, Role::CspTech] {
            let form =
                invitation(&format!("n{at}{}@example.com", role as u8), json!({ "csp": csp, "role": role.name() }));
            let answer = north.post(USERS, &form).await;
            assert_eq!(answer.status, 201, "{}", answer.body);
            let id = answer.body["id"].as_str().unwrap();
            assert_eq!(access(&mut north, id).await, role_and_csp(role, Some("North")), "{csp}");
        }
    }
}

#[tokio::test]
async fn csp_admin_cannot_grant_an_oem_role() {
    let world = World::start().await;
    let mut north = world.signed_in(NORTH_ADMIN).await;
    let [guest, _] = world.guests().await;
    for role in [Role::Admin, Role::Observer] {
        let changes = json!({ "role": role.name() });
        assert_eq!(north.post(USERS, &invitation(NEW, changes.clone())).await.status, 403, "{role:?}");
        assert_eq!(north.put(&page(&guest), &person(changes)).await.status, 403, "{role:?}");
    }
    let unknown = json!({ "role": "OEM::Owner" });
    assert_eq!(north.post(USERS, &invitation(NEW, unknown.clone())).await.fields(), ["role"]);
    assert_eq!(north.put(&page(&guest), &person(unknown)).await.fields(), ["role"]);
    assert_eq!(access(&mut north, &guest).await, role_and_csp(Role::CspTech, Some("North")));
    assert!(world.cloud.outbox().await.is_empty());
}

#[tokio::test]
async fn invalid_invitation_names_its_fields_and_creates_no_user() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let required = ["email", "password", "role", "csp", "firstname", "lastname", "city", "country"];
    for field in required {
        for nothing in [json!(null), json!("")] {
            let answer = admin.post(USERS, &invitation(NEW, json!({ field: nothing }))).await;
            assert_eq!((answer.status, &answer.body["errors"]), (422, &json!({ field: ["Required"] })), "{nothing}");
        }
    }
    let rows = [
        (json!({ "email": "jo" }), vec!["email"]),
        (json!({ "password": "short" }), vec!["password"]),
        (json!({ "csp": "Nobody" }), vec!["csp"]),
        (json!({ "company": "x".repeat(256), "phone": "a\0b" }), vec!["company", "phone"]),
    ];
    for (changes, expected) in rows {
        let answer = admin.post(USERS, &invitation(NEW, changes.clone())).await;
        assert_eq!((answer.status, answer.fields()), (422, expected), "{changes}");
    }
    assert_eq!(admin.post(USERS, &json!([])).await.status, 400);
    assert!(world.cloud.outbox().await.is_empty());
}

#[tokio::test]
async fn cloud_errors_for_email_and_password_are_returned_by_field() {
    let world = World::start().await;
    let mut north = world.signed_in(NORTH_ADMIN).await;
    // Addresses are unique, so this reveals an account even outside the scope of the CSP.
    for email in [NORTH_TECH, SOUTH_ADMIN, "TECH.north@example.com"] {
        let answer = north.post(USERS, &invitation(email, json!({}))).await;
        let errors = &answer.body["errors"];
        assert_eq!((answer.status, errors), (422, &json!({ "email": ["has already been taken"] })), "{email}");
    }
}

#[tokio::test]
async fn failed_invitation_is_reported() {
    let world = World::start().await;
    let mut north = world.signed_in(NORTH_ADMIN).await;
    for (fault, status) in [(Fault::InternalServerError, 502), (Fault::Drop, 502), (Fault::TooManyRequests, 429)] {
        world.cloud.faults().push(fault);
        let answer = north.post(USERS, &invitation(NEW, json!({}))).await;
        assert_eq!(answer.status, status, "{fault:?}: {}", answer.body);
        let entry = newest(&mut north, "").await;
        assert_eq!((&entry["operation"], &entry["result"]), (&json!("invite_user"), &json!("failed")));
        assert_eq!(entry["target"]["id"], "", "no user was created");
    }
    invited(&mut north, json!({})).await;
}

#[tokio::test]
async fn invitation_succeeds_if_only_the_read_after_it_fails() {
    let world = World::start().await;
    let mut north = world.signed_in(NORTH_ADMIN).await;
    for fault in [PASS, Fault::UnprocessableEntity] {
        world.cloud.faults().push(fault);
    }
    let id = invited(&mut north, json!({})).await;
    assert_eq!(world.cloud.faults().waiting(), 0);
    assert_eq!(north.get(&page(&id)).await.body["email"], NEW);
}

#[tokio::test]
async fn profile_is_saved_without_role_fields() {
    let world = World::start().await;
    let mut north = world.signed_in(NORTH_ADMIN).await;
    let [guest, _] = world.guests().await;
    let changes = json!({ "email": "other@example.com", "lastname": "Moss", "company": "", "businessRole": "Owner", "phone": "", "state": null });
    let answer = north.put(&page(&guest), &person(changes)).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let body = &answer.body;
    assert_eq!((&body["email"], &body["lastname"]), (&json!(NORTH_GUEST), &json!("Moss")), "the email is fixed");
    assert_eq!(
        (&body["company"], &body["businessRole"], &body["phone"], &body["state"]),
        (&json!(""), &json!("Owner"), &json!(""), &json!("")),
        "what is left empty is cleared"
    );
    let mut saved = answer.body.clone();
    assert_eq!(saved.as_object_mut().unwrap().remove("stale"), Some(json!(false)));
    assert_eq!(north.get(&page(&guest)).await.body, saved);
    for call in ["assign_role", "revoke_role", "assign_label", "revoke_label"] {
        assert_eq!(world.cloud.faults().carried_out(&format!("/api/v1/users/{call}")), 0, "{call}");
    }
}

#[tokio::test]
async fn unchanged_form_writes_nothing() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let [_, guest] = world.guests().await;
    let form = person(json!({ "csp": "South" }));
    assert_eq!(admin.put(&page(&guest), &form).await.status, 200);
    assert_eq!(admin.put(&page(&guest), &json!({ "firstname": 7 })).await.fields(), ["firstname"]);
    let before = newest(&mut admin, &guest).await;
    assert_eq!(admin.put(&page(&guest), &form).await.status, 200);
    assert_eq!(newest(&mut admin, &guest).await, before);
}

#[tokio::test]
async fn removed_user_is_not_found_and_signed_out() {
    let world = World::start().await;
    let mut north = world.signed_in(NORTH_ADMIN).await;
    let mut tech = world.signed_in(NORTH_TECH).await;
    let id = world.user_id(NORTH_TECH).await;
    add_app(&world, &mut tech).await;
    assert_eq!(tech.put("/api/account/preferences", &json!({ "timeFormat": "24hour" })).await.status, 200);
    let database = Db::connect(&world.database).await.unwrap();
    let sql = "select (select count(*) from second_factors where user_id = $1), \
               (select count(*) from recovery_codes where user_id = $1), (select count(*) from user_preferences where user_id = $1)";
    let stored = async || database.fetch_one::<(i64, i64, i64)>(sql, params![id.as_str()]).await.unwrap();
    assert_eq!(stored().await, (1, 10, 1));
    let answer = north.delete(&page(&id)).await;
    assert_eq!((answer.status, answer.body), (204, Value::Null));
    assert_eq!(stored().await, (0, 0, 0));
    assert_eq!(north.get(&page(&id)).await.status, 404);
    assert_eq!(north.delete(&page(&id)).await.status, 404, "twice");
    assert_eq!(tech.get("/api/devices").await.status, 401);
    assert_eq!(world.browser().sign_in(NORTH_TECH, PASSWORD).await.status, 401);
    let entry = newest(&mut north, &id).await;
    let saved = json!([
        { "field": "firstname", "before": "Tess", "after": null, "saved": true },
        { "field": "lastname", "before": "Tester", "after": null, "saved": true },
        { "field": "role", "before": Role::CspTech.name(), "after": null, "saved": true },
        { "field": "csp", "before": "North", "after": null, "saved": true },
    ]);
    assert_eq!((&entry["operation"], &entry["changes"]), (&json!("remove_user"), &saved));
}

#[tokio::test]
async fn failed_removal_keeps_the_user() {
    let world = World::start().await;
    let mut north = world.signed_in(NORTH_ADMIN).await;
    let mut tech = world.signed_in(NORTH_TECH).await;
    let id = world.user_id(NORTH_TECH).await;
    for fault in [PASS, Fault::UnprocessableEntity] {
        world.cloud.faults().push(fault);
    }
    assert_eq!(north.delete(&page(&id)).await.status, 502);
    assert_eq!(tech.get("/api/devices").await.status, 200);
    assert_eq!(newest(&mut north, &id).await["result"], "failed");
}

#[tokio::test]
async fn own_record_cannot_be_edited_or_removed() {
    let world = World::start().await;
    for email in [ADMIN, NORTH_ADMIN] {
        let mut browser = world.signed_in(email).await;
        let own = world.user_id(email).await;
        let form = person(json!({ "role": Role::CspTech.name() }));
        assert_eq!(browser.put(&page(&own), &form).await.status, 403, "{email}");
        assert_eq!(browser.delete(&page(&own)).await.status, 403, "{email}");
        assert_eq!(browser.get(&page(&own)).await.body["can"]["edit"], false, "{email}");
    }
}

#[tokio::test]
async fn people_of_another_csp_of_the_manufacturer_and_machines_are_not_found() {
    let world = World::start().await;
    let hidden = [SOUTH_ADMIN, OBSERVER, ADMIN, NO_ROLE, END_USER, "service@example.com"];
    let (mut north, mut admin) = (world.signed_in(NORTH_ADMIN).await, world.signed_in(ADMIN).await);
    for email in hidden {
        let path = page(&world.user_id(email).await);
        let reset = format!("{path}/password-reset");
        let statuses = [
            north.get(&path).await.status,
            north.put(&path, &person(json!({}))).await.status,
            north.delete(&path).await.status,
            north.post(&reset, &Value::Null).await.status,
        ];
        assert_eq!(statuses, [404; 4], "{email}");
    }
    let machine = page(&world.user_id("service@example.com").await);
    assert_eq!(admin.put(&machine, &person(json!({}))).await.status, 404);
    assert_eq!(admin.delete(&machine).await.status, 404);
    for id in ["x", "1", "00000000-0000-4000-8000-000000000000"] {
        assert_eq!(admin.delete(&page(id)).await.status, 404, "{id}");
    }
}

#[tokio::test]
async fn oem_admin_sends_password_reset_mails() {
    let world = World::start().await;
    let [guest, _] = world.guests().await;
    let reset = format!("{}/password-reset", page(&guest));
    for email in [OBSERVER, NORTH_ADMIN, NORTH_OBSERVER] {
        assert_eq!(world.signed_in(email).await.post(&reset, &Value::Null).await.status, 403, "{email}");
    }
    assert!(world.cloud.outbox().await.is_empty());
    let mut admin = world.signed_in(ADMIN).await;
    let answer = admin.post(&reset, &Value::Null).await;
    assert_eq!(answer.status, 204, "{}", answer.body);
    let mail = world.cloud.outbox().await.pop().unwrap();
    assert_eq!((mail.kind.as_str(), mail.recipient.as_str()), ("password_reset", NORTH_GUEST));
    for fault in [PASS, Fault::UnprocessableEntity] {
        world.cloud.faults().push(fault);
    }
    assert_eq!(admin.post(&reset, &Value::Null).await.status, 502);
    assert_eq!(newest(&mut admin, &guest).await["result"], "failed");
}

#[tokio::test]
async fn password_reset_mails_to_one_person_are_limited() {
    let world = World::start_with(|config| config.rate_limits = console::RateLimits::default()).await;
    let mut admin = world.signed_in(ADMIN).await;
    let [guest, _] = world.guests().await;
    let reset = format!("{}/password-reset", page(&guest));
    let mut last = admin.post(&reset, &Value::Null).await;
    for _ in 0..50 {
        if last.status != 204 {
            break;
        }
        last = admin.post(&reset, &Value::Null).await;
    }
    assert_eq!(last.status, 429);
    let wait: i64 = last.headers["retry-after"].to_str().unwrap().parse().unwrap();
    world.pass_seconds(wait);
    assert_eq!(admin.post(&reset, &Value::Null).await.status, 204);
}

#[tokio::test]
async fn audit_of_people_omits_password_and_email() {
    let world = World::start().await;
    let mut north = world.signed_in(NORTH_ADMIN).await;
    let id = invited(&mut north, json!({ "phone": "+47 1" })).await;
    let entry = newest(&mut north, &id).await;
    assert_eq!(entry["target"], json!({ "kind": "user", "id": id, "csp": "North" }));
    let change = |field: &str, after: &str| json!({ "field": field, "before": null, "after": after, "saved": true });
    let expected = json!([
        change("firstname", "Tess"),
        change("lastname", "Tester"),
        change("phone", "+47 1"),
        change("city", "Oslo"),
        change("country", "Norway"),
        change("role", Role::CspTech.name()),
        change("csp", "North"),
    ]);
    assert_eq!((&entry["operation"], &entry["changes"]), (&json!("invite_user"), &expected));

    let form = person(json!({ "lastname": "Moss", "phone": "", "role": Role::CspObserver.name() }));
    assert_eq!(north.put(&page(&id), &form).await.status, 200);
    let expected = json!([
        { "field": "lastname", "before": "Tester", "after": "Moss", "saved": true },
        { "field": "phone", "before": "+47 1", "after": null, "saved": true },
        { "field": "role", "before": Role::CspTech.name(), "after": Role::CspObserver.name(), "saved": true },
    ]);
    assert_eq!(newest(&mut north, &id).await["changes"], expected);
    let all = north.get("/api/audit?limit=100").await.body.to_string();
    assert!(!all.contains(PASSWORD) && !all.contains(NEW), "{all}");
}

#[tokio::test]
async fn omitted_user_fields_are_not_changed() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let id = invited(&mut admin, json!({ "company": "Aurora", "businessRole": "Owner", "phone": "+47 1" })).await;
    let mut expected = admin.get(&page(&id)).await.body;
    expected["stale"] = json!(false);
    let edits = [
        json!({ "lastname": "Miller" }),
        json!({ "businessRole": "Porter" }),
        json!({ "phone": "" }),
        json!({ "csp": "South" }),
        json!({}),
    ];
    for edit in edits {
        let answer = admin.put(&page(&id), &edit).await;
        expected.as_object_mut().unwrap().extend(edit.as_object().unwrap().clone());
        assert_eq!((answer.status, &answer.body), (200, &expected), "{edit}");
    }
    let observer = json!({ "role": Role::Observer.name() });
    assert_eq!(admin.put(&page(&id), &observer).await.status, 200);
    assert_eq!(access(&mut admin, &id).await, role_and_csp(Role::Observer, None));
    let answer = admin.put(&page(&id), &json!({ "csp": "South" })).await;
    assert_eq!((answer.status, &answer.body["errors"]), (422, &json!({ "csp": ["This role has no CSP"] })));
}
