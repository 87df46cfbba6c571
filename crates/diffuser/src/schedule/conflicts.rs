use super::Schedule;

impl Schedule {
    /// The numbers of the other frames that would run at the same time as this one, ascending. Inactive frames
    /// never conflict.
    pub fn conflicts_of(&self, number: u8) -> Vec<u8> {
        let Some(frame) = self.frame(number) else { return Vec::new() };
        self.frames()
            .filter(|(other_number, other)| *other_number != number && frame.conflicts_with(other))
            .map(|(other_number, _)| other_number)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::Weekday;
    use proptest::prelude::*;

    use super::*;
    use crate::schedule::Days::{AllDays, Friday, Monday, Weekdays};
    use crate::schedule::{Days, Frame, TimeOfDay, arbitrary, vectors};

    const WEEK: [Weekday; 7] = [
        Weekday::Monday,
        Weekday::Tuesday,
        Weekday::Wednesday,
        Weekday::Thursday,
        Weekday::Friday,
        Weekday::Saturday,
        Weekday::Sunday,
    ];

    fn active(days: Days) -> Frame {
        Frame { active: true, days, ..Frame::default() }
    }

    prop_compose! {
        /// An active frame that does not stop before it starts.
        fn ordered()(frame in arbitrary::frame()) -> Frame {
            let (start, stop) = (frame.start.min(frame.stop), frame.start.max(frame.stop));
            Frame { active: true, start, stop, ..frame }
        }
    }

    #[test]
    fn conflicts_match_the_vectors() {
        let vectors = vectors::read(include_str!("../../vectors/schedule-conflict.json"));
        assert!(vectors.len() > 100, "every pair of day sets, and the edges of time");
        for vector in &vectors {
            let (a, b) = (vectors::frame(&vector["a"]), vectors::frame(&vector["b"]));
            assert_eq!(a.conflicts_with(&b), vector["conflict"].as_bool().unwrap(), "{vector}");
        }
    }

    #[test]
    fn conflicts_list_all_other_overlapping_frames() {
        let schedule: Schedule = [Weekdays, Friday, Monday, AllDays].map(active).into_iter().collect();
        let conflicts = [1, 2, 3, 4, 5, 22].map(|number| schedule.conflicts_of(number));
        assert_eq!(conflicts, [vec![2, 3, 4], vec![1, 4], vec![1, 4], vec![1, 2, 3], vec![], vec![]]);
    }

    proptest! {
        #[test]
        fn conflicts_are_symmetric(schedule in arbitrary::schedule()) {
            for (number, frame) in schedule.frames() {
                let conflicts = schedule.conflicts_of(number);
                prop_assert!(frame.active || conflicts.is_empty());
                for other in conflicts {
                    prop_assert!(schedule.conflicts_of(other).contains(&number));
                }
            }
        }

        #[test]
        fn frames_conflict_exactly_when_they_share_a_minute_of_the_week(a in ordered(), b in ordered()) {
            let shared = WEEK.iter().any(|day| {
                a.days.includes(*day) && b.days.includes(*day) && (0..24).any(|hour| (0..60).any(|minute| {
                    let time = TimeOfDay::new(hour, minute).unwrap();
                    (a.start..=a.stop).contains(&time) && (b.start..=b.stop).contains(&time)
                }))
            });
            prop_assert_eq!(a.conflicts_with(&b), shared);
        }
    }
}
