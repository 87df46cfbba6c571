//! The JSON payloads of the device link (docs/device-link.md). Pure.
//!
//! Unknown members are ignored, so that newer firmware can send more. Any other fault rejects the whole payload if the template of the
//! device is strict, and otherwise only what it concerns. Errors name the member and the fault, and never quote the payload.

use std::net::IpAddr;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::members::{Member, SyntaxError, members};
use crate::devices::link::{AckMessage, Command, DeviceReport, Settings, Strictness, value_at};
use crate::domain::report_fault::{FaultKind, ReportFault, shape, shown_name};
use crate::domain::value::{BaseType, Limits, is_plain};
use crate::records::device::DeviceInfo;

/// Maximum size of a payload in bytes.
pub(super) const MAX_PAYLOAD: usize = 8 * 1024;
const MAX_PROPERTIES: usize = 64;
const MAX_NAME: usize = 255;
const MAX_COMMAND_ID: usize = 64;
const MAX_MESSAGE: usize = 255;
const MAX_VERSION: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum PayloadError {
    #[error("payload larger than 8 KiB")]
    TooLarge,
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    #[error("properties is missing or not an object")]
    NoObject,
    #[error("report without properties")]
    NoProperties,
    #[error("report of more than 64 properties")]
    TooManyProperties,
    #[error("{0} has an empty name, or one of more than 255 bytes")]
    BadName(String),
    #[error("{0} is repeated")]
    Repeated(String),
    #[error("{0} is neither number, text nor boolean")]
    BadValue(String),
    #[error("at is not a time with offset (RFC 3339)")]
    BadTime,
    #[error("sw_version is not 1 to 64 printable ASCII characters")]
    BadVersion,
    #[error("lan_ip is not an IP address")]
    BadAddress,
    #[error("id is missing or not a text of 1 to 64 bytes")]
    BadId,
    #[error("status is missing or not an integer")]
    BadStatus,
    #[error("message is neither an integer nor a text of up to 255 characters")]
    BadMessage,
}

/// A device's acknowledgement of a command.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ack {
    pub(super) id: String,
    /// 200 means success.
    pub(super) status: i64,
    pub(super) message: Option<AckMessage>,
    /// Members that cannot be read.
    pub(super) faults: Vec<ReportFault>,
}

/// Values in the order in which they were sent; names are unique. Errors quote a name that `is_property` of the device.
///
/// # Errors
/// The first fault if `strictness` is strict, and otherwise one for which nothing of the payload can be read.
pub(super) fn report(
    payload: &[u8],
    strictness: Strictness,
    is_property: impl Fn(&str) -> bool,
) -> Result<DeviceReport, PayloadError> {
    let [properties, at, sw_version, lan_ip] =
        parse(payload, strictness, ["properties", "at", "sw_version", "lan_ip"])?;
    let Some(Member::Object(sent)) = properties else { return Err(PayloadError::NoObject) };
    if sent.is_empty() {
        return Err(PayloadError::NoProperties);
    }
    if sent.len() > MAX_PROPERTIES {
        return Err(PayloadError::TooManyProperties);
    }
    let mut faults = Faults { strictness, found: Vec::new() };
    let (count, mut values) = (sent.len(), Vec::<(String, Value)>::with_capacity(sent.len()));
    for (index, (name, value)) in sent.into_iter().enumerate() {
        let subject = || value_at(Some(&*name).filter(|name| is_property(name)), index, count);
        // A lenient template treats such a name as any that no property has, and such a value as any of a wrong type.
        if strictness == Strictness::Strict {
            if name.is_empty() || name.len() > MAX_NAME {
                return Err(PayloadError::BadName(subject()));
            }
            if !(value.is_number() || value.is_string() || value.is_boolean()) {
                return Err(PayloadError::BadValue(subject()));
            }
        }
        if values.iter().any(|(earlier, _)| *earlier == name) {
            let (fault, is_known) = (PayloadError::Repeated(subject()), is_property(&name));
            let (subject, kind) =
                if is_known { (name, FaultKind::Repeated) } else { (shown_name(&name), FaultKind::UnknownProperty) };
            faults.add(fault, subject, kind, shape(&value, is_known))?;
        } else {
            values.push((name, value));
        }
    }
    let at = faults.read("at", at, |value| value.as_str()?.parse::<Timestamp>().ok(), PayloadError::BadTime)?;
    let sw_version = faults.read("sw_version", sw_version, version, PayloadError::BadVersion)?;
    let lan_ip =
        faults.read("lan_ip", lan_ip, |value| value.as_str()?.parse::<IpAddr>().ok(), PayloadError::BadAddress)?;
    Ok(DeviceReport { values, at, info: DeviceInfo { sw_version, lan_ip }, faults: faults.found })
}

fn version(value: &Value) -> Option<String> {
    let printable = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
    let text = value.as_str().filter(|text| (1..=MAX_VERSION).contains(&text.len()) && text.bytes().all(printable))?;
    Some(text.to_owned())
}

/// # Errors
/// Like those of [`report`].
pub(super) fn ack(payload: &[u8], strictness: Strictness) -> Result<Ack, PayloadError> {
    let [id, status, message] = parse(payload, strictness, ["id", "status", "message"])?;
    let id = match id {
        Some(Member::Value(Value::String(id))) if (1..=MAX_COMMAND_ID).contains(&id.len()) => id,
        _ => return Err(PayloadError::BadId),
    };
    let status = match status {
        Some(Member::Value(status)) => ack_status(&status, strictness),
        Some(Member::Object(_)) | None => None,
    };
    let status = status.ok_or(PayloadError::BadStatus)?;
    let mut faults = Faults { strictness, found: Vec::new() };
    let message = faults.read("message", message, ack_message, PayloadError::BadMessage)?;
    Ok(Ack { id, status, message, faults: faults.found })
}

fn ack_status(value: &Value, strictness: Strictness) -> Option<i64> {
    value.as_i64().or_else(|| match (strictness, value) {
        (Strictness::Strict, _) | (Strictness::Lenient, Value::Bool(_)) => None,
        (Strictness::Lenient, value) => BaseType::Integer.convert_report(value, &Limits::default()).ok()?.as_i64(),
    })
}

fn ack_message(value: &Value) -> Option<AckMessage> {
    match value {
        Value::Number(number) => number.as_i64().map(AckMessage::Int),
        Value::String(text) if text.chars().count() <= MAX_MESSAGE && is_plain(text) => {
            Some(AckMessage::Text(text.clone()))
        }
        _ => None,
    }
}

/// The faults of a message of which the rest can be read.
struct Faults {
    strictness: Strictness,
    found: Vec<ReportFault>,
}

impl Faults {
    /// # Errors
    /// The fault, if the template is strict.
    fn add(
        &mut self,
        error: PayloadError,
        subject: String,
        kind: FaultKind,
        shape: String,
    ) -> Result<(), PayloadError> {
        if self.strictness == Strictness::Strict {
            return Err(error);
        }
        self.found.push(ReportFault { subject, kind, shape, reason: error.to_string() });
        Ok(())
    }

    /// Reads a member that may be missing or null.
    fn read<T>(
        &mut self,
        name: &'static str,
        member: Option<Member>,
        read: impl FnOnce(&Value) -> Option<T>,
        error: PayloadError,
    ) -> Result<Option<T>, PayloadError> {
        let value = match member {
            None | Some(Member::Value(Value::Null)) => return Ok(None),
            Some(Member::Value(value)) => value,
            Some(Member::Object(_)) => Value::Object(serde_json::Map::new()),
        };
        let found = read(&value);
        if found.is_none() {
            let kind = match &value {
                Value::String(text) if name == "sw_version" && text.len() > MAX_VERSION => FaultKind::TooLong,
                Value::String(_) => FaultKind::Malformed,
                _ => FaultKind::WrongType,
            };
            self.add(error, name.to_owned(), kind, shape(&value, true))?;
        }
        Ok(found)
    }
}

/// The fault of a message of this kind of which nothing can be read.
pub(super) fn unreadable(message: &'static str, payload: &[u8], error: &PayloadError) -> ReportFault {
    let shape = format!("{} bytes", payload.len());
    ReportFault { subject: message.to_owned(), kind: FaultKind::Unreadable, shape, reason: error.to_string() }
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
        offset: Option<i32>,
        next_change: Option<Change>,
        posix: Option<&'a str>,
    }
    #[derive(Serialize)]
    struct Change {
        at: String,
        offset: i32,
    }
    let Settings { time_zone, time, rules } = settings;
    let seconds = |time: Timestamp| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let next_change = rules.as_ref().and_then(|rules| rules.next_change);
    let raw = Raw {
        time_zone: time_zone.as_deref(),
        time: seconds(*time),
        offset: rules.as_ref().map(|rules| rules.offset),
        next_change: next_change.map(|(at, offset)| Change { at: seconds(at), offset }),
        posix: rules.as_ref().and_then(|rules| rules.posix.as_deref()),
    };
    serde_json::to_vec(&raw).expect("texts can be written")
}

fn parse<const N: usize>(
    payload: &[u8],
    strictness: Strictness,
    names: [&'static str; N],
) -> Result<[Option<Member>; N], PayloadError> {
    if payload.len() > MAX_PAYLOAD {
        return Err(PayloadError::TooLarge);
    }
    let payload = match strictness {
        Strictness::Strict => payload,
        Strictness::Lenient => without_end(payload),
    };
    Ok(members(payload, names)?)
}

/// Firmware in C sends the terminator of a string along, or the rest of a buffer of zeros.
fn without_end(payload: &[u8]) -> &[u8] {
    let end = payload.iter().rposition(|byte| !matches!(byte, 0 | b'\n' | b'\r' | b' ' | b'\t'));
    &payload[..end.map_or(0, |last| last + 1)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::domain::time_zone::clock_rules;

    fn report(payload: &[u8]) -> Result<DeviceReport, PayloadError> {
        super::report(payload, Strictness::Strict, |name| name == "fan")
    }

    fn ack(payload: &[u8]) -> Result<Ack, PayloadError> {
        super::ack(payload, Strictness::Strict)
    }

    #[test]
    fn report_preserves_values_order_and_time() {
        let parsed =
            report(br#"{"properties": {"intensity": 20, "fan": 3}, "at": "2026-11-20T13:00:00+01:00", "rssi": -61}"#);
        let values = vec![("intensity".to_owned(), json!(20)), ("fan".to_owned(), json!(3))];
        let at = Some("2026-11-20T12:00:00Z".parse().unwrap());
        assert_eq!(parsed, Ok(DeviceReport { values, at, ..DeviceReport::default() }));
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
                assert_eq!(report(payload.as_bytes()), Err(error.clone()), "{payload}");
            }
        }
    }

    #[test]
    fn invalid_reports_are_rejected_with_a_reason() {
        let many: serde_json::Map<String, Value> = (0..65).map(|n| (format!("p{n}"), json!(n))).collect();
        let many = json!({ "properties": many }).to_string();
        let long_name = format!(r#"{{"properties": {{"{}": 1}}}}"#, "n".repeat(256));
        let (no_object, bad_time) =
            ("properties is missing or not an object", "at is not a time with offset (RFC 3339)");
        let (twice, null) = ("the member properties is repeated", "value 1 of 1 is neither number, text nor boolean");
        let bad_name = "value 1 of 1 has an empty name, or one of more than 255 bytes";
        for (payload, expected) in [
            ("", "payload is not JSON: EOF while parsing a value at line 1 column 0"),
            ("{", "payload is not JSON: EOF while parsing an object at line 1 column 1"),
            ("[]", "payload is not a JSON object"),
            (r#"[{"fan": 1}, null, null, null]"#, "payload is not a JSON object"),
            ("null", "payload is not a JSON object"),
            ("\u{0}", "payload is not JSON: expected value at line 1 column 1"),
            ("\u{feff}{}", "payload is not JSON: expected value at line 1 column 1"),
            (r#"{"properties": {"fan": nan}}"#, "payload is not JSON: expected ident at line 1 column 25"),
            ("{\"properties\": {\"fan\": 1}}\0", "payload is not JSON: trailing characters at line 1 column 27"),
            (r#"{"properties": {"fan": 1}} {}"#, "payload is not JSON: trailing characters at line 1 column 28"),
            ("{}", no_object),
            (r#"{"properties": null}"#, no_object),
            (r#"{"properties": []}"#, no_object),
            (r#"{"properties": "fan"}"#, no_object),
            (r#"{"properties": {"fan": 1}, "properties": {"fan": 2}}"#, twice),
            (r#"{"properties": {"fan": 1}, "at": "yesterday"}"#, bad_time),
            (r#"{"properties": {"fan": 1}, "at": "2026-11-20T12:00:00"}"#, bad_time),
            (r#"{"properties": {"fan": 1}, "at": {}}"#, bad_time),
            (r#"{"properties": {}}"#, "report without properties"),
            (r#"{"properties": {"fan": 1, "fan": 2}}"#, "fan (value 2 of 2) is repeated"),
            (r#"{"properties": {"secret": 1, "secret": 2}}"#, "value 2 of 2 is repeated"),
            (r#"{"properties": {"": 1}}"#, bad_name),
            (r#"{"properties": {"fan": null}}"#, "fan (value 1 of 1) is neither number, text nor boolean"),
            (r#"{"properties": {"secret": {"speed": 1}}}"#, null),
            (&many, "report of more than 64 properties"),
            (&long_name, bad_name),
        ] {
            assert_eq!(report(payload.as_bytes()).unwrap_err().to_string(), expected, "{payload}");
        }
        let not_text = report(b"{\"properties\": {\"fan\": \"\xff\"}}").unwrap_err().to_string();
        assert_eq!(not_text, "payload is not JSON: invalid unicode code point at line 1 column 25");
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
            assert_eq!(
                ack(payload.as_bytes()),
                Ok(Ack { id: "c1".to_owned(), status, message, faults: vec![] }),
                "{payload}"
            );
        }
    }

    #[test]
    fn invalid_acks_are_rejected_with_a_reason() {
        let long_id = json!({"id": "c".repeat(65), "status": 200}).to_string();
        let long_message = json!({"id": "c1", "status": 200, "message": "m".repeat(256)}).to_string();
        let bad_id = "id is missing or not a text of 1 to 64 bytes";
        let bad_status = "status is missing or not an integer";
        let bad_message = "message is neither an integer nor a text of up to 255 characters";
        for (payload, expected) in [
            ("", "payload is not JSON: EOF while parsing a value at line 1 column 0"),
            (r#"{"status": 200}"#, bad_id),
            (r#"{"id": "c1"}"#, bad_status),
            (r#"{"id": 1, "status": 200}"#, bad_id),
            (r#"{"id": "c1", "status": "200"}"#, bad_status),
            (r#"{"id": "c1", "status": null}"#, bad_status),
            (r#"{"id": "c1", "id": "c2", "status": 200}"#, "the member id is repeated"),
            (r#"{"id": "", "status": 200}"#, bad_id),
            (r#"{"id": "c1", "status": 200, "message": {}}"#, bad_message),
            (r#"{"id": "c1", "status": 200, "message": 1.5}"#, bad_message),
            (r#"{"id": "c1", "status": 200, "message": "\u0000"}"#, bad_message),
            (&long_id, bad_id),
            (&long_message, bad_message),
        ] {
            assert_eq!(ack(payload.as_bytes()).unwrap_err().to_string(), expected, "{payload}");
        }
    }

    #[test]
    fn lenient_report_keeps_what_can_be_read_and_names_the_rest() {
        use FaultKind::{Malformed, Repeated, TooLong, UnknownProperty, WrongType};
        let long_version = json!({"properties": {"fan": 3}, "sw_version": "v".repeat(77)}).to_string();
        let long_shape = format!("text of 77 characters: {}…", "v".repeat(32));
        let fan = vec![("fan".to_owned(), json!(3))];
        for (payload, values, faults) in [
            ("{\"properties\": {\"fan\": 3}}\0", &fan, vec![]),
            ("{\"properties\": {\"fan\": 3}}\r\n\0\0", &fan, vec![]),
            (
                r#"{"properties": {"fan": 3}, "at": "2026-11-20T12:00:00"}"#,
                &fan,
                vec![("at", Malformed, "text: 2026-11-20T12:00:00")],
            ),
            (r#"{"properties": {"fan": 3}, "at": {}}"#, &fan, vec![("at", WrongType, "object")]),
            (r#"{"properties": {"fan": 3}, "lan_ip": ""}"#, &fan, vec![("lan_ip", Malformed, "text: ")]),
            (&long_version, &fan, vec![("sw_version", TooLong, &long_shape)]),
            (
                r#"{"properties": {"fan": 3}, "sw_version": 1.3, "lan_ip": 1}"#,
                &fan,
                vec![("sw_version", WrongType, "1.3"), ("lan_ip", WrongType, "1")],
            ),
            (r#"{"properties": {"fan": 3, "fan": 4}}"#, &fan, vec![("fan", Repeated, "4")]),
            (
                r#"{"properties": {"fan": 3, "x@y": 1, "x@y": "secret"}}"#,
                &vec![fan[0].clone(), ("x@y".to_owned(), json!(1))],
                vec![("x?y", UnknownProperty, "text of 6 characters")],
            ),
        ] {
            let read = super::report(payload.as_bytes(), Strictness::Lenient, |name| name == "fan").unwrap();
            let found: Vec<_> = read.faults.iter().map(|it| (&*it.subject, it.kind, &*it.shape)).collect();
            assert_eq!((&read.values, found), (values, faults), "{payload}");
        }
    }

    #[test]
    fn lenient_payload_that_is_not_json_is_rejected_as_a_whole() {
        for payload in [
            "",
            "\0",
            "{\"properties\": {\"fan\": nan}}",
            "{\"properties\": {\"fan\": 1}}\0x",
            "{} {}",
            "[]",
            r#"{"properties": {}}"#,
        ] {
            assert!(super::report(payload.as_bytes(), Strictness::Lenient, |_| true).is_err(), "{payload:?}");
        }
    }

    #[test]
    fn lenient_ack_reads_the_status_from_a_text_and_counts_a_bad_message() {
        for (payload, status, faults) in [
            (r#"{"id": "c1", "status": "200"}"#, 200, 0),
            (r#"{"id": "c1", "status": 422.0}"#, 422, 0),
            ("{\"id\": \"c1\", \"status\": 200}\0", 200, 0),
            (r#"{"id": "c1", "status": 200, "message": 1.5}"#, 200, 1),
        ] {
            let read = super::ack(payload.as_bytes(), Strictness::Lenient).unwrap();
            assert_eq!((read.status, read.message, read.faults.len()), (status, None, faults), "{payload}");
        }
        for status in ["\"ok\"", "true", "null", "200.5", "{}"] {
            let payload = format!(r#"{{"id": "c1", "status": {status}}}"#);
            assert_eq!(super::ack(payload.as_bytes(), Strictness::Lenient), Err(PayloadError::BadStatus), "{payload}");
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
        let written = |time_zone: Option<&str>| -> Value {
            let rules = time_zone.and_then(|name| clock_rules(name, time));
            let time_zone = time_zone.map(str::to_owned);
            serde_json::from_slice(&settings(&Settings { time_zone, time, rules })).unwrap()
        };
        let change = json!({"at": "2027-03-28T01:00:00Z", "offset": 7200});
        for (time_zone, offset, next_change, posix) in [
            (Some("Europe/Paris"), json!(3600), change, json!("CET-1CEST,M3.5.0,M10.5.0/3")),
            (Some("Asia/Kolkata"), json!(19800), Value::Null, json!("IST-5:30")),
            (None, Value::Null, Value::Null, Value::Null),
        ] {
            let expected = json!({
                "time_zone": time_zone, "time": "2026-11-21T08:00:00Z",
                "offset": offset, "next_change": next_change, "posix": posix,
            });
            assert_eq!(written(time_zone), expected);
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
