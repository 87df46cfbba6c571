//! The response of the device page: the row of the list and what only the page shows.

use std::sync::Arc;

use devicecloud::{Device, PropertyValue};
use diffuser::{Schedule, properties};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::commands::Commands;
use super::dto::DeviceView;
use super::level;
use super::level_reset::{self, LevelReset};
use super::schedule::{ScheduleFrame, ShownIntensity};
use crate::http::error::ApiResult;
use crate::policy::{self, Action, Actor, Decision, Target};
use crate::records::{
    DerivedValues, DeviceRecord, DeviceState, ListedDevice, PageSnapshot, ReadDevice, UndoableReset, cloud_device,
    confirmed_value, non_empty, property, timestamp,
};
use crate::state::CoreState;

/// A device as its page shows it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeviceDetail {
    #[serde(flatten)]
    view: DeviceView,
    /// The service area under the cloud's name.
    #[schema(required)]
    product_name: Option<String>,
    #[schema(required)]
    ssid: Option<String>,
    /// Whether it can be reached on its local network.
    lan_enabled: bool,
    /// Latitude in degrees.
    #[schema(required)]
    lat: Option<f64>,
    /// Longitude in degrees.
    #[schema(required)]
    lng: Option<f64>,
    role_labels: Vec<RoleLabel>,
    /// Time of the last connection or report, or when it was last heard, whichever is later.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    last_seen_at: Option<Timestamp>,
    /// When the cloud last heard it, if it is, or was until its connection ended, silent for longer than its keep-alive; otherwise null.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    last_heard_at: Option<Timestamp>,
    /// Operating hours of the appliance.
    #[schema(required)]
    appliance_life: Option<f64>,
    /// Operating hours of the current cartridge.
    #[schema(required)]
    cartridge_life: Option<f64>,
    /// Operating hours of the pump.
    #[schema(required)]
    pump_life: Option<f64>,
    #[schema(required)]
    clock_mode: Option<i64>,
    /// Version of the software that talks to the cloud.
    #[schema(required)]
    sw_version: Option<String>,
    /// Address in its local network.
    #[schema(required)]
    lan_ip: Option<String>,
    /// When and why the cloud last refused a connection or a packet of the device; null if it never did.
    #[schema(required)]
    last_refusal: Option<LastRefusal>,
    /// What the cloud did not store of the messages of the device in the last 30 days, newest first.
    faults: Vec<DeviceFault>,
    #[schema(required)]
    host_version: Option<String>,
    #[schema(required)]
    oem_host_version: Option<String>,
    /// Number of the running schedule frame; 0 if none is running.
    #[schema(required)]
    current_schedule_running: Option<i64>,
    /// The schedule in the device's storage format.
    #[schema(required)]
    schedule_blob: Option<String>,
    /// Exactly 21 frames; missing ones are inactive.
    schedule: Vec<ScheduleFrame>,
    shown_intensity: ShownIntensity,
    commands: Commands,
    /// The newest reset of the fragrance level if the caller can undo it; otherwise null.
    #[schema(required)]
    undoable_reset: Option<UndoableReset>,
    /// The response contains all changes before this time.
    #[schema(value_type = String, format = DateTime)]
    as_of: Timestamp,
    /// True in the response to a write that was saved, but after which the device could not be read: the values are those from
    /// before the write. Otherwise false.
    stale: bool,
}

/// The device after a reset, and the values before it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LevelResetResponse {
    #[serde(flatten)]
    pub(super) device: DeviceDetail,
    pub(super) reset: LevelReset,
}

/// Why the cloud refused a connection or a packet of the device.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LastRefusal {
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    /// For the maker of the device, in English.
    reason: String,
}

/// Values of one property that the cloud did not store for one reason.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeviceFault {
    /// A property or member of the message, as the device calls it.
    property: String,
    /// Why, such as `out_of_range` (docs/device-link.md#faults).
    kind: String,
    count: i64,
    #[schema(value_type = String, format = DateTime)]
    last_at: Timestamp,
    /// Describes the last value, in English.
    value: String,
}

/// Grants users of a role, or only those with this label, access to the device.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RoleLabel {
    role: String,
    #[schema(required)]
    key: Option<String>,
    #[schema(required)]
    value: Option<String>,
}

impl DeviceDetail {
    /// Builds the response for `actor`, with the current level and forecast.
    ///
    /// # Errors
    /// Database errors.
    pub(super) async fn of(device: &ReadDevice, actor: &Actor, state: &CoreState) -> ApiResult<Self> {
        let undoable_reset = level_reset::undoable(&state.base, device).await?;
        Ok(Self::new(device, level::derived_values(&state.base.db, device).await?, undoable_reset, actor))
    }

    /// Builds the event data for `actor`; `None` if the actor may not see the device.
    pub(crate) fn of_snapshot(snapshot: &PageSnapshot, actor: &Actor) -> Option<Self> {
        let csp = DeviceRecord::of(&snapshot.device).csp;
        let decision = policy::can(actor, Action::View, Target::Device { csp: csp.as_deref() });
        (decision == Decision::Allowed)
            .then(|| Self::new(&snapshot.device, snapshot.derived.clone(), snapshot.undoable_reset.clone(), actor))
    }

    fn new(device: &ReadDevice, derived: DerivedValues, undoable_reset: Option<UndoableReset>, actor: &Actor) -> Self {
        let mut record = DeviceRecord::of(device);
        let can_undo = policy::can(actor, Action::Edit, Target::Device { csp: record.csp.as_deref() });
        record.state.fragrance_remaining = derived.level;
        let value = |name: &str| property(device, name).and_then(|property| property.value.as_ref());
        let integer = |name: &str| value(name).and_then(PropertyValue::as_i64);
        let hours = |name: &str| value(name).and_then(PropertyValue::as_f64);
        let string = |name: &str| value(name).and_then(PropertyValue::as_str).and_then(non_empty);

        let schedule_blob = string(properties::SCHEDULE_BLOB);
        let schedule = schedule_blob.as_deref().map(|blob| read_schedule(&record.dsn, blob));
        let current_schedule_running = integer(properties::CURRENT_SCHEDULE_RUNNING);
        let known_schedule = property(device, properties::SCHEDULE_BLOB)
            .and_then(|blob| confirmed_value(device, blob)?.as_str())
            .map(|blob| Schedule::read(blob).0);
        Self {
            product_name: device.product_name.as_deref().and_then(non_empty),
            ssid: device.ssid.as_deref().and_then(non_empty),
            lan_enabled: device.lan_enabled,
            lat: device.lat,
            lng: device.lng,
            last_seen_at: last_seen_at(device, &record),
            last_heard_at: device.last_heard_at.map(timestamp),
            role_labels: device.role_labels.iter().map(RoleLabel::of).collect(),
            appliance_life: hours(properties::APPLIANCE_LIFE),
            cartridge_life: hours(properties::CARTRIDGE_LIFE),
            pump_life: hours(properties::PUMP_LIFE),
            clock_mode: integer(properties::CLOCK_MODE),
            sw_version: device.sw_version.as_deref().and_then(non_empty),
            lan_ip: device.lan_ip.as_deref().and_then(non_empty),
            last_refusal: device.last_refusal.as_ref().and_then(LastRefusal::of),
            faults: device.faults.iter().filter_map(DeviceFault::of).collect(),
            host_version: string(properties::HOST_VERSION),
            oem_host_version: string(properties::OEM_HOST_VERSION),
            current_schedule_running,
            shown_intensity: ShownIntensity::of(
                &DeviceState::confirmed(device),
                known_schedule.as_ref(),
                current_schedule_running,
            ),
            schedule: ScheduleFrame::all(&schedule.unwrap_or_default()),
            schedule_blob,
            commands: Commands::of(device),
            undoable_reset: undoable_reset.filter(|_| can_undo == Decision::Allowed),
            as_of: device.began,
            stale: device.is_stale,
            view: DeviceView::new(ListedDevice { record, outlook: derived.outlook, sku: derived.sku }, actor),
        }
    }
}

/// Reads what device pages show with the service session, or takes over `read`, a read of the device. The result
/// contains all changes before this call unless `read` is older. Does not check permissions; the caller must.
///
/// # Errors
/// Cloud and database errors.
pub(crate) async fn page_snapshot(
    state: &CoreState,
    dsn: &str,
    read: Option<Arc<ReadDevice>>,
) -> ApiResult<PageSnapshot> {
    let device = match read {
        Some(read) => Arc::unwrap_or_clone(read),
        None => {
            let began = state.base.clock.now();
            let cloud = state.service.cloud().await?;
            ReadDevice::new(cloud_device::read(&cloud, dsn).await?, began)
        }
    };
    let derived = level::derived_values(&state.base.db, &device).await?;
    let undoable_reset = level_reset::undoable(&state.base, &device).await?;
    Ok(PageSnapshot { device, derived, undoable_reset })
}

fn last_seen_at(device: &Device, record: &DeviceRecord) -> Option<Timestamp> {
    let reports = device.properties.iter().filter_map(|property| property.reported_at).map(timestamp);
    let heard = device.last_heard_at.map(timestamp);
    reports.chain(record.state.connected_at).chain(heard).max()
}

fn read_schedule(dsn: &str, blob: &str) -> Schedule {
    let (schedule, broken) = Schedule::read(blob);
    if !broken.is_empty() {
        tracing::warn!(device.dsn = %dsn, schedule.frames = ?broken, "invalid schedule frames are shown as missing");
    }
    schedule
}

impl LastRefusal {
    fn of(refusal: &devicecloud::Refusal) -> Option<Self> {
        Some(Self { at: timestamp(refusal.at?), reason: refusal.reason.clone() })
    }
}

impl DeviceFault {
    fn of(fault: &devicecloud::Fault) -> Option<Self> {
        Some(Self {
            property: fault.property.clone(),
            kind: fault.kind.clone(),
            count: fault.count,
            last_at: timestamp(fault.last_at?),
            value: fault.value.clone(),
        })
    }
}

impl RoleLabel {
    fn of(role_label: &devicecloud::RoleLabel) -> Self {
        let label = role_label.label.as_ref();
        Self {
            role: role_label.role_name.clone(),
            key: label.map(|label| label.key.clone()),
            value: label.map(|label| label.value.clone()),
        }
    }
}
