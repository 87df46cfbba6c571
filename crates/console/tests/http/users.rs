//! People: one person, read again.

use devicecloud::UserChanges;
use platform::db::{Db, params};
use serde_json::{Value, json};

use crate::browser::{Answer, Browser};
use crate::world::*;

async fn refresh(browser: &mut Browser, id: &str) -> Answer {
    browser.post(&format!("/api/users/{id}"), &Value::Null).await
}

/// The last name that the index has.
async fn indexed(world: &World, id: &str) -> Option<String> {
    let database = Db::connect(&world.database).await.unwrap();
    let sql = "SELECT lastname FROM idx_users WHERE id = $1";
    database.fetch_optional::<(String,)>(sql, params![id]).await.unwrap().map(|(name,)| name)
}

#[tokio::test]
async fn a_person_has_all_that_people_have() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_ADMIN).await;
    let id = world.user_id(NORTH_GUEST).await;
    let expected = json!({
        "id": id, "email": NORTH_GUEST, "firstname": "Tess", "lastname": "Tester", "company": "Aurora",
        "businessRole": "Night porter", "phone": "+47 1234", "city": "Oslo", "state": "Viken", "country": "Norway",
        "confirmed": false, "role": "OEM::ProlitecCommercial::CspTech", "roleName": "CSP Technician", "csp": "North",
        "can": { "edit": true, "resend": true, "resetPassword": false },
    });
    let answer = refresh(&mut browser, &id).await;
    assert_eq!((answer.status, answer.body), (200, expected));
}

#[tokio::test]
async fn each_role_may_do_what_it_may_with_a_person() {
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
        let can = json!({ "edit": edit, "resend": resend, "resetPassword": reset_password });
        assert_eq!((answer.status, &answer.body["can"]), (200, &can), "{email}");
    }
    for email in [ADMIN, NORTH_ADMIN] {
        let own = world.user_id(email).await;
        let answer = refresh(&mut world.signed_in(email).await, &own).await;
        assert_eq!((answer.status, &answer.body["can"]["edit"]), (200, &json!(false)), "{email}");
    }
}

#[tokio::test]
async fn who_is_not_there_or_not_the_callers_is_not_found() {
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
async fn a_person_who_is_read_again_is_indexed_and_one_who_is_gone_is_forgotten() {
    let world = World::start().await;
    let (mut admin, cloud) = (world.signed_in(ADMIN).await, world.cloud_as(ADMIN).await);
    let id = world.user_id(SOUTH_GUEST).await;
    cloud.admin().update_user(&*id, &UserChanges::new().lastname("Moss")).await.unwrap();
    assert_eq!(refresh(&mut admin, &id).await.body["lastname"], "Moss");
    assert_eq!(indexed(&world, &id).await.as_deref(), Some("Moss"));

    let mut north = world.signed_in(NORTH_ADMIN).await;
    assert_eq!(refresh(&mut north, &id).await.status, 404);
    assert_eq!(indexed(&world, &id).await.as_deref(), Some("Moss"), "whom somebody may not see is not gone");

    cloud.admin().delete_user(&*id).await.unwrap();
    assert_eq!(refresh(&mut admin, &id).await.status, 404);
    assert_eq!(indexed(&world, &id).await, None);
}
