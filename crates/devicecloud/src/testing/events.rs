//! Live data for [`MockCloud::publish`](super::MockCloud::publish), as a cloud sends it.

use serde_json::{Value, json};

use crate::model::{ConnectionStatus, PropertyValue, Time};

const ID: &str = "11111111-2222-3333-4444-555555555555";

/// A property has a new value. The device itself reported it if `echo` is true, otherwise a user wrote it.
#[must_use]
pub fn datapoint(dsn: &str, property: &str, value: impl Into<PropertyValue>, echo: bool, at: Time) -> Value {
    let value = value.into();
    let metadata = property_metadata(dsn, property, &value, "datapoint");
    json!({"metadata": metadata, "datapoint": body(&value, echo, at)})
}

/// A device acknowledged a value with this status.
#[must_use]
pub fn datapoint_ack(dsn: &str, property: &str, value: impl Into<PropertyValue>, ack_status: i64, at: Time) -> Value {
    let value = value.into();
    let mut datapoint = body(&value, false, at);
    datapoint["acked_at"] = json!(at);
    datapoint["ack_status"] = json!(ack_status);
    datapoint["ack_message"] = json!(0);
    let metadata = property_metadata(dsn, property, &value, "datapointack");
    json!({"metadata": metadata, "datapoint": datapoint, "datapointack": datapoint})
}

/// A device went online or offline.
#[must_use]
pub fn connectivity(dsn: &str, status: &ConnectionStatus, at: Time) -> Value {
    let connection = json!({"event_time": at, "user_uuid": null, "status": status});
    json!({"metadata": metadata(dsn, "connectivity"), "connection": connection})
}

fn metadata(dsn: &str, event_type: &str) -> Value {
    json!({"oem_id": null, "oem_model": null, "dsn": dsn, "resource_tags": [], "event_type": event_type})
}

fn property_metadata(dsn: &str, property: &str, value: &PropertyValue, event_type: &str) -> Value {
    let mut metadata = metadata(dsn, event_type);
    metadata["property_name"] = json!(property);
    metadata["display_name"] = json!(property);
    metadata["base_type"] = json!(match value {
        PropertyValue::Integer(_) => "integer",
        PropertyValue::Decimal(_) => "decimal",
        PropertyValue::Text(_) => "string",
        PropertyValue::Boolean(_) => "boolean",
    });
    metadata
}

fn body(value: &PropertyValue, echo: bool, at: Time) -> Value {
    json!({
        "id": ID, "created_at_from_device": null, "updated_at": at, "created_at": at, "user_uuid": null, "echo": echo,
        "closed": false, "value": value, "metadata": {},
    })
}
