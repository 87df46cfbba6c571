use super::{Days, TimeOfDay};
use crate::MIN_INTENSITY;

/// A frame of the schedule: on these days, run from `start` to `stop` with this intensity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Frame {
    pub active: bool,
    pub days: Days,
    /// 1 to 50.
    pub intensity: u8,
    /// The first running minute.
    pub start: TimeOfDay,
    /// The last running minute; 23:59 is the end of the day.
    pub stop: TimeOfDay,
}

/// The frame for a position without a stored frame.
impl Default for Frame {
    fn default() -> Self {
        Self {
            active: false,
            days: Days::AllDays,
            intensity: MIN_INTENSITY,
            start: TimeOfDay::MIDNIGHT,
            stop: TimeOfDay::MIDNIGHT,
        }
    }
}

impl Frame {
    /// Whether both frames would run in some minute of the week. Both ends are inclusive, so 10:00 to 11:00 and 11:00
    /// to 12:00 conflict.
    pub fn conflicts_with(&self, other: &Self) -> bool {
        self.active
            && other.active
            && self.days.overlaps(other.days)
            && self.start <= other.stop
            && other.start <= self.stop
    }
}
