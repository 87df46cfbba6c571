//! Checks mail tokens before they are sent to the cloud.

use devicecloud::SecretText;

/// Longer than any token of the cloud.
const MAX_LENGTH: usize = 255;

/// The error of a token that cannot be valid.
pub(super) fn complaint(token: &SecretText) -> Option<&'static str> {
    let text = token.expose();
    if token.is_blank() {
        Some("Required")
    } else if text.len() > MAX_LENGTH || text.contains(char::is_control) {
        Some("is invalid")
    } else {
        None
    }
}
