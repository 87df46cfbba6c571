//! Events of devices, as published on the bus and on streams.

use bytes::Bytes;
use jiff::Timestamp;
use platform::bus::{Bus, SAFE_PAYLOAD};
use platform::run::clock::to_micros;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::location::NewLocation;
use crate::domain::policy::Audience;
use crate::domain::value::BaseType;
use crate::store::audience::Origin;
use crate::store::datapoints::DatapointRow;
use crate::store::properties::PropertyDescription;
use crate::stream::frame;
use crate::wire::datapoint::Datapoint;
use crate::wire::device::registration_type;
use crate::wire::{degrees, time};

/// The bus subject of events.
pub(crate) const SUBJECT: &str = "events";
/// Maximum number of events in one bus message: listeners wake up once per message.
const PER_MESSAGE: usize = 64;

/// `event_type` of the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum EventType {
    /// A new datapoint.
    Datapoint,
    /// The device acknowledged a command.
    DatapointAck,
    /// The device went Online or Offline.
    Connectivity,
    /// The location was changed.
    Location,
    /// The device was registered or unregistered.
    Registration,
}

/// An event, with the fields that filters and scopes need.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Event {
    pub(crate) event_type: EventType,
    pub(crate) dsn: String,
    pub(crate) oem_model: String,
    pub(crate) property_name: Option<String>,
    pub(crate) audience: Audience,
    /// The JSON that readers receive, in ASCII and without `seq`, which is counted per socket. On the bus it is a
    /// separate line.
    #[serde(skip)]
    pub(crate) body: String,
}

impl EventType {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Datapoint => "datapoint",
            Self::DatapointAck => "datapointack",
            Self::Connectivity => "connectivity",
            Self::Location => "location",
            Self::Registration => "registration",
        }
    }
}

#[derive(Serialize)]
struct Body<'a> {
    metadata: Metadata<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    datapoint: Option<EventDatapoint>,
    /// The vendor's browser sample reads an ack from this member.
    #[serde(skip_serializing_if = "Option::is_none")]
    datapointack: Option<EventDatapoint>,
    #[serde(skip_serializing_if = "Option::is_none")]
    connection: Option<Connection<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location_event: Option<LocationEvent<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    registration_event: Option<RegistrationEvent<'a>>,
}

impl<'a> Body<'a> {
    fn of(metadata: Metadata<'a>) -> Self {
        Self {
            metadata,
            datapoint: None,
            datapointack: None,
            connection: None,
            location_event: None,
            registration_event: None,
        }
    }
}

#[derive(Serialize)]
struct Metadata<'a> {
    oem_id: &'a str,
    oem_model: &'a str,
    dsn: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    property_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base_type: Option<&'static str>,
    resource_tags: [String; 0],
    event_type: &'static str,
}

#[derive(Clone, Serialize)]
struct EventDatapoint {
    #[serde(flatten)]
    datapoint: Datapoint,
    user_uuid: Option<String>,
    closed: bool,
}

#[derive(Serialize)]
struct Connection<'a> {
    event_time: String,
    user_uuid: Option<&'a str>,
    status: &'a str,
}

#[derive(Serialize)]
struct LocationEvent<'a> {
    dsn: &'a str,
    ip: Option<&'a str>,
    lat: String,
    long: String,
    provider: &'a str,
    user_uuid: Option<&'a str>,
    created_at: String,
}

#[derive(Serialize)]
struct RegistrationEvent<'a> {
    dsn: &'a str,
    user_uuid: Option<&'a str>,
    registered: bool,
    registration_type: &'static str,
    registered_at: Option<String>,
    unregistered_at: Option<String>,
}

/// A datapoint of a device's property was created.
pub(crate) fn datapoint(origin: &Origin, property: &PropertyDescription<'_>, row: &DatapointRow) -> Event {
    of_property(EventType::Datapoint, origin, property, row)
}

/// A datapoint of a device's property was acknowledged.
pub(crate) fn ack(origin: &Origin, property: &PropertyDescription<'_>, row: &DatapointRow) -> Event {
    of_property(EventType::DatapointAck, origin, property, row)
}

/// The device went Online or Offline.
pub(crate) fn connectivity(origin: &Origin, status: &str, at: Timestamp) -> Event {
    let event_type = EventType::Connectivity;
    let connection = Connection { event_time: time(to_micros(at)), user_uuid: origin.owner_uuid.as_deref(), status };
    event(event_type, origin, None, |metadata| Body { connection: Some(connection), ..Body::of(metadata) })
}

/// The location was changed.
pub(crate) fn location(origin: &Origin, location: &NewLocation, at: Timestamp) -> Event {
    let location_event = LocationEvent {
        dsn: &origin.dsn,
        ip: None,
        lat: degrees(location.lat),
        long: degrees(location.lng),
        provider: location.provider.as_str(),
        user_uuid: origin.owner_uuid.as_deref(),
        created_at: time(to_micros(at)),
    };
    event(EventType::Location, origin, None, |metadata| Body {
        location_event: Some(location_event),
        ..Body::of(metadata)
    })
}

/// The device was registered or unregistered.
pub(crate) fn registration(origin: &Origin, registered: bool, at: Timestamp) -> Event {
    let at = time(to_micros(at));
    let (registered_at, unregistered_at) = if registered { (Some(at), None) } else { (None, Some(at)) };
    let registration_event = RegistrationEvent {
        dsn: &origin.dsn,
        user_uuid: origin.owner_uuid.as_deref(),
        registered,
        registration_type: registration_type(origin.is_node),
        registered_at,
        unregistered_at,
    };
    event(EventType::Registration, origin, None, |metadata| Body {
        registration_event: Some(registration_event),
        ..Body::of(metadata)
    })
}

fn of_property(
    event_type: EventType,
    origin: &Origin,
    property: &PropertyDescription<'_>,
    row: &DatapointRow,
) -> Event {
    let datapoint = EventDatapoint {
        datapoint: Datapoint::new(row, property.ack_enabled),
        user_uuid: row.user_uuid.clone(),
        // The value of a file property is published only after the file is closed.
        closed: property.base_type == BaseType::File,
    };
    let datapointack = (event_type == EventType::DatapointAck).then(|| datapoint.clone());
    event(event_type, origin, Some(property), |metadata| Body {
        datapoint: Some(datapoint),
        datapointack,
        ..Body::of(metadata)
    })
}

fn event<'a>(
    event_type: EventType,
    origin: &'a Origin,
    property: Option<&'a PropertyDescription<'a>>,
    body: impl FnOnce(Metadata<'a>) -> Body<'a>,
) -> Event {
    let body = body(Metadata {
        oem_id: &origin.oem_code,
        oem_model: &origin.oem_model,
        dsn: &origin.dsn,
        property_name: property.map(|property| property.name),
        display_name: property.map(|property| property.display_name),
        base_type: property.map(|property| property.base_type.as_str()),
        resource_tags: [],
        event_type: event_type.as_str(),
    });
    Event {
        event_type,
        dsn: origin.dsn.clone(),
        oem_model: origin.oem_model.clone(),
        property_name: property.map(|property| property.name.to_owned()),
        audience: origin.audience.clone(),
        body: frame::ascii(serde_json::to_string(&body).expect("texts, numbers and JSON values have a JSON form")),
    }
}

/// Publishes events to every node, in this order.
pub(crate) fn publish(bus: &Bus, events: &[Event]) {
    let (mut message, mut count) = (Vec::new(), 0);
    for event in events {
        let start = message.len();
        // Two lines per event. The JSON contains no line breaks, as they are escaped in strings.
        serde_json::to_writer(&mut message, event).expect("an event has a JSON form");
        message.push(b'\n');
        message.extend_from_slice(event.body.as_bytes());
        message.push(b'\n');
        if count == PER_MESSAGE || (count > 0 && message.len() > SAFE_PAYLOAD) {
            let next = message.split_off(start);
            bus.publish(SUBJECT, Bytes::from(std::mem::replace(&mut message, next)));
            count = 0;
        }
        count += 1;
    }
    if count > 0 {
        bus.publish(SUBJECT, Bytes::from(message));
    }
}

/// Parses the payload of [`publish`]; `None` if it is malformed. Events of a type that only nodes of a newer version know are left out:
/// no subscription of this version can ask for them.
pub(crate) fn read(payload: &[u8]) -> Option<Vec<Event>> {
    let mut lines = std::str::from_utf8(payload).ok()?.lines();
    let mut events = Vec::new();
    while let Some(line) = lines.next() {
        let body = lines.next()?.to_owned();
        match serde_json::from_str::<Event>(line) {
            Ok(event) => events.push(Event { body, ..event }),
            Err(_) if has_unknown_type(line) => {}
            Err(_) => return None,
        }
    }
    Some(events)
}

fn has_unknown_type(event: &str) -> bool {
    #[derive(Deserialize)]
    struct Header {
        event_type: Value,
    }
    serde_json::from_str::<Header>(event)
        .is_ok_and(|Header { event_type }| event_type.is_string() && EventType::deserialize(event_type).is_err())
}

#[cfg(test)]
mod tests {
    use platform::bus::Delivery;

    use super::*;

    #[tokio::test]
    async fn events_survive_the_bus_unchanged_and_in_order() {
        let bus = Bus::in_process();
        let mut listener = bus.subscribe(SUBJECT);
        let event = |n: usize| Event {
            event_type: EventType::Datapoint,
            dsn: format!("D{n}"),
            oem_model: "a\nb".into(),
            property_name: None,
            audience: Audience { oem_id: 1, registered: true, owner_id: None, labels: vec![], shares: vec![] },
            body: serde_json::json!({ "n": n, "text": "a\nb\r\n\u{2028}" }).to_string(),
        };
        let events: Vec<Event> = (0..2 * PER_MESSAGE + 1).map(event).collect();
        publish(&bus, &events);
        let mut received = Vec::new();
        while received.len() < events.len() {
            let Some(Delivery::Message { payload, .. }) = listener.next().await else { panic!("events are missing") };
            assert!(payload.len() <= SAFE_PAYLOAD);
            received.extend(read(&payload).unwrap());
        }
        let seen = |event: &Event| (event.dsn.clone(), event.oem_model.clone(), event.body.clone());
        assert_eq!(received.iter().map(seen).collect::<Vec<_>>(), events.iter().map(seen).collect::<Vec<_>>());
        assert!(read(b"no event\n{}\n").is_none());

        let long = Event { body: format!("{{\"text\":\"{}\"}}", "x".repeat(SAFE_PAYLOAD)), ..event(0) };
        publish(&bus, &[event(1), long.clone(), event(2)]);
        for expected in [event(1), long, event(2)] {
            let Some(Delivery::Message { payload, .. }) = listener.next().await else { panic!("an event is missing") };
            let received: Vec<_> = read(&payload).unwrap().iter().map(seen).collect();
            assert_eq!(received, [seen(&expected)]);
        }
    }
    #[test]
    fn events_of_a_newer_version_are_left_out_and_the_others_are_read() {
        let line = |event_type: &str| {
            let audience = r#"{"oem_id":1,"registered":true,"owner_id":null,"labels":[],"shares":[]}"#;
            format!(
                "{{\"event_type\":{event_type},\"dsn\":\"D\",\"oem_model\":\"m\",\"property_name\":null,\
                 \"audience\":{audience},\"of_a_newer_version\":1}}\n{{}}\n"
            )
        };
        let payload = [line("\"telepathy\""), line("\"location\""), line("\"telepathy\"")].concat();
        let events = read(payload.as_bytes()).unwrap();
        assert_eq!(events.iter().map(|event| event.event_type).collect::<Vec<_>>(), [EventType::Location]);
        assert!(read(line("7").as_bytes()).is_none());
        assert!(read(b"{\"event_type\":\"location\"}\n{}\n").is_none());
        assert!(read(line("\"location\"").trim_end_matches("{}\n").as_bytes()).is_none());
    }
}
