use jiff::Timestamp;

/// Days that are kept.
pub const DAYS: usize = 56;
const SECONDS_PER_DAY: i64 = 24 * 60 * 60;
/// A counter that advances by this much more than the time since it last changed was set by hand. In hundredths of an hour; less
/// is explained by clocks that differ.
const MAX_SURPLUS: i64 = 100;
/// A reset or a change by hand within such a short time hides no use worth mentioning.
const SHORT_SECONDS: i64 = 60 * 60;
const UNKNOWN: u16 = u16::MAX;
/// The length of [`DailyUse::to_bytes`].
const BYTES: usize = 3 * 8 + 2 * DAYS;

/// The running hours of a device on each of the last 56 days of UTC, in a fixed amount of memory. They follow from the
/// readings of its cartridge life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DailyUse {
    last: Option<Reading>,
    /// In hundredths of an hour; the last entry is the day of the last reading.
    days: [u16; DAYS],
}

/// A value of the cartridge life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reading {
    at: Timestamp,
    hundredths: i64,
    /// When the value was new.
    changed_at: Timestamp,
}

impl Default for DailyUse {
    fn default() -> Self {
        Self { last: None, days: [UNKNOWN; DAYS] }
    }
}

impl DailyUse {
    /// Takes a reading of the cartridge life, in hours, into account. Readings must be given in the order of their time; an
    /// older one and an impossible value are ignored.
    ///
    /// Use between two readings is spread evenly over the time between them. A counter that decreases was reset, and one that
    /// advances by more than the time since its last step was set by hand. What was used in the meantime is unknown: so are the days in question, unless
    /// the readings are at most an hour apart.
    ///
    /// Returns whether the cartridge was refilled between the last reading and this one: the counter decreased, to no more than
    /// the time between them.
    pub fn record(&mut self, at: Timestamp, cartridge_life_hours: f64) -> bool {
        let hundredths = (cartridge_life_hours * 100.0).round();
        if !(0.0..=f64::from(u32::MAX)).contains(&hundredths) {
            return false;
        }
        #[expect(clippy::cast_possible_truncation, reason = "it is whole, and checked to fit")]
        let mut next = Reading { at, hundredths: hundredths as i64, changed_at: at };
        match self.last {
            // The hours before the first reading stay unknown.
            None => {
                self.last = Some(next);
                false
            }
            Some(last) if at > last.at => {
                if next.hundredths == last.hundredths {
                    next.changed_at = last.changed_at;
                }
                self.advance(day_of(at) - day_of(last.at));
                self.add(last, next);
                self.last = Some(next);
                let elapsed = at.as_second() - last.at.as_second();
                next.hundredths < last.hundredths && next.hundredths <= elapsed / 36 + MAX_SURPLUS
            }
            Some(_) => false,
        }
    }

    /// The time of the last reading.
    pub fn last_reading(&self) -> Option<Timestamp> {
        self.last.map(|reading| reading.at)
    }

    /// The cartridge life of the last reading, in hours.
    pub fn last_life_hours(&self) -> Option<f64> {
        // Checked to fit when it was read.
        self.last
            .and_then(|reading| u32::try_from(reading.hundredths).ok())
            .map(|hundredths| f64::from(hundredths) / 100.0)
    }

    /// The days that have ended by the last reading, oldest first: the start of each, and its running hours unless they are
    /// unknown.
    pub fn days(&self) -> impl Iterator<Item = (Timestamp, Option<f64>)> {
        let today = self.last.map(|reading| day_of(reading.at));
        today.into_iter().flat_map(move |today| {
            let first = today - index(DAYS) + 1;
            (first..today).zip(&self.days).filter_map(|(day, hundredths)| {
                let hours = (*hundredths != UNKNOWN).then(|| f64::from(*hundredths) / 100.0);
                Some((Timestamp::from_second(day * SECONDS_PER_DAY).ok()?, hours))
            })
        })
    }

    /// The running hours on the day of the last reading, until that reading, unless they are unknown.
    pub fn last_day(&self) -> Option<f64> {
        let hundredths = self.last.and(self.days.last())?;
        (*hundredths != UNKNOWN).then(|| f64::from(*hundredths) / 100.0)
    }

    /// The stored form, of a fixed length.
    pub fn to_bytes(&self) -> Vec<u8> {
        let last = self.last.map_or([0, -1, 0], |it| [it.at.as_second(), it.hundredths, it.changed_at.as_second()]);
        last.into_iter().flat_map(i64::to_le_bytes).chain(self.days.iter().flat_map(|it| it.to_le_bytes())).collect()
    }

    /// Reads [`to_bytes`](Self::to_bytes); `None` if it is not in this form.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != BYTES {
            return None;
        }
        let (last, days) = bytes.split_at(3 * 8);
        let mut numbers = last.chunks_exact(8).filter_map(|it| Some(i64::from_le_bytes(it.try_into().ok()?)));
        let (at, hundredths, changed_at) = (numbers.next()?, numbers.next()?, numbers.next()?);
        let (at, changed_at) = (Timestamp::from_second(at).ok()?, Timestamp::from_second(changed_at).ok()?);
        let last = (0..=i64::from(u32::MAX)).contains(&hundredths).then_some(Reading { at, hundredths, changed_at });
        let mut daily_use = Self { last, days: [UNKNOWN; DAYS] };
        for (day, bytes) in daily_use.days.iter_mut().zip(days.chunks_exact(2)) {
            *day = u16::from_le_bytes(bytes.try_into().ok()?);
        }
        Some(daily_use)
    }

    /// Moves on by a number of days; nothing was used on them so far.
    fn advance(&mut self, days: i64) {
        let days = usize::try_from(days).unwrap_or(0).min(DAYS);
        self.days.rotate_left(days);
        self.days[DAYS - days..].fill(0);
    }

    fn add(&mut self, last: Reading, next: Reading) {
        let elapsed = next.at.as_second() - last.at.as_second();
        let used = next.hundredths - last.hundredths;
        // A hundredth of an hour is 36 seconds.
        let unchanged = next.at.as_second() - last.changed_at.as_second();
        let plausible = (0..=unchanged / 36 + MAX_SURPLUS).contains(&used);
        let (used, known) = match plausible {
            true => (used, true),
            false => (0, elapsed <= SHORT_SECONDS),
        };
        let today = day_of(next.at);
        let first = day_of(last.at).max(today - index(DAYS) + 1);
        // Rounded as a running total, so that the days add up to the use.
        let used_by = |at: i64| if elapsed > 0 { used * (at - last.at.as_second()) / elapsed } else { used };
        for day in first..=today {
            let from = last.at.as_second().max(day * SECONDS_PER_DAY);
            let until = next.at.as_second().min((day + 1) * SECONDS_PER_DAY);
            let Some(entry) = usize::try_from(today - day).ok().and_then(|age| self.days.get_mut(DAYS - 1 - age))
            else {
                continue;
            };
            *entry = match u16::try_from(i64::from(*entry) + used_by(until) - used_by(from)) {
                Ok(sum) if known && *entry != UNKNOWN => sum,
                _ => UNKNOWN,
            };
        }
    }
}

/// The number of a day of UTC.
fn day_of(at: Timestamp) -> i64 {
    at.as_second().div_euclid(SECONDS_PER_DAY)
}

fn index(days: usize) -> i64 {
    i64::try_from(days).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn recorded(readings: &[(&str, f64)]) -> DailyUse {
        let mut daily_use = DailyUse::default();
        for (at, hours) in readings {
            daily_use.record(at.parse().unwrap(), *hours);
        }
        daily_use
    }

    /// The last days, as month and day with their hours.
    fn last_days(daily_use: &DailyUse, count: usize) -> Vec<(String, Option<f64>)> {
        let days: Vec<_> = daily_use.days().map(|(day, hours)| (day.to_string()[5..10].to_owned(), hours)).collect();
        days[days.len() - count..].to_vec()
    }

    fn day(day: &str, hours: impl Into<Option<f64>>) -> (String, Option<f64>) {
        (day.to_owned(), hours.into())
    }

    #[test]
    fn use_is_counted_per_day_and_spread_over_the_time_between_readings() {
        let daily_use = recorded(&[
            ("2026-03-01T18:00Z", 100.0),
            ("2026-03-02T12:00Z", 109.0),
            ("2026-03-02T20:00Z", 112.5),
            ("2026-03-05T20:00Z", 148.5),
        ]);
        let expected = [day("03-01", None), day("03-02", 6.0 + 3.5 + 2.0), day("03-03", 12.0), day("03-04", 12.0)];
        assert_eq!(last_days(&daily_use, 4), expected);
        assert_eq!(daily_use.last_day(), Some(10.0));
        assert_eq!(daily_use.days().count(), DAYS - 1);
        assert_eq!(daily_use.last_reading(), Some("2026-03-05T20:00Z".parse().unwrap()));
        assert_eq!(daily_use.last_life_hours(), Some(148.5));
        assert_eq!(DailyUse::default().last_life_hours(), None);
    }

    #[test]
    fn reset_and_change_by_hand_are_not_use() {
        let daily_use = recorded(&[
            ("2026-03-01T23:00Z", 400.0),
            ("2026-03-02T12:00Z", 405.0),
            // Refilled.
            ("2026-03-02T12:05Z", 0.0),
            ("2026-03-02T18:00Z", 5.0),
            // Set by hand, and undone.
            ("2026-03-02T18:01Z", 300.0),
            ("2026-03-02T18:02Z", 5.0),
            ("2026-03-03T00:00Z", 8.0),
            // Refilled at an unknown time of the day.
            ("2026-03-04T01:00Z", 2.0),
            ("2026-03-05T01:00Z", 4.4),
        ]);
        // Until midnight of the first day: one of 13 hours.
        let expected = [day("03-01", None), day("03-02", 12.62), day("03-03", None), day("03-04", None)];
        assert_eq!(last_days(&daily_use, 4), expected);
    }

    #[test]
    fn counter_that_starts_again_is_a_refill_and_one_set_by_hand_is_none() {
        let mut daily_use = recorded(&[("2026-03-01T12:00Z", 400.0)]);
        let rows = [
            ("2026-03-01T13:00Z", 401.0, false),
            ("2026-03-01T14:00Z", 0.0, true),
            ("2026-03-01T15:00Z", 1.0, false),
            ("2026-03-02T15:00Z", 20.0, false),
            ("2026-03-02T16:00Z", 12.0, false),
            ("2026-03-03T16:00Z", 10.0, true),
            ("2026-03-03T16:00Z", 0.0, false),
            ("2026-03-03T17:00Z", -1.0, false),
        ];
        for (at, hours, is_refill) in rows {
            assert_eq!(daily_use.record(at.parse().unwrap(), hours), is_refill, "{at} {hours}");
        }
    }

    #[test]
    fn day_without_use_is_known() {
        let daily_use = recorded(&[("2026-03-01T12:00Z", 7.0), ("2026-03-04T12:00Z", 7.0)]);
        assert_eq!(last_days(&daily_use, 3), [day("03-01", None), day("03-02", 0.0), day("03-03", 0.0)]);
    }

    #[test]
    fn invalid_and_older_readings_are_ignored() {
        let mut daily_use = recorded(&[("2026-03-02T12:00Z", 7.0)]);
        let before = daily_use.clone();
        for (at, hours) in [
            ("2026-03-02T12:00Z", 9.0),
            ("2026-03-01T12:00Z", 1.0),
            ("2026-03-03T12:00Z", -1.0),
            ("2026-03-03T12:00Z", f64::NAN),
            ("2026-03-03T12:00Z", f64::INFINITY),
            ("2026-03-03T12:00Z", 1e9),
        ] {
            daily_use.record(at.parse().unwrap(), hours);
            assert_eq!(daily_use, before, "{at} {hours}");
        }
    }

    #[test]
    fn other_forms_are_rejected() {
        let bytes = recorded(&[("2026-03-02T12:00Z", 7.0)]).to_bytes();
        assert_eq!(bytes.len(), BYTES);
        assert_eq!(DailyUse::from_bytes(&bytes[1..]), None);
        assert_eq!(DailyUse::from_bytes(&[]), None);
        assert_eq!(DailyUse::from_bytes(&[0x7f; BYTES]), None);
    }

    proptest! {
        #[test]
        fn days_add_up_to_the_counter(steps in prop::collection::vec((1i64..95_000, 0.0..1.0), 1..50)) {
            let mut daily_use = DailyUse::default();
            let start = 20_000 * SECONDS_PER_DAY;
            let (mut at, mut hundredths) = (start, 0);
            daily_use.record(Timestamp::from_second(at).unwrap(), 0.0);
            for (seconds, share) in steps {
                at += seconds;
                #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "small numbers")]
                { hundredths += (share * seconds as f64 / 36.0) as i32; }
                daily_use.record(Timestamp::from_second(at).unwrap(), f64::from(hundredths) / 100.0);
            }
            // The first day is unknown; no day is gone.
            let known: i64 = daily_use.days.iter().filter(|it| **it != UNKNOWN).map(|it| i64::from(*it)).sum();
            prop_assert!(known <= i64::from(hundredths));
            let most_on_the_first_day = 2401 + MAX_SURPLUS;
            prop_assert!(i64::from(hundredths) - known <= most_on_the_first_day);
        }

        #[test]
        fn stored_form_round_trips(readings in prop::collection::vec((0i64..9_000_000, 0.0..2000.0), 0..20)) {
            let mut daily_use = DailyUse::default();
            for (at, hours) in readings {
                daily_use.record(Timestamp::from_second(at).unwrap(), hours);
            }
            prop_assert_eq!(DailyUse::from_bytes(&daily_use.to_bytes()), Some(daily_use));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), BYTES)) {
            if let Some(mut daily_use) = DailyUse::from_bytes(&bytes) {
                daily_use.days().count();
                daily_use.record("2026-03-02T12:00Z".parse().unwrap(), 7.0);
            }
        }
    }
}
