//! Detects missed events by their sequence numbers.

/// The last sequence number of this connection, and whether an unreadable frame followed it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sequence {
    last: Option<u64>,
    unreadable: bool,
}

impl Sequence {
    /// Records the sequence number of an event; returns `true` if an event was missed before it. Any number may be the
    /// first, and the same number again is a repetition. Without numbers to compare, an unreadable frame counts as a
    /// missed event.
    pub(super) fn observe(self, seq: Option<u64>) -> (Self, bool) {
        let gap = match (self.last, seq) {
            (Some(last), Some(seq)) => seq != last && Some(seq) != last.checked_add(1),
            (None, _) | (_, None) => self.unreadable,
        };
        (Self { last: seq.or(self.last), unreadable: false }, gap)
    }

    /// Records an unreadable frame.
    pub(super) fn record_unreadable(self) -> Self {
        Self { unreadable: true, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_gaps_are_detected() {
        let table: [(&[Option<u64>], &[bool]); 6] = [
            (&[Some(0), Some(1), Some(2)], &[false, false, false]),
            (&[Some(7), Some(8)], &[false, false]),
            (&[Some(1), Some(3), Some(4)], &[false, true, false]),
            (&[Some(1), Some(1), Some(2)], &[false, false, false]),
            (&[Some(5), Some(1), Some(2)], &[false, true, false]),
            (&[Some(1), None, Some(2), Some(u64::MAX), Some(u64::MAX)], &[false, false, false, true, false]),
        ];
        for (seqs, expected) in table {
            let mut sequence = Sequence::default();
            let mut gaps = Vec::new();
            for seq in seqs {
                let (next, gap) = sequence.observe(*seq);
                sequence = next;
                gaps.push(gap);
            }
            assert_eq!(gaps, expected, "{seqs:?}");
        }
    }
    #[test]
    fn unreadable_frame_is_a_gap_without_sequence_numbers() {
        // `?` is an unreadable frame, `-` an event without a number; the flag says whether the last event follows a
        // gap.
        let table =
            [("?1", true), ("1?2", false), ("1?3", true), ("?-", true), ("?-1", false), ("1?-", true), ("?12", false)];
        for (script, expected) in table {
            let mut sequence = Sequence::default();
            let mut gap = false;
            for step in script.chars() {
                if step == '?' {
                    sequence = sequence.record_unreadable();
                } else {
                    (sequence, gap) = sequence.observe(step.to_digit(10).map(u64::from));
                }
            }
            assert_eq!(gap, expected, "{script}");
        }
    }
}
