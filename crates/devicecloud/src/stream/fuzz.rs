//! Parses texts as frames of the stream, for fuzz tests.

use super::frame::{Frame, decode};

/// Parses a text frame of the stream.
///
/// # Panics
/// If a heartbeat or a keep-alive is found in another frame.
pub fn frame(text: &str) {
    let payload = text.split_once('|').map(|(_, payload)| payload.trim());
    match decode(text) {
        Frame::Heartbeat => assert_eq!(payload, Some("Z")),
        Frame::KeepAlive => assert_eq!(payload, Some("X")),
        Frame::Event(_) | Frame::Unreadable(_) => assert!(!matches!(payload, Some("Z" | "X"))),
    }
}
