//! Nodes that die, and nodes that share a database.

use std::collections::BTreeSet;

use cloud::testing::TestCloud;
use jiff::SignedDuration;
use platform::testing::TestDb;

use crate::server::Server;
use crate::{Fixture, header};

/// How long what a dead node claimed stays its own.
const CLAIM: SignedDuration = SignedDuration::from_mins(5);
const MESSAGES: usize = 60;

#[tokio::test]
async fn a_node_that_dies_before_it_sends_forgets_nothing() {
    let fixture = Fixture::start().await;
    fixture.write("ada@example.com").await;
    let server = Server::start(&[]);
    fixture.postman(&server.plain()).die_before_sending().await;

    let next = fixture.postman(&server.plain());
    fixture.advance(CLAIM - SignedDuration::from_millis(1));
    assert_eq!(next.deliver().await, 0, "the other one may live");
    fixture.advance(SignedDuration::from_millis(1));
    assert_eq!(next.deliver().await, 1);
    assert_eq!(fixture.state().await, "sent");
    assert_eq!(server.stop().len(), 1);
}

#[tokio::test]
async fn a_restart_between_two_messages_sends_neither_twice() {
    let fixture = Fixture::start().await;
    let server = Server::start(&[]);
    fixture.write("ada@example.com").await;
    assert_eq!(fixture.postman(&server.plain()).deliver().await, 1);
    fixture.write("otto@example.com").await;
    fixture.advance(CLAIM * 2);
    assert_eq!(fixture.postman(&server.plain()).deliver().await, 1);
    let recipients: Vec<_> = server.stop().iter().map(|taken| taken["to"][0].clone()).collect();
    assert_eq!(recipients, ["ada@example.com", "otto@example.com"]);
}

#[tokio::test]
async fn what_a_node_sent_and_could_not_note_comes_again_as_the_same_message() {
    let fixture = Fixture::start().await;
    fixture.write("ada@example.com").await;
    let server = Server::start(&[]);
    fixture.postman(&server.plain()).die_after_sending().await;
    fixture.advance(CLAIM);
    assert_eq!(fixture.postman(&server.plain()).deliver().await, 1);
    let taken = server.stop();
    assert_eq!(taken.len(), 2);
    let ids: BTreeSet<_> = taken.iter().map(|taken| header(taken, "Message-ID")).collect();
    assert_eq!(ids.len(), 1, "{ids:?}");
}

/// Two nodes on one database, whose claims meet.
async fn nodes_never_send_one_message_twice(db: TestDb) {
    let url = db.url.clone();
    let fixture = Fixture::on(TestCloud::start_with(move |config| config.database_url = url).await).await;
    for n in 0..MESSAGES {
        fixture.write(&format!("user{n}@example.com")).await;
    }
    let server = Server::start(&[]);
    let nodes = [0, 1, 2].map(|_| fixture.postman(&server.plain()));
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
async fn two_nodes_never_send_one_message_twice_on_sqlite() {
    nodes_never_send_one_message_twice(TestDb::sqlite().await).await;
}

#[tokio::test]
async fn two_nodes_never_send_one_message_twice_on_postgres() {
    nodes_never_send_one_message_twice(TestDb::postgres().await).await;
}
