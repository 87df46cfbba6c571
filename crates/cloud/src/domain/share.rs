//! Operation and period of shares.

use jiff::Timestamp;
use platform::run::clock::to_micros;

/// What the recipient may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// Read it.
    Read,
    /// Also command it.
    Write,
}

impl Operation {
    /// As on the wire and in the database.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }

    /// Parses [`as_str`](Self::as_str).
    pub(crate) fn find(text: &str) -> Option<Self> {
        [Self::Read, Self::Write].into_iter().find(|operation| operation.as_str() == text)
    }
}

/// From `start` until before `end`, in microseconds. A missing bound is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Period {
    pub(crate) start: Option<i64>,
    pub(crate) end: Option<i64>,
}

/// Why a period is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PeriodError {
    /// Its end has passed.
    #[error("is over")]
    Over,
    /// It ends before it starts, or at the same time.
    #[error("is not after the start")]
    Empty,
}

impl Period {
    /// Checks the period of a share that somebody gives or changes at this time.
    ///
    /// # Errors
    /// [`PeriodError`], about the end.
    pub(crate) fn check(self, now: Timestamp) -> Result<(), PeriodError> {
        if self.end.is_some_and(|end| end <= to_micros(now)) {
            Err(PeriodError::Over)
        } else if self.start.zip(self.end).is_some_and(|(start, end)| end <= start) {
            Err(PeriodError::Empty)
        } else {
            Ok(())
        }
    }

    pub(crate) fn covers(self, moment: Timestamp) -> bool {
        let moment = to_micros(moment);
        self.start.is_none_or(|start| start <= moment) && self.end.is_none_or(|end| moment < end)
    }
}

/// A user with whom a device is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct ShareRecipient {
    pub(crate) user_id: i64,
    pub(crate) period: Period,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn period_includes_its_start_and_excludes_its_end() {
        let table = [
            (None, None, [true, true, true]),
            (Some(10), None, [false, true, true]),
            (None, Some(10), [true, false, false]),
            (Some(9), Some(11), [true, true, false]),
            (Some(10), Some(10), [false, false, false]),
        ];
        for (start, end, expected) in table {
            let covers = [9, 10, 11].map(|moment| {
                let moment = Timestamp::from_microsecond(moment).unwrap();
                Period { start, end }.covers(moment)
            });
            assert_eq!(covers, expected, "{start:?} {end:?}");
        }
    }

    #[test]
    fn every_operation_round_trips_through_its_text() {
        for operation in [Operation::Read, Operation::Write] {
            assert_eq!(Operation::find(operation.as_str()), Some(operation));
        }
        assert_eq!(Operation::find("admin"), None);
    }
}
