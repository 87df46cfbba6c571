//! The reports of a diffuser in the two months before the demo began.

use diffuser::{Mode, properties, remaining_percent};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::cartridges::{Cartridges, full_seconds};
use super::data_folder::FleetPlan;
use super::device::{DemoDevice, Installation, ServiceRecord};
use super::diffusers::OEM_HOST_VERSION;
use super::report::PastReport;
use super::rng::SeededRng;
use super::setting_changes::setting_changes;
use super::timeline::Timeline;

/// Days of history. Each day has reports at the device's own time of day. The last day ends when the demo begins or when the
/// device was unplugged.
pub(crate) const DAYS: usize = 60;
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// The history of one device. Reports are computed per day, so that the histories of a whole fleet fit into memory.
#[derive(Debug)]
pub(crate) struct DeviceHistory<'a> {
    device: &'a DemoDevice,
    installation: &'a Installation,
    service: &'a ServiceRecord,
    timeline: Timeline,
    cartridges: Cartridges,
    changes: Vec<PastReport>,
    /// The days with a report, each with the time of that report.
    due: Vec<(usize, Timestamp)>,
    end: Timestamp,
    plan: FleetPlan,
}

impl<'a> DeviceHistory<'a> {
    /// Returns `None` for a device that never connected.
    pub(crate) fn new(device: &'a DemoDevice, plan: FleetPlan) -> Option<Self> {
        let (installation, service) = (device.installation.as_ref()?, device.service()?);
        let mut rng = SeededRng::new(plan.seed, &format!("past of {}", device.dsn));
        let seconds = |rng: &mut SeededRng, most| SignedDuration::from_secs(rng.in_range(1..=most));
        let last = plan.begun_at - seconds(&mut rng, 15 * 60);
        let end = service.unplugged_at.unwrap_or(last);
        let modes = service.modes_of_use(plan.begun_at);
        let timeline = Timeline::new(&modes, &service.schedule, &device.time_zone(), end);
        let full = full_seconds(&device.configuration, installation.fragrance)?;
        let cartridges = Cartridges::new(full, timeline.seconds(end), service.wanted_percent, &mut rng);
        let due = due(installation.installed_at, end, plan.begun_at - seconds(&mut rng, 24 * 3600));
        let changes = setting_changes(device, installation.installed_at, service, end, plan.begun_at, &mut rng);
        Some(Self { device, installation, service, timeline, cartridges, changes, due, end, plan })
    }

    pub(crate) fn dsn(&self) -> &str {
        &self.device.dsn
    }

    /// The settings at the start of the history, and the values that never change.
    pub(crate) fn first_values(&self) -> Vec<(&'static str, Value)> {
        let begin = self.before(0);
        let settings = [properties::CURRENT_STATE, properties::INTENSITY, properties::FAN].map(|name| {
            let change = self.changes.iter().rfind(|change| change.property == name && change.at <= begin);
            (name, change.map_or(Value::Null, |change| change.value.clone()))
        });
        let constant = [
            (properties::CYCLE, self.service.cycle.code().into()),
            (properties::SCHEDULE_BLOB, self.service.schedule.to_string().into()),
            (properties::CLOCK_MODE, 0.into()),
            (properties::HOST_VERSION, self.service.host_version.into()),
            (properties::OEM_HOST_VERSION, OEM_HOST_VERSION.into()),
        ];
        settings.into_iter().chain(constant).collect()
    }

    pub(super) fn installed_at(&self) -> Timestamp {
        self.installation.installed_at
    }

    pub(super) fn service(&self) -> &ServiceRecord {
        self.service
    }

    pub(super) fn plan(&self) -> FleetPlan {
        self.plan
    }

    /// The longest gap between two reports of a day, as its start and end.
    pub(super) fn longest_gap(&self, index: usize) -> (Timestamp, Timestamp) {
        let moments = self.moments(index);
        let gaps = moments.windows(2).map(|pair| (pair[0], pair[1]));
        gaps.max_by_key(|(from, to)| to.duration_since(*from)).unwrap_or((self.end, self.end))
    }

    /// The index of the day that contains `moment`, and the last report before `moment`.
    pub(super) fn gap_before(&self, moment: Timestamp) -> (usize, Timestamp) {
        let index = self.due.iter().position(|(_, at)| moment <= *at).unwrap_or(self.due.len() - 1);
        let before = self.moments(index).into_iter().rfind(|at| *at < moment);
        (index, before.unwrap_or_else(|| self.before(index)))
    }

    /// The start of a day, followed by the times of its reports.
    fn moments(&self, index: usize) -> Vec<Timestamp> {
        let (day, _) = self.due[index];
        [self.before(index)].into_iter().chain(self.day(day).iter().map(|report| report.at)).collect()
    }

    /// The appliance life in hours at the end of the history.
    pub(crate) fn last_appliance_life(&self) -> Option<f64> {
        self.appliance_life(self.due.last()?.0)
    }

    /// The appliance life in hours after a day. A cloud with this value has the reports of that day and of all earlier days.
    pub(crate) fn appliance_life(&self, day: usize) -> Option<f64> {
        let (_, at) = self.due.iter().find(|(due, _)| *due == day)?;
        Some(hours(at.as_second() - self.installation.installed_at.as_second()))
    }

    /// The reports of a day in chronological order.
    pub(crate) fn day(&self, day: usize) -> Vec<PastReport> {
        let Some(index) = self.due.iter().position(|(due, _)| *due == day) else { return vec![] };
        let (from, at) = (self.before(index), self.due[index].1);
        let (run_before, run) = (self.timeline.seconds(from), self.timeline.seconds(at));
        let mut reports: Vec<PastReport> =
            self.changes.iter().filter(|change| from < change.at && change.at <= at).cloned().collect();
        let mut reported_level = (index > 0).then(|| self.cartridge(run_before).1).flatten();
        for installed in self.cartridges.installed_between(run_before, run) {
            reported_level = Some(100);
            let at = self.timeline.when(installed, at);
            reports.push(PastReport { property: properties::CARTRIDGE_LIFE, value: 0.0.into(), at });
            reports.push(PastReport { property: properties::FRAGRANCE_REMAINING, value: 100.into(), at });
        }
        reports.sort_by_key(|report| report.at);

        let mut report = |property, value| reports.push(PastReport { property, value, at });
        if index == 0 || run > run_before {
            let (life, level) = self.cartridge(run);
            report(properties::CARTRIDGE_LIFE, life.into());
            if level != reported_level {
                report(properties::FRAGRANCE_REMAINING, level.into());
            }
        }
        if index % 7 == 0 || at == self.end {
            report(properties::PUMP_LIFE, hours(run).into());
        }
        if at == self.end {
            report(properties::CURRENT_SCHEDULE_RUNNING, self.running().into());
        }
        report(properties::APPLIANCE_LIFE, self.appliance_life(day).into());
        reports
    }

    /// Running hours and remaining percent of the cartridge in use after `run_seconds`.
    fn cartridge(&self, run_seconds: i64) -> (f64, Option<u8>) {
        let life = hours(self.cartridges.life(run_seconds));
        (life, remaining_percent(&self.device.configuration, self.installation.fragrance, life))
    }

    /// The number of the frame that is running at the end, or 0.
    fn running(&self) -> u8 {
        match self.service.mode() {
            Mode::Run if self.service.idle_schedule(self.plan.begun_at).is_none() => {
                self.service.schedule.running(self.end, &self.device.time_zone()).unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// The time of the previous day's report, or the start of the history.
    fn before(&self, index: usize) -> Timestamp {
        match index.checked_sub(1) {
            Some(previous) => self.due[previous].1,
            None => self.due.first().map_or(self.end, |(_, first)| *first - DAY).max(self.installation.installed_at),
        }
    }
}

/// One report per day, the last one at `end`. `last` sets the time of day.
fn due(installed_at: Timestamp, end: Timestamp, last: Timestamp) -> Vec<(usize, Timestamp)> {
    let back = |days: usize| last - DAY * i32::try_from(days).unwrap_or(i32::MAX);
    let daily = (0..DAYS).map(|day| (day, back(DAYS - 1 - day)));
    let mut due: Vec<(usize, Timestamp)> = daily.filter(|(_, at)| installed_at < *at && *at < end).collect();
    let last_day = due.last().map_or_else(|| day_of(end, last), |(day, _)| day + 1);
    due.push((last_day, end));
    due
}

/// The day of `end` if there are no earlier reports.
fn day_of(end: Timestamp, last: Timestamp) -> usize {
    let back = (last.as_second() - end.as_second()).max(0) / DAY.as_secs();
    DAYS.saturating_sub(usize::try_from(back).unwrap_or(DAYS))
}

/// Hours, rounded to hundredths as diffusers report them.
fn hours(seconds: i64) -> f64 {
    (seconds as f64 / 36.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use diffuser::LOW_PRODUCT_PERCENT;

    use super::super::fleet;
    use super::*;

    const HISTORY: SignedDuration = SignedDuration::from_hours(61 * 24);

    fn plan(devices: usize, seed: u64) -> FleetPlan {
        FleetPlan { devices, seed, begun_at: "2026-11-20T12:00:00Z".parse().unwrap() }
    }

    /// Calls `check` for every device that has a history, with all its reports.
    fn each_history(plan: FleetPlan, mut check: impl FnMut(&DeviceHistory<'_>, Vec<PastReport>)) {
        let fleet = fleet::build(plan);
        for history in fleet.iter().filter_map(|device| DeviceHistory::new(device, plan)) {
            let reports = (0..=DAYS).flat_map(|day| history.day(day)).collect();
            check(&history, reports);
        }
    }

    fn plans() -> impl Iterator<Item = FleetPlan> {
        [(2, 1), (7, 2), (60, 3), (200, 4), (2000, 5)].into_iter().map(|(devices, seed)| plan(devices, seed))
    }

    fn last<'a>(reports: &'a [PastReport], property: &str) -> &'a Value {
        &reports.iter().rfind(|report| report.property == property).unwrap().value
    }

    fn numbers(reports: &[PastReport], property: &str) -> Vec<(Timestamp, f64)> {
        let of_it = reports.iter().filter(|report| report.property == property);
        of_it.map(|report| (report.at, report.value.as_f64().unwrap())).collect()
    }

    #[test]
    fn same_plan_gives_the_same_history() {
        let reports_of = |seed| {
            let mut all = Vec::new();
            each_history(plan(20, seed), |_, reports| all.push(reports));
            all
        };
        assert_eq!(reports_of(7), reports_of(7));
        assert_ne!(reports_of(7), reports_of(8));
    }

    #[test]
    fn reports_are_ordered_and_within_the_device_lifetime() {
        for plan in plans() {
            each_history(plan, |history, reports| {
                let begin = history.installation.installed_at.max(plan.begun_at - HISTORY);
                assert!(
                    reports.iter().all(|report| begin < report.at && report.at <= history.end),
                    "{}",
                    history.dsn()
                );
                assert!(reports.is_sorted_by_key(|report| report.at), "{}", history.dsn());
                assert_eq!(reports.last().unwrap().at, history.end);
                assert!(history.end <= plan.begun_at);
            });
        }
    }

    #[test]
    fn remaining_fragrance_follows_the_formula_until_a_new_cartridge() {
        for plan in plans() {
            each_history(plan, |history, reports| {
                let mut life = 0.0;
                let mut level = None;
                for report in &reports {
                    match report.property {
                        properties::CARTRIDGE_LIFE => {
                            let now = report.value.as_f64().unwrap();
                            assert!(now >= life || now == 0.0, "{} {report:?}", history.dsn());
                            if now < life {
                                level = None;
                            }
                            life = now;
                        }
                        properties::FRAGRANCE_REMAINING => {
                            let now = report.value.as_u64().unwrap();
                            let given =
                                remaining_percent(&history.device.configuration, history.installation.fragrance, life);
                            assert_eq!(given.map(u64::from), Some(now), "{} {report:?}", history.dsn());
                            assert!(level.is_none_or(|before| now < before), "{} {report:?}", history.dsn());
                            level = Some(now);
                        }
                        _ => {}
                    }
                }
            });
        }
    }

    #[test]
    fn life_counters_never_exceed_elapsed_time() {
        for plan in plans() {
            each_history(plan, |history, reports| {
                for property in [properties::CARTRIDGE_LIFE, properties::PUMP_LIFE, properties::APPLIANCE_LIFE] {
                    for pair in numbers(&reports, property).windows(2) {
                        let hours = pair[1].1 - pair[0].1;
                        let passed = (pair[1].0 - pair[0].0).get_seconds() as f64 / 3600.0;
                        assert!(hours <= passed + 0.02, "{} {property} {pair:?}", history.dsn());
                    }
                }
                let [cartridge, pump, appliance] =
                    [properties::CARTRIDGE_LIFE, properties::PUMP_LIFE, properties::APPLIANCE_LIFE]
                        .map(|property| last(&reports, property).as_f64().unwrap());
                assert!(cartridge <= pump && pump <= appliance, "{}: {cartridge} {pump} {appliance}", history.dsn());
            });
        }
    }

    #[test]
    fn history_ends_with_the_current_settings() {
        for plan in plans() {
            each_history(plan, |history, reports| {
                let mut values: HashMap<_, _> = history.first_values().into_iter().collect();
                assert!(values.values().all(|value| !value.is_null()), "{} {values:?}", history.dsn());
                values.extend(reports.iter().map(|report| (report.property, report.value.clone())));
                assert_eq!(values[properties::CURRENT_STATE], history.service.mode().code());
                assert_eq!(values[properties::INTENSITY], history.service.intensity);
                assert_eq!(values[properties::FAN], history.service.fan.speed());
                assert_eq!(values.len(), diffuser::template::TEMPLATE.properties.len());
            });
        }
    }

    #[test]
    fn device_with_an_idle_schedule_ran_until_it_was_switched_off() {
        let mut idle = 0;
        each_history(plan(200, 1), |history, reports| {
            let Some((at, schedule)) = history.service.idle_schedule(history.plan.begun_at) else { return };
            idle += 1;
            assert!(schedule.frames().all(|(_, frame)| !frame.active));
            assert_eq!(last(&reports, properties::SCHEDULE_BLOB), &Value::from(schedule.to_string()));
            assert!(history.timeline.seconds(at) > 0, "{}", history.dsn());
            assert_eq!(history.timeline.seconds(at), history.timeline.seconds(history.end), "{}", history.dsn());
        });
        assert!(idle > 0);
    }

    #[test]
    fn always_connected_device_reports_about_three_values_a_day() {
        let mut counts = Vec::new();
        each_history(plan(200, 1), |history, reports| {
            if history.service.unplugged_at.is_none()
                && history.timeline.seconds(history.end) > 0
                && history.due.len() > DAYS
            {
                counts.push(reports.len());
            }
        });
        counts.sort_unstable();
        assert!(counts.len() > 150);
        let (least, middle, most) = (counts[0], counts[counts.len() / 2], counts[counts.len() - 1]);
        assert!(least >= 70 && (150..=200).contains(&middle) && most <= 250, "{least} {middle} {most}");
    }

    #[test]
    fn some_cartridges_run_low_and_a_few_are_empty() {
        for seed in 1..=5 {
            let mut levels = Vec::new();
            each_history(plan(200, seed), |_, reports| {
                levels.push(last(&reports, properties::FRAGRANCE_REMAINING).as_u64().unwrap());
            });
            let low = levels.iter().filter(|level| **level < u64::from(LOW_PRODUCT_PERCENT)).count();
            let empty = levels.iter().filter(|level| **level == 0).count();
            assert!((8..=30).contains(&low) && (2..=8).contains(&empty), "{low} {empty}");
        }
    }

    #[test]
    fn appliance_life_grows_with_every_day_of_history() {
        each_history(plan(30, 1), |history, _| {
            let mut before = 0.0;
            for day in 0..=DAYS {
                let reports = history.day(day);
                let Some(life) = history.appliance_life(day) else {
                    assert_eq!(reports, []);
                    continue;
                };
                assert_eq!(last(&reports, properties::APPLIANCE_LIFE).as_f64(), Some(life));
                assert!(before < life, "{} {day}", history.dsn());
                before = life;
            }
        });
    }
}
