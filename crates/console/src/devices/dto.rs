//! Requests and responses of the device calls, except the device page. Names and shapes follow api/openapi.json.

use diffuser::{Settings, SystemConfiguration};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::audit::concurrent_changes::SeenValues;
use crate::index::{EmptiedBy, Near};
use crate::policy::{self, Action, Actor, Decision, Target};
use crate::records::{ConnectionStatus, DeviceStatus, ForecastObstacle, ListedDevice, SupplyGroup};
use crate::reports::Column;

/// A device in lists and events.
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
    /// Calendar date of the installation.
    #[schema(required, value_type = Option<String>, format = Date)]
    installed_at: Option<Date>,
    #[schema(required)]
    pub(super) service_area: Option<String>,
    /// Stored name, such as `AQ290`.
    #[schema(required)]
    system_configuration: Option<String>,
    /// Display name, such as `AQ200 Series 500 mL`; an unknown stored name is returned unchanged.
    #[schema(required)]
    pub(super) system_configuration_label: Option<String>,
    #[schema(required)]
    pub(super) fragrance: Option<String>,
    /// SKU of the fragrance in the catalogue.
    #[schema(required)]
    fragrance_sku: Option<String>,
    /// Size of its cartridges in millilitres; null for an unknown system configuration.
    #[schema(required)]
    pub(super) cartridge_ml: Option<u32>,
    /// Fragrance level in percent.
    #[schema(required)]
    pub(super) fragrance_remaining: Option<i64>,
    /// Decides where the device is in lists by need, and which of the following values are known.
    pub(super) supply: SupplyGroup,
    /// Since when its cartridge has been empty; null if it is not, or that is not known.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(super) empty_since: Option<Timestamp>,
    /// When its cartridge is expected to be empty; null without a forecast.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(super) runs_dry_at: Option<Timestamp>,
    /// Why there is no forecast; null if there is one, or none was made yet.
    #[schema(required)]
    pub(super) forecast_obstacle: Option<ForecastObstacle>,
    /// Whether these dates may still change, because the use on past days has not been read yet.
    pub(super) is_provisional: bool,
    /// `LAN`, or the SSID.
    pub(super) network: String,
    pub(super) connection_status: ConnectionStatus,
    /// Whether it never connected; its status is then Offline.
    pub(super) never_connected: bool,
    /// When it last connected; null if it never did.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(super) connected_at: Option<Timestamp>,
    /// Since when it has been connected or disconnected; null if it never connected. If the disconnection was not
    /// observed, this is the last time that the device was known to be online, and its values are no newer.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(super) connection_changed_at: Option<Timestamp>,
    #[schema(required)]
    pub(super) csp: Option<String>,
    #[schema(required)]
    street: Option<String>,
    #[schema(required)]
    zip: Option<String>,
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
    /// Distance from the place of the `near` filter; present only in lists with that filter.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    distance_km: Option<f64>,
    can: DeviceCan,
}

/// The caller's permissions for a device.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeviceCan {
    edit: bool,
    /// May copy it to other devices.
    copy: bool,
    reset_level: bool,
}

/// One page of the list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeviceList {
    pub(crate) devices: Vec<DeviceView>,
    /// Number of matching devices on all pages.
    pub(crate) total: u64,
    /// The number of this page: the last page if a later one was requested.
    pub(crate) current_page_number: u64,
    /// The list contains every change before this time, by whichever application.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) as_of: Timestamp,
    /// The list contains every connection, reported value and command before this time, which is not before `asOf`.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) states_as_of: Timestamp,
    /// Source of the list.
    pub(crate) source: ListSource,
    /// The filter without which an empty list has the most devices; missing if none alone empties it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) emptied_by: Option<EmptiedByFilter>,
}

/// A filter without which the list has devices.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct EmptiedByFilter {
    /// Its name in the query string.
    pub(crate) filter: &'static str,
    /// How many devices the list has without it.
    pub(crate) devices: u64,
}

impl From<EmptiedBy> for EmptiedByFilter {
    fn from(EmptiedBy { filter, devices }: EmptiedBy) -> Self {
        Self { filter, devices }
    }
}

/// Counts of the selectable devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeviceCounts {
    /// With any status: the sum of the three counts by status.
    pub(crate) all: u64,
    pub(crate) online: u64,
    /// Without devices that never connected.
    pub(crate) offline: u64,
    pub(crate) never_connected: u64,
    /// With a known level of at most 20 percent, as with `maxremaining=20`.
    pub(crate) low: u64,
    /// Empty, expected to run dry in 7 days, or in need for another reason, as with `runsdrydays=7`.
    pub(crate) runs_dry: u64,
}

/// The selected devices.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DeviceSelection {
    /// DSNs of all matching devices, in order.
    #[schema(max_items = 5000)]
    pub(super) dsns: Vec<String>,
    pub(super) total: u64,
}

/// Source of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ListSource {
    /// The console's index.
    Index,
    /// The device cloud: until the index has been filled, or always if the operator chooses so. Only some sort columns
    /// and filters are available.
    Cloud,
}

/// The settings to write, at least one. Omitted settings are not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
pub(crate) struct DeviceSettings {
    /// 1 Off, 3 24/7, 4 Run; 2 only if the device is already in it.
    pub(crate) mode: Option<i64>,
    /// 1 to 3.
    pub(crate) cycle: Option<i64>,
    /// 1 to the maximum of the system configuration and off-cycle; not in mode 2.
    pub(crate) intensity: Option<i64>,
    /// 0 to 5.
    pub(crate) fan: Option<i64>,
}

/// The settings to write, at least one. Omitted settings are not changed.
#[derive(Debug, Deserialize, ToSchema)]
pub(super) struct DeviceSettingsForm {
    /// 1 Off, 3 24/7, 4 Run; 2 only if the device is already in it.
    mode: Option<i64>,
    /// 1 to 3.
    cycle: Option<i64>,
    /// 1 to the maximum of the system configuration and off-cycle; not in mode 2.
    intensity: Option<i64>,
    /// 0 to 5.
    fan: Option<i64>,
    /// The values that the person saw before the change. If a setting to write has another value by now, nothing is saved and the
    /// response is 409.
    #[serde(default)]
    pub(super) seen: SeenValues,
}

impl DeviceSettingsForm {
    pub(super) fn settings(&self) -> DeviceSettings {
        DeviceSettings { mode: self.mode, cycle: self.cycle, intensity: self.intensity, fan: self.fan }
    }
}

impl DeviceSettings {
    pub(crate) fn settings(&self) -> Settings {
        Settings { mode: self.mode, cycle: self.cycle, intensity: self.intensity, fan: self.fan }
    }
}

impl DeviceList {
    /// What a client has not got if it differs: all but the times, which change all the time.
    pub(super) fn contents(&self) -> impl Serialize + '_ {
        (&self.devices, self.total, self.current_page_number, self.source, &self.emptied_by)
    }
}

impl DeviceView {
    /// The device in a list of devices near a place.
    pub(super) fn with_distance(device: ListedDevice, actor: &Actor, near: Option<&Near>) -> Self {
        let distance_km = device.record.position.zip(near).map(|(position, near)| near.centre.kilometres_to(position));
        Self { distance_km, ..Self::new(device, actor) }
    }

    /// The device as seen by `actor`.
    pub(crate) fn new(ListedDevice { record, outlook, sku }: ListedDevice, actor: &Actor) -> Self {
        let target = Target::Device { csp: record.csp.as_deref() };
        let edit = policy::can(actor, Action::Edit, target) == Decision::Allowed;
        let supply = outlook.group(record.state.fragrance_remaining);
        Self {
            can: DeviceCan { edit, copy: edit, reset_level: edit },
            dsn: record.dsn,
            serial_number: record.serial_number,
            customer: record.customer,
            customer_id: record.customer_id,
            store_number: record.store_number,
            installed_at: record.installed_at,
            service_area: record.service_area,
            cartridge_ml: record.system_configuration.as_deref().and_then(cartridge_ml),
            fragrance_sku: sku,
            system_configuration_label: record
                .system_configuration
                .as_deref()
                .map(|cart_name| SystemConfiguration::from(cart_name).label().to_owned()),
            system_configuration: record.system_configuration,
            fragrance: record.fragrance,
            fragrance_remaining: record.state.fragrance_remaining,
            supply,
            empty_since: outlook.emptied_at.filter(|_| supply == SupplyGroup::Empty),
            runs_dry_at: outlook.runs_dry_at.filter(|_| supply == SupplyGroup::Forecast),
            forecast_obstacle: outlook.obstacle.filter(|_| supply != SupplyGroup::Empty),
            is_provisional: !outlook.has_history,
            network: record.network,
            connection_status: record.state.connection_status,
            never_connected: record.state.status() == DeviceStatus::NeverConnected,
            connected_at: record.state.connected_at,
            connection_changed_at: record.state.connection_changed_at,
            csp: record.csp,
            street: record.street,
            zip: record.zip,
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

/// The columns of a report, in the order of the list.
pub(super) fn report_columns(actor: &Actor) -> Vec<Column<ReportedDevice>> {
    let sees_csp = policy::can(actor, Action::View, Target::Csps) == Decision::Allowed;
    let csp: Column<ReportedDevice> = Column::new("CSP", |device: &ReportedDevice| device.view.csp.clone());
    let installed_at = |device: &ReportedDevice| device.view.installed_at;
    let installed =
        if sees_csp { Column::below("Installed", installed_at) } else { Column::new("Installed", installed_at) };
    let mut columns: Vec<Column<ReportedDevice>> = vec![
        Column::new("Serial Number", |device: &ReportedDevice| device.view.serial_number.clone()),
        Column::below("DSN", |device: &ReportedDevice| device.view.dsn.clone()),
        Column::new("Customer", |device: &ReportedDevice| device.view.customer.clone()),
        Column::below("Customer ID", |device: &ReportedDevice| device.view.customer_id.clone()),
        Column::new("Service Area", |device: &ReportedDevice| device.view.service_area.clone()),
        Column::below("Store Number", |device: &ReportedDevice| device.view.store_number.clone()),
    ];
    columns.extend(sees_csp.then_some(csp));
    columns.extend([
        installed,
        Column::new("Fragrance", |device: &ReportedDevice| device.view.fragrance.clone()),
        Column::below("SKU", |device: &ReportedDevice| device.view.fragrance_sku.clone()),
        Column::new("System Configuration", |device: &ReportedDevice| device.view.system_configuration_label.clone()),
        Column::below("Cartridge (mL)", |device: &ReportedDevice| device.view.cartridge_ml),
        Column::below("Network", |device: &ReportedDevice| device.view.network.clone()),
        Column::new("Street", |device: &ReportedDevice| device.view.street.clone()),
        Column::below("ZIP", |device: &ReportedDevice| device.view.zip.clone()),
        Column::beside(" ", "City", |device: &ReportedDevice| device.view.city.clone()),
        Column::below("State/Province", |device: &ReportedDevice| device.view.state.clone()),
        Column::beside(", ", "Country", |device: &ReportedDevice| device.view.country.clone()),
        Column::new("Status", |device: &ReportedDevice| device.view.connection_status.name()),
        Column::below("Last Connected", |device: &ReportedDevice| device.view.connected_at).of_times(),
        Column::new("Remaining (%)", |device: &ReportedDevice| device.view.fragrance_remaining),
        Column::below("Need", need),
        Column::below("Runs Dry", |device: &ReportedDevice| day(&device.view, device.coming_date())),
        Column::below("Empty Since", |device: &ReportedDevice| day(&device.view, device.view.empty_since)),
    ]);
    columns
}

/// The calendar date in the device's time zone.
fn day(device: &DeviceView, time: Option<Timestamp>) -> Option<Date> {
    let zone = device.time_zone.as_deref().and_then(|name| TimeZone::get(name).ok()).unwrap_or(TimeZone::UTC);
    time.map(|time| time.to_zoned(zone).date())
}

/// Why the device is in lists by need, as these say it.
fn need(device: &ReportedDevice) -> String {
    let coming = device.coming_date();
    let need = match device.view.supply {
        SupplyGroup::Empty => "Empty",
        SupplyGroup::Forecast if coming.is_none() => "About to run dry",
        SupplyGroup::Forecast => "With a forecast",
        SupplyGroup::NoContact => "No contact",
        SupplyGroup::Low => "Low, without a forecast",
        SupplyGroup::Other => "",
    };
    let has_date = coming.or(device.view.empty_since).is_some();
    if has_date && device.view.is_provisional { format!("{need}, provisional") } else { need.to_owned() }
}

/// A row of a report.
#[derive(Debug, Serialize)]
pub(super) struct ReportedDevice {
    #[serde(flatten)]
    pub(super) view: DeviceView,
    /// When it was read from the index.
    #[serde(skip)]
    pub(super) read_at: Timestamp,
}

impl ReportedDevice {
    /// When it runs dry. A date that has passed is no forecast any more.
    fn coming_date(&self) -> Option<Timestamp> {
        self.view.runs_dry_at.filter(|at| *at > self.read_at)
    }
}

/// The size of the cartridges of a system configuration, by its stored name.
pub(super) fn cartridge_ml(cart_name: &str) -> Option<u32> {
    SystemConfiguration::from(cart_name).cartridge_ml()
}
