//! The JSON payloads of the device link (docs/device-link.md). Pure.
//!
//! Unknown members are ignored, so that newer firmware can send more. Any other fault rejects the whole payload. Errors
//! never quote the payload.

use std::fmt;
use std::net::IpAddr;

use jiff::Timestamp;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::devices::link::{AckMessage, Command, DeviceReport, Settings};
use crate::domain::value::is_plain;
use crate::records::device::DeviceInfo;

/// Maximum size of a payload in bytes.
pub(super) const MAX_PAYLOAD: usize = 8 * 1024;
const MAX_PROPERTIES: usize = 64;
const MAX_COMMAND_ID: usize = 64;
const MAX_MESSAGE: usize = 255;
const MAX_VERSION: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum PayloadError {
    #[error("payload larger than 8 KiB")]
    TooLarge,
    #[error("payload is not a JSON object with the expected members")]
    Malformed,
    #[error("report without properties")]
    NoProperties,
    #[error("report of more than 64 properties")]
    TooManyProperties,
    #[error("property name is empty, too long or repeated")]
    BadName,
    #[error("value is neither number, text nor boolean")]
    BadValue,
    #[error("command id is empty or too long")]
    BadId,
    #[error("ack message is neither integer nor short text")]
    BadMessage,
    #[error("software version is not 1 to 64 printable ASCII characters")]
    BadVersion,
    #[error("LAN address is not an IP address")]
    BadAddress,
}

/// A device's acknowledgement of a command.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ack {
    pub(super) id: String,
    /// 200 means success.
    pub(super) status: i64,
    pub(super) message: Option<AckMessage>,
}

/// Values in the order in which they were sent; names are unique.
pub(super) fn report(payload: &[u8]) -> Result<DeviceReport, PayloadError> {
    #[derive(Deserialize)]
    struct Raw {
        properties: Entries,
        at: Option<Timestamp>,
        sw_version: Option<Value>,
        lan_ip: Option<Value>,
    }
    let Raw { properties: Entries(values), at, sw_version, lan_ip } = parse(payload)?;
    if values.is_empty() {
        return Err(PayloadError::NoProperties);
    }
    if values.len() > MAX_PROPERTIES {
        return Err(PayloadError::TooManyProperties);
    }
    for (index, (name, value)) in values.iter().enumerate() {
        if name.is_empty() || name.len() > 255 || values[..index].iter().any(|(earlier, _)| earlier == name) {
            return Err(PayloadError::BadName);
        }
        if !(value.is_number() || value.is_string() || value.is_boolean()) {
            return Err(PayloadError::BadValue);
        }
    }
    let sw_version = sw_version.as_ref().map(|value| version(value).ok_or(PayloadError::BadVersion)).transpose()?;
    let lan_ip = lan_ip.as_ref().map(|value| address(value).ok_or(PayloadError::BadAddress)).transpose()?;
    Ok(DeviceReport { values, at, info: DeviceInfo { sw_version, lan_ip } })
}

fn version(value: &Value) -> Option<String> {
    let printable = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
    let text = value.as_str().filter(|text| (1..=MAX_VERSION).contains(&text.len()) && text.bytes().all(printable))?;
    Some(text.to_owned())
}

fn address(value: &Value) -> Option<IpAddr> {
    value.as_str()?.parse().ok()
}

pub(super) fn ack(payload: &[u8]) -> Result<Ack, PayloadError> {
    #[derive(Deserialize)]
    struct Raw {
        id: String,
        status: i64,
        #[serde(default)]
        message: Value,
    }
    let Raw { id, status, message } = parse(payload)?;
    if id.is_empty() || id.len() > MAX_COMMAND_ID {
        return Err(PayloadError::BadId);
    }
    let message = match message {
        Value::Null => None,
        Value::Number(number) => Some(AckMessage::Int(number.as_i64().ok_or(PayloadError::BadMessage)?)),
        Value::String(text) if text.chars().count() <= MAX_MESSAGE && is_plain(&text) => Some(AckMessage::Text(text)),
        _ => return Err(PayloadError::BadMessage),
    };
    Ok(Ack { id, status, message })
}

/// The payload of a command.
pub(super) fn command(command: &Command) -> Vec<u8> {
    #[derive(Serialize)]
    struct Raw<'a> {
        id: &'a str,
        property: &'a str,
        value: &'a Value,
        created_at: Timestamp,
    }
    let Command { id, property, value, created_at } = command;
    let raw = Raw { id, property, value, created_at: *created_at };
    serde_json::to_vec(&raw).expect("texts and JSON values can be written")
}

/// The payload of settings.
pub(super) fn settings(settings: &Settings) -> Vec<u8> {
    #[derive(Serialize)]
    struct Raw<'a> {
        time_zone: Option<&'a str>,
        time: String,
    }
    let Settings { time_zone, time } = settings;
    let raw = Raw { time_zone: time_zone.as_deref(), time: time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string() };
    serde_json::to_vec(&raw).expect("texts can be written")
}

fn parse<'a, T: Deserialize<'a>>(payload: &'a [u8]) -> Result<T, PayloadError> {
    if payload.len() > MAX_PAYLOAD {
        return Err(PayloadError::TooLarge);
    }
    // The parser's error may quote the payload, which must not be logged.
    serde_json::from_slice(payload).map_err(|_| PayloadError::Malformed)
}

/// The members of a JSON object in order, so that repeated names are detected.
struct Entries(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn report_preserves_values_order_and_time() {
        let parsed =
            report(br#"{"properties": {"intensity": 20, "fan": 3}, "at": "2026-11-20T13:00:00+01:00", "rssi": -61}"#);
        let values = vec![("intensity".to_owned(), json!(20)), ("fan".to_owned(), json!(3))];
        let at = Some("2026-11-20T12:00:00Z".parse().unwrap());
        assert_eq!(parsed, Ok(DeviceReport { values, at, info: DeviceInfo::default() }));
    }

    #[test]
    fn report_may_name_software_version_and_lan_address() {
        for (version, address) in
            [("1", "192.168.1.20"), (" link 1.3.2 (release) ", "10.0.0.1"), (&*"v".repeat(64), "fe80::1")]
        {
            let payload = json!({"properties": {"fan": 1}, "sw_version": version, "lan_ip": address}).to_string();
            let expected = DeviceInfo { sw_version: Some(version.to_owned()), lan_ip: Some(address.parse().unwrap()) };
            assert_eq!(report(payload.as_bytes()).unwrap().info, expected);
        }
    }

    #[test]
    fn malformed_software_version_or_lan_address_rejects_the_report() {
        use PayloadError::*;
        let long = "v".repeat(65);
        for (member, values, error) in [
            (
                "sw_version",
                vec![json!(""), json!(long), json!("1\n2"), json!("1\0"), json!("1.é"), json!(1.3)],
                BadVersion,
            ),
            (
                "lan_ip",
                vec![json!(""), json!("192.168.1"), json!("192.168.1.20\0"), json!("lan"), json!(1)],
                BadAddress,
            ),
        ] {
            for value in values {
                let payload = json!({"properties": {"fan": 1}, member: value}).to_string();
                assert_eq!(report(payload.as_bytes()), Err(error), "{payload}");
            }
        }
    }

    #[test]
    fn invalid_reports_are_rejected_with_a_reason() {
        use PayloadError::*;
        let many: serde_json::Map<String, Value> = (0..65).map(|n| (format!("p{n}"), json!(n))).collect();
        let many = json!({ "properties": many }).to_string();
        let long_name = format!(r#"{{"properties": {{"{}": 1}}}}"#, "n".repeat(256));
        let rows: [(&str, PayloadError); 19] = [
            ("", Malformed),
            ("{", Malformed),
            ("[]", Malformed),
            ("null", Malformed),
            ("{}", Malformed),
            ("\u{0}", Malformed),
            (r#"{"properties": []}"#, Malformed),
            (r#"{"properties": "fan"}"#, Malformed),
            (r#"{"properties": {"fan": 1}} {}"#, Malformed),
            (r#"{"properties": {"fan": 1}, "properties": {"fan": 2}}"#, Malformed),
            (r#"{"properties": {"fan": 1}, "at": "yesterday"}"#, Malformed),
            (r#"{"properties": {"fan": 1}, "at": "2026-11-20T12:00:00"}"#, Malformed),
            (r#"{"properties": {}}"#, NoProperties),
            (r#"{"properties": {"fan": 1, "fan": 2}}"#, BadName),
            (r#"{"properties": {"": 1}}"#, BadName),
            (r#"{"properties": {"fan": null}}"#, BadValue),
            (r#"{"properties": {"fan": {"speed": 1}}}"#, BadValue),
            (&many, TooManyProperties),
            (&long_name, BadName),
        ];
        for (payload, expected) in rows {
            assert_eq!(report(payload.as_bytes()), Err(expected), "{payload}");
        }
        assert_eq!(report(b"{\"properties\": {\"fan\": \"\xff\"}}"), Err(Malformed));
    }

    #[test]
    fn payload_of_eight_kibibytes_is_accepted_and_one_byte_more_is_not() {
        let sized = |size: usize| {
            let frame = r#"{"properties":{"schedule_blob":""}}"#.len();
            format!(r#"{{"properties":{{"schedule_blob":"{}"}}}}"#, "x".repeat(size - frame))
        };
        assert!(report(sized(MAX_PAYLOAD).as_bytes()).is_ok());
        assert_eq!(report(sized(MAX_PAYLOAD + 1).as_bytes()), Err(PayloadError::TooLarge));
        assert_eq!(ack(sized(MAX_PAYLOAD + 1).as_bytes()), Err(PayloadError::TooLarge));
    }

    #[test]
    fn ack_message_is_an_integer_a_text_or_missing() {
        let rows = [
            (r#"{"id": "c1", "status": 200, "message": 0}"#, 200, Some(AckMessage::Int(0))),
            (
                r#"{"id": "c1", "status": 422, "message": "Fan must be between 0 and 5"}"#,
                422,
                Some(AckMessage::Text("Fan must be between 0 and 5".to_owned())),
            ),
            (r#"{"id": "c1", "status": 500}"#, 500, None),
        ];
        for (payload, status, message) in rows {
            assert_eq!(ack(payload.as_bytes()), Ok(Ack { id: "c1".to_owned(), status, message }), "{payload}");
        }
    }

    #[test]
    fn invalid_acks_are_rejected_with_a_reason() {
        use PayloadError::*;
        let long_id = json!({"id": "c".repeat(65), "status": 200}).to_string();
        let long_message = json!({"id": "c1", "status": 200, "message": "m".repeat(256)}).to_string();
        let rows: [(&str, PayloadError); 12] = [
            ("", Malformed),
            (r#"{"status": 200}"#, Malformed),
            (r#"{"id": "c1"}"#, Malformed),
            (r#"{"id": 1, "status": 200}"#, Malformed),
            (r#"{"id": "c1", "status": "200"}"#, Malformed),
            (r#"{"id": "c1", "id": "c2", "status": 200}"#, Malformed),
            (r#"{"id": "", "status": 200}"#, BadId),
            (r#"{"id": "c1", "status": 200, "message": {}}"#, BadMessage),
            (r#"{"id": "c1", "status": 200, "message": 1.5}"#, BadMessage),
            (r#"{"id": "c1", "status": 200, "message": "\u0000"}"#, BadMessage),
            (&long_id, BadId),
            (&long_message, BadMessage),
        ];
        for (payload, expected) in rows {
            assert_eq!(ack(payload.as_bytes()), Err(expected), "{payload}");
        }
    }

    #[test]
    fn command_payload_contains_property_and_value() {
        let pending = Command {
            id: "c1".to_owned(),
            property: "intensity".to_owned(),
            value: json!(30),
            created_at: "2026-11-20T12:00:00Z".parse().unwrap(),
        };
        let written: Value = serde_json::from_slice(&command(&pending)).unwrap();
        let expected = json!({"id": "c1", "property": "intensity", "value": 30, "created_at": "2026-11-20T12:00:00Z"});
        assert_eq!(written, expected);
    }

    #[test]
    fn settings_contain_the_zone_if_set_and_the_time_in_whole_seconds() {
        let time = "2026-11-21T08:00:00.654321Z".parse().unwrap();
        for (time_zone, expected) in [(Some("Europe/Paris".to_owned()), json!("Europe/Paris")), (None, Value::Null)] {
            let written: Value = serde_json::from_slice(&settings(&Settings { time_zone, time })).unwrap();
            assert_eq!(written, json!({"time_zone": expected, "time": "2026-11-21T08:00:00Z"}));
        }
    }

    proptest! {
        #[test]
        fn report_payload_round_trips(values in proptest::collection::btree_map("[a-z_]{1,20}", any::<i64>(), 1..20)) {
            let parsed = report(json!({"properties": values}).to_string().as_bytes()).unwrap();
            let read: std::collections::BTreeMap<_, _> = parsed.values.into_iter().map(|(name, value)| (name, value.as_i64().unwrap())).collect();
            prop_assert_eq!(read, values);
        }
    }
}
