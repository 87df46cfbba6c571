//! Users: the list, the refresh of one user, and confirmation mails.

use cloud::operator::NewUser;
use cloud::testing::TestMessage;
use console::Rate;
use devicecloud::{Label, UserChanges};
use diffuser::Role;
use platform::db::{Db, params};
use platform::testing::TestDb;
use serde_json::{Value, json};

use crate::access_tokens;
use crate::browser::{Answer, Browser};
use crate::second_factor::{add_app, enter, pending};
use crate::world::*;

on_both_databases![account_state_is_shown_and_filtered, disabled_person_loses_all_access_until_enabled];

async fn refresh(browser: &mut Browser, id: &str) -> Answer {
    browser.post(&format!("/api/users/{id}"), &Value::Null).await
}

/// The last name in the index.
async fn indexed(world: &World, id: &str) -> Option<String> {
    let database = Db::connect(&world.database).await.unwrap();
    let sql = "select lastname from idx_users where id = $1";
    database.fetch_optional::<(String,)>(sql, params![id]).await.unwrap().map(|(name,)| name)
}

/// The addresses in a list, in its order.
async fn emails(browser: &mut Browser, query: &str) -> Vec<String> {
    let answer = browser.get(&format!("/api/users?pageSize=50&order=asc&orderBy=email{query}")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let users = answer.body["users"].as_array().unwrap();
    users.iter().map(|user| user["email"].as_str().unwrap().to_owned()).collect()
}

const NORTH_PEOPLE: [&str; 4] = [NORTH_ADMIN, NORTH_GUEST, NORTH_OBSERVER, NORTH_TECH];

#[tokio::test]
async fn each_role_sees_the_users_of_its_scope_and_no_machine_account() {
    let world = World::start().await;
    let everybody = [
        NORTH_ADMIN,
        SOUTH_ADMIN,
        ADMIN,
        NORTH_GUEST,
        SOUTH_GUEST,
        NO_ROLE,
        NORTH_OBSERVER,
        OBSERVER,
        NORTH_TECH,
        END_USER,
    ];
    for email in [ADMIN, OBSERVER] {
        let mut browser = world.signed_in(email).await;
        assert_eq!(emails(&mut browser, "").await, everybody, "{email}");
        assert_eq!(emails(&mut browser, "&csp=North").await, NORTH_PEOPLE, "{email}");
        assert_eq!(emails(&mut browser, "&email=guest").await, [NORTH_GUEST, SOUTH_GUEST], "{email}");
        assert_eq!(emails(&mut browser, "&confirmed=false&csp=South").await, [SOUTH_GUEST], "{email}");
        assert_eq!(emails(&mut browser, "&role=OEM::Observer").await, [OBSERVER], "{email}");
    }
    for email in [NORTH_ADMIN, NORTH_OBSERVER] {
        let mut browser = world.signed_in(email).await;
        for query in ["", "&csp=South", "&csp=North"] {
            assert_eq!(emails(&mut browser, query).await, NORTH_PEOPLE, "{email} {query}");
        }
    }
    for email in [NORTH_TECH, NO_ROLE, END_USER] {
        assert_eq!(world.signed_in(email).await.get("/api/users").await.status, 403, "{email}");
    }
}

#[tokio::test]
async fn page_of_users_has_rows_number_and_age() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    let list = browser.get("/api/users").await.body;
    assert_eq!(
        (&list["total"], &list["currentPageNumber"], &list["asOf"]),
        (&json!(10), &json!(1), &json!("2026-11-20T10:00:00Z"))
    );
    let id = world.user_id(NORTH_GUEST).await;
    let guest = list["users"].as_array().unwrap().iter().find(|user| user["id"] == *id).unwrap();
    assert_eq!(*guest, refresh(&mut browser, &id).await.body);
    let last = browser.get("/api/users?page=99&pageSize=5").await.body;
    assert_eq!((&last["currentPageNumber"], last["users"].as_array().unwrap().len()), (&json!(2), 5));
    let refused = browser.get("/api/users?orderBy=password&pageSize=7&email=a&email=b").await;
    assert_eq!((refused.status, refused.fields()), (422, vec!["email", "orderBy", "pageSize"]));
    assert!(emails(&mut browser, "&role=Root").await.is_empty(), "an unknown role has no users");
}

#[tokio::test]
async fn role_filter_offers_the_roles_in_the_scope() {
    let world = World::start().await;
    let csp_roles = ["CSP Admin", "CSP Observer", "CSP Technician"];
    let rows = [
        (ADMIN, [&["Admin", "Observer"], &csp_roles[..]].concat()),
        (OBSERVER, [&["Admin", "Observer"], &csp_roles[..]].concat()),
        (NORTH_OBSERVER, csp_roles.to_vec()),
    ];
    for (email, expected) in rows {
        let list = world.signed_in(email).await.get("/api/users").await.body;
        let names: Vec<&str> =
            list["roles"].as_array().unwrap().iter().map(|role| role["roleName"].as_str().unwrap()).collect();
        assert_eq!(names, expected, "{email}");
    }
}

#[tokio::test]
async fn pass_on_any_node_follows_the_cloud() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    let (cloud, other) = (world.cloud_as(ADMIN).await, world.another_console(|_| {}).await);
    let (changed, gone) = (world.user_id(NORTH_TECH).await, world.user_id(SOUTH_GUEST).await);
    cloud.admin().update_user(&*changed, &UserChanges::new().lastname("Moss")).await.unwrap();
    cloud.admin().delete_user(&*gone).await.unwrap();
    cloud.roles().revoke_role(NORTH_OBSERVER, "OEM::ProlitecCommercial::CspObserver").await.unwrap();
    other.resync().await;
    assert_eq!(emails(&mut browser, "&lastname=moss").await, [NORTH_TECH]);
    assert!(!emails(&mut browser, "").await.contains(&SOUTH_GUEST.to_owned()));
    let observer = browser.get(&format!("/api/users?email={NORTH_OBSERVER}")).await.body["users"][0].clone();
    assert_eq!((&observer["role"], &observer["csp"]), (&Value::Null, &Value::Null));
}

#[tokio::test]
async fn user_left_without_a_role_stays_in_the_list_of_the_csp() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_ADMIN).await;
    let (cloud, role) = (world.cloud_as(NORTH_ADMIN).await, "OEM::ProlitecCommercial::CspTech");
    cloud.roles().revoke_label(NORTH_TECH, role, Label::new("partner_id", "North")).await.unwrap();
    cloud.roles().revoke_role(NORTH_TECH, role).await.unwrap();
    world.console.resync().await;
    assert_eq!(emails(&mut browser, "").await, NORTH_PEOPLE);
    let person = browser.get(&format!("/api/users?email={NORTH_TECH}")).await.body["users"][0].clone();
    assert_eq!((&person["role"], &person["csp"]), (&Value::Null, &json!("North")));
    assert_eq!(person["can"]["edit"], true, "an administrator can grant a role again");
    assert!(!emails(&mut world.signed_in(SOUTH_ADMIN).await, "").await.contains(&NORTH_TECH.to_owned()));
}

#[tokio::test]
async fn service_account_is_not_listed() {
    let world = World::start_with(|config| config.service_email = ADMIN.to_uppercase()).await;
    let mut browser = world.signed_in(OBSERVER).await;
    assert!(!emails(&mut browser, "").await.contains(&ADMIN.to_owned()));
    let id = world.user_id(ADMIN).await;
    assert_eq!(refresh(&mut browser, &id).await.status, 404);
}

#[tokio::test]
async fn unfilled_list_has_no_as_of() {
    let world = World::start().await;
    let database = Db::connect(&world.database).await.unwrap();
    let mut browser = world.signed_in(ADMIN).await;
    let hold = "insert into leases (name, holder, until) values ('index', 'test', $1) on conflict do nothing";
    loop {
        console::reindex(&world.database).await.unwrap();
        if database.execute(hold, params![i64::MAX]).await.unwrap() > 0 {
            break;
        }
    }
    let list = browser.get("/api/users").await.body;
    assert_eq!((&list["asOf"], &list["total"]), (&Value::Null, &json!(0)));
}

async fn resend(browser: &mut Browser, id: &str) -> Answer {
    browser.post(&format!("/api/users/{id}/confirmation"), &Value::Null).await
}

/// The confirmation mails to this address.
async fn confirmations(world: &World, email: &str) -> Vec<TestMessage> {
    let mut confirmations = world.cloud.outbox().await;
    confirmations.retain(|mail| mail.recipient == email && mail.kind == "confirmation");
    confirmations
}

#[tokio::test]
async fn unconfirmed_user_gets_another_mail_that_confirms() {
    let world = World::start().await;
    let id = world.user_id(NORTH_GUEST).await;
    for (email, mails) in [(ADMIN, 1), (NORTH_ADMIN, 2)] {
        assert_eq!(resend(&mut world.signed_in(email).await, &id).await.status, 204, "{email}");
        assert_eq!(confirmations(&world, NORTH_GUEST).await.len(), mails, "{email}");
    }
    let token = confirmations(&world, NORTH_GUEST).await[1].token().to_owned();
    world.cloud_as(ADMIN).await.users().confirm(&token.into()).await.unwrap();

    let mut browser = world.signed_in(NORTH_ADMIN).await;
    assert_eq!(emails(&mut browser, "&confirmed=false").await, [NORTH_GUEST], "the index is not updated yet");
    let late = resend(&mut browser, &id).await;
    assert_eq!((late.status, &late.body["detail"]), (409, &json!("User already confirmed")));
    assert!(emails(&mut browser, "&confirmed=false").await.is_empty(), "the list is updated");
    assert_eq!(confirmations(&world, NORTH_GUEST).await.len(), 2);
}

#[tokio::test]
async fn resending_the_confirmation_requires_the_right_to_edit_the_user() {
    let world = World::start().await;
    let (north, south) = (world.user_id(NORTH_GUEST).await, world.user_id(SOUTH_GUEST).await);
    let rows = [
        (OBSERVER, &north, 403),
        (NORTH_OBSERVER, &north, 403),
        (NORTH_OBSERVER, &south, 404),
        (NORTH_ADMIN, &south, 404),
        (NORTH_TECH, &north, 404),
        (NO_ROLE, &north, 404),
    ];
    for (email, id, status) in rows {
        assert_eq!(resend(&mut world.signed_in(email).await, id).await.status, status, "{email}");
    }
    let own = world.user_id(ADMIN).await;
    assert_eq!(resend(&mut world.signed_in(ADMIN).await, &own).await.status, 403, "own account");
    assert!(world.cloud.outbox().await.is_empty());
}

#[tokio::test]
async fn mails_to_one_person_are_limited() {
    let world = World::start_with(|config| config.rate_limits.mails.per_account = Rate::per_hour(2)).await;
    let (north, south) = (world.user_id(NORTH_GUEST).await, world.user_id(SOUTH_GUEST).await);
    let mut browser = world.signed_in(ADMIN).await;
    for _ in 0..2 {
        assert_eq!(resend(&mut browser, &north).await.status, 204);
    }
    let refused = resend(&mut browser, &north).await;
    assert_eq!(refused.status, 429);
    let seconds: u64 = refused.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=1801).contains(&seconds), "{seconds}");
    assert_eq!(resend(&mut browser, &south).await.status, 204, "the limit is per person");
    assert_eq!(
        (confirmations(&world, NORTH_GUEST).await.len(), confirmations(&world, SOUTH_GUEST).await.len()),
        (2, 1)
    );
}

#[tokio::test]
async fn user_page_has_every_field() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_ADMIN).await;
    let id = world.user_id(NORTH_GUEST).await;
    let expected = json!({
        "id": id, "email": NORTH_GUEST, "firstname": "Tess", "lastname": "Tester", "company": "Aurora",
        "businessRole": "Night porter", "phone": "+47 1234", "city": "Oslo", "state": "Viken", "country": "Norway",
        "confirmed": false, "role": "OEM::ProlitecCommercial::CspTech", "roleName": "CSP Technician", "csp": "North",
        "lastSignInAt": null, "twoStep": false, "disabled": false,
        "can": { "edit": true, "resend": true, "resetPassword": false, "resetSecondFactor": false },
    });
    let answer = refresh(&mut browser, &id).await;
    assert_eq!((answer.status, answer.body), (200, expected));
}

#[tokio::test]
async fn each_role_gets_its_actions_on_a_user() {
    let world = World::start().await;
    let (guest, confirmed) = (world.user_id(NORTH_GUEST).await, world.user_id(NORTH_TECH).await);
    let rows = [
        (ADMIN, &guest, [true, true, true]),
        (ADMIN, &confirmed, [true, false, true]),
        (OBSERVER, &guest, [false; 3]),
        (NORTH_ADMIN, &confirmed, [true, false, false]),
        (NORTH_OBSERVER, &guest, [false; 3]),
    ];
    for (email, id, [edit, resend, reset_password]) in rows {
        let answer = refresh(&mut world.signed_in(email).await, id).await;
        let can = json!({ "edit": edit, "resend": resend, "resetPassword": reset_password,
                          // Nobody has a second factor.
                          "resetSecondFactor": false });
        assert_eq!((answer.status, &answer.body["can"]), (200, &can), "{email}");
    }
    for email in [ADMIN, NORTH_ADMIN] {
        let own = world.user_id(email).await;
        let answer = refresh(&mut world.signed_in(email).await, &own).await;
        assert_eq!((answer.status, &answer.body["can"]["edit"]), (200, &json!(false)), "{email}");
    }
}

#[tokio::test]
async fn missing_or_foreign_user_is_not_found() {
    let world = World::start().await;
    let (south, oem) = (world.user_id(SOUTH_GUEST).await, world.user_id(OBSERVER).await);
    let service = world.user_id("service@example.com").await;
    let nobody = "00000000-0000-4000-8000-000000000000";
    let mut admin = world.signed_in(ADMIN).await;
    for id in [nobody, &service, "1", "x", "%2e%2e"] {
        assert_eq!(refresh(&mut admin, id).await.status, 404, "{id}");
    }
    let mut north = world.signed_in(NORTH_ADMIN).await;
    for id in [&south, &oem, nobody] {
        assert_eq!(refresh(&mut north, id).await.status, 404, "{id}");
    }
    let own = world.user_id(END_USER).await;
    assert_eq!(refresh(&mut world.signed_in(END_USER).await, &own).await.status, 404, "not even oneself");
}

#[tokio::test]
async fn refreshed_user_is_indexed_and_a_removed_one_is_dropped() {
    let world = World::start().await;
    let (mut admin, cloud) = (world.signed_in(ADMIN).await, world.cloud_as(ADMIN).await);
    let id = world.user_id(SOUTH_GUEST).await;
    cloud.admin().update_user(&*id, &UserChanges::new().lastname("Moss")).await.unwrap();
    assert_eq!(refresh(&mut admin, &id).await.body["lastname"], "Moss");
    assert_eq!(indexed(&world, &id).await.as_deref(), Some("Moss"));

    let mut north = world.signed_in(NORTH_ADMIN).await;
    assert_eq!(refresh(&mut north, &id).await.status, 404);
    assert_eq!(
        indexed(&world, &id).await.as_deref(),
        Some("Moss"),
        "a user outside the scope is not removed from the index"
    );

    cloud.admin().delete_user(&*id).await.unwrap();
    assert_eq!(refresh(&mut admin, &id).await.status, 404);
    assert_eq!(indexed(&world, &id).await, None);
}

const SECOND_ADMIN: &str = "admin.two@example.com";

/// The person as `browser` finds them in the list, which is also what the page shows.
async fn shown(browser: &mut Browser, id: &str) -> Value {
    let person = browser.get(&format!("/api/users/{id}")).await.body;
    let list = browser.get("/api/users?pageSize=50").await.body;
    assert!(list["users"].as_array().unwrap().contains(&person), "{person}\n{list}");
    person
}

async fn account_state_is_shown_and_filtered(database: TestDb) {
    let world = World::start_on(&database).await;
    let (mut north, id) = (world.signed_in(NORTH_ADMIN).await, world.user_id(NORTH_TECH).await);
    let parts = |person: &Value| {
        let can_reset = person["can"]["resetSecondFactor"].clone();
        [person["lastSignInAt"].clone(), person["twoStep"].clone(), can_reset, person["disabled"].clone()]
    };
    let no = json!(false);
    assert_eq!(parts(&shown(&mut north, &id).await), [Value::Null, no.clone(), no.clone(), no.clone()]);
    let mut tech = world.signed_in(NORTH_TECH).await;
    world.pass_seconds(61);
    assert_eq!(tech.get("/api/devices").await.status, 200);
    let signed_in = json!("2026-11-20T10:00:00Z");
    assert_eq!(parts(&shown(&mut north, &id).await), [signed_in.clone(), no.clone(), no.clone(), no.clone()]);

    let (app, _) = add_app(&world, &mut tech).await;
    assert_eq!(parts(&shown(&mut north, &id).await), [signed_in.clone(), json!(true), json!(true), no.clone()]);
    let observed = shown(&mut world.signed_in(NORTH_OBSERVER).await, &id).await;
    assert_eq!(parts(&observed), [signed_in.clone(), json!(true), no.clone(), no], "an observer resets nothing");
    assert_eq!(emails(&mut north, "&twostep=true").await, [NORTH_TECH]);
    assert_eq!(emails(&mut north, "&twostep=false").await, [NORTH_ADMIN, NORTH_GUEST, NORTH_OBSERVER]);
    let report = north.get("/api/users/report?type=json&twostep=true").await.body;
    assert_eq!(report["items"][0]["lastSignInAt"], signed_in, "{report}");

    let mut second = pending(&world, NORTH_TECH).await;
    assert_eq!(shown(&mut north, &id).await["lastSignInAt"], signed_in, "the password alone opens no session");
    assert_eq!(enter(&mut second, &app.code(&world, 0)).await.status, 200);
    assert_eq!(shown(&mut north, &id).await["lastSignInAt"], json!("2026-11-20T10:01:31Z"));
}

#[expect(clippy::too_many_lines, reason = "one story")]
async fn disabled_person_loses_all_access_until_enabled(database: TestDb) {
    let world = World::start_on(&database).await;
    let other = world.another_console(|_| {}).await;
    let (mut admin, mut north) = (world.signed_in(ADMIN).await, world.signed_in(NORTH_ADMIN).await);
    let id = world.user_id(NORTH_TECH).await;
    let path = format!("/api/users/{id}/disabled");
    let mut tech = world.signed_in(NORTH_TECH).await;
    let program = access_tokens::create(&world, &mut tech, &["devices_read"]).await;
    let (app, _) = add_app(&world, &mut tech).await;
    let mut begun = pending(&world, NORTH_TECH).await;
    let mut elsewhere = tech.at(other.addr());
    assert_eq!((elsewhere.get("/api/devices").await.status, program.get("/api/devices").await.status), (200, 200));
    let assignees = "/api/attention/assignees?csp=North";
    assert!(north.get(assignees).await.body.to_string().contains(&id));

    for _ in 0..2 {
        assert_eq!(north.put(&path, &Value::Null).await.status, 204);
    }
    let statuses = [elsewhere.get("/api/devices").await.status, tech.get("/api/devices").await.status];
    assert_eq!((statuses, program.get("/api/devices").await.status), ([401, 401], 401));
    let code = enter(&mut begun, &app.code(&world, 0)).await;
    assert_eq!((code.status, code.code()), (401, "sign_in_ended"));
    let refused = world.browser().sign_in(NORTH_TECH, PASSWORD).await;
    assert_eq!((refused.status, refused.code()), (401, "account_disabled"), "{}", refused.body);
    assert_eq!(refused.body["detail"], "Incorrect email or password");
    assert_eq!(world.browser().sign_in(NORTH_TECH, "Wrong-Horse-1").await.code(), "sign_in_failed");
    assert_eq!(shown(&mut north, &id).await["disabled"], true);
    assert!(!north.get(assignees).await.body.to_string().contains(&id), "nothing is assigned to a disabled person");

    for _ in 0..2 {
        assert_eq!(admin.delete(&path).await.status, 204);
    }
    assert_eq!(shown(&mut north, &id).await["disabled"], false);
    enter(&mut pending(&world, NORTH_TECH).await, &app.code(&world, 0)).await;
    assert_eq!((tech.get("/api/devices").await.status, program.get("/api/devices").await.status), (401, 401));
    let entries = admin.get(&format!("/api/audit?target={id}")).await.body["entries"].as_array().unwrap().clone();
    let entries = entries.iter().filter(|entry| entry["operation"] != "create_account_token");
    let entries: Vec<_> = entries.map(|entry| (entry["operation"].as_str().unwrap(), entry["code"].as_str())).collect();
    for (entry, times) in [
        (("disable_user", None), 1),
        (("enable_user", None), 1),
        (("create_session", Some("account_disabled")), 1),
        (("create_session", Some("sign_in_failed")), 1),
    ] {
        assert_eq!(entries.iter().filter(|it| **it == entry).count(), times, "{entry:?} {entries:?}");
    }

    // Of two administrators who disable each other, one stays.
    let second = NewUser {
        email: SECOND_ADMIN.to_owned(),
        password: PASSWORD.into(),
        role: Some(Role::Admin.name().to_owned()),
        confirmed: true,
        ..NewUser::default()
    };
    world.cloud.operator().ensure_user(&world.oem, &second).await.unwrap();
    let (mut first, mut second) = (admin, world.signed_in(SECOND_ADMIN).await);
    let [one, two] = [world.user_id(ADMIN).await, world.user_id(SECOND_ADMIN).await];
    let (one, two) = (format!("/api/users/{one}/disabled"), format!("/api/users/{two}/disabled"));
    let (null, nobody) = (Value::Null, Value::Null);
    let both = tokio::join!(first.put(&two, &null), second.put(&one, &nobody));
    let mut statuses = [both.0.status, both.1.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 401]);
}
