//! Text messages to people's phones. They stand in the outbox beside the mails; the [job](crate::jobs::delivery) takes them
//! from there to a gateway.

mod answer;
mod gateway;
mod number;
mod transport;

pub use gateway::{SmsError, SmsGateway};
pub use number::PhoneNumber;
pub(crate) use transport::Transport;

/// The most characters of a text: gateways refuse what is longer, and so long a text is ten of a phone's already.
const LONGEST: usize = 1600;

/// What of the words a gateway takes; the end of what is too long is left out.
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
