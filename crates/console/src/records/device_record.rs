//! A device of the cloud reduced to what lists and events show. This is the only conversion: the index stores its
//! result, and the device page extends it.

use devicecloud::{CommandState, Device, Property, PropertyValue, Time};
use diffuser::{PARTNER_LABEL_KEY, Settings, data_keys, properties};
use jiff::Timestamp;
use jiff::civil::Date;
use platform::run::clock::from_micros;
use serde::Serialize;
use utoipa::ToSchema;

use super::position::Position;
use super::supply::Outlook;
use super::zone_names;

/// Shown instead of the SSID if there is none.
pub(crate) const LAN: &str = "LAN";

/// Whether the device is connected to the cloud.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) enum ConnectionStatus {
    Online,
    #[default]
    Offline,
}

/// The status that lists filter and count by. Never connected differs from offline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
pub(crate) enum DeviceStatus {
    Online,
    /// Connected at some time.
    Offline,
    NeverConnected,
}

/// The values of a device for lists, filters and sorting. Texts are `None` rather than empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DeviceRecord {
    pub(crate) dsn: String,
    pub(crate) csp: Option<String>,
    pub(crate) serial_number: Option<String>,
    pub(crate) customer: Option<String>,
    pub(crate) customer_id: Option<String>,
    pub(crate) store_number: Option<String>,
    pub(crate) installed_at: Option<Date>,
    pub(crate) service_area: Option<String>,
    pub(crate) system_configuration: Option<String>,
    pub(crate) fragrance: Option<String>,
    pub(crate) network: String,
    pub(crate) street: Option<String>,
    pub(crate) zip: Option<String>,
    pub(crate) city: Option<String>,
    pub(crate) state_province: Option<String>,
    pub(crate) country: Option<String>,
    pub(crate) time_zone: Option<String>,
    pub(crate) created_at: Option<Timestamp>,
    pub(crate) position: Option<Position>,
    pub(crate) state: DeviceState,
}

/// A device of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ListedDevice {
    pub(crate) record: DeviceRecord,
    pub(crate) outlook: Outlook,
    /// Of its fragrance in the catalogue.
    pub(crate) sku: Option<String>,
}

/// The values that change often.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct DeviceState {
    pub(crate) connection_status: ConnectionStatus,
    pub(crate) connected_at: Option<Timestamp>,
    /// Since when it has been connected or disconnected, as far as known.
    pub(crate) connection_changed_at: Option<Timestamp>,
    pub(crate) mode: Option<i64>,
    pub(crate) cycle: Option<i64>,
    pub(crate) intensity: Option<i64>,
    pub(crate) fan: Option<i64>,
    pub(crate) fragrance_remaining: Option<i64>,
    /// Bits of the values that a user commanded and the device has not acknowledged ([`IndexedProperty::bit`]).
    pub(crate) pending: i64,
}

/// The properties that the index stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexedProperty {
    Mode,
    Cycle,
    Intensity,
    Fan,
    FragranceRemaining,
}

impl ConnectionStatus {
    /// Parses the name that the cloud and the filter use.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "Online" => Some(Self::Online),
            "Offline" => Some(Self::Offline),
            _ => None,
        }
    }

    /// The name that the cloud and the filter use.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Online => "Online",
            Self::Offline => "Offline",
        }
    }
}

impl DeviceStatus {
    pub(crate) const ALL: [Self; 3] = [Self::Online, Self::Offline, Self::NeverConnected];

    /// Parses the name that the filter and the index use.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// The name that the filter and the index use.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Online => "Online",
            Self::Offline => "Offline",
            Self::NeverConnected => "NeverConnected",
        }
    }
}

/// A device counts as offline unless it is known to be online.
impl From<&devicecloud::ConnectionStatus> for ConnectionStatus {
    fn from(status: &devicecloud::ConnectionStatus) -> Self {
        Self::from_name(status.as_str()).unwrap_or(Self::Offline)
    }
}

impl IndexedProperty {
    pub(crate) const ALL: [Self; 5] = [Self::Mode, Self::Cycle, Self::Intensity, Self::Fan, Self::FragranceRemaining];

    /// The cloud's name for the property.
    pub(crate) fn property(self) -> &'static str {
        match self {
            Self::Mode => properties::CURRENT_STATE,
            Self::Cycle => properties::CYCLE,
            Self::Intensity => properties::INTENSITY,
            Self::Fan => properties::FAN,
            Self::FragranceRemaining => properties::FRAGRANCE_REMAINING,
        }
    }

    pub(crate) fn from_property(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|indexed| indexed.property() == name)
    }

    /// The property's bit in [`DeviceState::pending`].
    pub(crate) fn bit(self) -> i64 {
        match self {
            Self::Mode => 1,
            Self::Cycle => 2,
            Self::Intensity => 4,
            Self::Fan => 8,
            Self::FragranceRemaining => 16,
        }
    }
}

impl DeviceRecord {
    /// Converts a device that was read with [all parts](super::cloud_device::FULL_INCLUDE).
    pub(crate) fn of(device: &Device) -> Self {
        let datum =
            |key: &str| device.data.iter().find(|datum| datum.key == key).and_then(|datum| non_empty(&datum.value));
        let address = device.addr.as_ref();
        Self {
            dsn: device.dsn.as_str().to_owned(),
            csp: device
                .role_labels
                .iter()
                .filter_map(|role_label| role_label.label.as_ref())
                .find(|label| label.key == PARTNER_LABEL_KEY)
                .and_then(|label| non_empty(&label.value)),
            serial_number: datum(data_keys::SERIAL_NUMBER),
            customer: datum(data_keys::CUSTOMER),
            customer_id: datum(data_keys::CUSTOMER_ID),
            store_number: datum(data_keys::STORE_NUMBER),
            // Other applications may have written another text.
            installed_at: datum(data_keys::INSTALLED_AT).and_then(|date| date.parse().ok()),
            service_area: device.product_name.as_deref().and_then(non_empty),
            system_configuration: datum(data_keys::CART_NAME),
            fragrance: datum(data_keys::FRAGRANCE),
            network: match device.ssid.as_deref().and_then(non_empty) {
                Some(ssid) if !device.lan_enabled => ssid,
                _ => LAN.to_owned(),
            },
            street: address.and_then(|address| address.street.as_deref().and_then(non_empty)),
            zip: address.and_then(|address| address.zip.as_deref().and_then(non_empty)),
            city: address.and_then(|address| address.city.as_deref().and_then(non_empty)),
            state_province: address.and_then(|address| address.state.as_deref().and_then(non_empty)),
            country: address.and_then(|address| address.country.as_deref().and_then(non_empty)),
            // The datum is the fallback for a cloud that has no time zone for the device.
            time_zone: (device.time_zone.as_ref().and_then(|zone| non_empty(zone.tz_id.as_deref()?)))
                .or_else(|| datum(data_keys::TIME_ZONE))
                .map(zone_names::renamed),
            created_at: known_time(device.created_at),
            position: device.lat.zip(device.lng).and_then(|(lat, lng)| Position::of(lat, lng)),
            state: DeviceState::of(device),
        }
    }

    /// Whether the two records are equal except for their state.
    pub(crate) fn equals_except_state(&self, other: &Self) -> bool {
        *self == Self { state: self.state, ..other.clone() }
    }
}

impl DeviceState {
    /// Adds the time of disconnection from `before`, the state until then, to a newly read state. The cloud does not
    /// report that time: a known time is kept, and a device that was online was so at least until `states_as_of`.
    pub(crate) fn with_disconnect_time_from(self, before: Self, states_as_of: Option<Timestamp>) -> Self {
        if self.status() != DeviceStatus::Offline || self.connected_at != before.connected_at {
            return self;
        }
        let known = match before.connection_status {
            ConnectionStatus::Online => states_as_of,
            ConnectionStatus::Offline => before.connection_changed_at,
        };
        Self { connection_changed_at: self.connection_changed_at.max(known), ..self }
    }

    /// The value of a property, if it is known.
    pub(crate) fn get(&self, property: IndexedProperty) -> Option<i64> {
        match property {
            IndexedProperty::Mode => self.mode,
            IndexedProperty::Cycle => self.cycle,
            IndexedProperty::Intensity => self.intensity,
            IndexedProperty::Fan => self.fan,
            IndexedProperty::FragranceRemaining => self.fragrance_remaining,
        }
    }

    /// Sets the value of a property.
    pub(crate) fn set(&mut self, property: IndexedProperty, value: i64) {
        let stored = match property {
            IndexedProperty::Mode => &mut self.mode,
            IndexedProperty::Cycle => &mut self.cycle,
            IndexedProperty::Intensity => &mut self.intensity,
            IndexedProperty::Fan => &mut self.fan,
            IndexedProperty::FragranceRemaining => &mut self.fragrance_remaining,
        };
        *stored = Some(value);
    }

    /// The settings, as far as they are known.
    pub(crate) fn settings(&self) -> Settings {
        Settings { mode: self.mode, cycle: self.cycle, intensity: self.intensity, fan: self.fan }
    }

    /// The status that lists filter and count by.
    pub(crate) fn status(&self) -> DeviceStatus {
        match (self.connection_status, self.connected_at) {
            (ConnectionStatus::Online, _) => DeviceStatus::Online,
            (ConnectionStatus::Offline, Some(_)) => DeviceStatus::Offline,
            (ConnectionStatus::Offline, None) => DeviceStatus::NeverConnected,
        }
    }

    fn of(device: &Device) -> Self {
        Self::with(device, |property| property.value.as_ref())
    }

    /// The state that the device itself confirmed, as [`confirmed_value`].
    pub(crate) fn confirmed(device: &Device) -> Self {
        Self::with(device, |property| confirmed_value(device, property))
    }

    fn with<'a>(device: &'a Device, value: impl Fn(&'a Property) -> Option<&'a PropertyValue>) -> Self {
        let value = |indexed: IndexedProperty| property(device, indexed.property()).and_then(|it| value(it)?.as_i64());
        let is_pending =
            |indexed: &IndexedProperty| property(device, indexed.property()).is_some_and(has_pending_command);
        let connection_status = (&device.connection_status).into();
        let connected_at = known_time(device.connected_at);
        Self {
            connection_status,
            connected_at,
            connection_changed_at: match connection_status {
                ConnectionStatus::Online => connected_at,
                ConnectionStatus::Offline => connected_at.max(connected_at.and_then(|_| last_report_at(device))),
            },
            mode: value(IndexedProperty::Mode),
            cycle: value(IndexedProperty::Cycle),
            intensity: value(IndexedProperty::Intensity),
            fan: value(IndexedProperty::Fan),
            fragrance_remaining: value(IndexedProperty::FragranceRemaining),
            pending: IndexedProperty::ALL.into_iter().filter(is_pending).map(IndexedProperty::bit).sum(),
        }
    }
}

/// The time of the device's last report.
fn last_report_at(device: &Device) -> Option<Timestamp> {
    device.properties.iter().filter_map(|property| known_time(property.reported_at)).max()
}

/// The value that the device itself confirmed. A value requested of an offline device does not count: the reported
/// value is returned, or `None`.
pub(crate) fn confirmed_value<'a>(device: &Device, property: &'a Property) -> Option<&'a PropertyValue> {
    let is_online = ConnectionStatus::from(&device.connection_status) == ConnectionStatus::Online;
    let is_only_requested = !is_online && has_pending_command(property);
    if is_only_requested { property.reported_value.as_ref() } else { property.value.as_ref() }
}

pub(crate) fn has_pending_command(property: &Property) -> bool {
    property.command.as_ref().is_some_and(|command| command.state == CommandState::Pending)
}

/// Finds a property by name.
pub(crate) fn property<'a>(device: &'a Device, name: &str) -> Option<&'a Property> {
    device.properties.iter().find(|property| property.name == name)
}

/// Converts a time of the client library.
pub(crate) fn timestamp(time: Time) -> Timestamp {
    from_micros(time.unix_micros())
}

/// Converts a time of a device. Some clouds, and the index, use 1970 for a missing time.
fn known_time(time: Option<Time>) -> Option<Timestamp> {
    time.map(timestamp).filter(|known_time| *known_time != Timestamp::UNIX_EPOCH)
}

/// Trims a text; `None` if it is empty.
pub(crate) fn non_empty(value: &str) -> Option<String> {
    let value = value.trim();
    (!value.is_empty()).then(|| value.to_owned())
}
