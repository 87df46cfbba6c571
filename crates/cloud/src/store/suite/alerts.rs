//! Messages that devices cause, under attack.

use futures::future::join_all;
use jiff::SignedDuration;
use platform::db::{Db, params};
use platform::store_suite;
use serde_json::{Value, json};

use super::{Node, node};
use crate::background;
use crate::devices::commands::CommandInput;
use crate::domain::message_limits::MessageLimitOverrides;
use crate::store::trigger_apps::{self, TriggerApp};
use crate::store::triggers::{self, NewTrigger};
use crate::testing::World;

const TRIGGERS: usize = 20;
const RECIPIENTS: usize = 50;
/// Entries of the largest batch.
const ENTRIES: usize = 500;

/// The default minimum interval between messages of one source to one recipient.
const GAP: SignedDuration = SignedDuration::from_mins(5);
const NO_GAP: MessageLimitOverrides = MessageLimitOverrides {
    gap: Some(SignedDuration::ZERO),
    per_device: None,
    per_author: None,
    per_manufacturer: None,
    per_partner: None,
};

/// An app that reaches Jo on this channel.
fn app(channel: &str) -> TriggerApp {
    let (param1, param2) = match channel {
        "email" => ("jo@example.com", None),
        _ => ("1", Some("4145550100".to_owned())),
    };
    TriggerApp {
        name: channel.into(),
        repeat_freq: 86_400,
        param1: Some(param1.into()),
        param2,
        ..TriggerApp::default()
    }
}

impl Node {
    /// Creates twenty triggers on the fan of DEV-A1, each of which notifies fifty addresses of values below 20.
    async fn watch_with_every_trigger(&self) {
        let property_id = self.property("DEV-A1", "fan").await.id;
        let new = NewTrigger {
            property_id,
            user_id: self.user_id(World::ADMIN).await,
            trigger_type: "compare_absolute",
            compare_type: Some("<"),
            value: Some("20"),
            active: true,
        };
        let mut tx = self.db.begin().await.unwrap();
        for _ in 0..TRIGGERS {
            let id = triggers::insert(&mut tx, new, self.clock.now()).await.unwrap();
            for number in 0..RECIPIENTS {
                let param1 = Some(format!("jo{number}@example.com"));
                let app = TriggerApp { name: "email".into(), repeat_freq: 0, param1, ..TriggerApp::default() };
                trigger_apps::insert(&mut tx, id, new.user_id, &app, self.clock.now()).await.unwrap();
            }
        }
        tx.commit().await.unwrap();
    }

    /// Lets the fan cross the limit of triggers once.
    pub(super) async fn cross(&self, dsn: &str) {
        self.report(dsn, "fan", 25).await;
        self.report(dsn, "fan", 19).await;
    }

    /// Sets the message limits of the manufacturer.
    pub(super) async fn limit(&self, own: MessageLimitOverrides) {
        self.operator.set_message_limits(&self.world.oem, own).await.unwrap();
    }

    async fn messages(&self, channel: &str) -> i64 {
        let sql = "select count(*) from outbox where channel = $1 and kind <> 'budget'";
        let (count,) = self.db.fetch_one(sql, params![channel]).await.unwrap();
        count
    }

    /// The number of messages that the budget allowed today, and of those that it held back.
    async fn spending(&self, scope: &str, name: &str, channel: &str) -> (i64, i64) {
        let spending = self.operator.message_spending(&self.world.oem, None, 100).await.unwrap();
        let row = spending
            .iter()
            .find(|row| (&*row.scope, row.name.as_deref(), &*row.channel) == (scope, Some(name), channel));
        row.map(|row| (row.sent, row.held_back)).unwrap()
    }

    async fn oem_name(&self) -> String {
        let (name,) =
            self.db.fetch_one("select name from oem where id = $1", params![self.world.oem.id]).await.unwrap();
        name
    }

    /// Sets the fan of DEV-A1 to these values in one batch.
    async fn command_batch(&self, values: impl Iterator<Item = i64>) {
        let property = self.property("DEV-A1", "fan").await;
        let input = |value| CommandInput { property: &property, value: Value::from(value), metadata: None };
        self.commands.issue("user", &values.map(input).collect::<Vec<_>>()).await.unwrap();
    }
}

async fn alternating_batch_writes_one_message_per_recipient_and_trigger(db: Db) {
    let node = node(db).await;
    node.limit(MessageLimitOverrides { per_device: Some(1_000), per_author: Some(1_000), ..NO_GAP }).await;
    node.watch_with_every_trigger().await;
    node.command_batch((0..ENTRIES).map(|entry| if entry % 2 == 0 { 19 } else { 25 })).await;
    let sql = "select recipient, count(*) from outbox group by recipient";
    let rows: Vec<(String, i64)> = node.db.fetch_all(sql, params![]).await.unwrap();
    assert_eq!(rows.len(), RECIPIENTS);
    assert!(rows.iter().all(|(_, messages)| *messages == TRIGGERS as i64), "{rows:?}");
    let bodies: Vec<(String,)> = node.db.fetch_all("select distinct body from outbox", params![]).await.unwrap();
    assert_eq!(bodies.len(), 1);
    assert!(bodies[0].0.contains("This happened 250 times."), "{bodies:?}");
    assert_eq!(node.property("DEV-A1", "fan").await.value(), json!(25));
}

async fn alternating_batches_write_no_more_messages_than_the_budgets_allow(db: Db) {
    let node = node(db).await;
    node.watch_with_every_trigger().await;
    for _ in 0..3 {
        node.command_batch((0..ENTRIES).map(|entry| if entry % 2 == 0 { 19 } else { 25 })).await;
        assert_eq!(node.messages("email").await, 50);
        node.clock.advance(GAP);
    }
    let held_back = |batches: i64| batches * (TRIGGERS * RECIPIENTS) as i64 - 50;
    assert_eq!(node.spending("device", "DEV-A1", "email").await, (50, held_back(3)));
}

async fn repeated_event_is_held_back_for_the_minimum_gap_and_then_counted(db: Db) {
    let node = node(db).await;
    node.watch("DEV-A1", "fan", "jo@example.com").await;
    for (passed, messages) in [(0, 1), (299, 1), (0, 1), (1, 2), (1, 2)] {
        node.clock.advance(SignedDuration::from_secs(passed));
        node.cross("DEV-A1").await;
        assert_eq!(node.messages("email").await, messages, "{passed}");
    }
    let sql = "select body from outbox order by id";
    let bodies: Vec<(String,)> = node.db.fetch_all(sql, params![]).await.unwrap();
    assert!(!bodies[0].0.contains("This happened"), "{bodies:?}");
    assert!(bodies[1].0.contains("This happened 3 times since the last message."), "{bodies:?}");
}

async fn new_trigger_inherits_nothing_of_a_deleted_one(db: Db) {
    let node = node(db).await;
    for sent in 1..=3 {
        node.watch("DEV-A1", "fan", "jo@example.com").await;
        node.cross("DEV-A1").await;
        node.cross("DEV-A1").await;
        assert_eq!(node.messages("email").await, sent, "the first event is sent, the second held back");
        node.db.execute("delete from property_trigger", params![]).await.unwrap();
    }
}

async fn message_counts_the_events_since_its_recipient_was_added(db: Db) {
    let node = node(db).await;
    node.watch("DEV-A1", "fan", "jo@example.com").await;
    node.cross("DEV-A1").await;
    node.cross("DEV-A1").await;
    let (trigger,) = node.db.fetch_one("select id from property_trigger", params![]).await.unwrap();
    let author = node.user_id(World::ADMIN).await;
    let mut tx = node.db.begin().await.unwrap();
    let app = TriggerApp { param1: Some("kim@example.com".into()), ..app("email") };
    trigger_apps::insert(&mut tx, trigger, author, &app, node.clock.now()).await.unwrap();
    tx.commit().await.unwrap();
    node.report("DEV-A1", "fan", 18).await;
    let messages = async || {
        let sql = "select recipient, body from outbox order by id";
        let rows: Vec<(String, String)> = node.db.fetch_all(sql, params![]).await.unwrap();
        rows
    };
    assert_eq!(messages().await.len(), 2, "the condition still holds, which the new recipient does not know");
    node.cross("DEV-A1").await;
    assert_eq!(messages().await.len(), 2);
    node.clock.advance(GAP);
    node.cross("DEV-A1").await;
    let sent = messages().await;
    let [(jo, to_jo), (kim, to_kim)] = &sent[2..] else { panic!("{sent:?}") };
    assert_eq!((&**jo, &**kim), ("jo@example.com", "kim@example.com"));
    assert!(to_jo.contains("This happened 3 times since the last message."), "{to_jo}");
    assert!(to_kim.contains("This happened 2 times since the last message."), "{to_kim}");
}

async fn events_that_budgets_hold_back_for_days_are_all_counted(db: Db) {
    let node = node(db).await;
    node.limit(MessageLimitOverrides { per_device: Some(1), ..NO_GAP }).await;
    for address in ["jo@example.com", "kim@example.com"] {
        node.watch("DEV-A1", "fan", address).await;
    }
    for _ in 0..10 {
        node.cross("DEV-A1").await;
        node.clock.advance(SignedDuration::from_hours(24));
        background::retention::clear(&node.db, node.clock.now(), super::SESSIONS).await.unwrap();
    }
    assert_eq!(node.messages("email").await, 10);
    node.limit(NO_GAP).await;
    node.cross("DEV-A1").await;
    let sql = "select recipient, body from outbox order by id desc limit 1";
    let (recipient, body): (String, String) = node.db.fetch_one(sql, params![]).await.unwrap();
    assert_eq!(recipient, "kim@example.com");
    assert!(body.contains("This happened 11 times since the last message."), "{body}");
}

async fn daily_budgets_of_device_author_and_manufacturer_hold_for_each_channel(db: Db) {
    let node = node(db).await;
    let limits = MessageLimitOverrides {
        per_device: Some(3),
        per_author: Some(5),
        per_manufacturer: Some(7),
        per_partner: Some(7),
        ..NO_GAP
    };
    node.limit(limits).await;
    let table = [
        ("DEV-A1", World::ADMIN, 4, 3, ("device", "DEV-A1", (3, 1))),
        ("DEV-A2", World::ADMIN, 3, 5, ("author", World::ADMIN, (5, 1))),
        ("DEV-B1", World::PARTNER_ADMIN_B, 3, 7, ("manufacturer", "", (7, 1))),
    ];
    for channel in ["email", "sms"] {
        for (dsn, author, crossings, messages, (scope, name, spent)) in table {
            let name = if scope == "manufacturer" { node.oem_name().await } else { name.to_owned() };
            node.watch_by(author, dsn, "fan", app(channel)).await;
            for _ in 0..crossings {
                node.cross(dsn).await;
            }
            assert_eq!(node.messages(channel).await, messages, "{channel} {scope}");
            assert_eq!(node.spending(scope, &name, channel).await, spent, "{channel} {scope}");
            node.db.execute("delete from property_trigger", params![]).await.unwrap();
        }
    }
    node.operator.write_test_message(&node.world.oem, "jo@example.com").await.unwrap();
    assert_eq!(node.messages("email").await, 8, "mails about accounts are not counted");

    node.watch("DEV-A1", "fan", "jo@example.com").await;
    node.cross("DEV-A1").await;
    assert_eq!(node.messages("email").await, 8);
    node.clock.advance(SignedDuration::from_hours(24));
    node.cross("DEV-A1").await;
    assert_eq!(node.messages("email").await, 9, "a day has a budget of its own");
    assert_eq!(node.spending("device", "DEV-A1", "email").await, (1, 0));
    node.operator.set_message_limits(&node.world.oem, MessageLimitOverrides::default()).await.unwrap();
    node.clock.advance(GAP);
    for _ in 0..9 {
        node.clock.advance(GAP);
        node.cross("DEV-A1").await;
    }
    assert_eq!(node.messages("email").await, 18, "the cloud's own limits apply again");
}

/// A tenth of the manufacturer's budget is the share of each partner.
async fn partner_that_spends_its_share_silences_no_other(db: Db) {
    let node = node(db).await;
    node.limit(MessageLimitOverrides { per_manufacturer: Some(30), ..NO_GAP }).await;
    for channel in ["email", "sms"] {
        for (author, dsn) in
            [(World::PARTNER_ADMIN_A, "DEV-A1"), (World::ADMIN, "DEV-A2"), (World::PARTNER_ADMIN_B, "DEV-B1")]
        {
            node.watch_by(author, dsn, "fan", app(channel)).await;
        }
        for _ in 0..2 {
            for dsn in ["DEV-A1", "DEV-A2", "DEV-A1", "DEV-B1"] {
                node.cross(dsn).await;
            }
        }
        assert_eq!(node.messages(channel).await, 5, "three about devices of A, of any author, and two of B");
        assert_eq!(node.spending("partner", "A", channel).await, (3, 3));
        assert_eq!(node.spending("partner", "B", channel).await, (2, 0));
        assert_eq!(node.spending("manufacturer", &node.oem_name().await, channel).await, (5, 0));
        // A device without a partner has the budget of the manufacturer.
        node.watch_by(World::ADMIN, "DEV-U1", "fan", app(channel)).await;
        for _ in 0..5 {
            node.cross("DEV-U1").await;
        }
        assert_eq!(node.messages(channel).await, 10);
        node.db.execute("delete from property_trigger", params![]).await.unwrap();
    }
    node.limit(MessageLimitOverrides { per_partner: Some(5), ..NO_GAP }).await;
    node.watch_by(World::PARTNER_ADMIN_A, "DEV-A1", "fan", app("email")).await;
    for _ in 0..5 {
        node.cross("DEV-A1").await;
    }
    assert_eq!(node.spending("partner", "A", "email").await, (5, 6));
}

async fn spent_budget_is_told_once_a_day_to_recipient_author_and_administrators(db: Db) {
    let node = node(db).await;
    let notified = async |channel: &str| {
        let sql = "select recipient from outbox where kind = 'budget' and channel = $1 order by recipient";
        let rows: Vec<(String,)> = node.db.fetch_all(sql, params![channel]).await.unwrap();
        node.db.execute("delete from outbox", params![]).await.unwrap();
        rows.into_iter().map(|(recipient,)| recipient).collect::<Vec<_>>()
    };
    node.limit(MessageLimitOverrides { per_device: Some(1), ..NO_GAP }).await;
    node.watch_by(World::TECHNICIAN_A, "DEV-A1", "fan", app("email")).await;
    node.cross("DEV-A1").await;
    assert!(notified("email").await.is_empty(), "the budget is spent, but nothing is held back");
    node.cross("DEV-A1").await;
    let sql = "select distinct subject, body from outbox where kind = 'budget'";
    let texts: Vec<(String, String)> = node.db.fetch_all(sql, params![]).await.unwrap();
    let [(subject, body)] = &texts[..] else { panic!("{texts:?}") };
    assert_eq!(subject, "Messages about Thing DEV-A1 are held back");
    let sentence = "Today's 1 e-mails about Thing DEV-A1 (DEV-A1) are sent. \
                    Others are held back until 00:00 UTC; then the last state is sent.\n";
    assert!(body.starts_with(sentence), "{body}");
    assert_eq!(notified("email").await, [World::PARTNER_ADMIN_A, "jo@example.com", World::TECHNICIAN_A]);
    // Another recipient by text message, on the same day.
    node.watch_by(World::TECHNICIAN_A, "DEV-A1", "fan", app("sms")).await;
    for _ in 0..3 {
        node.cross("DEV-A1").await;
    }
    assert_eq!(notified("sms").await, ["+14145550100"]);
    node.cross("DEV-A1").await;
    assert!(notified("email").await.is_empty(), "each address gets one a day");
    node.clock.advance(SignedDuration::from_hours(24));
    for _ in 0..2 {
        node.cross("DEV-A1").await;
    }
    assert_eq!(notified("email").await, [World::PARTNER_ADMIN_A, "jo@example.com", World::TECHNICIAN_A]);
}

async fn notices_of_spent_budgets_name_the_budget_and_are_limited_for_each_author(db: Db) {
    let node = node(db).await;
    let none = |scope: &str| {
        let limit = |of: &str| (scope == of).then_some(0);
        let [per_device, per_author, per_partner] = ["device", "author", "partner"].map(limit);
        MessageLimitOverrides { per_device, per_author, per_partner, per_manufacturer: limit("manufacturer"), ..NO_GAP }
    };
    for (day, (scope, expected)) in [
        ("device", "about Thing DEV-A1 (DEV-A1) are sent."),
        ("partner", "about the devices of this partner are sent."),
        ("manufacturer", "about all devices are sent."),
        ("author", "of your triggers, notifications and rules are sent."),
    ]
    .into_iter()
    .enumerate()
    {
        node.limit(none(scope)).await;
        node.watch_by(World::PARTNER_ADMIN_A, "DEV-A1", "fan", app("email")).await;
        node.cross("DEV-A1").await;
        let sql = "select body from outbox where recipient = $1";
        let (body,): (String,) = node.db.fetch_one(sql, params![World::PARTNER_ADMIN_A]).await.unwrap();
        assert!(body.contains(expected), "{day} {body}");
        assert_eq!(body.contains("The first one is about Thing DEV-A1 (DEV-A1)."), scope != "device", "{body}");
        node.db.execute("delete from outbox", params![]).await.unwrap();
        node.db.execute("delete from property_trigger", params![]).await.unwrap();
        node.clock.advance(SignedDuration::from_hours(24));
    }
    let limits = MessageLimitOverrides { per_device: Some(0), per_author: Some(7), ..NO_GAP };
    node.limit(limits).await;
    node.watch_with_every_trigger().await;
    node.cross("DEV-A1").await;
    let sql = "select count(*) from outbox where kind = 'budget' and recipient like 'jo%'";
    assert_eq!(node.count(sql).await, 7, "an author cannot send notices to any number of strangers");
}

async fn concurrent_transactions_keep_the_budget_exactly(db: Db) {
    let node = node(db).await;
    node.limit(MessageLimitOverrides { per_manufacturer: Some(10), per_partner: Some(10), ..NO_GAP }).await;
    let dsns = ["DEV-A1", "DEV-A2", "DEV-B1", "DEV-U1"];
    let mut properties = Vec::new();
    for dsn in dsns {
        node.watch(dsn, "fan", "jo@example.com").await;
        properties.push(node.property(dsn, "fan").await);
    }
    let inputs: Vec<Vec<CommandInput<'_>>> = (0..12)
        .map(|number| {
            // Each transaction concerns two devices, in varying order.
            let of = |offset: usize| &properties[(number + offset * (1 + number % 3)) % properties.len()];
            [(of(0), 25), (of(0), 19), (of(1), 25), (of(1), 19)]
                .map(|(property, value)| CommandInput { property, value: json!(value), metadata: None })
                .into()
        })
        .collect();
    join_all(inputs.iter().map(async |inputs| node.commands.issue("user", inputs).await.unwrap())).await;
    assert_eq!(node.messages("email").await, 10);
    let (sent, held_back) = node.spending("manufacturer", &node.oem_name().await, "email").await;
    assert_eq!((sent, held_back), (10, 14));
}

async fn counters_are_deleted_after_their_retention(db: Db) {
    let node = node(db).await;
    node.watch("DEV-A1", "fan", "jo@example.com").await;
    node.cross("DEV-A1").await;
    let rows = async || {
        let gaps = node.count("select count(*) from message_gap").await;
        (gaps, node.count("select count(*) from message_count").await)
    };
    for (days, expected) in [(0, (1, 4)), (7, (1, 4)), (1, (0, 4)), (22, (0, 4)), (1, (0, 0))] {
        node.clock.advance(SignedDuration::from_hours(24 * days));
        background::retention::clear(&node.db, node.clock.now(), super::SESSIONS).await.unwrap();
        assert_eq!(rows().await, expected, "{days}");
    }
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        alternating_batch_writes_one_message_per_recipient_and_trigger,
        alternating_batches_write_no_more_messages_than_the_budgets_allow,
        repeated_event_is_held_back_for_the_minimum_gap_and_then_counted,
        new_trigger_inherits_nothing_of_a_deleted_one,
        message_counts_the_events_since_its_recipient_was_added,
        events_that_budgets_hold_back_for_days_are_all_counted,
        daily_budgets_of_device_author_and_manufacturer_hold_for_each_channel,
        partner_that_spends_its_share_silences_no_other,
        spent_budget_is_told_once_a_day_to_recipient_author_and_administrators,
        notices_of_spent_budgets_name_the_budget_and_are_limited_for_each_author,
        concurrent_transactions_keep_the_budget_exactly,
        counters_are_deleted_after_their_retention,
    ]
);
