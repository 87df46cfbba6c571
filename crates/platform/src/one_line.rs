//! Texts of one line, such as names: in Unicode's normal form C, so that equal names are equal texts, and without characters that cannot be
//! seen. A right-to-left override or a zero-width blank in a name would let it look like another.

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, UnicodeEmoji, UnicodeGeneralCategory};

/// Joins emoji to one picture, as in a family.
const JOINER: char = '\u{200d}';
/// Asks for the coloured form of the emoji before it.
const COLOURED: char = '\u{fe0f}';

/// A character that a line must not contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("has an invisible character (U+{:04X}) at position {position}", u32::from(*character))]
pub struct Invisible {
    /// The character.
    pub character: char,
    /// Its position: 1 for the first character.
    pub position: usize,
}

impl Invisible {
    /// Whether it is a control character or breaks the line; otherwise it formats text, by direction or width.
    #[must_use]
    pub fn is_control(self) -> bool {
        self.character.general_category() != GeneralCategory::Format
    }
}

/// Whether a character controls or formats text instead of being shown, or breaks the line. A joiner within an emoji can be seen.
#[must_use]
pub fn is_invisible(character: char) -> bool {
    use GeneralCategory::{Control, Format, LineSeparator, ParagraphSeparator};
    matches!(character.general_category(), Control | Format | LineSeparator | ParagraphSeparator)
}

/// The text in normal form C. Blanks at its ends are kept.
///
/// # Errors
/// The first control character, line or paragraph separator, or invisible format character. Joiners within emoji are none.
pub fn one_line(text: &str) -> Result<String, Invisible> {
    let mut is_emoji = false;
    for (index, character) in text.chars().enumerate() {
        if is_invisible(character) && !(character == JOINER && is_emoji) {
            return Err(Invisible { character, position: index + 1 });
        }
        let continues = matches!(character, COLOURED | '\u{1f3fb}'..='\u{1f3ff}');
        is_emoji = character.is_emoji_char() && !character.is_ascii() || continues && is_emoji;
    }
    Ok(text.nfc().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_name_become_one() {
        for (typed, stored) in [
            ("Hotel Zu\u{308}rich", "Hotel Zürich"),
            ("Hotel Zürich", "Hotel Zürich"),
            ("A\u{30a}ngstro\u{308}m \u{212b}", "Ångström Å"),
            ("D’Angelo", "D’Angelo"),
            ("Bar\u{a0}Nord", "Bar\u{a0}Nord"),
            ("店", "店"),
            ("50 % off_", "50 % off_"),
            ("\u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f466}", "\u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f466}"),
            ("\u{1f469}\u{1f3fd}\u{200d}\u{1f52c}", "\u{1f469}\u{1f3fd}\u{200d}\u{1f52c}"),
            ("\u{2764}\u{fe0f}\u{200d}\u{1f525}", "\u{2764}\u{fe0f}\u{200d}\u{1f525}"),
            ("", ""),
        ] {
            assert_eq!(one_line(typed).as_deref(), Ok(stored), "{typed:?}");
        }
    }

    #[test]
    fn first_invisible_character_is_refused_with_its_position() {
        for (typed, character, position, is_control) in [
            ("a\nb", '\n', 2, true),
            ("a\0", '\0', 2, true),
            ("A\u{9b}B", '\u{9b}', 2, true),
            ("Line one\u{2028}Line two", '\u{2028}', 9, true),
            ("a\u{2029}", '\u{2029}', 2, true),
            ("Lobby\u{202e}txt.exe", '\u{202e}', 6, false),
            ("Bar\u{200b}Nord", '\u{200b}', 4, false),
            ("\u{feff}Fig", '\u{feff}', 1, false),
            ("Züri\u{ad}ch\u{200e}", '\u{ad}', 5, false),
            ("\u{2066}a\u{2069}", '\u{2066}', 1, false),
            ("1\u{200d}2", '\u{200d}', 2, false),
            ("a\u{e0061}", '\u{e0061}', 2, false),
        ] {
            let refused = one_line(typed).unwrap_err();
            assert_eq!(refused, Invisible { character, position }, "{typed:?}");
            assert_eq!(refused.is_control(), is_control, "{typed:?}");
        }
        let text = one_line("Bar\u{200b}Nord").unwrap_err().to_string();
        assert_eq!(text, "has an invisible character (U+200B) at position 4");
    }
}
