//! Shares of devices. An expired share counts as deleted: it is not listed, and a new one may replace it.

use jiff::Timestamp;
use platform::db::{Db, Result, Tx, params};
use sqlx::AssertSqlSafe;

use crate::domain::share::{Operation, Period};

/// The keys of a share, its device, its owner and its recipient.
#[derive(Clone, Copy, Debug, sqlx_macros::FromRow)]
pub(crate) struct ShareKeys {
    id: i64,
    device_id: i64,
    owner_id: i64,
    user_id: i64,
}

impl ShareKeys {
    /// Logs a change of the share by a user.
    pub(crate) fn log(self, change: &str, by: i64) {
        let Self { id, device_id, owner_id, user_id } = self;
        tracing::info!(share = id, device = device_id, owner = owner_id, recipient = user_id, by, "{change}");
    }
}

/// A share with its device, role, owner and recipient.
#[derive(Clone, sqlx_macros::FromRow)]
pub(crate) struct ShareRow {
    pub(crate) id: i64,
    pub(crate) device_id: i64,
    pub(crate) dsn: String,
    /// The user who shared the device.
    pub(crate) owner_id: i64,
    /// The recipient.
    pub(crate) user_id: i64,
    operation: Option<String>,
    pub(crate) role_name: Option<String>,
    pub(crate) start_at: Option<i64>,
    pub(crate) end_at: Option<i64>,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) owner_firstname: Option<String>,
    pub(crate) owner_lastname: Option<String>,
    pub(crate) owner_email: String,
    pub(crate) user_firstname: Option<String>,
    pub(crate) user_lastname: Option<String>,
    pub(crate) user_email: String,
}

impl ShareRow {
    pub(crate) fn keys(&self) -> ShareKeys {
        ShareKeys { id: self.id, device_id: self.device_id, owner_id: self.owner_id, user_id: self.user_id }
    }

    /// `None` if the share names a role.
    pub(crate) fn operation(&self) -> Option<Operation> {
        self.operation.as_deref().and_then(Operation::find)
    }

    pub(crate) fn period(&self) -> Period {
        Period { start: self.start_at, end: self.end_at }
    }
}

/// The right that a share gives: an operation, or the one that this role implies.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Right {
    Operation(Operation),
    Role(i64),
}

impl Right {
    fn columns(self) -> (Option<&'static str>, Option<i64>) {
        match self {
            Self::Operation(operation) => (Some(operation.as_str()), None),
            Self::Role(id) => (None, Some(id)),
        }
    }
}

/// A share to create.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewShare {
    pub(crate) device_id: i64,
    pub(crate) owner_id: i64,
    pub(crate) user_id: i64,
    pub(crate) right: Right,
    pub(crate) period: Period,
}

const SELECT: &str =
    "select s.id, s.device_id, d.dsn, s.owner_id, s.user_id, s.operation, r.name as role_name, s.start_at,
        s.end_at, s.created_at, s.updated_at,
        o.firstname as owner_firstname, o.lastname as owner_lastname, o.email as owner_email,
        u.firstname as user_firstname, u.lastname as user_lastname, u.email as user_email
    from share s
    join device d on d.id = s.device_id
    join users o on o.id = s.owner_id
    join users u on u.id = s.user_id
    left join role r on r.id = s.role_id
    where (s.end_at is null or s.end_at > $2)";

/// The shares that this user gave, oldest first.
pub(crate) async fn given(db: &Db, user_id: i64, now: Timestamp) -> Result<Vec<ShareRow>> {
    let sql = format!("{SELECT} and s.owner_id = $1 order by s.id");
    db.fetch_all(AssertSqlSafe(sql), params![user_id, now]).await
}

/// The shares that this user received, oldest first, including future ones.
pub(crate) async fn received(db: &Db, user_id: i64, now: Timestamp) -> Result<Vec<ShareRow>> {
    let sql = format!("{SELECT} and s.user_id = $1 order by s.id");
    db.fetch_all(AssertSqlSafe(sql), params![user_id, now]).await
}

/// The shares of this device, oldest first, including future ones.
pub(crate) async fn of_device(db: &Db, device_id: i64, now: Timestamp) -> Result<Vec<ShareRow>> {
    let sql = format!("{SELECT} and s.device_id = $1 order by s.id");
    db.fetch_all(AssertSqlSafe(sql), params![device_id, now]).await
}

/// The share of this id.
pub(crate) async fn find(db: &Db, id: i64, now: Timestamp) -> Result<Option<ShareRow>> {
    db.fetch_optional(AssertSqlSafe(format!("{SELECT} and s.id = $1")), params![id, now]).await
}

/// Locks and returns the share of this id.
pub(crate) async fn find_locked(tx: &mut Tx, id: i64, now: Timestamp) -> Result<Option<ShareRow>> {
    let lock = format!("select id from share where id = $1{}", tx.for_update());
    tx.fetch_optional::<(i64,)>(AssertSqlSafe(lock), params![id]).await?;
    // Read after the lock: the transaction that held it may have changed the row.
    tx.fetch_optional(AssertSqlSafe(format!("{SELECT} and s.id = $1")), params![id, now]).await
}

/// The number of shares that the user gave.
pub(crate) async fn count_given(tx: &mut Tx, user_id: i64, now: Timestamp) -> Result<i64> {
    let sql = "select count(*) from share where owner_id = $1 and (end_at is null or end_at > $2)";
    let (count,) = tx.fetch_one(sql, params![user_id, now]).await?;
    Ok(count)
}

/// The number of recipients of the device.
pub(crate) async fn count_of_device(tx: &mut Tx, device_id: i64, now: Timestamp) -> Result<i64> {
    let sql = "select count(*) from share where device_id = $1 and (end_at is null or end_at > $2)";
    let (count,) = tx.fetch_one(sql, params![device_id, now]).await?;
    Ok(count)
}

/// Creates the share. Returns its id, or `None` if the recipient has one of this device.
pub(crate) async fn insert(tx: &mut Tx, share: &NewShare, now: Timestamp) -> Result<Option<i64>> {
    let NewShare { device_id, owner_id, user_id, right, period } = *share;
    let sql = "delete from share where device_id = $1 and user_id = $2 and end_at <= $3";
    tx.execute(sql, params![device_id, user_id, now]).await?;
    let (operation, role_id) = right.columns();
    let row: Option<(i64,)> = tx
        .fetch_optional(
            "insert into share (device_id, owner_id, user_id, operation, role_id, start_at, end_at, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $8)
             on conflict (device_id, user_id) do nothing returning id",
            params![device_id, owner_id, user_id, operation, role_id, period.start, period.end, now],
        )
        .await?;
    Ok(row.map(|(id,)| id))
}

/// Updates the period of a share, and its right if given.
pub(crate) async fn update(tx: &mut Tx, id: i64, right: Option<Right>, period: Period, now: Timestamp) -> Result<()> {
    let (operation, role_id) = right.map(Right::columns).unwrap_or_default();
    tx.execute(
        "update share set start_at = $2, end_at = $3, updated_at = $4,
             operation = case when $5 then $6 else operation end, role_id = case when $5 then $7 else role_id end
         where id = $1",
        params![id, period.start, period.end, now, right.is_some(), operation, role_id],
    )
    .await?;
    Ok(())
}

/// Returns whether there was such a share.
pub(crate) async fn delete(db: &Db, id: i64) -> Result<bool> {
    Ok(db.execute("delete from share where id = $1", params![id]).await? == 1)
}

/// Deletes the shares of the device, all or those of one recipient. Returns them.
pub(crate) async fn delete_of_device(db: &Db, device_id: i64, user_id: Option<i64>) -> Result<Vec<ShareKeys>> {
    let sql = "delete from share where device_id = $1 and ($2 is null or user_id = $2)
               returning id, device_id, owner_id, user_id";
    let delete_of_device = async |mut tx: Tx| -> Result<_> {
        let ended = tx.fetch_all(sql, params![device_id, user_id]).await?;
        tx.commit().await?;
        Ok(ended)
    };
    db.write(delete_of_device).await
}

/// Deletes expired shares.
pub(crate) async fn clear(db: &Db, now: Timestamp) -> Result<()> {
    db.execute("delete from share where end_at <= $1", params![now]).await?;
    Ok(())
}
