//! Changes of the caller's own account use only the account calls of the client library.

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::world::*;

const NEW: &str = "Other-Horse-2";

/// The number of requests to each account operation of the cloud.
fn calls(world: &World) -> Vec<(&'static str, usize)> {
    ["/user/users/password.json", "/user/users/confirmation.json", "/user/users.json"]
        .into_iter()
        .map(|path| (path, world.cloud.faults().carried_out(path)))
        .filter(|(_, times)| *times > 0)
        .collect()
}

/// The token in the last mail of this kind to this address.
async fn token(world: &World, email: &str, kind: &str) -> String {
    let messages = world.cloud.outbox().await;
    let mail = messages.into_iter().rfind(|mail| (&*mail.recipient, &*mail.kind) == (email, kind));
    mail.expect("a mail").token().to_owned()
}

async fn post(browser: &mut Browser, path: &str, body: Value) {
    assert_eq!(browser.post(path, &body).await.status, 204, "{path}");
}

#[tokio::test]
async fn each_change_of_an_account_is_one_call_of_the_client_library() {
    let world = World::start().await;
    let (mut nobody, mut admin) = (world.browser(), world.signed_in(ADMIN).await);
    let guest = world.user_id(NORTH_GUEST).await;
    assert_eq!(calls(&world), []);

    post(&mut nobody, "/api/password/reset", json!({ "email": NORTH_TECH })).await;
    assert_eq!(calls(&world), [("/user/users/password.json", 1)]);
    let reset = token(&world, NORTH_TECH, "password_reset").await;
    let input = json!({ "token": reset, "newPassword": NEW, "confirmNewPassword": NEW });
    post(&mut nobody, "/api/password/set", input).await;
    assert_eq!(calls(&world), [("/user/users/password.json", 2)]);

    post(&mut admin, &format!("/api/users/{guest}/confirmation"), Value::Null).await;
    assert_eq!(calls(&world), [("/user/users/password.json", 2), ("/user/users/confirmation.json", 1)]);
    let confirmation = token(&world, NORTH_GUEST, "confirmation").await;
    post(&mut nobody, "/api/account/confirm", json!({ "token": confirmation })).await;
    assert_eq!(calls(&world), [("/user/users/password.json", 2), ("/user/users/confirmation.json", 2)]);

    let cancel = json!({ "token": "0".repeat(32) });
    assert_eq!(nobody.post("/api/account/email/cancel", &cancel).await.status, 422);
    assert_eq!(world.cloud.faults().carried_out("/user/users/update_email/cancel.json"), 1);

    let profile =
        json!({ "firstname": "Ada", "lastname": "Tester", "city": "Oslo", "state": null, "country": "Norway" });
    assert_eq!(admin.put("/api/account", &profile).await.status, 200);
    assert_eq!(world.cloud.faults().carried_out("/user/users.json"), 1);
    let change = json!({ "current": PASSWORD, "new": NEW });
    assert_eq!(admin.put("/api/account/password", &change).await.status, 200);
    assert_eq!(world.cloud.faults().carried_out("/user/users.json"), 2);
}
