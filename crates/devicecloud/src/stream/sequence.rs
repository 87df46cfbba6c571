//! Whether an event was missed: pure.

/// The number of the last event of this connection, and whether there may have been one that could not be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sequence {
    last: Option<u64>,
    doubt: bool,
}

impl Sequence {
    /// Takes the number of an event; `true` = something was missed before it. Any number may be the first,
    /// the same number again is a repetition. Where numbers say nothing, a frame that could not be read was an event.
    pub(super) fn observe(self, seq: Option<u64>) -> (Self, bool) {
        let gap = match (self.last, seq) {
            (Some(last), Some(seq)) => seq != last && Some(seq) != last.checked_add(1),
            (None, _) | (_, None) => self.doubt,
        };
        (Self { last: seq.or(self.last), doubt: false }, gap)
    }

    /// Takes a frame that could not be read.
    pub(super) fn unreadable(self) -> Self {
        Self { doubt: true, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps() {
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
    fn what_could_not_be_read_is_missed_where_numbers_do_not_tell() {
        // `?` = a frame that could not be read, `-` = an event without a number; a gap before the last one?
        let table =
            [("?1", true), ("1?2", false), ("1?3", true), ("?-", true), ("?-1", false), ("1?-", true), ("?12", false)];
        for (script, expected) in table {
            let mut sequence = Sequence::default();
            let mut gap = false;
            for step in script.chars() {
                if step == '?' {
                    sequence = sequence.unreadable();
                } else {
                    (sequence, gap) = sequence.observe(step.to_digit(10).map(u64::from));
                }
            }
            assert_eq!(gap, expected, "{script}");
        }
    }
}
