//! Reads the sums. Does not check permissions; the caller must pass the CSP of the actor.

use jiff::Timestamp;
use platform::db::{Db, Result};
use platform::run::clock::from_micros;
use sqlx::AssertSqlSafe;
use sqlx_macros::FromRow;

use super::condition::Condition;
use super::group::Dimension;
use super::sums::{self, DaySums};

/// Days of groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DaySelection {
    /// `None` for all.
    pub(crate) csp: Option<String>,
    /// `None` for all groups.
    pub(crate) group: Option<(Dimension, String)>,
    pub(crate) from: Timestamp,
    /// The day after the last one.
    pub(crate) until: Timestamp,
}

impl DaySelection {
    /// The days of its group; those of all devices if it has none.
    pub(crate) fn of_one_group(&self) -> Self {
        let group = self.group.clone().unwrap_or((Dimension::All, String::new()));
        Self { group: Some(group), ..self.clone() }
    }
}

/// The sums of a group on a day.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GroupDay {
    pub(crate) day: Timestamp,
    pub(crate) csp: String,
    pub(crate) dimension: Dimension,
    pub(crate) value: String,
    pub(crate) sums: DaySums,
}

/// The use of a group on a day.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct UseOfDay {
    pub(crate) value: String,
    pub(crate) day: Timestamp,
    pub(crate) used_ml: f64,
}

#[derive(FromRow)]
struct DayRow {
    #[sqlx(flatten)]
    sums: DaySums,
    day: i64,
}

#[derive(FromRow)]
struct GroupRow {
    #[sqlx(flatten)]
    sums: DaySums,
    day: i64,
    csp: String,
    dimension: String,
    value: String,
}

/// The rows of a selection.
fn condition<'a>(db: &'a Db, selection: &DaySelection) -> Condition<'a> {
    let mut condition = Condition::new(db);
    condition.and("day >=", selection.from);
    condition.and("day <", selection.until);
    if let Some(csp) = &selection.csp {
        condition.and("csp =", csp);
    }
    if let Some((dimension, value)) = &selection.group {
        condition.and("dimension =", dimension.name());
        condition.and("value =", value);
    }
    condition
}

/// The days on which there is something, oldest first.
pub(crate) async fn days(db: &Db, selection: &DaySelection) -> Result<Vec<(Timestamp, DaySums)>> {
    let condition = condition(db, selection);
    let sums = sums::totals().join(", ");
    let sql = format!("select {sums}, day from fleet_days where {} group by day order by day", condition.sql);
    let rows: Vec<DayRow> = db.fetch_all(AssertSqlSafe(sql), condition.params).await?;
    Ok(rows.into_iter().map(|row| (from_micros(row.day), row.sums)).collect())
}

/// The values of a dimension whose devices used most, at most `limit`, which is small.
pub(crate) async fn most_used(
    db: &Db,
    selection: &DaySelection,
    dimension: Dimension,
    limit: usize,
) -> Result<Vec<String>> {
    let mut condition = condition(db, selection);
    condition.and("dimension =", dimension.name());
    let sql = format!(
        "select value from fleet_days where {} \
         group by value having sum(used_devices) > 0 order by sum(used_ml) desc, value limit {limit}",
        condition.sql
    );
    let rows: Vec<(String,)> = db.fetch_all(AssertSqlSafe(sql), condition.params).await?;
    Ok(rows.into_iter().map(|(value,)| value).collect())
}

/// The use of a few values of a dimension on the days on which it is known.
pub(crate) async fn use_of(
    db: &Db,
    selection: &DaySelection,
    dimension: Dimension,
    values: &[String],
) -> Result<Vec<UseOfDay>> {
    if values.is_empty() {
        return Ok(Vec::new());
    }
    let mut condition = condition(db, selection);
    condition.and("dimension =", dimension.name());
    let places: Vec<String> = values.iter().map(|value| condition.place(value)).collect();
    let sql = format!(
        "select value, day, sum(used_ml) from fleet_days where {} and value in ({}) \
         group by value, day having sum(used_devices) > 0",
        condition.sql,
        places.join(", ")
    );
    let rows: Vec<(String, i64, f64)> = db.fetch_all(AssertSqlSafe(sql), condition.params).await?;
    let of_day = |(value, day, used_ml)| UseOfDay { value, day: from_micros(day), used_ml };
    Ok(rows.into_iter().map(of_day).collect())
}

/// The next days of groups after `last`, at most `limit`, by day.
pub(crate) async fn group_days(
    db: &Db,
    selection: &DaySelection,
    last: Option<&GroupDay>,
    limit: i64,
) -> Result<Vec<GroupDay>> {
    let mut condition = condition(db, selection);
    if let Some(GroupDay { day, csp, dimension, value, .. }) = last {
        let key =
            [condition.place(*day), condition.place(dimension.name()), condition.place(csp), condition.place(value)];
        condition.after("day, dimension, csp, value", &key);
    }
    let (columns, limit): (Vec<String>, _) = (sums::columns().collect(), condition.place(limit));
    let sql = format!(
        "select {}, day, csp, dimension, value from fleet_days where {} \
         order by day, dimension, csp, value limit {limit}",
        columns.join(", "),
        condition.sql
    );
    let rows: Vec<GroupRow> = db.fetch_all(AssertSqlSafe(sql), condition.params).await?;
    let group_day = |GroupRow { sums, day, csp, dimension, value }: GroupRow| {
        let dimension = Dimension::from_name(&dimension)?;
        Some(GroupDay { day: from_micros(day), csp, dimension, value, sums })
    };
    Ok(rows.into_iter().filter_map(group_day).collect())
}

/// The number of rows of [`group_days`] on all pages.
pub(crate) async fn count_group_days(db: &Db, selection: &DaySelection) -> Result<u64> {
    let condition = condition(db, selection);
    let sql = format!("select count(*) from fleet_days where {}", condition.sql);
    let (count,): (i64,) = db.fetch_one(AssertSqlSafe(sql), condition.params).await?;
    Ok(count.unsigned_abs())
}
