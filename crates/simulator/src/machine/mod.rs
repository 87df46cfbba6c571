//! A diffuser as a pure state machine: each step takes an input and the time, and returns the messages to send.

#[cfg(test)]
mod tests;

use std::time::Duration;

use diffuser::properties as names;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::fault::{Fault, HANG_TIME, MIN_REFILL_HOURS, REFILL_DELAY, REFILL_SHARE};
use crate::state::State;
use crate::state::hours::Hours;
use crate::state::running::Running;
use crate::wire::{Ack, Command, DeviceInfo, PropertyReport, Values};

/// The time between two reports of the life counters while nothing else changes.
pub(crate) const LIFE_REPORT_INTERVAL: Duration = Duration::from_mins(15);
/// Smaller differences from the cloud's clock are ignored, because the cloud sends whole seconds and messages take time.
const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_secs(2);

/// An event that the machine reacts to.
#[derive(Debug, Clone)]
pub(crate) enum Input {
    /// Connected; everything has to be reported.
    Connected,
    Command(Command),
    /// The time zone and time that the cloud sends, if any.
    Settings {
        time_zone: Option<TimeZone>,
        time: Option<Timestamp>,
    },
    /// Time has passed.
    Time,
    /// The connection is about to be closed; unreported life counters are due.
    Leaving,
}

/// A message to send.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Effect {
    Ack(Ack),
    Report(PropertyReport),
}

/// The state of a diffuser, and when it changes next.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Machine {
    state: State,
    fault: Option<Fault>,
    /// Commands that arrived while it hangs, and when it restarts.
    hanging: Option<(Timestamp, Vec<Command>)>,
    refill_at: Option<Timestamp>,
    /// How far the cloud's clock is ahead of the local one.
    ahead: SignedDuration,
    /// Whether and how the pump runs from `counted` to `change_at`.
    running: Option<Running>,
    counted: Timestamp,
    change_at: Option<Timestamp>,
    lives_at: Timestamp,
    /// The last reported value of each life counter.
    last_reported: [Hours; 3],
}

impl Machine {
    /// A machine that is powered on at `now`. The first life report is due after `first_lives`, which spreads the load of a fleet.
    pub(crate) fn new(state: State, fault: Option<Fault>, now: Timestamp, first_lives: Duration) -> Self {
        let last_reported = state.lives().map(|(_, hours)| hours);
        let lives_at = later(now, first_lives);
        let refill_at = (fault == Some(Fault::RefilledWithoutReset)).then(|| later(now, REFILL_DELAY));
        let mut machine = Self {
            state,
            fault,
            hanging: None,
            refill_at,
            ahead: SignedDuration::ZERO,
            running: None,
            counted: now,
            change_at: None,
            lives_at,
            last_reported,
        };
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

    /// The time of the next step without an external input.
    pub(crate) fn due(&self) -> Timestamp {
        let restart_at = self.hanging.as_ref().map(|(restart_at, _)| *restart_at);
        [self.change_at, restart_at, self.refill_at].into_iter().flatten().fold(self.lives_at, Timestamp::min)
    }

    pub(crate) fn step(&mut self, input: Input, now: Timestamp) -> Vec<Effect> {
        let before = self.running;
        self.advance(now);
        let mut effects = Vec::new();
        let mut report = Values::new();
        let mut info = None;
        let mut lives_due = now >= self.lives_at;
        if self.refill_at.take_if(|at| *at <= now).is_some() {
            self.refill();
            lives_due = true;
        }
        if let Some((_, commands)) = self.hanging.take_if(|(restart_at, _)| *restart_at <= now) {
            self.fault = None;
            effects.extend(commands.into_iter().flat_map(|command| self.step(Input::Command(command), now)));
        }
        match input {
            Input::Time => {}
            Input::Leaving => lives_due = true,
            Input::Connected => {
                report = self.state.values();
                report.insert(names::CURRENT_SCHEDULE_RUNNING, self.frame().into());
                info = Some(DeviceInfo { sw_version: self.state.sw_version.clone(), lan_ip: self.state.lan_ip });
            }
            Input::Command(command) if self.fault == Some(Fault::Hangs) => {
                let (_, commands) = self.hanging.get_or_insert_with(|| (later(now, HANG_TIME), Vec::new()));
                // The cloud repeats commands after each connect.
                if commands.iter().all(|known| known.id != command.id) {
                    commands.push(command);
                }
            }
            Input::Command(Command { id, property, value }) => {
                let known = self.state.values();
                match self.state.apply_command(&property, &value) {
                    Ok(()) => {
                        effects.push(Effect::Ack(Ack::done(id)));
                        report = self.state.values();
                        report.retain(|name, value| *name == property || known.get(name) != Some(value));
                        self.repair(&property);
                        self.update_running(now);
                    }
                    Err(why) => effects.push(Effect::Ack(Ack::refused(id, why))),
                }
            }
            Input::Settings { time_zone, time } => self.apply_settings(time_zone, time, now),
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
            effects.push(Effect::Report(PropertyReport { properties: report, info }));
        }
        effects
    }

    fn apply_settings(&mut self, time_zone: Option<TimeZone>, time: Option<Timestamp>, now: Timestamp) {
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

    /// Advances to `now` through every scheduled change, so that the life counters do not depend on the times of the steps.
    fn advance(&mut self, now: Timestamp) {
        while let Some(change) = self.change_at.filter(|change| *change <= now) {
            self.count(change);
            self.update_running(change);
        }
        if now < self.counted {
            // The clock was set back. Life counters do not decrease, and the schedule follows the clock.
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
            if self.fault != Some(Fault::Clogged) {
                self.state.cartridge_life.count(time);
            }
        }
    }

    fn update_running(&mut self, now: Timestamp) {
        let (running, change) = match self.fault {
            Some(Fault::StuckOn) => (Some(Running { frame: None, intensity: self.state.intensity }), None),
            _ => self.state.running_until(shifted(now, self.ahead)),
        };
        self.running = running;
        // A change that is not in the future can only result from saturation at the maximum time.
        self.change_at = change.map(|change| shifted(change, -self.ahead)).filter(|change| *change > now);
    }

    /// What a person does together with this command may repair the diffuser.
    fn repair(&mut self, property: &str) {
        let is_repaired = match self.fault {
            Some(Fault::Clogged) => property == names::CARTRIDGE_LIFE,
            Some(Fault::StuckOn) => property == names::CURRENT_STATE || property == names::SCHEDULE_BLOB,
            Some(Fault::Hangs | Fault::RefilledWithoutReset) | None => false,
        };
        if is_repaired {
            self.fault = None;
        }
    }

    fn refill(&mut self) {
        let life = self.state.cartridge_life.get();
        if life >= MIN_REFILL_HOURS
            && let Some(life) = Hours::new(life * REFILL_SHARE)
        {
            self.state.cartridge_life = life;
        }
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

/// The value of the property; 0 means none.
fn frame(running: Option<Running>) -> u8 {
    running.and_then(|running| running.frame).unwrap_or(0)
}

fn later(at: Timestamp, by: Duration) -> Timestamp {
    at.saturating_add(by).unwrap_or(Timestamp::MAX)
}

fn shifted(at: Timestamp, by: SignedDuration) -> Timestamp {
    at.saturating_add(by).unwrap_or(at)
}
