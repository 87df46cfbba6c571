//! When a diffuser lost its connection in the past, and got it again. Never while it reported something.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use super::dice::Dice;
use super::past::Past;
use super::unit::Service;

/// One in so many diffusers has bad reception.
const BAD_RECEPTION_PERCENT: u32 = 8;
const LONGEST: i64 = 6 * 3600;
/// Too short a silence to fall into.
const SHORTEST_SILENCE: i64 = 600;

/// A change of its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Connection {
    pub(super) at: Timestamp,
    pub(super) online: bool,
}

/// From installation until the demo began, when nobody was connected to its cloud; in the order of time.
pub(super) fn of(past: &Past<'_>, service: &Service, begun_at: Timestamp, dice: &mut Dice) -> Vec<Connection> {
    let (last_day, before) = past.silence_before(service.connected_at);
    let silent = service.connected_at.duration_since(before).as_secs();
    let last = service.connected_at - SignedDuration::from_secs(dice.within(1..=(silent - 1).min(LONGEST)));
    let count = if dice.happens(BAD_RECEPTION_PERCENT) { dice.within(10..=25) } else { dice.within(0..=3) };
    let days: BTreeSet<i64> = (0..count).map(|_| dice.within(0..=last_day as i64 - 1)).collect();
    let mut outages: Vec<(Timestamp, Timestamp)> = days
        .into_iter()
        .filter_map(|day| outage(past.longest_silence(usize::try_from(day).ok()?), dice))
        .filter(|(_, came)| *came < last)
        .collect();
    outages.push((last, service.connected_at));

    let change = |at, online| Connection { at, online };
    let back = outages.into_iter().flat_map(|(went, came)| [change(went, false), change(came, true)]);
    let end = service.unplugged_at.unwrap_or(begun_at);
    [change(past.installed_at(), true)].into_iter().chain(back).chain([change(end, false)]).collect()
}

/// Within a silence.
fn outage((from, to): (Timestamp, Timestamp), dice: &mut Dice) -> Option<(Timestamp, Timestamp)> {
    let silent = to.duration_since(from).as_secs();
    if silent < SHORTEST_SILENCE {
        return None;
    }
    let went = from + SignedDuration::from_secs(dice.within(1..=silent / 2));
    Some((went, went + SignedDuration::from_secs(dice.within(60..=(silent / 2 - 1).min(LONGEST)))))
}

#[cfg(test)]
mod tests {
    use super::super::fleet;
    use super::super::folder::Plan;
    use super::super::past::DAYS;
    use super::*;

    /// Every device that has a past, with its service and its connections.
    fn each(mut check: impl FnMut(&Past<'_>, &Service, Vec<Connection>)) {
        for (devices, seed) in [(2, 1), (60, 3), (400, 5)] {
            let plan = Plan { devices, seed, begun_at: "2026-11-20T12:00:00Z".parse().unwrap() };
            let fleet = fleet::of(plan);
            for past in fleet.iter().filter_map(|unit| Past::of(unit, plan)) {
                let unit = fleet.iter().find(|unit| unit.dsn == past.dsn()).unwrap();
                check(&past, unit.service().unwrap(), past.connections());
            }
        }
    }

    #[test]
    fn they_alternate_and_agree_with_what_is_known_of_the_device() {
        each(|past, service, connections| {
            assert!(connections.windows(2).all(|pair| pair[0].at < pair[1].at && pair[0].online != pair[1].online));
            assert_eq!(connections[0], Connection { at: past.installed_at(), online: true });
            let came = connections.iter().rfind(|connection| connection.online).unwrap();
            assert_eq!(came.at, service.connected_at, "{}", past.dsn());
            let went = connections.last().unwrap();
            let unplugged_at = service.unplugged_at.unwrap_or("2026-11-20T12:00:00Z".parse().unwrap());
            assert_eq!((went.online, went.at), (false, unplugged_at), "{}", past.dsn());
        });
    }

    #[test]
    fn nobody_reports_while_it_is_cut_off() {
        each(|past, _, connections| {
            for report in (0..=DAYS).flat_map(|day| past.day(day)) {
                let held = connections.iter().rfind(|connection| connection.at < report.at);
                assert!(held.is_none_or(|held| held.online), "{} {report:?}", past.dsn());
            }
        });
    }

    #[test]
    fn most_are_seldom_cut_off_and_a_few_often() {
        let (mut seldom, mut often) = (0, 0);
        each(|_, _, connections| if connections.len() > 14 { often += 1 } else { seldom += 1 });
        assert!(often * 30 > seldom && often * 5 < seldom, "{often} {seldom}");
    }
}
