//! Server-sent events as they are written to connections. An event is encoded once; all its readers share the bytes.

use bytes::Bytes;
use serde::Serialize;

pub(super) const READY: Bytes = Bytes::from_static(b"event: ready\ndata: {}\n\n");
pub(super) const LIST: Bytes = Bytes::from_static(b"event: list\ndata: {}\n\n");
pub(super) const ATTENTION: Bytes = Bytes::from_static(b"event: attention\ndata: {}\n\n");
pub(super) const RESYNC: Bytes = Bytes::from_static(b"event: resync\ndata: {}\n\n");
/// An event instead of the usual comment, because browsers do not pass comments to the page.
pub(super) const HEARTBEAT: Bytes = Bytes::from_static(b"event: heartbeat\ndata: {}\n\n");

/// Encodes an event. Its data has no line breaks, because JSON escapes those in texts.
pub(super) fn frame(event: &str, data: &impl Serialize) -> Bytes {
    let mut frame = format!("event: {event}\ndata: ").into_bytes();
    if let Err(error) = serde_json::to_writer(&mut frame, data) {
        tracing::error!(%error, event, "an event could not be encoded");
        return RESYNC;
    }
    frame.extend_from_slice(b"\n\n");
    frame.into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn line_break_in_a_text_does_not_end_the_event() {
        let event = frame("device", &json!({ "customer": "Hotel\n\nAurora" }));
        assert_eq!(event, "event: device\ndata: {\"customer\":\"Hotel\\n\\nAurora\"}\n\n");
    }
}
