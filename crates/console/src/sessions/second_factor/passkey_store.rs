//! The tables `passkeys` and `passkey_ceremonies`.

use jiff::Timestamp;
use platform::db::{Db, Result, params};
use platform::run::clock::from_micros;
use sqlx_macros::FromRow;
use uuid::Uuid;

use super::ceremony::Credential;
use super::store::{fill_codes, remove_if_unused};
use crate::mail::{self, Mail};

/// Maximum number of passkeys of a person.
pub(super) const MAX_PASSKEYS: i64 = 10;
/// Maximum number of ceremonies of a person. A new one replaces the one that expires first.
const MAX_CEREMONIES: i64 = 10;

/// A stored passkey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Passkey {
    pub(crate) id: Uuid,
    pub(crate) name: String,
    pub(crate) added_at: Timestamp,
    /// `None` if it was never used.
    pub(crate) last_used_at: Option<Timestamp>,
    pub(super) credential: Credential,
}

/// What became of a new passkey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Addition {
    /// `has_new_codes`: the person had no recovery codes, and has the new ones now.
    Added { has_new_codes: bool },
    /// The person has [`MAX_PASSKEYS`].
    TooMany,
    /// It is registered already.
    Known,
}

#[derive(FromRow)]
struct PasskeyRow {
    id: String,
    name: String,
    credential_id: Vec<u8>,
    transports: i64,
    static_state: Vec<u8>,
    dynamic_state: Vec<u8>,
    added_at: i64,
    last_used_at: Option<i64>,
}

impl From<PasskeyRow> for Passkey {
    fn from(row: PasskeyRow) -> Self {
        Self {
            id: Uuid::parse_str(&row.id).unwrap_or_default(),
            name: row.name,
            added_at: from_micros(row.added_at),
            last_used_at: row.last_used_at.map(from_micros),
            credential: Credential {
                id: row.credential_id,
                transports: row.transports,
                static_state: row.static_state,
                dynamic_state: row.dynamic_state,
            },
        }
    }
}

/// The person's passkeys, the first one first.
pub(super) async fn all(db: &Db, user: Uuid) -> Result<Vec<Passkey>> {
    let sql = "select id, name, credential_id, transports, static_state, dynamic_state, added_at, last_used_at \
               from passkeys where user_id = $1 order by added_at, id";
    let rows: Vec<PasskeyRow> = db.fetch_all(sql, params![user]).await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// Adds a passkey, and stores these recovery codes if the person has none.
pub(super) async fn add(
    db: &Db,
    user: Uuid,
    passkey: &Passkey,
    code_hashes: &[String],
    mail: Option<&Mail>,
) -> Result<Addition> {
    db.write(|mut tx| async move {
        // The row also makes two additions of a person wait for each other. An app and a passkey whose set-up began before must not be
        // added without a proof of this passkey.
        let sql = "insert into second_factors (user_id) values ($1) on conflict (user_id) do update \
                   set totp_secret = case when second_factors.totp_added_at is null then null else second_factors.totp_secret end";
        tx.execute(sql, params![user]).await?;
        tx.execute("delete from passkey_ceremonies where user_id = $1", params![user]).await?;
        let (count,): (i64,) = tx.fetch_one("select count(*) from passkeys where user_id = $1", params![user]).await?;
        if count >= MAX_PASSKEYS {
            return Ok(Addition::TooMany);
        }
        let sql = "insert into passkeys \
                   (id, user_id, name, credential_id, transports, static_state, dynamic_state, added_at) \
                   values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (credential_id) do nothing";
        let Credential { id, transports, static_state, dynamic_state } = passkey.credential.clone();
        let values = params![
            passkey.id,
            user,
            passkey.name.as_str(),
            id,
            transports,
            static_state,
            dynamic_state,
            passkey.added_at
        ];
        if tx.execute(sql, values).await? == 0 {
            return Ok(Addition::Known);
        }
        let has_new_codes = fill_codes(&mut tx, user, code_hashes).await?;
        mail::store(&mut tx, mail).await?;
        tx.commit().await?;
        Ok(Addition::Added { has_new_codes })
    })
    .await
}

/// Stores a use of the passkey, and forgets earlier wrong attempts. False if its state has changed since `before` was read, on
/// any node, or it was removed.
pub(super) async fn use_passkey(
    db: &Db,
    user: Uuid,
    before: &Credential,
    after: &Credential,
    now: Timestamp,
) -> Result<bool> {
    db.write(|mut tx| async move {
        let sql = "update passkeys set dynamic_state = $4, last_used_at = $5 \
                   where user_id = $1 and credential_id = $2 and dynamic_state = $3";
        let values = params![user, before.id.clone(), before.dynamic_state.clone(), after.dynamic_state.clone(), now];
        let is_used = tx.execute(sql, values).await? > 0;
        if is_used {
            tx.execute("update second_factors set attempts = 0, attempts_since = 0 where user_id = $1", params![user])
                .await?;
        }
        tx.commit().await?;
        Ok(is_used)
    })
    .await
}

/// Gives a passkey another name. False if the person has no passkey with this id.
pub(super) async fn rename(db: &Db, user: Uuid, id: Uuid, name: &str) -> Result<bool> {
    let sql = "update passkeys set name = $3 where user_id = $1 and id = $2";
    Ok(db.execute(sql, params![user, id, name]).await? > 0)
}

/// Removes a passkey, and the recovery codes with the last second factor. `mail` gets whether it was the last one. False if the
/// person has no passkey with this id.
pub(super) async fn remove(db: &Db, user: Uuid, id: Uuid, mail: impl Fn(bool) -> Option<Mail>) -> Result<bool> {
    let mail = &mail;
    db.write(|mut tx| async move {
        let sql = "delete from passkeys where user_id = $1 and id = $2";
        let is_removed = tx.execute(sql, params![user, id]).await? > 0;
        if is_removed {
            let was_last = remove_if_unused(&mut tx, user).await?;
            mail::store(&mut tx, mail(was_last).as_ref()).await?;
        }
        tx.commit().await?;
        Ok(is_removed)
    })
    .await
}

/// Stores a ceremony, instead of an earlier one with this id. Expired ones are deleted.
pub(super) async fn begin(
    db: &Db,
    user: Uuid,
    id: &str,
    state: Vec<u8>,
    now: Timestamp,
    expires_at: Timestamp,
) -> Result<()> {
    let state = &state;
    db.write(|mut tx| async move {
        tx.execute("delete from passkey_ceremonies where expires_at <= $1", params![now]).await?;
        let sql = "insert into passkey_ceremonies (id, user_id, state, expires_at) values ($1, $2, $3, $4) \
                   on conflict (id) do update \
                   set user_id = excluded.user_id, state = excluded.state, expires_at = excluded.expires_at";
        tx.execute(sql, params![id, user, state.clone(), expires_at]).await?;
        let sql = "delete from passkey_ceremonies where user_id = $1 and id <> $2 and id not in \
                   (select id from passkey_ceremonies where user_id = $1 and id <> $2 \
                   order by expires_at desc, id limit $3)";
        tx.execute(sql, params![user, id, MAX_CEREMONIES - 1]).await?;
        tx.commit().await
    })
    .await
}

/// Ends a ceremony and returns its state. `None` if it has ended or expired, or is another person's.
pub(super) async fn take(db: &Db, user: Uuid, id: &str, now: Timestamp) -> Result<Option<Vec<u8>>> {
    db.write(|mut tx| async move {
        let sql = "delete from passkey_ceremonies where id = $1 and user_id = $2 and expires_at > $3 returning state";
        let row: Option<(Vec<u8>,)> = tx.fetch_optional(sql, params![id, user, now]).await?;
        tx.commit().await?;
        Ok(row.map(|(state,)| state))
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::super::store;
    use super::*;

    const TESS: Uuid = Uuid::from_u128(7);
    const OTHER: Uuid = Uuid::from_u128(8);

    fn at(time: &str) -> Timestamp {
        format!("2026-11-20T{time}Z").parse().unwrap()
    }

    fn passkey(number: u8) -> Passkey {
        Passkey {
            id: Uuid::from_u128(number.into()),
            name: format!("Key {number}"),
            added_at: at("12:00:00"),
            last_used_at: None,
            credential: Credential {
                id: vec![number; 16],
                transports: 5,
                static_state: vec![1, number],
                dynamic_state: vec![0; 7],
            },
        }
    }

    fn hashes(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    async fn first_passkey_is_a_second_factor_with_recovery_codes(db: Db) {
        assert!(!store::is_set_up(&db, TESS).await.unwrap());
        let added = add(&db, TESS, &passkey(1), &hashes(&["a", "b"]), None).await.unwrap();
        assert_eq!(added, Addition::Added { has_new_codes: true });
        assert!(store::is_set_up(&db, TESS).await.unwrap() && !store::is_set_up(&db, OTHER).await.unwrap());
        let added = add(&db, TESS, &passkey(2), &hashes(&["c"]), None).await.unwrap();
        assert_eq!(added, Addition::Added { has_new_codes: false });
        assert_eq!(store::count_codes(&db, TESS).await.unwrap(), 2);
        assert_eq!(all(&db, TESS).await.unwrap(), [passkey(1), passkey(2)]);
        assert_eq!(all(&db, OTHER).await.unwrap(), []);
        assert_eq!(add(&db, OTHER, &Passkey { id: OTHER, ..passkey(2) }, &[], None).await.unwrap(), Addition::Known);
        assert!(!store::is_set_up(&db, OTHER).await.unwrap());
    }

    async fn number_of_passkeys_of_a_person_is_limited(db: Db) {
        for number in 1..=10 {
            add(&db, TESS, &passkey(number), &[], None).await.unwrap();
        }
        assert_eq!(add(&db, TESS, &passkey(11), &[], None).await.unwrap(), Addition::TooMany);
        assert_eq!(all(&db, TESS).await.unwrap().len(), 10);
        assert!(remove(&db, TESS, passkey(3).id, |_| None).await.unwrap());
        assert!(matches!(add(&db, TESS, &passkey(11), &[], None).await.unwrap(), Addition::Added { .. }));
    }

    async fn passkey_is_renamed_by_its_owner(db: Db) {
        for number in [1, 2] {
            add(&db, TESS, &passkey(number), &[], None).await.unwrap();
        }
        assert!(!rename(&db, OTHER, passkey(1).id, "Mine").await.unwrap(), "another person's");
        assert!(rename(&db, TESS, passkey(1).id, "Phone").await.unwrap());
        let renamed = Passkey { name: "Phone".to_owned(), ..passkey(1) };
        assert_eq!(all(&db, TESS).await.unwrap(), [renamed, passkey(2)]);
        assert!(!rename(&db, TESS, passkey(3).id, "Phone").await.unwrap(), "unknown");
    }

    async fn last_removed_factor_takes_the_recovery_codes_along(db: Db) {
        for number in [1, 2] {
            add(&db, TESS, &passkey(number), &hashes(&["a"]), None).await.unwrap();
        }
        assert!(!remove(&db, OTHER, passkey(1).id, |_| None).await.unwrap(), "another person's");
        assert!(remove(&db, TESS, passkey(1).id, |_| None).await.unwrap());
        assert!(!remove(&db, TESS, passkey(1).id, |_| None).await.unwrap(), "removed already");
        assert_eq!(store::count_codes(&db, TESS).await.unwrap(), 1);
        assert!(remove(&db, TESS, passkey(2).id, |_| None).await.unwrap());
        assert!(!store::is_set_up(&db, TESS).await.unwrap());
        assert_eq!(store::count_codes(&db, TESS).await.unwrap(), 0);
    }

    async fn app_and_passkeys_are_removed_apart_and_reset_together(db: Db) {
        add(&db, TESS, &passkey(1), &hashes(&["a"]), None).await.unwrap();
        assert!(store::begin_totp(&db, TESS, vec![1]).await.unwrap());
        let totp = store::totp(&db, TESS).await.unwrap().unwrap();
        let codes = hashes(&["b", "c"]);
        let added = store::confirm_totp(&db, TESS, &totp, 5, at("12:00:00"), &codes, None).await.unwrap();
        assert_eq!(added, Some(false), "the earlier recovery codes stay");
        assert!(store::remove_totp(&db, TESS, |_| None).await.unwrap());
        assert!(store::totp(&db, TESS).await.unwrap().is_none());
        assert!(store::is_set_up(&db, TESS).await.unwrap());
        assert_eq!(store::count_codes(&db, TESS).await.unwrap(), 1);
        begin(&db, TESS, "add", vec![1], at("12:00:00"), at("12:05:00")).await.unwrap();
        store::remove_all(&db, TESS, None).await.unwrap();
        assert!(!store::is_set_up(&db, TESS).await.unwrap());
        assert_eq!(all(&db, TESS).await.unwrap(), []);
        assert_eq!(take(&db, TESS, "add", at("12:00:01")).await.unwrap(), None);
    }

    async fn use_is_stored_once_for_a_state(db: Db) {
        add(&db, TESS, &passkey(1), &[], None).await.unwrap();
        let before = passkey(1).credential;
        let after = Credential { dynamic_state: vec![1; 7], ..before.clone() };
        assert!(!use_passkey(&db, OTHER, &before, &after, at("13:00:00")).await.unwrap());
        assert!(use_passkey(&db, TESS, &before, &after, at("13:00:00")).await.unwrap());
        assert!(!use_passkey(&db, TESS, &before, &after, at("13:00:01")).await.unwrap(), "used meanwhile");
        let expected = Passkey { last_used_at: Some(at("13:00:00")), credential: after, ..passkey(1) };
        assert_eq!(all(&db, TESS).await.unwrap(), [expected]);
    }

    async fn ceremony_is_taken_once_by_its_owner_before_it_expires(db: Db) {
        let (begun_at, expires_at) = (at("12:00:00"), at("12:05:00"));
        begin(&db, TESS, "one", vec![1], begun_at, expires_at).await.unwrap();
        begin(&db, TESS, "one", vec![2], begun_at, expires_at).await.unwrap();
        assert_eq!(take(&db, OTHER, "one", at("12:01:00")).await.unwrap(), None);
        assert_eq!(take(&db, TESS, "one", at("12:05:00")).await.unwrap(), None, "expired");
        assert_eq!(take(&db, TESS, "one", at("12:04:59")).await.unwrap(), Some(vec![2]));
        assert_eq!(take(&db, TESS, "one", at("12:04:59")).await.unwrap(), None, "taken");
    }

    async fn ceremonies_of_a_person_are_limited_and_expired_ones_deleted(db: Db) {
        begin(&db, OTHER, "other", vec![9], at("11:00:00"), at("12:59:00")).await.unwrap();
        for number in 0..12 {
            let (begun_at, expires_at) = (at("12:00:00"), at(&format!("12:{:02}:00", 10 + number)));
            begin(&db, TESS, &format!("{number}"), vec![number], begun_at, expires_at).await.unwrap();
        }
        let count = async || {
            let sql = "select count(*) from passkey_ceremonies";
            db.fetch_one::<(i64,)>(sql, params![]).await.unwrap().0
        };
        assert_eq!(count().await, 11, "ten, and the other person's");
        assert_eq!(take(&db, TESS, "1", at("12:01:00")).await.unwrap(), None);
        assert_eq!(take(&db, TESS, "2", at("12:01:00")).await.unwrap(), Some(vec![2]));
        begin(&db, TESS, "late", vec![1], at("13:00:00"), at("13:05:00")).await.unwrap();
        assert_eq!(count().await, 1);
    }

    platform::store_suite!(
        migrate = crate::migrations::migrate,
        tests = [
            first_passkey_is_a_second_factor_with_recovery_codes,
            number_of_passkeys_of_a_person_is_limited,
            passkey_is_renamed_by_its_owner,
            last_removed_factor_takes_the_recovery_codes_along,
            app_and_passkeys_are_removed_apart_and_reset_together,
            use_is_stored_once_for_a_state,
            ceremony_is_taken_once_by_its_owner_before_it_expires,
            ceremonies_of_a_person_are_limited_and_expired_ones_deleted,
        ]
    );
}
