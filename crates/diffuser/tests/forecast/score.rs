//! How good forecasts are that were made 14 days before a cartridge was empty.

use diffuser::forecast::ForecastInput;
use jiff::{SignedDuration, Timestamp};

use crate::fleet::{Device, Night, Scenario, simulate};
use crate::straight_line::extrapolate;

const AHEAD_DAYS: i64 = 14;
/// Forecasts begin when there has been time for two weeks of history.
const FIRST_NIGHT: usize = 14;

/// Forecasts of one method.
#[derive(Default, Clone)]
pub(crate) struct Score {
    /// In days. A missing forecast is infinitely wrong.
    errors: Vec<f64>,
    covered: usize,
    early: usize,
    missing: usize,
}

impl Score {
    fn add(&mut self, true_date: Timestamp, forecast: Option<(Timestamp, Timestamp, Option<Timestamp>)>) {
        let Some((earliest, median, latest)) = forecast else {
            self.missing += 1;
            self.errors.push(f64::INFINITY);
            return;
        };
        self.errors.push(median.duration_since(true_date).as_secs_f64().abs() / 86_400.0);
        if true_date < earliest {
            self.early += 1;
        } else if latest.is_none_or(|latest| true_date <= latest) {
            self.covered += 1;
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.errors.len()
    }

    /// The share of all dates for which there was a forecast.
    pub(crate) fn answered(&self) -> f64 {
        1.0 - self.missing as f64 / self.count() as f64
    }

    /// The share of forecasts whose interval holds the true date.
    pub(crate) fn coverage(&self) -> f64 {
        self.covered as f64 / (self.count() - self.missing) as f64
    }

    /// The share of forecasts whose interval begins after the true date.
    pub(crate) fn too_late(&self) -> f64 {
        self.early as f64 / (self.count() - self.missing) as f64
    }

    /// In days.
    pub(crate) fn median_error(&self) -> f64 {
        let mut errors = self.errors.clone();
        errors.sort_unstable_by(f64::total_cmp);
        errors[errors.len() / 2]
    }

    fn append(&mut self, other: &Self) {
        self.errors.extend(&other.errors);
        self.covered += other.covered;
        self.early += other.early;
        self.missing += other.missing;
    }
}

/// The forecast and the straight line, on the same dates.
#[derive(Default, Clone)]
pub(crate) struct Comparison {
    pub(crate) forecast: Score,
    pub(crate) line: Score,
}

/// Simulates a fleet, and compares by scenario; the last one is all of them together.
pub(crate) fn compare(seed: u64, devices: usize) -> Vec<(Option<Scenario>, Comparison)> {
    let mut rows: Vec<_> = Scenario::ALL.map(|it| (Some(it), Comparison::default())).into();
    for device in simulate(seed, devices) {
        let (_, comparison) = rows.iter_mut().find(|(scenario, _)| *scenario == Some(device.scenario)).unwrap();
        for true_date in &device.ran_dry {
            add(comparison, &device, *true_date);
        }
    }
    let mut all = Comparison::default();
    for (_, comparison) in &rows {
        all.forecast.append(&comparison.forecast);
        all.line.append(&comparison.line);
    }
    rows.push((None, all));
    rows
}

pub(crate) fn input<'a>(device: &'a Device, night: &'a Night) -> ForecastInput<'a> {
    ForecastInput {
        configuration: &device.configuration,
        fragrance: Some(&device.fragrance),
        cartridge_life_hours: Some(night.cartridge_life_hours),
        mode: Some(night.mode),
        schedule: Some(&night.schedule),
        time_zone: &device.zone,
        plan_since: night.plan_since,
        usual_share: None,
        daily_use: &night.daily_use,
        offline_since: night.offline_since,
        now: night.at,
    }
}

/// The running hours of a full cartridge; the density is 1.
pub(crate) fn capacity_hours(device: &Device) -> f64 {
    let flow = device.fragrance.flow(&device.configuration).unwrap();
    f64::from(device.configuration.cartridge_ml().unwrap()) / flow
}

/// Cartridges that were put in less than two weeks and the days of a line ago are left out.
fn add(comparison: &mut Comparison, device: &Device, true_date: Timestamp) {
    let about = true_date - SignedDuration::from_hours(AHEAD_DAYS * 24 - 12);
    let night = device.nights.partition_point(|it| it.at <= about).saturating_sub(1);
    if night < FIRST_NIGHT || about - SignedDuration::from_hours(5 * 24) < device.nights[night].refilled_at {
        return;
    }
    let at = &device.nights[night];
    let forecast = input(device, at).forecast().ok().map(|it| (it.empty.earliest, it.empty.median, it.empty.latest));
    let line = extrapolate(device, night, capacity_hours(device)).map(|it| (it.earliest, it.median, Some(it.latest)));
    comparison.forecast.add(true_date, forecast);
    comparison.line.add(true_date, line);
}

/// The requirements that the forecasts of the whole fleet miss.
pub(crate) fn failures(rows: &[(Option<Scenario>, Comparison)]) -> Vec<String> {
    let (_, Comparison { forecast, line }) = rows.last().unwrap();
    let off = |score: &Score| (score.coverage() - 0.8).abs();
    let requirements = [
        (off(forecast) <= 0.05, "the interval holds 80 percent, plus or minus 5"),
        (forecast.median_error() <= 2.0, "the median error is at most 2 days"),
        (off(forecast) < off(line), "the interval is better calibrated than that of the line"),
        (forecast.median_error() < line.median_error(), "the median error is less than that of the line"),
        (forecast.answered() >= 0.95, "there is a forecast for 95 percent of the dates"),
    ];
    requirements.into_iter().filter(|(met, _)| !met).map(|(_, text)| format!("not met: {text}")).collect()
}

pub(crate) fn table(rows: &[(Option<Scenario>, Comparison)]) -> String {
    let mut table = format!(
        "{:12} {:>6}  {:>9} {:>7} {:>9} {:>9}  {:>9} {:>7} {:>9}\n",
        "scenario", "dates", "forecasts", "in 80 %", "too late", "error (d)", "lines", "in 80 %", "error (d)"
    );
    for (scenario, Comparison { forecast, line }) in rows {
        let name = scenario.map_or("all".to_owned(), |it| format!("{it:?}"));
        table += &format!(
            "{name:12} {:6}  {:8.1}% {:6.1}% {:8.1}% {:9.2}  {:8.1}% {:6.1}% {:9.2}\n",
            forecast.count(),
            100.0 * forecast.answered(),
            100.0 * forecast.coverage(),
            100.0 * forecast.too_late(),
            forecast.median_error(),
            100.0 * line.answered(),
            100.0 * line.coverage(),
            line.median_error(),
        );
    }
    table
}
