use jiff::{SignedDuration, Timestamp};
use platform::run::clock::from_micros;
use serde::Serialize;

use super::datum::DatumWrapper;
use super::property::PropertyWrapper;
use super::{degrees, time};
use crate::domain::time_zone;
use crate::store::device_faults::FaultRow;
use crate::store::devices::DeviceRow;
use crate::store::labels::LabelRow;
use crate::store::share_columns::ReceivedShare;

/// Connections that replaced each other too often are shown for this long.
const SHARED_FOR: SignedDuration = SignedDuration::from_hours(24);

#[derive(Serialize)]
pub(crate) struct DeviceWrapper<T> {
    pub(crate) device: T,
}

/// A device in a list (docs/wire.md#devices), with the members that `include` adds. Strict clients reject the whole
/// list if a text is null, so an unknown text is empty: `mac` of a device without one, `sw_version` and `lan_ip` before
/// the device's first report.
#[derive(Serialize)]
pub(crate) struct ListedDevice {
    product_name: String,
    model: String,
    dsn: String,
    oem_model: String,
    sw_version: String,
    template_id: i64,
    mac: String,
    /// Null, as on the vendor's cloud.
    unique_hardware_id: Option<String>,
    /// The MAC address.
    hwsig: String,
    lan_ip: String,
    connected_at: Option<String>,
    key: i64,
    lan_enabled: bool,
    has_properties: bool,
    product_class: String,
    connection_status: String,
    lat: Option<String>,
    lng: Option<String>,
    locality: Option<String>,
    device_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    gateway_dsn: Option<String>,
    ssid: Option<String>,
    created_at: String,
    registered: bool,
    /// Only of a device with faults (docs/wire.md#devices).
    #[serde(skip_serializing_if = "Option::is_none")]
    fault_counts: Option<FaultCounts>,
    /// Only, and then true, of a device whose connections have replaced each other too often within a day (docs/wire.md#devices).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    shared_identity: bool,
    /// Only for a device that is shared with the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    grant: Option<Grant>,
    #[serde(flatten)]
    included: Included,
}

/// The numbers of parts of messages of the device that were not stored.
#[derive(Serialize)]
struct FaultCounts {
    today: i64,
    yesterday: i64,
}

/// The share through which the caller sees the device.
#[derive(Serialize)]
struct Grant {
    user_id: i64,
    start_date_at: Option<String>,
    end_date_at: Option<String>,
    operation: &'static str,
    role: Option<String>,
    share_id: i64,
}

/// A single device: all members of [`ListedDevice`] and more.
#[derive(Serialize)]
pub(crate) struct SingleDevice {
    #[serde(flatten)]
    listed: ListedDevice,
    id: i64,
    oem: String,
    user_id: Option<i64>,
    user_uuid: Option<String>,
    ip: Option<String>,
    registration_type: &'static str,
    module_updated_at: Option<String>,
    activated_at: Option<String>,
    /// Only of a device that is, or was until its connection ended, silent for longer than its keep-alive (docs/wire.md#devices).
    #[serde(skip_serializing_if = "Option::is_none")]
    last_heard_at: Option<String>,
    /// Only of a device that was refused (docs/wire.md#devices).
    #[serde(skip_serializing_if = "Option::is_none")]
    last_refusal: Option<Refusal>,
    /// Only of a device with faults.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    faults: Vec<Fault>,
}

/// A part of messages of the device that was not stored.
#[derive(Serialize)]
struct Fault {
    property: String,
    kind: String,
    count: i64,
    last_at: String,
    /// Describes the last value.
    value: String,
}

/// Why the device link last refused a connection or a packet of the device.
#[derive(Serialize)]
struct Refusal {
    at: String,
    reason: String,
}

/// The members that `include` adds.
#[derive(Default, Serialize)]
pub(crate) struct Included {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<Vec<DatumWrapper>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) addr: Option<Addr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) role_labels: Option<Vec<RoleLabelWrapper>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) properties: Option<Vec<PropertyWrapper>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) time_zone: Option<TimeZone>,
}

#[derive(Serialize)]
pub(crate) struct Addr {
    street: Option<String>,
    city: Option<String>,
    state: Option<String>,
    country: Option<String>,
    zip: Option<String>,
}

#[derive(Serialize)]
pub(crate) struct RoleLabelWrapper {
    role_label: RoleLabel,
}

#[derive(Serialize)]
struct RoleLabel {
    id: i64,
    role_name: String,
    description: Option<String>,
    label: Option<KeyValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<Vec<KeyValue>>,
}

#[derive(Serialize)]
struct KeyValue {
    key: String,
    value: String,
}

#[derive(Clone, Serialize)]
pub(crate) struct TimeZone {
    tz_id: Option<String>,
    utc_offset: Option<String>,
    dst: bool,
    dst_active: bool,
    dst_next_change_date: Option<String>,
    dst_next_change_time: Option<String>,
    key: Option<i64>,
}

impl Grant {
    fn new(shared: &ReceivedShare<'_>) -> Self {
        Self {
            user_id: shared.user_id,
            start_date_at: shared.period.start.map(time),
            end_date_at: shared.period.end.map(time),
            operation: shared.operation.as_str(),
            role: shared.role.map(str::to_owned),
            share_id: shared.share_id,
        }
    }
}

impl ListedDevice {
    pub(crate) fn new(row: DeviceRow, included: Included, now: Timestamp) -> Self {
        let (today, yesterday) = row.faults.counts(now);
        let is_recent = |at| now.duration_since(from_micros(at)) < SHARED_FOR;
        Self {
            shared_identity: row.shared_identity_at.is_some_and(is_recent),
            fault_counts: (today + yesterday > 0).then_some(FaultCounts { today, yesterday }),
            grant: row.shared().as_ref().map(Grant::new),
            product_name: row.product_name,
            model: row.model,
            dsn: row.dsn,
            oem_model: row.oem_model,
            sw_version: row.sw_version.unwrap_or_default(),
            template_id: row.template_id,
            hwsig: row.mac.clone().unwrap_or_default(),
            mac: row.mac.unwrap_or_default(),
            unique_hardware_id: None,
            lan_ip: row.lan_ip.unwrap_or_default(),
            connected_at: row.connected_at.map(time),
            key: row.id,
            lan_enabled: row.lan_enabled,
            // Every device has properties, because every template has some.
            has_properties: true,
            product_class: row.template,
            connection_status: row.status,
            lat: row.lat.map(degrees),
            lng: row.lng.map(degrees),
            locality: None,
            device_type: if row.gateway_dsn.is_some() { "Node" } else { "Wifi" },
            gateway_dsn: row.gateway_dsn,
            ssid: row.ssid,
            created_at: time(row.created_at),
            registered: row.registered,
            included,
        }
    }
}

impl SingleDevice {
    pub(crate) fn new(row: DeviceRow, included: Included, faults: Vec<FaultRow>, now: Timestamp) -> Self {
        let refusal = |(at, reason): (i64, &String)| Refusal { at: time(at), reason: reason.clone() };
        Self {
            last_refusal: row.refused_at.zip(row.refusal.as_ref()).map(refusal),
            faults: faults.into_iter().map(Fault::from).collect(),
            id: row.id,
            oem: row.oem_code.clone(),
            user_id: row.owner_id,
            user_uuid: row.owner_uuid.clone(),
            ip: None,
            registration_type: registration_type(row.gateway_dsn.is_some()),
            module_updated_at: None,
            activated_at: row.activated_at.map(time),
            last_heard_at: row.silent_since.map(time),
            listed: ListedDevice::new(row, included, now),
        }
    }
}

impl From<FaultRow> for Fault {
    fn from(FaultRow { subject, kind, count, shape, last_at }: FaultRow) -> Self {
        Self { property: subject, kind, count, last_at: time(last_at), value: shape }
    }
}

impl From<LabelRow> for RoleLabelWrapper {
    fn from(row: LabelRow) -> Self {
        let label = KeyValue::of(&row);
        let LabelRow { id, role_name, description, .. } = row;
        Self { role_label: RoleLabel { id, role_name, description, label, tags: None } }
    }
}

impl RoleLabelWrapper {
    /// A device with the keys and values of these labels.
    pub(crate) fn with_tags(row: LabelRow, labels: &[LabelRow]) -> Self {
        let mut wrapper = Self::from(row);
        wrapper.role_label.tags = Some(labels.iter().filter_map(KeyValue::of).collect());
        wrapper
    }
}

impl KeyValue {
    fn of(row: &LabelRow) -> Option<Self> {
        (!row.label_key.is_empty()).then(|| Self { key: row.label_key.clone(), value: row.label_value.clone() })
    }
}

impl Addr {
    pub(crate) fn new(row: &DeviceRow) -> Self {
        Self {
            street: row.street.clone(),
            city: row.city.clone(),
            state: row.state.clone(),
            country: row.country.clone(),
            zip: row.zip.clone(),
        }
    }
}

impl TimeZone {
    pub(crate) fn new(row: &DeviceRow, now: Timestamp) -> Self {
        let facts = row.tz_id.as_deref().map(|tz_id| time_zone::facts(tz_id, now)).unwrap_or_default();
        Self {
            key: row.tz_id.as_ref().map(|_| row.id),
            tz_id: row.tz_id.clone(),
            // A missing zone counts as UTC, which is sent as an offset without a key (docs/wire.md#device-data).
            utc_offset: facts.utc_offset.or_else(|| row.tz_id.is_none().then(|| "+00:00".to_owned())),
            dst: facts.dst,
            dst_active: facts.dst_active,
            dst_next_change_date: facts.dst_next_change_date,
            dst_next_change_time: facts.dst_next_change_time,
        }
    }
}

/// `Node` behind a gateway. Other devices have no registration type of the protocol.
pub(crate) fn registration_type(is_node: bool) -> &'static str {
    if is_node { "Node" } else { "None" }
}
