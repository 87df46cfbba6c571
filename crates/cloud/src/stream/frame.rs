//! Frames: `N|JSON`, N = the length of the JSON text (decision A-117). The JSON is ASCII, so bytes and characters agree.

use std::fmt::Write as _;

/// Sent every heartbeat; the client echoes it (A-101).
pub(crate) const HEARTBEAT: &str = "1|Z";

/// The frame of an event whose JSON, without `seq`, is `body`; `seq` becomes its first member.
pub(crate) fn event(seq: u64, body: &str) -> String {
    let members = body.strip_prefix('{').unwrap_or(body);
    let json = ascii(format!(r#"{{"seq":"{seq}",{members}"#));
    format!("{}|{json}", json.len())
}

/// JSON in which everything outside ASCII, which can only stand in texts, is escaped.
fn ascii(json: String) -> String {
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
    fn the_number_is_the_length_and_seq_comes_first() {
        assert_eq!(event(7, r#"{"a":1}"#), r#"17|{"seq":"7","a":1}"#);
    }

    #[test]
    fn texts_outside_ascii_survive_in_ascii() {
        let body = serde_json::json!({ "text": "café 🌸 \" \\ |" }).to_string();
        let frame = event(1, &body);
        assert!(frame.is_ascii());
        let (length, json) = frame.split_once('|').unwrap();
        assert_eq!(length.parse::<usize>().unwrap(), json.len());
        let back: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(back["text"], "café 🌸 \" \\ |");
    }
}
