//! Reactions to changes of devices. The tests through the wire run on SQLite only.

use std::collections::BTreeSet;

use futures::future::join_all;
use jiff::SignedDuration;
use platform::db::{Db, params};
use platform::store_suite;
use serde_json::json;

use super::{Node, node, report_of};
use crate::domain::notification::NotificationType;
use crate::store::notification_apps::{self, NotificationApp};
use crate::store::notifications::{self, NewNotification};
use crate::store::trigger_apps::{self, TriggerApp};
use crate::store::triggers::{self, NewTrigger};
use crate::testing::World;

const DEVICES: [&str; 4] = ["DEV-A1", "DEV-A2", "DEV-B1", "DEV-U1"];
/// Minimum interval between messages of one source to one recipient.
const GAP: SignedDuration = SignedDuration::from_mins(5);
const THRESHOLD: SignedDuration = SignedDuration::from_secs(300);

impl Node {
    /// Creates a trigger that notifies this address of values below 20.
    pub(super) async fn watch(&self, dsn: &str, property: &str, address: &str) {
        let app = TriggerApp {
            name: "email".into(),
            repeat_freq: 86_400,
            param1: Some(address.into()),
            ..TriggerApp::default()
        };
        self.watch_by(World::ADMIN, dsn, property, app).await;
    }

    /// Creates a trigger of this user on values below 20.
    pub(super) async fn watch_by(&self, author: &str, dsn: &str, property: &str, app: TriggerApp) {
        let property_id = self.property(dsn, property).await.id;
        let new = NewTrigger {
            property_id,
            user_id: self.user_id(author).await,
            trigger_type: "compare_absolute",
            compare_type: Some("<"),
            value: Some("20"),
            active: true,
        };
        let mut tx = self.db.begin().await.unwrap();
        let id = triggers::insert(&mut tx, new, self.clock.now()).await.unwrap();
        trigger_apps::insert(&mut tx, id, new.user_id, &app, self.clock.now()).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// Creates a notification of this type to this address.
    async fn notify(&self, dsn: &str, notification_type: NotificationType, address: &str) {
        self.notify_after(THRESHOLD, dsn, notification_type, address).await;
    }

    /// Creates a notification with this threshold.
    pub(super) async fn notify_after(
        &self,
        threshold: SignedDuration,
        dsn: &str,
        notification_type: NotificationType,
        address: &str,
    ) {
        let device_id = self.property(dsn, "fan").await.device_id;
        let user_id = self.user_id(World::ADMIN).await;
        let threshold = threshold.as_secs();
        let new = NewNotification { device_id, user_id, notification_type, threshold, message: None };
        let app =
            NotificationApp { app_type: "email".into(), email: Some(address.into()), ..NotificationApp::default() };
        let mut tx = self.db.begin().await.unwrap();
        let id = notifications::insert(&mut tx, new, self.clock.now()).await.unwrap();
        notification_apps::insert(&mut tx, id, user_id, &app, self.clock.now()).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// The recipients of messages, in alphabetical order.
    async fn recipients(&self) -> Vec<String> {
        let sql = "select recipient from outbox order by recipient";
        let rows: Vec<(String,)> = self.db.fetch_all(sql, params![]).await.unwrap();
        rows.into_iter().map(|(recipient,)| recipient).collect()
    }

    pub(super) async fn notify_losses(&self) {
        self.commands.reactions.notify_losses(&self.db, self.clock.now()).await.unwrap();
    }
}

async fn value_that_stays_below_the_limit_is_notified_once_across_nodes(db: Db) {
    let first = node(db.clone()).await;
    first.watch("DEV-A1", "fan", "a@example.com").await;
    for value in [25, 19, 18] {
        first.report("DEV-A1", "fan", value).await;
    }
    assert_eq!(first.recipients().await, ["a@example.com"]);
    // As after a restart.
    let second = node(db).await;
    second.report("DEV-A1", "fan", 17).await;
    assert_eq!(second.recipients().await.len(), 1);
    second.clock.advance(SignedDuration::from_hours(24));
    second.report("DEV-A1", "fan", 17).await;
    assert_eq!(second.recipients().await.len(), 2);
    second.clock.advance(GAP);
    second.report("DEV-A1", "fan", 20).await;
    second.report("DEV-A1", "fan", 19).await;
    assert_eq!(second.recipients().await.len(), 3);
}

async fn trigger_message_is_stored_exactly_when_the_value_is(db: Db) {
    let node = node(db).await;
    node.watch("DEV-A1", "fan", "a@example.com").await;
    node.db.execute("alter table outbox rename to away", params![]).await.unwrap();
    let device = node.device("DEV-A1").await;
    assert!(node.link.report(&device, report_of(vec![("fan".into(), json!(19))])).await.is_err());
    node.db.execute("alter table away rename to outbox", params![]).await.unwrap();
    assert!(node.history("DEV-A1", "fan").await.is_empty());
    node.report("DEV-A1", "fan", 19).await;
    assert_eq!(node.recipients().await, ["a@example.com"]);
}

async fn each_of_many_triggers_notifies_its_own_recipients(db: Db) {
    let node = node(db).await;
    let mut expected = BTreeSet::new();
    for dsn in DEVICES {
        for number in 0..40 {
            let address = format!("{dsn}.{number:02}@example.com");
            node.watch(dsn, "fan", &address).await;
            expected.insert(address);
        }
    }
    let reports = DEVICES.map(async |dsn| {
        let device = node.device(dsn).await;
        join_all([25, 19, 18].map(|value| node.link.report(&device, report_of(vec![("fan".into(), json!(value))]))))
            .await
    });
    assert!(join_all(reports).await.into_iter().flatten().all(|report| report.is_ok()));
    assert_eq!(node.recipients().await, expected.into_iter().collect::<Vec<_>>());
}

async fn connection_loss_is_notified_once_across_nodes(db: Db) {
    let (node, other) = (node(db.clone()).await, node(db).await);
    for dsn in DEVICES {
        node.notify(dsn, NotificationType::Lost, &format!("{dsn}@example.com")).await;
        let device = node.device(dsn).await;
        let generation = node.link.connected(&device).await.unwrap();
        node.link.disconnected(&device, generation).await.unwrap();
    }
    node.notify_losses().await;
    assert!(node.recipients().await.is_empty());
    node.clock.advance(THRESHOLD);
    other.clock.advance(THRESHOLD);
    tokio::join!(node.notify_losses(), other.notify_losses(), node.notify_losses(), other.notify_losses());
    assert_eq!(node.recipients().await, DEVICES.map(|dsn| format!("{dsn}@example.com")));
}

async fn loss_is_counted_from_node_start_and_cancelled_by_reconnection_in_time(db: Db) {
    let first = node(db.clone()).await;
    for dsn in ["DEV-A1", "DEV-A2"] {
        first.notify(dsn, NotificationType::Lost, &format!("lost.{dsn}@example.com")).await;
        first.notify(dsn, NotificationType::Restored, &format!("restored.{dsn}@example.com")).await;
        first.link.connected(&first.device(dsn).await).await.unwrap();
    }
    let second = node(db).await;
    second.clock.advance(SignedDuration::from_hours(1));
    first.die().await;
    second.nodes.sweep().await.unwrap();
    second.clock.advance(THRESHOLD - SignedDuration::from_secs(1));
    second.link.connected(&second.device("DEV-A1").await).await.unwrap();
    second.clock.advance(SignedDuration::from_secs(1));
    second.notify_losses().await;
    assert_eq!(second.recipients().await, ["lost.DEV-A2@example.com"]);
    second.link.connected(&second.device("DEV-A2").await).await.unwrap();
    assert_eq!(second.recipients().await, ["lost.DEV-A2@example.com", "restored.DEV-A2@example.com"]);
}

async fn reset_device_notifies_again_and_unregistered_device_does_not(db: Db) {
    let node = node(db).await;
    node.watch("DEV-A1", "fan", "a@example.com").await;
    node.notify("DEV-A1", NotificationType::Lost, "a@example.com").await;
    node.report("DEV-A1", "fan", 19).await;
    let device_id = node.property("DEV-A1", "fan").await.device_id;
    node.edits().factory_reset(device_id).await.unwrap();
    node.clock.advance(GAP);
    node.report("DEV-A1", "fan", 19).await;
    assert_eq!(node.recipients().await.len(), 2);
    node.edits().unregister(device_id).await.unwrap();
    let sql = "select (select count(*) from notification) + (select count(*) from notification_app)
                   + (select count(*) from property_trigger) + (select count(*) from trigger_app)";
    let (left,): (i64,) = node.db.fetch_one(sql, params![]).await.unwrap();
    assert_eq!(left, 0);
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        connection_loss_is_notified_once_across_nodes,
        trigger_message_is_stored_exactly_when_the_value_is,
        loss_is_counted_from_node_start_and_cancelled_by_reconnection_in_time,
        reset_device_notifies_again_and_unregistered_device_does_not,
        value_that_stays_below_the_limit_is_notified_once_across_nodes,
        each_of_many_triggers_notifies_its_own_recipients,
    ]
);
