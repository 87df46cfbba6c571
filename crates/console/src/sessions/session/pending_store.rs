//! The `pending_sign_ins` table.

use jiff::Timestamp;
use platform::db::{Db, Result, Tx, params};
use uuid::Uuid;

use super::SessionHash;

pub(super) async fn insert(
    db: &Db,
    hash: &SessionHash,
    user: Uuid,
    tokens: Vec<u8>,
    expires_at: Timestamp,
) -> Result<()> {
    let sql = "insert into pending_sign_ins (id_hash, user_id, tokens, expires_at) values ($1, $2, $3, $4)";
    db.execute(sql, params![hash.as_str(), user, tokens, expires_at]).await?;
    Ok(())
}

/// Counts a check of a code. False if the sign-in has ended, expired, or had `limit` checks.
pub(super) async fn count_attempt(db: &Db, hash: &SessionHash, now: Timestamp, limit: i64) -> Result<bool> {
    let sql = "update pending_sign_ins set attempts = attempts + 1 \
               where id_hash = $1 and expires_at > $2 and attempts < $3";
    Ok(db.execute(sql, params![hash.as_str(), now, limit]).await? > 0)
}

/// The user of a sign-in that has not expired.
pub(super) async fn user(db: &Db, hash: &SessionHash, now: Timestamp) -> Result<Option<Uuid>> {
    let sql = "select user_id from pending_sign_ins where id_hash = $1 and expires_at > $2";
    let row: Option<(String,)> = db.fetch_optional(sql, params![hash.as_str(), now]).await?;
    Ok(row.map(|(user,)| Uuid::parse_str(&user).unwrap_or_default()))
}

/// The user and the encrypted tokens.
pub(super) async fn find(db: &Db, hash: &SessionHash) -> Result<Option<(Uuid, Vec<u8>)>> {
    let sql = "select user_id, tokens from pending_sign_ins where id_hash = $1";
    let row: Option<(String, Vec<u8>)> = db.fetch_optional(sql, params![hash.as_str()]).await?;
    Ok(row.map(|(user, tokens)| (Uuid::parse_str(&user).unwrap_or_default(), tokens)))
}

/// False when another request has ended the sign-in.
pub(super) async fn delete(db: &Db, hash: &SessionHash) -> Result<bool> {
    Ok(db.execute("delete from pending_sign_ins where id_hash = $1", params![hash.as_str()]).await? > 0)
}

/// Deletes the sign-ins of a user and returns their hashes and encrypted tokens.
pub(super) async fn delete_all_of_user(tx: &mut Tx, user: Uuid) -> Result<Vec<(SessionHash, Vec<u8>)>> {
    let sql = "delete from pending_sign_ins where user_id = $1 returning id_hash, tokens";
    let rows: Vec<(String, Vec<u8>)> = tx.fetch_all(sql, params![user]).await?;
    Ok(rows.into_iter().map(|(hash, tokens)| (SessionHash::from_stored(hash), tokens)).collect())
}

/// Deletes expired sign-ins and returns their hashes and encrypted tokens.
pub(super) async fn delete_expired(db: &Db, now: Timestamp) -> Result<Vec<(SessionHash, Vec<u8>)>> {
    // Read first: almost always there are none, and a write would take the writer's turn.
    let sql = "select id_hash from pending_sign_ins where expires_at <= $1 limit 1";
    if db.fetch_optional::<(String,)>(sql, params![now]).await?.is_none() {
        return Ok(Vec::new());
    }
    let deleted = db
        .write(|mut tx| async move {
            let sql = "delete from pending_sign_ins where expires_at <= $1 returning id_hash, tokens";
            let rows: Vec<(String, Vec<u8>)> = tx.fetch_all(sql, params![now]).await?;
            tx.commit().await?;
            Result::Ok(rows)
        })
        .await?;
    Ok(deleted.into_iter().map(|(hash, tokens)| (SessionHash::from_stored(hash), tokens)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TESS: Uuid = Uuid::from_u128(7);

    fn at(time: &str) -> Timestamp {
        format!("2026-11-20T{time}Z").parse().unwrap()
    }

    async fn attempts_end_with_the_limit_and_the_time(db: Db) {
        let (one, two) = (SessionHash::of(&[1; 32]), SessionHash::of(&[2; 32]));
        for hash in [&one, &two] {
            insert(&db, hash, TESS, vec![1, 2], at("12:05:00")).await.unwrap();
        }
        let attempt = async |hash: &SessionHash, time: &str| count_attempt(&db, hash, at(time), 2).await.unwrap();
        assert_eq!([attempt(&one, "12:00:00").await, attempt(&one, "12:04:59").await], [true, true]);
        assert!(!attempt(&one, "12:04:59").await, "the limit");
        assert!(!attempt(&two, "12:05:00").await, "expired");
        assert_eq!(find(&db, &two).await.unwrap(), Some((TESS, vec![1, 2])));
        assert_eq!(user(&db, &two, at("12:04:59")).await.unwrap(), Some(TESS));
        assert_eq!(user(&db, &two, at("12:05:00")).await.unwrap(), None, "expired");
        assert!(!attempt(&SessionHash::of(&[3; 32]), "12:00:00").await, "unknown");
    }

    async fn sign_in_is_ended_once(db: Db) {
        let hash = SessionHash::of(&[1; 32]);
        insert(&db, &hash, TESS, vec![1], at("12:05:00")).await.unwrap();
        assert!(delete(&db, &hash).await.unwrap());
        assert!(!delete(&db, &hash).await.unwrap());
        assert!(find(&db, &hash).await.unwrap().is_none());
    }

    async fn only_expired_sign_ins_are_deleted(db: Db) {
        let (old, young) = (SessionHash::of(&[1; 32]), SessionHash::of(&[2; 32]));
        insert(&db, &old, TESS, vec![1], at("12:05:00")).await.unwrap();
        insert(&db, &young, TESS, vec![2], at("12:06:00")).await.unwrap();
        assert!(delete_expired(&db, at("12:04:59")).await.unwrap().is_empty());
        assert_eq!(delete_expired(&db, at("12:05:00")).await.unwrap(), [(old, vec![1])]);
        assert!(find(&db, &young).await.unwrap().is_some());
    }

    platform::store_suite!(
        migrate = crate::migrations::migrate,
        tests = [attempts_end_with_the_limit_and_the_time, sign_in_is_ended_once, only_expired_sign_ins_are_deleted]
    );
}
