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
    Ask(AckPolling),
    GiveUp,
}

impl AckPolling {
    /// The caller's timeout replaces the number of polls.
    pub(super) fn new(max_count: u32, ack_timeout: Option<u32>) -> Self {
        Self { iteration: 0, max: ack_timeout.unwrap_or(max_count) }
    }

    /// Called after each interval.
    pub(super) fn waited(self) -> Step {
        match self.iteration {
            asked if asked >= self.max => Step::GiveUp,
            asked => Step::Ask(Self { iteration: asked + 1, ..self }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tries(mut polling: AckPolling) -> u32 {
        let mut tries = 0;
        while let Step::Ask(next) = polling.waited() {
            polling = next;
            tries += 1;
        }
        tries
    }

    #[test]
    fn it_asks_as_often_as_the_property_says_and_gives_up_before_the_next() {
        for max in [0, 1, 8] {
            assert_eq!(tries(AckPolling::new(max, None)), max);
        }
    }

    #[test]
    fn a_timeout_of_the_caller_replaces_the_number_of_tries() {
        assert_eq!(DEFAULT_ACK_WAIT_SECS, 10);
        for (timeout, expected) in [(0, 0), (3, 3), (DEFAULT_ACK_WAIT_SECS, 10)] {
            assert_eq!(tries(AckPolling::new(8, Some(timeout))), expected);
        }
    }

    #[test]
    fn the_largest_number_of_tries_does_not_overflow() {
        let polling = AckPolling { iteration: u32::MAX, max: u32::MAX };
        assert_eq!(polling.waited(), Step::GiveUp);
    }
}
