//! Text messages. They are stored in the outbox beside mail; a [job](crate::jobs::delivery) delivers them to a gateway
//!

mod answer;
mod gateway;
mod number;
mod transport;

pub use gateway::{SmsError, SmsGateway};
pub use number::PhoneNumber;
pub(crate) use transport::Transport;

/// Maximum length of a text in characters: gateways reject longer ones.
const LONGEST: usize = 1600;

/// The text, cut to the length that a gateway accepts.
pub(crate) fn truncated(words: &str) -> String {
    match words.char_indices().nth(LONGEST) {
        None => words.to_owned(),
        Some(_) => words.chars().take(LONGEST - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(truncated("short"), "short");
        let just = "ä".repeat(LONGEST);
        assert_eq!(truncated(&just), just);
        let cut = truncated(&"ä".repeat(LONGEST + 1));
        assert_eq!((cut.chars().count(), cut.ends_with("ä…")), (LONGEST, true));
    }
}
