//! Users.

use std::collections::HashMap;

use jiff::Timestamp;
use platform::db::rows::{key_runs, placeholders};
use platform::db::{Db, Params, Result, Tx, params};
use platform::run::clock::{from_micros, to_micros};
use sqlx::AssertSqlSafe;

use crate::records::user::NewUser;

/// How many locks one statement reads.
const LOCKS: i64 = 100;

/// The recipient of a mail about an account.
#[derive(Clone, sqlx_macros::FromRow)]
pub(crate) struct Addressee {
    pub(crate) id: i64,
    pub(crate) oem_id: i64,
    pub(crate) email: String,
}

/// The fields that sign-in needs.
#[derive(Clone, sqlx_macros::FromRow)]
pub(crate) struct Credentials {
    #[sqlx(flatten)]
    pub(crate) who: Addressee,
    pub(crate) password_hash: String,
    /// The only application that a machine account signs in through; `None` for a person.
    pub(crate) application_id: Option<i64>,
    pub(crate) confirmed_at: Option<i64>,
    pub(crate) locked_until: Option<i64>,
}

impl Credentials {
    /// Whether this is a machine account; nobody reads its mail.
    pub(crate) fn is_machine(&self) -> bool {
        self.application_id.is_some()
    }

    /// Whether wrong passwords are counted with the account. Those of accounts that an operator locked and of machine accounts, which
    /// are never locked, are counted like those for addresses without a user.
    pub(crate) fn counts_failures(&self) -> bool {
        !self.is_machine() && self.locked_until != Some(to_micros(FOREVER))
    }

    pub(crate) fn is_locked(&self, now: Timestamp) -> bool {
        !self.is_machine() && self.locked_until.is_some_and(|until| until > to_micros(now))
    }

    /// Whether the user may sign in through this application.
    pub(crate) fn may_come_through(&self, application_id: i64) -> bool {
        self.application_id.is_none_or(|own| own == application_id)
    }
}

/// The profile that a user reads of themselves.
#[derive(Clone, sqlx_macros::FromRow)]
pub(crate) struct ProfileRow {
    pub(crate) id: i64,
    pub(crate) uuid: String,
    pub(crate) email: String,
    pub(crate) firstname: Option<String>,
    pub(crate) lastname: Option<String>,
    pub(crate) company: Option<String>,
    pub(crate) street: Option<String>,
    pub(crate) city: Option<String>,
    pub(crate) state: Option<String>,
    pub(crate) zip: Option<String>,
    pub(crate) country: Option<String>,
    pub(crate) phone_country_code: Option<String>,
    pub(crate) phone: Option<String>,
    pub(crate) ayla_dev_kit_num: Option<String>,
    pub(crate) confirmed_at: Option<i64>,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
}

/// The columns of [`ProfileRow`].
pub(super) const PROFILE: [&str; 17] = [
    "id",
    "uuid",
    "email",
    "firstname",
    "lastname",
    "company",
    "street",
    "city",
    "state",
    "zip",
    "country",
    "phone_country_code",
    "phone",
    "ayla_dev_kit_num",
    "confirmed_at",
    "created_at",
    "updated_at",
];

/// A user to insert.
pub(crate) struct UserRecord<'a> {
    pub(crate) uuid: uuid::Uuid,
    pub(crate) oem_id: i64,
    pub(crate) password_hash: &'a str,
    pub(crate) user: &'a NewUser,
    /// The application of a machine account.
    pub(crate) application_id: Option<i64>,
    pub(crate) now: Timestamp,
}

/// The form in which addresses are stored and compared.
pub(crate) fn folded(email: &str) -> String {
    email.trim().to_lowercase()
}

pub(crate) async fn credentials(db: &Db, oem_id: i64, email: &str) -> Result<Option<Credentials>> {
    db.fetch_optional(
        "select id, oem_id, email, password_hash, application_id, confirmed_at, locked_until
         from users where oem_id = $1 and email = $2",
        params![oem_id, folded(email)],
    )
    .await
}

/// The same by user id.
pub(crate) async fn credentials_of(db: &Db, user_id: i64) -> Result<Option<Credentials>> {
    db.fetch_optional(
        "select id, oem_id, email, password_hash, application_id, confirmed_at, locked_until from users where id = $1",
        params![user_id],
    )
    .await
}

pub(crate) async fn id_by_email(db: &Db, oem_id: i64, email: &str) -> Result<Option<i64>> {
    let row: Option<(i64,)> = db
        .fetch_optional("select id from users where oem_id = $1 and email = $2", params![oem_id, folded(email)])
        .await?;
    Ok(row.map(|(id,)| id))
}

pub(crate) async fn profile(db: &Db, user_id: i64) -> Result<Option<ProfileRow>> {
    let sql = format!("select {} from users where id = $1", PROFILE.join(", "));
    db.fetch_optional(AssertSqlSafe(sql), params![user_id]).await
}

/// How wrong passwords are counted, those of users and those for addresses without a user alike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FailureLimit {
    /// The number of wrong passwords in a row that locks.
    pub(crate) max: i64,
    /// The end of the lock.
    pub(crate) locked_until: Timestamp,
    /// Wrong passwords up to this time are forgotten.
    pub(crate) counted_since: Timestamp,
    pub(crate) now: Timestamp,
}

/// Counts a wrong password. The `limit.max`th in a row locks the account, or longer if it was locked longer.
pub(crate) async fn count_failure(db: &Db, user_id: i64, limit: FailureLimit) -> Result<()> {
    let FailureLimit { max, locked_until, counted_since, now } = limit;
    db.execute(
        "update users set
             locked_until = case
                 when case when failed_sign_in_at > $5 then failed_sign_ins else 0 end + 1 >= $2
                     and (locked_until is null or locked_until < $3)
                 then $3 else locked_until end,
             failed_sign_ins = case
                 when failed_sign_in_at is null or failed_sign_in_at <= $5 then 1
                 when failed_sign_ins + 1 >= $2 then 0
                 else failed_sign_ins + 1 end,
             failed_sign_in_at = $4
         where id = $1",
        params![user_id, max, locked_until, now, counted_since],
    )
    .await?;
    Ok(())
}

/// A lock after wrong passwords.
#[derive(Clone, sqlx_macros::FromRow)]
pub(crate) struct Lock {
    #[sqlx(flatten)]
    pub(crate) user: Addressee,
    locked_until: i64,
}

impl Lock {
    pub(crate) fn ends_at(&self) -> Timestamp {
        from_micros(self.locked_until)
    }
}

/// Some of the locks that end by `latest` and that nobody was told of. Locks by operators do not end.
pub(crate) async fn untold_locks(db: &Db, now: Timestamp, latest: Timestamp) -> Result<Vec<Lock>> {
    db.fetch_all(
        "select id, oem_id, email, locked_until from users
         where locked_until > $1 and locked_until <= $2 and (lock_told_until is null or lock_told_until <= $1)
         order by locked_until limit $3",
        params![now, latest, LOCKS],
    )
    .await
}

/// Records that the user is told of the lock. Returns whether this is the first time, and the lock still exists: attempts at the same
/// time may prolong it.
pub(crate) async fn tell_lock(tx: &mut Tx, lock: &Lock, now: Timestamp) -> Result<bool> {
    let sql = "update users set lock_told_until = locked_until
               where id = $1 and locked_until >= $2 and (lock_told_until is null or lock_told_until <= $3)";
    Ok(tx.execute(sql, params![lock.user.id, lock.locked_until, now]).await? > 0)
}

/// Resets the count of wrong passwords, unless the account was locked while the right one was being verified. Returns
/// whether the user may sign in.
pub(crate) async fn reset_failures(db: &Db, user_id: i64, now: Timestamp) -> Result<bool> {
    let touched = db
        .execute(
            "update users set failed_sign_ins = 0, locked_until = null
             where id = $1 and (application_id is not null or locked_until is null or locked_until <= $2)",
            params![user_id, now],
        )
        .await?;
    Ok(touched == 1)
}

/// Creates a user. Returns the id.
pub(crate) async fn insert(tx: &mut Tx, record: &UserRecord<'_>) -> Result<i64> {
    let UserRecord { uuid, oem_id, password_hash, user, application_id, now } = record;
    let (id,): (i64,) = tx
        .fetch_one(
            "insert into users (uuid, oem_id, email, password_hash, firstname, lastname, company, street, city, state,
                                zip, country, phone_country_code, phone, application_id, confirmed_at, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17)
             returning id",
            params![
                *uuid,
                *oem_id,
                folded(&user.email),
                *password_hash,
                user.firstname.as_ref(),
                user.lastname.as_ref(),
                user.company.as_ref(),
                user.street.as_ref(),
                user.city.as_ref(),
                user.state.as_ref(),
                user.zip.as_ref(),
                user.country.as_ref(),
                user.phone_country_code.as_ref(),
                user.phone.as_ref(),
                *application_id,
                user.confirmed.then_some(*now),
                *now,
            ],
        )
        .await?;
    Ok(id)
}

/// The end of a lock by an operator. Nothing that the user does lifts it.
pub(super) const FOREVER: Timestamp = Timestamp::MAX;

/// Sets the password and resets the count of wrong ones. Returns the recipient of the notice.
pub(crate) async fn set_password(tx: &mut Tx, user_id: i64, hash: &str, now: Timestamp) -> Result<Addressee> {
    tx.fetch_one(
        "update users set password_hash = $2, failed_sign_ins = 0, updated_at = $3,
                locked_until = case when locked_until = $4 then locked_until end, lock_told_until = null
         where id = $1 returning id, oem_id, email",
        params![user_id, hash, now, FOREVER],
    )
    .await
}

/// Sets the address, which keeps its confirmation state. Returns the recipient of the notice.
pub(crate) async fn set_email(tx: &mut Tx, user_id: i64, email: &str, now: Timestamp) -> Result<Addressee> {
    tx.fetch_one(
        "update users set email = $2, updated_at = $3 where id = $1 returning id, oem_id, email",
        params![user_id, folded(email), now],
    )
    .await
}

/// Confirms the address, unless it is confirmed.
pub(crate) async fn confirm(tx: &mut Tx, user_id: i64, now: Timestamp) -> Result<()> {
    tx.execute(
        "update users set confirmed_at = $2, updated_at = $2 where id = $1 and confirmed_at is null",
        params![user_id, now],
    )
    .await?;
    Ok(())
}

/// The user's id on the wire.
pub(crate) async fn uuid(tx: &mut Tx, user_id: i64) -> Result<String> {
    let (uuid,) = tx.fetch_one("select uuid from users where id = $1", params![user_id]).await?;
    Ok(uuid)
}

/// Locks the user's row. Returns the recipient of mails about the account.
pub(crate) async fn lock_addressee(tx: &mut Tx, user_id: i64) -> Result<Option<Addressee>> {
    let sql = format!("select id, oem_id, email from users where id = $1{}", tx.for_update());
    tx.fetch_optional(AssertSqlSafe(sql), params![user_id]).await
}

/// Locks the user's row, so that counts of the user's records stay valid.
pub(crate) async fn lock_rows(tx: &mut Tx, user_id: i64) -> Result<()> {
    let sql = format!("select id from users where id = $1{}", tx.for_update());
    tx.fetch_optional::<(i64,)>(AssertSqlSafe(sql), params![user_id]).await?;
    Ok(())
}

/// The addresses of those of these users who are people.
pub(crate) async fn emails(tx: &mut Tx, ids: &[i64]) -> Result<HashMap<i64, String>> {
    let mut emails = HashMap::new();
    for run in key_runs(ids) {
        let sql = format!(
            "select id, email from users where application_id is null and id in ({})",
            placeholders(tx.dialect(), run.len())
        );
        let keys = run.into_iter().fold(Params::default(), Params::with);
        emails.extend(tx.fetch_all::<(i64, String)>(AssertSqlSafe(sql), keys).await?);
    }
    Ok(emails)
}
