//! When a diffuser lost and regained its connection. An outage never covers one of its reports.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use super::device_history::DeviceHistory;
use super::rng::SeededRng;

/// The share of diffusers with bad reception.
const BAD_RECEPTION_PERCENT: u32 = 8;
const MAX_OUTAGE_SECONDS: i64 = 6 * 3600;
/// Gaps between reports that are shorter get no outage.
const MIN_GAP_SECONDS: i64 = 600;

/// A change of a device's connection status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ConnectionChange {
    pub(super) at: Timestamp,
    pub(super) online: bool,
}

/// All changes in chronological order, from the installation to the start of the demo, when every device is offline.
pub(super) fn connection_changes(history: &DeviceHistory<'_>) -> Vec<ConnectionChange> {
    let (service, plan) = (history.service(), history.plan());
    let rng = &mut SeededRng::new(plan.seed, &format!("connections of {}", history.dsn()));
    let (last_day, before) = history.gap_before(service.connected_at);
    let silent = service.connected_at.duration_since(before).as_secs();
    let last = service.connected_at - SignedDuration::from_secs(rng.in_range(1..=(silent - 1).min(MAX_OUTAGE_SECONDS)));
    let count = if rng.chance(BAD_RECEPTION_PERCENT) { rng.in_range(10..=25) } else { rng.in_range(0..=3) };
    let days: BTreeSet<i64> = (0..count).map(|_| rng.in_range(0..=last_day as i64 - 1)).collect();
    let mut outages: Vec<(Timestamp, Timestamp)> = days
        .into_iter()
        .filter_map(|day| outage(history.longest_gap(usize::try_from(day).ok()?), rng))
        .filter(|(_, came)| *came < last)
        .collect();
    outages.push((last, service.connected_at));

    let change = |at, online| ConnectionChange { at, online };
    let back = outages.into_iter().flat_map(|(went, came)| [change(went, false), change(came, true)]);
    let end = service.unplugged_at.unwrap_or(plan.begun_at);
    [change(history.installed_at(), true)].into_iter().chain(back).chain([change(end, false)]).collect()
}

/// A random outage between two reports.
fn outage(gap: (Timestamp, Timestamp), rng: &mut SeededRng) -> Option<(Timestamp, Timestamp)> {
    let (from, to) = gap;
    let silent = to.duration_since(from).as_secs();
    if silent < MIN_GAP_SECONDS {
        return None;
    }
    let went = from + SignedDuration::from_secs(rng.in_range(1..=silent / 2));
    Some((went, went + SignedDuration::from_secs(rng.in_range(60..=(silent / 2 - 1).min(MAX_OUTAGE_SECONDS)))))
}

#[cfg(test)]
mod tests {
    use super::super::data_folder::FleetPlan;
    use super::super::device::ServiceRecord;
    use super::super::device_history::DAYS;
    use super::super::fleet;
    use super::*;

    /// Calls `check` for every device that has a history.
    fn each(mut check: impl FnMut(&DeviceHistory<'_>, &ServiceRecord, Vec<ConnectionChange>)) {
        for (devices, seed) in [(2, 1), (60, 3), (400, 5)] {
            let plan = FleetPlan { devices, seed, begun_at: "2026-11-20T12:00:00Z".parse().unwrap() };
            let fleet = fleet::build(plan);
            for history in fleet.iter().filter_map(|device| DeviceHistory::new(device, plan)) {
                let device = fleet.iter().find(|device| device.dsn == history.dsn()).unwrap();
                check(&history, device.service().unwrap(), connection_changes(&history));
            }
        }
    }

    #[test]
    fn connection_changes_alternate_and_match_the_service_record() {
        each(|history, service, connections| {
            assert!(connections.windows(2).all(|pair| pair[0].at < pair[1].at && pair[0].online != pair[1].online));
            assert_eq!(connections[0], ConnectionChange { at: history.installed_at(), online: true });
            let came = connections.iter().rfind(|connection| connection.online).unwrap();
            assert_eq!(came.at, service.connected_at, "{}", history.dsn());
            let went = connections.last().unwrap();
            let unplugged_at = service.unplugged_at.unwrap_or("2026-11-20T12:00:00Z".parse().unwrap());
            assert_eq!((went.online, went.at), (false, unplugged_at), "{}", history.dsn());
        });
    }

    #[test]
    fn offline_devices_report_nothing() {
        each(|history, _, connections| {
            for report in (0..=DAYS).flat_map(|day| history.day(day)) {
                let held = connections.iter().rfind(|connection| connection.at < report.at);
                assert!(held.is_none_or(|held| held.online), "{} {report:?}", history.dsn());
            }
        });
    }

    #[test]
    fn most_devices_lose_their_connection_rarely_and_a_few_often() {
        let (mut seldom, mut often) = (0, 0);
        each(|_, _, connections| if connections.len() > 14 { often += 1 } else { seldom += 1 });
        assert!(often * 30 > seldom && often * 5 < seldom, "{often} {seldom}");
    }
}
