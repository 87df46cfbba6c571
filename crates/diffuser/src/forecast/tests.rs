use std::sync::LazyLock;

use jiff::civil::date;
use proptest::prelude::*;

use super::*;
use crate::schedule::arbitrary;
use crate::{Days, Frame, TimeOfDay};

/// A Monday.
const NOW: &str = "2026-03-02T00:00:00Z";

/// A device that can be described by its differences from a usual one: AQ380 with 500 mL at 0.5 mL an hour, from 8 to 18 every day
/// in UTC, half full.
#[derive(Debug, Clone)]
struct Device {
    configuration: SystemConfiguration,
    fragrance: Option<Fragrance>,
    cartridge_life_hours: Option<f64>,
    mode: Option<Mode>,
    schedule: Option<Schedule>,
    time_zone: TimeZone,
    plan_since: Option<Timestamp>,
    usual_share: Option<f64>,
    daily_use: DailyUse,
    offline_since: Option<Timestamp>,
}

impl Default for Device {
    fn default() -> Self {
        Self {
            configuration: SystemConfiguration::Aq380,
            fragrance: Some(fragrance(Some(0.4), 0.8)),
            cartridge_life_hours: Some(500.0),
            mode: Some(Mode::Run),
            schedule: Some(every_day(8, 18)),
            time_zone: TimeZone::UTC,
            plan_since: None,
            usual_share: None,
            daily_use: DailyUse::default(),
            offline_since: None,
        }
    }
}

impl Device {
    fn input(&self) -> ForecastInput<'_> {
        ForecastInput {
            configuration: &self.configuration,
            fragrance: self.fragrance.as_ref(),
            cartridge_life_hours: self.cartridge_life_hours,
            mode: self.mode,
            schedule: self.schedule.as_ref(),
            time_zone: &self.time_zone,
            plan_since: self.plan_since,
            usual_share: self.usual_share,
            daily_use: &self.daily_use,
            offline_since: self.offline_since,
            now: now(),
        }
    }

    fn forecast(&self) -> Result<Forecast, NoForecast> {
        self.input().forecast()
    }
}

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

fn in_days(days: i64) -> Timestamp {
    now() + DAY * i32::try_from(days).unwrap()
}

fn fragrance(flow: Option<f64>, density: f64) -> Fragrance {
    let flow = [flow; SystemConfiguration::ALL.len()];
    Fragrance { name: "Fig".to_owned(), sku: "F-1".to_owned(), density, flow }
}

fn every_day(start: u8, end: u8) -> Schedule {
    on_days(Days::AllDays, start, end)
}

fn on_days(days: Days, start: u8, end: u8) -> Schedule {
    let (start, stop) = (TimeOfDay::new(start, 0).unwrap(), TimeOfDay::new(end - 1, 59).unwrap());
    [Frame { active: true, days, intensity: 20, start, stop }].into_iter().collect()
}

/// Running hours on the days before now, the last one yesterday.
fn used(hours: &[f64]) -> DailyUse {
    let mut daily_use = DailyUse::default();
    let mut life = 0.0;
    let mut at = in_days(-i64::try_from(hours.len()).unwrap());
    // The first day is known only if the readings began before it.
    daily_use.record(at - SignedDuration::from_secs(1), life);
    for hours in hours {
        at += DAY;
        life += hours;
        daily_use.record(at, life);
    }
    daily_use
}

fn days_ahead(at: Timestamp) -> f64 {
    at.duration_since(now()).as_secs_f64() / DAY.as_secs_f64()
}

#[test]
fn schedule_and_level_give_the_dates() {
    let forecast = Device::default().forecast().unwrap();
    // 1000 running hours, 500 of them left, 300 until 20 percent; 10 a day, from 8 to 18.
    assert_eq!(forecast.empty.median, "2026-04-20T18:00Z".parse().unwrap());
    assert_eq!(forecast.low.unwrap().median, "2026-03-31T18:00Z".parse().unwrap());
    assert!((forecast.ml_per_week - 70.0 * 0.5).abs() < 1e-9);
    assert_eq!((forecast.basis, forecast.share), (ForecastBasis::Schedule, Some(1.0)));
    assert!(forecast.empty.earliest < forecast.empty.median && Some(forecast.empty.median) < forecast.empty.latest);
}

#[test]
fn every_configuration_has_its_cartridge() {
    for configuration in SystemConfiguration::ALL {
        let ml = configuration.cartridge_ml().unwrap();
        let device =
            Device { configuration, cartridge_life_hours: Some(0.0), mode: Some(Mode::AllDay), ..Device::default() };
        // At half a millilitre an hour.
        let days = f64::from(ml) / 0.5 / 24.0;
        assert!((days_ahead(device.forecast().unwrap().empty.median) - days).abs() < 1e-3, "{ml}");
    }
}

#[test]
fn clock_changes_are_counted() {
    // The night from 1 to 4 has two hours on 29 March, and four on 25 October.
    let night = |hours_left: f64| Device {
        schedule: Some(every_day(1, 4)),
        time_zone: TimeZone::get("Europe/Paris").unwrap(),
        cartridge_life_hours: Some(1000.0 - hours_left),
        ..Device::default()
    };
    let local = |year, month, day, hour| {
        date(year, month, day).at(hour, 0, 0, 0).to_zoned(TimeZone::get("Europe/Paris").unwrap()).unwrap().timestamp()
    };
    // 2 to 29 March are 28 nights.
    assert_eq!(night(27.0 * 3.0 + 2.0).forecast().unwrap().empty.median, local(2026, 3, 29, 4));
    assert_eq!(night(28.0 * 3.0 + 2.0).forecast().unwrap().empty.median, local(2026, 3, 30, 4));
    // 2 March to 25 October are 238 nights.
    assert_eq!(night(236.0 * 3.0 + 2.0 + 4.0).forecast().unwrap().empty.median, local(2026, 10, 25, 4));
}

#[test]
fn missing_facts_are_named() {
    let usual = Device::default;
    let since = in_days(-29);
    let rows = [
        (Device { configuration: "AQ9999".into(), ..usual() }, NoForecast::UnknownCartridge),
        (Device { fragrance: None, ..usual() }, NoForecast::NoFragrance),
        (Device { fragrance: Some(fragrance(None, 0.8)), ..usual() }, NoForecast::NoFlow),
        (Device { fragrance: Some(fragrance(Some(0.0), 0.8)), ..usual() }, NoForecast::NoFlow),
        (Device { fragrance: Some(fragrance(Some(0.4), 0.0)), ..usual() }, NoForecast::NoFlow),
        (Device { fragrance: Some(fragrance(Some(f64::NAN), 0.8)), ..usual() }, NoForecast::NoFlow),
        (Device { fragrance: Some(fragrance(Some(-0.4), 0.8)), ..usual() }, NoForecast::NoFlow),
        (Device { cartridge_life_hours: None, ..usual() }, NoForecast::UnknownLevel),
        (Device { cartridge_life_hours: Some(f64::NAN), ..usual() }, NoForecast::UnknownLevel),
        (Device { cartridge_life_hours: Some(-1.0), ..usual() }, NoForecast::UnknownLevel),
        (Device { cartridge_life_hours: Some(1000.0), ..usual() }, NoForecast::Empty),
        (Device { offline_since: Some(since), ..usual() }, NoForecast::OfflineSince(since)),
        (Device { mode: Some(Mode::Off), ..usual() }, NoForecast::Off),
        (Device { mode: Some(Mode::Two), daily_use: used(&[10.0; 30]), ..usual() }, NoForecast::Off),
        (Device { schedule: Some(Schedule::default()), ..usual() }, NoForecast::EmptySchedule),
        (Device { schedule: None, ..usual() }, NoForecast::UnknownUse),
        (Device { mode: None, daily_use: used(&[10.0; 6]), ..usual() }, NoForecast::UnknownUse),
        (Device { mode: None, daily_use: used(&[0.0; 9]), ..usual() }, NoForecast::NoUse),
        (Device { fragrance: Some(fragrance(Some(0.001), 0.8)), ..usual() }, NoForecast::TooFarAhead),
    ];
    for (device, reason) in rows {
        assert_eq!(device.forecast(), Err(reason), "{device:?}");
    }
}

#[test]
fn level_below_20_percent_has_only_the_date_of_an_empty_cartridge() {
    for (hours, low) in [(799.0, true), (800.0, false), (999.0, false)] {
        let forecast = Device { cartridge_life_hours: Some(hours), ..Device::default() }.forecast().unwrap();
        assert_eq!(forecast.low.is_some(), low, "{hours}");
    }
}

#[test]
fn recent_use_corrects_the_schedule() {
    // Half of the scheduled hours.
    let device = Device { daily_use: used(&[5.0; 55]), ..Device::default() };
    let forecast = device.forecast().unwrap();
    assert_eq!(forecast.basis, ForecastBasis::Both);
    assert!((0.5..0.55).contains(&forecast.share.unwrap()), "{forecast:?}");
    assert!((93.0..100.0).contains(&days_ahead(forecast.empty.median)), "{forecast:?}");
}

#[test]
fn one_outage_or_holiday_hardly_changes_the_date_but_widens_the_interval() {
    let steady = Device { daily_use: used(&[10.0; 50]), ..Device::default() }.forecast().unwrap();
    let mut days = [10.0; 50];
    days[20..30].fill(0.0);
    let holiday = Device { daily_use: used(&days), ..Device::default() }.forecast().unwrap();
    assert!((days_ahead(holiday.empty.median) - days_ahead(steady.empty.median)).abs() < 0.5);
    assert!(holiday.empty.latest > steady.empty.latest);
}

#[test]
fn history_counts_alone_if_the_schedule_is_unknown_or_not_followed() {
    let daily_use = used(&[6.0; 30]);
    let unknown = Device { schedule: None, daily_use: daily_use.clone(), ..Device::default() };
    let not_followed = Device { schedule: Some(on_days(Days::Monday, 0, 24)), daily_use, ..Device::default() };
    for device in [unknown, not_followed] {
        let forecast = device.forecast().unwrap();
        assert_eq!((forecast.basis, forecast.share), (ForecastBasis::History, None));
        assert!((days_ahead(forecast.empty.median) - 500.0 / 6.0).abs() < 0.1, "{forecast:?}");
        assert!((forecast.ml_per_week - 6.0 * 7.0 * 0.5).abs() < 1e-6);
    }
}

#[test]
fn device_that_reports_once_a_day_is_seen_to_follow_its_schedule() {
    let schedules = [every_day(9, 21), on_days(Days::Weekdays, 10, 19), on_days(Days::WeekendDays, 18, 24)];
    for schedule in schedules {
        for zone in ["UTC", "America/New_York", "Australia/Sydney"].map(|name| TimeZone::get(name).unwrap()) {
            for hour in 0..24 {
                let device = Device {
                    daily_use: reported_once_a_day(&schedule, &zone, hour),
                    schedule: Some(schedule.clone()),
                    time_zone: zone.clone(),
                    ..Device::default()
                };
                let forecast = ForecastInput { now: AUTUMN.parse().unwrap(), ..device.input() }.forecast().unwrap();
                assert_eq!(forecast.basis, ForecastBasis::Both, "{schedule} {zone:?} {hour}");
            }
        }
    }
}

/// Weeks after clocks changed in New York and Sydney.
const AUTUMN: &str = "2026-11-20T00:00:00Z";

/// Two months of a device that follows its schedule, and reports at this hour of UTC what it has used since the day before. If that
/// is nothing, it reports nothing.
fn reported_once_a_day(schedule: &Schedule, zone: &TimeZone, hour: i64) -> DailyUse {
    const QUARTER: SignedDuration = SignedDuration::from_mins(15);
    let end: Timestamp = AUTUMN.parse().unwrap();
    let mut at = end - DAY * 61 + SignedDuration::from_hours(hour);
    let mut daily_use = DailyUse::default();
    let (mut life, mut reported) = (0.0, None);
    while at < end {
        if reported != Some(life) {
            daily_use.record(at, life);
            reported = Some(life);
        }
        for _ in 0..24 * 4 {
            life += f64::from(u8::from(schedule.running(at, zone).is_some())) / 4.0;
            at += QUARTER;
        }
    }
    daily_use
}

#[test]
fn days_under_another_schedule_do_not_count() {
    let daily_use = used(&[4.0; 40]);
    let changed = Device { plan_since: Some(in_days(0)), daily_use: daily_use.clone(), ..Device::default() };
    assert_eq!(changed.forecast(), Device::default().forecast());
    // Unlike days under the same one, before a change that was undone.
    let undone = Device { plan_since: Some(in_days(0)), daily_use: used(&[9.0; 40]), ..Device::default() };
    assert_eq!(undone.forecast().unwrap().basis, ForecastBasis::Both);
}

#[test]
fn offline_device_may_be_running_or_not() {
    let offline = Device { offline_since: Some(in_days(-5)), ..Device::default() }.forecast().unwrap();
    let online = Device::default().forecast().unwrap();
    let five_days = SignedDuration::from_hours(5 * 24);
    assert_eq!(offline.empty.median, online.empty.median - five_days);
    assert_eq!(offline.empty.earliest, online.empty.earliest - five_days);
    assert!((days_ahead(offline.empty.latest.unwrap()) - days_ahead(online.empty.latest.unwrap())).abs() < 1.0);
}

#[test]
fn date_that_passed_while_the_device_was_offline_is_no_forecast() {
    // Half a cartridge lasts 50 days, and the rest of 45 hours less than five.
    for (hours, days, expected) in [
        (500.0, 28, Ok(())),
        (500.0, 29, Err(false)),
        (500.0, 49, Err(false)),
        (500.0, 50, Err(true)),
        (955.0, 4, Ok(())),
        (955.0, 5, Err(true)),
        (955.0, 400, Err(true)),
    ] {
        let since = in_days(-days);
        let device = Device { offline_since: Some(since), cartridge_life_hours: Some(hours), ..Device::default() };
        let reason = |passed| if passed { NoForecast::PassedOffline(since) } else { NoForecast::OfflineSince(since) };
        let forecast = device.forecast();
        assert_eq!(forecast.map(|_| ()), expected.map_err(reason), "{hours} {days}");
        let dates = forecast.iter().flat_map(|it| [Some(it.empty), it.low]).flatten();
        let course = device.input().course([80, 60, 40, 20, 4, 3, 2, 1, 0]);
        assert_eq!(course.as_ref().map(|_| ()), forecast.as_ref().map(|_| ()));
        for date in dates.chain(course.into_iter().flatten().map(|(_, date)| date)) {
            assert!(now() <= date.earliest && date.earliest <= date.median, "{hours} {days}");
        }
    }
}

#[test]
fn day_on_which_a_cartridge_became_empty_follows_from_its_use() {
    // An AQ380 is at 0 percent after 995 hours.
    let since = |hours: f64, used_on_days: &[f64]| {
        let daily_use = used(used_on_days);
        let device = Device { cartridge_life_hours: Some(hours), daily_use, ..Device::default() };
        device.input().empty_since().map(|since| since.to_string())
    };
    assert_eq!(since(994.9, &[10.0; 30]), None);
    assert_eq!(since(1000.0, &[10.0; 30]).as_deref(), Some("2026-03-01T12:00:00Z"));
    assert_eq!(since(1017.5, &[10.0; 30]).as_deref(), Some("2026-02-27T18:00:00Z"));
    assert_eq!(since(1007.5, &[10.0, 10.0, 10.0, 0.0, 0.0]).as_deref(), Some("2026-02-26T18:00:00Z"));
    // Longer than the days that are known.
    assert_eq!(since(5000.0, &[10.0, 10.0]).as_deref(), Some("2026-02-28T00:00:00Z"));
    assert_eq!(since(1000.0, &[]).as_deref(), Some("2026-03-01T23:59:59Z"));
}

#[test]
fn forecast_with_other_settings_agrees_with_the_forecast_after_the_change() {
    let device = Device { daily_use: used(&[7.5; 40]), ..Device::default() };
    let schedule = on_days(Days::Weekdays, 6, 20);
    let before = device.forecast().unwrap();
    let expected = device.input().forecast_with(Some(Mode::Run), Some(&schedule));
    let after =
        Device { schedule: Some(schedule), plan_since: Some(now()), usual_share: before.share, ..device.clone() };
    assert_eq!(expected, after.forecast());
    // Three quarters of the scheduled time, as before.
    let share = expected.unwrap().ml_per_week / (14.0 * 5.0 * 0.5);
    assert!((0.74..0.8).contains(&share), "{share}");
    assert_eq!(device.input().forecast_with(Some(Mode::Off), None), Err(NoForecast::Off));
}

#[test]
fn course_passes_the_dates_of_the_forecast() {
    let device = Device { daily_use: used(&[7.5; 40]), ..Device::default() };
    let forecast = device.forecast().unwrap();
    assert!((device.input().level().unwrap() - 50.0).abs() < 1e-9);
    let course = device.input().course([60, 50, 40, 20, 0]).unwrap();
    let percents: Vec<u8> = course.iter().map(|(percent, _)| *percent).collect();
    assert_eq!(percents, [40, 20, 0], "only those below the present level");
    assert_eq!((Some(course[1].1), course[2].1), (forecast.low, forecast.empty));
    assert!(course.is_sorted_by_key(|(_, date)| date.median));
    let off = Device { mode: Some(Mode::Off), ..device };
    assert_eq!(off.input().course([0]), Err(NoForecast::Off));
    assert_eq!(Device { cartridge_life_hours: None, ..off }.input().level(), Err(NoForecast::UnknownLevel));
}

#[test]
fn intensity_fan_and_off_cycle_have_no_effect() {
    let device = Device { daily_use: used(&[7.5; 40]), ..Device::default() };
    let stronger: Schedule =
        device.schedule.as_ref().unwrap().frames().map(|(_, frame)| Frame { intensity: 50, ..*frame }).collect();
    assert_eq!(device.input().forecast_with(Some(Mode::Run), Some(&stronger)), device.forecast());
    assert_eq!(crate::Setting::ALL.map(crate::Setting::affects_use), [true, false, false, false]);
}

/// All time zones.
static ZONES: LazyLock<Vec<String>> = LazyLock::new(|| jiff::tz::db().available().map(|it| it.to_string()).collect());

prop_compose! {
    fn daily_use()(
        hours in prop::collection::vec(prop_oneof![3 => Just(None), 20 => (0.0..24.0).prop_map(Some)], 0..60),
        even in prop::option::of(0.0..24.0),
    ) -> DailyUse {
        let hours: Vec<f64> = hours.into_iter().map(|it| even.or(it).unwrap_or(0.0)).collect();
        used(&hours)
    }
}

prop_compose! {
    fn device()(
        configuration in prop_oneof![
            (0..SystemConfiguration::ALL.len()).prop_map(|it| SystemConfiguration::ALL[it].clone()),
            Just("AQ9999".into()),
        ],
        fragrance in prop::option::weighted(0.95, (prop::option::weighted(0.95, prop_oneof![8 => 0.01..5.0, 1 => any::<f64>()]), prop_oneof![8 => 0.5..1.5, 1 => any::<f64>()])),
        cartridge_life_hours in prop::option::weighted(0.95, prop_oneof![8 => 0.0..3000.0, 1 => any::<f64>()]),
        mode in prop::option::weighted(0.95, prop_oneof![Just(Mode::Run), (0..4usize).prop_map(|it| Mode::ALL[it])]),
        schedule in prop::option::weighted(0.9, arbitrary::schedule()),
        time_zone in prop::sample::select(ZONES.as_slice()),
        plan_since in prop::option::of(-60i64..10),
        usual_share in prop::option::of(prop_oneof![8 => 0.0..2.0, 1 => any::<f64>()]),
        daily_use in daily_use(),
        offline_since in prop::option::weighted(0.3, -40i64..3),
    ) -> Device {
        Device {
            configuration,
            fragrance: fragrance.map(|(flow, density)| super::tests::fragrance(flow, density)),
            cartridge_life_hours,
            mode,
            schedule,
            time_zone: TimeZone::get(&time_zone).unwrap(),
            plan_since: plan_since.map(in_days),
            usual_share,
            daily_use,
            offline_since: offline_since.map(in_days),
        }
    }
}

/// Dates are whole seconds.
const SECOND: SignedDuration = SignedDuration::from_secs(1);

proptest! {
    #[test]
    fn intervals_hold_their_medians_and_20_percent_come_before_0(device in device()) {
        if let Ok(Forecast { low, empty, ml_per_week, share, .. }) = device.forecast() {
            for date in [low, Some(empty)].into_iter().flatten() {
                prop_assert!(date.earliest <= date.median);
                prop_assert!(date.latest.is_none_or(|latest| date.median <= latest));
            }
            if let Some(low) = low {
                prop_assert!(low.earliest <= empty.earliest + SECOND && low.median <= empty.median);
                prop_assert!(empty.latest.is_none_or(|empty| low.latest.is_some_and(|low| low <= empty)));
            }
            prop_assert!(ml_per_week.is_finite() && ml_per_week > 0.0);
            prop_assert!(share.is_none_or(|share| share > 0.0));
        }
    }

    #[test]
    fn less_running_time_gives_a_later_date(device in device(), hours in 1u8..24, fewer in 1u8..24) {
        let on = |hours: u8| Device {
            mode: Some(Mode::Run),
            schedule: Some(every_day(0, hours)),
            daily_use: DailyUse::default(),
            ..device.clone()
        };
        if let (Ok(more), Ok(less)) = (on(hours).forecast(), on(fewer.min(hours)).forecast()) {
            prop_assert!(more.empty.median <= less.empty.median + SECOND);
            prop_assert!(less.ml_per_week <= more.ml_per_week + 1e-9);
        }
    }

    #[test]
    fn less_recent_use_gives_a_later_date(device in device(), hours in prop::collection::vec(0.0..12.0, 0..56), part in 0.1..1.0) {
        let with = |part: f64| Device {
            daily_use: used(&hours.iter().map(|it| it * part).collect::<Vec<_>>()),
            plan_since: None,
            ..device.clone()
        };
        if let (Ok(more), Ok(less)) = (with(1.0).forecast(), with(part).forecast()) {
            // Whether the schedule is followed may depend on rounding.
            prop_assume!(more.basis == less.basis);
            // Use is recorded in hundredths of an hour.
            let tolerance = (more.empty.median.duration_since(now()).abs() / 20).max(SignedDuration::from_hours(24));
            prop_assert!(more.empty.median <= less.empty.median + tolerance);
        }
    }

    #[test]
    fn less_use_of_the_cartridge_gives_a_later_date(device in device(), life in 0.0..1000.0, less in 0.0..1000.0) {
        let at = |life: f64| Device { cartridge_life_hours: Some(life), ..device.clone() }.forecast();
        if let (Ok(fuller), Ok(emptier)) = (at(f64::min(life, less)), at(life)) {
            prop_assert!(emptier.empty.median <= fuller.empty.median);
            prop_assert!(emptier.empty.earliest <= fuller.empty.earliest + SECOND);
        }
    }

    #[test]
    fn other_settings_are_answered_like_the_forecast(device in device(), mode in 0..4usize, schedule in arbitrary::schedule()) {
        let (mode, schedule) = (Some(Mode::ALL[mode]), Some(schedule));
        let before = device.forecast();
        let expected = device.input().forecast_with(mode, schedule.as_ref());
        let same = WeeklyRunning::new(mode, schedule.as_ref()) == WeeklyRunning::new(device.mode, device.schedule.as_ref());
        let after = match same {
            true => device.clone(),
            false => Device {
                mode,
                schedule,
                plan_since: Some(now()),
                usual_share: before.ok().and_then(|it| it.share).or(device.usual_share),
                ..device.clone()
            },
        };
        prop_assert_eq!(expected, after.forecast());
    }
}
