use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result};

use super::dto::{FleetDay, FleetHistory, FleetUse, GroupUse, non_empty};
use crate::fleet_days::{self, CUSTOMER_RETENTION, DaySelection, DaySums, Dimension, day_of};
use crate::forecasts;

const DAY: SignedDuration = SignedDuration::from_hours(24);
/// The use of a day is shown this long after its end, when most devices have been read again.
const USE_DELAY: SignedDuration = SignedDuration::from_hours(2);
/// The number of groups that are shown alone.
const MAX_GROUPS: usize = 8;
/// The days by whose use they are chosen.
const RANKING_PERIOD: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Reads the fleet over time. Does not check permissions; the caller must pass the CSP of the actor.
pub(super) async fn read(db: &Db, selection: &DaySelection, now: Timestamp) -> Result<FleetHistory> {
    let whole = (Dimension::All, String::new());
    let shown = DaySelection { group: Some(selection.group.clone().unwrap_or(whole)), ..selection.clone() };
    let sums: HashMap<Timestamp, DaySums> = fleet_days::days(db, &shown).await?.into_iter().collect();
    let days: Vec<Timestamp> = std::iter::successors(Some(selection.from), |day| Some(*day + DAY))
        .take_while(|day| *day < selection.until)
        .collect();
    // The day after the last one whose use is known.
    let used_until = day_of(now - USE_DELAY);
    let fleet_day = |day: &Timestamp| FleetDay::new(*day, sums.get(day), *day < used_until);
    let shown_days: Vec<FleetDay> = days.iter().map(fleet_day).collect();
    let (mut fragrances, mut customers) = (None, None);
    if selection.group.is_none() {
        let of_all: Vec<Option<f64>> = shown_days.iter().map(|day| day.used_ml).collect();
        let kept_from = day_of(now - CUSTOMER_RETENTION);
        fragrances = Some(read_use(db, selection, Dimension::Fragrance, (&days[..], &of_all[..]), used_until).await?);
        let kept = days.iter().zip(&of_all).map(|(day, used)| used.filter(|_| *day >= kept_from)).collect::<Vec<_>>();
        customers = Some(read_use(db, selection, Dimension::Customer, (&days[..], &kept[..]), used_until).await?);
    }
    Ok(FleetHistory {
        days: shown_days,
        fragrances,
        customers,
        recorded_since: fleet_days::sample_times(db).await?.map(|times| times.first),
        is_incomplete: forecasts::is_filling(db).await?,
    })
}

/// Reads the use of the groups of a dimension. `of_all` is the use of all devices on these days.
async fn read_use(
    db: &Db,
    selection: &DaySelection,
    dimension: Dimension,
    (days, of_all): (&[Timestamp], &[Option<f64>]),
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
