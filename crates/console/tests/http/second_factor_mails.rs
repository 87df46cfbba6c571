//! Mails about changes of the second factor.

use platform::db::{Db, params};
use platform::testing::TestDb;
use serde_json::json;

use crate::inbox::{Inbox, ReceivedMail};
use crate::passkeys::{PASSKEYS, add_further_passkey, add_passkey};
use crate::second_factor::{FACTOR, add_app};
use crate::world::*;

async fn owner_is_notified_of_each_change(database: TestDb) {
    let (inbox, server) = Inbox::start().await;
    let address = database.url.clone();
    let world = World::start_with(|config| {
        config.database_url = address;
        config.mail_server = Some(server);
    })
    .await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let subject = |mail: ReceivedMail| (mail.recipient, mail.subject);
    let expected = |subject: &str| (NORTH_TECH.to_owned(), subject.to_owned());
    let (_, codes) = add_app(&world, &mut browser).await;
    assert_eq!(subject(inbox.next().await), expected("Two-step sign-in was turned on"));
    let proof = |code: &str| json!({ "current": PASSWORD, "code": code });
    let renewed = browser.post("/api/account/second-factor/recovery-codes", &proof(&codes[0])).await;
    assert_eq!(renewed.status, 200, "{}", renewed.body);
    assert_eq!(subject(inbox.next().await), expected("Your recovery codes were replaced"));
    let code = renewed.body["codes"][0].as_str().unwrap();
    assert_eq!(browser.post("/api/account/second-factor/totp/removal", &proof(code)).await.status, 204);
    assert_eq!(subject(inbox.next().await), expected("Two-step sign-in was turned off"));

    let (_, codes) = add_passkey(&mut browser, 1).await;
    assert_eq!(subject(inbox.next().await), expected("A passkey was added to your account"));
    add_further_passkey(&mut browser, 2, &codes[2]).await;
    inbox.next().await;
    let passkeys = browser.get(FACTOR).await.body["passkeys"].clone();
    let rows = [(0, "A passkey of your account was removed"), (1, "Two-step sign-in was turned off")];
    for (number, text) in rows {
        let path = format!("{PASSKEYS}/{}/removal", passkeys[number]["id"].as_str().unwrap());
        assert_eq!(browser.post(&path, &proof(&codes[number])).await.status, 204);
        assert_eq!(subject(inbox.next().await), expected(text));
    }

    add_app(&world, &mut browser).await;
    inbox.next().await;
    let path = format!("/api/users/{}/second-factor", world.user_id(NORTH_TECH).await);
    assert_eq!(world.signed_in(ADMIN).await.delete(&path).await.status, 204);
    assert_eq!(subject(inbox.next().await), expected("An administrator has reset your two-step sign-in"));
}

on_both_databases!(owner_is_notified_of_each_change);

#[tokio::test]
async fn without_a_mail_server_no_mail_is_stored() {
    let world = World::start().await;
    add_app(&world, &mut world.signed_in(NORTH_TECH).await).await;
    let db = Db::connect(&world.database).await.unwrap();
    let (count,): (i64,) = db.fetch_one("select count(*) from mails", params![]).await.unwrap();
    assert_eq!(count, 0);
}
