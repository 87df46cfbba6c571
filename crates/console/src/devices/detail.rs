//! A device as its page shows it: the row of the list, and what only the page needs (spec 000 section 3).

use devicecloud::{Device, PropertyValue};
use diffuser::{Schedule, properties};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::commands::Commands;
use super::dto::DeviceView;
use super::level;
use super::notifications::{self, NotificationView};
use super::schedule::{ScheduleFrame, ShownIntensity};
use crate::error::ApiResult;
use crate::policy::Actor;
use crate::records::{DeviceRecord, DeviceState, confirmed_value, non_empty, property, timestamp};
use crate::state::AppState;

/// A device as its page shows it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeviceDetail {
    #[serde(flatten)]
    view: DeviceView,
    /// The service area under the cloud's name for it.
    #[schema(required)]
    product_name: Option<String>,
    #[schema(required)]
    ssid: Option<String>,
    /// Whether it may be reached on its local network.
    lan_enabled: bool,
    /// Latitude in degrees.
    #[schema(required)]
    lat: Option<f64>,
    /// Longitude in degrees.
    #[schema(required)]
    lng: Option<f64>,
    #[schema(required)]
    street: Option<String>,
    #[schema(required)]
    zip: Option<String>,
    role_labels: Vec<RoleLabel>,
    /// When it last connected or reported, whichever was later.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    last_seen_at: Option<Timestamp>,
    /// Hours that the appliance has run.
    #[schema(required)]
    appliance_life: Option<f64>,
    /// Hours that the present cartridge has run.
    #[schema(required)]
    cartridge_life: Option<f64>,
    /// Hours that the pump has run.
    #[schema(required)]
    pump_life: Option<f64>,
    #[schema(required)]
    clock_mode: Option<i64>,
    #[schema(required)]
    host_version: Option<String>,
    #[schema(required)]
    oem_host_version: Option<String>,
    /// The number of the schedule frame that runs; 0 when none does.
    #[schema(required)]
    current_schedule_running: Option<i64>,
    /// The schedule as the device stores it.
    #[schema(required)]
    schedule_blob: Option<String>,
    /// Exactly 21 frames; those that the device lacks are inactive.
    schedule: Vec<ScheduleFrame>,
    shown_intensity: ShownIntensity,
    commands: Commands,
    /// Who is told when something happens to it.
    notifications: Vec<NotificationView>,
}

/// Gives the users of a role, or those of them with this label, a right to the device.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RoleLabel {
    role: String,
    #[schema(required)]
    key: Option<String>,
    #[schema(required)]
    value: Option<String>,
}

impl DeviceDetail {
    /// The device as `actor` sees it, with its level as of now, and its notifications as the cloud tells them to the actor.
    ///
    /// # Errors
    /// Of the console's database, which keeps the fragrances; what the cloud says.
    pub(super) async fn of(device: &Device, actor: &Actor, state: &AppState) -> ApiResult<Self> {
        let mut record = DeviceRecord::of(device);
        record.state.fragrance_remaining = level::remaining(&state.base.db, device, &record).await?;
        let notifications = notifications::read(&state.sessions.cloud(&actor.session), device).await?;
        let notifications = notifications.views(&state.opaque_ids, &record.dsn);
        Ok(Self::new(device, record, notifications, actor))
    }

    fn new(device: &Device, record: DeviceRecord, notifications: Vec<NotificationView>, actor: &Actor) -> Self {
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
            street: device.addr.as_ref().and_then(|address| address.street.as_deref().and_then(non_empty)),
            zip: device.addr.as_ref().and_then(|address| address.zip.as_deref().and_then(non_empty)),
            last_seen_at: last_seen_at(device, &record),
            role_labels: device.role_labels.iter().map(RoleLabel::of).collect(),
            appliance_life: hours(properties::APPLIANCE_LIFE),
            cartridge_life: hours(properties::CARTRIDGE_LIFE),
            pump_life: hours(properties::PUMP_LIFE),
            clock_mode: integer(properties::CLOCK_MODE),
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
            notifications,
            view: DeviceView::new(record, actor),
        }
    }
}

fn last_seen_at(device: &Device, record: &DeviceRecord) -> Option<Timestamp> {
    let reports = device.properties.iter().filter_map(|property| property.reported_at).map(timestamp);
    reports.chain(record.state.connected_at).max()
}

fn read_schedule(dsn: &str, blob: &str) -> Schedule {
    let (schedule, broken) = Schedule::read(blob);
    if !broken.is_empty() {
        tracing::warn!(device.dsn = %dsn, schedule.frames = ?broken, "broken frames of a schedule are shown as missing");
    }
    schedule
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
