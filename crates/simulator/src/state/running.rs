use diffuser::{Mode, Schedule};
use jiff::Timestamp;

use super::State;

/// A running pump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Running {
    /// The number of the schedule's active frame, or `None` in mode 24/7.
    pub frame: Option<u8>,
    /// The device's intensity in mode 24/7, the frame's in mode Run, limited by configuration and off-cycle.
    pub intensity: u8,
}

impl State {
    /// How the pump runs at an instant, or `None` if it does not run.
    pub fn running(&self, at: Timestamp) -> Option<Running> {
        self.running_until(at).0
    }

    /// How the pump runs at an instant, and when that changes next.
    pub(crate) fn running_until(&self, at: Timestamp) -> (Option<Running>, Option<Timestamp>) {
        match self.mode {
            Mode::Off | Mode::Two => (None, None),
            Mode::AllDay => (Some(Running { frame: None, intensity: self.intensity }), None),
            Mode::Run => {
                let (schedule, _) = Schedule::read(self.schedule_blob.as_deref().unwrap_or_default());
                let number = schedule.running(at, &self.time_zone);
                let running = number.and_then(|number| {
                    let intensity = schedule.frame(number)?.intensity.min(self.max_intensity());
                    Some(Running { frame: Some(number), intensity })
                });
                (running, schedule.next_change(at, &self.time_zone))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use diffuser::{OffCycle, SystemConfiguration};
    use jiff::tz::TimeZone;

    use super::*;

    #[test]
    fn mode_and_frame_determine_the_intensity() {
        // Mondays from 9 to 10 at 50, Tuesdays from 9 to 10 at 7; the device's own intensity is 20.
        let blob = "1,1,1,50,9,0,10,0,2,1,2,7,9,0,10,0,3,0,3,9,9,0,10,0";
        let (monday, tuesday, wednesday) = ("2026-11-23T08:30Z", "2026-11-24T08:30Z", "2026-11-25T08:30Z");
        let frame = |number, intensity| Some(Running { frame: Some(number), intensity });
        let rows = [
            (Mode::Off, monday, None),
            (Mode::Two, monday, None),
            (Mode::AllDay, monday, Some(Running { frame: None, intensity: 20 })),
            // The maximum of an AQ290 with off-cycle Short is 45.
            (Mode::Run, monday, frame(1, 45)),
            (Mode::Run, tuesday, frame(2, 7)),
            (Mode::Run, wednesday, None),
        ];
        for (mode, at, expected) in rows {
            let state = State {
                mode,
                cycle: OffCycle::Short,
                intensity: 20,
                schedule_blob: Some(blob.to_owned()),
                time_zone: TimeZone::get("Europe/Paris").unwrap(),
                ..State::new(SystemConfiguration::Aq290)
            };
            assert_eq!(state.running(at.parse().unwrap()), expected, "{mode:?} {at}");
        }
    }

    #[test]
    fn mode_run_without_schedule_does_not_run() {
        let state = State { mode: Mode::Run, ..State::new(SystemConfiguration::Aq380) };
        assert_eq!(state.running_until("2026-11-23T08:30Z".parse().unwrap()), (None, None));
    }
}
