use std::collections::BTreeMap;
use std::fmt;

use super::{Frame, Schedule};
use crate::MIN_INTENSITY;

/// Validation errors of a schedule: texts for the user by frame number and field (`intensity`, `start`, `stop`). Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleErrors(pub BTreeMap<u8, BTreeMap<&'static str, Vec<String>>>);

impl Schedule {
    /// Validates every frame, active or not, and checks active frames for conflicts. `max_intensity` is the
    /// diffuser's at its current off-cycle.
    ///
    /// # Errors
    /// Lists every invalid frame.
    pub fn validate(&self, max_intensity: u8) -> Result<(), ScheduleErrors> {
        let errors: BTreeMap<_, _> = self
            .frames()
            .map(|(number, frame)| (number, self.refusals(number, frame, max_intensity)))
            .filter(|(_, refusals)| !refusals.is_empty())
            .collect();
        if errors.is_empty() { Ok(()) } else { Err(ScheduleErrors(errors)) }
    }

    fn refusals(&self, number: u8, frame: &Frame, max_intensity: u8) -> BTreeMap<&'static str, Vec<String>> {
        let mut errors: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
        let mut refuse = |field, text: &str| errors.entry(field).or_default().push(text.to_owned());

        if !(MIN_INTENSITY..=max_intensity).contains(&frame.intensity) {
            refuse("intensity", &format!("Intensity must be between {MIN_INTENSITY} and {max_intensity}"));
        }
        let time = if frame.start > frame.stop {
            Some("Start Time must preceed End Time")
        } else if !self.conflicts_of(number).is_empty() {
            Some("Time Conflicts")
        } else {
            None
        };
        if let Some(text) = time {
            refuse("start", text);
            refuse("stop", text);
        }
        errors
    }
}

impl fmt::Display for ScheduleErrors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (number, fields)) in self.0.iter().enumerate() {
            let mut texts: Vec<&str> = fields.values().flatten().map(String::as_str).collect();
            texts.dedup();
            let separator = if place == 0 { "" } else { ". " };
            write!(formatter, "{separator}Schedule {number}: {}", texts.join(", "))?;
        }
        Ok(())
    }
}

impl std::error::Error for ScheduleErrors {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{Days, TimeOfDay};

    fn frame(start: (u8, u8), stop: (u8, u8)) -> Frame {
        Frame {
            active: true,
            days: Days::AllDays,
            intensity: 40,
            start: TimeOfDay::new(start.0, start.1).unwrap(),
            stop: TimeOfDay::new(stop.0, stop.1).unwrap(),
        }
    }

    /// The errors as `number field text`.
    fn refusals(frames: &[Frame], max_intensity: u8) -> Vec<String> {
        let schedule: Schedule = frames.iter().copied().collect();
        let Err(ScheduleErrors(frames)) = schedule.validate(max_intensity) else { return Vec::new() };
        let of_frame = |(number, fields): (u8, BTreeMap<&'static str, Vec<String>>)| {
            fields.into_iter().map(move |(field, texts)| format!("{number} {field} {}", texts.join("|")))
        };
        frames.into_iter().flat_map(of_frame).collect()
    }

    #[test]
    fn invalid_schedule_lists_errors_by_frame_and_field() {
        let preceed = |number: u8| {
            ["start", "stop"].map(|field| format!("{number} {field} Start Time must preceed End Time")).to_vec()
        };
        let conflict = |number: u8| ["start", "stop"].map(|field| format!("{number} {field} Time Conflicts")).to_vec();
        let (morning, noon) = (frame((8, 0), (12, 0)), frame((12, 0), (13, 0)));
        let off = |frame| Frame { active: false, ..frame };
        let rows: [(&[Frame], u8, Vec<String>); 9] = [
            (&[], 40, vec![]),
            (&[morning, frame((12, 1), (13, 0))], 40, vec![]),
            (&[frame((8, 0), (8, 0))], 40, vec![]),
            (&[morning, noon], 40, [conflict(1), conflict(2)].concat()),
            (&[morning, off(noon)], 40, vec![]),
            (&[morning, frame((22, 0), (6, 0))], 40, preceed(2)),
            (&[morning, off(frame((22, 0), (6, 0)))], 40, preceed(2)),
            (&[morning], 39, vec!["1 intensity Intensity must be between 1 and 39".to_owned()]),
            (
                &[off(Frame { intensity: 0, ..morning })],
                50,
                vec!["1 intensity Intensity must be between 1 and 50".to_owned()],
            ),
        ];
        for (frames, max_intensity, expected) in rows {
            assert_eq!(refusals(frames, max_intensity), expected, "{frames:?}");
        }
    }

    #[test]
    fn error_text_lists_every_frame_once() {
        let schedule: Schedule =
            [frame((8, 0), (12, 0)), frame((12, 0), (13, 0)), frame((23, 0), (22, 0))].into_iter().collect();
        assert_eq!(
            schedule.validate(39).unwrap_err().to_string(),
            "Schedule 1: Intensity must be between 1 and 39, Time Conflicts. \
             Schedule 2: Intensity must be between 1 and 39, Time Conflicts. \
             Schedule 3: Intensity must be between 1 and 39, Start Time must preceed End Time"
        );
    }
}
