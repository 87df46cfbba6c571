//! What waits in the database.

use jiff::SignedDuration;
use platform::db::{Db, params};
use platform::store_suite;
use serde_json::json;

use super::node;
use crate::domain::message_limits::BudgetScope;
use crate::records::message::Channel;
use crate::store::backlog::{self, Queue};

async fn backlog_has_the_length_and_the_oldest_entry_of_each_queue(db: Db) {
    let node = node(db).await;
    let day = "2026-11-20";
    let none = backlog::read(&node.db, day).await.unwrap();
    assert_eq!((none.outbox(Channel::Email), none.rule_events, none.commands), (Queue::default(), Queue::default(), 0));
    assert_eq!(BudgetScope::ALL.map(|scope| none.held_back(scope)), [0; 5]);

    let began = node.clock.now();
    // One of each class of messages, and one that has been delivered.
    for (kind, state) in [("test", "waiting"), ("value", "waiting"), ("value", "waiting"), ("test", "sent")] {
        let sql = "insert into outbox (id, oem_id, kind, channel, recipient, subject, body, html, state, created_at, \
                   waiting_since, due_at) values ($1, $2, $3, 'email', 'a@example.com', '', '', '', $4, $5, $5, $5)";
        let (id, oem) = (node.commands.random.uuid_at(node.clock.now()), node.world.oem.id);
        node.db.execute(sql, params![id, oem, kind, state, node.clock.now()]).await.unwrap();
        node.clock.advance(SignedDuration::from_secs(1));
    }
    let written = node.clock.now();
    node.rule("DEV-A1", crate::testing::World::PARTNER_ADMIN_A, "DATAPOINT(DEV-A1,intensity) < 20").await;
    node.report("DEV-A1", "intensity", 19).await;
    node.command(&node.intensity().await, &json!(30)).await;
    let sql = "insert into message_count (day, scope, scope_id, channel, oem_id, held_back) \
               values ($1, 'device', $2, 'email', 1, $3)";
    for (day, device, held_back) in [(day, 1, 2), (day, 2, 3), ("2026-11-19", 1, 7)] {
        node.db.execute(sql, params![day, i64::from(device), i64::from(held_back)]).await.unwrap();
    }

    let backlog = backlog::read(&node.db, day).await.unwrap();
    assert_eq!(backlog.outbox(Channel::Email), Queue { length: 3, oldest: Some(began) });
    assert_eq!(backlog.outbox(Channel::Sms), Queue::default());
    assert_eq!(backlog.rule_events.oldest, Some(written));
    // The command is an event, too.
    assert_eq!((backlog.rule_events.length, backlog.commands), (2, 1));
    assert_eq!(BudgetScope::ALL.map(|scope| backlog.held_back(scope)), [0, 0, 0, 5, 0]);
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [backlog_has_the_length_and_the_oldest_entry_of_each_queue]
);
