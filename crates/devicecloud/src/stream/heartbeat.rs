//! Detects dead connections by missing heartbeats, which the cloud sends every 30 s: two minutes without any are too long.

use std::time::Duration;

pub(super) const CHECK_INTERVAL: Duration = Duration::from_secs(30);
const FULL: i32 = 3;

/// A counter that drops with each check and rises with each heartbeat, capped at its start value so that a burst cannot
/// hide a dead socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Heartbeat(i32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    Alive,
    /// The connection is dead: close the socket.
    Dead,
}

impl Heartbeat {
    pub(super) fn new() -> Self {
        Self(FULL)
    }

    pub(super) fn beat(self) -> Self {
        Self((self.0 + 1).min(FULL))
    }

    pub(super) fn check(self) -> (Self, Check) {
        let count = self.0 - 1;
        (Self(count), if count < 0 { Check::Dead } else { Check::Alive })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a script of heartbeats (`b`) and checks (`c`). Returns the number of checks that passed, and whether one
    /// failed.
    fn alive(script: &str) -> (usize, bool) {
        let mut heartbeat = Heartbeat::new();
        let mut alive = 0;
        for step in script.chars() {
            if step == 'b' {
                heartbeat = heartbeat.beat();
                continue;
            }
            let (next, check) = heartbeat.check();
            heartbeat = next;
            if check == Check::Dead {
                return (alive, true);
            }
            alive += 1;
        }
        (alive, false)
    }

    #[test]
    fn counter_starts_at_3_and_is_capped_at_3() {
        assert_eq!((CHECK_INTERVAL.as_millis(), Heartbeat::new()), (30_000, Heartbeat(3)));
        for count in 0..=3 {
            let state = if count == 0 { Check::Dead } else { Check::Alive };
            assert_eq!(Heartbeat(count).check(), (Heartbeat(count - 1), state), "{count}");
            assert_eq!(Heartbeat(count).beat(), Heartbeat(3.min(count + 1)), "{count}");
        }
    }

    #[test]
    fn fourth_check_without_heartbeat_closes() {
        let table = [
            ("ccc", (3, false)),
            ("cccc", (3, true)),
            ("cbcbcbcbcbcb", (6, false)),
            ("bbbbbbbbbbcccc", (3, true)),
            ("cccbcc", (4, true)),
            ("ccbbbbbbbccc", (5, false)),
            ("ccbbbbbbbcccc", (5, true)),
        ];
        for (script, expected) in table {
            assert_eq!(alive(script), expected, "{script}");
        }
    }
}
