//! The outbox. Delivery is tested with a mail server in tests/mail.

use jiff::SignedDuration;
use platform::db::{Db, params};
use platform::store_suite;

use super::{Node, node};
use crate::background;
use crate::messages::mail::{AccountMail, Branding, Mail};
use crate::operator::Operator;
use crate::records::message::{Channel, MessageKind};
use crate::store::outbox::{self, NextMessages, Outcome};
use crate::testing::World;

const CLAIM: SignedDuration = SignedDuration::from_mins(5);

fn next(most: usize, last_oem: i64) -> NextMessages {
    NextMessages { channel: Channel::Email, most, last_oem }
}

impl Node {
    async fn write(&self, recipient: &str) {
        let operator: Operator = self.operator.clone().with_branding(Branding::default());
        operator.write_test_message(&self.world.oem, recipient).await.unwrap();
    }

    /// The recipients of the messages that this claim takes.
    async fn claim(&self, claim: &str, most: usize) -> Vec<outbox::DueRow> {
        let now = self.clock.now();
        outbox::claim(&self.db, claim, next(most, 0), now, now + CLAIM).await.unwrap()
    }

    async fn states(&self) -> Vec<String> {
        let rows: Vec<(String,)> = self.db.fetch_all("select state from outbox order by id", params![]).await.unwrap();
        rows.into_iter().map(|(state,)| state).collect()
    }
}

async fn message_is_stored_exactly_when_its_transaction_commits(db: Db) {
    let node = node(db).await;
    let random = platform::run::random::Random::seeded(1);
    let mail = Mail::new(Branding::default(), [], random);
    let user = crate::store::users::id_by_email(&node.db, node.world.oem.id, World::END_USER).await.unwrap();
    let message = AccountMail {
        kind: MessageKind::PasswordReset,
        oem_id: node.world.oem.id,
        user_id: user,
        recipient: World::END_USER,
        token: Some("0a1b"),
        time: None,
        inviter: None,
        email_template_id: Some("winter"),
    };
    let mut tx = node.db.begin().await.unwrap();
    mail.enqueue(&mut tx, &message, node.clock.now()).await.unwrap();
    drop(tx);
    assert!(node.states().await.is_empty());
    let mut tx = node.db.begin().await.unwrap();
    mail.enqueue(&mut tx, &message, node.clock.now()).await.unwrap();
    tx.commit().await.unwrap();
    let sql = "select recipient, link, email_template_id from outbox where user_id is not null";
    let row: (String, String, String) = node.db.fetch_one(sql, params![]).await.unwrap();
    let link = "http://127.0.0.1:8080/password/set?token=0a1b";
    assert_eq!(row, (World::END_USER.to_owned(), link.to_owned(), "winter".to_owned()));

    node.db.execute("delete from users where email = $1", params![World::END_USER]).await.unwrap();
    assert_eq!(node.states().await, ["kept"], "messages written before the deletion stay");
}

async fn messages_that_are_delivered_or_failed_keep_no_link_with_a_token(db: Db) {
    let node = node(db).await;
    let mail = Mail::new(Branding::default(), Channel::ALL, platform::run::random::Random::seeded(1));
    let user_id = Some(node.user_id(World::END_USER).await);
    for kind in [
        MessageKind::Confirmation,
        MessageKind::Invitation,
        MessageKind::PasswordReset,
        MessageKind::EmailChangeRequested,
        MessageKind::EmailConfirmation,
    ] {
        let failed = || Outcome::Refused { reason: "no such mailbox", next: None };
        let waiting = || Outcome::Refused { reason: "later", next: Some(node.clock.now()) };
        for (outcome, keeps) in [(waiting(), true), (failed(), false), (Outcome::Sent, false)] {
            let message = AccountMail {
                kind,
                oem_id: node.world.oem.id,
                user_id,
                recipient: World::END_USER,
                token: Some("0a1b2c"),
                time: None,
                inviter: None,
                email_template_id: None,
            };
            let mut tx = node.db.begin().await.unwrap();
            mail.enqueue(&mut tx, &message, node.clock.now()).await.unwrap();
            tx.commit().await.unwrap();
            let row = node.claim("node", 1).await.remove(0);
            assert!(row.body.contains("0a1b2c") && row.html.contains("0a1b2c"));
            outbox::settle(&node.db, &row.id, "node", outcome, node.clock.now()).await.unwrap();
            let sql = "select coalesce(link, ''), body, html from outbox where id = $1";
            let stored: [String; 3] = {
                let (link, body, html): (String, String, String) =
                    node.db.fetch_one(sql, params![&row.id]).await.unwrap();
                [link, body, html]
            };
            assert_eq!(stored.each_ref().map(|text| text.contains("0a1b2c")), [keeps; 3], "{stored:?}");
            assert_eq!(stored.each_ref().map(String::is_empty), [!keeps; 3], "{stored:?}");
            assert!(!outbox::retry(&node.db, &row.id, node.clock.now()).await.unwrap());
            node.db.execute("delete from outbox", params![]).await.unwrap();
        }
    }
    // A message without a link is delivered again when an operator requests it.
    node.write("a@example.com").await;
    let row = node.claim("node", 1).await.remove(0);
    let failed = Outcome::Refused { reason: "no such mailbox", next: None };
    outbox::settle(&node.db, &row.id, "node", failed, node.clock.now()).await.unwrap();
    assert!(outbox::retry(&node.db, &row.id, node.clock.now()).await.unwrap());
    assert_eq!(node.claim("node", 1).await.remove(0).body, row.body);
}

async fn claim_takes_due_messages_oldest_first_and_an_expired_claim_records_nothing(db: Db) {
    let node = node(db).await;
    for recipient in ["a@example.com", "b@example.com", "c@example.com"] {
        node.write(recipient).await;
        node.clock.advance(SignedDuration::from_secs(1));
    }
    let mut recipients: Vec<String> = node.claim("first", 2).await.into_iter().map(|row| row.recipient).collect();
    recipients.sort();
    assert_eq!(recipients, ["a@example.com", "b@example.com"]);
    let last = node.claim("second", 2).await.remove(0);
    assert_eq!((&*last.recipient, last.attempts), ("c@example.com", 1));

    node.clock.advance(CLAIM);
    let taken_over = node.claim("third", 9).await;
    assert_eq!(taken_over.iter().map(|row| row.attempts).collect::<Vec<_>>(), [2, 2, 2]);
    outbox::settle(&node.db, &last.id, "second", Outcome::Sent, node.clock.now()).await.unwrap();
    assert_eq!(node.states().await, ["waiting"; 3]);
    outbox::settle(&node.db, &last.id, "third", Outcome::Sent, node.clock.now()).await.unwrap();
    assert_eq!(node.states().await, ["waiting", "waiting", "sent"]);
}

async fn messages_are_deleted_after_thirty_days(db: Db) {
    let node = node(db).await;
    node.write("a@example.com").await;
    let written = node.clock.now();
    let days = SignedDuration::from_hours(30 * 24);
    background::retention::clear(&node.db, written + days, super::SESSIONS).await.unwrap();
    assert_eq!(node.states().await.len(), 1);
    background::retention::clear(&node.db, written + days + SignedDuration::from_millis(1), super::SESSIONS)
        .await
        .unwrap();
    assert!(node.states().await.is_empty());
}

async fn messages_about_accounts_come_first_and_manufacturers_take_turns(db: Db) {
    let node = node(db).await;
    let other = node.operator.ensure_oem("Other").await.unwrap();
    let count = 40;
    for _ in 0..count {
        node.write("flood@example.com").await;
    }
    node.db.execute("update outbox set kind = 'value'", params![]).await.unwrap();
    node.clock.advance(SignedDuration::from_secs(1));
    let operator = node.operator.clone().with_branding(Branding::default());
    for recipient in ["first@example.com", "second@example.com"] {
        operator.write_test_message(&other, recipient).await.unwrap();
    }
    node.db.execute("update outbox set kind = 'value' where recipient like '%@example.com'", params![]).await.unwrap();
    node.write("account@example.com").await;
    let now = node.clock.now();
    let (mut last, mut recipients) = (0, Vec::new());
    for _ in 0..6 {
        let claimed = outbox::claim(&node.db, "one", next(1, last), now, now + CLAIM).await.unwrap();
        last = claimed[0].oem_id;
        recipients.push(claimed[0].recipient.split_once('@').unwrap().0.to_owned());
    }
    assert_eq!(recipients, ["account", "first", "flood", "second", "flood", "flood"]);
    assert_eq!(node.claim("rest", 100).await.len(), count - 3);
}

async fn failed_retention_step_does_not_keep_the_others_from_running(db: Db) {
    let node = node(db).await;
    node.write("a@example.com").await;
    node.clock.advance(SignedDuration::from_hours(31 * 24));
    node.db.execute("alter table connection_change rename to away", params![]).await.unwrap();
    assert!(background::retention::clear(&node.db, node.clock.now(), super::SESSIONS).await.is_err());
    assert!(node.states().await.is_empty());
    node.db.execute("alter table away rename to connection_change", params![]).await.unwrap();
    background::retention::clear(&node.db, node.clock.now(), super::SESSIONS).await.unwrap();
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        claim_takes_due_messages_oldest_first_and_an_expired_claim_records_nothing,
        message_is_stored_exactly_when_its_transaction_commits,
        messages_that_are_delivered_or_failed_keep_no_link_with_a_token,
        messages_are_deleted_after_thirty_days,
        messages_about_accounts_come_first_and_manufacturers_take_turns,
        failed_retention_step_does_not_keep_the_others_from_running,
    ]
);
