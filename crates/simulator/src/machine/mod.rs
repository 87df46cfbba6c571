//! What a diffuser does when something happens or time passes. Pure: it is told the time, and answers what to send.

#[cfg(test)]
mod tests;

use std::time::Duration;

use diffuser::properties as names;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::hours::Hours;
use crate::running::Running;
use crate::state::State;
use crate::wire::{Ack, Command, DeviceInfo, Report, Values};

/// Between two reports of the lives while nothing else happens.
pub(crate) const LIFE_REPORT_INTERVAL: Duration = Duration::from_mins(15);
/// A clock that is so near is left alone: the cloud's word is in whole seconds, and was on its way for a while.
const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_secs(2);

/// What a diffuser meets.
#[derive(Debug, Clone)]
pub(crate) enum Input {
    /// The cloud let it in, and knows nothing.
    Connected,
    Command(Command),
    /// What the cloud says of place and time; `None` where it does not know.
    Settings {
        time_zone: Option<TimeZone>,
        time: Option<Timestamp>,
    },
    /// Nothing but time.
    Time,
    /// The last rng to tell.
    Leaving,
}

/// What it sends then.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Effect {
    Ack(Ack),
    Report(Report),
}

/// A diffuser in time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Machine {
    state: State,
    /// How far the cloud's clock is ahead of the one that it is told the time from.
    ahead: SignedDuration,
    /// What it has done since `counted`, and does until `change_at`.
    running: Option<Running>,
    counted: Timestamp,
    change_at: Option<Timestamp>,
    lives_at: Timestamp,
    /// What the cloud was last told of each life.
    last_reported: [Hours; 3],
}

impl Machine {
    /// Powered at `now`. It reports its lives after `first_lives` for the first time, so that a fleet does not speak at once.
    pub(crate) fn new(state: State, now: Timestamp, first_lives: Duration) -> Self {
        let last_reported = state.lives().map(|(_, hours)| hours);
        let lives_at = later(now, first_lives);
        let ahead = SignedDuration::ZERO;
        let mut machine = Self { state, ahead, running: None, counted: now, change_at: None, lives_at, last_reported };
        machine.update_running(now);
        machine
    }

    #[cfg(test)]
    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    pub(crate) fn running(&self) -> Option<Running> {
        self.running
    }

    /// When it has something to do by itself.
    pub(crate) fn due(&self) -> Timestamp {
        self.change_at.map_or(self.lives_at, |change| change.min(self.lives_at))
    }

    pub(crate) fn step(&mut self, input: Input, now: Timestamp) -> Vec<Effect> {
        let before = self.running;
        self.advance(now);
        let mut effects = Vec::new();
        let mut report = Values::new();
        let mut info = None;
        let mut lives_due = now >= self.lives_at;
        match input {
            Input::Time => {}
            Input::Leaving => lives_due = true,
            Input::Connected => {
                report = self.state.values();
                report.insert(names::CURRENT_SCHEDULE_RUNNING, self.frame().into());
                info = Some(DeviceInfo { sw_version: self.state.sw_version.clone(), lan_ip: self.state.lan_ip });
            }
            Input::Command(Command { id, property, value }) => {
                let known = self.state.values();
                match self.state.apply_command(&property, &value) {
                    Ok(()) => {
                        effects.push(Effect::Ack(Ack::done(id)));
                        report = self.state.values();
                        report.retain(|name, value| *name == property || known.get(name) != Some(value));
                        self.update_running(now);
                    }
                    Err(why) => effects.push(Effect::Ack(Ack::refused(id, why))),
                }
            }
            Input::Settings { time_zone, time } => {
                if let Some(time_zone) = time_zone {
                    self.state.time_zone = time_zone;
                }
                if let Some(time) = time
                    && time.duration_since(shifted(now, self.ahead)).abs() > CLOCK_TOLERANCE
                {
                    self.ahead = time.duration_since(now);
                }
                self.update_running(now);
            }
        }
        if frame(before) != self.frame() {
            report.insert(names::CURRENT_SCHEDULE_RUNNING, self.frame().into());
        }
        if lives_due || before.is_some() != self.running.is_some() {
            report.extend(self.unreported_lives());
        }
        while self.lives_at <= now {
            self.lives_at = later(self.lives_at, LIFE_REPORT_INTERVAL);
        }
        if !report.is_empty() {
            self.mark_reported(&report);
            effects.push(Effect::Report(Report { properties: report, info }));
        }
        effects
    }

    /// Lets time pass up to `now`, with each change in it at its own instant: the lives do not depend on when it is told.
    fn advance(&mut self, now: Timestamp) {
        while let Some(change) = self.change_at.filter(|change| *change <= now) {
            self.count(change);
            self.update_running(change);
        }
        if now < self.counted {
            // Its clock was set back. No life falls, and the schedule follows the clock.
            self.counted = now;
            self.lives_at = self.lives_at.min(later(now, LIFE_REPORT_INTERVAL));
            self.update_running(now);
        }
        self.count(now);
    }

    fn count(&mut self, until: Timestamp) {
        let time = until.duration_since(self.counted).unsigned_abs();
        self.counted = until;
        self.state.appliance_life.count(time);
        if self.running.is_some() {
            self.state.pump_life.count(time);
            self.state.cartridge_life.count(time);
        }
    }

    fn update_running(&mut self, now: Timestamp) {
        let (running, change) = self.state.running_until(shifted(now, self.ahead));
        self.running = running;
        // A change that is not in the future could only come from the end of all time.
        self.change_at = change.map(|change| shifted(change, -self.ahead)).filter(|change| *change > now);
    }

    fn frame(&self) -> u8 {
        frame(self.running)
    }

    fn unreported_lives(&self) -> impl Iterator<Item = (&'static str, Value)> {
        let lives = self.last_reported.into_iter().zip(self.state.lives());
        lives
            .filter(|(reported, (_, hours))| reported.hundredths() != hours.hundredths())
            .map(|(_, (name, hours))| (name, hours.get().into()))
    }

    fn mark_reported(&mut self, report: &Values) {
        for (reported, (name, hours)) in self.last_reported.iter_mut().zip(self.state.lives()) {
            if report.contains_key(name) {
                *reported = hours;
            }
        }
    }
}

/// As the property has it: 0 is none.
fn frame(running: Option<Running>) -> u8 {
    running.and_then(|running| running.frame).unwrap_or(0)
}

fn later(at: Timestamp, by: Duration) -> Timestamp {
    at.saturating_add(by).unwrap_or(Timestamp::MAX)
}

fn shifted(at: Timestamp, by: SignedDuration) -> Timestamp {
    at.saturating_add(by).unwrap_or(at)
}
