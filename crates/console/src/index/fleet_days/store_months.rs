//! What stores have used in a month.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use platform::db::rows::{all, rows_of_placeholders, runs};
use platform::db::{Db, Params, Result, Tx};
use platform::run::clock::to_micros;
use sqlx::AssertSqlSafe;
use sqlx_macros::FromRow;

use super::condition::Condition;

/// The columns of the key, after the month.
const KEY: &str = "csp, customer, store_number, city, fragrance";
/// Number of values of a row.
const COLUMN_COUNT: usize = 9;

/// The devices of a store with the same fragrance. Empty texts for devices without one.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, FromRow)]
pub(crate) struct StoreKey {
    pub(crate) csp: String,
    pub(crate) customer: String,
    pub(crate) store_number: String,
    pub(crate) city: String,
    pub(crate) fragrance: String,
}

/// What they have used in a month of UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromRow)]
pub(crate) struct StoreSums {
    pub(crate) refills: i64,
    pub(crate) used_ml: f64,
    /// Days of devices whose use is known.
    pub(crate) used_days: i64,
}

/// Sums of a store in a month.
#[derive(Clone, Debug, PartialEq, FromRow)]
pub(crate) struct StoreMonth {
    #[sqlx(flatten)]
    pub(crate) store: StoreKey,
    #[sqlx(flatten)]
    pub(crate) sums: StoreSums,
}

/// Which stores, by the texts that they have; `None` for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StoreSelection {
    pub(crate) csp: Option<String>,
    pub(crate) customer: Option<String>,
    pub(crate) fragrance: Option<String>,
}

/// The sums by the beginning of the month and store.
pub(super) type StoreMonths = BTreeMap<(Timestamp, StoreKey), StoreSums>;

/// When the month of UTC began.
pub(crate) fn month_of(at: Timestamp) -> Timestamp {
    beginning(at.to_zoned(TimeZone::UTC).date().first_of_month())
}

/// When the date begins in UTC.
pub(crate) fn beginning(date: Date) -> Timestamp {
    date.to_zoned(TimeZone::UTC).map_or(Timestamp::MAX, |start| start.timestamp())
}

/// Adds to the stored sums, in the order of the keys, so that writers lock rows in the same order.
pub(super) async fn add(tx: &mut Tx, months: StoreMonths) -> Result<()> {
    let months: Vec<_> = months.into_iter().collect();
    for run in runs(&months) {
        let sql = format!(
            "insert into fleet_store_months (month, {KEY}, refills, used_ml, used_days) values {} \
             on conflict (month, {KEY}) do update set refills = fleet_store_months.refills + excluded.refills, \
             used_ml = fleet_store_months.used_ml + excluded.used_ml, used_days = fleet_store_months.used_days + excluded.used_days",
            rows_of_placeholders(tx.dialect(), run.len(), COLUMN_COUNT)
        );
        let values = |values: Params, ((month, store), sums): &((Timestamp, StoreKey), StoreSums)| {
            let key = values.with(to_micros(*month)).with(&store.csp).with(&store.customer).with(&store.store_number);
            key.with(&store.city).with(&store.fragrance).with(sums.refills).with(sums.used_ml).with(sums.used_days)
        };
        tx.execute(AssertSqlSafe(sql), all(run, values)).await?;
    }
    Ok(())
}

/// The sums of the month that began at `month`, after those of `last`, at most `limit`, by customer, store, fragrance and CSP.
/// Does not check permissions; the caller must pass the CSP of the actor.
pub(crate) async fn store_months(
    db: &Db,
    month: Timestamp,
    selection: &StoreSelection,
    last: Option<&StoreKey>,
    limit: i64,
) -> Result<Vec<StoreMonth>> {
    let mut condition = condition(db, month, selection);
    let order = "customer, store_number, city, fragrance, csp";
    if let Some(StoreKey { csp, customer, store_number, city, fragrance }) = last {
        let key = [customer, store_number, city, fragrance, csp].map(|text| condition.place(text));
        condition.after(order, &key);
    }
    let limit = condition.place(limit);
    let sql = format!(
        "select {KEY}, refills, used_ml, used_days from fleet_store_months where {} order by {order} limit {limit}",
        condition.sql
    );
    db.fetch_all(AssertSqlSafe(sql), condition.params).await
}

/// The number of sums of a month, with one for each customer, one for each fragrance and one for all.
pub(crate) async fn count_store_months(db: &Db, month: Timestamp, selection: &StoreSelection) -> Result<u64> {
    let condition = condition(db, month, selection);
    let sql = format!(
        "select count(*) + count(distinct customer) + count(distinct fragrance) + 1 from fleet_store_months where {}",
        condition.sql
    );
    let (count,): (i64,) = db.fetch_one(AssertSqlSafe(sql), condition.params).await?;
    Ok(count.unsigned_abs())
}

fn condition<'a>(db: &'a Db, month: Timestamp, selection: &StoreSelection) -> Condition<'a> {
    let mut condition = Condition::new(db);
    condition.and("month =", month);
    let wanted =
        [("csp =", &selection.csp), ("customer =", &selection.customer), ("fragrance =", &selection.fragrance)];
    for (comparison, text) in wanted.into_iter().filter_map(|(comparison, text)| Some((comparison, text.as_ref()?))) {
        condition.and(comparison, text);
    }
    condition
}
