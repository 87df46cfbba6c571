//! Subscriptions to the data stream, each with its stream key.

use jiff::Timestamp;
use platform::db::rows::{key_runs, placeholders};
use platform::db::{Db, Params, Result, Tx, params};
use sqlx::AssertSqlSafe;

use super::users;
use crate::domain::secret::digest;

/// A subscription, with the uuid and manufacturer of its owner.
#[derive(Clone, sqlx_macros::FromRow)]
pub(crate) struct SubscriptionRow {
    pub(crate) id: i64,
    pub(crate) user_id: i64,
    pub(crate) user_uuid: String,
    pub(crate) oem_code: String,
    pub(crate) name: String,
    pub(crate) description: String,
    /// Comma-separated serial numbers; `None` for every device in the owner's scope.
    pub(crate) dsn: Option<String>,
    /// Comma-separated names, or `*`.
    pub(crate) property_name: String,
    pub(crate) oem_model: Option<String>,
    pub(crate) client_type: String,
    /// Comma-separated event types.
    pub(crate) subscription_type: String,
    pub(crate) stream_key: String,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
}

/// A subscription to create.
pub(crate) struct NewSubscription {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) dsn: Option<String>,
    pub(crate) property_name: String,
    pub(crate) oem_model: Option<String>,
    pub(crate) client_type: String,
    pub(crate) subscription_type: String,
}

const SELECT: &str = "select s.id, s.user_id, u.uuid as user_uuid, o.code as oem_code, s.name, s.description, s.dsn,
           s.property_name, s.oem_model, s.client_type, s.subscription_type, s.stream_key, s.created_at, s.updated_at
    from subscription s join users u on u.id = s.user_id join oem o on o.id = u.oem_id";

/// Creates a subscription that ends with the session of this access token; returns its id and user, `None` if there is no such
/// session.
pub(crate) async fn insert(
    tx: &mut Tx,
    access_token: &str,
    new: &NewSubscription,
    stream_key: &str,
    now: Timestamp,
) -> Result<Option<(i64, i64)>> {
    tx.fetch_optional(
        "insert into subscription (user_id, session_id, name, description, dsn, property_name, oem_model, client_type,
                                   subscription_type, stream_key, created_at, updated_at)
         select user_id, id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10 from session where access_hash = $1
         returning id, user_id",
        params![
            digest(access_token),
            &new.name,
            &new.description,
            new.dsn.as_ref(),
            &new.property_name,
            new.oem_model.as_ref(),
            &new.client_type,
            &new.subscription_type,
            stream_key,
            now,
        ],
    )
    .await
}

/// The ids of the user's subscriptions, oldest first, locked until the end of the transaction.
pub(crate) async fn lock_rows(tx: &mut Tx, user_id: i64) -> Result<Vec<i64>> {
    users::lock_rows(tx, user_id).await?;
    let sql = "select id from subscription where user_id = $1 order by id";
    let rows: Vec<(i64,)> = tx.fetch_all(sql, params![user_id]).await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// Deletes these subscriptions.
pub(crate) async fn delete_all(tx: &mut Tx, ids: &[i64]) -> Result<()> {
    for run in key_runs(ids) {
        let sql = format!("delete from subscription where id in ({})", placeholders(tx.dialect(), run.len()));
        tx.execute(AssertSqlSafe(sql), run.into_iter().fold(Params::default(), Params::with)).await?;
    }
    Ok(())
}

/// The user's subscriptions, oldest first.
pub(crate) async fn of_user(db: &Db, user_id: i64) -> Result<Vec<SubscriptionRow>> {
    let sql = format!("{SELECT} where s.user_id = $1 order by s.id");
    db.fetch_all(AssertSqlSafe(sql), params![user_id]).await
}

/// The user's subscription with this id.
pub(crate) async fn find(db: &Db, user_id: i64, id: i64) -> Result<Option<SubscriptionRow>> {
    let sql = format!("{SELECT} where s.user_id = $1 and s.id = $2");
    db.fetch_optional(AssertSqlSafe(sql), params![user_id, id]).await
}

pub(crate) async fn by_stream_key(db: &Db, stream_key: &str) -> Result<Option<SubscriptionRow>> {
    let sql = format!("{SELECT} where s.stream_key = $1");
    db.fetch_optional(AssertSqlSafe(sql), params![stream_key]).await
}

/// Whether it exists.
pub(crate) async fn exists(db: &Db, id: i64) -> Result<bool> {
    let row: Option<(i64,)> = db.fetch_optional("select id from subscription where id = $1", params![id]).await?;
    Ok(row.is_some())
}

/// Deletes the user's subscription. Returns whether it existed.
pub(crate) async fn delete(db: &Db, user_id: i64, id: i64) -> Result<bool> {
    let deleted = db.execute("delete from subscription where user_id = $1 and id = $2", params![user_id, id]).await?;
    Ok(deleted == 1)
}
