//! Transactions and statements that PostgreSQL cancels because they would wait too long, or forever.

use std::time::Duration;

use cloud::CloudConfig;
use cloud::testing::{TestCloud, World};
use futures::future::{Either, join_all};
use platform::db::{Db, Tx, params};
use platform::testing::{TestDb, pause};
use serde_json::{Value, json};

use crate::client::Fixture;
use crate::triggers::below;

const DEVICE: &str = "select id from device where dsn = 'DEV-A1' for update";
const PROPERTY: &str = "select p.id from property p join device d on d.id = p.device_id
                        join template_property t on t.id = p.template_property_id
                        where d.dsn = 'DEV-A1' and t.name = 'intensity' for update of p";

const COMMAND: &str = "/apiv1/dsns/DEV-A1/properties/intensity/datapoints";
const TRIGGER: &str = "/apiv1/dsns/DEV-A1/properties/intensity/triggers";

/// A node on a new PostgreSQL database.
pub(crate) async fn on_postgres() -> (TestDb, Fixture) {
    on_postgres_with(|_| {}).await
}

async fn on_postgres_with(change: impl FnOnce(&mut CloudConfig)) -> (TestDb, Fixture) {
    let db = TestDb::postgres().await;
    let url = db.url.clone();
    let change = move |config: &mut CloudConfig| {
        config.database_url = url;
        change(config);
    };
    let cloud = TestCloud::start_with(change).await;
    (db, Fixture::on(cloud).await)
}

/// A transaction that never ends a deadlock itself.
async fn patient(db: &Db) -> Tx {
    let mut tx = db.begin().await.unwrap();
    tx.execute("set local deadlock_timeout = '10min'", params![]).await.unwrap();
    tx
}

async fn lock(tx: &mut Tx, rows: &'static str) {
    let locked: Vec<(i64,)> = tx.fetch_all(rows, params![]).await.unwrap();
    assert_eq!(locked.len(), 1);
}

/// Resolves when a transaction waits for a row.
async fn until_waiting(db: &Db) {
    let sql = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    while db.fetch_one::<(i64,)>(sql, params![]).await.unwrap().0 == 0 {
        pause().await;
    }
}

/// Sends a request that waits for the row of `first` while it holds that of `then`, and then waits for that row.
async fn deadlock(path: &str, body: Value, first: &'static str, then: &'static str) {
    let (db, fixture) = on_postgres().await;
    let token = fixture.token(World::TECHNICIAN_A).await;
    let mut other = patient(&db).await;
    lock(&mut other, first).await;
    let other = async {
        until_waiting(&db).await;
        lock(&mut other, then).await;
        other.commit().await.unwrap();
    };
    let (response, ()) = tokio::join!(fixture.post(&token, path, body), other);
    assert_eq!(response.status, 201, "{}", response.body);
    fixture.cloud.shutdown().await;
}

#[tokio::test]
async fn command_cancelled_by_a_deadlock_is_repeated() {
    deadlock(COMMAND, json!({ "datapoint": { "value": 30 } }), DEVICE, PROPERTY).await;
}

#[tokio::test]
async fn trigger_creation_cancelled_by_a_deadlock_is_repeated() {
    deadlock(TRIGGER, below("20"), PROPERTY, DEVICE).await;
}

#[tokio::test]
async fn statement_that_waits_for_a_lock_longer_than_its_timeout_gets_503() {
    let (db, fixture) = on_postgres_with(|config| config.statement_timeout = Duration::from_secs(1)).await;
    let token = fixture.token(World::TECHNICIAN_A).await;
    let mut other = db.begin().await.unwrap();
    lock(&mut other, PROPERTY).await;
    let command = || fixture.post(&token, COMMAND, json!({ "datapoint": { "value": 30 } }));
    let refused = command().await;
    assert_eq!(refused.status, 503, "{}", refused.body);
    drop(other);
    assert_eq!(command().await.status, 201);
    fixture.cloud.shutdown().await;
}

#[tokio::test]
async fn concurrent_triggers_and_commands_of_one_property_all_succeed() {
    let (_db, fixture) = on_postgres().await;
    let token = fixture.token(World::TECHNICIAN_A).await;
    let requests = (0..20).flat_map(|n| {
        let command = fixture.post(&token, COMMAND, json!({ "datapoint": { "value": n + 1 } }));
        let trigger = fixture.post(&token, TRIGGER, below("20"));
        [Either::Left(command), Either::Right(trigger)]
    });
    for response in join_all(requests).await {
        assert_eq!(response.status, 201, "{}", response.body);
    }
    fixture.cloud.shutdown().await;
}
