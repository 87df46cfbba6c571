//! Effects of the operator's commands on users and applications, as clients see them.

use cloud::RoleKind;
use cloud::operator::{OperatorError, Role};
use cloud::testing::{APP_ID, APP_SECRET, PASSWORD, World};
use jiff::SignedDuration;
use reqwest::Method;
use serde_json::json;

use crate::client::Fixture;

const DEALER: &str = "OEM::Company::Dealer";

async fn sign_in(fixture: &Fixture, password: &str, secret: &str) -> u16 {
    let application = json!({ "app_id": APP_ID, "app_secret": secret });
    let body = json!({ "user": { "email": World::OBSERVER, "password": password, "application": application } });
    fixture.call(Method::POST, "/users/sign_in", None, Some(body)).await.status
}

#[tokio::test]
async fn locked_user_is_signed_out_until_unlocked_despite_wrong_passwords() {
    let fixture = Fixture::start().await;
    let (operator, oem) = (fixture.cloud.operator(), &fixture.world.oem);
    let token = fixture.token(World::OBSERVER).await;
    operator.lock_user(oem, &World::OBSERVER.to_uppercase()).await.unwrap();
    assert_eq!(fixture.get(&token, "/users/get_user_profile").await.status, 401);
    for _ in 0..5 {
        assert_eq!(sign_in(&fixture, "wrong", APP_SECRET).await, 401);
    }
    fixture.cloud.clock().advance(SignedDuration::from_hours(24 * 365));
    assert_eq!(sign_in(&fixture, PASSWORD, APP_SECRET).await, 401);
    let locked = |users: Vec<cloud::operator::UserSummary>| -> Vec<String> {
        users.into_iter().filter(|user| user.locked).map(|user| user.email).collect()
    };
    assert_eq!(locked(operator.users(oem).await.unwrap()), [World::OBSERVER]);
    operator.unlock_user(oem, World::OBSERVER).await.unwrap();
    assert_eq!(sign_in(&fixture, PASSWORD, APP_SECRET).await, 200);
    assert!(locked(operator.users(oem).await.unwrap()).is_empty());
}

#[tokio::test]
async fn new_password_ends_the_sessions_of_the_old_one() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::OBSERVER).await;
    fixture.cloud.operator().set_password(&fixture.world.oem, World::OBSERVER, "Another-1".into()).await.unwrap();
    assert_eq!(fixture.get(&token, "/users/get_user_profile").await.status, 401);
    assert_eq!(sign_in(&fixture, PASSWORD, APP_SECRET).await, 401);
    assert_eq!(sign_in(&fixture, "Another-1", APP_SECRET).await, 200);
}

#[tokio::test]
async fn rotated_secret_replaces_the_previous_one_now_or_after_an_overlap() {
    let fixture = Fixture::start().await;
    let (operator, oem) = (fixture.cloud.operator(), &fixture.world.oem);
    let rotate = async |secret: &str, hours| {
        let overlap = SignedDuration::from_hours(hours);
        operator.rotate_application_secret(oem, APP_ID, &secret.into(), overlap).await.unwrap();
    };
    rotate("second", 0).await;
    assert_eq!(sign_in(&fixture, PASSWORD, APP_SECRET).await, 404);
    assert_eq!(sign_in(&fixture, PASSWORD, "second").await, 200);

    rotate("third", 24).await;
    let until = fixture.cloud.clock().now() + SignedDuration::from_hours(24);
    assert_eq!(operator.applications(oem).await.unwrap()[0].earlier_secret_until, Some(until));
    fixture.cloud.clock().advance(SignedDuration::from_hours(24) - SignedDuration::from_secs(1));
    assert_eq!(sign_in(&fixture, PASSWORD, "second").await, 200);
    assert_eq!(sign_in(&fixture, PASSWORD, "third").await, 200);
    fixture.cloud.clock().advance(SignedDuration::from_secs(1));
    assert_eq!(sign_in(&fixture, PASSWORD, "second").await, 404);
    assert_eq!(sign_in(&fixture, PASSWORD, "third").await, 200);
    assert_eq!(operator.applications(oem).await.unwrap()[0].earlier_secret_until, None);
}

#[tokio::test]
async fn commands_for_an_unknown_application_are_rejected() {
    let fixture = Fixture::start().await;
    let (operator, oem) = (fixture.cloud.operator(), &fixture.world.oem);
    for result in [
        operator.rotate_application_secret(oem, "nothing", &"another".into(), SignedDuration::ZERO).await,
        operator.end_earlier_secret(oem, "nothing").await,
    ] {
        assert!(matches!(result, Err(OperatorError::UnknownApplication(_))), "{result:?}");
    }
}

#[tokio::test]
async fn commands_for_unknown_users_and_machine_accounts_are_rejected() {
    let fixture = Fixture::start().await;
    let (operator, oem) = (fixture.cloud.operator(), &fixture.world.oem);
    let nobody = "nobody@example.com";
    for result in [
        operator.lock_user(oem, nobody).await,
        operator.unlock_user(oem, nobody).await,
        operator.remove_user(oem, nobody).await,
        operator.set_password(oem, nobody, "Another-1".into()).await,
    ] {
        assert!(matches!(result, Err(OperatorError::UnknownUser)), "{result:?}");
    }
    for machine in [operator.lock_user(oem, World::MACHINE).await, operator.remove_user(oem, World::MACHINE).await] {
        assert!(matches!(machine, Err(OperatorError::MachineAccount)), "{machine:?}");
    }
}

#[tokio::test]
async fn removed_user_leaves_no_data_and_the_last_administrator_cannot_be_removed() {
    let fixture = Fixture::start().await;
    let (operator, oem) = (fixture.cloud.operator(), &fixture.world.oem);
    let (admin, owner) = (fixture.token(World::ADMIN).await, fixture.token(World::END_USER).await);
    operator.remove_user(oem, &World::END_USER.to_uppercase()).await.unwrap();
    assert_eq!(fixture.get(&owner, "/users/get_user_profile").await.status, 401);
    assert_eq!(fixture.get(&admin, "/apiv1/dsns/DEV-U1").await.body["device"]["registered"], false);
    let again = operator.remove_user(oem, World::END_USER).await;
    assert!(matches!(again, Err(OperatorError::UnknownUser)), "{again:?}");
    let last = operator.remove_user(oem, World::ADMIN).await;
    assert!(matches!(last, Err(OperatorError::LastAdmin)), "{last:?}");
    assert_eq!(fixture.get(&admin, "/users/get_user_profile").await.status, 200);
}

#[tokio::test]
async fn unused_role_can_be_removed() {
    let fixture = Fixture::start().await;
    let (operator, oem) = (fixture.cloud.operator(), &fixture.world.oem);
    let in_use = async || match operator.remove_role(oem, DEALER).await {
        Ok(()) => [0; 4],
        Err(OperatorError::RoleInUse { people, labels, shares, customers, .. }) => [people, labels, shares, customers],
        Err(other) => panic!("{other:?}"),
    };
    let role = Role { name: DEALER.into(), kind: RoleKind::PartnerTechnician, label_key: Some("partner_id".into()) };
    operator.ensure_role(oem, &role).await.unwrap();
    let (admin, owner) = (fixture.token(World::ADMIN).await, fixture.token(World::END_USER).await);
    let person = json!({ "user_email": World::TECHNICIAN_A, "role": DEALER, "label": { "partner_id": "A" } });
    assert_eq!(fixture.put(&admin, "/api/v1/users/assign_role", person.clone()).await.status, 204);
    assert_eq!(fixture.put(&admin, "/api/v1/users/assign_label", person.clone()).await.status, 204);
    let customer = json!({ "user_email": World::UNCONFIRMED, "role": DEALER, "label": { "partner_id": "A" } });
    assert_eq!(fixture.put(&admin, "/api/v1/users/associate_role_user", customer.clone()).await.status, 204);
    let labels = format!("/apiv1/devices/{}/role_labels", fixture.device_key(&admin, "DEV-A1").await);
    let label = json!({ "role_label": { "role_name": DEALER, "key": "zone", "value": "1" } });
    let label = fixture.post(&admin, &labels, label).await.body["role_label"]["id"].take();
    let share = crate::shares::device("DEV-U1", World::UNCONFIRMED, json!({ "role_name": DEALER }));
    let share =
        fixture.post(&owner, "/api/v1/users/shares", json!({ "share": share })).await.body["share"]["id"].take();
    assert_eq!(in_use().await, [1, 1, 1, 1]);

    assert_eq!(fixture.put(&admin, "/api/v1/users/revoke_role", person).await.status, 204);
    assert_eq!(in_use().await, [0, 1, 1, 1]);
    assert_eq!(fixture.delete(&admin, &format!("/apiv1/role_labels/{label}")).await.status, 204);
    assert_eq!(in_use().await, [0, 0, 1, 1]);
    assert_eq!(fixture.delete(&owner, &format!("/api/v1/users/shares/{share}")).await.status, 204);
    assert_eq!(in_use().await, [0, 0, 0, 1]);
    assert_eq!(fixture.put(&admin, "/api/v1/users/disassociate_user", customer).await.status, 204);
    operator.remove_role(oem, DEALER).await.unwrap();
    let again = operator.remove_role(oem, DEALER).await;
    assert!(matches!(again, Err(OperatorError::UnknownRole(_))), "{again:?}");
}

#[tokio::test]
async fn kept_or_failed_message_can_be_retried() {
    let fixture = Fixture::start().await;
    let operator = fixture.cloud.operator();
    operator.write_test_message(&fixture.world.oem, "ada@example.com").await.unwrap();
    let message = operator.messages(None, 10).await.unwrap().remove(0);
    assert_eq!((&*message.state, operator.message(&message.id).await.unwrap()), ("kept", Some(message.clone())));
    assert!(operator.retry_message(&message.id).await.unwrap());
    assert_eq!(fixture.cloud.outbox().await[0].state, "waiting");
    assert!(!operator.retry_message(&message.id).await.unwrap(), "it waits already");
    assert!(!operator.retry_message("nothing").await.unwrap());
    assert!(operator.messages(Some(cloud::MessageState::Kept), 10).await.unwrap().is_empty());
    assert_eq!(operator.messages(Some(cloud::MessageState::Waiting), 10).await.unwrap().len(), 1);
}
