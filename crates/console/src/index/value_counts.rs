//! The stored counts of devices by value and connection status (`idx_value_counts`), for the columns in [`COUNTED`].
//!
//! Text filters on these columns are looked up among the values. That costs as much as there are values, not as there
//! are devices.

use platform::db::{Db, Result};
use sea_query::{Asterisk, Expr, ExprTrait, Func, SelectStatement};

use super::columns::{COUNTED, IdxDevices};
use super::filter::{TextFilter, TextMatch};
use super::schema::IdxValueCounts;
use super::scope::VisibleRows;
use super::text::matches;
use crate::records::DeviceStatus;

/// Maximum number of values to search for a part of them. With more, the trigram index of the devices is faster.
const MAX_SEARCHED: u64 = 10_000;
/// Maximum number of values to list in a statement.
const MAX_LISTED: u64 = 50;

/// Number of devices by connection status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StatusCounts {
    online: u64,
    offline: u64,
    never_connected: u64,
}

/// The values that match a text filter.
#[derive(Debug)]
pub(super) struct MatchingValues<'a> {
    filter: &'a TextFilter,
    number: u64,
    /// Devices with these values, of any model.
    pub(super) devices: StatusCounts,
}

/// Values of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ColumnValues {
    pub(super) column: IdxDevices,
    pub(super) values: Vec<String>,
}

impl StatusCounts {
    fn new([online, offline, never_connected]: [i64; 3]) -> Self {
        Self {
            online: online.unsigned_abs(),
            offline: offline.unsigned_abs(),
            never_connected: never_connected.unsigned_abs(),
        }
    }

    pub(super) fn of(self, status: DeviceStatus) -> u64 {
        match status {
            DeviceStatus::Online => self.online,
            DeviceStatus::Offline => self.offline,
            DeviceStatus::NeverConnected => self.never_connected,
        }
    }

    /// Devices of this status, or of all.
    pub(super) fn matching(self, status: Option<DeviceStatus>) -> u64 {
        status.map_or(self.online + self.offline + self.never_connected, |status| self.of(status))
    }

    /// The same without one device of the status with this name.
    pub(super) fn without(self, name: &str) -> Self {
        let others = |status: DeviceStatus| self.of(status).saturating_sub(u64::from(status.name() == name));
        Self {
            online: others(DeviceStatus::Online),
            offline: others(DeviceStatus::Offline),
            never_connected: others(DeviceStatus::NeverConnected),
        }
    }
}

/// From numbers by the status's name.
impl FromIterator<(String, i64)> for StatusCounts {
    fn from_iter<T: IntoIterator<Item = (String, i64)>>(rows: T) -> Self {
        let mut numbers = [0; 3];
        for (name, number) in rows {
            let status = DeviceStatus::ALL.iter().position(|status| status.name() == name);
            status.into_iter().for_each(|at| numbers[at] = number);
        }
        Self::new(numbers)
    }
}

/// Counts the visible devices, and those of this model. An excluded device is counted too.
pub(super) async fn of_model(db: &Db, visible: VisibleRows<'_>, model: Option<&str>) -> Result<[StatusCounts; 2]> {
    let mut statement = visible.value_counts(IdxDevices::SystemConfiguration);
    let is_model = model.map(|model| value().eq(model));
    add_sums(&mut statement, None);
    add_sums(&mut statement, is_model.as_ref());
    let sums: Vec<(i64, i64, i64, i64, i64, i64)> = db.select(&statement).await?;
    let (a, b, c, d, e, f) = sums.first().copied().unwrap_or_default();
    Ok([[a, b, c], [d, e, f]].map(StatusCounts::new))
}

/// Counts the visible devices of each of these CSPs. A CSP without devices is missing.
pub(super) async fn by_csp(db: &Db, visible: VisibleRows<'_>, csps: &[&str]) -> Result<Vec<(String, StatusCounts)>> {
    let mut statement = visible.value_counts_by_csp(IdxDevices::SystemConfiguration, csps);
    add_sums(&mut statement, None);
    statement.group_by_col((IdxValueCounts::Table, IdxValueCounts::Scope));
    let sums: Vec<(String, i64, i64, i64)> = db.select(&statement).await?;
    Ok(sums.into_iter().map(|(csp, a, b, c)| (csp, StatusCounts::new([a, b, c]))).collect())
}

/// Finds the values that match the filter. `None` if the column's values are not counted, or too many to search.
pub(super) async fn find<'a>(
    db: &Db,
    visible: VisibleRows<'_>,
    filter: &'a TextFilter,
) -> Result<Option<MatchingValues<'a>>> {
    if !COUNTED.contains(&filter.column) {
        return Ok(None);
    }
    // The other matches are ranges.
    if matches!(filter.text_match, TextMatch::Contains(_)) {
        let mut one_more = visible.value_counts(filter.column);
        one_more.expr(Expr::val(1_i64)).limit(1).offset(MAX_SEARCHED);
        if !db.select::<(i64,)>(&one_more).await?.is_empty() {
            return Ok(None);
        }
    }
    let mut statement = visible.value_counts(filter.column);
    statement.and_where(matches(value(), &filter.text_match)).expr(Expr::col(Asterisk).count());
    add_sums(&mut statement, None);
    let found: Vec<(i64, i64, i64, i64)> = db.select(&statement).await?;
    let (number, a, b, c) = found.first().copied().unwrap_or_default();
    Ok(Some(MatchingValues { filter, number: number.unsigned_abs(), devices: StatusCounts::new([a, b, c]) }))
}

impl MatchingValues<'_> {
    /// Reads the values. `None` if they are too many to be listed in a statement.
    pub(super) async fn list(&self, db: &Db, visible: VisibleRows<'_>) -> Result<Option<ColumnValues>> {
        if self.number > MAX_LISTED {
            return Ok(None);
        }
        let column = self.filter.column;
        let mut statement = visible.value_counts(column);
        statement.expr(value()).and_where(matches(value(), &self.filter.text_match)).limit(MAX_LISTED);
        let values: Vec<(String,)> = db.select(&statement).await?;
        Ok(Some(ColumnValues { column, values: values.into_iter().map(|(value,)| value).collect() }))
    }
}

impl ColumnValues {
    /// Whether a device has one of these values.
    pub(super) fn condition(&self) -> Expr {
        Expr::col((IdxDevices::Table, self.column)).is_in(&self.values)
    }
}

fn value() -> Expr {
    Expr::col((IdxValueCounts::Table, IdxValueCounts::Value))
}

/// Adds the sums of the values for which `condition` holds.
fn add_sums(statement: &mut SelectStatement, condition: Option<&Expr>) {
    for column in [IdxValueCounts::Online, IdxValueCounts::Offline, IdxValueCounts::NeverConnected] {
        let number = Expr::col((IdxValueCounts::Table, column));
        let number = match condition {
            Some(condition) => Expr::case(condition.clone(), number).finally(0).into(),
            None => number,
        };
        statement.expr(Func::coalesce([Func::sum(number).into(), Expr::val(0)]).cast_as("BIGINT"));
    }
}
