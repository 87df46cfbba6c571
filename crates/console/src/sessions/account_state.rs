//! What the console itself keeps of an account, because the device cloud's protocol has no word for it: the last sign-in, and
//! whether the account is disabled. The table `account_states`.

use jiff::Timestamp;
use platform::db::{Db, Result, Tx, params};
use platform::run::clock::from_micros;
use sqlx_macros::FromRow;
use uuid::Uuid;

/// The state of an account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AccountState {
    /// When a browser last signed in; `None` if the console has never seen one.
    pub(crate) last_sign_in_at: Option<Timestamp>,
    /// Whether two-step sign-in is set up.
    pub(crate) has_second_factor: bool,
    pub(crate) is_disabled: bool,
}

/// [`AccountState`] as it is read.
#[derive(FromRow)]
pub(crate) struct AccountRow {
    last_sign_in_at: Option<i64>,
    has_second_factor: bool,
    is_disabled: bool,
}

impl From<AccountRow> for AccountState {
    fn from(row: AccountRow) -> Self {
        Self {
            last_sign_in_at: row.last_sign_in_at.map(from_micros),
            has_second_factor: row.has_second_factor,
            is_disabled: row.is_disabled,
        }
    }
}

/// The outcome of disabling an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Disabling {
    Done,
    /// It was disabled already.
    AlreadyDone,
    /// The account of the person who asks is disabled itself. Of two people who disable each other, one stays.
    Refused,
}

macro_rules! last_sign_in {
    () => {
        "(select last_sign_in_at from account_states where user_id = idx_users.id)"
    };
}

macro_rules! has_second_factor {
    () => {
        "(exists (select 1 from second_factors where user_id = idx_users.id and totp_added_at is not null) \
         or exists (select 1 from passkeys where user_id = idx_users.id))"
    };
}

macro_rules! is_disabled {
    () => {
        "exists (select 1 from account_states where user_id = idx_users.id and disabled_at is not null)"
    };
}

/// The columns of [`AccountRow`] by name, as expressions over a row of `idx_users`.
pub(crate) const COLUMNS: [(&str, &str); 3] =
    [("last_sign_in_at", last_sign_in!()), ("has_second_factor", HAS_SECOND_FACTOR), ("is_disabled", IS_DISABLED)];

/// The last sign-in of a row of `idx_users` in microseconds; 0 if the console has never seen one.
pub(crate) const LAST_SIGN_IN: &str = concat!("coalesce(", last_sign_in!(), ", 0)");

/// Whether the account of a row of `idx_users` is disabled.
pub(crate) const IS_DISABLED: &str = is_disabled!();

/// Whether the account of a row of `idx_users` has a second factor.
pub(crate) const HAS_SECOND_FACTOR: &str = has_second_factor!();

/// The state of one account.
pub(crate) async fn find(db: &Db, user: Uuid) -> Result<AccountState> {
    let sql = concat!(
        "select ",
        last_sign_in!(),
        " AS last_sign_in_at, ",
        has_second_factor!(),
        " AS has_second_factor, ",
        is_disabled!(),
        " as is_disabled from (select $1 as id) as idx_users"
    );
    let row: AccountRow = db.fetch_one(sql, params![user]).await?;
    Ok(row.into())
}

pub(crate) async fn is_disabled(db: &Db, user: Uuid) -> Result<bool> {
    let sql = "select 1 from account_states where user_id = $1 and disabled_at is not null";
    Ok(db.fetch_optional::<(i32,)>(sql, params![user]).await?.is_some())
}

/// Admits a new session within its transaction. `signed_in_at` is the time of a sign-in with a browser. False if the account is
/// disabled; otherwise it cannot be disabled before the transaction ends.
pub(crate) async fn admit(tx: &mut Tx, user: Uuid, signed_in_at: Option<Timestamp>) -> Result<bool> {
    let sql = "insert into account_states (user_id, last_sign_in_at) values ($1, $2) on conflict (user_id) do update \
               set last_sign_in_at = coalesce(excluded.last_sign_in_at, account_states.last_sign_in_at) \
               where account_states.disabled_at is null";
    Ok(tx.execute(sql, params![user, signed_in_at]).await? > 0)
}

/// Disables the account of `user` at the request of `by`. The caller ends its sessions in the same transaction.
pub(crate) async fn disable(tx: &mut Tx, user: Uuid, by: Uuid, now: Timestamp) -> Result<Disabling> {
    // In one order, so that two people who disable each other do not wait for each other.
    let mut accounts = [user, by];
    accounts.sort_unstable();
    for account in accounts {
        let sql = "insert into account_states (user_id) values ($1) on conflict (user_id) do update \
                   set user_id = excluded.user_id returning disabled_at";
        let (disabled_at,): (Option<i64>,) = tx.fetch_one(sql, params![account]).await?;
        match disabled_at {
            Some(_) if account == user => return Ok(Disabling::AlreadyDone),
            Some(_) => return Ok(Disabling::Refused),
            None => {}
        }
    }
    let sql = "update account_states set disabled_at = $2 where user_id = $1";
    tx.execute(sql, params![user, now]).await?;
    Ok(Disabling::Done)
}

/// False if the account was not disabled.
pub(crate) async fn enable(db: &Db, user: Uuid) -> Result<bool> {
    let sql = "update account_states set disabled_at = null where user_id = $1 and disabled_at is not null";
    Ok(db.execute(sql, params![user]).await? > 0)
}

/// Removes the state of a person who was removed.
pub(crate) async fn forget(db: &Db, user: Uuid) -> Result<()> {
    db.execute("delete from account_states where user_id = $1", params![user]).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TESS: Uuid = Uuid::from_u128(7);
    const JO: Uuid = Uuid::from_u128(8);

    fn at(time: &str) -> Timestamp {
        format!("2026-11-20T{time}Z").parse().unwrap()
    }

    async fn admit_at(db: &Db, user: Uuid, signed_in_at: Option<Timestamp>) -> bool {
        let mut tx = db.begin().await.unwrap();
        let is_admitted = admit(&mut tx, user, signed_in_at).await.unwrap();
        tx.commit().await.unwrap();
        is_admitted
    }

    async fn disable_by(db: &Db, user: Uuid, by: Uuid) -> Disabling {
        let disabled = db.write(|mut tx| async move {
            let disabling = disable(&mut tx, user, by, at("12:00:00")).await?;
            tx.commit().await?;
            Result::Ok(disabling)
        });
        disabled.await.unwrap()
    }

    async fn last_sign_in_is_that_of_a_browser(db: Db) {
        assert_eq!(find(&db, TESS).await.unwrap(), AccountState::default());
        for (signed_in_at, last) in [(None, None), (Some("11:00:00"), Some("11:00:00")), (None, Some("11:00:00"))] {
            assert!(admit_at(&db, TESS, signed_in_at.map(at)).await);
            assert_eq!(find(&db, TESS).await.unwrap().last_sign_in_at, last.map(at));
        }
        forget(&db, TESS).await.unwrap();
        assert_eq!(find(&db, TESS).await.unwrap(), AccountState::default());
    }

    async fn disabled_account_is_not_admitted_until_it_is_enabled(db: Db) {
        assert!(admit_at(&db, TESS, Some(at("11:00:00"))).await);
        assert_eq!(disable_by(&db, TESS, JO).await, Disabling::Done);
        assert_eq!(disable_by(&db, TESS, JO).await, Disabling::AlreadyDone);
        assert!(!admit_at(&db, TESS, Some(at("12:00:01"))).await);
        let state = find(&db, TESS).await.unwrap();
        assert_eq!((state.is_disabled, state.last_sign_in_at), (true, Some(at("11:00:00"))));
        assert!(is_disabled(&db, TESS).await.unwrap() && !is_disabled(&db, JO).await.unwrap());
        assert!(enable(&db, TESS).await.unwrap() && !enable(&db, TESS).await.unwrap());
        assert!(admit_at(&db, TESS, None).await);
    }

    async fn of_two_people_who_disable_each_other_one_stays(db: Db) {
        let both = tokio::join!(disable_by(&db, TESS, JO), disable_by(&db, JO, TESS));
        assert!(
            matches!(both, (Disabling::Done, Disabling::Refused) | (Disabling::Refused, Disabling::Done)),
            "{both:?}"
        );
    }

    platform::store_suite!(
        migrate = crate::migrations::migrate,
        tests = [
            last_sign_in_is_that_of_a_browser,
            disabled_account_is_not_admitted_until_it_is_enabled,
            of_two_people_who_disable_each_other_one_stays,
        ]
    );
}
