//! The order of texts in lists: numbers within them by their value, so that "Store 2" comes before "Store 10".

use std::cmp::Ordering;

/// Compares two folded texts. Texts are equal only if they are the same.
pub(crate) fn compare(one: &str, other: &str) -> Ordering {
    by_parts(one.as_bytes(), other.as_bytes()).then_with(|| one.cmp(other))
}

fn by_parts(mut one: &[u8], mut other: &[u8]) -> Ordering {
    loop {
        let same = one.iter().zip(other).take_while(|(one, other)| one == other).count();
        // The number that both are in begins before the first difference.
        let digits = one[..same].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let begin = same - digits;
        let (left, right) = (number(&one[begin..]), number(&other[begin..]));
        if left.is_empty() || right.is_empty() {
            return one[same..].first().cmp(&other[same..].first());
        }
        let by_value = significant(left)
            .len()
            .cmp(&significant(right).len())
            .then_with(|| significant(left).cmp(significant(right)));
        if by_value.is_ne() {
            return by_value;
        }
        (one, other) = (&one[begin + left.len()..], &other[begin + right.len()..]);
    }
}

/// The digits at the beginning of a text.
fn number(text: &[u8]) -> &[u8] {
    &text[..text.iter().take_while(|byte| byte.is_ascii_digit()).count()]
}

fn significant(digits: &[u8]) -> &[u8] {
    &digits[digits.iter().take_while(|digit| **digit == b'0').count()..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_within_texts_are_ordered_by_value() {
        let rising = [
            "",
            "007",
            "7",
            "8",
            "10",
            "a",
            "a1",
            "a01b",
            "a1b",
            "a2",
            "a10",
            "a10b2",
            "a10b10",
            "ab",
            "store 2",
            "store 2 east",
            "store 10",
            "v1.9",
            "v1.10",
            "x99999999999999999998",
            "x99999999999999999999",
            "x100000000000000000000",
            "zürich",
        ];
        for (at, one) in rising.iter().enumerate() {
            for (other_at, other) in rising.iter().enumerate() {
                if at == other_at || significant_parts(one) != significant_parts(other) {
                    assert_eq!(compare(one, other), at.cmp(&other_at), "{one:?} {other:?}");
                }
            }
        }
        assert_eq!(compare("a01", "a1"), Ordering::Less);
        assert_eq!(compare("a1", "a01"), Ordering::Greater);
    }

    /// Texts that differ only in leading zeros are compared as texts.
    fn significant_parts(text: &str) -> String {
        text.replace('0', "")
    }
}
