use std::time::Duration;

/// A hundredth of an hour.
const HUNDREDTH: Duration = Duration::from_secs(36);
/// More than a hundred years, which no appliance reaches.
const MAX_HOURS: f64 = 1_000_000.0;

/// A life counter. It counts exactly and is reported in full hundredths of an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Hours(Duration);

impl Hours {
    /// Rounds to hundredths. Returns `None` if `hours` is negative, not a number, or more than a million.
    pub fn new(hours: f64) -> Option<Self> {
        let hundredths = (hours * 100.0).round();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is whole, and checked to fit")]
        (0.0..=MAX_HOURS).contains(&hours).then(|| Self(HUNDREDTH * hundredths as u32))
    }

    /// The hours, rounded down to hundredths.
    pub fn get(self) -> f64 {
        f64::from(self.hundredths()) / 100.0
    }

    pub(crate) fn count(&mut self, time: Duration) {
        self.0 = self.0.saturating_add(time);
    }

    /// The reported precision: full hundredths of an hour.
    pub(crate) fn hundredths(self) -> u32 {
        u32::try_from(self.0.as_secs() / HUNDREDTH.as_secs()).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hours_are_rounded_down_to_hundredths() {
        let mut hours = Hours::default();
        for (seconds, expected) in [(35, 0.0), (1, 0.01), (35, 0.01), (1, 0.02), (3528, 1.0)] {
            hours.count(Duration::from_secs(seconds));
            assert!((hours.get() - expected).abs() < f64::EPSILON, "{hours:?}");
        }
    }

    #[test]
    fn hours_out_of_range_are_rejected() {
        for bad in [-0.01, 1_000_000.01, f64::NAN, f64::INFINITY] {
            assert_eq!(Hours::new(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn reported_hours_can_be_restored(hundredths in 0u32..=100_000_000) {
            let reported = f64::from(hundredths) / 100.0;
            let again = Hours::new(reported).unwrap();
            prop_assert_eq!(again.hundredths(), hundredths);
            prop_assert!((again.get() - reported).abs() < f64::EPSILON);
        }
    }
}
