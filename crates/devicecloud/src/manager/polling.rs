//! The state machine of polling one device.

use std::time::Duration;

/// The default delay between polls of a device.
pub const DEFAULT_DEVICE_POLL_INTERVAL: Duration = Duration::from_millis(5000);

/// The default timeout of a poll.
pub const DEFAULT_POLL_TIMEOUT: Duration = Duration::from_millis(5000);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Polling {
    /// Active, but the manager is not polling.
    Resting,
    /// Active: the timer runs.
    Waiting,
    /// Active: a read is in progress.
    Reading,
    /// Active: a read is in progress, and another one was requested after it started.
    ReadingTwice,
    Stopped,
    /// Stopped, with a read in progress.
    LastRead,
    /// Stopped, with a read in progress and another one requested after it started.
    LastTwoReads,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// The manager starts polling.
    Wake,
    /// The manager cancelled all requests and timers.
    Cut,
    Start,
    Stop,
    /// The timer expired.
    Due,
    /// A read that starts now or later is requested.
    Once,
    /// A read finished, successfully or not.
    Read,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Read,
    /// Start the timer.
    Schedule,
    /// Clear the timer.
    Clear,
}

impl Polling {
    pub(super) fn is_active(self) -> bool {
        matches!(self, Self::Resting | Self::Waiting | Self::Reading | Self::ReadingTwice)
    }

    /// The transitions until the first read begins. The manager runs that read as a step; it counts as the first poll.
    pub(super) fn before_first_read(self, event: Event) -> Self {
        match (self, event) {
            (Self::Resting, Event::Once) => Self::Reading,
            (Self::Stopped, Event::Once) => Self::LastRead,
            (Self::Resting, Event::Stop) => Self::Stopped,
            (Self::Stopped, Event::Start) => Self::Resting,
            (unmoved, _) => unmoved,
        }
    }

    pub(super) fn next(self, event: Event) -> (Self, Option<Effect>) {
        let read = Some(Effect::Read);
        match (self, event) {
            (Self::Resting, Event::Wake) => (Self::Reading, read),

            (Self::Waiting | Self::Reading | Self::ReadingTwice, Event::Cut) => (Self::Resting, Some(Effect::Clear)),
            (Self::LastRead | Self::LastTwoReads, Event::Cut) => (Self::Stopped, Some(Effect::Clear)),

            (Self::Stopped, Event::Start) => (Self::Reading, read),
            (Self::LastRead, Event::Start) => (Self::Reading, None),
            (Self::LastTwoReads, Event::Start) => (Self::ReadingTwice, None),

            (Self::Resting, Event::Stop) => (Self::Stopped, None),
            (Self::Waiting, Event::Stop) => (Self::Stopped, Some(Effect::Clear)),
            (Self::Reading, Event::Stop) => (Self::LastRead, None),
            (Self::ReadingTwice, Event::Stop) => (Self::LastTwoReads, None),

            (Self::Waiting, Event::Due) => (Self::Reading, read),

            (Self::Resting | Self::Waiting, Event::Once) => (Self::Reading, read),
            (Self::Reading, Event::Once) => (Self::ReadingTwice, None),
            (Self::Stopped, Event::Once) => (Self::LastRead, read),
            (Self::LastRead, Event::Once) => (Self::LastTwoReads, None),

            (Self::Reading, Event::Read) => (Self::Waiting, Some(Effect::Schedule)),
            (Self::ReadingTwice, Event::Read) => (Self::Reading, read),
            (Self::LastRead, Event::Read) => (Self::Stopped, None),
            (Self::LastTwoReads, Event::Read) => (Self::LastRead, read),

            (unmoved, _) => (unmoved, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Effect::*;
    use super::*;

    const EVENTS: [Event; 7] =
        [Event::Wake, Event::Cut, Event::Start, Event::Stop, Event::Due, Event::Once, Event::Read];

    #[test]
    fn every_pair_of_state_and_event() {
        use Polling::*;
        let no = |state| (state, None);
        let and = |state, effect| (state, Some(effect));
        #[rustfmt::skip]
        let table = [
            // from, [wake, cut, start, stop, due, once, read]
            (Resting, [and(Reading, Read), no(Resting), no(Resting), no(Stopped), no(Resting), and(Reading, Read), no(Resting)]),
            (Waiting, [no(Waiting), and(Resting, Clear), no(Waiting), and(Stopped, Clear), and(Reading, Read), and(Reading, Read), no(Waiting)]),
            (Reading, [no(Reading), and(Resting, Clear), no(Reading), no(LastRead), no(Reading), no(ReadingTwice), and(Waiting, Schedule)]),
            (ReadingTwice, [no(ReadingTwice), and(Resting, Clear), no(ReadingTwice), no(LastTwoReads), no(ReadingTwice), no(ReadingTwice), and(Reading, Read)]),
            (Stopped, [no(Stopped), no(Stopped), and(Reading, Read), no(Stopped), no(Stopped), and(LastRead, Read), no(Stopped)]),
            (LastRead, [no(LastRead), and(Stopped, Clear), no(Reading), no(LastRead), no(LastRead), no(LastTwoReads), no(Stopped)]),
            (LastTwoReads, [no(LastTwoReads), and(Stopped, Clear), no(ReadingTwice), no(LastTwoReads), no(LastTwoReads), no(LastTwoReads), and(LastRead, Read)]),
        ];
        for (from, row) in table {
            for (event, expected) in EVENTS.into_iter().zip(row) {
                assert_eq!(from.next(event), expected, "{from:?} {event:?}");
            }
        }
    }

    #[test]
    fn until_the_first_read_begins_only_start_and_stop_count() {
        use Polling::*;
        #[rustfmt::skip]
        let table = [
            // from, [wake, cut, start, stop, due, once, read]
            (Resting, [Resting, Resting, Resting, Stopped, Resting, Reading, Resting]),
            (Stopped, [Stopped, Stopped, Resting, Stopped, Stopped, LastRead, Stopped]),
        ];
        for (from, row) in table {
            for (event, expected) in EVENTS.into_iter().zip(row) {
                assert_eq!(from.before_first_read(event), expected, "{from:?} {event:?}");
            }
        }
    }

    #[test]
    fn only_a_stopped_device_is_inactive() {
        use Polling::*;
        for active in [Resting, Waiting, Reading, ReadingTwice] {
            assert!(active.is_active());
        }
        for inactive in [Stopped, LastRead, LastTwoReads] {
            assert!(!inactive.is_active());
        }
    }

    #[test]
    fn constants_are_those_of_the_specification() {
        assert_eq!(DEFAULT_DEVICE_POLL_INTERVAL.as_millis(), 5000);
        assert_eq!(DEFAULT_POLL_TIMEOUT.as_millis(), 5000);
    }
}
