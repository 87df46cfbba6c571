//! Changing the role or CSP of a user, also when a step fails.

use std::time::Duration;

use cloud::testing::Fault;
use diffuser::Role;
use serde_json::{Value, json};

use crate::authorisation::person;
use crate::user_form::{access, newest, page, role_and_csp};
use crate::world::*;

/// Lets one request to the cloud through.
const PASS: Fault = Fault::Delay(Duration::ZERO);

/// The form of [`NORTH_GUEST`] with its current values and these changes.
fn guest_with(changes: &Value) -> Value {
    let mut form = person(json!({
        "company": "Aurora", "businessRole": "Night porter", "phone": "+47 1234", "state": "Viken",
    }));
    form.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    form
}

#[tokio::test]
async fn administrator_grants_every_role_and_moves_users_between_csps() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let [guest, _] = world.guests().await;
    let rows = [
        (Role::CspTech, "South", Some("South")),
        (Role::CspAdmin, "South", Some("South")),
        (Role::Observer, "South", None),
        (Role::Admin, "Nobody", None),
        (Role::CspObserver, "North", Some("North")),
    ];
    for (role, csp, expected) in rows {
        let answer = admin.put(&page(&guest), &person(json!({ "role": role.name(), "csp": csp }))).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!(access(&mut admin, &guest).await, role_and_csp(role, expected));
        let held = world.cloud_as(ADMIN).await.roles().role_users(NORTH_GUEST).await.unwrap();
        let held: Vec<_> = held.iter().map(|it| (&*it.role, it.label.as_ref().map(|it| &*it.value))).collect();
        assert_eq!(held, [(role.name(), expected)], "one role, and the label only of a CSP's");
    }
}

#[tokio::test]
async fn additional_roles_are_removed_by_a_change_of_role() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let [guest, _] = world.guests().await;
    let cloud = world.cloud_as(ADMIN).await;
    for extra in [Role::Observer, Role::CspObserver] {
        cloud.roles().assign_role(NORTH_GUEST, extra.name()).await.unwrap();
    }
    assert_eq!(access(&mut admin, &guest).await, role_and_csp(Role::Observer, None));
    let answer = admin.put(&page(&guest), &person(json!({ "role": Role::CspAdmin.name() }))).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let held = cloud.roles().role_users(NORTH_GUEST).await.unwrap();
    assert_eq!(held.iter().map(|it| &*it.role).collect::<Vec<_>>(), [Role::CspAdmin.name()]);
    let fields: Vec<Value> = newest(&mut admin, &guest).await["changes"].as_array().unwrap().clone();
    assert!(
        fields.contains(&json!({
            "field": "otherRoles", "after": null, "saved": true,
            "before": format!("{}, {}", Role::CspObserver.name(), Role::CspTech.name()),
        })),
        "{fields:?}"
    );
}

/// Requests with the token of the actor: read the person, read the roles, then remove label and role, add role and label.
#[tokio::test]
async fn role_change_failed_at_any_step_leaves_fewer_rights_and_can_be_repeated() {
    for email in [ADMIN, NORTH_ADMIN] {
        for step in 0..4 {
            let world = World::start().await;
            let mut browser = world.signed_in(email).await;
            let [guest, _] = world.guests().await;
            // Nothing is read before, so every request belongs to the save.
            (0..2 + step).for_each(|_| world.cloud.faults().push(PASS));
            world.cloud.faults().push(Fault::UnprocessableEntity);
            let form = guest_with(&json!({ "role": Role::CspAdmin.name() }));
            let answer = browser.put(&page(&guest), &form).await;
            assert_eq!(world.cloud.faults().waiting(), 0);
            assert_eq!((answer.status, answer.fields()), (502, vec!["role"]), "step {step}: {}", answer.body);

            let (mut witness, cloud) = (world.signed_in(ADMIN).await, world.cloud_as(ADMIN).await);
            let held = cloud.roles().role_users(NORTH_GUEST).await.unwrap();
            let opens: Vec<_> = held.iter().filter(|it| it.label.is_some()).map(|it| &*it.role).collect();
            // An administrator of a CSP grants the label together with the role.
            let labels_at_once = email == NORTH_ADMIN;
            let expected = match step {
                0 => vec![Role::CspTech.name()],
                3 if labels_at_once => vec![Role::CspAdmin.name()],
                _ => vec![],
            };
            assert_eq!(opens, expected, "{email} step {step}");
            let entry = newest(&mut witness, &guest).await;
            assert_eq!((&entry["result"], &entry["changes"][0]["saved"]), (&json!("failed"), &json!(false)));

            assert_eq!(browser.get(&page(&guest)).await.status, 200, "the administrator can continue");
            let answer = browser.put(&page(&guest), &form).await;
            assert_eq!(answer.status, 200, "{email} step {step}: {}", answer.body);
            assert_eq!(access(&mut browser, &guest).await, role_and_csp(Role::CspAdmin, Some("North")));
            assert_eq!(cloud.roles().role_users(NORTH_GUEST).await.unwrap().len(), 1);
        }
    }
}

#[tokio::test]
async fn failed_role_change_reports_the_saved_profile() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let [guest, _] = world.guests().await;
    for fault in [PASS, PASS, PASS, Fault::UnprocessableEntity] {
        world.cloud.faults().push(fault);
    }
    let answer = admin.put(&page(&guest), &person(json!({ "lastname": "Moss", "role": Role::CspAdmin.name() }))).await;
    let detail = "Role was not saved: An injected fault. Already saved: Personal information.";
    assert_eq!((answer.status, &answer.body["detail"]), (502, &json!(detail)));
    let body = admin.get(&page(&guest)).await.body;
    assert_eq!((&body["lastname"], &body["role"]), (&json!("Moss"), &json!(Role::CspTech.name())));
}

#[tokio::test]
async fn role_change_ignores_a_role_removed_concurrently() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let [guest, _] = world.guests().await;
    // The cloud removes the role, but its response is lost, so the console repeats the request.
    for fault in [PASS, PASS, Fault::DropAnswer] {
        world.cloud.faults().push(fault);
    }
    let answer = admin.put(&page(&guest), &person(json!({ "role": Role::CspObserver.name() }))).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(access(&mut admin, &guest).await, role_and_csp(Role::CspObserver, Some("North")));
}

#[tokio::test]
async fn changed_role_applies_at_once_to_open_sessions() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let mut tech = world.signed_in(NORTH_TECH).await;
    let id = world.user_id(NORTH_TECH).await;
    assert_eq!(tech.dsns("").await, [NORTH, NORTH_AQ290]);
    let answer = admin.put(&page(&id), &person(json!({ "role": Role::CspTech.name(), "csp": "South" }))).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(tech.dsns("").await, [SOUTH]);
    assert_eq!(tech.get("/api/session").await.body["csp"], "South");
    let answer = admin.put(&page(&id), &person(json!({ "role": Role::CspObserver.name(), "csp": "South" }))).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(!tech.get("/api/session").await.body["can"].as_array().unwrap().contains(&json!("devices.add")));
}

#[tokio::test]
async fn access_lost_in_an_interrupted_role_change_ends_at_once() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let mut tech = world.signed_in(NORTH_TECH).await;
    let id = world.user_id(NORTH_TECH).await;
    assert_eq!(tech.dsns("").await.len(), 2);
    for fault in [PASS, PASS, PASS, PASS, Fault::UnprocessableEntity] {
        world.cloud.faults().push(fault);
    }
    let form = person(json!({ "role": Role::CspAdmin.name(), "lastname": "Tester" }));
    let answer = admin.put(&page(&id), &form).await;
    assert_eq!(answer.status, 502, "{}", answer.body);
    assert!(tech.dsns("").await.is_empty());
}
