//! How many histories have been read.

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Params, Result, params};
use platform::run::clock::from_micros;
use sqlx::AssertSqlSafe;

/// The histories that were read in this time, or since the first of them, show how long the others take.
const OBSERVED: SignedDuration = SignedDuration::from_mins(10);

/// Devices by the texts that they have; `None` for all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HistoriesOf<'a> {
    pub(crate) csp: Option<&'a str>,
    pub(crate) customer: Option<&'a str>,
    pub(crate) fragrance: Option<&'a str>,
}

/// The histories of devices, some of which are still to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Histories {
    pub(crate) devices: i64,
    pub(crate) read: i64,
    /// When those of all devices, also of others, will have been read if it goes on as in the last minutes.
    pub(crate) read_by: Option<Timestamp>,
}

/// `None` if all have been read. Does not check permissions; the caller must pass the CSP of the actor.
pub(crate) async fn histories(db: &Db, of: HistoriesOf<'_>, now: Timestamp) -> Result<Option<Histories>> {
    // Of most fleets nothing is left to read, so that this is all that is asked.
    let sql = "select count(*) from idx_forecasts where filled_at is null";
    let (left,): (i64,) = db.fetch_one(sql, Params::default()).await?;
    if left == 0 {
        return Ok(None);
    }
    let (matches, values) = of.condition(db);
    let unread = format!(
        "select count(*) from idx_forecasts f join idx_devices d on d.dsn = f.dsn where f.filled_at is null{matches}"
    );
    let (unread,): (i64,) = db.fetch_one(AssertSqlSafe(unread), values).await?;
    if unread == 0 {
        return Ok(None);
    }
    let (matches, values) = of.condition(db);
    let all = format!("select count(*) from idx_devices d where 1 = 1{matches}");
    let (devices,): (i64,) = db.fetch_one(AssertSqlSafe(all), values).await?;
    let sql = "select count(*), min(filled_at) from idx_forecasts where filled_at > $1";
    let (recent, first): (i64, Option<i64>) = db.fetch_one(sql, params![now - OBSERVED]).await?;
    let elapsed = first.map(|first| now.duration_since(from_micros(first)).as_secs()).filter(|seconds| *seconds > 0);
    let rest = elapsed.map(|seconds| SignedDuration::from_secs(seconds.saturating_mul(left) / recent.max(1)));
    let read_by = rest.and_then(|rest| now.checked_add(rest).ok());
    Ok(Some(Histories { devices, read: devices - unread, read_by }))
}

impl HistoriesOf<'_> {
    /// Further conditions on `d`.
    fn condition(&self, db: &Db) -> (String, Params) {
        let texts = [("csp", self.csp), ("customer", self.customer), ("fragrance", self.fragrance)];
        let (mut sql, mut params) = (String::new(), Params::default());
        let given = texts.into_iter().filter_map(|(column, text)| Some((column, text?)));
        for (number, (column, text)) in (1..).zip(given) {
            params = params.with(text);
            sql.push_str(&format!(" and d.{column} = {}", db.dialect().placeholder(number)));
        }
        (sql, params)
    }
}
