//! Foldings of texts, the same for writes and reads. They are done here because databases differ; SQLite folds only ASCII.

use unicode_normalization::UnicodeNormalization;

/// Maps spellings that people use for one another to the same text: case, accents, width, and kinds of apostrophes, hyphens and
/// blanks make no difference. A part of a word folds as it does within the word. For search, filters and order, not for identity.
pub(crate) fn fold(text: &str) -> String {
    // Most texts; each change of a device folds a dozen of them.
    if text.is_ascii() {
        return text.to_ascii_lowercase().replace('`', "'").replace(char::is_whitespace, " ");
    }
    let mut folded = String::with_capacity(text.len());
    // Decomposed, the acute accent becomes a blank, and a sign such as ™ upper-case letters.
    let decomposed: String = text.replace('\u{b4}', "'").nfkd().filter(|it| !is_accent(*it)).collect();
    // Letters in another case can have accents of their own.
    for character in fold_case(&decomposed).nfkd().filter(|it| !is_accent(*it)) {
        match character {
            'ł' => folded.push('l'),
            'đ' | 'ð' => folded.push('d'),
            'ø' => folded.push('o'),
            'ħ' => folded.push('h'),
            'ı' => folded.push('i'),
            'ŧ' => folded.push('t'),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'þ' => folded.push_str("th"),
            '‘' | '’' | '‛' | 'ʹ' | 'ʻ' | 'ʼ' | '′' | '`' => folded.push('\''),
            '“' | '”' | '„' | '«' | '»' => folded.push('"'),
            '‐'..='―' | '−' => folded.push('-'),
            blank if blank.is_whitespace() => folded.push(' '),
            other => folded.push(other),
        }
    }
    folded
}

/// Accents of Latin, Greek and Cyrillic letters. Marks of other scripts change the letter, and are kept.
fn is_accent(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}')
}

/// Makes letters equal that differ only in case. A part of a word folds as it does within the word, unlike with
/// `str::to_lowercase`, which converts a sigma at the end of a word to another letter.
pub(crate) fn fold_case(text: &str) -> String {
    text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_differ_only_in_case_fold_equally() {
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
            assert_eq!(fold_case(one), fold_case(other), "{one} {other}");
            assert_eq!(fold(one), fold(other), "{one} {other}");
        }
        assert_ne!(fold_case("Zürich"), fold_case("Zurich"), "an accent is no case");
    }

    #[test]
    fn what_people_type_for_each_other_folds_equally() {
        let rows = [
            ("Zürich", "zurich"),
            ("Zu\u{308}rich", "Zürich"),
            ("Łódź Główna", "lodz glowna"),
            ("Østergade, Ærø", "ostergade, aero"),
            ("D’Angelo", "D'Angelo"),
            ("L`Étoile", "l´etoile"),
            ("„Zum Löwen“", "\"zum lowen\""),
            ("Bar\u{a0}Nord\u{2009}2", "bar nord 2"),
            ("Aix–en‑Provence", "aix-en-provence"),
            ("ＣＡＦＥ", "cafe"),
            ("L`Hotel\tBAR", "l‘hotel bar"),
            ("İstanbul Işık", "istanbul isik"),
            ("Ёлка", "елка"),
            ("ἀθήνα", "αθηνα"),
            ("Lin™ № 5 ℃", "lintm no 5 °c"),
            ("ǰ ΐ ŉ", "j ι ʼn"),
        ];
        for (one, other) in rows {
            assert_eq!(fold(one), fold(other), "{one} {other}");
            assert_eq!(fold(&fold(one)), fold(one), "{one} folds once");
        }
        assert_ne!(fold("が"), fold("か"), "another letter of its script");
        assert_ne!(fold("Store 2"), fold("Store2"), "a blank is a letter");
    }

    #[test]
    fn part_folds_like_the_whole() {
        for (whole, part) in [("ΟΔΟΣΑ", "ΟΔΟΣ"), ("Hotel Zürich Süd", "urich s"), ("Straße", "ss"), ("Ærø", "er")]
        {
            assert!(fold(whole).contains(&fold(part)), "{part}");
        }
    }
}
