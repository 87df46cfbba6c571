//! Recognizes the cloud's stream events of commands that this console has sent itself.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use devicecloud::PropertyValue;
use jiff::{SignedDuration, Timestamp};

/// How long to wait for the event of a command.
const MAX_AGE: SignedDuration = SignedDuration::from_secs(10);
/// Maximum number of expected events; the oldest are dropped. An event that is no longer expected is published, which
/// costs a read and nothing else.
const CAPACITY: usize = 1024;

/// The commands whose events are expected. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Echoes(Arc<Mutex<VecDeque<Expected>>>);

struct Expected {
    dsn: String,
    property: &'static str,
    value: PropertyValue,
    sent_at: Timestamp,
}

impl Echoes {
    /// Expects the event of a command; call this before the command is sent.
    pub(crate) fn expect(&self, dsn: &str, property: &'static str, value: PropertyValue, now: Timestamp) {
        let mut expected = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if expected.len() == CAPACITY {
            expected.pop_front();
        }
        expected.push_back(Expected { dsn: dsn.to_owned(), property, value, sent_at: now });
    }

    /// Whether an event belongs to a command of this console. Each command has one event.
    pub(crate) fn take(&self, dsn: &str, property: &str, value: Option<&PropertyValue>, now: Timestamp) -> bool {
        let mut expected = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        expected.retain(|it| now.duration_since(it.sent_at) < MAX_AGE);
        let found = expected.iter().position(|it| it.dsn == dsn && it.property == property && Some(&it.value) == value);
        found.and_then(|at| expected.remove(at)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + seconds).unwrap()
    }

    fn value(number: i64) -> PropertyValue {
        number.into()
    }

    #[test]
    fn each_expected_event_is_taken_once() {
        let echoes = Echoes::default();
        echoes.expect("A", "fan", value(3), at(0));
        for (dsn, property, number) in [("B", "fan", 3), ("A", "cycle", 3), ("A", "fan", 4)] {
            assert!(!echoes.take(dsn, property, Some(&value(number)), at(1)), "{dsn} {property} {number}");
        }
        assert!(!echoes.take("A", "fan", None, at(1)));
        assert!(echoes.take("A", "fan", Some(&value(3)), at(1)));
        assert!(!echoes.take("A", "fan", Some(&value(3)), at(1)), "the same value, sent by another client");
    }

    #[test]
    fn late_event_is_not_taken() {
        let echoes = Echoes::default();
        echoes.expect("A", "fan", value(3), at(0));
        assert!(!echoes.take("A", "fan", Some(&value(3)), at(10)));
    }

    #[test]
    fn number_of_expected_events_is_bounded() {
        let echoes = Echoes::default();
        for number in 0..=CAPACITY {
            echoes.expect("A", "fan", value(number as i64), at(0));
        }
        assert!(!echoes.take("A", "fan", Some(&value(0)), at(1)));
        assert!(echoes.take("A", "fan", Some(&value(1)), at(1)));
    }
}
