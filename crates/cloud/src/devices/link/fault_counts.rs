//! The faults of one connection that are not stored yet. A fault is stored at once, and its repetitions once a minute.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;

use crate::domain::report_fault::{FaultKind, MAX_UNKNOWN, OTHERS};

/// Minimum time between two writes of the same fault.
const INTERVAL: Duration = Duration::from_secs(60);

/// Faults by subject and kind.
#[derive(Debug, Default)]
pub(super) struct FaultCounts(BTreeMap<(String, FaultKind), Pending>);

#[derive(Debug, Default)]
struct Pending {
    /// Not stored yet.
    count: i64,
    shape: String,
    reason: String,
    last_at: Timestamp,
    stored_at: Option<Instant>,
}

/// A number of faults to store.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FaultCount {
    pub(super) subject: String,
    pub(super) kind: FaultKind,
    pub(super) count: i64,
    /// The shape of the last value.
    pub(super) shape: String,
    /// Why the first of the values was not stored.
    pub(super) reason: String,
    pub(super) last_at: Timestamp,
}

impl FaultCounts {
    /// Counts a fault. `reason`, which may be slow, is called for the first one since the last write.
    pub(super) fn add(
        &mut self,
        subject: String,
        kind: FaultKind,
        shape: String,
        at: Timestamp,
        reason: impl FnOnce() -> String,
    ) {
        let mut key = (subject, kind);
        if kind == FaultKind::UnknownProperty && !self.0.contains_key(&key) && self.unknown() >= MAX_UNKNOWN {
            OTHERS.clone_into(&mut key.0);
        }
        let pending = self.0.entry(key).or_default();
        if pending.count == 0 {
            pending.reason = reason();
        }
        pending.count += 1;
        pending.shape = shape;
        pending.last_at = at;
    }

    /// When the next faults are to be stored; `None` if all are.
    pub(super) fn due(&self) -> Option<Instant> {
        let unstored = self.0.values().filter(|pending| pending.count > 0);
        unstored.map(|pending| pending.stored_at.map_or_else(Instant::now, |at| at + INTERVAL)).min()
    }

    /// Takes the faults that are due at this time, or all that are not stored.
    pub(super) fn take(&mut self, due_at: Option<Instant>) -> Vec<FaultCount> {
        let is_due = |pending: &Pending| {
            pending.count > 0 && due_at.zip(pending.stored_at).is_none_or(|(now, stored)| now >= stored + INTERVAL)
        };
        let due = self.0.iter_mut().filter(|(_, pending)| is_due(pending));
        let take = |((subject, kind), pending): (&(String, FaultKind), &mut Pending)| {
            pending.stored_at = Some(due_at.unwrap_or_else(Instant::now));
            FaultCount {
                subject: subject.clone(),
                kind: *kind,
                count: std::mem::take(&mut pending.count),
                shape: std::mem::take(&mut pending.shape),
                reason: std::mem::take(&mut pending.reason),
                last_at: pending.last_at,
            }
        };
        due.map(take).collect()
    }

    fn unknown(&self) -> usize {
        self.0.keys().filter(|(_, kind)| *kind == FaultKind::UnknownProperty).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp::constant(1_795_780_800, 0);

    fn add(counts: &mut FaultCounts, subject: &str, shape: &str) {
        counts.add(subject.to_owned(), FaultKind::UnknownProperty, shape.to_owned(), NOON, || shape.to_owned());
    }

    #[test]
    fn first_fault_is_due_at_once_and_repetitions_a_minute_later() {
        let (mut counts, now) = (FaultCounts::default(), Instant::now());
        assert_eq!((counts.due(), counts.take(None)), (None, vec![]));
        add(&mut counts, "temp", "1");
        let first = counts.take(Some(now));
        assert_eq!((first.len(), first[0].count, &*first[0].shape), (1, 1, "1"));
        for shape in ["2", "3", "4"] {
            add(&mut counts, "temp", shape);
        }
        assert_eq!(counts.due(), Some(now + INTERVAL));
        assert_eq!(counts.take(Some(now + INTERVAL - Duration::from_millis(1))), []);
        add(&mut counts, "other", "5");
        assert_eq!(counts.take(Some(now)).len(), 1, "another name is new");
        let rest = counts.take(Some(now + INTERVAL));
        assert_eq!((rest.len(), rest[0].count, &*rest[0].shape, &*rest[0].reason), (1, 3, "4", "2"));
        assert_eq!(counts.due(), None);
        add(&mut counts, "temp", "6");
        assert_eq!(counts.take(None).len(), 1, "the end of the connection");
    }

    #[test]
    fn unknown_names_beyond_the_limit_are_counted_together() {
        let mut counts = FaultCounts::default();
        for n in 0..1000 {
            add(&mut counts, &format!("p{n}"), "1");
        }
        let taken = counts.take(None);
        let others: Vec<i64> = taken.iter().filter(|it| it.subject == OTHERS).map(|it| it.count).collect();
        assert_eq!((taken.len(), others), (MAX_UNKNOWN + 1, vec![1000 - 32]));
    }
}
