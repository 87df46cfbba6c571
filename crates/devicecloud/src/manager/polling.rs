//! The state machine of polling one device.

use std::time::Duration;

/// The default delay between polls of a device.
pub const DEFAULT_DEVICE_POLL_INTERVAL: Duration = Duration::from_millis(5000);

/// The default timeout of a poll.
pub const DEFAULT_POLL_TIMEOUT: Duration = Duration::from_millis(5000);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Polling {
    /// Active, but the manager is not polling.
    Idle,
    /// Active: the timer runs.
    Waiting,
    /// Active: a read is in progress.
    Reading,
    /// Active: a read is in progress, and another one was requested after it started.
    ReadingNextQueued,
    Stopped,
    /// Stopped, with a read in progress.
    StoppedReading,
    /// Stopped, with a read in progress and another one requested after it started.
    StoppedNextQueued,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// The manager starts polling.
    ManagerStarted,
    /// The manager cancelled all requests and timers.
    Reset,
    Start,
    Stop,
    /// The timer expired.
    Due,
    /// A read that starts now or later is requested.
    ReadRequested,
    /// A read finished, successfully or not.
    ReadFinished,
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
        matches!(self, Self::Idle | Self::Waiting | Self::Reading | Self::ReadingNextQueued)
    }

    /// The transitions until the first read begins. The manager runs that read as a step; it counts as the first poll.
    pub(super) fn before_first_read(self, event: Event) -> Self {
        match (self, event) {
            (Self::Idle, Event::ReadRequested) => Self::Reading,
            (Self::Stopped, Event::ReadRequested) => Self::StoppedReading,
            (Self::Idle, Event::Stop) => Self::Stopped,
            (Self::Stopped, Event::Start) => Self::Idle,
            (unchanged, _) => unchanged,
        }
    }

    pub(super) fn next(self, event: Event) -> (Self, Option<Effect>) {
        let read = Some(Effect::Read);
        match (self, event) {
            (Self::Idle, Event::ManagerStarted) => (Self::Reading, read),

            (Self::Waiting | Self::Reading | Self::ReadingNextQueued, Event::Reset) => {
                (Self::Idle, Some(Effect::Clear))
            }
            (Self::StoppedReading | Self::StoppedNextQueued, Event::Reset) => (Self::Stopped, Some(Effect::Clear)),

            (Self::Stopped, Event::Start) => (Self::Reading, read),
            (Self::StoppedReading, Event::Start) => (Self::Reading, None),
            (Self::StoppedNextQueued, Event::Start) => (Self::ReadingNextQueued, None),

            (Self::Idle, Event::Stop) => (Self::Stopped, None),
            (Self::Waiting, Event::Stop) => (Self::Stopped, Some(Effect::Clear)),
            (Self::Reading, Event::Stop) => (Self::StoppedReading, None),
            (Self::ReadingNextQueued, Event::Stop) => (Self::StoppedNextQueued, None),

            (Self::Waiting, Event::Due) => (Self::Reading, read),

            (Self::Idle | Self::Waiting, Event::ReadRequested) => (Self::Reading, read),
            (Self::Reading, Event::ReadRequested) => (Self::ReadingNextQueued, None),
            (Self::Stopped, Event::ReadRequested) => (Self::StoppedReading, read),
            (Self::StoppedReading, Event::ReadRequested) => (Self::StoppedNextQueued, None),

            (Self::Reading, Event::ReadFinished) => (Self::Waiting, Some(Effect::Schedule)),
            (Self::ReadingNextQueued, Event::ReadFinished) => (Self::Reading, read),
            (Self::StoppedReading, Event::ReadFinished) => (Self::Stopped, None),
            (Self::StoppedNextQueued, Event::ReadFinished) => (Self::StoppedReading, read),

            (unchanged, _) => (unchanged, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Effect::*;
    use super::*;

    const EVENTS: [Event; 7] = [
        Event::ManagerStarted,
        Event::Reset,
        Event::Start,
        Event::Stop,
        Event::Due,
        Event::ReadRequested,
        Event::ReadFinished,
    ];

    #[test]
    fn every_pair_of_state_and_event_has_the_listed_transition() {
        use Polling::*;
        let no = |state| (state, None);
        let and = |state, effect| (state, Some(effect));
        #[rustfmt::skip]
        let table = [
            // from, [manager started, reset, start, stop, due, read requested, read finished]
            (Idle, [and(Reading, Read), no(Idle), no(Idle), no(Stopped), no(Idle), and(Reading, Read), no(Idle)]),
            (Waiting, [no(Waiting), and(Idle, Clear), no(Waiting), and(Stopped, Clear), and(Reading, Read), and(Reading, Read), no(Waiting)]),
            (Reading, [no(Reading), and(Idle, Clear), no(Reading), no(StoppedReading), no(Reading), no(ReadingNextQueued), and(Waiting, Schedule)]),
            (ReadingNextQueued, [no(ReadingNextQueued), and(Idle, Clear), no(ReadingNextQueued), no(StoppedNextQueued), no(ReadingNextQueued), no(ReadingNextQueued), and(Reading, Read)]),
            (Stopped, [no(Stopped), no(Stopped), and(Reading, Read), no(Stopped), no(Stopped), and(StoppedReading, Read), no(Stopped)]),
            (StoppedReading, [no(StoppedReading), and(Stopped, Clear), no(Reading), no(StoppedReading), no(StoppedReading), no(StoppedNextQueued), no(Stopped)]),
            (StoppedNextQueued, [no(StoppedNextQueued), and(Stopped, Clear), no(ReadingNextQueued), no(StoppedNextQueued), no(StoppedNextQueued), no(StoppedNextQueued), and(StoppedReading, Read)]),
        ];
        for (from, row) in table {
            for (event, expected) in EVENTS.into_iter().zip(row) {
                assert_eq!(from.next(event), expected, "{from:?} {event:?}");
            }
        }
    }

    #[test]
    fn before_the_first_read_only_start_stop_and_read_count() {
        use Polling::*;
        #[rustfmt::skip]
        let table = [
            // from, [manager started, reset, start, stop, due, read requested, read finished]
            (Idle, [Idle, Idle, Idle, Stopped, Idle, Reading, Idle]),
            (Stopped, [Stopped, Stopped, Idle, Stopped, Stopped, StoppedReading, Stopped]),
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
        for active in [Idle, Waiting, Reading, ReadingNextQueued] {
            assert!(active.is_active());
        }
        for inactive in [Stopped, StoppedReading, StoppedNextQueued] {
            assert!(!inactive.is_active());
        }
    }

    #[test]
    fn polling_constants_are_the_specified_ones() {
        assert_eq!(DEFAULT_DEVICE_POLL_INTERVAL.as_millis(), 5000);
        assert_eq!(DEFAULT_POLL_TIMEOUT.as_millis(), 5000);
    }
}
