//! Parser of the stream's text frames `N|JSON`. It is tolerant: the first bar ends the length, which may be wrong, and an
//! unreadable frame is skipped and counts as a gap.

use serde_json::Value;

use crate::model::read::{Fields, text};
use crate::model::{BaseType, ConnectionStatus, Datapoint, Dsn, Time};

pub(super) const HEARTBEAT: &str = "1|Z";
pub(super) const KEEP_ALIVE: &str = "1|X";

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Frame {
    Heartbeat,
    KeepAlive,
    Event(Box<Event>),
    /// An invalid frame with the reason, to be logged and skipped.
    Unreadable(&'static str),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Event {
    /// The sequence number of the event in its connection, if the cloud sends one.
    pub(super) seq: Option<u64>,
    /// Whether `N` is the length of the JSON text in bytes or characters.
    pub(super) length_fits: bool,
    /// Usually one device.
    pub(super) dsns: Vec<Dsn>,
    pub(super) body: Body,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Body {
    Datapoint {
        property: String,
        datapoint: Datapoint,
    },
    DatapointAck {
        property: String,
        datapoint: Datapoint,
    },
    Connectivity {
        status: ConnectionStatus,
        at: Option<Time>,
    },
    /// An event that this library does not know.
    Other {
        event_type: String,
        json: Value,
    },
}

/// Splits at the first `|`; the JSON may contain more of them.
pub(super) fn decode(frame: &str) -> Frame {
    let Some((length, payload)) = frame.split_once('|') else { return Frame::Unreadable("no bar") };
    match payload.trim() {
        "Z" => return Frame::Heartbeat,
        "X" => return Frame::KeepAlive,
        _ => {}
    }
    let length_fits = length.trim().parse().is_ok_and(|n: usize| n == payload.len() || n == payload.chars().count());
    let Ok(json) = serde_json::from_str::<Value>(payload) else { return Frame::Unreadable("no JSON") };
    let Some(fields) = json.as_object().map(Fields) else { return Frame::Unreadable("no object") };
    let Some(metadata) = fields.value("metadata").and_then(Value::as_object).map(Fields) else {
        return Frame::Unreadable("no metadata");
    };
    let dsns: Vec<Dsn> =
        metadata.text_or_empty("dsn").split(',').map(str::trim).filter(|dsn| !dsn.is_empty()).map(Dsn::from).collect();
    if dsns.is_empty() {
        return Frame::Unreadable("no dsn");
    }
    let seq = fields.value("seq").and_then(text).and_then(|seq| seq.trim().parse().ok());
    Frame::Event(Box::new(Event { seq, length_fits, dsns, body: body(&fields, &metadata) }))
}

fn body(fields: &Fields<'_>, metadata: &Fields<'_>) -> Body {
    let object = |name| fields.value(name).and_then(Value::as_object).map(Fields);
    let property = || metadata.text_or_empty("property_name");
    let datapoint = |fields: &Fields<'_>| {
        let base_type = metadata.text("base_type").map(|text| BaseType::from(text.as_str()));
        Datapoint::read(fields, base_type.as_ref())
    };
    match metadata.text_or_empty("event_type").to_ascii_lowercase().as_str() {
        "datapoint" => {
            object("datapoint").map(|fields| Body::Datapoint { property: property(), datapoint: datapoint(&fields) })
        }
        "datapointack" => object("datapoint")
            .or_else(|| object("datapointack"))
            .map(|fields| Body::DatapointAck { property: property(), datapoint: datapoint(&fields) }),
        "connectivity" => object("connection").and_then(|fields| {
            let status = fields.text("status")?.as_str().into();
            Some(Body::Connectivity { status, at: fields.time("event_time") })
        }),
        _ => None,
    }
    .unwrap_or_else(|| Body::Other { event_type: metadata.text_or_empty("event_type"), json: fields.0.clone().into() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::model::PropertyValue;

    fn event(frame: &str) -> Event {
        match decode(frame) {
            Frame::Event(event) => *event,
            other => panic!("{frame}: {other:?}"),
        }
    }

    fn framed(json: &Value) -> String {
        let text = json.to_string();
        format!("{}|{text}", text.len())
    }

    #[test]
    fn control_frames_and_invalid_frames_are_recognized() {
        let table = [
            ("1|Z", Frame::Heartbeat),
            ("1|X", Frame::KeepAlive),
            ("9|Z", Frame::Heartbeat),
            ("|Z\n", Frame::Heartbeat),
            ("Z", Frame::Unreadable("no bar")),
            ("", Frame::Unreadable("no bar")),
            ("5|hello", Frame::Unreadable("no JSON")),
            ("2|[]", Frame::Unreadable("no object")),
            ("2|{}", Frame::Unreadable("no metadata")),
            ("15|{\"metadata\":{}}", Frame::Unreadable("no dsn")),
            ("0|{\"metadata\":{\"dsn\":\" , \"}}", Frame::Unreadable("no dsn")),
        ];
        for (text, expected) in table {
            assert_eq!(decode(text), expected, "{text}");
        }
    }

    #[test]
    fn bar_inside_the_json_is_preserved() {
        let json = json!({"metadata": {"dsn": "A", "event_type": "datapoint", "property_name": "p"}, "datapoint": {"value": "a|b"}});
        let Body::Datapoint { datapoint, .. } = event(&framed(&json)).body else { panic!("a datapoint") };
        assert_eq!(datapoint.value, Some(PropertyValue::from("a|b")));
    }

    #[test]
    fn event_with_a_wrong_length_is_read() {
        let json = json!({"seq": "3", "metadata": {"dsn": "Ä"}});
        let text = json.to_string();
        for (n, fits) in [(text.len(), true), (text.chars().count(), true), (1, false)] {
            let event = event(&format!("{n}|{text}"));
            assert_eq!((event.length_fits, event.seq), (fits, Some(3)), "{n}");
        }
    }

    #[test]
    fn event_can_name_several_devices() {
        let json =
            json!({"metadata": {"dsn": "A, B", "event_type": "connectivity"}, "connection": {"status": "Online"}});
        let event = event(&framed(&json));
        assert_eq!(event.dsns, ["A".into(), "B".into()]);
        assert_eq!(event.body, Body::Connectivity { status: ConnectionStatus::Online, at: None });
    }

    #[test]
    fn unknown_or_incomplete_event_counts_as_an_event() {
        let table = [
            (json!({"event_type": "weather"}), "weather"),
            (json!({"event_type": "Datapoint"}), "Datapoint"),
            (json!({"event_type": 7}), "7"),
            (json!({}), ""),
        ];
        for (mut metadata, event_type) in table {
            metadata["dsn"] = json!("A");
            let json = json!({"seq": 4, "metadata": metadata, "weather": {"rain": true}});
            let event = event(&framed(&json));
            assert_eq!((event.seq, event.body), (Some(4), Body::Other { event_type: event_type.to_owned(), json }));
        }
    }

    #[test]
    fn values_are_read_by_the_base_type() {
        let json = json!({"metadata": {"dsn": "A", "event_type": "datapoint", "base_type": "boolean"}, "datapoint": {"value": 1}});
        let Body::Datapoint { datapoint, .. } = event(&framed(&json)).body else { panic!("a datapoint") };
        assert_eq!(datapoint.value, Some(PropertyValue::Boolean(true)));
    }

    proptest! {
        #[test]
        fn frame_parser_never_panics(text in any::<String>(), length in any::<u32>()) {
            let _ = decode(&text);
            let _ = decode(&format!("{length}|{text}"));
            let _ = decode(&format!("{length}|{{\"metadata\":{{\"dsn\":{text:?},\"event_type\":\"datapoint\"}}}}"));
        }
    }
}
