//! The tables `second_factors` and `recovery_codes`, and what concerns all kinds of second factors.

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result, Tx, params};
use platform::run::clock::from_micros;
use sqlx_macros::FromRow;
use uuid::Uuid;

use crate::mail::{self, Mail};

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

/// Whether the person has an authenticator app or a passkey.
pub(super) async fn is_set_up(db: &Db, user: Uuid) -> Result<bool> {
    let sql = "select 1 from second_factors where user_id = $1 and totp_added_at is not null \
               union all select 1 from passkeys where user_id = $1 limit 1";
    Ok(db.fetch_optional::<(i32,)>(sql, params![user]).await?.is_some())
}

/// The person's authenticator app, also one that is being set up.
pub(super) async fn totp(db: &Db, user: Uuid) -> Result<Option<StoredTotp>> {
    let sql = "select totp_secret, totp_added_at from second_factors where user_id = $1 and totp_secret is not null";
    let row: Option<TotpRow> = db.fetch_optional(sql, params![user]).await?;
    Ok(row.map(|row| StoredTotp { sealed_secret: row.totp_secret, added_at: row.totp_added_at.map(from_micros) }))
}

/// Stores the secret of an app that is being set up. False if the person already has one.
pub(super) async fn begin_totp(db: &Db, user: Uuid, sealed_secret: Vec<u8>) -> Result<bool> {
    let sql = "insert into second_factors (user_id, totp_secret) values ($1, $2) on conflict (user_id) do update \
               set totp_secret = excluded.totp_secret, totp_last_step = 0 where second_factors.totp_added_at is null";
    Ok(db.execute(sql, params![user, sealed_secret]).await? > 0)
}

/// Adds the app with this secret after its code of `step`, and stores these recovery codes if the person has none. Returns
/// whether it stored them; `None` if another app was set up meanwhile.
pub(super) async fn confirm_totp(
    db: &Db,
    user: Uuid,
    totp: &StoredTotp,
    step: i64,
    now: Timestamp,
    code_hashes: &[String],
    mail: Option<&Mail>,
) -> Result<Option<bool>> {
    db.write(|mut tx| async move {
        let sql = "update second_factors set totp_added_at = $2, totp_last_step = $3, attempts = 0, attempts_since = 0 \
                   where user_id = $1 and totp_added_at is null and totp_secret = $4";
        let values = params![user, now, step, totp.sealed_secret.clone()];
        if tx.execute(sql, values).await? == 0 {
            return Ok(None);
        }
        // A passkey whose set-up began before must not be added without a proof of this app.
        tx.execute("delete from passkey_ceremonies where user_id = $1", params![user]).await?;
        let has_new_codes = fill_codes(&mut tx, user, code_hashes).await?;
        mail::store(&mut tx, mail).await?;
        tx.commit().await?;
        Ok(Some(has_new_codes))
    })
    .await
}

/// Removes the app, and the recovery codes with the last second factor. `mail` gets whether it was the last one. False if there
/// is no app.
pub(super) async fn remove_totp(db: &Db, user: Uuid, mail: impl Fn(bool) -> Option<Mail>) -> Result<bool> {
    let mail = &mail;
    db.write(|mut tx| async move {
        let sql = "update second_factors set totp_secret = null, totp_added_at = null \
                   where user_id = $1 and totp_added_at is not null";
        let is_removed = tx.execute(sql, params![user]).await? > 0;
        if is_removed {
            let was_last = remove_if_unused(&mut tx, user).await?;
            mail::store(&mut tx, mail(was_last).as_ref()).await?;
        }
        tx.commit().await?;
        Ok(is_removed)
    })
    .await
}

/// Removes all second factors and the recovery codes.
pub(super) async fn remove_all(db: &Db, user: Uuid, mail: Option<&Mail>) -> Result<()> {
    db.write(|mut tx| async move {
        for sql in [
            "delete from passkeys where user_id = $1",
            "delete from passkey_ceremonies where user_id = $1",
            "delete from recovery_codes where user_id = $1",
            "delete from second_factors where user_id = $1",
        ] {
            tx.execute(sql, params![user]).await?;
        }
        mail::store(&mut tx, mail).await?;
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
    let sql = "update second_factors set attempts = case when attempts_since <= $2 then 1 else attempts + 1 end, \
               attempts_since = case when attempts_since <= $2 then $3 else attempts_since end \
               where user_id = $1 and (attempts_since <= $2 or attempts < $4)";
    Ok(db.execute(sql, params![user, now - window, now, limit]).await? > 0)
}

/// When the first of the counted checks was.
pub(super) async fn attempts_since(db: &Db, user: Uuid) -> Result<Option<Timestamp>> {
    let sql = "select attempts_since from second_factors where user_id = $1";
    let row: Option<(i64,)> = db.fetch_optional(sql, params![user]).await?;
    Ok(row.map(|(since,)| from_micros(since)))
}

/// Accepts the app's code of this time step. False if it or a later one was accepted before, on any node.
pub(super) async fn accept_step(db: &Db, user: Uuid, step: i64) -> Result<bool> {
    let sql = "update second_factors set totp_last_step = $2, attempts = 0, attempts_since = 0 \
               where user_id = $1 and totp_last_step < $2 and totp_added_at is not null";
    Ok(db.execute(sql, params![user, step]).await? > 0)
}

/// Uses up a recovery code. False if there is none with this hash.
pub(super) async fn use_code(db: &Db, user: Uuid, hash: &str) -> Result<bool> {
    db.write(|mut tx| async move {
        let sql = "delete from recovery_codes where user_id = $1 and code_hash = $2";
        let is_used = tx.execute(sql, params![user, hash]).await? > 0;
        if is_used {
            tx.execute("update second_factors set attempts = 0, attempts_since = 0 where user_id = $1", params![user])
                .await?;
        }
        tx.commit().await?;
        Ok(is_used)
    })
    .await
}

/// Replaces the recovery codes of a person with a second factor. False if there is none any more.
pub(super) async fn renew_codes(db: &Db, user: Uuid, hashes: &[String], mail: Option<&Mail>) -> Result<bool> {
    db.write(|mut tx| async move {
        let sql = "update second_factors set attempts = 0, attempts_since = 0 where user_id = $1 and (totp_added_at is not null \
                   or exists (select 1 from passkeys where passkeys.user_id = second_factors.user_id))";
        let exists = tx.execute(sql, params![user]).await? > 0;
        if exists {
            replace_codes(&mut tx, user, hashes).await?;
            mail::store(&mut tx, mail).await?;
        }
        tx.commit().await?;
        Ok(exists)
    })
    .await
}

/// The number of recovery codes that are not used yet.
pub(super) async fn count_codes(db: &Db, user: Uuid) -> Result<i64> {
    let (count,): (i64,) =
        db.fetch_one("select count(*) from recovery_codes where user_id = $1", params![user]).await?;
    Ok(count)
}

/// Stores recovery codes for a person who has none. False if there are some.
pub(super) async fn fill_codes(tx: &mut Tx, user: Uuid, hashes: &[String]) -> Result<bool> {
    let (count,): (i64,) =
        tx.fetch_one("select count(*) from recovery_codes where user_id = $1", params![user]).await?;
    if count == 0 {
        replace_codes(tx, user, hashes).await?;
    }
    Ok(count == 0)
}

/// Deletes the recovery codes and the counts of a person without an app and passkeys. False if there is one.
pub(super) async fn remove_if_unused(tx: &mut Tx, user: Uuid) -> Result<bool> {
    let sql = "delete from second_factors where user_id = $1 and totp_added_at is null \
               and not exists (select 1 from passkeys where passkeys.user_id = second_factors.user_id)";
    let is_unused = tx.execute(sql, params![user]).await? > 0;
    if is_unused {
        replace_codes(tx, user, &[]).await?;
    }
    Ok(is_unused)
}

async fn replace_codes(tx: &mut Tx, user: Uuid, hashes: &[String]) -> Result<()> {
    tx.execute("delete from recovery_codes where user_id = $1", params![user]).await?;
    for hash in hashes {
        let sql = "insert into recovery_codes (user_id, code_hash) values ($1, $2)";
        tx.execute(sql, params![user, hash.as_str()]).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TESS: Uuid = Uuid::from_u128(7);
    const OTHER: Uuid = Uuid::from_u128(8);
    const HOUR: SignedDuration = SignedDuration::from_hours(1);

    fn at(time: &str) -> Timestamp {
        format!("2026-11-20T{time}Z").parse().unwrap()
    }

    fn hashes(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    async fn add(db: &Db, user: Uuid, step: i64) {
        assert!(begin_totp(db, user, vec![1]).await.unwrap());
        let stored = totp(db, user).await.unwrap().unwrap();
        let codes = hashes(&["a", "b"]);
        let added = confirm_totp(db, user, &stored, step, at("12:00:00"), &codes, None).await.unwrap();
        assert_eq!(added, Some(true));
    }

    async fn app_counts_only_after_its_confirmation(db: Db) {
        assert!(begin_totp(&db, TESS, vec![1]).await.unwrap());
        let first = totp(&db, TESS).await.unwrap().unwrap();
        assert_eq!(first.added_at, None);
        assert!(!accept_step(&db, TESS, 5).await.unwrap());
        assert!(begin_totp(&db, TESS, vec![2]).await.unwrap());
        let added = confirm_totp(&db, TESS, &first, 5, at("12:00:00"), &[], None).await.unwrap();
        assert_eq!(added, None, "replaced meanwhile");
        let second = totp(&db, TESS).await.unwrap().unwrap();
        let added = confirm_totp(&db, TESS, &second, 5, at("12:00:00"), &hashes(&["a"]), None).await.unwrap();
        assert_eq!(added, Some(true));
        assert_eq!(totp(&db, TESS).await.unwrap().unwrap().added_at, Some(at("12:00:00")));
        assert!(!begin_totp(&db, TESS, vec![3]).await.unwrap(), "an added app is not replaced");
        assert!(totp(&db, OTHER).await.unwrap().is_none());
    }

    async fn time_step_is_accepted_once_and_never_backwards(db: Db) {
        add(&db, TESS, 5).await;
        for (step, expected) in [(5, false), (4, false), (6, true), (6, false), (8, true), (7, false)] {
            assert_eq!(accept_step(&db, TESS, step).await.unwrap(), expected, "{step}");
        }
    }

    async fn recovery_code_is_used_once_by_its_owner(db: Db) {
        add(&db, TESS, 5).await;
        add(&db, OTHER, 5).await;
        assert!(use_code(&db, TESS, "a").await.unwrap());
        assert!(!use_code(&db, TESS, "a").await.unwrap());
        assert!(!use_code(&db, TESS, "c").await.unwrap());
        assert_eq!((count_codes(&db, TESS).await.unwrap(), count_codes(&db, OTHER).await.unwrap()), (1, 2));
        assert!(renew_codes(&db, TESS, &hashes(&["c", "d", "e"]), None).await.unwrap());
        assert!(!use_code(&db, TESS, "b").await.unwrap(), "earlier codes end");
        assert_eq!(count_codes(&db, TESS).await.unwrap(), 3);
    }

    async fn removal_leaves_nothing_behind(db: Db) {
        add(&db, TESS, 5).await;
        add(&db, OTHER, 5).await;
        assert!(remove_totp(&db, TESS, |_| None).await.unwrap());
        assert!(!remove_totp(&db, TESS, |_| None).await.unwrap());
        assert!(totp(&db, TESS).await.unwrap().is_none());
        assert_eq!(count_codes(&db, TESS).await.unwrap(), 0);
        assert!(!renew_codes(&db, TESS, &hashes(&["c"]), None).await.unwrap());
        assert_eq!(count_codes(&db, TESS).await.unwrap(), 0);
        assert!(totp(&db, OTHER).await.unwrap().is_some());
    }

    async fn attempts_are_limited_within_a_window_and_forgotten_after_a_right_code(db: Db) {
        add(&db, TESS, 5).await;
        let attempt = async |time: &str| count_attempt(&db, TESS, at(time), HOUR, 2).await.unwrap();
        assert_eq!(
            [attempt("12:00:00").await, attempt("12:30:00").await, attempt("12:59:59").await],
            [true, true, false]
        );
        assert_eq!(attempts_since(&db, TESS).await.unwrap(), Some(at("12:00:00")));
        assert_eq!(
            [attempt("13:00:00").await, attempt("13:00:01").await, attempt("13:00:02").await],
            [true, true, false]
        );
        assert!(accept_step(&db, TESS, 6).await.unwrap());
        assert_eq!(
            [attempt("13:00:03").await, attempt("13:00:04").await, attempt("13:00:05").await],
            [true, true, false]
        );
        assert!(use_code(&db, TESS, "a").await.unwrap());
        assert!(attempt("13:00:06").await);
    }

    platform::store_suite!(
        migrate = crate::migrations::migrate,
        tests = [
            app_counts_only_after_its_confirmation,
            time_step_is_accepted_once_and_never_backwards,
            recovery_code_is_used_once_by_its_owner,
            removal_leaves_nothing_behind,
            attempts_are_limited_within_a_window_and_forgotten_after_a_right_code,
        ]
    );
}
