//! Drop-outs of a diffuser's connection and their durations, as on the Wi-Fi of a store.

use std::ops::Range;
use std::time::Duration;

use crate::rng::DeviceRng;

/// The time between drop-outs: twice a day on average.
const GAP: Range<Duration> = Duration::from_hours(2)..Duration::from_hours(22);
/// The time between drop-outs of a device with bad reception: about twenty times a day.
const BAD_GAP: Range<Duration> = Duration::from_mins(10)..Duration::from_mins(130);
/// One in this many devices has bad reception.
const BAD: u64 = 25;
const OUTAGE: Range<Duration> = Duration::from_secs(20)..Duration::from_mins(10);

/// The drop-outs of one device. They depend only on the seed and the dsn.
#[derive(Debug)]
pub(crate) struct DropOuts {
    rng: DeviceRng,
    gap: Range<Duration>,
}

impl DropOuts {
    pub(crate) fn new(seed: u64, dsn: &str) -> Self {
        // A separate generator, so that commands do not change the times of drop-outs.
        let mut rng = DeviceRng::new(seed, &format!("{dsn} drops out"));
        let gap = if rng.one_in(BAD) { BAD_GAP } else { GAP };
        Self { rng, gap }
    }
}

/// Yields the time since the end of the previous drop-out, and the duration of the outage.
impl Iterator for DropOuts {
    type Item = (Duration, Duration);

    fn next(&mut self) -> Option<Self::Item> {
        Some((self.rng.pick(self.gap.clone()), self.rng.pick(OUTAGE)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn per_day(seed: u64, dsn: &str) -> f64 {
        let time: Duration = DropOuts::new(seed, dsn).take(200).map(|(gap, outage)| gap + outage).sum();
        200.0 / (time.as_secs_f64() / 86_400.0)
    }

    #[test]
    fn most_devices_drop_out_twice_a_day_and_a_few_far_more_often() {
        let rates: Vec<f64> = (0..1000).map(|n| per_day(1, &format!("SL{n:04}"))).collect();
        let (usual, bad): (Vec<f64>, Vec<f64>) = rates.into_iter().partition(|rate| *rate < 5.0);
        assert!(usual.iter().all(|rate| (1.6..2.5).contains(rate)), "{usual:?}");
        assert!(bad.iter().all(|rate| (15.0..25.0).contains(rate)), "{bad:?}");
        assert!((20..60).contains(&bad.len()), "{}", bad.len());
    }

    #[test]
    fn outages_last_from_twenty_seconds_to_ten_minutes() {
        let mut drop_outs = (0..50).flat_map(|n| DropOuts::new(7, &format!("SL{n:04}")).take(20));
        assert!(drop_outs.all(|(_, outage)| OUTAGE.contains(&outage)));
    }

    #[test]
    fn drop_outs_depend_only_on_seed_and_dsn() {
        let first = |seed, dsn| DropOuts::new(seed, dsn).take(5).collect::<Vec<_>>();
        assert_eq!(first(1, "SL0001"), first(1, "SL0001"));
        assert_ne!(first(1, "SL0001"), first(2, "SL0001"));
        assert_ne!(first(1, "SL0001"), first(1, "SL0002"));
    }
}
