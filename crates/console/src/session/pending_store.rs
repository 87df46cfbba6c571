//! The `pending_sign_ins` table.

use jiff::Timestamp;
use platform::db::{Db, Result, params};
use uuid::Uuid;

use super::SessionHash;

pub(super) async fn insert(
    db: &Db,
    hash: &SessionHash,
    user: Uuid,
    tokens: Vec<u8>,
    expires_at: Timestamp,
) -> Result<()> {
    let sql = "INSERT INTO pending_sign_ins (id_hash, user_id, tokens, expires_at) VALUES ($1, $2, $3, $4)";
    db.execute(sql, params![hash.as_str(), user, tokens, expires_at]).await?;
    Ok(())
}

/// Counts a check of a code. False if the sign-in has ended, expired, or had `limit` checks.
pub(super) async fn count_attempt(db: &Db, hash: &SessionHash, now: Timestamp, limit: i64) -> Result<bool> {
    let sql = "UPDATE pending_sign_ins SET attempts = attempts + 1 \
               WHERE id_hash = $1 AND expires_at > $2 AND attempts < $3";
    Ok(db.execute(sql, params![hash.as_str(), now, limit]).await? > 0)
}

/// The user and the encrypted tokens.
pub(super) async fn find(db: &Db, hash: &SessionHash) -> Result<Option<(Uuid, Vec<u8>)>> {
    let sql = "SELECT user_id, tokens FROM pending_sign_ins WHERE id_hash = $1";
    let row: Option<(String, Vec<u8>)> = db.fetch_optional(sql, params![hash.as_str()]).await?;
    Ok(row.map(|(user, tokens)| (Uuid::parse_str(&user).unwrap_or_default(), tokens)))
}

/// False when another request has ended the sign-in.
pub(super) async fn delete(db: &Db, hash: &SessionHash) -> Result<bool> {
    Ok(db.execute("DELETE FROM pending_sign_ins WHERE id_hash = $1", params![hash.as_str()]).await? > 0)
}

/// Deletes expired sign-ins and returns their hashes and encrypted tokens.
pub(super) async fn delete_expired(db: &Db, now: Timestamp) -> Result<Vec<(SessionHash, Vec<u8>)>> {
    // Read first: almost always there are none, and a write would take the writer's turn.
    let sql = "SELECT id_hash FROM pending_sign_ins WHERE expires_at <= $1 LIMIT 1";
    if db.fetch_optional::<(String,)>(sql, params![now]).await?.is_none() {
        return Ok(Vec::new());
    }
    let deleted = db
        .write(|mut tx| async move {
            let sql = "DELETE FROM pending_sign_ins WHERE expires_at <= $1 RETURNING id_hash, tokens";
            let rows: Vec<(String, Vec<u8>)> = tx.fetch_all(sql, params![now]).await?;
            tx.commit().await?;
            Result::Ok(rows)
        })
        .await?;
    Ok(deleted.into_iter().map(|(hash, tokens)| (SessionHash::from_stored(hash), tokens)).collect())
}
