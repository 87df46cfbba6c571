//! One case for all letters, the same on write and on read. Databases disagree about this; SQLite knows ASCII only.

/// Letters that differ in case only become equal, wherever they stand: a whole word and its part fold alike, which
/// `str::to_lowercase` does not promise (a sigma at the end of a word is another letter there).
pub(crate) fn fold(text: &str) -> String {
    text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_differ_in_case_only_become_equal() {
        let rows = [
            ("Hotel AURORA", "hotel aurora"),
            ("ÄÖÜ ñ Ø", "äöü Ñ ø"),
            ("ОТЕЛЬ", "отель"),
            ("ΟΔΟΣ", "οδος"),
            ("ΟΔΟΣ", "οδοσ"),
            ("Straße", "STRASSE"),
            ("4711-x_%\\", "4711-X_%\\"),
        ];
        for (one, other) in rows {
            assert_eq!(fold(one), fold(other), "{one} {other}");
        }
        assert_ne!(fold("Zürich"), fold("Zurich"), "an accent is no case");
    }

    #[test]
    fn part_folds_like_the_whole() {
        assert!(fold("ΟΔΟΣΑ").contains(&fold("ΟΔΟΣ")));
    }
}
