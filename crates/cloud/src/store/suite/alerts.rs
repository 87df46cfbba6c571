//! Messages that devices cause, under attack.

use platform::db::{Db, params};
use platform::store_suite;
use serde_json::{Value, json};

use super::{Node, node};
use crate::devices::commands::CommandInput;
use crate::store::trigger_apps::{self, TriggerApp};
use crate::store::triggers::{self, NewTrigger};
use crate::testing::World;

const TRIGGERS: usize = 20;
const RECIPIENTS: usize = 50;
/// Entries of the largest batch.
const ENTRIES: usize = 500;

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
                trigger_apps::insert(&mut tx, id, &app, self.clock.now()).await.unwrap();
            }
        }
        tx.commit().await.unwrap();
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

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [alternating_batch_writes_one_message_per_recipient_and_trigger]
);
