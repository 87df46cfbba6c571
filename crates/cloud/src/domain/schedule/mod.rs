//! When a schedule does what it does (wire-facts 4.5).
//!
//! On each of its days a schedule has a window, or with an interval several: what is done at the start is done when one begins,
//! what is done at the end when it ends, what is done in range as soon as the cloud looks and one is open. A window without an
//! end has only a start.
//!
//! A cloud that was down does not catch up: of all that it missed, only what came last is done, so that devices come to
//! stand where they would. A start counts while its window is open, one without an end for a [quarter of an hour](LATE).

mod days;
mod plan;
#[cfg(test)]
mod tests;

pub(crate) use plan::{LAST_DAY, LAST_OCCURRENCE, LONGEST, Plan, SHORTEST_INTERVAL};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};

/// How late what begins and has no end is still done.
const LATE: SignedDuration = SignedDuration::from_mins(15);
/// How far ahead a next time is looked for: every day of a month is every day of the week once in so long.
const AHEAD_DAYS: i32 = 28 * 366;
/// A window may end so many days after the day that it belongs to.
const BEHIND_DAYS: i32 = 2;

/// When an action of a schedule is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirePoint {
    /// When a window begins.
    Start,
    /// When a window ends.
    End,
    /// As soon as a window is open.
    Range,
}

impl FirePoint {
    pub(crate) const ALL: [Self; 3] = [Self::Start, Self::End, Self::Range];

    /// As the wire and the database have it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Start => "at_start",
            Self::End => "at_end",
            Self::Range => "in_range",
        }
    }

    /// What [`as_str`](Self::as_str) wrote.
    pub(crate) fn find(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|point| point.as_str() == text)
    }
}

/// From `start` until just before `end`; without an end both are the same.
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

/// The next time after `now` at which something begins or ends. `zone` is the device's.
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
            // A window that begins on one day may end after one of the next has begun.
            return Some(next_of(tomorrow).map_or(moment, |other| other.min(moment)));
        }
        day = tomorrow;
        left -= 1;
    }
    None
}

/// What is to be done now that was not done when the cloud last looked, for which `since` was the next time to look: in this
/// order.
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

/// The last time from `since` to `now` at which something began or ended.
fn newest(plan: &Plan, zone: &TimeZone, since: Timestamp, now: Timestamp) -> Option<Timestamp> {
    let first = today(zone, since).checked_sub(BEHIND_DAYS.days()).ok()?;
    let mut day = today(zone, now);
    let mut newest = None;
    let mut after = 0;
    // The days before the first hit may have a window that ends later.
    while day >= first && after <= BEHIND_DAYS {
        let moments = plan.windows(day, zone).into_iter().flat_map(Window::moments);
        newest = newest.max(moments.filter(|moment| (since..=now).contains(moment)).max());
        after += i32::from(newest.is_some());
        day = day.yesterday().ok()?;
    }
    newest
}

/// The windows of the days whose windows may touch this time.
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
