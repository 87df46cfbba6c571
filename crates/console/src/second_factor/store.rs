//! The tables `second_factors` and `recovery_codes`.

use jiff::{SignedDuration, Timestamp};
use platform::clock::from_micros;
use platform::db::{Db, Result, Tx, params};
use sqlx::FromRow;
use uuid::Uuid;

/// A person's authenticator app.
pub(super) struct StoredTotp {
    pub(super) sealed_secret: Vec<u8>,
    /// `None` while it is being set up.
    pub(super) added_at: Option<Timestamp>,
}

#[derive(FromRow)]
struct TotpRow {
    totp_secret: Vec<u8>,
    totp_added_at: Option<i64>,
}

/// The person's authenticator app, also one that is being set up.
pub(super) async fn totp(db: &Db, user: Uuid) -> Result<Option<StoredTotp>> {
    let sql = "SELECT totp_secret, totp_added_at FROM second_factors WHERE user_id = $1 AND totp_secret IS NOT NULL";
    let row: Option<TotpRow> = db.fetch_optional(sql, params![user]).await?;
    Ok(row.map(|row| StoredTotp { sealed_secret: row.totp_secret, added_at: row.totp_added_at.map(from_micros) }))
}

/// Stores the secret of an app that is being set up. False if the person already has one.
pub(super) async fn begin_totp(db: &Db, user: Uuid, sealed_secret: Vec<u8>) -> Result<bool> {
    let sql = "INSERT INTO second_factors (user_id, totp_secret) VALUES ($1, $2) ON CONFLICT (user_id) DO UPDATE \
               SET totp_secret = excluded.totp_secret, totp_last_step = 0 WHERE second_factors.totp_added_at IS NULL";
    Ok(db.execute(sql, params![user, sealed_secret]).await? > 0)
}

/// Adds the app with this secret after its code of `step`, and replaces the recovery codes. False if another one was set up
/// meanwhile.
pub(super) async fn confirm_totp(
    db: &Db,
    user: Uuid,
    totp: &StoredTotp,
    step: i64,
    now: Timestamp,
    code_hashes: &[String],
) -> Result<bool> {
    db.write(|mut tx| async move {
        let sql = "UPDATE second_factors SET totp_added_at = $2, totp_last_step = $3, attempts = 0, attempts_since = 0 \
                   WHERE user_id = $1 AND totp_added_at IS NULL AND totp_secret = $4";
        let values = params![user, now, step, totp.sealed_secret.clone()];
        let is_added = tx.execute(sql, values).await? > 0;
        if is_added {
            replace_codes(&mut tx, user, code_hashes).await?;
        }
        tx.commit().await?;
        Ok(is_added)
    })
    .await
}

/// Removes the app and the recovery codes.
pub(super) async fn remove(db: &Db, user: Uuid) -> Result<()> {
    db.write(|mut tx| async move {
        replace_codes(&mut tx, user, &[]).await?;
        tx.execute("DELETE FROM second_factors WHERE user_id = $1", params![user]).await?;
        tx.commit().await
    })
    .await
}

/// Counts a check of a code. False if `limit` codes were checked within `window`: the code must not be checked.
pub(super) async fn count_attempt(
    db: &Db,
    user: Uuid,
    now: Timestamp,
    window: SignedDuration,
    limit: i64,
) -> Result<bool> {
    let sql = "UPDATE second_factors SET attempts = CASE WHEN attempts_since <= $2 THEN 1 ELSE attempts + 1 END, \
               attempts_since = CASE WHEN attempts_since <= $2 THEN $3 ELSE attempts_since END \
               WHERE user_id = $1 AND (attempts_since <= $2 OR attempts < $4)";
    Ok(db.execute(sql, params![user, now - window, now, limit]).await? > 0)
}

/// When the first of the counted checks was.
pub(super) async fn attempts_since(db: &Db, user: Uuid) -> Result<Option<Timestamp>> {
    let sql = "SELECT attempts_since FROM second_factors WHERE user_id = $1";
    let row: Option<(i64,)> = db.fetch_optional(sql, params![user]).await?;
    Ok(row.map(|(since,)| from_micros(since)))
}

/// Accepts the app's code of this time step. False if it or a later one was accepted before, on any node.
pub(super) async fn accept_step(db: &Db, user: Uuid, step: i64) -> Result<bool> {
    let sql = "UPDATE second_factors SET totp_last_step = $2, attempts = 0, attempts_since = 0 \
               WHERE user_id = $1 AND totp_last_step < $2 AND totp_added_at IS NOT NULL";
    Ok(db.execute(sql, params![user, step]).await? > 0)
}

/// Uses up a recovery code. False if there is none with this hash.
pub(super) async fn use_code(db: &Db, user: Uuid, hash: &str) -> Result<bool> {
    db.write(|mut tx| async move {
        let sql = "DELETE FROM recovery_codes WHERE user_id = $1 AND code_hash = $2";
        let is_used = tx.execute(sql, params![user, hash]).await? > 0;
        if is_used {
            tx.execute("UPDATE second_factors SET attempts = 0, attempts_since = 0 WHERE user_id = $1", params![user])
                .await?;
        }
        tx.commit().await?;
        Ok(is_used)
    })
    .await
}

/// Replaces the recovery codes of a person with a second factor. False if there is none any more.
pub(super) async fn renew_codes(db: &Db, user: Uuid, hashes: &[String]) -> Result<bool> {
    db.write(|mut tx| async move {
        let sql = "UPDATE second_factors SET attempts = 0, attempts_since = 0 WHERE user_id = $1 AND totp_added_at IS NOT NULL";
        let exists = tx.execute(sql, params![user]).await? > 0;
        if exists {
            replace_codes(&mut tx, user, hashes).await?;
        }
        tx.commit().await?;
        Ok(exists)
    })
    .await
}

/// The number of recovery codes that are not used yet.
pub(super) async fn count_codes(db: &Db, user: Uuid) -> Result<i64> {
    let (count,): (i64,) =
        db.fetch_one("SELECT count(*) FROM recovery_codes WHERE user_id = $1", params![user]).await?;
    Ok(count)
}

async fn replace_codes(tx: &mut Tx, user: Uuid, hashes: &[String]) -> Result<()> {
    tx.execute("DELETE FROM recovery_codes WHERE user_id = $1", params![user]).await?;
    for hash in hashes {
        let sql = "INSERT INTO recovery_codes (user_id, code_hash) VALUES ($1, $2)";
        tx.execute(sql, params![user, hash.as_str()]).await?;
    }
    Ok(())
}
