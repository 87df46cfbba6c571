//! The levels and connections of a device before it was known to the console. Pure.

use jiff::{SignedDuration, Timestamp};

use super::DeviceFacts;
use super::device_facts::Reading;
use crate::index::fleet_days::{HOURS, PastDay, day_of};

/// How far the past is read.
pub(super) const PAST: SignedDuration = SignedDuration::from_hours(55 * 24);
const DAY: SignedDuration = SignedDuration::from_hours(24);
const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// A connection or disconnection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Connection {
    pub(super) at: Timestamp,
    pub(super) is_online: bool,
}

/// The states of a device on the days of which something is known, until it was read. Readings and connections are oldest first.
pub(super) fn past_days(
    facts: &DeviceFacts,
    readings: &[Reading],
    connections: Option<Vec<Connection>>,
) -> Vec<PastDay> {
    let connections = connections.map(|mut connections| {
        // A device that has not been disconnected for long has no entry.
        let since = facts.connection_since.filter(|since| connections.last().is_none_or(|last| last.at < *since));
        connections.extend(since.map(|at| Connection { at, is_online: facts.is_online }));
        connections
    });
    let last_day = day_of(facts.read_at);
    let days = std::iter::successors(Some(last_day - PAST), |day| Some(*day + DAY));
    days.take_while(|day| *day <= last_day)
        .filter_map(|day| {
            let level = level_at(facts, readings, day + DAY);
            let hour = |index: usize| day + HOUR * i32::try_from(index).unwrap_or_default();
            let online = std::array::from_fn(|index| {
                let hour = hour(index);
                connections.as_ref().filter(|_| hour <= facts.read_at).and_then(|it| was_online(it, hour))
            });
            let is_known = level.is_some() || online != [None; HOURS];
            is_known.then_some(PastDay { day, level, online })
        })
        .collect()
}

/// The level at the end of a day.
fn level_at(facts: &DeviceFacts, readings: &[Reading], end: Timestamp) -> Option<i64> {
    let last = readings.iter().rfind(|reading| reading.at < end)?;
    facts.level_after(last.hours)
}

/// Whether the device was online; `None` before the first connection that is known.
fn was_online(connections: &[Connection], at: Timestamp) -> Option<bool> {
    connections.iter().rfind(|connection| connection.at <= at).map(|last| last.is_online)
}

#[cfg(test)]
mod tests {
    use super::super::tests::DIFFUSER;
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn levels_and_connections_are_known_from_the_first_reading_and_connection_on() {
        // A cartridge lasts 1000 hours.
        let facts = DIFFUSER.facts(at("2026-11-20T12:00:00Z"));
        let readings = [("2026-11-18T10:00:00Z", 100.0), ("2026-11-19T23:00:00Z", 110.0)];
        let readings = readings.map(|(time, hours)| Reading { at: at(time), hours });
        let connections = [("2026-11-18T03:30:00Z", true), ("2026-11-18T05:00:00Z", false)];
        let connections = connections.map(|(time, is_online)| Connection { at: at(time), is_online }).to_vec();
        let days = past_days(&facts, &readings, Some(connections.clone()));
        let levels: Vec<_> = days.iter().map(|it| (it.day.to_string(), it.level)).collect();
        let expected = [("2026-11-18", 90), ("2026-11-19", 89), ("2026-11-20", 89)];
        assert_eq!(levels, expected.map(|(day, level)| (format!("{day}T00:00:00Z"), Some(level))));
        assert_eq!(days[0].online[..6], [None, None, None, None, Some(true), Some(false)]);
        assert_eq!(days[1].online, [Some(false); HOURS]);
        assert_eq!(days[2].online[12..14], [Some(false), None], "it was read at noon");

        let without = past_days(&facts, &readings, None);
        assert!(without.iter().all(|day| day.online == [None; HOURS]) && without.len() == 3);
    }

    #[test]
    fn device_that_stays_connected_for_long_was_online() {
        // It is online since November 1.
        let facts = DIFFUSER.facts(at("2026-11-20T12:00:00Z"));
        let days = past_days(&facts, &[], Some(Vec::new()));
        assert_eq!(days.len(), 20);
        assert_eq!((days[0].day, days[0].online), (at("2026-11-01T00:00:00Z"), [Some(true); HOURS]));
        assert!(days.iter().all(|day| day.level.is_none()));
    }
}
