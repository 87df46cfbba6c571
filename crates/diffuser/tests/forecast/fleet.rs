//! A simulated fleet, minute by minute. It shares no formula with the forecast: pumps run when a table of the minutes of a week says
//! so, and nobody knows in advance when something happens to a device.

use diffuser::forecast::DailyUse;
use diffuser::{Days, Fragrance, Frame, Mode, Schedule, SystemConfiguration, TimeOfDay};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

pub(crate) const DAYS: u32 = 180;
/// The clocks of Paris, New York and Sydney change within the simulated time.
const START: &str = "2026-01-15T00:00:00Z";
const ZONES: [&str; 5] =
    ["Europe/Paris", "America/New_York", "Australia/Sydney", "Asia/Kathmandu", "America/Sao_Paulo"];
const MINUTES_PER_DAY: u32 = 24 * 60;
const MINUTES_PER_WEEK: usize = 7 * 24 * 60;

/// What happens to a device, besides lost connections and short power cuts, which happen to all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scenario {
    /// Nothing else.
    Steady,
    /// It is unplugged for up to a day and a half, about once a week.
    Outages,
    /// People switch it off, or to 24/7, for hours or days.
    ByHand,
    /// It is off on single days, and once or twice for one or two weeks.
    Holidays,
    /// Its counter is reported in steps of four hours.
    Steps,
    /// It runs for only a part of its time, which differs from device to device and from day to day.
    OwnRhythm,
    /// Its schedule is replaced by another one.
    NewSchedule,
}

impl Scenario {
    pub(crate) const ALL: [Self; 7] =
        [Self::Steady, Self::Outages, Self::ByHand, Self::Holidays, Self::Steps, Self::OwnRhythm, Self::NewSchedule];
}

/// A device with everything that was known about it at each midnight of UTC, and when its cartridges were empty.
pub(crate) struct Device {
    pub(crate) scenario: Scenario,
    pub(crate) configuration: SystemConfiguration,
    pub(crate) fragrance: Fragrance,
    pub(crate) zone: TimeZone,
    pub(crate) nights: Vec<Night>,
    pub(crate) ran_dry: Vec<Timestamp>,
}

/// What was known at midnight.
pub(crate) struct Night {
    pub(crate) at: Timestamp,
    /// As last reported.
    pub(crate) cartridge_life_hours: f64,
    /// When the present cartridge was put in.
    pub(crate) refilled_at: Timestamp,
    pub(crate) mode: Mode,
    pub(crate) schedule: Schedule,
    pub(crate) plan_since: Option<Timestamp>,
    pub(crate) daily_use: DailyUse,
    pub(crate) offline_since: Option<Timestamp>,
}

/// Devices of all scenarios in turn.
pub(crate) fn simulate(seed: u64, devices: usize) -> impl Iterator<Item = Device> {
    (0..devices).map(move |number| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_mul(1_000_003).wrapping_add(number as u64));
        Simulation::new(Scenario::ALL[number % Scenario::ALL.len()], &mut rng).run(&mut rng)
    })
}

struct Simulation {
    scenario: Scenario,
    configuration: SystemConfiguration,
    /// Grams an hour; the density is 1.
    flow: f64,
    zone: TimeZone,
    schedule: Schedule,
    /// Whether the schedule runs in each minute of a local week.
    week: Vec<bool>,
    mode: Mode,
    plan_since: Option<Timestamp>,
    /// Minutes of the present cartridge, and those that make it empty.
    life: u32,
    capacity: u32,
    refilled_at: Timestamp,
    refill_at: Option<Timestamp>,
    reported: f64,
    daily_use: DailyUse,
    /// Until when it is without power, without a connection, or in a mode that someone chose.
    unplugged: Option<Timestamp>,
    disconnected: Option<(Timestamp, Timestamp)>,
    by_hand: Option<Timestamp>,
    /// The share of its time that it really runs: on most days, and today.
    duty: f64,
    duty_today: f64,
    new_schedule_on: u32,
}

impl Simulation {
    fn new(scenario: Scenario, rng: &mut Xoshiro256PlusPlus) -> Self {
        let configuration = SystemConfiguration::ALL[rng.random_range(0..SystemConfiguration::ALL.len())].clone();
        let schedule = opening_hours(rng);
        let week = week_of(&schedule);
        let per_day = week.iter().filter(|runs| **runs).count() as f64 / 60.0 / 7.0;
        // A cartridge lasts from three weeks to three months.
        let hours = per_day * rng.random_range(21.0..90.0);
        let start = START.parse().unwrap();
        let capacity = (hours * 60.0) as u32;
        let duty = if scenario == Scenario::OwnRhythm { rng.random_range(0.6..1.0) } else { 1.0 };
        Self {
            scenario,
            flow: f64::from(configuration.cartridge_ml().unwrap()) / hours,
            configuration,
            zone: TimeZone::get(ZONES[rng.random_range(0..ZONES.len())]).unwrap(),
            schedule,
            week,
            mode: Mode::Run,
            plan_since: None,
            life: rng.random_range(0..capacity),
            capacity,
            refilled_at: start,
            refill_at: None,
            reported: 0.0,
            daily_use: DailyUse::default(),
            unplugged: None,
            disconnected: None,
            by_hand: None,
            duty,
            duty_today: duty,
            new_schedule_on: rng.random_range(30..DAYS - 30),
        }
    }

    fn run(mut self, rng: &mut Xoshiro256PlusPlus) -> Device {
        let start: Timestamp = START.parse().unwrap();
        let (mut nights, mut ran_dry) = (Vec::new(), Vec::new());
        let mut offset = 0;
        for minute in 0..DAYS * MINUTES_PER_DAY {
            let at = start + SignedDuration::from_mins(minute.into());
            if minute % 15 == 0 {
                offset = self.zone.to_offset(at).seconds() / 60;
            }
            if minute % MINUTES_PER_DAY == 0 {
                self.begin_day(minute / MINUTES_PER_DAY, at, rng);
            }
            if minute % 60 == 0 {
                self.happen(at, rng);
                self.report(at);
            }
            if minute % MINUTES_PER_DAY == 0 {
                nights.push(self.night(at));
            }
            if self.runs(minute, offset, rng) {
                self.life += 1;
                if self.life == self.capacity {
                    ran_dry.push(at);
                    self.refill_at = Some(at + SignedDuration::from_hours(rng.random_range(1..72)));
                }
            }
        }
        let flow = [Some(self.flow); SystemConfiguration::ALL.len()];
        let fragrance = Fragrance { name: "Fig".to_owned(), sku: "F-1".to_owned(), density: 1.0, flow };
        Device {
            scenario: self.scenario,
            configuration: self.configuration,
            fragrance,
            zone: self.zone,
            nights,
            ran_dry,
        }
    }

    fn runs(&self, minute: u32, offset: i32, rng: &mut Xoshiro256PlusPlus) -> bool {
        let planned = match self.mode {
            Mode::AllDay => true,
            Mode::Run => {
                // The simulation starts on a Thursday.
                let local = minute as i32 + offset + 3 * MINUTES_PER_DAY as i32;
                self.week[local.rem_euclid(MINUTES_PER_WEEK as i32) as usize]
            }
            Mode::Off | Mode::Two => false,
        };
        planned && self.unplugged.is_none() && (self.duty_today >= 1.0 || rng.random_bool(self.duty_today))
    }

    fn begin_day(&mut self, day: u32, at: Timestamp, rng: &mut Xoshiro256PlusPlus) {
        if self.scenario == Scenario::OwnRhythm {
            self.duty_today = (self.duty + rng.random_range(-0.2..0.2)).clamp(0.05, 1.0);
        }
        if self.scenario == Scenario::NewSchedule && day == self.new_schedule_on {
            self.schedule = opening_hours(rng);
            self.week = week_of(&self.schedule);
            self.plan_since = Some(at);
        }
        if self.scenario == Scenario::Holidays && self.by_hand.is_none() {
            let days = match rng.random_range(0..1000) {
                0..8 => rng.random_range(7..14),
                8..40 => 1,
                _ => return,
            };
            self.set_mode(Mode::Off, at, 24 * days);
        }
    }

    /// What happens in an hour.
    fn happen(&mut self, at: Timestamp, rng: &mut Xoshiro256PlusPlus) {
        self.unplugged = self.unplugged.filter(|until| *until > at);
        self.disconnected = self.disconnected.filter(|(_, until)| *until > at);
        if self.by_hand.is_some_and(|until| until <= at) {
            self.by_hand = None;
            (self.mode, self.plan_since) = (Mode::Run, Some(at));
        }
        if self.refill_at.is_some_and(|refill| refill <= at) || self.refilled_early(rng) {
            (self.life, self.refilled_at, self.refill_at) = (0, at, None);
        }
        let per_week = |times: f64| times / (7.0 * 24.0);
        if self.disconnected.is_none() && rng.random_bool(per_week(2.0)) {
            self.disconnected = Some((at, at + SignedDuration::from_hours(rng.random_range(1..10))));
        }
        let (outages, longest) = if self.scenario == Scenario::Outages { (1.0, 36) } else { (0.3, 6) };
        if self.unplugged.is_none() && rng.random_bool(per_week(outages)) {
            let until = at + SignedDuration::from_hours(rng.random_range(1..longest));
            (self.unplugged, self.disconnected) = (Some(until), Some((at, until)));
        }
        match self.scenario {
            Scenario::ByHand if self.by_hand.is_none() && rng.random_bool(per_week(0.25)) => {
                let (mode, hours) = match rng.random_bool(0.6) {
                    true => (Mode::Off, rng.random_range(2..72)),
                    false => (Mode::AllDay, rng.random_range(2..48)),
                };
                self.set_mode(mode, at, hours);
            }
            _ => {}
        }
    }

    /// Somebody who is there anyway refills one cartridge in ten before it is empty.
    fn refilled_early(&self, rng: &mut Xoshiro256PlusPlus) -> bool {
        self.life > self.capacity * 9 / 10 && self.life < self.capacity && rng.random_bool(0.001)
    }

    fn set_mode(&mut self, mode: Mode, at: Timestamp, hours: i64) {
        (self.mode, self.plan_since) = (mode, Some(at));
        self.by_hand = Some(at + SignedDuration::from_hours(hours));
    }

    fn report(&mut self, at: Timestamp) {
        if self.disconnected.is_some() {
            return;
        }
        let minutes = if self.scenario == Scenario::Steps { self.life / 240 * 240 } else { self.life };
        self.reported = f64::from(minutes) / 60.0;
        self.daily_use.record(at, self.reported);
    }

    fn night(&self, at: Timestamp) -> Night {
        Night {
            at,
            cartridge_life_hours: self.reported,
            refilled_at: self.refilled_at,
            mode: self.mode,
            schedule: self.schedule.clone(),
            plan_since: self.plan_since,
            daily_use: self.daily_use.clone(),
            offline_since: self.disconnected.map(|(since, _)| since),
        }
    }
}

/// The opening hours of a shop, a hotel or an office.
fn opening_hours(rng: &mut Xoshiro256PlusPlus) -> Schedule {
    let time = |hour, minute| TimeOfDay::new(hour, minute).unwrap();
    let mut frame = |days, start: std::ops::Range<u8>, stop: std::ops::Range<u8>| Frame {
        active: true,
        days,
        intensity: 20,
        start: time(rng.random_range(start), 15 * rng.random_range(0..4)),
        stop: time(rng.random_range(stop), 15 * rng.random_range(0..4)),
    };
    let shop = [frame(Days::Weekdays, 8..11, 17..21), frame(Days::Saturday, 9..11, 13..19)];
    let hotel = [frame(Days::AllDays, 5..8, 10..13), frame(Days::AllDays, 15..18, 21..24)];
    let office = [frame(Days::Weekdays, 6..9, 16..19)];
    match rng.random_range(0..3) {
        0 => shop.into_iter().collect(),
        1 => hotel.into_iter().collect(),
        _ => office.into_iter().collect(),
    }
}

/// Whether a schedule runs in each minute of a week that begins on a Monday.
fn week_of(schedule: &Schedule) -> Vec<bool> {
    let monday: Timestamp = "2026-01-12T00:00:00Z".parse().unwrap();
    let minute = |minute: usize| monday + SignedDuration::from_mins(minute as i64);
    (0..MINUTES_PER_WEEK).map(|number| schedule.running(minute(number), &TimeZone::UTC).is_some()).collect()
}
