//! The samples that are taken of all devices each hour.

use jiff::Timestamp;
use platform::db::rows::{all, rows_of_placeholders, runs};
use platform::db::{Db, Params, Result, Tx, params};
use platform::run::clock::from_micros;
use sqlx::AssertSqlSafe;

use super::group::{Dimension, day_of};
use super::sums::{self, COLUMN_COUNT, DaySums, LEVELS};

/// A group of devices at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GroupSample {
    pub(crate) dimension: Dimension,
    pub(crate) value: String,
    pub(crate) csp: String,
    pub(crate) devices: i64,
    pub(crate) online: i64,
    pub(crate) levels: [i64; LEVELS],
}

/// The hours of the first and of the last sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SampleTimes {
    pub(crate) first: Timestamp,
    pub(crate) last: Timestamp,
}

/// `None` before the first sample.
pub(crate) async fn sample_times(db: &Db) -> Result<Option<SampleTimes>> {
    let sql = "select first_at, last_at from fleet_samples where id = 1";
    let row: Option<(i64, i64)> = db.fetch_optional(sql, params![]).await?;
    Ok(row.map(|(first, last)| SampleTimes { first: from_micros(first), last: from_micros(last) }))
}

/// The hour of the first sample.
pub(super) async fn first_in(tx: &mut Tx) -> Result<Option<Timestamp>> {
    let row: Option<(i64,)> = tx.fetch_optional("select first_at from fleet_samples where id = 1", params![]).await?;
    Ok(row.map(|(first,)| from_micros(first)))
}

/// Stores a sample of all groups that have devices, as of the beginning of an hour.
pub(crate) async fn write_samples(db: &Db, hour: Timestamp, mut samples: Vec<GroupSample>) -> Result<()> {
    // In the order of the keys, so that writers lock rows in the same order.
    samples.sort_by(|a, b| (a.dimension, &a.value, &a.csp).cmp(&(b.dimension, &b.value, &b.csp)));
    let (samples, day) = (samples.as_slice(), day_of(hour));
    let index = usize::try_from(hour.duration_since(day).as_hours()).unwrap_or_default();
    let work = |mut tx: Tx| async move {
        // Groups that no longer have devices.
        let zeros = format!("update fleet_days set {} where day = $1", sums::zeros(index).join(", "));
        tx.execute(AssertSqlSafe(zeros), params![day]).await?;
        for run in runs(samples) {
            let columns: Vec<String> = sums::columns().collect();
            let sql = format!(
                "insert into fleet_days (dimension, value, csp, day, {}) values {} \
                 on conflict (dimension, value, csp, day) do update set {}",
                columns.join(", "),
                rows_of_placeholders(tx.dialect(), run.len(), 4 + COLUMN_COUNT),
                sums::replacements(index).join(", ")
            );
            let values = |values: Params, sample: &GroupSample| {
                let key = values.with(sample.dimension.name()).with(&sample.value).with(&sample.csp).with(day);
                sample.sums(index).bind(key)
            };
            tx.execute(AssertSqlSafe(sql), all(run, values)).await?;
        }
        let sql = "insert into fleet_samples (id, first_at, last_at) values (1, $1, $1) \
                   on conflict (id) do update set last_at = excluded.last_at";
        tx.execute(sql, params![hour]).await?;
        tx.commit().await
    };
    db.write(work).await
}

impl GroupSample {
    fn sums(&self, hour: usize) -> DaySums {
        let mut sums = DaySums { devices: Some(self.devices), levels: self.levels.map(Some), ..DaySums::default() };
        sums.online[hour] = Some(self.online);
        sums
    }
}
