//! When to poll for the acknowledgement of a write, as a pure function of the time that was waited. The number of polls
//! is the default; a caller can give a time instead, which limits the polls too.

use std::time::Duration;

/// The default time to wait for an acknowledgement. It is up to the caller to pass it.
pub const DEFAULT_ACK_WAIT: Duration = Duration::from_secs(10);

/// The interval of polls, unless a managed property has another one.
pub(super) const INTERVAL: Duration = Duration::from_secs(1);

/// The polls of one write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AckPolling {
    interval: Duration,
    polls_left: u32,
    /// The limit of the time to wait.
    ack_wait: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Poll { after: Duration, then: AckPolling },
    GiveUp { after: Duration },
}

impl AckPolling {
    /// Polls this many times, and gives up when the next poll would be due.
    pub(crate) fn times(count: u32, interval: Duration) -> Self {
        Self { interval, polls_left: count, ack_wait: None }
    }

    /// Polls as often as fits into a time, the last time at its end.
    pub(crate) fn within(ack_wait: Duration, interval: Duration) -> Self {
        // At least a millisecond, so that a fast cloud is not flooded.
        let interval = interval.max(Duration::from_millis(1));
        let polls = ack_wait.as_nanos().div_ceil(interval.as_nanos());
        Self { interval, polls_left: u32::try_from(polls).unwrap_or(u32::MAX), ack_wait: Some(ack_wait) }
    }

    /// The next step, after having waited this long in all. A slow poll takes its time from the next ones.
    pub(super) fn next(self, waited: Duration) -> Step {
        let time_left = self.ack_wait.map(|ack_wait| ack_wait.saturating_sub(waited));
        let after = time_left.map_or(self.interval, |left| left.min(self.interval));
        let is_over = self.polls_left == 0 || time_left == Some(Duration::ZERO);
        match (is_over, self.ack_wait) {
            (false, _) => Step::Poll { after, then: Self { polls_left: self.polls_left - 1, ..self } },
            (true, None) => Step::GiveUp { after },
            (true, Some(_)) => Step::GiveUp { after: Duration::ZERO },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// When the polls happen and when they end, if each poll takes this long.
    fn polls(mut polling: AckPolling, duration: Duration) -> (Vec<Duration>, Duration) {
        let (mut waited, mut polls) = (Duration::ZERO, Vec::new());
        loop {
            match polling.next(waited) {
                Step::Poll { after, then } => {
                    polls.push(waited + after);
                    waited += after + duration;
                    polling = then;
                }
                Step::GiveUp { after } => return (polls, waited + after),
            }
        }
    }

    #[test]
    fn count_of_polls_gives_up_when_the_next_one_would_be_due() {
        for count in [0, 1, 8] {
            let (polls, end) = polls(AckPolling::times(count, SECOND), Duration::ZERO);
            assert_eq!(polls, (1..=count).map(|n| n * SECOND).collect::<Vec<_>>());
            assert_eq!(end, (count + 1) * SECOND);
        }
    }

    #[test]
    fn ack_wait_replaces_the_count_of_polls() {
        assert_eq!(DEFAULT_ACK_WAIT, 10 * SECOND);
        for secs in [0, 3, 10] {
            let (polls, end) = polls(AckPolling::within(secs * SECOND, SECOND), Duration::ZERO);
            assert_eq!((polls.len(), end), (secs as usize, secs * SECOND));
        }
    }

    #[test]
    fn ack_wait_ends_with_a_poll_and_never_takes_longer_than_one_poll_more() {
        let millis = Duration::from_millis;
        let table = [
            // (wait, interval, duration of a poll, times of polls, end)
            (2500, 1000, 0, vec![1000, 2000, 2500], 2500),
            (2500, 1000, 400, vec![1000, 2400], 2800),
            (2000, 1000, 30_000, vec![1000], 31_000),
            (500, 1000, 30_000, vec![500], 30_500),
            (2, 0, 0, vec![1, 2], 2),
            (0, 1000, 0, vec![], 0),
        ];
        for (wait, interval, duration, times, end) in table {
            let polling = AckPolling::within(millis(wait), millis(interval));
            let expected = (times.into_iter().map(millis).collect(), millis(end));
            assert_eq!(polls(polling, millis(duration)), expected, "{wait} ms");
            assert!(end <= wait + duration, "{wait} ms");
        }
    }

    #[test]
    fn longest_wait_does_not_overflow() {
        let polling = AckPolling::within(Duration::MAX, Duration::ZERO);
        assert_eq!(polling.polls_left, u32::MAX);
        assert!(matches!(polling.next(Duration::MAX), Step::GiveUp { .. }));
    }
}
