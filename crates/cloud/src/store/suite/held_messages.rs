//! Messages that gaps or budgets hold back: the last state reaches the recipient when the gap or the day of the budget ends.

use jiff::SignedDuration;
use platform::db::{Db, params};
use platform::store_suite;

use super::{Node, node};
use crate::devices::link::Generation;
use crate::domain::message_limits::MessageLimitOverrides;
use crate::domain::notification::NotificationType;
use crate::testing::World;

/// Minimum interval between messages of one source to one recipient.
const GAP: SignedDuration = SignedDuration::from_mins(5);
const MINUTE: SignedDuration = SignedDuration::from_mins(1);
const SECOND: SignedDuration = SignedDuration::from_secs(1);
/// Reports a loss at once.
const AT_ONCE: SignedDuration = SignedDuration::ZERO;
const LOST: &str = "lost its connection";
const BACK: &str = "is connected again";

impl Node {
    /// Connects a device and reports it.
    async fn connected(&self, dsn: &str) -> Generation {
        self.link.connected(&self.device(dsn).await).await.unwrap()
    }

    /// Disconnects a device and reports what is due.
    async fn lose(&self, dsn: &str, generation: Generation) {
        self.link.disconnected(&self.device(dsn).await, generation).await.unwrap();
        self.notify_losses().await;
    }

    /// Settles what was held back. Returns the number of rows.
    async fn settle(&self) -> usize {
        self.commands.reactions.settle_held(&self.db, self.clock.now()).await.unwrap()
    }

    /// The subjects of the messages to an address, without the name of the device.
    async fn subjects(&self, address: &str) -> Vec<String> {
        let sql = "select subject from outbox where recipient = $1 and kind <> 'budget' order by id";
        let rows: Vec<(String,)> = self.db.fetch_all(sql, params![address]).await.unwrap();
        rows.into_iter().map(|(subject,)| subject.replace("Thing DEV-A1 ", "")).collect()
    }

    async fn last_body(&self) -> String {
        let sql = "select body from outbox where kind <> 'budget' order by id desc limit 1";
        let (body,): (String,) = self.db.fetch_one(sql, params![]).await.unwrap();
        body
    }

    async fn held_back(&self) -> i64 {
        self.count("select count(*) from message_gap where due_at is not null").await
    }

    /// Jo gets losses, and Kim gets losses and returns. The device loses its connection, returns a minute later, and is lost again
    /// after another minute.
    async fn lose_twice(&self) {
        self.notify_after(AT_ONCE, "DEV-A1", NotificationType::Lost, "jo@example.com").await;
        self.notify_after(AT_ONCE, "DEV-A1", NotificationType::Lost, "kim@example.com").await;
        self.notify_after(AT_ONCE, "DEV-A1", NotificationType::Restored, "kim@example.com").await;
        for _ in 0..2 {
            let generation = self.connected("DEV-A1").await;
            self.clock.advance(MINUTE);
            self.lose("DEV-A1", generation).await;
            self.clock.advance(MINUTE);
        }
        assert_eq!(self.subjects("jo@example.com").await, [LOST]);
        assert_eq!(self.subjects("kim@example.com").await, [LOST, BACK]);
    }
}

async fn loss_within_the_gap_that_lasts_is_reported_when_the_gap_ends(db: Db) {
    let first = node(db.clone()).await;
    first.lose_twice().await;
    // The gap began three minutes ago. As after a restart: what was held back is in the database.
    let node = node(db).await;
    node.clock.advance(first.clock.now().duration_since(node.clock.now()) + GAP - MINUTE * 3 - SECOND);
    assert_eq!(node.settle().await, 0);
    assert_eq!(node.subjects("jo@example.com").await, [LOST]);
    node.clock.advance(SECOND);
    assert_eq!(node.settle().await, 2);
    assert_eq!(node.subjects("jo@example.com").await, [LOST, LOST]);
    assert_eq!(node.subjects("kim@example.com").await, [LOST, BACK, LOST]);
    let body = node.last_body().await;
    assert!(body.contains("on 20 November 2026, 11:03 (Europe/Paris)") && !body.contains("This happened"), "{body}");
    assert_eq!((node.settle().await, node.held_back().await), (0, 0));
}

async fn return_within_the_gap_leaves_nothing_to_report(db: Db) {
    let node = node(db).await;
    node.lose_twice().await;
    node.connected("DEV-A1").await;
    for _ in 0..20 {
        node.clock.advance(MINUTE);
        node.settle().await;
    }
    assert_eq!(node.subjects("jo@example.com").await, [LOST]);
    assert_eq!(node.subjects("kim@example.com").await, [LOST, BACK]);
    assert_eq!(node.held_back().await, 0);
    assert_eq!(node.count("select cast(sum(held_back) as bigint) from message_gap").await, 3, "the events are counted");
}

async fn return_that_was_held_back_is_reported_when_the_recipient_believes_in_the_loss(db: Db) {
    let node = node(db).await;
    node.lose_twice().await;
    node.clock.advance(GAP - MINUTE * 3);
    assert_eq!(node.settle().await, 2);
    assert_eq!(node.subjects("kim@example.com").await, [LOST, BACK, LOST]);
    // Its last message about a return is four minutes old.
    node.connected("DEV-A1").await;
    assert_eq!(node.subjects("kim@example.com").await, [LOST, BACK, LOST]);
    node.clock.advance(MINUTE);
    assert_eq!(node.settle().await, 1);
    assert_eq!(node.subjects("kim@example.com").await, [LOST, BACK, LOST, BACK]);
    let body = node.last_body().await;
    assert!(body.contains("is connected again since 20 November 2026, 11:06 (Europe/Paris).\n"), "{body}");
}

async fn return_and_second_loss_within_the_gap_cancel_each_other(db: Db) {
    let node = node(db).await;
    let limits = MessageLimitOverrides { per_device: Some(1), ..MessageLimitOverrides::default() };
    node.operator.set_message_limits(&node.world.oem, limits).await.unwrap();
    node.notify_after(AT_ONCE, "DEV-A1", NotificationType::Lost, "kim@example.com").await;
    node.notify_after(AT_ONCE, "DEV-A1", NotificationType::Restored, "kim@example.com").await;
    for _ in 0..2 {
        let generation = node.connected("DEV-A1").await;
        node.clock.advance(MINUTE);
        node.lose("DEV-A1", generation).await;
    }
    assert_eq!(node.subjects("kim@example.com").await, [LOST]);
    node.clock.advance(SignedDuration::from_hours(24));
    assert!(node.settle().await > 0);
    assert_eq!(node.subjects("kim@example.com").await, [LOST], "as the recipient knows");
    assert_eq!(node.held_back().await, 0);
}

async fn loss_in_progress_delays_the_message_about_a_return(db: Db) {
    let node = node(db).await;
    let limits = MessageLimitOverrides { per_device: Some(1), gap: Some(AT_ONCE), ..MessageLimitOverrides::default() };
    node.operator.set_message_limits(&node.world.oem, limits).await.unwrap();
    for kind in [NotificationType::Lost, NotificationType::Restored] {
        node.notify_after(MINUTE * 10, "DEV-A1", kind, "kim@example.com").await;
    }
    let generation = node.connected("DEV-A1").await;
    node.lose("DEV-A1", generation).await;
    node.clock.advance(MINUTE * 10);
    node.notify_losses().await;
    let generation = node.connected("DEV-A1").await;
    assert_eq!((node.subjects("kim@example.com").await, node.held_back().await), (vec![LOST.to_owned()], 1));
    node.clock.advance(SignedDuration::from_hours(24));
    node.link.disconnected(&node.device("DEV-A1").await, generation).await.unwrap();
    assert_eq!(node.settle().await, 1);
    assert_eq!((node.settle().await, node.held_back().await), (0, 1), "until the loss counts");
    node.connected("DEV-A1").await;
    node.clock.advance(MINUTE * 10);
    assert_eq!(node.settle().await, 1);
    assert_eq!(node.subjects("kim@example.com").await, [LOST, BACK]);
}

async fn last_state_over_a_budget_is_sent_when_the_budget_is_renewed(db: Db) {
    let node = node(db).await;
    let limits = MessageLimitOverrides { per_device: Some(1), gap: Some(AT_ONCE), ..MessageLimitOverrides::default() };
    node.operator.set_message_limits(&node.world.oem, limits).await.unwrap();
    node.watch("DEV-A1", "fan", "jo@example.com").await;
    for value in [19, 25, 18, 25, 17, 16] {
        node.report("DEV-A1", "fan", value).await;
    }
    assert_eq!(node.subjects("jo@example.com").await, ["fan of Thing DEV-A1: 19"]);
    // It is 10:00 UTC.
    node.clock.advance(SignedDuration::from_hours(14) - SECOND);
    assert_eq!(node.settle().await, 0);
    node.clock.advance(SECOND);
    assert_eq!(node.settle().await, 1);
    assert_eq!(node.subjects("jo@example.com").await, ["fan of Thing DEV-A1: 19", "fan of Thing DEV-A1: 16"]);
    let body = node.last_body().await;
    assert!(body.contains("is 16 since 20 November 2026, 11:00 (Europe/Paris)."), "{body}");
    assert!(body.contains("This happened 2 times since the last message."), "{body}");
    assert_eq!((node.settle().await, node.held_back().await), (0, 0));
}

async fn value_that_is_over_or_known_is_not_reported_when_the_gap_ends(db: Db) {
    let node = node(db).await;
    node.watch("DEV-A1", "fan", "jo@example.com").await;
    for (values, expected) in [
        (vec![25], vec!["19"]),
        (vec![25, 18, 25], vec!["19"]),
        (vec![25, 18, 25, 19], vec!["19"]),
        (vec![25, 19, 18], vec!["19", "18"]),
    ] {
        node.db.execute("delete from outbox", params![]).await.unwrap();
        node.clock.advance(GAP);
        node.cross("DEV-A1").await;
        for value in &values {
            node.report("DEV-A1", "fan", *value).await;
        }
        node.clock.advance(GAP);
        node.settle().await;
        let expected: Vec<String> = expected.iter().map(|value| format!("fan of Thing DEV-A1: {value}")).collect();
        assert_eq!((node.subjects("jo@example.com").await, node.held_back().await), (expected, 0), "{values:?}");
        node.report("DEV-A1", "fan", 25).await;
    }
}

async fn mail_of_a_rule_that_was_held_back_is_sent_when_the_gap_ends(db: Db) {
    let node = node(db).await;
    let limits = MessageLimitOverrides { gap: Some(GAP), ..MessageLimitOverrides::default() };
    node.operator.set_message_limits(&node.world.oem, limits).await.unwrap();
    let rule = node.rule("DEV-A1", World::PARTNER_ADMIN_A, "DATAPOINT(DEV-A1,intensity) < 20").await;
    let rules = node.rules(2);
    let fire = async |times: usize| {
        for _ in 0..times {
            node.report("DEV-A1", "intensity", 19).await;
            rules.evaluate_due().await.unwrap();
        }
    };
    fire(3).await;
    assert_eq!(node.subjects("jo@example.com").await.len(), 1);
    node.clock.advance(GAP);
    assert_eq!((rules.settle_held().await.unwrap(), node.subjects("jo@example.com").await.len()), (1, 2));
    let body = node.last_body().await;
    assert!(body.contains("Refill\n\nThis happened 2 times since the last message."), "{body}");
    fire(1).await;
    node.db.execute("update rule set is_enabled = $2 where id = $1", params![rule, false]).await.unwrap();
    node.clock.advance(GAP);
    assert_eq!((rules.settle_held().await.unwrap(), node.subjects("jo@example.com").await.len()), (1, 2));
    assert_eq!(node.held_back().await, 0);
}

async fn message_is_settled_once_across_nodes_and_dropped_with_its_source_or_recipient(db: Db) {
    let first = node(db.clone()).await;
    first.lose_twice().await;
    let second = node(db).await;
    for node in [&first, &second] {
        node.clock.advance(first.clock.now().duration_since(node.clock.now()));
    }
    first.clock.advance(GAP);
    second.clock.advance(GAP);
    first.db.execute("delete from notification_app where email = 'jo@example.com'", params![]).await.unwrap();
    tokio::join!(first.settle(), second.settle(), first.settle(), second.settle());
    assert_eq!(first.subjects("jo@example.com").await, [LOST]);
    assert_eq!(first.subjects("kim@example.com").await, [LOST, BACK, LOST]);
    assert_eq!(first.held_back().await, 0);
    first.connected("DEV-A1").await;
    let generation = first.connected("DEV-A1").await;
    first.lose("DEV-A1", generation).await;
    first.db.execute("delete from notification", params![]).await.unwrap();
    first.clock.advance(GAP);
    first.settle().await;
    assert_eq!(first.held_back().await, 0);
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        loss_within_the_gap_that_lasts_is_reported_when_the_gap_ends,
        return_within_the_gap_leaves_nothing_to_report,
        return_that_was_held_back_is_reported_when_the_recipient_believes_in_the_loss,
        return_and_second_loss_within_the_gap_cancel_each_other,
        loss_in_progress_delays_the_message_about_a_return,
        last_state_over_a_budget_is_sent_when_the_budget_is_renewed,
        value_that_is_over_or_known_is_not_reported_when_the_gap_ends,
        mail_of_a_rule_that_was_held_back_is_sent_when_the_gap_ends,
        message_is_settled_once_across_nodes_and_dropped_with_its_source_or_recipient,
    ]
);
