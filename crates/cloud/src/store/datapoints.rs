//! Datapoints: append-only, one chain per property, linked from the newest through `previous`
//! (docs/adr/0005-history-is-a-chain.md). The ack of a datapoint is stored with its command.

use jiff::{SignedDuration, Timestamp};
use platform::db::rows::insert_rows;
use platform::db::{Db, Result, Tx, params};
use platform::run::clock::to_micros;
use platform::run::random::first_uuid_at;
use serde_json::Value;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::chains::ChainPosition;
use super::json::{json, metadata};

/// A datapoint with the ack of its command.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct DatapointRow {
    pub(crate) id: String,
    value: String,
    pub(crate) echo: bool,
    pub(crate) user_uuid: Option<String>,
    metadata: Option<String>,
    pub(crate) created_at: i64,
    pub(crate) created_at_from_device: Option<i64>,
    pub(crate) ack_status: Option<i64>,
    ack_message: Option<String>,
    pub(crate) acked_at: Option<i64>,
    command_state: Option<String>,
}

impl DatapointRow {
    pub(crate) fn value(&self) -> Value {
        json(Some(&self.value))
    }

    pub(crate) fn metadata(&self) -> Value {
        metadata(self.metadata.as_deref())
    }

    pub(crate) fn ack_message(&self) -> Option<Value> {
        self.ack_message.as_deref().map(|text| json(Some(text)))
    }

    /// Whether the device did not answer in time, and has not answered since.
    pub(crate) fn is_expired(&self) -> bool {
        self.command_state.as_deref() == Some(super::commands::EXPIRED)
    }
}

/// A datapoint to insert.
pub(crate) struct NewDatapoint {
    pub(crate) property_id: i64,
    pub(crate) position: ChainPosition,
    /// A JSON scalar.
    pub(crate) value: String,
    /// Whether the device itself reported it.
    pub(crate) echo: bool,
    pub(crate) user_uuid: Option<String>,
    /// A JSON object.
    pub(crate) metadata: Option<String>,
    pub(crate) created_at_from_device: Option<Timestamp>,
}

impl From<NewDatapoint> for DatapointRow {
    fn from(new: NewDatapoint) -> Self {
        Self {
            id: new.position.id,
            value: new.value,
            echo: new.echo,
            user_uuid: new.user_uuid,
            metadata: new.metadata,
            created_at: platform::run::clock::to_micros(new.position.created_at),
            created_at_from_device: new.created_at_from_device.map(platform::run::clock::to_micros),
            ack_status: None,
            ack_message: None,
            acked_at: None,
            command_state: None,
        }
    }
}

const INSERT: &str = "insert into datapoint (id, property_id, previous, value, echo, user_uuid, metadata, created_at, \
     created_at_from_device)";

/// Appends datapoints. The caller must set `last_datapoint` of each property.
pub(crate) async fn insert(tx: &mut Tx, datapoints: &[NewDatapoint]) -> Result<()> {
    // In key order, so that pages of the index fill one after the other.
    let mut datapoints: Vec<&NewDatapoint> = datapoints.iter().collect();
    datapoints.sort_unstable_by_key(|new| &new.position.id);
    insert_rows(tx, INSERT, 9, &datapoints, |values, new| {
        values
            .with(new.position.id.as_str())
            .with(new.property_id)
            .with(new.position.previous.as_deref())
            .with(new.value.as_str())
            .with(new.echo)
            .with(new.user_uuid.as_deref())
            .with(new.metadata.as_deref())
            .with(new.position.created_at)
            .with(new.created_at_from_device)
    })
    .await
}

/// The property's datapoint with this id.
pub(crate) async fn find(db: &Db, property_id: i64, id: &str) -> Result<Option<DatapointRow>> {
    db.fetch_optional(
        "select d.id, d.value, d.echo, d.user_uuid, d.metadata, d.created_at, d.created_at_from_device,
                c.ack_status, c.ack_message, c.acked_at, c.state as command_state
         from datapoint d left join command c on c.id = d.id
         where d.property_id = $1 and d.id = $2",
        params![property_id, id],
    )
    .await
}

/// The value of the previous datapoint, a JSON scalar; `None` if there was none or it was deleted.
pub(crate) async fn value_before(db: &Db, id: &str) -> Result<Option<String>> {
    let sql = "select b.value from datapoint d join datapoint b on b.id = d.previous where d.id = $1";
    let row: Option<(String,)> = db.fetch_optional(sql, params![id]).await?;
    Ok(row.map(|(value,)| value))
}

/// The datapoint of a command.
pub(crate) async fn of_command(tx: &mut Tx, command: &str) -> Result<Option<DatapointRow>> {
    tx.fetch_optional(
        "select d.id, d.value, d.echo, d.user_uuid, d.metadata, d.created_at, d.created_at_from_device,
                c.ack_status, c.ack_message, c.acked_at, c.state as command_state
         from datapoint d join command c on c.id = d.id
         where d.id = $1",
        params![command],
    )
    .await
}

/// A span of time in a history.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// Inclusive start.
    pub(crate) since: Timestamp,
    /// Inclusive end.
    pub(crate) until: Timestamp,
}

impl Span {
    /// The whole history.
    #[cfg(test)]
    pub(crate) const ALL: Self = Self { since: Timestamp::MIN, until: Timestamp::MAX };
}

/// The datapoints `m` of the property `p` in the sparse index. The condition on the id is that of the index. A file's id is older
/// than its datapoint.
const INDEXED: &str = "m.property_id = p.id and substr(m.id, 35) in ('00', '40', '80', 'c0')
    and m.id > coalesce(p.detached_to, '') and not exists (select 1 from file f where f.id = m.id)";

// The id of a datapoint that was written while the clock was ahead is later than its time and than the ids after it in the chain. So
// reads compare times, too.

/// The mean distance of indexed datapoints in a chain.
const INDEX_DISTANCE: i64 = 64;

/// The newest `limit` datapoints of a property within the span, oldest first, starting at `from` if given. Begins at an indexed
/// datapoint soon after the span and reads only as far back as needed, because both databases evaluate the recursive query lazily.
pub(crate) async fn newest(
    db: &Db,
    property_id: i64,
    Span { since, until }: Span,
    from: Option<&str>,
    limit: i64,
) -> Result<Vec<DatapointRow>> {
    let after = until.checked_add(SignedDuration::from_micros(1)).map_or(Uuid::max(), first_uuid_at);
    db.fetch_all(AssertSqlSafe(newest_sql()), params![property_id, since, until, limit, from, after]).await
}

pub(super) fn newest_sql() -> String {
    // PostgreSQL would otherwise merge `start` into the join, overestimate its cost, and read all datapoints instead.
    format!(
        "with recursive start as materialized (
             select coalesce((
                 select m.id from datapoint m
                 where {INDEXED} and m.id >= $6 and m.id < coalesce($5, p.last_datapoint) and m.created_at > $3
                     and m.created_at <= (select e.created_at from datapoint e where e.id = coalesce($5, p.last_datapoint))
                 order by m.id limit 1
             ), $5, p.last_datapoint) as id
             from property p where p.id = $1
         ), chain as (
             select d.*, 0 as back from start join datapoint d on d.id = start.id
             where d.property_id = $1 and d.created_at >= $2
             union all
             select d.*, chain.back + 1 from chain join datapoint d on d.id = chain.previous
             where d.created_at >= $2
         )
         select d.id, d.value, d.echo, d.user_uuid, d.metadata, d.created_at, d.created_at_from_device,
                c.ack_status, c.ack_message, c.acked_at, c.state as command_state
         from (select * from chain where created_at <= $3 limit $4) d
         left join command c on c.id = d.id
         order by d.back desc"
    )
}

/// The `limit` datapoints of a property within the span that follow `than`, oldest first. A chain is linked backwards only, so this
/// reads back from an indexed datapoint that is further away than the limit.
pub(crate) async fn newer(db: &Db, property_id: i64, span: Span, than: &str, limit: i64) -> Result<Vec<DatapointRow>> {
    let mut distance = limit / INDEX_DISTANCE + 1;
    loop {
        let start = indexed_after(db, property_id, span, than, distance).await?;
        let rows = between(db, property_id, span, than, start.as_ref().map(|(id, _)| &**id), limit).await?;
        let is_beyond = |(_, at): &(String, i64)| *at > to_micros(span.until);
        let is_whole = rows.len() as i64 == limit || start.as_ref().is_some_and(is_beyond);
        if is_whole || start.is_none() {
            return Ok(rows);
        }
        distance *= 2;
    }
}

/// The indexed datapoint with `distance` others between it and `than` or the beginning of the span, and its time.
async fn indexed_after(
    db: &Db,
    property_id: i64,
    span: Span,
    than: &str,
    distance: i64,
) -> Result<Option<(String, i64)>> {
    let values = params![property_id, than, first_uuid_at(span.since), distance];
    db.fetch_optional(AssertSqlSafe(indexed_after_sql()), values).await
}

pub(super) fn indexed_after_sql() -> String {
    format!(
        "select m.id, m.created_at from property p join datapoint m on {INDEXED}
         where p.id = $1 and m.id > $2 and m.id >= $3 and m.id < p.last_datapoint order by m.id limit 1 offset $4"
    )
}

/// The first `limit` datapoints of the span between `than` and `start`, or the newest one.
async fn between(
    db: &Db,
    property_id: i64,
    Span { since, until }: Span,
    than: &str,
    start: Option<&str>,
    limit: i64,
) -> Result<Vec<DatapointRow>> {
    db.fetch_all(
        "with recursive chain as (
             select d.*, 0 as back, p.last_datapoint < $5 as any_id
             from property p join datapoint d on d.id = coalesce($6, p.last_datapoint)
             where p.id = $1 and d.property_id = p.id and d.id <> $5 and (p.last_datapoint < $5 or d.id > $5)
               and d.created_at >= $2
             union all
             select d.*, chain.back + 1, chain.any_id from chain join datapoint d on d.id = chain.previous
             where d.id <> $5 and (chain.any_id or d.id > $5) and d.created_at >= $2
         )
         select d.id, d.value, d.echo, d.user_uuid, d.metadata, d.created_at, d.created_at_from_device,
                c.ack_status, c.ack_message, c.acked_at, c.state as command_state
         from (select * from chain where created_at <= $3 order by back desc limit $4) d
         left join command c on c.id = d.id
         order by d.back desc",
        params![property_id, since, until, limit, than, start],
    )
    .await
}

/// Whether the property has a newer datapoint.
pub(crate) async fn is_outdated(db: &Db, property_id: i64, id: &str) -> Result<bool> {
    let sql = "select id from property where id = $1 and last_datapoint <> $2";
    Ok(db.fetch_optional::<(i64,)>(sql, params![property_id, id]).await?.is_some())
}
