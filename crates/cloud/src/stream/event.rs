//! What happened to a device, as the bus carries it.

use bytes::Bytes;
use jiff::Timestamp;
use platform::bus::Bus;
use platform::clock::to_micros;
use serde::{Deserialize, Serialize};

use crate::domain::policy::Audience;
use crate::store::audience::Origin;
use crate::store::datapoints::DatapointRow;
use crate::store::properties::PropertyRow;
use crate::wire::datapoint::Datapoint;
use crate::wire::time;

/// The bus subjects of events begin with this; `event.{oem_id}.{dsn}`.
pub(crate) const SUBJECT: &str = "event.";

/// `event_type` of the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum EventType {
    /// A new datapoint.
    Datapoint,
    /// The device answered a command.
    DatapointAck,
    /// The device came or went.
    Connectivity,
}

/// An event with what its readers' filters ask.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Event {
    pub(crate) event_type: EventType,
    pub(crate) dsn: String,
    pub(crate) oem_model: String,
    pub(crate) property_name: Option<String>,
    pub(crate) audience: Audience,
    /// The JSON that readers get, without `seq`: that one counts per socket.
    pub(crate) body: String,
}

impl EventType {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Datapoint => "datapoint",
            Self::DatapointAck => "datapointack",
            Self::Connectivity => "connectivity",
        }
    }
}

#[derive(Serialize)]
struct Body<'a> {
    metadata: Metadata<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    datapoint: Option<EventDatapoint>,
    /// The vendor's browser sample looks for an ack here.
    #[serde(skip_serializing_if = "Option::is_none")]
    datapointack: Option<EventDatapoint>,
    #[serde(skip_serializing_if = "Option::is_none")]
    connection: Option<Connection<'a>>,
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

/// A datapoint of a device's property was created.
pub(crate) fn datapoint(origin: &Origin, property: &PropertyRow, row: &DatapointRow) -> Event {
    of_property(EventType::Datapoint, origin, property, row)
}

/// A datapoint of a device's property was acknowledged.
pub(crate) fn ack(origin: &Origin, property: &PropertyRow, row: &DatapointRow) -> Event {
    of_property(EventType::DatapointAck, origin, property, row)
}

/// The device came or went.
pub(crate) fn connectivity(origin: &Origin, status: &str, at: Timestamp) -> Event {
    let event_type = EventType::Connectivity;
    let connection = Connection { event_time: time(to_micros(at)), user_uuid: origin.owner_uuid.as_deref(), status };
    event(event_type, origin, None, |metadata| Body {
        metadata,
        datapoint: None,
        datapointack: None,
        connection: Some(connection),
    })
}

fn of_property(event_type: EventType, origin: &Origin, property: &PropertyRow, row: &DatapointRow) -> Event {
    let datapoint = EventDatapoint {
        datapoint: Datapoint::new(row, property.ack_enabled),
        user_uuid: row.user_uuid.clone(),
        closed: false,
    };
    let datapointack = (event_type == EventType::DatapointAck).then(|| datapoint.clone());
    event(event_type, origin, Some(property), |metadata| Body {
        metadata,
        datapoint: Some(datapoint),
        datapointack,
        connection: None,
    })
}

fn event<'a>(
    event_type: EventType,
    origin: &'a Origin,
    property: Option<&'a PropertyRow>,
    body: impl FnOnce(Metadata<'a>) -> Body<'a>,
) -> Event {
    let body = body(Metadata {
        oem_id: &origin.oem_code,
        oem_model: &origin.oem_model,
        dsn: &origin.dsn,
        property_name: property.map(|property| &*property.name),
        display_name: property.map(|property| &*property.display_name),
        base_type: property.map(|property| property.base_type().as_str()),
        resource_tags: [],
        event_type: event_type.as_str(),
    });
    Event {
        event_type,
        dsn: origin.dsn.clone(),
        oem_model: origin.oem_model.clone(),
        property_name: property.map(|property| property.name.clone()),
        audience: origin.audience.clone(),
        body: serde_json::to_string(&body).expect("texts, numbers and JSON values have a JSON form"),
    }
}

impl Event {
    /// Tells every node.
    pub(crate) fn publish(&self, bus: &Bus) {
        let payload = serde_json::to_vec(self).expect("an event has a JSON form");
        bus.publish(format!("{SUBJECT}{}.{}", self.audience.oem_id, self.dsn), Bytes::from(payload));
    }
}
