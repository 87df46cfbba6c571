//! The index of people: a rebuildable copy of the cloud's users for the list. A read overwrites a row only if it began after
//! the row's last update, so rows never go back in time.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use platform::db::rows::{all, rows_of_placeholders, runs};
use platform::db::{Db, Result, params};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::record::UserRecord;
use super::row::{COLUMNS, UserRow, values};
use crate::index::CloudRead;
use crate::texts::folding::{fold, fold_case};

/// Stores the result of a read of one person. False when the row is newer than the read, in which case the caller must read
/// again.
pub(super) async fn index_user(db: &Db, record: &UserRecord, read: CloudRead) -> Result<bool> {
    Ok(write(db, &[record], read).await?.contains(&record.id))
}

/// All people in the index.
pub(super) async fn load_all(db: &Db) -> Result<HashMap<Uuid, UserRecord>> {
    let sql = format!("select {} from idx_users", COLUMNS.join(", "));
    let rows: Vec<UserRow> = db.fetch_all(AssertSqlSafe(sql), params![]).await?;
    Ok(rows.into_iter().map(UserRecord::from).map(|record| (record.id, record)).collect())
}

/// The person with this e-mail address, in any case. It takes as long as without one.
pub(crate) async fn id_of_address(db: &Db, email: &str) -> Result<Option<Uuid>> {
    // PostgreSQL has no text with this character.
    if email.contains('\0') {
        return Ok(None);
    }
    // Without an index and a limit: every row is read in both cases.
    let sql = "select id, email from idx_users where email_folded = $1";
    let found: Vec<(String, String)> = db.fetch_all(sql, params![fold(email)]).await?;
    let same = found.iter().find(|(_, other)| fold_case(other) == fold_case(email));
    Ok(same.and_then(|(id, _)| Uuid::parse_str(id).ok()))
}

/// Removes a person whom a read that began at `read_began` did not find. False when the row is newer or does not exist.
pub(super) async fn remove(db: &Db, id: Uuid, read_began: Timestamp) -> Result<bool> {
    let sql = "delete from idx_users where id = $1 and synced_at <= $2";
    Ok(db.execute(sql, params![id, read_began]).await? > 0)
}

/// Writes the records of a read in one transaction. Returns the ids that were written; the rows of the others are newer than
/// the read.
pub(super) async fn write(db: &Db, records: &[&UserRecord], read: CloudRead) -> Result<HashSet<Uuid>> {
    if read.is_expired() || records.is_empty() {
        return Ok(HashSet::new());
    }
    let set: Vec<String> = COLUMNS[1..].iter().map(|column| format!("{column} = excluded.{column}")).collect();
    let mut tx = db.begin().await?;
    let mut written = HashSet::new();
    for run in runs(records) {
        let sql = format!(
            "insert into idx_users ({}) values {} on conflict (id) do update set {} \
             where idx_users.synced_at <= {} returning id",
            COLUMNS.join(", "),
            rows_of_placeholders(tx.dialect(), run.len(), COLUMNS.len()),
            set.join(", "),
            tx.dialect().placeholder(run.len() * COLUMNS.len() + 1),
        );
        let values = all(run, |params, record| values(params, record, read)).with(read.began());
        let ids: Vec<(String,)> = tx.fetch_all(AssertSqlSafe(sql), values).await?;
        written.extend(ids.iter().filter_map(|(id,)| Uuid::parse_str(id).ok()));
    }
    tx.commit().await?;
    Ok(written)
}

#[cfg(test)]
mod tests {
    use diffuser::Role;
    use jiff::SignedDuration;
    use platform::run::clock::Clock;

    use super::*;

    fn clock() -> Clock {
        Clock::mock("2026-11-20T12:00:00Z".parse().unwrap())
    }

    fn person(number: u128, lastname: &str) -> UserRecord {
        UserRecord { lastname: lastname.to_owned(), ..UserRecord::named(Uuid::from_u128(number), "jo@example.com") }
    }

    async fn lastnames(db: &Db) -> Vec<String> {
        load_all(db).await.unwrap().into_values().map(|record| record.lastname).collect()
    }

    async fn written_device_is_read_back_unchanged(db: Db) {
        let clock = clock();
        let whole = UserRecord {
            firstname: "Jo".to_owned(),
            company: "Aurora".to_owned(),
            business_role: "Owner".to_owned(),
            phone: "+47 1234".to_owned(),
            city: "Łódź".to_owned(),
            state: "Viken".to_owned(),
            country: "Norway".to_owned(),
            confirmed: true,
            role: Some(Role::CspTech),
            csp: Some("North".to_owned()),
            created_at: Some(clock.now()),
            ..person(1, "Moss")
        };
        for record in [&whole, &person(2, "")] {
            index_user(&db, record, CloudRead::begin(&clock).end(&clock)).await.unwrap();
            assert!(load_all(&db).await.unwrap().get(&record.id) == Some(record));
        }
    }

    async fn read_overwrites_a_row_only_if_it_began_after_the_last_update(db: Db) {
        let clock = clock();
        let slow = CloudRead::begin(&clock);
        clock.advance(SignedDuration::from_secs(1));
        assert!(index_user(&db, &person(1, "New"), CloudRead::begin(&clock).end(&clock)).await.unwrap());
        assert!(!index_user(&db, &person(1, "Old"), slow.end(&clock)).await.unwrap());
        assert_eq!(lastnames(&db).await, ["New"]);
        clock.advance(SignedDuration::from_secs(1));
        assert!(index_user(&db, &person(1, "Newer"), CloudRead::begin(&clock).end(&clock)).await.unwrap());
        assert_eq!(lastnames(&db).await, ["Newer"]);
    }

    async fn overlong_read_is_ignored(db: Db) {
        let clock = clock();
        let slow = CloudRead::begin(&clock);
        clock.advance(SignedDuration::from_mins(5));
        assert!(!index_user(&db, &person(1, "Old"), slow.end(&clock)).await.unwrap());
        assert!(lastnames(&db).await.is_empty());
    }

    async fn only_a_read_that_began_later_removes_a_row(db: Db) {
        let clock = clock();
        let slow = CloudRead::begin(&clock);
        clock.advance(SignedDuration::from_secs(1));
        for number in 1..=2 {
            index_user(&db, &person(number, "Moss"), CloudRead::begin(&clock).end(&clock)).await.unwrap();
        }
        assert!(!remove(&db, Uuid::from_u128(1), slow.began()).await.unwrap());
        assert_eq!(lastnames(&db).await.len(), 2);
        assert!(remove(&db, Uuid::from_u128(1), clock.now()).await.unwrap());
        assert!(!remove(&db, Uuid::from_u128(1), clock.now()).await.unwrap(), "already removed");
        assert_eq!(lastnames(&db).await.len(), 1);
    }

    platform::store_suite!(
        migrate = crate::migrations::migrate,
        tests = [
            written_device_is_read_back_unchanged,
            read_overwrites_a_row_only_if_it_began_after_the_last_update,
            overlong_read_is_ignored,
            only_a_read_that_began_later_removes_a_row,
        ]
    );
}
