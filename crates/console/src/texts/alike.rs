//! What makes names alike: people take `Café Noir`, `CAFÉ  NOIR` and a copy with an invisible mark for one.

use platform::one_line::is_invisible;
use unicode_normalization::UnicodeNormalization;
use unicode_security::confusable_detection::skeleton;

use super::folding::fold_case;

/// Equal for names that differ in case, Unicode form, width, kind or number of blanks, or invisible marks only.
pub(crate) fn same_name(name: &str) -> String {
    fold_case(&plain(name))
}

/// Equal for names that look alike, even if their letters are of different scripts (UTS 39).
pub(crate) fn same_look(name: &str) -> String {
    fold_case(&skeleton(&plain(name)).collect::<String>())
}

fn plain(name: &str) -> String {
    let visible: String = name.nfkc().filter(|it| it.is_whitespace() || !is_invisible(*it)).collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_name_are_the_same() {
        for form in [
            "Cafe\u{301} Noir",
            "café noir",
            "Café\u{a0}Noir",
            "Café Noir\u{200b}",
            "\u{200e}Café Noir",
            "Ｃafé Noir",
            " CAFÉ \u{2003} NOIR",
        ] {
            assert_eq!(same_name(form), same_name("Café Noir"), "{form:?}");
            assert_eq!(same_name(&same_name(form)), same_name(form), "{form:?}");
        }
        for other in ["Cafe Noir", "CaféNoir", "Café Noir 2"] {
            assert_ne!(same_name(other), same_name("Café Noir"), "{other:?}");
        }
    }

    #[test]
    fn names_in_letters_of_other_scripts_look_alike() {
        // Cyrillic and Greek letters, digits for letters, and full-width letters.
        for (one, other) in [
            ("Acme", "\u{410}cme"),
            ("North", "N\u{3bf}rth"),
            ("Oil", "0il"),
            ("Bill", "BiIl"),
            ("Acme", "\u{ff21}cme"),
            ("Aroma  East", "Aroma East"),
        ] {
            assert_eq!(same_look(one), same_look(other), "{one} {other}");
        }
        for (one, other) in [("North", "South"), ("Store 2", "Store 20"), ("Lodz", "Łódź")] {
            assert_ne!(same_look(one), same_look(other), "{one} {other}");
        }
    }
}
