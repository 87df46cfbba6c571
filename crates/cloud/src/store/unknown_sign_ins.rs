//! Wrong passwords for addresses without a user. They are counted like those of users, so that no answer reveals
//! accounts.

use jiff::Timestamp;
use platform::db::{Db, Result, params};

use super::users::{FailureLimit, folded};
use crate::domain::secret::digest;

/// How many rows one statement deletes.
const BATCH: u64 = 1_000;

/// Whether sign-ins with this address are answered like those of a locked account.
pub(crate) async fn is_locked(db: &Db, oem_id: i64, email: &str, now: Timestamp) -> Result<bool> {
    let sql = "select locked_until from unknown_sign_in where oem_id = $1 and address_hash = $2 and locked_until > $3";
    let locked: Option<(i64,)> = db.fetch_optional(sql, params![oem_id, address_hash(email), now]).await?;
    Ok(locked.is_some())
}

/// Counts a wrong password. The `limit.max`th in a row locks.
pub(crate) async fn count_failure(db: &Db, oem_id: i64, email: &str, limit: FailureLimit) -> Result<()> {
    let FailureLimit { max, locked_until, counted_since, now } = limit;
    db.execute(
        "insert into unknown_sign_in (oem_id, address_hash, failed_sign_ins, updated_at) values ($1, $2, 1, $5)
         on conflict (oem_id, address_hash) do update set
             locked_until = case
                 when case when unknown_sign_in.updated_at > $6 then unknown_sign_in.failed_sign_ins else 0 end + 1 >= $3
                 then $4 else unknown_sign_in.locked_until end,
             failed_sign_ins = case
                 when unknown_sign_in.updated_at <= $6 then 1
                 when unknown_sign_in.failed_sign_ins + 1 >= $3 then 0
                 else unknown_sign_in.failed_sign_ins + 1 end,
             updated_at = $5",
        params![oem_id, address_hash(email), max, locked_until, now, counted_since],
    )
    .await?;
    Ok(())
}

/// Deletes some rows that were last changed at `until` or before. Returns whether there may be more.
pub(crate) async fn clear(db: &Db, until: Timestamp) -> Result<bool> {
    let sql = "delete from unknown_sign_in where (oem_id, address_hash) in
                   (select oem_id, address_hash from unknown_sign_in where updated_at <= $1 limit $2)";
    Ok(db.execute(sql, params![until, BATCH as i64]).await? == BATCH)
}

fn address_hash(email: &str) -> String {
    digest(&folded(email))
}
