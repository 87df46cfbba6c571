//! Evaluation of rules: each event is evaluated once, even if nodes crash or share the database.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use platform::db::{Db, params};
use platform::run::random::Random;
use platform::store_suite;
use serde_json::json;

use super::{Node, node};
use crate::devices::commands::CommandInput;
use crate::domain::message_limits::MessageLimits;
use crate::domain::rule::SubjectKind;
use crate::messages::alerts::Alerts;
use crate::messages::mail::{Branding, Mail};
use crate::reactions::{MAX_PENDING_OF_OWNER, MAX_PENDING_OF_RULE};
use crate::records::message::Channel;
use crate::rules::Rules;
use crate::store::rule_actions::{self, NewRuleAction};
use crate::store::rule_events::{self, NewRuleEvent, NextEvents};
use crate::store::rules::{self, NewRule, NewSubject, Of};
use crate::store::users;
use crate::testing::World;

/// Limits that rules cannot reach.
const UNLIMITED: MessageLimits = MessageLimits {
    gap: SignedDuration::ZERO,
    per_device: 1_000,
    per_author: 1_000,
    per_manufacturer: 1_000,
    per_partner: Some(1_000),
};

impl Node {
    /// The rule service of a separate node.
    pub(super) fn rules(&self, seed: u64) -> Rules {
        let random = Random::seeded(seed);
        let alerts = Alerts::new(Mail::new(Branding::default(), [Channel::Email], random.clone()), UNLIMITED);
        let (db, clock, commands) = (self.db.clone(), self.clock.clone(), self.commands.clone());
        Rules { db, clock, random, nodes: self.nodes.clone(), alerts, commands }
    }

    /// Creates a rule about the intensity of a device that mails Jo and sets the fan of DEV-A1. Returns its id.
    pub(super) async fn rule(&self, dsn: &str, email: &str, expression: &str) -> i64 {
        let (now, user_id) = (self.clock.now(), self.user_id(email).await);
        let mut tx = self.db.begin().await.unwrap();
        let mail = json!({ "email_to": ["jo@example.com"], "email_subject": "Low", "email_body": "Refill" });
        let set = json!({ "datapoint": "DATAPOINT(DEV-A1,fan) = 2" });
        let mut actions = Vec::new();
        for (action_type, parameters) in [("EMAIL", mail), ("DATAPOINT", set)] {
            let uuid = self.commands.random.uuid_at(now);
            let parameters = parameters.to_string();
            let action = NewRuleAction { uuid, user_id, name: "Do it", action_type, parameters };
            rule_actions::insert(&mut tx, &action, now).await.unwrap();
            let uuid = uuid.to_string();
            actions.push(rule_actions::ids(&mut tx, user_id, &[&uuid]).await.unwrap().remove(0).1);
        }
        let device_id = self.property(dsn, "intensity").await.device_id;
        let subject =
            NewSubject { kind: SubjectKind::Datapoint, of: Of::Device(device_id), property: Some("intensity".into()) };
        let uuid = self.commands.random.uuid_at(now);
        let rule = NewRule {
            uuid,
            user_id,
            name: "Low",
            description: None,
            expression,
            is_enabled: true,
            subjects: &[subject],
            actions: &actions,
        };
        rules::insert(&mut tx, &rule, now).await.unwrap();
        tx.commit().await.unwrap();
        rules::find(&self.db, &uuid.to_string()).await.unwrap().unwrap().id
    }

    async fn sent(&self) -> i64 {
        self.count("select count(*) from outbox where kind = 'rule'").await
    }

    async fn waiting(&self) -> i64 {
        self.count("select count(*) from rule_event").await
    }
}

const LOW: &str = "DATAPOINT(DEV-A1,intensity) < 20";

async fn rule_event_is_stored_until_a_node_evaluates_it(db: Db) {
    let node = node(db).await;
    node.rule("DEV-A1", World::PARTNER_ADMIN_A, LOW).await;
    node.rule("DEV-A1", World::TECHNICIAN_A, LOW).await;
    node.report("DEV-A1", "intensity", 25).await;
    node.report("DEV-A1", "intensity", 19).await;
    node.report("DEV-A2", "intensity", 19).await;
    node.report("DEV-A1", "hours", 19).await;
    assert_eq!((node.waiting().await, node.sent().await), (4, 0));
    let rules = node.rules(2);
    assert_eq!(rules.evaluate_due().await.unwrap(), 4);
    assert_eq!((node.waiting().await, node.sent().await), (0, 2));
    assert_eq!(rules.evaluate_due().await.unwrap(), 0);
    assert_eq!(node.history("DEV-A1", "fan").await, [json!(2), json!(2)]);
}

async fn rule_event_is_evaluated_by_one_of_two_nodes(db: Db) {
    let node = node(db).await;
    node.rule("DEV-A1", World::PARTNER_ADMIN_A, LOW).await;
    for _ in 0..40 {
        node.report("DEV-A1", "intensity", 19).await;
    }
    let (one, other) = (node.rules(2), node.rules(3));
    let (a, b) = tokio::join!(one.evaluate_due(), other.evaluate_due());
    assert_eq!(a.unwrap() + b.unwrap(), 40);
    assert_eq!((node.waiting().await, node.sent().await), (0, 40));
}

async fn event_claimed_by_a_dead_node_is_evaluated_once_by_another(db: Db) {
    let node = node(db).await;
    node.rule("DEV-A1", World::PARTNER_ADMIN_A, LOW).await;
    node.report("DEV-A1", "intensity", 19).await;
    let now = node.clock.now();
    let until = now + SignedDuration::from_mins(1);
    let taken =
        rule_events::claim(&node.db, "dead", NextEvents { most: 9, owners: 9, after: 0 }, now, until).await.unwrap();
    assert_eq!((taken.len(), taken[0].kind()), (1, Some(SubjectKind::Datapoint)));
    let other = node.rules(2);
    assert_eq!((other.evaluate_due().await.unwrap(), node.sent().await), (0, 0));
    node.clock.advance(SignedDuration::from_mins(1));
    assert_eq!((other.evaluate_due().await.unwrap(), node.sent().await), (1, 1));
    // The node that was presumed dead finishes late: it has no effect.
    let mut tx = node.db.begin().await.unwrap();
    assert!(!rule_events::complete(&mut tx, &taken[0].id, "dead").await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!((other.evaluate_due().await.unwrap(), node.sent().await), (0, 1));
}

impl Node {
    /// Sets the intensity of DEV-A1 to these values in one transaction.
    async fn batch(&self, values: impl IntoIterator<Item = i64>) {
        let property = self.intensity().await;
        let inputs: Vec<CommandInput<'_>> = values
            .into_iter()
            .map(|value| CommandInput { property: &property, value: json!(value), metadata: None })
            .collect();
        self.commands.issue("user", &inputs).await.unwrap();
    }

    /// The values of the pending events, oldest first.
    async fn pending(&self) -> Vec<i64> {
        let rows: Vec<(String,)> =
            self.db.fetch_all("select value from rule_event order by id", params![]).await.unwrap();
        rows.into_iter().map(|(value,)| value.parse().unwrap()).collect()
    }
}

async fn flood_of_events_of_one_owner_leaves_every_turn_to_others(db: Db) {
    let node = node(db).await;
    for _ in 0..20 {
        node.rule("DEV-A1", World::PARTNER_ADMIN_A, LOW).await;
    }
    node.rule("DEV-A2", World::TECHNICIAN_A, "DATAPOINT(DEV-A2,intensity) < 20").await;
    // 250,000 events.
    for _ in 0..25 {
        node.batch((0..500).map(|_| 30)).await;
    }
    assert_eq!(node.waiting().await, MAX_PENDING_OF_OWNER as i64);
    let rules = node.rules(2);
    for fired in 1..=5 {
        node.report("DEV-A2", "intensity", 19).await;
        rules.evaluate_due().await.unwrap();
        assert_eq!(node.sent().await, fired, "in the first pass after the event");
        node.batch((0..500).map(|_| 30)).await;
    }
}

async fn newest_events_of_a_rule_are_kept(db: Db) {
    let node = node(db).await;
    let most = MAX_PENDING_OF_RULE as i64;
    node.rule("DEV-A1", World::PARTNER_ADMIN_A, LOW).await;
    node.batch(0..most + 30).await;
    assert_eq!(node.pending().await, (30..most + 30).collect::<Vec<_>>(), "of one transaction");
    for value in 40..47 {
        node.report("DEV-A1", "intensity", value).await;
    }
    assert_eq!(node.pending().await, (37..most + 30).chain(40..47).collect::<Vec<_>>(), "of several transactions");
    let rules = node.rules(2);
    while rules.evaluate_due().await.unwrap() > 0 {}
    assert_eq!(node.waiting().await, 0);
}

async fn concurrent_transactions_keep_the_number_of_pending_events(db: Db) {
    let node = node(db).await;
    node.rule("DEV-A1", World::PARTNER_ADMIN_A, LOW).await;
    node.rule("DEV-A1", World::TECHNICIAN_A, LOW).await;
    let rules = node.rules(2);
    let flood = async {
        for _ in 0..4 {
            futures::future::join_all((0..4).map(|_| node.batch((0..80).map(|_| 30)))).await;
        }
    };
    let evaluation = async {
        for _ in 0..8 {
            rules.evaluate_due().await.unwrap();
        }
    };
    futures::join!(flood, evaluation);
    node.batch([30]).await;
    assert!(node.waiting().await <= 2 * MAX_PENDING_OF_RULE as i64);
}

async fn owners_take_turns_and_share_a_claim_equally(db: Db) {
    let node = node(db).await;
    let now = node.clock.now();
    let mut tx = node.db.begin().await.unwrap();
    let event = |user_id| NewRuleEvent {
        id: node.commands.random.uuid_at(now),
        rule_id: user_id,
        user_id,
        device_id: 1,
        kind: SubjectKind::Datapoint,
        property: None,
        datapoint_id: None,
        value: "1".to_owned(),
        depth: 0,
    };
    let events: Vec<NewRuleEvent<'_>> = (1..=40).flat_map(|user| [user; 9]).map(event).collect();
    rule_events::insert(&mut tx, &events, now).await.unwrap();
    tx.commit().await.unwrap();
    let claim = async |after| {
        let next = NextEvents { most: 64, owners: 16, after };
        let rows = rule_events::claim(&node.db, "one", next, now, now + SignedDuration::from_mins(1)).await.unwrap();
        let mut counts = BTreeMap::new();
        rows.iter().for_each(|row| *counts.entry(row.rule_id).or_insert(0) += 1);
        counts
    };
    assert_eq!(claim(0).await, (1..=16).map(|owner| (owner, 4)).collect());
    assert_eq!(claim(30).await, (31..=40).chain(1..=6).map(|owner| (owner, 4)).collect());
    assert_eq!(claim(40).await[&1], 1, "the rest of its nine");
}

async fn rolled_back_change_leaves_no_rule_event(db: Db) {
    let node = node(db).await;
    node.rule("DEV-A1", World::PARTNER_ADMIN_A, LOW).await;
    let intensity = node.intensity().await;
    let input = CommandInput { property: &intensity, value: json!(19), metadata: None };
    let mut tx = node.db.begin().await.unwrap();
    let _ = node.commands.issue_within(&mut tx, Some("user"), std::slice::from_ref(&input)).await.unwrap();
    drop(tx);
    assert_eq!(node.waiting().await, 0);
    node.command(&intensity, &json!(19)).await;
    assert_eq!(node.waiting().await, 1);
}

async fn rule_firings_are_limited_per_window(db: Db) {
    let node = node(db).await;
    let rule = node.rule("DEV-A1", World::PARTNER_ADMIN_A, LOW).await;
    let span = SignedDuration::from_mins(10);
    let fires = async || rules::count_firing(&node.db, rule, 3, span, node.clock.now()).await.unwrap();
    for expected in [true, true, true, false, false] {
        assert_eq!(fires().await, expected);
        node.clock.advance(SignedDuration::from_mins(1));
    }
    node.clock.advance(SignedDuration::from_mins(5));
    for expected in [true, true, true, false] {
        assert_eq!(fires().await, expected, "the span is over");
    }
    assert!(!rules::count_firing(&node.db, rule + 1, 3, span, node.clock.now()).await.unwrap());
}

async fn rate_limited_rule_receives_no_events(db: Db) {
    let node = node(db).await;
    let rule = node.rule("DEV-A1", World::PARTNER_ADMIN_A, LOW).await;
    let hour = SignedDuration::from_hours(1);
    for _ in 0..60 {
        node.report("DEV-A1", "intensity", 19).await;
        assert!(rules::count_firing(&node.db, rule, 60, hour, node.clock.now()).await.unwrap());
    }
    node.report("DEV-A1", "intensity", 19).await;
    assert_eq!(node.waiting().await, 60);
    node.clock.advance(hour);
    node.report("DEV-A1", "intensity", 19).await;
    assert_eq!(node.waiting().await, 61);
}

async fn action_is_deleted_with_its_last_rule_or_its_user(db: Db) {
    let node = node(db).await;
    let rule = node.rule("DEV-A1", World::PARTNER_ADMIN_A, LOW).await;
    node.rule("DEV-A1", World::TECHNICIAN_A, LOW).await;
    node.report("DEV-A1", "intensity", 19).await;
    let action = rule_actions::of_rule(&node.db, rule).await.unwrap().remove(0);
    let delete = async || {
        let mut tx = node.db.begin().await.unwrap();
        users::lock_rows(&mut tx, action.user_id).await.unwrap();
        let deleted = rule_actions::delete_unused(&mut tx, action.id).await.unwrap();
        tx.commit().await.unwrap();
        deleted
    };
    assert!(!delete().await);
    assert!(rules::delete(&node.db, rule).await.unwrap() && !rules::delete(&node.db, rule).await.unwrap());
    assert!(delete().await && !delete().await);
    node.db.execute("delete from users where email = $1", params![World::TECHNICIAN_A]).await.unwrap();
    for sql in ["select count(*) from rule", "select count(*) from rule_step", "select count(*) from rule_subject"] {
        assert_eq!(node.count(sql).await, 0, "{sql}");
    }
    assert_eq!(node.count("select count(*) from rule_action").await, 1, "the remaining action");
    assert_eq!((node.rules(2).evaluate_due().await.unwrap(), node.waiting().await, node.sent().await), (2, 0, 0));
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        rule_event_is_stored_until_a_node_evaluates_it,
        rule_event_is_evaluated_by_one_of_two_nodes,
        event_claimed_by_a_dead_node_is_evaluated_once_by_another,
        flood_of_events_of_one_owner_leaves_every_turn_to_others,
        newest_events_of_a_rule_are_kept,
        concurrent_transactions_keep_the_number_of_pending_events,
        owners_take_turns_and_share_a_claim_equally,
        rolled_back_change_leaves_no_rule_event,
        rule_firings_are_limited_per_window,
        rate_limited_rule_receives_no_events,
        action_is_deleted_with_its_last_rule_or_its_user,
    ]
);
