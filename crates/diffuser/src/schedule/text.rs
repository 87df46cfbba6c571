//! The string form of a schedule: eight numbers per frame, all separated by commas.

use std::fmt;

use super::{Days, FRAME_COUNT, Frame, Schedule, TimeOfDay};
use crate::MIN_INTENSITY;

const FIELDS: usize = 8;
/// The maximum intensity of any appliance; its system configuration may allow less.
const MAX_INTENSITY: u8 = 50;

/// A regular expression for a valid frame.
macro_rules! frame {
    () => {
        concat!(
            " *[0-9]{1,2} *, *(?:[01]|true|false) *, *[0-9] *, *(?:0?[1-9]|[1-4][0-9]|50) *,",
            " *(?:[01]?[0-9]|2[0-3]) *, *[0-5]?[0-9] *, *(?:[01]?[0-9]|2[0-3]) *, *[0-5]?[0-9] *"
        )
    };
}

impl Schedule {
    /// A regular expression for the string: up to 21 valid frames.
    pub const PATTERN: &str = concat!("(?: *|", frame!(), "(?:,", frame!(), "){0,20})");

    /// Parses a schedule and never fails: an invalid entry becomes the default frame, and its number is returned so that the
    /// caller can log it. A frame's position determines its number; surplus entries are dropped. Spaces, and `true` and
    /// `false` for active, are accepted.
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

impl Frame {
    /// The frame with this number in the string of its schedule: eight numbers.
    pub fn entry(&self, number: u8) -> String {
        let Self { active, days, intensity, start, stop } = self;
        let (active, days) = (u8::from(*active), days.code());
        let (from, to) = ((start.hour(), start.minute()), (stop.hour(), stop.minute()));
        format!("{number},{active},{days},{intensity},{},{},{},{}", from.0, from.1, to.0, to.1)
    }
}

/// Writes 168 numbers without padding, separated by commas without spaces.
impl fmt::Display for Schedule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, frame) in self.frames() {
            let separator = if number == 1 { "" } else { "," };
            write!(formatter, "{separator}{}", frame.entry(number))?;
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
    fn schedule_string_matches_the_vectors() {
        let vectors = vectors::read(include_str!("../../vectors/schedule-blob.json"));
        assert!(vectors.len() > 30);
        for vector in &vectors {
            let (schedule, broken) = Schedule::read(vector["text"].as_str().unwrap());
            assert_eq!(schedule, vectors::schedule(&vector["frames"]), "{vector}");
            assert_eq!(serde_json::json!(broken), vector["broken"], "{vector}");
            assert_eq!(schedule.to_string(), vector["written"].as_str().unwrap(), "{vector}");
        }
    }

    /// A schedule's string with some fields replaced, truncated at a random position.
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
    fn invalid_or_too_many_frames_do_not_match_the_pattern() {
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
        fn written_schedules_match_the_pattern(schedule in arbitrary::schedule()) {
            prop_assert!(has_the_form(&schedule.to_string()));
        }

        #[test]
        fn texts_matching_the_pattern_have_no_invalid_frame(text in prop_oneof!["[0-9, ]*", nearly_a_schedule()]) {
            if has_the_form(&text) {
                prop_assert_eq!(Schedule::read(&text).1, Vec::<u8>::new());
            }
        }

        #[test]
        fn written_schedule_is_read_unchanged(schedule in arbitrary::schedule()) {
            let text = schedule.to_string();
            prop_assert_eq!(text.split(',').count(), 168);
            prop_assert!(text.bytes().all(|it| it == b',' || it.is_ascii_digit()));
            prop_assert_eq!(Schedule::read(&text), (schedule, Vec::new()));
        }

        #[test]
        fn any_text_is_read_as_21_writable_frames(text in prop_oneof![any::<String>(), "[0-9, -]*", nearly_a_schedule()]) {
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
