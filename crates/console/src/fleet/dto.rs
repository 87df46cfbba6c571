//! Responses about the fleet over time. Names and shapes follow api/openapi.json.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

use crate::index::fleet_days::{DaySums, HOURS, day_of};
use crate::index::forecasts::Histories;

const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// The fleet over time. Days and hours are those of UTC. Unknown values are null.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FleetHistory {
    /// All days of the period, oldest first; the last one is today.
    pub(super) days: Vec<FleetDay>,
    /// Use by fragrance; null for devices of one customer, whose fragrances are not kept.
    #[schema(required)]
    pub(super) fragrances: Option<FleetUse>,
    /// Use by customer; null for devices of one fragrance, whose customers are not kept.
    #[schema(required)]
    pub(super) customers: Option<FleetUse>,
    /// When the console took its first sample; null before. Earlier values come from the device cloud's history, and count each device under
    /// the CSP, customer and fragrance that it had when its history was read.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(super) recorded_since: Option<Timestamp>,
    /// How many histories of devices have been read; null once it is all of them. Until nine in ten have been read, all that would follow from
    /// histories is unknown: use, refills, and what was before the first sample.
    #[schema(required)]
    pub(super) histories: Option<FleetHistories>,
    /// The sums of the days whose use is known; null without such a day.
    #[schema(required)]
    pub(super) sums: Option<FleetSums>,
    /// The sums of as many days before them, or of the month before; null if the use of either first day is unknown.
    #[schema(required)]
    pub(super) sums_before: Option<FleetSums>,
}

/// The histories of devices.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FleetHistories {
    pub(super) devices: i64,
    pub(super) read: i64,
    /// When the others will have been read, as far as it can be estimated.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(super) read_by: Option<Timestamp>,
}

/// Sums over days of UTC. Unknown values are null.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FleetSums {
    #[schema(value_type = String, format = Date)]
    pub(super) from: Date,
    /// The last day.
    #[schema(value_type = String, format = Date)]
    pub(super) to: Date,
    #[schema(required)]
    pub(super) used_ml: Option<f64>,
    #[schema(required)]
    pub(super) refills: Option<i64>,
    /// The number of devices at the end.
    #[schema(required)]
    pub(super) devices: Option<i64>,
    /// Those of them that were empty.
    #[schema(required)]
    pub(super) empty: Option<i64>,
}

/// The devices on a day of UTC.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FleetDay {
    #[schema(value_type = String, format = Date)]
    pub(super) day: Date,
    /// The number of devices at the end of the day.
    #[schema(required)]
    pub(super) devices: Option<i64>,
    /// The number of devices online at the beginning of each hour.
    #[schema(min_items = 24, max_items = 24)]
    pub(super) online: Vec<Option<i64>>,
    /// The number of devices by level at the end of the day.
    #[schema(required)]
    pub(super) levels: Option<FleetLevels>,
    #[schema(required)]
    pub(super) refills: Option<i64>,
    /// Use of the devices whose use is known; null for today, and until two hours after the end of the day.
    #[schema(required)]
    pub(super) used_ml: Option<f64>,
    /// The number of these devices.
    pub(super) used_devices: i64,
}

/// Devices by fragrance remaining.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct FleetLevels {
    pub(super) empty: i64,
    /// 1 to 20 percent.
    pub(super) low: i64,
    /// 21 to 50 percent.
    pub(super) medium: i64,
    /// More than 50 percent.
    pub(super) high: i64,
    pub(super) unknown: i64,
}

/// Use of groups of devices in mL on each of the days.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FleetUse {
    /// Those with the most use in the last seven days whose use is known, at most eight.
    pub(super) groups: Vec<GroupUse>,
    /// All others.
    pub(super) others_ml: Vec<Option<f64>>,
}

/// Use of a group of devices.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GroupUse {
    /// The customer or fragrance; null for devices without one.
    #[schema(required)]
    pub(super) name: Option<String>,
    pub(super) used_ml: Vec<Option<f64>>,
}

impl FleetDay {
    pub(super) fn new(day: Timestamp, sums: Option<&DaySums>, is_use_known: bool) -> Self {
        let empty = DaySums::default();
        let sums = sums.unwrap_or(&empty);
        let is_known = sums.devices.is_some() || sums.used_devices > 0 || sums.refills > 0;
        Self {
            day: date_of(day),
            devices: sums.devices,
            online: sums.online.to_vec(),
            levels: FleetLevels::of(sums),
            refills: is_known.then_some(sums.refills),
            used_ml: (is_use_known && sums.used_devices > 0).then_some(sums.used_ml),
            used_devices: if is_use_known { sums.used_devices } else { 0 },
        }
    }
}

impl FleetDay {
    /// Leaves out what would follow from histories: all but what has been sampled.
    pub(super) fn sampled(self, day: Timestamp, first_sample: Option<Timestamp>) -> Self {
        let is_sampled = |at: Timestamp| first_sample.is_some_and(|first| first <= at);
        let hours = std::iter::successors(Some(day), |hour| Some(*hour + HOUR));
        let is_day_sampled = first_sample.is_some_and(|first| day_of(first) <= day);
        Self {
            devices: self.devices.filter(|_| is_day_sampled),
            levels: self.levels.filter(|_| is_day_sampled),
            online: self.online.into_iter().zip(hours).map(|(it, hour)| it.filter(|_| is_sampled(hour))).collect(),
            refills: None,
            used_ml: None,
            used_devices: 0,
            ..self
        }
    }
}

impl FleetSums {
    /// `None` without days.
    pub(super) fn of(days: &[FleetDay]) -> Option<Self> {
        let (first, last) = (days.first()?, days.last()?);
        let at_end = days.iter().rev().find(|day| day.devices.is_some());
        Some(Self {
            from: first.day,
            to: last.day,
            used_ml: days.iter().filter_map(|day| day.used_ml).reduce(|sum, it| sum + it),
            refills: days.iter().filter_map(|day| day.refills).reduce(|sum, it| sum + it),
            devices: at_end.and_then(|day| day.devices),
            empty: at_end.and_then(|day| day.levels.as_ref()).map(|levels| levels.empty),
        })
    }
}

impl From<Histories> for FleetHistories {
    fn from(Histories { devices, read, read_by }: Histories) -> Self {
        Self { devices, read, read_by }
    }
}

impl FleetLevels {
    pub(super) fn of(sums: &DaySums) -> Option<Self> {
        let [empty, low, medium, high] = sums.levels.map(Option::unwrap_or_default);
        let unknown = (sums.devices? - empty - low - medium - high).max(0);
        Some(Self { empty, low, medium, high, unknown })
    }
}

/// A group of devices on a day of UTC; a row of the report. Unknown values are null, except refills.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FleetGroupDay {
    #[schema(value_type = String, format = Date)]
    pub(super) day: Date,
    /// Null for devices without a CSP.
    #[schema(required)]
    pub(super) csp: Option<String>,
    pub(super) group: FleetGroup,
    /// The customer or fragrance; null for devices without one, and for all.
    #[schema(required)]
    pub(super) name: Option<String>,
    #[schema(required)]
    pub(super) devices: Option<i64>,
    #[schema(required)]
    pub(super) levels: Option<FleetLevels>,
    pub(super) refills: i64,
    #[schema(required)]
    pub(super) used_ml: Option<f64>,
    pub(super) used_devices: i64,
    /// The number of devices online at the beginning of each hour.
    #[schema(value_type = Vec<Option<i64>>, min_items = 24, max_items = 24)]
    pub(super) online: [Option<i64>; HOURS],
}

/// What the devices of a row have in common, besides their CSP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FleetGroup {
    All,
    Customer,
    Fragrance,
}

/// The date of a day of UTC.
pub(super) fn date_of(day: Timestamp) -> Date {
    day.to_zoned(TimeZone::UTC).date()
}

/// `None` for an empty text.
pub(super) fn non_empty(name: String) -> Option<String> {
    Some(name).filter(|name| !name.is_empty())
}
