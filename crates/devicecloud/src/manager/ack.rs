//! How a write polls for its acknowledgement.

/// The default acknowledgement timeout: 10 polls, which take 10 s at the default interval.
pub const DEFAULT_ACK_WAIT_SECS: u32 = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AckPolling {
    iteration: u32,
    max: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Poll(AckPolling),
    GiveUp,
}

impl AckPolling {
    /// The caller's timeout replaces the number of polls.
    pub(super) fn new(max_count: u32, ack_timeout: Option<u32>) -> Self {
        Self { iteration: 0, max: ack_timeout.unwrap_or(max_count) }
    }

    /// Called after each interval.
    pub(super) fn next(self) -> Step {
        match self.iteration {
            polls if polls >= self.max => Step::GiveUp,
            polls => Step::Poll(Self { iteration: polls + 1, ..self }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polls(mut polling: AckPolling) -> u32 {
        let mut count = 0;
        while let Step::Poll(next) = polling.next() {
            polling = next;
            count += 1;
        }
        count
    }

    #[test]
    fn ack_polling_gives_up_after_the_maximum_count() {
        for max in [0, 1, 8] {
            assert_eq!(polls(AckPolling::new(max, None)), max);
        }
    }

    #[test]
    fn ack_timeout_replaces_the_maximum_count() {
        assert_eq!(DEFAULT_ACK_WAIT_SECS, 10);
        for (timeout, expected) in [(0, 0), (3, 3), (DEFAULT_ACK_WAIT_SECS, 10)] {
            assert_eq!(polls(AckPolling::new(8, Some(timeout))), expected);
        }
    }

    #[test]
    fn largest_poll_count_does_not_overflow() {
        let polling = AckPolling { iteration: u32::MAX, max: u32::MAX };
        assert_eq!(polling.next(), Step::GiveUp);
    }
}
