//! Sessions with an access token and a refresh token, stored as digests.

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result, Tx, params};

use super::{roles, users};
use crate::domain::principal::Principal;
use crate::domain::secret::digest;

/// How long a replaced refresh token stays valid, so that a client that lost the response can repeat the request
///
pub(super) const GRACE: SignedDuration = SignedDuration::from_secs(60);

/// Maximum number of sessions of a user.
const MAX_PER_USER: i64 = 100;
/// How many rows one statement deletes.
const BATCH: u64 = 1_000;

/// The two tokens of a session in plain text: they exist only until the response is sent.
pub(crate) struct Tokens {
    pub(crate) access: String,
    pub(crate) refresh: String,
}

/// Creates a session. If the user has too many, the one that was renewed the longest time ago ends. Returns whether one ended.
pub(crate) async fn open(
    db: &Db,
    user_id: i64,
    tokens: &Tokens,
    now: Timestamp,
    expires_at: Timestamp,
) -> Result<bool> {
    let open = async |mut tx: Tx| -> Result<bool> {
        users::lock_rows(&mut tx, user_id).await?;
        let (session_id,): (i64,) = tx
            .fetch_one(
                "insert into session (user_id, access_hash, access_expires_at, created_at) values ($1, $2, $3, $4)
                 returning id",
                params![user_id, digest(&tokens.access), expires_at, now],
            )
            .await?;
        insert_refresh_token(&mut tx, session_id, &tokens.refresh).await?;
        let ended = tx
            .execute(
                "delete from session where user_id = $1 and id <> $2 and id not in
                     (select id from session where user_id = $1 and id <> $2 order by access_expires_at desc, id desc limit $3)",
                params![user_id, session_id, MAX_PER_USER - 1],
            )
            .await?;
        tx.commit().await?;
        Ok(ended > 0)
    };
    db.write(open).await
}

/// The user of an access token with their current rights; `None` if the token is unknown or expired.
pub(crate) async fn authenticate(db: &Db, access_token: &str, now: Timestamp) -> Result<Option<Principal>> {
    roles::principal_of(
        db,
        "select u.id as user_id, u.uuid, u.oem_id, r.id as role_id, r.name, r.kind, r.label_key, g.label_value
         from session s join users u on u.id = s.user_id
         left join user_role g on g.user_id = u.id left join role r on r.id = g.role_id
         where s.access_hash = $1 and s.access_expires_at > $2",
        params![digest(access_token), now],
    )
    .await
}

/// Replaces both tokens of the session of this refresh token: the old access token ends immediately, the old refresh token
/// after the grace period. Returns the session's user; `None` for an invalid token, or for a session whose access token
/// expired at `unused_since` or before.
pub(crate) async fn rotate(
    db: &Db,
    refresh_token: &str,
    tokens: &Tokens,
    now: Timestamp,
    expires_at: Timestamp,
    unused_since: Timestamp,
) -> Result<Option<i64>> {
    let rotate = async |mut tx: Tx| -> Result<Option<i64>> {
        // Locks the session first, so that concurrent rotations of a session run one after the other.
        let session: Option<(i64, i64)> = tx
            .fetch_optional(
                "update session set access_hash = $1, access_expires_at = $2
                 where id = (select session_id from refresh_token
                             where hash = $3 and (honoured_until is null or honoured_until > $4))
                   and access_expires_at > $5
                 returning id, user_id",
                params![digest(&tokens.access), expires_at, digest(refresh_token), now, unused_since],
            )
            .await?;
        let Some((session_id, user_id)) = session else { return Ok(None) };
        tx.execute(
            "delete from refresh_token where session_id = $1 and honoured_until <= $2",
            params![session_id, now],
        )
        .await?;
        tx.execute(
            "update refresh_token set honoured_until = $2 where session_id = $1 and honoured_until is null",
            params![session_id, now + GRACE],
        )
        .await?;
        insert_refresh_token(&mut tx, session_id, &tokens.refresh).await?;
        tx.commit().await?;
        Ok(Some(user_id))
    };
    db.write(rotate).await
}

/// Deletes the session of this access token, expired or not. Returns its user.
pub(crate) async fn close(db: &Db, access_token: &str) -> Result<Option<i64>> {
    let close = async |mut tx: Tx| -> Result<_> {
        let sql = "delete from session where access_hash = $1 returning user_id";
        let ended: Option<(i64,)> = tx.fetch_optional(sql, params![digest(access_token)]).await?;
        tx.commit().await?;
        Ok(ended)
    };
    let ended = db.write(close).await?;
    Ok(ended.map(|(user_id,)| user_id))
}

/// Deletes all sessions of a user except that of this access token.
pub(crate) async fn close_all(tx: &mut Tx, user_id: i64, but: Option<&str>) -> Result<()> {
    let but = but.map(digest).unwrap_or_default();
    tx.execute("delete from session where user_id = $1 and access_hash <> $2", params![user_id, but]).await?;
    Ok(())
}

/// Deletes some refresh tokens whose grace period is over. Returns whether there may be more.
pub(crate) async fn clear_tokens(db: &Db, now: Timestamp) -> Result<bool> {
    let sql =
        "delete from refresh_token where hash in (select hash from refresh_token where honoured_until <= $1 limit $2)";
    Ok(db.execute(sql, params![now, BATCH as i64]).await? == BATCH)
}

/// Deletes some sessions whose access tokens expired at `unused_since` or before, with their subscriptions. Returns whether
/// there may be more.
pub(crate) async fn clear_unused(db: &Db, unused_since: Timestamp) -> Result<bool> {
    let sql = "delete from session where id in (select id from session where access_expires_at <= $1 limit $2)";
    Ok(db.execute(sql, params![unused_since, BATCH as i64]).await? == BATCH)
}

async fn insert_refresh_token(tx: &mut Tx, session_id: i64, token: &str) -> Result<()> {
    tx.execute("insert into refresh_token (hash, session_id) values ($1, $2)", params![digest(token), session_id])
        .await?;
    Ok(())
}
