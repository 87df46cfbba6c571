use std::f64::consts::FRAC_PI_2;

/// The days over which use is compared with the running time: a week evens out the days of the week, and a closing day.
const WINDOW: usize = 7;
/// The constants below were chosen on simulated fleets (docs/forecast.md).
///
/// A device is expected to follow its schedule until about this many days say something else.
const PRIOR_DAYS: f64 = 3.0;
/// Relative standard deviations, before anything is known about a device: how far its use in all weeks differs from its
/// schedule …
const PRIOR_BIAS: f64 = 0.04;
/// … and how far a week has more use than most of its weeks, or less because of an outage, a holiday or a change by hand.
const PRIOR_MORE: f64 = 0.04;
const PRIOR_LESS: f64 = 0.07;
/// The weight of these deviations, in days.
const PRIOR_SPREAD_DAYS: f64 = 7.0;
/// Days do not follow the schedule if equal use on all of them explains them this much better: the ratio of the squared
/// deviations.
const AGAINST_SCHEDULE: f64 = 0.5;
/// They do follow it if their standard deviation from it is at most this share of their mean use: then equal use explains only
/// how counters are rounded and when clocks change.
const NEGLIGIBLE: f64 = 0.1;
/// How much of their use days may show on the next one: readings can be a day apart, and use between them is spread evenly.
const DELAYS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
/// The normal distribution has 80 percent within this many standard deviations.
const Z_80: f64 = 1.2816;

/// A day of the history.
#[derive(Debug, Clone, Copy)]
pub(super) struct Day {
    /// The running hours that mode and schedule give.
    pub(super) planned: f64,
    /// Those of the day before.
    pub(super) planned_the_day_before: f64,
    /// The hours by which the cartridge life grew.
    pub(super) used: f64,
}

/// Use as a share of the planned running time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct UseRate {
    /// Of most weeks. 1 is as planned.
    pub(super) share: f64,
    /// Relative standard deviations of a week above and below `share`.
    more: f64,
    less: f64,
    /// Relative variance of `share` itself.
    bias: f64,
    /// The days behind it.
    days: f64,
}

impl UseRate {
    /// The rate that `days` show, oldest first. `prior` is the share to expect before there are any.
    pub(super) fn new(days: &[Day], prior: Option<f64>) -> Self {
        let mut shares: Vec<f64> = days.windows(WINDOW.min(days.len()).max(1)).filter_map(share_of).collect();
        shares.sort_unstable_by(f64::total_cmp);
        let known = if shares.is_empty() { 0.0 } else { count(days.len()) };
        let prior_days = if prior.is_some() { PRIOR_DAYS } else { 0.0 };
        let typical = median(&shares);
        let sum = typical * known + prior.unwrap_or_default() * prior_days;
        let share = if known + prior_days > 0.0 { sum / (known + prior_days) } else { 0.0 };
        let spread = |prior: f64, deviation: fn(f64) -> f64| {
            let observed: f64 = shares.iter().map(|it| deviation(it / typical - 1.0).max(0.0).powi(2)).sum();
            // The deviations of one side are half of those of a symmetrical distribution.
            let observed = if typical > 0.0 { 2.0 * observed / count(shares.len()) } else { 0.0 };
            ((observed * known + prior * prior * PRIOR_SPREAD_DAYS) / (known + PRIOR_SPREAD_DAYS)).sqrt()
        };
        Self {
            share,
            more: spread(PRIOR_MORE, |it| it),
            less: spread(PRIOR_LESS, |it| -it),
            bias: PRIOR_BIAS * PRIOR_BIAS * PRIOR_DAYS / (known + PRIOR_DAYS),
            days: known,
        }
    }

    /// The share that 90 percent of the periods of this length do not exceed.
    pub(super) fn high(&self, days: f64) -> f64 {
        self.share * (Z_80 * self.deviation(self.more, days)).exp()
    }

    /// The share that 90 percent of the periods of this length exceed.
    pub(super) fn low(&self, days: f64) -> f64 {
        self.share * (-Z_80 * self.deviation(self.less, days)).exp()
    }

    /// The relative standard deviation of the share over a period: the average of independent weeks, plus the error of the
    /// share. It is a median, whose variance is π/2 times that of an average.
    fn deviation(&self, week: f64, days: f64) -> f64 {
        let window = count(WINDOW);
        let weeks = week * week * (window / days.max(1.0) + FRAC_PI_2 * window / (self.days + PRIOR_DAYS));
        (weeks + self.bias).sqrt()
    }
}

/// Whether use changes with the running time of the schedule from day to day.
pub(super) fn follow_schedule(days: &[Day]) -> bool {
    let from_schedule = DELAYS
        .map(|delay| squared_deviations(days, |it| it.planned + delay * (it.planned_the_day_before - it.planned)))
        .into_iter()
        .fold(f64::INFINITY, f64::min);
    let from_equal_use = squared_deviations(days, |_| 1.0);
    let mean_use = days.iter().map(|day| day.used).sum::<f64>() / count(days.len());
    let negligible = count(days.len()) * (NEGLIGIBLE * mean_use).powi(2);
    from_schedule <= negligible || from_equal_use >= AGAINST_SCHEDULE * from_schedule
}

/// How far the days are from the use that the same share of the expected hours would give.
fn squared_deviations(days: &[Day], expected: impl Fn(&Day) -> f64) -> f64 {
    let (expected_hours, used) =
        days.iter().fold((0.0, 0.0), |(hours, used), day| (hours + expected(day), used + day.used));
    if expected_hours <= 0.0 {
        return f64::INFINITY;
    }
    days.iter().map(|day| (day.used - expected(day) * used / expected_hours).powi(2)).sum()
}

fn share_of(days: &[Day]) -> Option<f64> {
    let (planned, used) = days.iter().fold((0.0, 0.0), |(planned, used), day| (planned + day.planned, used + day.used));
    (planned > 0.0).then_some(used / planned)
}

/// The median of sorted numbers, or 0.
fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        odd if odd % 2 == 1 => sorted[middle],
        _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}

#[expect(clippy::cast_precision_loss, reason = "at most 56")]
fn count(number: usize) -> f64 {
    number as f64
}
