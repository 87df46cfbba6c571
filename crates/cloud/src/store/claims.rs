//! Registrations of devices by partners, and their failed attempts.

use jiff::Timestamp;
use platform::db::{Db, Result, Tx, params};
use sqlx::AssertSqlSafe;

/// Maximum number of rows that one statement deletes.
const BATCH: u64 = 1_000;

/// The claims of a user within a period.
#[derive(Clone, Copy, Debug, sqlx_macros::FromRow)]
pub(crate) struct Claims {
    pub(crate) count: i64,
    /// The time of the oldest one.
    pub(crate) oldest: Option<i64>,
}

/// A registration of a device.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct RegistrationRow {
    pub(crate) device_id: i64,
    pub(crate) dsn: String,
    /// `None` if the account was deleted.
    pub(crate) email: Option<String>,
    pub(crate) claimed_at: i64,
    /// Whether the device is still registered through this registration.
    pub(crate) is_current: bool,
}

/// Records that a user registered a device or, without a device, that a try failed because the device was not free.
pub(crate) async fn insert(tx: &mut Tx, user_id: i64, device_id: Option<i64>, now: Timestamp) -> Result<()> {
    let sql = "insert into claim (user_id, device_id, claimed_at) values ($1, $2, $3)";
    tx.execute(sql, params![user_id, device_id, now]).await?;
    Ok(())
}

/// Forgets the registration of a device that returns to stock before it had a customer: a registration that was not completed does not
/// count against the limit of its user.
pub(crate) async fn forget_incomplete(tx: &mut Tx, device_id: i64) -> Result<()> {
    let sql = "delete from claim where device_id = $1
                   and claimed_at = (select registered_at from device where id = $1 and registered)
                   and not exists (select 1 from device_datum where device_id = $1 and key = 'customer' and value <> '')";
    tx.execute(sql, params![device_id]).await?;
    Ok(())
}

/// The user's registrations after `since`.
pub(crate) async fn registrations(tx: &mut Tx, user_id: i64, since: Timestamp) -> Result<Claims> {
    count(tx, "device_id is not null", user_id, since).await
}

/// The user's failed tries after `since`.
pub(crate) async fn failures(tx: &mut Tx, user_id: i64, since: Timestamp) -> Result<Claims> {
    count(tx, "device_id is null", user_id, since).await
}

async fn count(tx: &mut Tx, which: &str, user_id: i64, since: Timestamp) -> Result<Claims> {
    let sql = format!(
        "select count(*) as count, min(claimed_at) as oldest from claim where user_id = $1 and claimed_at > $2 and {which}"
    );
    tx.fetch_one(AssertSqlSafe(sql), params![user_id, since]).await
}

/// The registrations of the manufacturer's devices, newest first; only those of this address and after `since`, if
/// given.
pub(crate) async fn listed(
    db: &Db,
    oem_id: i64,
    email: Option<&str>,
    since: Option<Timestamp>,
) -> Result<Vec<RegistrationRow>> {
    db.fetch_all(
        "select c.device_id, d.dsn, u.email, c.claimed_at,
                d.registered and coalesce(d.registered_at = c.claimed_at, false) as is_current
         from claim c join device d on d.id = c.device_id left join users u on u.id = c.user_id
         where d.oem_id = $1 and ($2 is null or u.email = $2) and ($3 is null or c.claimed_at >= $3)
         order by c.claimed_at desc, c.id desc",
        params![oem_id, email, since],
    )
    .await
}

/// Whether the device is registered since this time.
pub(crate) async fn is_current(tx: &mut Tx, device_id: i64, at: Timestamp) -> Result<bool> {
    let sql = "select id from device where id = $1 and registered and registered_at = $2";
    Ok(tx.fetch_optional::<(i64,)>(sql, params![device_id, at]).await?.is_some())
}

/// Deletes some failed tries from before `before`. Returns whether there may be more.
pub(crate) async fn clear_failures(db: &Db, before: Timestamp) -> Result<bool> {
    let sql = "delete from claim where id in
                   (select id from claim where device_id is null and claimed_at <= $1 limit $2)";
    Ok(db.execute(sql, params![before, BATCH as i64]).await? == BATCH)
}
