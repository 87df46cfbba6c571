//! Whether an event was missed: pure.

/// The number of the last event of this connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sequence(Option<u64>);

impl Sequence {
    /// Takes the number of an event; `true` = something was missed before it. Any number may be the first,
    /// the same number again is a repetition, and an event without a number says nothing.
    pub(super) fn observe(self, seq: Option<u64>) -> (Self, bool) {
        let Some(seq) = seq else { return (self, false) };
        let gap = self.0.is_some_and(|last| seq != last && Some(seq) != last.checked_add(1));
        (Self(Some(seq)), gap)
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
}
