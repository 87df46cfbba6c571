//! How far the states in the index are complete by the live stream. They are complete up to an event only if a pass began
//! after the stream became complete, and every event since then was applied: a single event says nothing about the ones
//! before it.

use jiff::Timestamp;

use super::sync_state::MAX_STREAM_DELAY;

/// The events that this node has applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StreamProgress {
    /// Since when every event was received and applied.
    since: Option<Timestamp>,
    /// The cloud has sent everything that happened before this time, apart from [`MAX_STREAM_DELAY`].
    until: Option<Timestamp>,
}

impl StreamProgress {
    /// Records that an event was applied which arrived on a stream that is complete since `since`. `until` is the
    /// earlier of the times when the cloud recorded the event and when it arrived, because the two clocks may differ.
    pub(crate) fn record(&mut self, since: Timestamp, until: Option<Timestamp>) {
        self.since = self.since.max(Some(since));
        self.until = self.until.max(until);
    }

    /// Records that events which arrived up to `now` may be missing from the index.
    pub(crate) fn record_gap(&mut self, now: Timestamp) {
        self.since = self.since.max(Some(now));
    }

    /// The time up to which the states in the index are complete, given when the last complete pass began.
    pub(crate) fn states_as_of(&self, pass_began: Option<Timestamp>) -> Option<Timestamp> {
        let is_complete = self.since? < pass_began?;
        self.until.filter(|_| is_complete).map(|until| until - MAX_STREAM_DELAY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    #[test]
    fn stream_advances_the_time_only_if_it_is_complete_since_before_a_pass() {
        let applied = |events: &[(i64, i64)]| {
            let mut progress = StreamProgress::default();
            events.iter().for_each(|(since, until)| progress.record(at(*since), Some(at(*until))));
            progress
        };
        // For each event, since when the stream is complete and when the event was sent.
        type Row<'a> = (&'a [(i64, i64)], Option<i64>, Option<i64>);
        let rows: [Row<'_>; 8] = [
            (&[], Some(5), None),
            (&[(0, 100)], None, None),
            (&[(0, 100)], Some(0), None),
            (&[(0, 100)], Some(1), Some(90)),
            (&[(0, 100), (0, 99)], Some(1), Some(90)),
            // The stream was interrupted after the pass began.
            (&[(0, 100), (50, 120)], Some(1), None),
            (&[(0, 100), (50, 120)], Some(50), None),
            (&[(0, 100), (50, 120)], Some(51), Some(110)),
        ];
        for (events, pass_began, expected) in rows {
            assert_eq!(applied(events).states_as_of(pass_began.map(at)), expected.map(at), "{events:?} {pass_began:?}");
        }
    }

    #[test]
    fn gap_and_event_without_time_do_not_advance_the_time() {
        let mut progress = StreamProgress::default();
        progress.record(at(0), None);
        assert_eq!(progress.states_as_of(Some(at(1))), None);
        progress.record(at(0), Some(at(100)));
        progress.record_gap(at(100));
        progress.record(at(0), Some(at(120)));
        assert_eq!(progress.states_as_of(Some(at(99))), None);
        assert_eq!(progress.states_as_of(Some(at(101))), Some(at(110)));
    }
}
