//! The index of people: a copy of what their list needs of the cloud's users. Nothing is owned here. A row is overwritten
//! only by a read that began after the row was last brought up to date, so nothing ever goes back in time.

use std::collections::HashSet;

use diffuser::Role;
use jiff::Timestamp;
use platform::clock::to_micros;
use platform::db::rows::{all, rows_of_placeholders, runs};
use platform::db::{Db, Params, Result, params};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::record::UserRecord;
use crate::fold::fold;
use crate::index::Read;

/// Brings the index up to what a read of one person found, which no earlier read can overwrite any more. False when the
/// row is younger than the read: only another read can tell who is right.
pub(super) async fn index_read(db: &Db, record: &UserRecord, read: Read) -> Result<bool> {
    Ok(write(db, &[record], read).await?.contains(&record.id))
}

/// Forgets a person whom a read, begun at `read_began`, did not find. False when the row is younger, or not there.
pub(super) async fn remove(db: &Db, id: Uuid, read_began: Timestamp) -> Result<bool> {
    let sql = "DELETE FROM idx_users WHERE id = $1 AND synced_at <= $2";
    Ok(db.execute(sql, params![id, read_began]).await? > 0)
}

/// Writes in one transaction what `read` found; answers who was written. The others have a row by now that is younger
/// than the read.
async fn write(db: &Db, records: &[&UserRecord], read: Read) -> Result<HashSet<Uuid>> {
    if read.is_void() || records.is_empty() {
        return Ok(HashSet::new());
    }
    let set: Vec<String> = COLUMNS[1..].iter().map(|column| format!("{column} = excluded.{column}")).collect();
    let mut tx = db.begin().await?;
    let mut written = HashSet::new();
    for run in runs(records) {
        let sql = format!(
            "INSERT INTO idx_users ({}) VALUES {} ON CONFLICT (id) DO UPDATE SET {} \
             WHERE idx_users.synced_at <= {} RETURNING id",
            COLUMNS.join(", "),
            rows_of_placeholders(tx.dialect(), run.len(), COLUMNS.len()),
            set.join(", "),
            tx.dialect().placeholder(run.len() * COLUMNS.len() + 1),
        );
        let values = all(run, |values, record| row(values, record, read)).with(read.began());
        let ids: Vec<(String,)> = tx.fetch_all(AssertSqlSafe(sql), values).await?;
        written.extend(ids.iter().filter_map(|(id,)| Uuid::parse_str(id).ok()));
    }
    tx.commit().await?;
    Ok(written)
}

const COLUMNS: [&str; 21] = [
    "id",
    "email",
    "firstname",
    "lastname",
    "company",
    "business_role",
    "phone",
    "city",
    "state",
    "country",
    "confirmed",
    "role",
    "csp",
    "created_at",
    "email_folded",
    "firstname_folded",
    "lastname_folded",
    "company_folded",
    "business_role_folded",
    "phone_folded",
    "synced_at",
];

fn row(values: Params, record: &UserRecord, read: Read) -> Params {
    values
        .with(record.id)
        .with(&record.email)
        .with(&record.firstname)
        .with(&record.lastname)
        .with(&record.company)
        .with(&record.business_role)
        .with(&record.phone)
        .with(&record.city)
        .with(&record.state)
        .with(&record.country)
        .with(record.confirmed)
        .with(record.role.map_or("", Role::name))
        .with(record.csp.as_deref().unwrap_or_default())
        .with(record.created_at.map_or(0, to_micros))
        .with(fold(&record.email))
        .with(fold(&record.firstname))
        .with(fold(&record.lastname))
        .with(fold(&record.company))
        .with(fold(&record.business_role))
        .with(fold(&record.phone))
        .with(read.ended())
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use platform::clock::Clock;

    use super::*;

    fn clock() -> Clock {
        Clock::mock("2026-11-20T12:00:00Z".parse().unwrap())
    }

    fn person(number: u128, lastname: &str) -> UserRecord {
        UserRecord { lastname: lastname.to_owned(), ..UserRecord::named(Uuid::from_u128(number), "jo@example.com") }
    }

    async fn lastnames(db: &Db) -> Vec<String> {
        let rows: Vec<(String,)> = db.fetch_all("SELECT lastname FROM idx_users ORDER BY id", params![]).await.unwrap();
        rows.into_iter().map(|(name,)| name).collect()
    }

    async fn only_a_read_that_began_later_overwrites_a_row(db: Db) {
        let clock = clock();
        let slow = Read::begin(&clock);
        clock.advance(SignedDuration::from_secs(1));
        assert!(index_read(&db, &person(1, "New"), Read::begin(&clock).end(&clock)).await.unwrap());
        assert!(!index_read(&db, &person(1, "Old"), slow.end(&clock)).await.unwrap());
        assert_eq!(lastnames(&db).await, ["New"]);
        clock.advance(SignedDuration::from_secs(1));
        assert!(index_read(&db, &person(1, "Newer"), Read::begin(&clock).end(&clock)).await.unwrap());
        assert_eq!(lastnames(&db).await, ["Newer"]);
    }

    async fn a_read_that_took_too_long_counts_for_nothing(db: Db) {
        let clock = clock();
        let slow = Read::begin(&clock);
        clock.advance(SignedDuration::from_mins(5));
        assert!(!index_read(&db, &person(1, "Old"), slow.end(&clock)).await.unwrap());
        assert!(lastnames(&db).await.is_empty());
    }

    async fn only_a_read_that_began_later_removes_a_row(db: Db) {
        let clock = clock();
        let slow = Read::begin(&clock);
        clock.advance(SignedDuration::from_secs(1));
        for number in 1..=2 {
            index_read(&db, &person(number, "Moss"), Read::begin(&clock).end(&clock)).await.unwrap();
        }
        assert!(!remove(&db, Uuid::from_u128(1), slow.began()).await.unwrap());
        assert_eq!(lastnames(&db).await.len(), 2);
        assert!(remove(&db, Uuid::from_u128(1), clock.now()).await.unwrap());
        assert!(!remove(&db, Uuid::from_u128(1), clock.now()).await.unwrap(), "gone already");
        assert_eq!(lastnames(&db).await.len(), 1);
    }

    platform::store_suite!(
        migrate = crate::migrations::migrate,
        tests = [
            only_a_read_that_began_later_overwrites_a_row,
            a_read_that_took_too_long_counts_for_nothing,
            only_a_read_that_began_later_removes_a_row,
        ]
    );
}
