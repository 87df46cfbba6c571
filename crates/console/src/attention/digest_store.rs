//! The table `attention_digests`.

use jiff::Timestamp;
use platform::db::{Db, Result, params};
use platform::run::clock::from_micros;
use sqlx_macros::FromRow;
use uuid::Uuid;

use super::digest_time::DigestTime;
use crate::mail::{self, Mail};

/// A digest that is due, and its reader as the index knows them.
#[derive(Clone, Debug, FromRow)]
pub(super) struct DueDigest {
    pub(super) user_id: String,
    hour: i64,
    time_zone: String,
    next_at: i64,
    /// `None` for a person who is not in the index.
    pub(super) email: Option<String>,
    /// `None` also for a person who is disabled.
    pub(super) role: Option<String>,
    pub(super) csp: Option<String>,
}

impl DueDigest {
    pub(super) fn time(&self) -> DigestTime {
        DigestTime { hour: i8::try_from(self.hour).unwrap_or_default(), time_zone: self.time_zone.clone() }
    }

    /// When it was due.
    pub(super) fn next_at(&self) -> Timestamp {
        from_micros(self.next_at)
    }
}

/// The time of the digest that the user has chosen.
pub(super) async fn find(db: &Db, user: Uuid) -> Result<Option<DigestTime>> {
    let sql = "select hour, time_zone from attention_digests where user_id = $1";
    let row: Option<(i64, String)> = db.fetch_optional(sql, params![user]).await?;
    Ok(row.map(|(hour, time_zone)| DigestTime { hour: i8::try_from(hour).unwrap_or_default(), time_zone }))
}

pub(super) async fn put(db: &Db, user: Uuid, time: &DigestTime, next_at: Timestamp) -> Result<()> {
    let sql = "insert into attention_digests (user_id, hour, time_zone, next_at) values ($1, $2, $3, $4) \
               on conflict (user_id) do update set \
               hour = excluded.hour, time_zone = excluded.time_zone, next_at = excluded.next_at";
    db.execute(sql, params![user, i64::from(time.hour), &time.time_zone, next_at]).await?;
    Ok(())
}

pub(super) async fn remove(db: &Db, user: &str) -> Result<()> {
    db.execute("delete from attention_digests where user_id = $1", params![user]).await?;
    Ok(())
}

/// The digests that are due, oldest first.
pub(super) async fn due(db: &Db, now: Timestamp, limit: i64) -> Result<Vec<DueDigest>> {
    let sql = "select g.user_id, g.hour, g.time_zone, g.next_at, u.email, u.csp, \
               case when a.disabled_at is null then u.role end as role \
               from attention_digests g left join idx_users u on u.id = g.user_id \
               left join account_states a on a.user_id = g.user_id \
               where g.next_at <= $1 order by g.next_at, g.user_id limit $2";
    db.fetch_all(sql, params![now, limit]).await
}

/// Stores the mail of a digest, if it has something to say, and when the next one is due. False if another node has done so.
pub(super) async fn finish(db: &Db, digest: &DueDigest, mail: Option<&Mail>, next_at: Timestamp) -> Result<bool> {
    db.write(|mut tx| async move {
        let sql = "update attention_digests set next_at = $3 where user_id = $1 and next_at = $2";
        let is_first = tx.execute(sql, params![&digest.user_id, digest.next_at(), next_at]).await? > 0;
        if is_first {
            mail::store(&mut tx, mail).await?;
        }
        tx.commit().await?;
        Ok(is_first)
    })
    .await
}
