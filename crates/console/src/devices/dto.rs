//! What the device calls take and give. Names and shapes are those of api/openapi.json.

use devicecloud::{Device, PropertyValue};
use diffuser::properties;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::record::{ConnectionStatus, DeviceRecord, property, timestamp};
use crate::policy::{self, Action, Actor, Decision, Target};

/// A device as lists and events show it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeviceView {
    dsn: String,
    #[schema(required)]
    serial_number: Option<String>,
    #[schema(required)]
    customer: Option<String>,
    #[schema(required)]
    customer_id: Option<String>,
    #[schema(required)]
    store_number: Option<String>,
    #[schema(required)]
    service_area: Option<String>,
    /// The stored name, `AQ290` and so on.
    #[schema(required)]
    system_configuration: Option<String>,
    #[schema(required)]
    fragrance: Option<String>,
    /// Percent.
    #[schema(required)]
    fragrance_remaining: Option<i64>,
    /// `LAN`, or the SSID.
    network: String,
    connection_status: ConnectionStatus,
    #[schema(required, value_type = Option<String>, format = DateTime)]
    connected_at: Option<Timestamp>,
    #[schema(required)]
    csp: Option<String>,
    #[schema(required)]
    city: Option<String>,
    #[schema(required)]
    state: Option<String>,
    #[schema(required)]
    country: Option<String>,
    #[schema(required)]
    time_zone: Option<String>,
    /// 1 Off, 2, 3 24/7, 4 Run.
    #[schema(required)]
    mode: Option<i64>,
    /// Off-cycle: 1 very short, 2 short, 3 normal.
    #[schema(required)]
    cycle: Option<i64>,
    /// 1 to 50.
    #[schema(required)]
    intensity: Option<i64>,
    /// 0 (off) to 5.
    #[schema(required)]
    fan: Option<i64>,
    can: DeviceCan,
}

/// What the caller may do with a device.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeviceCan {
    edit: bool,
}

/// A device as its page shows it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeviceDetail {
    #[serde(flatten)]
    view: DeviceView,
    /// Degrees.
    #[schema(required)]
    latitude: Option<f64>,
    /// Degrees.
    #[schema(required)]
    longitude: Option<f64>,
    /// The number of the schedule frame that runs; 0 when none does.
    #[schema(required)]
    current_schedule_running: Option<i64>,
    commands: Commands,
}

/// The newest wish of a user for each setting. A setting that no user ever wrote is absent.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Commands {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Command, required = false)]
    mode: Option<Command>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Command, required = false)]
    cycle: Option<Command>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Command, required = false)]
    intensity: Option<Command>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Command, required = false)]
    fan: Option<Command>,
}

/// A wish and what became of it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Command {
    value: i64,
    state: CommandState,
    #[schema(value_type = String, format = DateTime)]
    sent_at: Timestamp,
    /// When the device acknowledged it.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    acknowledged_at: Option<Timestamp>,
    /// When it is given up if the device stays silent.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    expires_at: Option<Timestamp>,
    /// What the device itself last reported.
    #[schema(required)]
    reported: Option<i64>,
}

/// What became of a wish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CommandState {
    Pending,
    Acknowledged,
    Failed,
    Expired,
}

/// One page of the list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeviceList {
    pub(crate) devices: Vec<DeviceView>,
    /// How many devices match, on all pages.
    pub(crate) total: u64,
    /// The page that this is: the last one when a later one was asked for.
    pub(crate) current_page_number: u64,
    /// How fresh the list is: nothing that happened before is missing.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) as_of: Timestamp,
}

/// The settings to write; at least one. What is left out stays as it is.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
pub(crate) struct DeviceSettings {
    /// 1 Off, 3 24/7, 4 Run; 2 only for a device that is in it.
    pub(crate) mode: Option<i64>,
    /// 1 to 3.
    pub(crate) cycle: Option<i64>,
    /// 1 to the maximum of the system configuration and off-cycle; not in mode 2.
    pub(crate) intensity: Option<i64>,
    /// 0 to 5.
    pub(crate) fan: Option<i64>,
}

impl DeviceView {
    /// The device as `actor` sees it.
    pub(crate) fn new(record: DeviceRecord, actor: &Actor) -> Self {
        let target = Target::Device { csp: record.csp.as_deref() };
        Self {
            can: DeviceCan { edit: policy::can(actor, Action::Edit, target) == Decision::Allowed },
            dsn: record.dsn,
            serial_number: record.serial_number,
            customer: record.customer,
            customer_id: record.customer_id,
            store_number: record.store_number,
            service_area: record.service_area,
            system_configuration: record.system_configuration,
            fragrance: record.fragrance,
            fragrance_remaining: record.state.fragrance_remaining,
            network: record.network,
            connection_status: record.state.connection_status,
            connected_at: record.state.connected_at,
            csp: record.csp,
            city: record.city,
            state: record.state_province,
            country: record.country,
            time_zone: record.time_zone,
            mode: record.state.mode,
            cycle: record.state.cycle,
            intensity: record.state.intensity,
            fan: record.state.fan,
        }
    }
}

impl DeviceDetail {
    /// The device as `actor` sees it.
    pub(super) fn new(device: &Device, actor: &Actor) -> Self {
        let running = property(device, properties::CURRENT_SCHEDULE_RUNNING);
        Self {
            view: DeviceView::new(DeviceRecord::of(device), actor),
            latitude: device.lat,
            longitude: device.lng,
            current_schedule_running: running.and_then(|property| property.value.as_ref()?.as_i64()),
            commands: Commands {
                mode: Command::of(device, properties::CURRENT_STATE),
                cycle: Command::of(device, properties::CYCLE),
                intensity: Command::of(device, properties::INTENSITY),
                fan: Command::of(device, properties::FAN),
            },
        }
    }
}

impl Command {
    fn of(device: &Device, name: &str) -> Option<Self> {
        let property = property(device, name)?;
        let command = property.command.as_ref()?;
        let state = CommandState::of(&command.state)?;
        Some(Self {
            value: command.value.as_ref()?.as_i64()?,
            state,
            sent_at: timestamp(command.created_at?),
            // Beside a command that is still pending, `acked_at` speaks of the one before it.
            acknowledged_at: (state == CommandState::Acknowledged)
                .then_some(property.acked_at)
                .flatten()
                .map(timestamp),
            expires_at: command.expires_at.map(timestamp),
            reported: property.reported_value.as_ref().and_then(PropertyValue::as_i64),
        })
    }
}

impl CommandState {
    /// `None` for a state of a cloud that is newer than we are: the web could not name it either.
    fn of(state: &devicecloud::CommandState) -> Option<Self> {
        match state {
            devicecloud::CommandState::Pending => Some(Self::Pending),
            devicecloud::CommandState::Acknowledged => Some(Self::Acknowledged),
            devicecloud::CommandState::Failed => Some(Self::Failed),
            devicecloud::CommandState::Expired => Some(Self::Expired),
            _ => None,
        }
    }
}
