//! The days of a schedule and their windows.

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::Window;
use super::days::{is_last_of_month, occurrence, weekday};

/// In `days_of_month`: the last day of the month.
pub(crate) const LAST_DAY: i8 = 32;
/// In `day_occur_of_month`: the last occurrence.
pub(crate) const LAST_OCCURRENCE: i8 = 6;
/// Maximum length of a window in seconds: one day.
pub(crate) const MAX_WINDOW: i64 = 24 * 60 * 60;
/// Minimum number of seconds between two windows of a day.
pub(crate) const MIN_INTERVAL: i64 = 60;

/// The days and times of a schedule. Missing fields and empty lists set no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Plan {
    /// Whether dates and times are in UTC instead of the device's zone.
    pub(crate) utc: bool,
    pub(crate) start_date: Option<Date>,
    /// The last day on which a window starts.
    pub(crate) end_date: Option<Date>,
    pub(crate) start_time_each_day: Time,
    /// On the next day if it is not after the start.
    pub(crate) end_time_each_day: Option<Time>,
    /// Seconds before that time at which the window ends.
    pub(crate) time_before_end: Option<i64>,
    /// 1 is Sunday.
    pub(crate) days_of_week: Vec<i8>,
    pub(crate) days_of_month: Vec<i8>,
    pub(crate) months_of_year: Vec<i8>,
    /// Occurrences of the weekday in the month.
    pub(crate) day_occur_of_month: Vec<i8>,
    /// Maximum length of a window in seconds.
    pub(crate) duration: Option<i64>,
    /// Seconds until the next window of the day starts; without an interval the day has one window.
    pub(crate) interval: Option<i64>,
}

impl Plan {
    /// The fields that do not fit the others, and the reasons.
    pub(crate) fn faults(&self) -> Vec<(&'static str, &'static str)> {
        let mut faults = Vec::new();
        if self.start_date.zip(self.end_date).is_some_and(|(start, end)| end < start) {
            faults.push(("end_date", "is before the start"));
        }
        if self.duration.zip(self.interval).is_some_and(|(duration, interval)| duration > interval) {
            faults.push(("duration", "is longer than the interval"));
        }
        faults
    }

    /// The windows that start on this day, in order.
    pub(super) fn windows(&self, day: Date, zone: &TimeZone) -> Vec<Window> {
        self.windows_of(day, zone).unwrap_or_default()
    }

    /// Also `None` at the end of the calendar.
    fn windows_of(&self, day: Date, zone: &TimeZone) -> Option<Vec<Window>> {
        if !self.is_on(day) {
            return None;
        }
        // A time that daylight saving skips is moved forward; of a time that occurs twice, the first counts.
        let at = |day: Date, time: Time| zone.to_timestamp(day.to_datetime(time)).ok();
        let start = at(day, self.start_time_each_day)?;
        let day_end = match self.end_time_each_day {
            Some(time) if time > self.start_time_each_day => Some(at(day, time)?),
            Some(time) => Some(at(day.tomorrow().ok()?, time)?),
            None => None,
        };
        let before = SignedDuration::from_secs(self.time_before_end.unwrap_or_default());
        let day_end = day_end.map(|end| (end - before).max(start));
        let Some(interval) = self.interval else {
            return Some(vec![self.window(start, day_end)]);
        };
        let last = day_end.or_else(|| at(day.tomorrow().ok()?, Time::midnight()))?;
        let starts = std::iter::successors(Some(start), |start| Some(*start + SignedDuration::from_secs(interval)));
        Some(starts.take_while(|start| *start < last).map(|start| self.repeated(start, last)).collect())
    }

    /// The only window of a day.
    fn window(&self, start: Timestamp, day_end: Option<Timestamp>) -> Window {
        let lasted = self.duration.map(|seconds| start + SignedDuration::from_secs(seconds));
        let end = [lasted, day_end].into_iter().flatten().min();
        Window { start, end: end.unwrap_or(start) }
    }

    /// One of several windows; without a duration it has no end.
    fn repeated(&self, start: Timestamp, last: Timestamp) -> Window {
        let lasted = self.duration.map_or(start, |seconds| start + SignedDuration::from_secs(seconds));
        Window { start, end: lasted.min(last) }
    }

    fn is_on(&self, day: Date) -> bool {
        let among = |list: &[i8], number: i8| list.is_empty() || list.contains(&number);
        let last_day = is_last_of_month(day) && self.days_of_month.contains(&LAST_DAY);
        let (nth, is_last) = occurrence(day);
        let last_occurrence = is_last && self.day_occur_of_month.contains(&LAST_OCCURRENCE);
        self.start_date.is_none_or(|first| first <= day)
            && self.end_date.is_none_or(|last| day <= last)
            && among(&self.months_of_year, day.month())
            && among(&self.days_of_week, weekday(day))
            && (last_day || among(&self.days_of_month, day.day()))
            && (last_occurrence || among(&self.day_occur_of_month, nth))
    }
}
