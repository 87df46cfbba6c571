//! The token of a mail, as somebody brings it back.

use devicecloud::SecretText;

/// Longer than any of the cloud's.
const LONGEST: usize = 255;

/// Why it need not even be shown to the cloud.
pub(super) fn complaint(token: &SecretText) -> Option<&'static str> {
    let text = token.expose();
    if token.is_blank() {
        Some("Required")
    } else if text.len() > LONGEST || text.contains(char::is_control) {
        Some("is invalid")
    } else {
        None
    }
}
