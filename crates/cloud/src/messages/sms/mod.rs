//! Text messages. They are stored in the outbox beside mail; a [job](crate::background::delivery) delivers them to a gateway
//!

mod gateway_settings;
mod number;
mod response;
mod transport;

pub use gateway_settings::{SmsError, SmsGateway};
pub use number::PhoneNumber;
pub(crate) use transport::Transport;

/// Maximum length of a text in characters: gateways reject longer ones.
const MAX_LENGTH: usize = 1600;

/// The text, cut to the length that a gateway accepts.
pub(crate) fn truncated(text: &str) -> String {
    match text.char_indices().nth(MAX_LENGTH) {
        None => text.to_owned(),
        Some(_) => text.chars().take(MAX_LENGTH - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(truncated("short"), "short");
        let just = "ä".repeat(MAX_LENGTH);
        assert_eq!(truncated(&just), just);
        let cut = truncated(&"ä".repeat(MAX_LENGTH + 1));
        assert_eq!((cut.chars().count(), cut.ends_with("ä…")), (MAX_LENGTH, true));
    }
}
