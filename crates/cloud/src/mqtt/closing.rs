//! Spreads the ends of the connections of a stopping gateway, so that the devices do not all connect to another node, or to the next
//! start, at the same moment.

use std::time::Duration;

use tokio::time::Instant;

/// How many connections end each second.
const PER_SECOND: u32 = 1_000;
/// Into how many groups consecutive connections are divided.
const GROUPS: u64 = 256;

/// The end of all connections.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closing {
    began: Instant,
    duration: Duration,
}

impl Closing {
    /// The end of this number of connections, which begins now and takes at most `limit`.
    pub(super) fn begin(connections: usize, limit: Duration) -> Self {
        let connections = u32::try_from(connections).unwrap_or(u32::MAX);
        Self { began: Instant::now(), duration: limit.min(Duration::from_secs(1) * connections / PER_SECOND) }
    }

    /// The end of the connection with this number.
    pub(super) fn at(self, number: u64) -> Instant {
        // Neighbours in the order of their beginning, such as those of one customer, do not end together.
        let group = number.reverse_bits() >> (u64::BITS - GROUPS.ilog2());
        self.began + self.duration.mul_f64(group as f64 / GROUPS as f64)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn connections_end_evenly_within_the_limit() {
        let limit = Duration::from_secs(5);
        for (connections, expected) in [(0, 0), (1, 1), (100, 100), (2_000, 2_000), (5_000, 5_000), (1_000_000, 5_000)]
        {
            let closing = Closing::begin(connections, limit);
            assert_eq!(closing.duration.as_millis(), expected, "{connections}");
        }
        let closing = Closing::begin(20_000, limit);
        let mut ends: BTreeMap<u64, u32> = BTreeMap::new();
        for number in 7_000..27_000 {
            let end = closing.at(number).duration_since(closing.began);
            assert!(end < limit, "{number}");
            *ends.entry(end.as_secs()).or_default() += 1;
        }
        assert!(ends.len() == 5 && ends.values().all(|count| (3_900..4_100).contains(count)), "{ends:?}");
        assert!(closing.at(1).duration_since(closing.at(0)) > Duration::from_secs(1), "neighbours are apart");
    }
}
