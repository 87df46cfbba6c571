//! The nodes of the cloud, and the orphaned connections of dead ones.

use jiff::Timestamp;
use platform::db::{Db, Result, Tx, params};
use sqlx::AssertSqlSafe;

use super::connections::OFFLINE;

/// Maximum number of devices that one transaction sets Offline.
pub(crate) const BATCH: usize = 500;

/// An orphaned connection, whose node is not alive, as a condition on `device_state s`.
const ORPHANED: &str = "s.status <> $1
    and not exists (select 1 from cloud_node n where n.id = s.cloud_node_id and n.dead_since is null)";

/// A node.
#[derive(Clone, Debug, PartialEq, Eq, sqlx_macros::FromRow)]
pub(crate) struct NodeRow {
    pub(crate) id: String,
    /// Number of its heartbeats.
    pub(crate) beats: i64,
    /// Whether another node declared it dead.
    pub(crate) is_dead: bool,
}

pub(crate) async fn insert(db: &Db, id: &str, now: Timestamp) -> Result<()> {
    let sql = "insert into cloud_node (id, started_at, heartbeat_at) values ($1, $2, $2)";
    db.execute(sql, params![id, now]).await?;
    Ok(())
}

/// Counts a heartbeat. Returns `false` if the node was declared dead.
pub(crate) async fn beat(db: &Db, id: &str, now: Timestamp) -> Result<bool> {
    let sql = "update cloud_node set beats = beats + 1, heartbeat_at = $2 where id = $1 and dead_since is null";
    Ok(db.execute(sql, params![id, now]).await? == 1)
}

/// All nodes except this one.
pub(crate) async fn others(db: &Db, id: &str) -> Result<Vec<NodeRow>> {
    let sql = "select id, beats, dead_since is not null as is_dead from cloud_node where id <> $1 order by id";
    db.fetch_all(sql, params![id]).await
}

/// Whether the node is alive. It then stays alive until the end of the transaction.
pub(crate) async fn is_alive(tx: &mut Tx, id: &str) -> Result<bool> {
    let sql = format!("select id from cloud_node where id = $1 and dead_since is null{}", tx.for_key_share());
    Ok(tx.fetch_optional::<(String,)>(AssertSqlSafe(sql), params![id]).await?.is_some())
}

/// Declares a node dead unless it has sent heartbeats since, or a transaction needs it [alive](is_alive). Returns whether it did.
pub(crate) async fn declare_dead(db: &Db, id: &str, beats: i64, now: Timestamp) -> Result<bool> {
    let declare_dead = async |mut tx: Tx| -> Result<bool> {
        let sql = format!(
            "select id from cloud_node where id = $1 and beats = $2 and dead_since is null{}",
            tx.for_deletion_of_free()
        );
        let Some(_) = tx.fetch_optional::<(String,)>(AssertSqlSafe(sql), params![id, beats]).await? else {
            return Ok(false);
        };
        tx.execute("update cloud_node set dead_since = $2 where id = $1", params![id, now]).await?;
        tx.commit().await?;
        Ok(true)
    };
    db.write(declare_dead).await
}

/// Declares a node dead, as it does itself when it stops.
pub(crate) async fn resign(db: &Db, id: &str, now: Timestamp) -> Result<()> {
    let sql = "update cloud_node set dead_since = $2 where id = $1 and dead_since is null";
    db.execute(sql, params![id, now]).await?;
    Ok(())
}

/// The dead nodes.
pub(crate) async fn dead(db: &Db) -> Result<Vec<String>> {
    let rows: Vec<(String,)> =
        db.fetch_all("select id from cloud_node where dead_since is not null order by id", params![]).await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

pub(crate) async fn delete(db: &Db, id: &str) -> Result<()> {
    db.execute("delete from cloud_node where id = $1", params![id]).await?;
    Ok(())
}

/// Locks the next orphaned connections in the order of their devices, beginning after a device. Fewer than [`BATCH`] are the last ones.
pub(crate) async fn lock_orphaned(tx: &mut Tx, after: i64) -> Result<Vec<i64>> {
    let sql = format!(
        "select s.device_id from device_state s where {ORPHANED} and s.device_id > $2 order by s.device_id limit $3{}",
        tx.for_update()
    );
    let rows: Vec<(i64,)> = tx.fetch_all(AssertSqlSafe(sql), params![OFFLINE, after, BATCH as i64]).await?;
    Ok(rows.into_iter().map(|(device_id,)| device_id).collect())
}

/// Sets the devices from the one after `after` to `last` Offline if their connections are orphaned. Returns them.
pub(crate) async fn close_orphaned(tx: &mut Tx, after: i64, last: i64) -> Result<Vec<i64>> {
    // Repeats the condition with the latest data: a device may have connected to another node while its row was being locked.
    let sql = format!(
        "update device_state as s set status = $1 where {ORPHANED} and s.device_id > $2 and s.device_id <= $3
         returning device_id"
    );
    let rows: Vec<(i64,)> = tx.fetch_all(AssertSqlSafe(sql), params![OFFLINE, after, last]).await?;
    Ok(rows.into_iter().map(|(device_id,)| device_id).collect())
}
