//! When a cartridge runs dry (docs/forecast.md).
//!
//! A cartridge lasts for `size / (flow / density)` running hours. Running hours come from the mode and the weekly schedule in
//! the device's time zone, corrected by the device's own use on recent days. Nothing else enters: the specification has no effect of
//! intensity, fan speed or off-cycle on use, and none is invented here ([`Setting::affects_use`](crate::Setting::affects_use)).

mod daily_use;
mod running_time;
#[cfg(test)]
mod tests;
mod use_rate;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use self::running_time::{RunningTime, WeeklyRunning};
use self::use_rate::{Day, UseRate, follow_schedule};
use crate::{Fragrance, LOW_PRODUCT_PERCENT, Mode, Schedule, SystemConfiguration};

pub use daily_use::{DAYS as DAILY_USE_DAYS, DailyUse};

const DAY: SignedDuration = SignedDuration::from_hours(24);
/// Longer than the days of [`DailyUse`].
const HISTORY: SignedDuration = SignedDuration::from_hours(24 * 60);
/// Dates further ahead are not given.
const HORIZON: SignedDuration = SignedDuration::from_hours(3 * 365 * 24);
/// The level of a device that has been offline for longer is too uncertain.
const MAX_OFFLINE: SignedDuration = SignedDuration::from_hours(28 * 24);
/// Without a schedule, this many days of history are needed.
const MIN_DAYS_WITHOUT_SCHEDULE: usize = 7;
/// A smaller share of the cartridge is 0 percent.
const ROUNDED_TO_ZERO: f64 = 0.005;
/// With this many days, a history that does not follow the schedule replaces it.
const MIN_DAYS_AGAINST_SCHEDULE: usize = 14;
/// Days before the last change of mode or schedule count if their share of the present running time differs by at most this much
/// from the usual one. So they do after a change that was soon undone.
const SAME_PLAN: f64 = 0.25;
/// A usual share out of this range is not one.
const MIN_SHARE: f64 = 0.001;
const MAX_SHARE: f64 = 1000.0;

/// What the forecast of a device needs to know about it.
#[derive(Debug, Clone)]
pub struct ForecastInput<'a> {
    pub configuration: &'a SystemConfiguration,
    /// The device's fragrance in the catalogue.
    pub fragrance: Option<&'a Fragrance>,
    /// The running hours of the cartridge, as last reported.
    pub cartridge_life_hours: Option<f64>,
    pub mode: Option<Mode>,
    pub schedule: Option<&'a Schedule>,
    pub time_zone: &'a TimeZone,
    /// Since when mode and schedule have been as they are, if that is known.
    pub plan_since: Option<Timestamp>,
    /// The [share](Forecast::share) of the forecast before that change, if there was one.
    pub usual_share: Option<f64>,
    pub daily_use: &'a DailyUse,
    /// Since when the device has been offline, unless it is online.
    pub offline_since: Option<Timestamp>,
    pub now: Timestamp,
}

/// When a cartridge will be low and empty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    /// When 20 percent are left; `None` if less is left already.
    pub low: Option<ForecastDate>,
    /// When nothing is left.
    pub empty: ForecastDate,
    /// Expected use in a week without a clock change.
    pub ml_per_week: f64,
    pub basis: ForecastBasis,
    /// The share of the running time of mode and schedule that the device uses, of which 1 is all. `None` if the forecast does
    /// not rely on the schedule.
    pub share: Option<f64>,
}

/// A date that is not past, with its interval: with a probability of 80 percent the true date is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForecastDate {
    pub earliest: Timestamp,
    /// The true date is as likely before as after it.
    pub median: Timestamp,
    /// `None` if it is more than three years ahead.
    pub latest: Option<Timestamp>,
}

/// What the forecast relies on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ForecastBasis {
    /// Mode and schedule; use on recent days is unknown, or was under another schedule.
    Schedule,
    /// Use on recent days; the schedule is unknown, or the device does not follow it.
    History,
    /// Mode and schedule, corrected by use on recent days.
    Both,
}

/// Why there is no forecast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum NoForecast {
    #[error("the cartridge size of this system configuration is unknown")]
    UnknownCartridge,
    #[error("the device has no fragrance of the catalogue")]
    NoFragrance,
    #[error("the catalogue has no flow rate of the fragrance for this system configuration")]
    NoFlow,
    #[error("the level is unknown")]
    UnknownLevel,
    #[error("the cartridge is empty")]
    Empty,
    #[error("the device has been offline since {0}")]
    OfflineSince(Timestamp),
    #[error("the device has been offline since {0}, and was expected to run dry meanwhile")]
    PassedOffline(Timestamp),
    #[error("the device is off")]
    Off,
    #[error("the schedule has no running time")]
    EmptySchedule,
    #[error("the schedule and the use on recent days are unknown")]
    UnknownUse,
    #[error("the device has used nothing on recent days")]
    NoUse,
    #[error("it is more than three years ahead")]
    TooFarAhead,
}

impl ForecastInput<'_> {
    /// When the cartridge is low and empty if mode and schedule stay as they are.
    ///
    /// # Errors
    /// The reason why there is no forecast.
    pub fn forecast(&self) -> Result<Forecast, NoForecast> {
        let since_last_contact = self.forecast_since_last_contact();
        // A device without any level is not one that has run dry since.
        let Some(since) = self.offline_since.filter(|_| self.cartridge().is_ok()) else { return since_last_contact };
        match since_last_contact {
            Ok(Forecast { empty, .. }) if empty.median <= self.now => Err(NoForecast::PassedOffline(since)),
            _ if self.now.duration_since(since) > MAX_OFFLINE => Err(NoForecast::OfflineSince(since)),
            forecast => forecast,
        }
    }

    /// As [`forecast`](Self::forecast) of a device that is online. Of one that is offline, the date may be past.
    fn forecast_since_last_contact(&self) -> Result<Forecast, NoForecast> {
        let (cartridge, (weekly, rate, basis)) = self.outlook()?;
        let course = Course::new(&weekly, rate, self);
        let empty = course.date(cartridge.hours_until(0)).ok_or(NoForecast::TooFarAhead)?;
        let until_low = cartridge.hours_until(LOW_PRODUCT_PERCENT);
        let low = (until_low > 0.0).then(|| course.date(until_low)).flatten().map(|low| low.not_after(&empty));
        let low = low.filter(|low| low.median >= self.now);
        let ml_per_week = weekly.hours_per_week() * rate.share * cartridge.ml_per_hour;
        let share = (basis != ForecastBasis::History).then_some(rate.share);
        Ok(Forecast { low, empty, ml_per_week, basis, share })
    }

    /// When each of these levels, in percent, will be reached. Levels that are not below the present one, those that an offline
    /// device was expected to reach meanwhile and those that are more than three years ahead are left out.
    ///
    /// # Errors
    /// The reason why there is no forecast.
    pub fn course(&self, levels: impl IntoIterator<Item = u8>) -> Result<Vec<(u8, ForecastDate)>, NoForecast> {
        self.forecast()?;
        let (cartridge, (weekly, rate, _)) = self.outlook()?;
        let course = Course::new(&weekly, rate, self);
        let reached = levels.into_iter().filter_map(|percent| {
            let hours = cartridge.hours_until(percent);
            let date = (hours > 0.0).then(|| course.date(hours)).flatten()?;
            (date.median >= self.now).then_some((percent, date))
        });
        Ok(reached.collect())
    }

    /// Since when the level has been 0 percent, to the day; `None` if it is not. If the use of a day is unknown, the cartridge is
    /// known to be empty only since the end of that day.
    pub fn empty_since(&self) -> Option<Timestamp> {
        let used = self.cartridge_life_hours?;
        let size_ml = self.configuration.cartridge_ml()?;
        let mut surplus = used - f64::from(size_ml) / self.ml_per_hour().ok()? * (1.0 - ROUNDED_TO_ZERO);
        if surplus < 0.0 {
            return None;
        }
        let days: Vec<_> = self.daily_use.days().collect();
        let mut until = self.daily_use.last_reading()?;
        let today = days.last().map_or(until, |(start, _)| *start + DAY);
        for (start, used) in std::iter::once((today, self.daily_use.last_day())).chain(days.into_iter().rev()) {
            let Some(used) = used else { break };
            if used > surplus {
                let before = until.duration_since(start).mul_f64(1.0 - surplus / used);
                return Some(start + before);
            }
            surplus -= used;
            until = start;
        }
        Some(until)
    }

    /// The present level in percent, exactly. Of a device that is offline, it is the last one that is known.
    ///
    /// # Errors
    /// The reason why it is unknown.
    pub fn level(&self) -> Result<f64, NoForecast> {
        let cartridge = self.cartridge()?;
        Ok(100.0 * (1.0 - cartridge.used / cartridge.hours))
    }

    /// What the forecast will be if mode and schedule are changed now. A change that leaves the running time as it is changes nothing.
    ///
    /// # Errors
    /// The reason why there will be no forecast.
    pub fn forecast_with(&self, mode: Option<Mode>, schedule: Option<&Schedule>) -> Result<Forecast, NoForecast> {
        let present = self.forecast();
        if self.runs_equally_with(mode, schedule) {
            return present;
        }
        let usual_share = present.ok().and_then(|it| it.share).or(self.usual_share);
        ForecastInput { mode, schedule, plan_since: Some(self.now), usual_share, ..self.clone() }.forecast()
    }

    /// Whether the device runs at the same times with this mode and schedule.
    pub fn runs_equally_with(&self, mode: Option<Mode>, schedule: Option<&Schedule>) -> bool {
        WeeklyRunning::new(mode, schedule) == WeeklyRunning::new(self.mode, self.schedule)
    }

    /// The cartridge, and the use to expect of it.
    fn outlook(&self) -> Result<(Cartridge, (WeeklyRunning, UseRate, ForecastBasis)), NoForecast> {
        let cartridge = self.cartridge()?;
        let expected = self.expected_use()?;
        if expected.1.share <= 0.0 {
            return Err(NoForecast::NoUse);
        }
        Ok((cartridge, expected))
    }

    /// What the device uses in an hour of running, at any intensity.
    ///
    /// # Errors
    /// [`NoForecast::NoFragrance`] and [`NoForecast::NoFlow`].
    pub fn ml_per_hour(&self) -> Result<f64, NoForecast> {
        let fragrance = self.fragrance.ok_or(NoForecast::NoFragrance)?;
        let flow = fragrance.flow(self.configuration).ok_or(NoForecast::NoFlow)?;
        let ml_per_hour = flow / fragrance.density;
        if ml_per_hour.is_normal() && ml_per_hour > 0.0 { Ok(ml_per_hour) } else { Err(NoForecast::NoFlow) }
    }

    fn cartridge(&self) -> Result<Cartridge, NoForecast> {
        let size_ml = self.configuration.cartridge_ml().ok_or(NoForecast::UnknownCartridge)?;
        let ml_per_hour = self.ml_per_hour()?;
        let hours = f64::from(size_ml) / ml_per_hour;
        if !hours.is_normal() {
            return Err(NoForecast::NoFlow);
        }
        let used = self
            .cartridge_life_hours
            .filter(|used| used.is_finite() && *used >= 0.0)
            .ok_or(NoForecast::UnknownLevel)?;
        if used >= hours {
            return Err(NoForecast::Empty);
        }
        Ok(Cartridge { hours, used, ml_per_hour })
    }

    /// The running time to expect, the share of it that the device uses, and what both rely on.
    fn expected_use(&self) -> Result<(WeeklyRunning, UseRate, ForecastBasis), NoForecast> {
        let Some(plan) = WeeklyRunning::new(self.mode, self.schedule) else {
            let always = WeeklyRunning::always();
            let days = self.days(&always, None, 1.0);
            return match days.len() < MIN_DAYS_WITHOUT_SCHEDULE {
                true => Err(NoForecast::UnknownUse),
                false => Ok((always, UseRate::new(&days, None), ForecastBasis::History)),
            };
        };
        if plan.never_runs() {
            return Err(if self.mode == Some(Mode::Run) { NoForecast::EmptySchedule } else { NoForecast::Off });
        }
        let usual_share = self.usual_share.filter(|it| (MIN_SHARE..MAX_SHARE).contains(it)).unwrap_or(1.0);
        let days = self.days(&plan, self.plan_since, usual_share);
        if days.len() >= MIN_DAYS_AGAINST_SCHEDULE && !follow_schedule(&days) {
            let even: Vec<Day> = days.iter().map(|day| Day { planned: 24.0, ..*day }).collect();
            return Ok((WeeklyRunning::always(), UseRate::new(&even, None), ForecastBasis::History));
        }
        let basis = if days.is_empty() { ForecastBasis::Schedule } else { ForecastBasis::Both };
        Ok((plan, UseRate::new(&days, Some(usual_share)), basis))
    }

    /// The days whose use is known, oldest first. Those before `plan_since` count if they are like `plan` with its usual share.
    fn days(&self, plan: &WeeklyRunning, plan_since: Option<Timestamp>, usual_share: f64) -> Vec<Day> {
        let Some((first, _)) = self.daily_use.days().next() else { return Vec::new() };
        let (begin, end) = (first.saturating_sub(DAY), first.saturating_add(HISTORY));
        let time =
            RunningTime::new(plan, self.time_zone, begin.unwrap_or(Timestamp::MIN), end.unwrap_or(Timestamp::MAX));
        let (mut before, mut since) = (Vec::new(), Vec::new());
        let mut planned_until = time.hours_until(first);
        let mut planned = planned_until;
        for (start, used) in self.daily_use.days() {
            let (planned_before, planned_the_day_before) = (planned_until, planned);
            planned_until = time.hours_until(start.saturating_add(DAY).unwrap_or(Timestamp::MAX));
            planned = planned_until - planned_before;
            let Some(used) = used else { continue };
            let days = if plan_since.is_some_and(|since| start < since) { &mut before } else { &mut since };
            days.push(Day { planned, planned_the_day_before, used });
        }
        let alike = (UseRate::new(&before, None).share - usual_share).abs() <= SAME_PLAN;
        if alike {
            before.append(&mut since);
            return before;
        }
        since
    }
}

/// A cartridge, measured in its running hours.
struct Cartridge {
    /// From full to empty.
    hours: f64,
    used: f64,
    ml_per_hour: f64,
}

impl Cartridge {
    /// Running hours until this level; none are left if it has been reached.
    fn hours_until(&self, percent: u8) -> f64 {
        self.hours * (1.0 - f64::from(percent) / 100.0) - self.used
    }
}

/// How a device will run.
struct Course<'a> {
    rate: UseRate,
    /// From the time at which the level was known.
    time: RunningTime<'a>,
    start: Timestamp,
    /// How long the device may have been without power already.
    offline: SignedDuration,
    now: Timestamp,
}

impl<'a> Course<'a> {
    fn new(weekly: &'a WeeklyRunning, rate: UseRate, input: &ForecastInput<'_>) -> Self {
        let start = input.offline_since.unwrap_or(input.now).min(input.now);
        let end = input.now.checked_add(HORIZON).unwrap_or(Timestamp::MAX);
        let time = RunningTime::new(weekly, input.time_zone, start, end);
        Self { rate, time, start, offline: input.now.duration_since(start), now: input.now }
    }

    /// When the device will have run for so many hours; `None` if that is beyond the horizon.
    fn date(&self, hours: f64) -> Option<ForecastDate> {
        let median = self.time.instant(hours / self.rate.share)?;
        let days = median.duration_since(self.start).as_secs_f64() / DAY.as_secs_f64();
        let earliest = self.time.instant(hours / self.rate.high(days)).unwrap_or(median).max(median.min(self.now));
        // Without power it has used nothing.
        let latest = self.time.instant(hours / self.rate.low(days)).and_then(|it| it.checked_add(self.offline).ok());
        Some(ForecastDate { earliest, median, latest })
    }
}

impl ForecastDate {
    fn not_after(self, other: &Self) -> Self {
        Self { latest: self.latest.or(other.latest).map(|it| other.latest.map_or(it, |other| it.min(other))), ..self }
    }
}
