//! The table `recomputed_levels`: devices whose level a change of the catalogue has changed, until it is stored at the cloud.

use jiff::{SignedDuration, Timestamp};
use platform::db::rows::{all, key_runs, placeholders, rows_of_placeholders, runs};
use platform::db::{Db, Params, Result, params};
use platform::run::clock::from_micros;
use sqlx::AssertSqlSafe;

/// What is not stored after this time follows from use as well.
const LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// Adds these devices, for a change of the catalogue at this time.
pub(super) async fn add(db: &Db, dsns: &[&str], changed_at: Timestamp) -> Result<()> {
    for run in runs(dsns) {
        let places = rows_of_placeholders(db.dialect(), run.len(), 2);
        let sql = format!(
            "insert into recomputed_levels (dsn, changed_at) values {places} \
             on conflict (dsn) do update set changed_at = excluded.changed_at"
        );
        db.execute(AssertSqlSafe(sql), all(run, |params, dsn| params.with(*dsn).with(changed_at))).await?;
    }
    Ok(())
}

/// Removes these devices, which store the level that follows from the catalogue.
pub(super) async fn remove(db: &Db, dsns: &[&str]) -> Result<()> {
    for run in key_runs(dsns) {
        let sql = format!("delete from recomputed_levels where dsn in ({})", placeholders(db.dialect(), run.len()));
        db.execute(AssertSqlSafe(sql), run.into_iter().fold(Params::default(), Params::with)).await?;
    }
    Ok(())
}

/// Removes the devices of changes that are too old to count.
pub(super) async fn remove_old(db: &Db, now: Timestamp) -> Result<()> {
    db.execute("delete from recomputed_levels where changed_at <= $1", params![now - LIFETIME]).await?;
    Ok(())
}

/// When the catalogue changed from which a level of this device follows that is not stored yet.
pub(crate) async fn recomputed_at(db: &Db, dsn: &str, now: Timestamp) -> Result<Option<Timestamp>> {
    let sql = "select changed_at from recomputed_levels where dsn = $1 and changed_at > $2";
    let found: Option<(i64,)> = db.fetch_optional(sql, params![dsn, now - LIFETIME]).await?;
    Ok(found.map(|(at,)| from_micros(at)))
}

/// Removes a device whose level is stored, unless a later change has recomputed it meanwhile.
pub(crate) async fn remove_stored(db: &Db, dsn: &str, changed_at: Timestamp) -> Result<()> {
    db.execute("delete from recomputed_levels where dsn = $1 and changed_at = $2", params![dsn, changed_at]).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn device_is_there_until_its_newest_level_is_stored_and_for_a_day_at_most(db: Db) {
        let first: Timestamp = "2026-11-20T12:00:00Z".parse().unwrap();
        let second = first + SignedDuration::from_secs(1);
        add(&db, &["A", "B", "C"], first).await.unwrap();
        add(&db, &["A"], second).await.unwrap();
        remove(&db, &["C"]).await.unwrap();
        remove_stored(&db, "A", first).await.unwrap();
        let found = async |now| {
            let mut found = Vec::new();
            for dsn in ["A", "B", "C"] {
                found.push(recomputed_at(&db, dsn, now).await.unwrap());
            }
            found
        };
        assert_eq!(found(second).await, [Some(second), Some(first), None]);
        assert_eq!(found(first + LIFETIME).await, [Some(second), None, None]);
        remove_stored(&db, "A", second).await.unwrap();
        assert_eq!(found(second).await, [None, Some(first), None]);
        remove_old(&db, first + LIFETIME).await.unwrap();
        assert_eq!(found(second).await, [None, None, None]);
    }

    platform::store_suite!(
        migrate = crate::migrations::migrate,
        tests = [device_is_there_until_its_newest_level_is_stored_and_for_a_day_at_most]
    );
}
