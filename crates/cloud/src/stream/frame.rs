//! Frames: `N|JSON`, where N is the length of the JSON (A-117). The JSON is ASCII, so bytes and characters are the
//! same.

use std::fmt::Write as _;

/// Sent at every heartbeat; the client echoes it (A-101).
pub(crate) const HEARTBEAT: &str = "1|Z";

/// The frame of an event. `body` is its JSON in [`ascii`], without `seq`, which becomes the first member. Built for
/// each reader with one allocation and one copy.
pub(crate) fn event(seq: u64, body: &str) -> String {
    let members = body.strip_prefix('{').unwrap_or(body);
    let digits = seq.checked_ilog10().unwrap_or_default() as usize + 1;
    let length = r#"{"seq":"","#.len() + digits + members.len();
    let mut frame = String::with_capacity(length + "1048576|".len());
    let _ = write!(frame, r#"{length}|{{"seq":"{seq}",{members}"#);
    frame
}

/// Escapes non-ASCII characters, which occur only in strings.
pub(crate) fn ascii(json: String) -> String {
    if json.is_ascii() {
        return json;
    }
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        if character.is_ascii() {
            escaped.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_starts_with_its_length_and_seq_is_the_first_member() {
        assert_eq!(event(7, r#"{"a":1}"#), r#"17|{"seq":"7","a":1}"#);
        for seq in [0, 1, 9, 10, 99, 100, u64::MAX] {
            let frame = event(seq, r#"{"a":1}"#);
            let (length, json) = frame.split_once('|').unwrap();
            assert_eq!((length.parse(), json), (Ok(json.len()), &*format!(r#"{{"seq":"{seq}","a":1}}"#)));
        }
    }

    #[test]
    fn texts_outside_ascii_survive_in_ascii() {
        let body = serde_json::json!({ "text": "café 🌸 \" \\ |" }).to_string();
        let frame = event(1, &ascii(body));
        assert!(frame.is_ascii());
        let (length, json) = frame.split_once('|').unwrap();
        assert_eq!(length.parse::<usize>().unwrap(), json.len());
        let back: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(back["text"], "café 🌸 \" \\ |");
    }
}
