use platform::db::Params;
use sqlx::{ColumnIndex, Decode, FromRow, Row, Type};

/// Hours of a day.
pub(crate) const HOURS: usize = 24;
/// Classes of levels: empty, up to 20, up to 50 and up to 100 percent.
pub(crate) const LEVELS: usize = 4;

/// Columns that are `NULL` while nothing is known.
const SAMPLED: [&str; 1 + LEVELS] = ["devices", "level_empty", "level_low", "level_medium", "level_high"];
const COUNTED_COLUMNS: [&str; 3] = ["refills", "used_ml", "used_devices"];
/// Number of values of [`DaySums::bind`].
pub(super) const COLUMN_COUNT: usize = SAMPLED.len() + HOURS + COUNTED_COLUMNS.len();

/// The sums of a group of devices on a day.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DaySums {
    /// At the last sample of the day; `None` without one.
    pub(crate) devices: Option<i64>,
    /// The devices in each class of levels, as of [`Self::devices`].
    pub(crate) levels: [Option<i64>; LEVELS],
    /// Devices online at the beginning of each hour; `None` if it is unknown.
    pub(crate) online: [Option<i64>; HOURS],
    pub(crate) refills: i64,
    pub(crate) used_ml: f64,
    /// Devices whose use is known.
    pub(crate) used_devices: i64,
}

/// The class of a level in percent.
pub(crate) fn level_index(percent: i64) -> usize {
    match percent {
        ..=0 => 0,
        1..=20 => 1,
        21..=50 => 2,
        51.. => 3,
    }
}

/// The names of the columns, in the order of [`DaySums::bind`].
pub(super) fn columns() -> impl Iterator<Item = String> {
    let (sampled, counted) = (SAMPLED.map(str::to_owned), COUNTED_COLUMNS.map(str::to_owned));
    sampled.into_iter().chain((0..HOURS).map(online_column)).chain(counted)
}

/// The column of an hour.
pub(super) fn online_column(hour: usize) -> String {
    format!("online_{hour:02}")
}

/// The assignments of an upsert that adds the new sums to the stored ones.
pub(super) fn additions() -> Vec<String> {
    let add = |column: String| match COUNTED_COLUMNS.contains(&column.as_str()) {
        true => format!("{column} = fleet_days.{column} + excluded.{column}"),
        false => format!(
            "{column} = case when excluded.{column} is null then fleet_days.{column} \
             else coalesce(fleet_days.{column}, 0) + excluded.{column} end"
        ),
    };
    columns().map(add).collect()
}

/// The assignments of an upsert that replaces the sampled values, with the devices online at one hour.
pub(super) fn replacements(hour: usize) -> Vec<String> {
    let names = SAMPLED.map(str::to_owned).into_iter().chain([online_column(hour)]);
    names.map(|column| format!("{column} = excluded.{column}")).collect()
}

/// The assignments of an update that sets the sampled values to 0, with the devices online at one hour.
pub(super) fn zeros(hour: usize) -> Vec<String> {
    let names = SAMPLED.map(str::to_owned).into_iter().chain([online_column(hour)]);
    names.map(|column| format!("{column} = 0")).collect()
}

/// The columns, summed over rows.
pub(super) fn totals() -> Vec<String> {
    let total = |column: String| match column.as_str() {
        "used_ml" => "sum(used_ml)".to_owned(),
        _ => format!("CAST(SUM({column}) AS BIGINT)"),
    };
    columns().map(total).collect()
}

impl DaySums {
    pub(super) fn bind(&self, values: Params) -> Params {
        let sampled = [self.devices].into_iter().chain(self.levels).chain(self.online);
        let values = sampled.fold(values, Params::with);
        values.with(self.refills).with(self.used_ml).with(self.used_devices)
    }
}

/// The sums are the first columns of the row, in the order of [`columns`].
impl<'r, R> FromRow<'r, R> for DaySums
where
    R: Row,
    usize: ColumnIndex<R>,
    i64: Decode<'r, R::Database> + Type<R::Database>,
    f64: Decode<'r, R::Database> + Type<R::Database>,
{
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let mut position = 0..;
        let mut next = || position.next().unwrap_or_default();
        let devices = row.try_get(next())?;
        let (mut levels, mut online) = ([None; LEVELS], [None; HOURS]);
        for sampled in levels.iter_mut().chain(&mut online) {
            *sampled = row.try_get(next())?;
        }
        let (refills, used_ml, used_devices) = (row.try_get(next())?, row.try_get(next())?, row.try_get(next())?);
        Ok(Self { devices, levels, online, refills, used_ml, used_devices })
    }
}
