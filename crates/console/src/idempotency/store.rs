//! The table of idempotency keys.

use jiff::Timestamp;
use platform::db::{Db, Result, params};
use platform::run::clock::from_micros;
use sqlx_macros::FromRow;
use uuid::Uuid;

/// Maximum number of keys of one user; the oldest are deleted first.
pub(super) const MAX_KEYS: i64 = 256;

/// `claimed_until` of a request that has ended.
const ENDED: i64 = 0;

/// The key of one user.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct UserKey {
    pub(super) user: Uuid,
    pub(super) key: String,
}

/// A request with a key. Without a response it is being handled, or its node has died.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub(super) struct StoredRequest {
    /// The encrypted digest of the request.
    pub(super) request: Vec<u8>,
    /// The encrypted response.
    pub(super) response: Option<Vec<u8>>,
    claimed_by: String,
    claimed_until: i64,
}

impl StoredRequest {
    /// Whether a node handles the request at `now`.
    pub(super) fn is_claimed(&self, now: Timestamp) -> bool {
        from_micros(self.claimed_until) > now
    }
}

/// A request to handle.
#[derive(Clone, Debug)]
pub(super) struct NewClaim<'a> {
    pub(super) key: &'a UserKey,
    pub(super) request: &'a [u8],
    /// A random name.
    pub(super) claimed_by: &'a str,
    pub(super) now: Timestamp,
    pub(super) until: Timestamp,
}

/// Reads the request with this key that was created after `after`.
pub(super) async fn find(db: &Db, key: &UserKey, after: Timestamp) -> Result<Option<StoredRequest>> {
    let sql = "select request, response, claimed_by, claimed_until from idempotency_keys \
               where user_id = $1 and key = $2 and created_at > $3";
    db.fetch_optional(sql, params![key.user, &key.key, after]).await
}

/// Claims a key that is free, was created no later than `expired`, or still has the content `replaced`. Returns whether it
/// is claimed.
pub(super) async fn claim(
    db: &Db,
    new: &NewClaim<'_>,
    expired: Timestamp,
    replaced: Option<&StoredRequest>,
) -> Result<bool> {
    let (by, until) = replaced.map_or(("", ENDED), |before| (before.claimed_by.as_str(), before.claimed_until));
    let UserKey { user, key } = new.key;
    db.write(|mut tx| async move {
        let claimed = tx
            .execute(
                "insert into idempotency_keys (user_id, key, request, created_at, claimed_by, claimed_until) \
                 values ($1, $2, $3, $4, $5, $6) on conflict (user_id, key) do update set request = excluded.request, \
                 created_at = excluded.created_at, claimed_by = excluded.claimed_by, \
                 claimed_until = excluded.claimed_until, response = null \
                 where idempotency_keys.created_at <= $7 \
                 or (idempotency_keys.claimed_by = $8 and idempotency_keys.claimed_until = $9)",
                params![*user, key, new.request.to_vec(), new.now, new.claimed_by, new.until, expired, by, until],
            )
            .await?;
        tx.execute(
            "delete from idempotency_keys where user_id = $1 and key <> $2 and key not in (select key \
             from idempotency_keys where user_id = $1 and key <> $2 order by created_at desc, key limit $3)",
            params![*user, key, MAX_KEYS - 1],
        )
        .await?;
        tx.commit().await?;
        Ok(claimed > 0)
    })
    .await
}

/// Extends a claim until `until`.
pub(super) async fn extend(db: &Db, key: &UserKey, claimed_by: &str, until: Timestamp) -> Result<()> {
    let sql = "update idempotency_keys set claimed_until = $4 where user_id = $1 and key = $2 and claimed_by = $3";
    db.execute(sql, params![key.user, &key.key, claimed_by, until]).await?;
    Ok(())
}

/// Stores the encrypted response of a claimed request, unless another node has claimed it meanwhile.
pub(super) async fn end(db: &Db, key: &UserKey, claimed_by: &str, response: Vec<u8>) -> Result<()> {
    let sql = "update idempotency_keys set response = $4, claimed_until = $5 \
               where user_id = $1 and key = $2 and claimed_by = $3";
    db.execute(sql, params![key.user, &key.key, claimed_by, response, ENDED]).await?;
    Ok(())
}

/// Frees the key of a claimed request, so that a repetition is handled like the first one.
pub(super) async fn release(db: &Db, key: &UserKey, claimed_by: &str) -> Result<()> {
    let sql = "delete from idempotency_keys where user_id = $1 and key = $2 and claimed_by = $3";
    db.execute(sql, params![key.user, &key.key, claimed_by]).await?;
    Ok(())
}

/// Deletes keys that were created no later than `until`, at most `limit`. Returns their number.
pub(super) async fn delete_until(db: &Db, until: Timestamp, limit: i64) -> Result<u64> {
    let sql = "delete from idempotency_keys where (user_id, key) in \
               (select user_id, key from idempotency_keys where created_at <= $1 limit $2)";
    db.execute(sql, params![until, limit]).await
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALICE: Uuid = Uuid::from_u128(1);
    const BOB: Uuid = Uuid::from_u128(2);

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_000_000 + second).unwrap()
    }

    fn key(user: Uuid, key: &str) -> UserKey {
        UserKey { user, key: key.to_owned() }
    }

    /// A claim at this second for 30 seconds.
    fn new<'a>(key: &'a UserKey, claimed_by: &'a str, second: i64) -> NewClaim<'a> {
        NewClaim { key, request: b"request", claimed_by, now: at(second), until: at(second + 30) }
    }

    /// Claims a key of which nothing is known.
    async fn claim_unknown(db: &Db, key: &UserKey, claimed_by: &str, second: i64) -> bool {
        claim(db, &new(key, claimed_by, second), at(second - 100), None).await.unwrap()
    }

    async fn stored(db: &Db, key: &UserKey) -> StoredRequest {
        find(db, key, at(-100)).await.unwrap().unwrap()
    }

    async fn keys(db: &Db) -> Vec<String> {
        let sql = "select key from idempotency_keys order by created_at, key";
        let rows: Vec<(String,)> = db.fetch_all(sql, params![]).await.unwrap();
        rows.into_iter().map(|(key,)| key).collect()
    }

    async fn key_is_claimed_once_per_user(db: Db) {
        let (alice, bob) = (key(ALICE, "k"), key(BOB, "k"));
        assert!(claim_unknown(&db, &alice, "first", 0).await);
        assert!(!claim_unknown(&db, &alice, "second", 0).await);
        assert!(claim_unknown(&db, &bob, "third", 0).await);
        assert_eq!(stored(&db, &alice).await.claimed_by, "first");
        assert!(stored(&db, &alice).await.is_claimed(at(29)));
        assert!(!stored(&db, &alice).await.is_claimed(at(30)));
    }

    async fn stored_response_is_read_back_and_ends_the_claim(db: Db) {
        let alice = key(ALICE, "k");
        claim_unknown(&db, &alice, "first", 0).await;
        end(&db, &alice, "other", b"other".to_vec()).await.unwrap();
        assert_eq!(stored(&db, &alice).await.response, None, "of a claim that was taken over");
        end(&db, &alice, "first", b"response".to_vec()).await.unwrap();
        let ended = stored(&db, &alice).await;
        assert_eq!((&*ended.request, ended.response.as_deref()), (&b"request"[..], Some(&b"response"[..])));
        assert!(!ended.is_claimed(at(0)));
        assert!(!claim_unknown(&db, &alice, "second", 1).await);
    }

    async fn claim_is_taken_over_only_if_nothing_has_changed(db: Db) {
        let alice = key(ALICE, "k");
        claim_unknown(&db, &alice, "first", 0).await;
        let before = stored(&db, &alice).await;
        extend(&db, &alice, "first", at(60)).await.unwrap();
        let take_over =
            async |by, before: &StoredRequest| claim(&db, &new(&alice, by, 31), at(-100), Some(before)).await.unwrap();
        assert!(!take_over("second", &before).await, "it was extended");
        let extended = stored(&db, &alice).await;
        end(&db, &alice, "first", b"response".to_vec()).await.unwrap();
        assert!(!take_over("second", &extended).await, "it has ended");
        let ended = stored(&db, &alice).await;
        assert!(take_over("second", &ended).await);
        assert!(!take_over("third", &ended).await);
        let taken = stored(&db, &alice).await;
        assert_eq!((taken.response, &*taken.claimed_by), (None, "second"));
    }

    async fn released_key_is_free(db: Db) {
        let alice = key(ALICE, "k");
        claim_unknown(&db, &alice, "first", 0).await;
        release(&db, &alice, "other").await.unwrap();
        assert!(!claim_unknown(&db, &alice, "second", 0).await);
        release(&db, &alice, "first").await.unwrap();
        assert!(claim_unknown(&db, &alice, "second", 0).await);
    }

    async fn old_key_is_free_and_is_deleted_in_batches(db: Db) {
        for (number, second) in [(1, 0), (2, 10), (3, 20), (4, 30)] {
            claim_unknown(&db, &key(ALICE, &number.to_string()), "first", second).await;
        }
        let oldest = key(ALICE, "1");
        assert!(find(&db, &oldest, at(0)).await.unwrap().is_none());
        assert!(!claim(&db, &new(&oldest, "second", 40), at(-1), None).await.unwrap());
        assert!(claim(&db, &new(&oldest, "second", 40), at(0), None).await.unwrap());
        assert_eq!(delete_until(&db, at(20), 1).await.unwrap(), 1);
        assert_eq!(delete_until(&db, at(20), 5).await.unwrap(), 1);
        assert_eq!(keys(&db).await, ["4", "1"]);
    }

    async fn oldest_keys_of_a_user_with_too_many_are_deleted(db: Db) {
        claim_unknown(&db, &key(BOB, "bob"), "first", 0).await;
        for second in 0..MAX_KEYS + 2 {
            claim_unknown(&db, &key(ALICE, &format!("{second:03}")), "first", second).await;
        }
        let kept = keys(&db).await;
        assert_eq!((&*kept[0], &*kept[1], kept.len()), ("bob", "002", 257));
    }

    platform::store_suite!(
        migrate = crate::migrations::migrate,
        tests = [
            key_is_claimed_once_per_user,
            stored_response_is_read_back_and_ends_the_claim,
            claim_is_taken_over_only_if_nothing_has_changed,
            released_key_is_free,
            old_key_is_free_and_is_deleted_in_batches,
            oldest_keys_of_a_user_with_too_many_are_deleted,
        ]
    );
}
