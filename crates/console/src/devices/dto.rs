//! What the device calls take and give, but for the device page: the list, its rows, and the settings to write. Names and
//! shapes are those of api/openapi.json.

use diffuser::SystemConfiguration;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::index::Near;
use crate::policy::{self, Action, Actor, Decision, Target};
use crate::records::{ConnectionStatus, DeviceRecord, DeviceStatus};

/// A device as lists and events show it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeviceView {
    pub(super) dsn: String,
    #[schema(required)]
    pub(super) serial_number: Option<String>,
    #[schema(required)]
    pub(super) customer: Option<String>,
    #[schema(required)]
    customer_id: Option<String>,
    #[schema(required)]
    store_number: Option<String>,
    #[schema(required)]
    pub(super) service_area: Option<String>,
    /// The stored name, `AQ290` and so on.
    #[schema(required)]
    system_configuration: Option<String>,
    /// Its name for people, `AQ200 Series 500 mL` and so on; a stored name that is not ours as it is.
    #[schema(required)]
    pub(super) system_configuration_label: Option<String>,
    #[schema(required)]
    fragrance: Option<String>,
    /// Percent.
    #[schema(required)]
    pub(super) fragrance_remaining: Option<i64>,
    /// `LAN`, or the SSID.
    pub(super) network: String,
    pub(super) connection_status: ConnectionStatus,
    /// Whether it was never connected; its status is Offline then.
    pub(super) never_connected: bool,
    /// When it last connected; null when it never did.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(super) connected_at: Option<Timestamp>,
    /// Since when it is connected or not; null when it never connected. Of an offline device that went unnoticed, the last
    /// time that it was known to be there. Its values are no younger than that.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(super) connection_changed_at: Option<Timestamp>,
    #[schema(required)]
    pub(super) csp: Option<String>,
    #[schema(required)]
    pub(super) city: Option<String>,
    #[schema(required)]
    pub(super) state: Option<String>,
    #[schema(required)]
    pub(super) country: Option<String>,
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
    /// From the place that `near` names, in a list that asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    distance_km: Option<f64>,
    can: DeviceCan,
}

/// What the caller may do with a device.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeviceCan {
    edit: bool,
    /// Copies it to others.
    copy: bool,
    reset_level: bool,
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
    /// Where the list comes from.
    pub(crate) source: ListSource,
}

/// How many devices there are to choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeviceCounts {
    /// With any status: the sum of the three.
    pub(crate) all: u64,
    pub(crate) online: u64,
    /// Without those that never connected.
    pub(crate) offline: u64,
    pub(crate) never_connected: u64,
    /// Whose level is known and at most 20 percent: as with `maxremaining=20`.
    pub(crate) low: u64,
}

/// Which devices match.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DeviceSelection {
    /// The serial numbers of all of them, in their order.
    #[schema(max_items = 5000)]
    pub(super) dsns: Vec<String>,
    pub(super) total: u64,
}

/// Where a list comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ListSource {
    /// From the console's index.
    Index,
    /// From the device cloud: while the index is being filled, or because the operator wants it so. Only some columns can
    /// be sorted and filtered by then.
    Cloud,
}

/// The settings to write; at least one. What is left out stays as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
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
    /// The same in a list of devices near a place.
    pub(super) fn with_distance(record: DeviceRecord, actor: &Actor, near: Option<&Near>) -> Self {
        let distance_km = record.position.zip(near).map(|(position, near)| near.centre.kilometres_to(position));
        Self { distance_km, ..Self::new(record, actor) }
    }

    /// The device as `actor` sees it.
    pub(crate) fn new(record: DeviceRecord, actor: &Actor) -> Self {
        let target = Target::Device { csp: record.csp.as_deref() };
        let edit = policy::can(actor, Action::Edit, target) == Decision::Allowed;
        Self {
            can: DeviceCan { edit, copy: edit, reset_level: edit },
            dsn: record.dsn,
            serial_number: record.serial_number,
            customer: record.customer,
            customer_id: record.customer_id,
            store_number: record.store_number,
            service_area: record.service_area,
            system_configuration_label: record
                .system_configuration
                .as_deref()
                .map(|cart_name| SystemConfiguration::from(cart_name).label().to_owned()),
            system_configuration: record.system_configuration,
            fragrance: record.fragrance,
            fragrance_remaining: record.state.fragrance_remaining,
            network: record.network,
            connection_status: record.state.connection_status,
            never_connected: record.state.status() == DeviceStatus::NeverConnected,
            connected_at: record.state.connected_at,
            connection_changed_at: record.state.connection_changed_at,
            csp: record.csp,
            city: record.city,
            state: record.state_province,
            country: record.country,
            time_zone: record.time_zone,
            mode: record.state.mode,
            cycle: record.state.cycle,
            intensity: record.state.intensity,
            fan: record.state.fan,
            distance_km: None,
        }
    }
}
