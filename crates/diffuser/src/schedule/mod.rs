//! The weekly schedule: 21 frames, their string, their conflicts, and the running frame at an instant.

#[cfg(test)]
pub(crate) mod arbitrary;
mod conflicts;
mod days;
mod frame;
mod running;
mod text;
mod time_of_day;
mod validate;
#[cfg(test)]
mod vectors;

pub use days::{Days, UnknownDays};
pub use frame::Frame;
pub use time_of_day::TimeOfDay;
pub use validate::ScheduleErrors;

/// The number of frames of a schedule.
pub const FRAME_COUNT: usize = 21;

/// Exactly [`FRAME_COUNT`] frames. A frame's number is its position plus one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Schedule([Frame; FRAME_COUNT]);

impl Schedule {
    /// Every frame with its number, 1 to 21.
    pub fn frames(&self) -> impl Iterator<Item = (u8, &Frame)> {
        (1..).zip(&self.0)
    }

    pub fn frame(&self, number: u8) -> Option<&Frame> {
        self.0.get(usize::from(number).checked_sub(1)?)
    }

    /// # Panics
    /// Panics if there is no frame with that number.
    pub fn set(&mut self, number: u8, frame: Frame) {
        assert!(self.frame(number).is_some(), "frames are numbered 1 to {FRAME_COUNT}, not {number}");
        self.0[usize::from(number) - 1] = frame;
    }
}

/// Missing frames are filled with the default, surplus frames are dropped.
impl FromIterator<Frame> for Schedule {
    fn from_iter<T: IntoIterator<Item = Frame>>(frames: T) -> Self {
        let mut schedule = Self::default();
        for (place, frame) in schedule.0.iter_mut().zip(frames) {
            *place = frame;
        }
        schedule
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedule_has_21_frames_and_missing_ones_are_inactive() {
        let given = Frame { active: true, days: Days::Weekdays, intensity: 25, ..Frame::default() };
        let missing = Frame {
            active: false,
            days: Days::AllDays,
            intensity: 1,
            start: TimeOfDay::MIDNIGHT,
            stop: TimeOfDay::MIDNIGHT,
        };
        for (count, kept) in [(0, 0), (5, 5), (21, 21), (30, 21)] {
            let schedule: Schedule = std::iter::repeat_n(given, count).collect();
            let frames: Vec<Frame> = schedule.frames().map(|(_, frame)| *frame).collect();
            assert_eq!(frames, [vec![given; kept], vec![missing; FRAME_COUNT - kept]].concat(), "{count} frames");
        }
    }

    #[test]
    fn frame_number_is_its_position_plus_one() {
        let mut schedule = Schedule::default();
        let frame = Frame { intensity: 9, ..Frame::default() };
        schedule.set(21, frame);
        assert_eq!(schedule.frames().map(|(number, _)| number).collect::<Vec<_>>(), (1..=21).collect::<Vec<_>>());
        assert_eq!(schedule.frame(21), Some(&frame));
        assert_eq!(schedule.frame(20), Some(&Frame::default()));
        assert_eq!((schedule.frame(0), schedule.frame(22)), (None, None));
    }

    #[test]
    #[should_panic(expected = "frames are numbered 1 to 21, not 22")]
    fn setting_a_frame_beyond_the_last_panics() {
        Schedule::default().set(22, Frame::default());
    }
}
