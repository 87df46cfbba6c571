//! The `idx_forecasts` table, and the sort columns of `idx_device_state`.

use std::collections::HashMap;

use diffuser::forecast::{DailyUse, ForecastDate};
use jiff::Timestamp;
use platform::db::rows::{all, key_runs, placeholders, rows_of_placeholders, runs};
use platform::db::{Db, Params, Result, Tx, params};
use platform::run::clock::{from_micros, to_micros};
use sqlx::AssertSqlSafe;
use sqlx_macros::FromRow;

use crate::index::fleet_days::{DeviceDays, add_device_days};
use crate::index::turns::take_turn;
use crate::records::{ForecastObstacle, Outlook};

/// Maximum number of forecasts that end in one pass.
const MAX_PASSED: i64 = 10_000;
const COLUMNS: &str = "dsn, daily_use, filled_at, running_plan, plan_since, usual_share, share, earliest, median, latest, obstacle, emptied_at, ml_per_week";
const COLUMN_COUNT: usize = 13;

/// The forecast of a device, and what it follows from.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct StoredForecast {
    pub(super) dsn: String,
    /// Its CSP, or an empty text. Read only.
    pub(super) csp: String,
    pub(super) daily_use: DailyUse,
    /// When the daily use was filled from the cloud's history; `None` until then.
    pub(super) filled_at: Option<Timestamp>,
    pub(super) running_plan: String,
    /// Since when the plan has been known, unless it was always this one.
    pub(super) plan_since: Option<Timestamp>,
    /// The share before.
    pub(super) usual_share: Option<f64>,
    pub(super) share: Option<f64>,
    /// When the cartridge is empty, if there is a forecast.
    pub(super) empty: Option<ForecastDate>,
    pub(super) obstacle: Option<ForecastObstacle>,
    /// When the level became 0, if it is.
    pub(super) emptied_at: Option<Timestamp>,
    /// The expected use; of an empty cartridge, what it was.
    pub(super) ml_per_week: Option<f64>,
    /// The refills that its readings have shown since it was read. Not stored.
    pub(super) refills: Vec<Timestamp>,
}

impl StoredForecast {
    /// What lists show and sort by.
    pub(super) fn outlook(&self) -> Outlook {
        Outlook {
            emptied_at: self.emptied_at,
            runs_dry_at: self.empty.map(|empty| empty.median),
            obstacle: self.obstacle,
            has_history: self.filled_at.is_some(),
            ml_per_week: self.ml_per_week,
        }
    }
}

#[derive(FromRow)]
struct ForecastRow {
    /// From `idx_device_state`.
    device: String,
    csp: String,
    daily_use: Option<Vec<u8>>,
    filled_at: Option<i64>,
    running_plan: Option<String>,
    plan_since: Option<i64>,
    usual_share: Option<f64>,
    share: Option<f64>,
    earliest: Option<i64>,
    median: Option<i64>,
    latest: Option<i64>,
    obstacle: Option<String>,
    emptied_at: Option<i64>,
    ml_per_week: Option<f64>,
}

/// A device without a stored forecast has nothing to follow from.
impl From<ForecastRow> for StoredForecast {
    fn from(row: ForecastRow) -> Self {
        let empty = row.earliest.zip(row.median).map(|(earliest, median)| ForecastDate {
            earliest: from_micros(earliest),
            median: from_micros(median),
            latest: row.latest.map(from_micros),
        });
        Self {
            dsn: row.device,
            csp: row.csp,
            daily_use: row.daily_use.and_then(|bytes| DailyUse::from_bytes(&bytes)).unwrap_or_default(),
            filled_at: row.filled_at.map(from_micros),
            running_plan: row.running_plan.unwrap_or_default(),
            plan_since: row.plan_since.map(from_micros),
            usual_share: row.usual_share,
            share: row.share,
            empty,
            obstacle: row.obstacle.and_then(|name| name.parse().ok()),
            emptied_at: row.emptied_at.map(from_micros),
            ml_per_week: row.ml_per_week,
            refills: Vec::new(),
        }
    }
}

/// Reads the forecasts of those devices that are in the index.
pub(super) async fn read(db: &Db, dsns: &[&str]) -> Result<HashMap<String, StoredForecast>> {
    let mut stored = HashMap::new();
    for run in key_runs(dsns) {
        let sql = format!(
            "select s.dsn as device, s.csp, f.daily_use, f.filled_at, f.running_plan, f.plan_since, f.usual_share, f.share, \
                 f.earliest, f.median, f.latest, f.obstacle, f.emptied_at, f.ml_per_week \
             from idx_device_state s left join idx_forecasts f on f.dsn = s.dsn where s.dsn in ({})",
            placeholders(db.dialect(), run.len())
        );
        let rows: Vec<ForecastRow> = db.fetch_all(AssertSqlSafe(sql), keys(run)).await?;
        stored.extend(rows.into_iter().map(|row| (row.device.clone(), row.into())));
    }
    Ok(stored)
}

/// A device with its cartridge, as the index knows it.
#[derive(Debug)]
pub(crate) struct Cartridge {
    pub(crate) dsn: String,
    pub(crate) csp: Option<String>,
    pub(crate) configuration: String,
    pub(crate) fragrance: String,
    /// The running hours that were read last.
    pub(crate) life_hours: Option<f64>,
    /// The level that the device stores, in percent.
    pub(crate) stored_level: Option<i64>,
}

/// The next `limit` devices with a fragrance after this DSN, by DSN.
pub(crate) async fn cartridges_after(db: &Db, dsn: &str, limit: i64) -> Result<Vec<Cartridge>> {
    let sql = "select d.dsn, d.csp, d.system_configuration, d.fragrance, s.fragrance_remaining, f.daily_use \
               from idx_devices d join idx_device_state s on s.dsn = d.dsn left join idx_forecasts f on f.dsn = d.dsn \
               where d.dsn > $1 and d.fragrance <> '' order by d.dsn limit $2";
    type CartridgeRow = (String, String, String, String, Option<i64>, Option<Vec<u8>>);
    let rows: Vec<CartridgeRow> = db.fetch_all(sql, params![dsn, limit]).await?;
    let cartridge = |(dsn, csp, configuration, fragrance, stored_level, daily_use): CartridgeRow| Cartridge {
        dsn,
        csp: Some(csp).filter(|csp| !csp.is_empty()),
        configuration,
        fragrance,
        life_hours: daily_use.and_then(|bytes| DailyUse::from_bytes(&bytes)).and_then(|it| it.last_life_hours()),
        stored_level,
    };
    Ok(rows.into_iter().map(cartridge).collect())
}

/// The number of devices that have neither a forecast nor a reason why there is none.
#[cfg(feature = "testing")]
pub(crate) async fn count_unknown(db: &Db) -> Result<i64> {
    let sql = "select count(*) from idx_device_state where runs_dry_at is null and forecast_obstacle is null";
    let (count,): (i64,) = db.fetch_one(sql, Params::default()).await?;
    Ok(count)
}

/// Forecasts whose date has passed while the device was offline end. Returns the devices with their CSPs; the next call ends further
/// ones.
pub(super) async fn end_passed(db: &Db, now: Timestamp) -> Result<Vec<(String, String)>> {
    let sql = "select dsn from idx_device_state \
               where runs_dry_rising between 0 and $1 and connection_status = 'Offline' order by dsn limit $2";
    let passed: Vec<(String,)> = db.fetch_all(sql, params![now, MAX_PASSED]).await?;
    let dsns: Vec<&str> = passed.iter().map(|(dsn,)| dsn.as_str()).collect();
    let mut ended = Vec::new();
    for run in key_runs(&dsns) {
        ended.extend(end_run(db, &run, now).await?);
    }
    Ok(ended)
}

/// Ends the forecasts of these devices, locking rows in the order of [`write`].
async fn end_run(db: &Db, dsns: &[&str], now: Timestamp) -> Result<Vec<(String, String)>> {
    let keys = placeholders(db.dialect(), dsns.len());
    let [obstacle, before] = [1, 2].map(|place| db.dialect().placeholder(dsns.len() + place));
    let forecasts = format!(
        "update idx_forecasts set earliest = null, median = null, latest = null, obstacle = {obstacle} \
         where dsn in ({keys}) and median <= {before}"
    );
    let states = format!(
        "update idx_device_state set runs_dry_at = null, forecast_obstacle = {obstacle} \
         where dsn in ({keys}) and runs_dry_at <= {before} and connection_status = 'Offline' returning dsn, csp"
    );
    let values = || self::keys(dsns.to_vec()).with(<&str>::from(ForecastObstacle::PassedOffline)).with(now);
    let (forecasts, states, values) = (&forecasts, &states, &values);
    let work = |mut tx: Tx| async move {
        take_turn(&mut tx).await?;
        tx.execute(AssertSqlSafe(forecasts.clone()), values()).await?;
        let ended = tx.fetch_all(AssertSqlSafe(states.clone()), values()).await?;
        tx.commit().await?;
        Ok(ended)
    };
    db.write(work).await
}

/// Writes forecasts, each of another device, and adds what these devices have used to the sums of the fleet.
pub(super) async fn write(
    db: &Db,
    mut forecasts: Vec<StoredForecast>,
    device_days: &[DeviceDays],
    now: Timestamp,
) -> Result<()> {
    // A fixed lock order prevents deadlocks between writers.
    forecasts.sort_by(|one, other| one.dsn.cmp(&other.dsn));
    let forecasts = forecasts.as_slice();
    let work = |mut tx: Tx| async move {
        take_turn(&mut tx).await?;
        for run in runs(forecasts) {
            write_run(&mut tx, run).await?;
        }
        add_device_days(&mut tx, device_days, now).await?;
        tx.commit().await
    };
    db.write(work).await
}

async fn write_run(tx: &mut Tx, forecasts: &[StoredForecast]) -> Result<()> {
    let overwriting: Vec<String> =
        COLUMNS.split(", ").skip(1).map(|column| format!("{column} = excluded.{column}")).collect();
    let sql = format!(
        "insert into idx_forecasts ({COLUMNS}) values {} on conflict (dsn) do update set {}",
        rows_of_placeholders(tx.dialect(), forecasts.len(), COLUMN_COUNT),
        overwriting.join(", ")
    );
    tx.execute(AssertSqlSafe(sql), all(forecasts, values)).await?;
    let dsns = forecasts.iter().map(|forecast| forecast.dsn.as_str()).collect();
    let sql = format!(
        "update idx_device_state set runs_dry_at = f.median, emptied_at = f.emptied_at, forecast_obstacle = f.obstacle, \
         has_history = f.filled_at is not null, ml_per_week = f.ml_per_week from idx_forecasts f where f.dsn = idx_device_state.dsn and f.dsn in ({})",
        placeholders(tx.dialect(), forecasts.len())
    );
    tx.execute(AssertSqlSafe(sql), keys(dsns)).await?;
    Ok(())
}

fn values(values: Params, forecast: &StoredForecast) -> Params {
    let empty = forecast.empty;
    values
        .with(&forecast.dsn)
        .with(forecast.daily_use.to_bytes())
        .with(forecast.filled_at)
        .with(&forecast.running_plan)
        .with(forecast.plan_since)
        .with(forecast.usual_share)
        .with(forecast.share)
        .with(empty.map(|it| to_micros(it.earliest)))
        .with(empty.map(|it| to_micros(it.median)))
        .with(empty.and_then(|it| it.latest).map(to_micros))
        .with(forecast.obstacle.map(<&str>::from))
        .with(forecast.emptied_at)
        .with(forecast.ml_per_week)
}

fn keys(dsns: Vec<&str>) -> Params {
    dsns.into_iter().fold(Params::default(), Params::with)
}
