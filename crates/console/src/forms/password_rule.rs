//! The rule for new passwords. The cloud has the same rule; checking it here first gives every form the same errors.

const MIN_LENGTH: usize = 8;
pub(crate) const MAX_LENGTH: usize = 128;

/// The messages for the rules that a new password breaks. The password is not trimmed.
pub(crate) fn complaints(password: &str) -> Vec<String> {
    let any = |is: fn(char) -> bool| password.chars().any(is);
    let rules = [
        ((MIN_LENGTH..=MAX_LENGTH).contains(&password.chars().count()), "Must be 8 to 128 characters"),
        (any(|c| c.is_numeric() || !c.is_alphabetic()), "Must contain a number or special character"),
        (any(char::is_uppercase), "Must contain an uppercase letter"),
        (any(char::is_lowercase), "Must contain a lowercase letter"),
    ];
    rules.into_iter().filter(|(kept, _)| !kept).map(|(_, complaint)| complaint.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [&str; 4] = [
        "Must be 8 to 128 characters",
        "Must contain a number or special character",
        "Must contain an uppercase letter",
        "Must contain a lowercase letter",
    ];

    fn assert_breaks(password: &str, rules: &[usize]) {
        let expected: Vec<_> = rules.iter().map(|&rule| ALL[rule]).collect();
        assert_eq!(complaints(password), expected, "{password:?}");
    }

    #[test]
    fn new_password_has_8_to_128_characters() {
        for (length, breaks) in [(7, true), (8, false), (128, false), (129, true)] {
            for filler in ["a", "é", "😀"] {
                let password = format!("Aa1{}", filler.repeat(length - 3));
                assert_breaks(&password, if breaks { &[0] } else { &[] });
            }
        }
    }

    #[test]
    fn new_password_has_a_number_or_a_special_character() {
        for password in ["Aaaaaaa1", "Aaaaaaa!", "Aaaaaaa ", "Aaaaaaa—", "Aaaaaaa٣"] {
            assert_breaks(password, &[]);
        }
        for password in ["Aaaaaaaa", "Éééééééé"] {
            assert_breaks(password, &[1]);
        }
    }

    #[test]
    fn new_password_has_letters_of_both_cases() {
        assert_breaks("Éééééé-é", &[]);
        assert_breaks("aaaaaaa1", &[2]);
        assert_breaks("AAAAAAA1", &[3]);
        assert_breaks("1234567-", &[2, 3]);
    }

    #[test]
    fn every_broken_rule_is_named() {
        assert_breaks("", &[0, 1, 2, 3]);
        assert_breaks("1", &[0, 2, 3]);
        assert_breaks("a", &[0, 1, 2]);
    }
}
