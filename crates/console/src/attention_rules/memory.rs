use diffuser::Schedule;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A smaller rise of the level is no refill.
const MIN_JUMP: i64 = 10;
/// A cartridge with fewer running hours has been reset.
const RESET_HOURS: f64 = 24.0;

/// What a read of the device from the cloud shows that the index does not store.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct Observation {
    pub(crate) read_at: Timestamp,
    /// The schedule as a string, if the device has one.
    pub(crate) schedule: Option<String>,
    pub(crate) fragrance: Option<String>,
    /// Running hours of the cartridge.
    pub(crate) life_hours: Option<f64>,
    /// Percent, computed from the running hours.
    pub(crate) level: Option<i64>,
    /// When the oldest command was written that the device has not answered.
    pub(crate) command_since: Option<Timestamp>,
    /// Since when mode and schedule have been as they are, if that is known.
    pub(crate) plan_since: Option<Timestamp>,
    /// The last days that have ended, oldest first.
    pub(crate) use_of_days: Vec<UseOfDay>,
    /// The hours used on the day of the read, until then; `None` if they are unknown.
    pub(crate) use_today: Option<f64>,
    /// The larger of the numbers of values that the cloud did not store on the day of the read and on the day before.
    pub(crate) faults: i64,
    /// Whether its connections replaced each other too often on the day before the read.
    pub(crate) shared_identity: bool,
}

/// The running hours of a day of UTC; `None` if they are unknown.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct UseOfDay {
    pub(crate) start: Timestamp,
    pub(crate) hours: Option<f64>,
}

/// What is kept about a device between two evaluations.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct DeviceMemory {
    /// The last one, if there was any.
    pub(crate) observation: Option<Observation>,
    /// Since when the index has known a command that the device has not answered.
    pub(crate) pending_since: Option<Timestamp>,
    /// A refill after which the level was not reset.
    pub(crate) jump: Option<LevelJump>,
}

/// A rise of the level without a reset.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct LevelJump {
    pub(crate) at: Timestamp,
    /// Percent.
    pub(crate) before: i64,
    pub(crate) after: i64,
}

impl Observation {
    /// The schedule, and the numbers of the frames that cannot be read.
    pub(super) fn schedule(&self) -> Option<(Schedule, Vec<u8>)> {
        Some(Schedule::read(self.schedule.as_ref()?))
    }
}

impl DeviceMemory {
    /// Takes a newer observation into account.
    pub(crate) fn observe(&mut self, observation: Observation) {
        if let Some(before) = &self.observation {
            self.jump = jump(self.jump, before, &observation);
        }
        self.observation = Some(observation);
    }

    /// Takes into account whether the index knows a command that the device has not answered.
    pub(crate) fn see_pending(&mut self, is_pending: bool, now: Timestamp) {
        self.pending_since = is_pending.then(|| self.pending_since.unwrap_or(now));
    }

    /// When the oldest command was written that the device has not answered.
    pub(crate) fn command_since(&self) -> Option<Timestamp> {
        let observed = self.observation.as_ref().and_then(|observation| observation.command_since);
        observed.into_iter().chain(self.pending_since).min()
    }
}

fn jump(known: Option<LevelJump>, before: &Observation, next: &Observation) -> Option<LevelJump> {
    let (Some(level), Some(life)) = (next.level, next.life_hours) else { return known };
    let hours = next.read_at.duration_since(before.read_at).as_secs_f64() / 3600.0;
    // The cartridge may have been reset at any time since the read before.
    if life <= RESET_HOURS + hours.max(0.0) {
        return None;
    }
    let (Some(level_before), Some(life_before)) = (before.level, before.life_hours) else { return known };
    // Another catalogue changes levels, too.
    let is_refill = life < life_before - 1.0 || next.fragrance != before.fragrance;
    if is_refill && level >= level_before + MIN_JUMP {
        return Some(LevelJump { at: next.read_at, before: level_before, after: level });
    }
    // It was taken back, or the new cartridge is used up as well.
    known.filter(|jump| level > jump.before)
}
