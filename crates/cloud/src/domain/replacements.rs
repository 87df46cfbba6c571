//! Connections of one device that newer ones replaced (docs/device-link.md#connect).

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// More in [`WINDOW`] are those of two devices.
const MAX: usize = 6;
const WINDOW: SignedDuration = SignedDuration::from_mins(10);
/// Minimum time between two replaced connections after there were too many.
pub(crate) const PAUSE: SignedDuration = SignedDuration::from_mins(1);

/// The times of the latest replaced connections, oldest first.
#[derive(Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(transparent)]
pub(crate) struct Replacements(Vec<Timestamp>);

impl Replacements {
    /// Adds a connection that was replaced now. Returns whether there are too many.
    pub(crate) fn add(&mut self, now: Timestamp) -> bool {
        // Times in the future were written by a clock that was ahead.
        self.0.retain(|at| *at <= now && now.duration_since(*at) < WINDOW);
        self.0.push(now);
        self.0.drain(..self.0.len().saturating_sub(MAX + 1));
        self.0.len() > MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp::constant(1_795_780_800, 0);

    /// Which of the replacements, after so many seconds each, are too many.
    fn too_many(seconds: impl IntoIterator<Item = i64>) -> Vec<bool> {
        let mut replacements = Replacements::default();
        seconds.into_iter().map(|second| replacements.add(NOON + SignedDuration::from_secs(second))).collect()
    }

    #[test]
    fn more_than_six_in_ten_minutes_are_too_many() {
        let sixth = [false; 6];
        assert_eq!(too_many([0; 8]), [&sixth[..], &[true, true]].concat());
        assert_eq!(too_many([0, 100, 200, 300, 400, 500, 599]), [&sixth[..], &[true]].concat());
        assert_eq!(too_many((0..20).map(|n| n * 100)), [false; 20], "the first of seven is ten minutes old");
        assert_eq!(too_many([0, 0, 0, 550, 550, 550, 610, 610, 610, 610]), [&[false; 9][..], &[true]].concat());
        assert_eq!(too_many([0, 0, 0, 0, 0, 0, 0, 600]), [&sixth[..], &[true, false]].concat());
    }

    #[test]
    fn connections_that_replace_each_other_once_a_pause_stay_too_many() {
        let paused = too_many((0..20).map(|n| n * PAUSE.as_secs()));
        assert_eq!(paused, [&[false; 6][..], &[true; 14]].concat());
    }

    #[test]
    fn times_of_a_clock_that_was_ahead_do_not_count() {
        assert_eq!(too_many([86_400, 86_400, 86_400, 0, 0, 0, 0]), [false; 7]);
    }
}
