//! Reads the history of the fleet within the scope of its reader.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result};

use super::dto::{FleetDay, FleetHistory, FleetSums, FleetUse, GroupUse, non_empty};
use super::query::FleetQuery;
use crate::index::fleet_days::{self, CUSTOMER_RETENTION, DaySelection, DaySums, Dimension, day_of};
use crate::index::forecasts::{self, Histories};

const DAY: SignedDuration = SignedDuration::from_hours(24);
/// The use of a day is shown this long after its end, when most devices have been read again.
const USE_DELAY: SignedDuration = SignedDuration::from_hours(2);
/// So many histories must have been read before what follows from them is shown: less would be drawn as a fleet that hardly ran.
const ENOUGH_PERCENT: i64 = 90;
/// The number of groups that are shown alone.
const MAX_GROUPS: usize = 8;
/// The days by whose use they are chosen.
const RANKING_PERIOD: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Reads the fleet over time. Does not check permissions; the caller must pass the CSP of the actor.
pub(super) async fn read(
    db: &Db,
    query: &FleetQuery,
    selection: &DaySelection,
    now: Timestamp,
) -> Result<FleetHistory> {
    let histories = forecasts::histories(db, query.histories(selection), now).await?;
    let is_known = histories.is_none_or(are_enough);
    let first_sample = fleet_days::sample_times(db).await?.map(|times| times.first);
    // The day after the last one whose use is known.
    let used_until = if is_known { day_of(now - USE_DELAY) } else { Timestamp::UNIX_EPOCH };
    let read_days = async |selection: &DaySelection| {
        let days = read_days(db, selection, used_until).await?;
        let sampled = |(day, it): (Timestamp, FleetDay)| (day, it.sampled(day, first_sample));
        Result::Ok(if is_known { days } else { days.into_iter().map(sampled).collect() })
    };
    let (days, shown_days): (Vec<Timestamp>, Vec<FleetDay>) = read_days(selection).await?.into_iter().unzip();
    let (mut fragrances, mut customers) = (None, None);
    if selection.group.is_none() {
        let of_all: Vec<Option<f64>> = shown_days.iter().map(|day| day.used_ml).collect();
        let kept_from = day_of(now - CUSTOMER_RETENTION);
        fragrances = Some(read_use(db, selection, Dimension::Fragrance, &days, &of_all, used_until).await?);
        let kept = days.iter().zip(&of_all).map(|(day, used)| used.filter(|_| *day >= kept_from)).collect::<Vec<_>>();
        customers = Some(read_use(db, selection, Dimension::Customer, &days, &kept, used_until).await?);
    }
    let known = days.iter().take_while(|day| **day < used_until).count();
    let sums = FleetSums::of(&shown_days[..known]);
    let is_whole = |days: &[FleetDay]| days.first().is_some_and(|day| day.used_ml.is_some());
    let mut sums_before = None;
    if is_whole(&shown_days[..known]) {
        let before = query.before(selection, i32::try_from(known).unwrap_or(i32::MAX));
        let before: Vec<FleetDay> = read_days(&before).await?.into_iter().map(|(_, day)| day).collect();
        sums_before = FleetSums::of(&before).filter(|_| is_whole(&before));
    }
    Ok(FleetHistory {
        days: shown_days,
        fragrances,
        customers,
        recorded_since: first_sample,
        histories: histories.map(Into::into),
        sums,
        sums_before,
    })
}

/// All days of a selection, oldest first.
async fn read_days(db: &Db, selection: &DaySelection, used_until: Timestamp) -> Result<Vec<(Timestamp, FleetDay)>> {
    let sums: HashMap<Timestamp, DaySums> =
        fleet_days::days(db, &selection.of_one_group()).await?.into_iter().collect();
    let days = std::iter::successors(Some(selection.from), |day| Some(*day + DAY));
    let days = days.take_while(|day| *day < selection.until);
    Ok(days.map(|day| (day, FleetDay::new(day, sums.get(&day), day < used_until))).collect())
}

fn are_enough(histories: Histories) -> bool {
    histories.read * 100 >= histories.devices * ENOUGH_PERCENT
}

/// What a report says on top that has not all histories yet.
pub(super) fn incomplete(histories: Histories) -> String {
    let Histories { devices, read, read_by } = histories;
    let until = read_by.map(|time| format!(", probably until {} UTC", time.strftime("%Y-%m-%d %H:%M")));
    format!(
        "Incomplete: the history of {} of {devices} devices is still being read{}. What they used is missing.",
        devices - read,
        until.unwrap_or_default()
    )
}

/// Reads the use of the groups of a dimension. `of_all` is the use of all devices on these days.
async fn read_use(
    db: &Db,
    selection: &DaySelection,
    dimension: Dimension,
    days: &[Timestamp],
    of_all: &[Option<f64>],
    used_until: Timestamp,
) -> Result<FleetUse> {
    let known = DaySelection { until: selection.until.min(used_until), ..selection.clone() };
    let newest = DaySelection { from: (known.until - RANKING_PERIOD).max(known.from), ..known.clone() };
    let shown = fleet_days::most_used(db, &newest, dimension, MAX_GROUPS).await?;
    let mut used: HashMap<(String, Timestamp), f64> = HashMap::new();
    for of_day in fleet_days::use_of(db, &known, dimension, &shown).await? {
        used.insert((of_day.value, of_day.day), of_day.used_ml);
    }
    let mut others: Vec<Option<f64>> = of_all.to_vec();
    let mut groups = Vec::new();
    for name in shown {
        let used_ml: Vec<Option<f64>> = days.iter().map(|day| used.get(&(name.clone(), *day)).copied()).collect();
        for (rest, used) in others.iter_mut().zip(&used_ml) {
            // Not below 0, as rounding would have it.
            *rest = rest.map(|rest| (rest - used.unwrap_or_default()).max(0.0));
        }
        groups.push(GroupUse { name: non_empty(name), used_ml });
    }
    Ok(FleetUse { groups, others_ml: others })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_in_ten_histories_are_enough_also_of_a_few_devices() {
        for (read, devices, expected) in [
            (0, 1, false),
            (1, 2, false),
            (8, 9, false),
            (8, 10, false),
            (9, 10, true),
            (4499, 5000, false),
            (4500, 5000, true),
        ] {
            let histories = Histories { devices, read, read_by: None };
            assert_eq!(are_enough(histories), expected, "{read} of {devices}");
        }
    }
}
