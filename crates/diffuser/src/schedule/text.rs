//! The schedule as a device stores it: eight numbers per frame, all in one comma-separated string.

use std::fmt;

use super::{Days, FRAME_COUNT, Frame, Schedule, TimeOfDay};
use crate::MIN_INTENSITY;

const FIELDS: usize = 8;
/// What an appliance takes at most; its system configuration may allow less.
const MAX_INTENSITY: u8 = 50;

/// A frame that is not broken.
macro_rules! frame {
    () => {
        concat!(
            " *[0-9]{1,2} *, *(?:[01]|true|false) *, *[0-9] *, *(?:0?[1-9]|[1-4][0-9]|50) *,",
            " *(?:[01]?[0-9]|2[0-3]) *, *[0-5]?[0-9] *, *(?:[01]?[0-9]|2[0-3]) *, *[0-5]?[0-9] *"
        )
    };
}

impl Schedule {
    /// The form of the string, a regular expression: no frame or up to 21, none of them broken.
    pub const PATTERN: &str = concat!("(?: *|", frame!(), "(?:,", frame!(), "){0,20})");

    /// Never fails: an entry that is broken becomes the missing frame, and its number is in the answer, so
    /// that the caller can log it. A frame's position decides its number, entries after the last frame are
    /// dropped. Spaces, and `true` and `false` for active, are tolerated.
    pub fn read(text: &str) -> (Self, Vec<u8>) {
        let mut broken = Vec::new();
        if text.trim().is_empty() {
            return (Self::default(), broken);
        }
        let fields: Vec<&str> = text.split(',').take(FRAME_COUNT * FIELDS).map(str::trim).collect();
        let entries = fields.chunks(FIELDS).zip(1..).map(|(entry, number)| {
            read_frame(entry).unwrap_or_else(|| {
                broken.push(number);
                Frame::default()
            })
        });
        (entries.collect(), broken)
    }
}

fn read_frame(entry: &[&str]) -> Option<Frame> {
    let [number, active, days, intensity, start_hour, start_minute, stop_hour, stop_minute] = entry else {
        return None;
    };
    number.parse::<i64>().ok()?;
    let time = |hour: &str, minute: &str| TimeOfDay::new(hour.parse().ok()?, minute.parse().ok()?);
    Some(Frame {
        active: match *active {
            "1" | "true" => true,
            "0" | "false" => false,
            _ => return None,
        },
        days: Days::try_from(days.parse::<i64>().ok()?).ok()?,
        intensity: intensity.parse().ok().filter(|it| (MIN_INTENSITY..=MAX_INTENSITY).contains(it))?,
        start: time(start_hour, start_minute)?,
        stop: time(stop_hour, stop_minute)?,
    })
}

/// 168 numbers without padding, 167 commas, no spaces.
impl fmt::Display for Schedule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, frame) in self.frames() {
            let separator = if number == 1 { "" } else { "," };
            let Frame { active, days, intensity, start, stop } = frame;
            write!(
                formatter,
                "{separator}{number},{},{},{intensity},{},{},{},{}",
                u8::from(*active),
                days.code(),
                start.hour(),
                start.minute(),
                stop.hour(),
                stop.minute(),
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use regex::Regex;

    use super::*;
    use crate::schedule::{arbitrary, vectors};

    #[test]
    fn reading_and_writing_agree_with_the_vectors() {
        let vectors = vectors::read(include_str!("../../vectors/schedule-blob.json"));
        assert!(vectors.len() > 30);
        for vector in &vectors {
            let (schedule, broken) = Schedule::read(vector["text"].as_str().unwrap());
            assert_eq!(schedule, vectors::schedule(&vector["frames"]), "{vector}");
            assert_eq!(serde_json::json!(broken), vector["broken"], "{vector}");
            assert_eq!(schedule.to_string(), vector["written"].as_str().unwrap(), "{vector}");
        }
    }

    /// A schedule's string with some of its fields replaced, and then cut somewhere.
    fn nearly_a_schedule() -> impl Strategy<Value = String> {
        let bad = prop_oneof!["[0-9]{1,3}", "[ a-z,.+-]{0,3}", Just(String::new())];
        (arbitrary::schedule(), prop::collection::vec((0usize..168, bad), 0..4), 0usize..400).prop_map(
            |(schedule, replaced, cut)| {
                let text = schedule.to_string();
                let mut fields: Vec<&str> = text.split(',').collect();
                for (place, field) in &replaced {
                    fields[*place] = field;
                }
                fields.join(",").chars().take(cut.max(1)).collect()
            },
        )
    }

    fn has_the_form(text: &str) -> bool {
        static FORM: LazyLock<Regex> = LazyLock::new(|| Regex::new(&format!("^{}$", Schedule::PATTERN)).unwrap());
        FORM.is_match(text)
    }

    #[test]
    fn texts_with_a_broken_frame_or_too_many_are_not_in_the_form() {
        let frame = "1,1,5,30,11,0,11,59";
        let frames = |count| vec![frame; count].join(",");
        for (text, expected) in [
            ("", true),
            ("  ", true),
            (frame, true),
            (" 1 , true , 5,30, 11,00,11,59 ", true),
            (&frames(21), true),
            (&frames(22), false),
            (&format!("{frame},"), false),
            ("1,1,5,30,11,0,11", false),
            ("1,2,5,30,11,0,11,59", false),
            ("1,1,10,30,11,0,11,59", false),
            ("1,1,5,0,11,0,11,59", false),
            ("1,1,5,51,11,0,11,59", false),
            ("1,1,5,30,24,0,11,59", false),
            ("1,1,5,30,11,60,11,59", false),
            ("1,1,5,-1,11,0,11,59", false),
            ("junk", false),
            (&format!("{frame}\n"), false),
        ] {
            assert_eq!(has_the_form(text), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn written_schedules_are_in_the_form(schedule in arbitrary::schedule()) {
            prop_assert!(has_the_form(&schedule.to_string()));
        }

        #[test]
        fn texts_in_the_form_are_read_without_a_broken_frame(text in prop_oneof!["[0-9, ]*", nearly_a_schedule()]) {
            if has_the_form(&text) {
                prop_assert_eq!(Schedule::read(&text).1, Vec::<u8>::new());
            }
        }

        #[test]
        fn what_was_written_is_read_again(schedule in arbitrary::schedule()) {
            let text = schedule.to_string();
            prop_assert_eq!(text.split(',').count(), 168);
            prop_assert!(text.bytes().all(|it| it == b',' || it.is_ascii_digit()));
            prop_assert_eq!(Schedule::read(&text), (schedule, Vec::new()));
        }

        #[test]
        fn any_text_reads_as_21_frames_that_can_be_written(text in prop_oneof![any::<String>(), "[0-9, -]*", nearly_a_schedule()]) {
            let (schedule, broken) = Schedule::read(&text);
            prop_assert_eq!(schedule.frames().count(), FRAME_COUNT);
            prop_assert!(broken.is_sorted() && broken.iter().all(|number| (1..=21).contains(number)));
            for number in broken {
                prop_assert_eq!(schedule.frame(number), Some(&Frame::default()));
            }
            prop_assert_eq!(Schedule::read(&schedule.to_string()), (schedule, Vec::new()));
        }
    }
}
