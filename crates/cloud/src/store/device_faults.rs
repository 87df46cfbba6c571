//! Faults of device messages by subject and kind (docs/device-link.md#faults).

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result, Tx, params};

/// Faults that did not occur for this long are deleted, so that the names of an earlier firmware do not use up the limit.
const RETENTION: SignedDuration = SignedDuration::from_hours(30 * 24);
const DAY_SECONDS: i64 = 24 * 60 * 60;

/// Which faults are stored.
#[derive(sqlx_macros::FromRow)]
pub(crate) struct KnownFaultRow {
    pub(crate) subject: String,
    pub(crate) kind: String,
    pub(crate) logged_at: i64,
}

/// A number of faults to add.
pub(crate) struct NewFaults<'a> {
    pub(crate) subject: &'a str,
    pub(crate) kind: &'a str,
    pub(crate) count: i64,
    pub(crate) shape: &'a str,
    pub(crate) last_at: Timestamp,
    /// When the subject was logged last.
    pub(crate) logged_at: i64,
}

/// Faults of a device.
#[derive(sqlx_macros::FromRow)]
pub(crate) struct FaultRow {
    pub(crate) subject: String,
    pub(crate) kind: String,
    pub(crate) count: i64,
    pub(crate) shape: String,
    pub(crate) last_at: i64,
}

/// The number of faults of a device on its newest day with one, and on the day before. Days are those of UTC.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct FaultDaysRow {
    /// Days since 1970-01-01.
    fault_day: Option<i64>,
    day_faults: i64,
    previous_day_faults: i64,
}

impl FaultDaysRow {
    /// Whether the device ever had a fault.
    pub(crate) fn any(&self) -> bool {
        self.fault_day.is_some()
    }

    /// The numbers of today and yesterday.
    pub(crate) fn counts(&self, now: Timestamp) -> (i64, i64) {
        match self.fault_day.map(|newest| day(now) - newest) {
            // The clock may have been ahead.
            Some(..=0) => (self.day_faults, self.previous_day_faults),
            Some(1) => (0, self.day_faults),
            _ => (0, 0),
        }
    }
}

/// Counts faults of the day, and stores why the last one was refused. Returns whether the device exists. Its state is locked then.
pub(crate) async fn count_day(tx: &mut Tx, device_id: i64, count: i64, reason: &str, now: Timestamp) -> Result<bool> {
    let counted = tx
        .execute(
            "update device_state set refused_at = $2, refusal = $3, fault_day = $4,
                 previous_day_faults = case when fault_day = $4 then previous_day_faults
                                            when fault_day = $4 - 1 then day_faults else 0 end,
                 day_faults = case when fault_day = $4 then day_faults else 0 end + $5
             where device_id = $1",
            params![device_id, now, reason, day(now), count],
        )
        .await?;
    Ok(counted == 1)
}

/// Deletes old faults of the device, and returns the others.
pub(crate) async fn known(tx: &mut Tx, device_id: i64, now: Timestamp) -> Result<Vec<KnownFaultRow>> {
    tx.execute("delete from device_fault where device_id = $1 and last_at < $2", params![device_id, now - RETENTION])
        .await?;
    let sql = "select subject, kind, logged_at from device_fault where device_id = $1";
    tx.fetch_all(sql, params![device_id]).await
}

pub(crate) async fn add(tx: &mut Tx, device_id: i64, faults: &NewFaults<'_>) -> Result<()> {
    let NewFaults { subject, kind, count, shape, last_at, logged_at } = *faults;
    tx.execute(
        "insert into device_fault (device_id, subject, kind, count, shape, last_at, logged_at)
         values ($1, $2, $3, $4, $5, $6, $7)
         on conflict (device_id, subject, kind) do update set
             count = device_fault.count + excluded.count, shape = excluded.shape, last_at = excluded.last_at,
             logged_at = excluded.logged_at",
        params![device_id, subject, kind, count, shape, last_at, logged_at],
    )
    .await?;
    Ok(())
}

/// The faults of the device that are not old, newest first.
pub(crate) async fn of_device(db: &Db, device_id: i64, now: Timestamp) -> Result<Vec<FaultRow>> {
    db.fetch_all(
        "select subject, kind, count, shape, last_at from device_fault where device_id = $1 and last_at >= $2
         order by last_at desc, subject, kind",
        params![device_id, now - RETENTION],
    )
    .await
}

/// The day of UTC, in days since 1970-01-01.
fn day(at: Timestamp) -> i64 {
    at.as_second().div_euclid(DAY_SECONDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_today_and_yesterday() {
        let now: Timestamp = "2026-11-20T12:00:00Z".parse().unwrap();
        for (age, expected) in
            [(Some(0), (5, 3)), (Some(1), (0, 5)), (Some(2), (0, 0)), (Some(-1), (5, 3)), (None, (0, 0))]
        {
            let fault_day = age.map(|age| day(now) - age);
            let row = FaultDaysRow { fault_day, day_faults: 5, previous_day_faults: 3 };
            assert_eq!(row.counts(now), expected, "{age:?}");
        }
    }
}
