use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result, Tx, params};

use super::group::{Dimension, day_of};
use super::store_months::month_of;
use super::{CUSTOMER_RETENTION, MAX_COUNTED_AGE, RETENTION};

/// Deletes days past their retention, and the marks in `fleet_counted` that are too old to prevent a second addition.
pub(crate) async fn delete_old_days(db: &Db, now: Timestamp) -> Result<()> {
    let work = |mut tx: Tx| async move {
        let sql = "delete from fleet_days where day < $1";
        tx.execute(sql, params![day_of(now - RETENTION)]).await?;
        let sql = "delete from fleet_days where day < $1 and dimension = $2";
        tx.execute(sql, params![day_of(now - CUSTOMER_RETENTION), Dimension::Customer.name()]).await?;
        let sql = "delete from fleet_store_months where month < $1";
        tx.execute(sql, params![month_of(now - RETENTION)]).await?;
        let heard_of_before = day_of(now) - MAX_COUNTED_AGE - SignedDuration::from_hours(24);
        tx.execute("delete from fleet_counted where refills_until < $1", params![heard_of_before]).await?;
        tx.commit().await
    };
    db.write(work).await
}
