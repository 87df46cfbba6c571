//! Nodes that crash, and nodes that share a database.

use std::collections::BTreeSet;

use cloud::testing::TestCloud;
use jiff::SignedDuration;
use platform::testing::{TestDb, TestMailServer};

use crate::{Fixture, header};

/// Duration of a claim.
const CLAIM: SignedDuration = SignedDuration::from_mins(5);
const MESSAGES: usize = 60;

#[tokio::test]
async fn message_claimed_by_a_dead_node_is_sent_later() {
    let fixture = Fixture::start().await;
    fixture.write("ada@example.com").await;
    let server = TestMailServer::start(&[]);
    fixture.mail_delivery(&server.plain()).crash_before_sending().await;

    let next = fixture.mail_delivery(&server.plain());
    fixture.advance(CLAIM - SignedDuration::from_millis(1));
    assert_eq!(next.deliver().await, 0, "the claim of the other node has not expired");
    fixture.advance(SignedDuration::from_millis(1));
    assert_eq!(next.deliver().await, 1);
    assert_eq!(fixture.state().await, "sent");
    assert_eq!(server.stop().len(), 1);
}

#[tokio::test]
async fn restart_between_two_messages_sends_neither_twice() {
    let fixture = Fixture::start().await;
    let server = TestMailServer::start(&[]);
    fixture.write("ada@example.com").await;
    assert_eq!(fixture.mail_delivery(&server.plain()).deliver().await, 1);
    fixture.write("otto@example.com").await;
    fixture.advance(CLAIM * 2);
    assert_eq!(fixture.mail_delivery(&server.plain()).deliver().await, 1);
    let recipients: Vec<_> = server.stop().iter().map(|taken| taken["to"][0].clone()).collect();
    assert_eq!(recipients, ["ada@example.com", "otto@example.com"]);
}

#[tokio::test]
async fn unrecorded_delivery_is_repeated_with_the_same_message_id() {
    let fixture = Fixture::start().await;
    fixture.write("ada@example.com").await;
    let server = TestMailServer::start(&[]);
    fixture.mail_delivery(&server.plain()).crash_after_sending().await;
    fixture.advance(CLAIM);
    assert_eq!(fixture.mail_delivery(&server.plain()).deliver().await, 1);
    let taken = server.stop();
    assert_eq!(taken.len(), 2);
    let ids: BTreeSet<_> = taken.iter().map(|taken| header(taken, "Message-ID")).collect();
    assert_eq!(ids.len(), 1, "{ids:?}");
}

/// Two nodes on one database with concurrent claims.
async fn message_is_never_sent_by_two_nodes(db: TestDb) {
    let url = db.url.clone();
    let fixture = Fixture::on(TestCloud::start_with(move |config| config.database_url = url).await).await;
    for n in 0..MESSAGES {
        fixture.write(&format!("user{n}@example.com")).await;
    }
    let server = TestMailServer::start(&[]);
    let nodes = [0, 1, 2].map(|_| fixture.mail_delivery(&server.plain()));
    let [first, second, third] = &nodes;
    let (first, second, third) = tokio::join!(first.deliver(), second.deliver(), third.deliver());
    assert_eq!(first + second + third, MESSAGES);
    assert!(fixture.cloud.outbox().await.iter().all(|message| message.state == "sent" && message.attempts == 1));
    let taken = server.stop();
    let recipients: BTreeSet<_> = taken.iter().map(|taken| taken["to"][0].as_str().unwrap()).collect();
    assert_eq!((taken.len(), recipients.len()), (MESSAGES, MESSAGES));
    fixture.cloud.shutdown().await;
}

#[tokio::test]
async fn message_is_never_sent_by_two_nodes_on_sqlite() {
    message_is_never_sent_by_two_nodes(TestDb::sqlite().await).await;
}

#[tokio::test]
async fn message_is_never_sent_by_two_nodes_on_postgres() {
    message_is_never_sent_by_two_nodes(TestDb::postgres().await).await;
}
