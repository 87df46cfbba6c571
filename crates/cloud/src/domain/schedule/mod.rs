//! When schedules fire (docs/wire.md#schedules).
//!
//! On each of its days a schedule has a window, or several with an interval. Actions fire at the start of a window, at
//! its end, or (`Range`) as soon as the cloud checks while a window is open. A window without an end has only a start.
//!
//! A cloud that was down does not catch up: only the last of the missed points fires, so that devices end in the right
//! state. A start fires while its window is open; without an end, within [a quarter of an hour](LATE).

mod days;
mod plan;
#[cfg(test)]
mod tests;

pub(crate) use plan::{LAST_DAY, LAST_OCCURRENCE, MAX_WINDOW, MIN_INTERVAL, Plan};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};

/// How late the start of a window without an end still fires.
const LATE: SignedDuration = SignedDuration::from_mins(15);
/// How many days ahead the next time is searched: within this span every day of a month falls on every weekday.
const AHEAD_DAYS: i32 = 28 * 366;
/// How many days after its day a window may end.
const BEHIND_DAYS: i32 = 2;

/// When an action of a schedule fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirePoint {
    /// At the start of a window.
    Start,
    /// At the end of a window.
    End,
    /// As soon as a window is open.
    Range,
}

impl FirePoint {
    pub(crate) const ALL: [Self; 3] = [Self::Start, Self::End, Self::Range];

    /// As on the wire and in the database.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Start => "at_start",
            Self::End => "at_end",
            Self::Range => "in_range",
        }
    }

    /// Parses [`as_str`](Self::as_str).
    pub(crate) fn find(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|point| point.as_str() == text)
    }
}

/// From `start` until before `end`. Without an end both are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Window {
    start: Timestamp,
    end: Timestamp,
}

impl Window {
    fn has_end(self) -> bool {
        self.start < self.end
    }

    fn is_open(self, now: Timestamp) -> bool {
        self.start <= now && now < self.end
    }

    fn moments(self) -> impl Iterator<Item = Timestamp> {
        [Some(self.start), self.has_end().then_some(self.end)].into_iter().flatten()
    }
}

/// The next time after `now` at which a window starts or ends, in the device's `zone`.
pub(crate) fn next(plan: &Plan, zone: &TimeZone, now: Timestamp) -> Option<Timestamp> {
    let zone = zone_of(plan, zone);
    let mut day = today(&zone, now).checked_sub(BEHIND_DAYS.days()).ok()?;
    let mut left = AHEAD_DAYS + BEHIND_DAYS;
    // No day before the first one has a window.
    if let Some(first) = plan.start_date.filter(|first| *first > day) {
        day = first;
    }
    let next_of =
        |day: Date| plan.windows(day, &zone).into_iter().flat_map(Window::moments).filter(|moment| *moment > now).min();
    while left > 0 && plan.end_date.is_none_or(|last| day <= last) {
        let tomorrow = day.tomorrow().ok()?;
        if let Some(moment) = next_of(day) {
            // A window of one day may end after one of the next day has started.
            return Some(next_of(tomorrow).map_or(moment, |other| other.min(moment)));
        }
        day = tomorrow;
        left -= 1;
    }
    None
}

/// The points that are due now, in order. `since` is the next time that the previous check computed.
pub(crate) fn due(plan: &Plan, zone: &TimeZone, since: Timestamp, now: Timestamp) -> Vec<FirePoint> {
    let zone = zone_of(plan, zone);
    let missed = newest(plan, &zone, since, now);
    let near = |at: Timestamp| around(plan, &zone, at);
    let ends = missed.is_some_and(|at| near(at).iter().any(|window| window.has_end() && window.end == at));
    let begins = missed.is_some_and(|at| {
        let counts = |window: &Window| window.is_open(now) || (!window.has_end() && now.duration_since(at) <= LATE);
        near(at).iter().any(|window| window.start == at && counts(window))
    });
    let is_open = near(now).into_iter().any(|window| window.is_open(now));
    let points = [(ends, FirePoint::End), (begins, FirePoint::Start), (is_open, FirePoint::Range)];
    points.into_iter().filter_map(|(holds, point)| holds.then_some(point)).collect()
}

/// The last time between `since` and `now` at which a window started or ended.
fn newest(plan: &Plan, zone: &TimeZone, since: Timestamp, now: Timestamp) -> Option<Timestamp> {
    let first = today(zone, since).checked_sub(BEHIND_DAYS.days()).ok()?;
    let mut day = today(zone, now);
    let mut newest = None;
    let mut after = 0;
    // A window of an earlier day may end later than the first match.
    while day >= first && after <= BEHIND_DAYS {
        let moments = plan.windows(day, zone).into_iter().flat_map(Window::moments);
        newest = newest.max(moments.filter(|moment| (since..=now).contains(moment)).max());
        after += i32::from(newest.is_some());
        day = day.yesterday().ok()?;
    }
    newest
}

/// The windows of all days whose windows may contain this time.
fn around(plan: &Plan, zone: &TimeZone, at: Timestamp) -> Vec<Window> {
    let day = today(zone, at);
    (0..=BEHIND_DAYS)
        .filter_map(|back| day.checked_sub(back.days()).ok())
        .flat_map(|day| plan.windows(day, zone))
        .collect()
}

fn zone_of(plan: &Plan, zone: &TimeZone) -> TimeZone {
    if plan.utc { TimeZone::UTC } else { zone.clone() }
}

fn today(zone: &TimeZone, at: Timestamp) -> Date {
    zone.to_datetime(at).date()
}
