use serde::Serialize;
use serde_json::Value;

use super::time;
use crate::domain::value::Direction;
use crate::store::properties::PropertyRow;

#[derive(Serialize)]
pub(crate) struct PropertyWrapper {
    property: Property,
}

/// A property (docs/wire.md#properties); `reported_value`, `reported_at` and `command` are our own members.
#[derive(Serialize)]
struct Property {
    r#type: &'static str,
    name: String,
    base_type: &'static str,
    read_only: bool,
    direction: &'static str,
    scope: &'static str,
    data_updated_at: Option<String>,
    key: i64,
    device_key: i64,
    product_name: String,
    track_only_changes: bool,
    display_name: String,
    host_sw_version: bool,
    time_series: bool,
    derived: bool,
    app_type: Option<String>,
    recipe: Option<String>,
    value: Value,
    metadata: Value,
    denied_roles: [String; 0],
    ack_enabled: bool,
    retention_days: i64,
    // Strict readers decode the ack members as texts, so they are present only if there is an ack.
    #[serde(skip_serializing_if = "Option::is_none")]
    ack_status: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ack_message: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    acked_at: Option<String>,
    reported_value: Value,
    reported_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<Command>,
}

#[derive(Serialize)]
struct Command {
    id: String,
    value: Value,
    state: String,
    created_at: String,
    expires_at: String,
}

impl PropertyWrapper {
    pub(crate) fn new(row: PropertyRow, product_name: &str) -> Self {
        let command = row.command().map(|command| Command {
            id: command.id.to_owned(),
            value: command.value,
            state: command.state.to_owned(),
            created_at: time(command.created_at),
            expires_at: time(command.expires_at),
        });
        Self {
            property: Property {
                r#type: "Property",
                base_type: row.base_type().as_str(),
                read_only: row.direction() == Direction::Output,
                direction: row.direction().as_str(),
                scope: "user",
                data_updated_at: row.value_at.map(time),
                key: row.id,
                device_key: row.device_id,
                product_name: product_name.to_owned(),
                track_only_changes: false,
                host_sw_version: false,
                time_series: false,
                derived: false,
                app_type: None,
                recipe: None,
                value: row.value(),
                metadata: row.metadata(),
                denied_roles: [],
                ack_enabled: row.ack_enabled,
                retention_days: row.retention_days,
                ack_status: row.ack_status.filter(|_| row.ack_enabled),
                ack_message: row.ack_message().filter(|_| row.ack_enabled),
                acked_at: row.acked_at.filter(|_| row.ack_enabled).map(time),
                reported_value: row.reported_value(),
                reported_at: row.reported_at.map(time),
                command,
                name: row.name,
                display_name: row.display_name,
            },
        }
    }
}
