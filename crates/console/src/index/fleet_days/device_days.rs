//! What a device adds to the sums: use and refills as its readings show them, and the past of a device that is new to the console.

use std::collections::{BTreeMap, HashMap};

use jiff::{SignedDuration, Timestamp};
use platform::db::rows::{all, key_runs, placeholders, rows_of_placeholders, runs};
use platform::db::{Params, Result, Tx};
use platform::run::clock::{from_micros, to_micros};
use sqlx::AssertSqlSafe;

use super::MAX_COUNTED_AGE;
use super::group::{Dimension, GroupKey, day_of, hour_of};
use super::samples;
use super::store_months::{self, StoreKey, StoreMonths, month_of};
use super::sums::{self, COLUMN_COUNT, DaySums, HOURS, level_index};

const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// What is known of a device's past. What it has added already is not added again.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DeviceDays {
    pub(crate) dsn: String,
    /// Its present CSP, customer, store, city and fragrance; empty texts without one.
    pub(crate) csp: String,
    pub(crate) customer: String,
    pub(crate) store_number: String,
    pub(crate) city: String,
    pub(crate) fragrance: String,
    /// Its use in mL on days of UTC that have ended, as far as it is known.
    pub(crate) used_ml: Vec<(Timestamp, f64)>,
    pub(crate) refills: Vec<Timestamp>,
    /// Time of the last reading; `None` without readings.
    pub(crate) last_reading: Option<Timestamp>,
    /// Only of a device that has added nothing yet: its states before the first sample.
    pub(crate) past: Vec<PastDay>,
}

/// The states of a device on a day of UTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PastDay {
    pub(crate) day: Timestamp,
    /// In percent at the end of the day.
    pub(crate) level: Option<i64>,
    /// Whether it was online at the beginning of each hour.
    pub(crate) online: [Option<bool>; HOURS],
}

/// What a device has added.
#[derive(Clone, Copy)]
struct Counted {
    used_until: Timestamp,
    refills_until: Timestamp,
}

/// Adds what devices have used since they were last counted, each of another DSN.
pub(crate) async fn add_device_days(tx: &mut Tx, devices: &[DeviceDays], now: Timestamp) -> Result<()> {
    if devices.is_empty() {
        return Ok(());
    }
    let first_sample = samples::first_in(tx).await?;
    let counted = read_counted(tx, devices).await?;
    let (mut sums, mut months) = (BTreeMap::new(), StoreMonths::new());
    for device in devices {
        let before = counted.get(&device.dsn).copied();
        if before.is_none() {
            device.add_past(first_sample.unwrap_or(now), &mut sums);
        }
        device.add_use(before, now, &mut sums, &mut months);
    }
    // In the order of the keys, so that writers lock rows in the same order.
    let sums: Vec<(GroupKey, DaySums)> = sums.into_iter().collect();
    for run in runs(&sums) {
        let columns: Vec<String> = sums::columns().collect();
        let sql = format!(
            "insert into fleet_days (dimension, value, csp, day, {}) values {} \
             on conflict (dimension, value, csp, day) do update set {}",
            columns.join(", "),
            rows_of_placeholders(tx.dialect(), run.len(), 4 + COLUMN_COUNT),
            sums::additions().join(", ")
        );
        let values = |values: Params, (key, sums): &(GroupKey, DaySums)| {
            sums.bind(values.with(key.dimension.name()).with(&key.value).with(&key.csp).with(key.day))
        };
        tx.execute(AssertSqlSafe(sql), all(run, values)).await?;
    }
    store_months::add(tx, months).await?;
    write_counted(tx, devices, &counted).await
}

impl DeviceDays {
    /// Adds the states before the first sample, which begins at an hour.
    fn add_past(&self, first_sample: Timestamp, sums: &mut BTreeMap<GroupKey, DaySums>) {
        let (first_hour, first_day) = (hour_of(first_sample), day_of(first_sample));
        for past in self.past.iter().filter(|past| past.day <= first_day) {
            self.add(past.day, sums, |sums| {
                if past.day < first_day {
                    increase(&mut sums.devices, 1);
                    for level in &mut sums.levels {
                        increase(level, 0);
                    }
                    if let Some(level) = past.level {
                        increase(&mut sums.levels[level_index(level)], 1);
                    }
                }
                let mut hour = past.day;
                for (sum, online) in sums.online.iter_mut().zip(past.online) {
                    if let Some(online) = online.filter(|_| hour < first_hour) {
                        increase(sum, i64::from(online));
                    }
                    hour += HOUR;
                }
            });
        }
    }

    /// Adds the use and the refills that were not counted `before`.
    fn add_use(
        &self,
        before: Option<Counted>,
        now: Timestamp,
        sums: &mut BTreeMap<GroupKey, DaySums>,
        months: &mut StoreMonths,
    ) {
        let store = self.store();
        let oldest = day_of(now) - MAX_COUNTED_AGE;
        let used_from = before.map_or(oldest, |before| before.used_until.max(oldest));
        for (day, used_ml) in self.used_ml.iter().filter(|(day, _)| *day >= used_from) {
            self.add(*day, sums, |sums| {
                sums.used_ml += used_ml;
                sums.used_devices += 1;
            });
            let month = months.entry((month_of(*day), store.clone())).or_default();
            month.used_ml += used_ml;
            month.used_days += 1;
        }
        let refills_after = before.map_or(oldest, |before| before.refills_until.max(oldest));
        for refill in self.refills.iter().filter(|at| **at > refills_after) {
            self.add(day_of(*refill), sums, |sums| sums.refills += 1);
            months.entry((month_of(*refill), store.clone())).or_default().refills += 1;
        }
    }

    fn store(&self) -> StoreKey {
        StoreKey {
            csp: self.csp.clone(),
            customer: self.customer.clone(),
            store_number: self.store_number.clone(),
            city: self.city.clone(),
            fragrance: self.fragrance.clone(),
        }
    }

    /// Adds to all groups of the device.
    fn add(&self, day: Timestamp, sums: &mut BTreeMap<GroupKey, DaySums>, add: impl Fn(&mut DaySums)) {
        for dimension in Dimension::ALL {
            let value = match dimension {
                Dimension::All => String::new(),
                Dimension::Customer => self.customer.clone(),
                Dimension::Fragrance => self.fragrance.clone(),
            };
            add(sums.entry(GroupKey { dimension, value, csp: self.csp.clone(), day }).or_default());
        }
    }
}

fn increase(sum: &mut Option<i64>, by: i64) {
    *sum = Some(sum.unwrap_or_default() + by);
}

async fn read_counted(tx: &mut Tx, devices: &[DeviceDays]) -> Result<HashMap<String, Counted>> {
    let dsns: Vec<&str> = devices.iter().map(|device| device.dsn.as_str()).collect();
    let mut counted = HashMap::new();
    for run in key_runs(&dsns) {
        let sql = format!(
            "select dsn, used_until, refills_until from fleet_counted where dsn in ({})",
            placeholders(tx.dialect(), run.len())
        );
        let rows: Vec<(String, i64, i64)> =
            tx.fetch_all(AssertSqlSafe(sql), run.into_iter().fold(Params::default(), Params::with)).await?;
        counted.extend(rows.into_iter().map(|(dsn, used, refills)| {
            (dsn, Counted { used_until: from_micros(used), refills_until: from_micros(refills) })
        }));
    }
    Ok(counted)
}

async fn write_counted(tx: &mut Tx, devices: &[DeviceDays], before: &HashMap<String, Counted>) -> Result<()> {
    // All use before the last reading has been added. The later of two times keeps the marks from moving back after a reindex.
    let mut devices: Vec<(&str, i64, i64)> = devices
        .iter()
        .map(|device| {
            let last = device.last_reading.unwrap_or(Timestamp::UNIX_EPOCH);
            let (used, refills) = match before.get(&device.dsn) {
                Some(before) => (before.used_until.max(day_of(last)), before.refills_until.max(last)),
                None => (day_of(last), last),
            };
            (device.dsn.as_str(), to_micros(used), to_micros(refills))
        })
        .collect();
    devices.sort_unstable();
    for run in runs(&devices) {
        let sql = format!(
            "insert into fleet_counted (dsn, used_until, refills_until) values {} on conflict (dsn) do update set \
             used_until = excluded.used_until, refills_until = excluded.refills_until",
            rows_of_placeholders(tx.dialect(), run.len(), 3)
        );
        let values =
            |values: Params, (dsn, used, refills): &(&str, i64, i64)| values.with(*dsn).with(*used).with(*refills);
        tx.execute(AssertSqlSafe(sql), all(run, values)).await?;
    }
    Ok(())
}
