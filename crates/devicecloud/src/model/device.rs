use serde::de::MapAccess;
use serde::{Deserialize, Deserializer, Serialize};

use super::item::{self, ItemReader, Member};
use super::read::{self, Fields, FromWire};
use super::wire_enum::wire_enum;
use super::{Address, DataSource, Datum, DeviceKey, Dsn, Property, PropertyReader, RoleLabel, Time, TimeZone};
use crate::debug::debug_only;

wire_enum! {
    /// Whether a device is connected to the cloud.
    ConnectionStatus {
        /// Connected.
        Online = "Online",
        /// Not connected.
        Offline = "Offline",
        /// Never connected so far.
        Initializing = "Initializing",
    }
}

/// How a device is registered to its owner. A text that the library does not know is read as `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub enum RegistrationType {
    /// None, missing or unknown.
    #[default]
    None,
    /// From the same local network.
    #[serde(rename = "Same-LAN")]
    SameLan,
    /// By a button on the device.
    #[serde(rename = "Button-Push")]
    ButtonPush,
    /// In the device's access point mode.
    #[serde(rename = "AP-Mode")]
    ApMode,
    /// By a token on the device's display.
    Display,
    /// By its serial number.
    Dsn,
    /// As a node of a gateway.
    Node,
    /// Locally.
    Local,
}

impl RegistrationType {
    /// The text on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::SameLan => "Same-LAN",
            Self::ButtonPush => "Button-Push",
            Self::ApMode => "AP-Mode",
            Self::Display => "Display",
            Self::Dsn => "Dsn",
            Self::Node => "Node",
            Self::Local => "Local",
        }
    }
}

impl From<&str> for RegistrationType {
    fn from(text: &str) -> Self {
        [Self::SameLan, Self::ButtonPush, Self::ApMode, Self::Display, Self::Dsn, Self::Node, Self::Local]
            .into_iter()
            .find(|known| known.as_str().eq_ignore_ascii_case(text.trim()))
            .unwrap_or_default()
    }
}

impl<'de> Deserialize<'de> for RegistrationType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| text.as_str().into())
    }
}

/// A device. Members that the cloud does not send are `None`, empty, or a documented default.
#[derive(Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Device {
    /// The cloud's key.
    pub key: DeviceKey,
    /// The serial number.
    pub dsn: Dsn,
    /// The display name.
    pub product_name: Option<String>,
    /// Whether it is connected; Offline by default.
    pub connection_status: ConnectionStatus,
    /// When it was last connected.
    pub connected_at: Option<Time>,
    /// Whether it is registered to an owner. Some clouds omit it in lists.
    pub registered: Option<bool>,
    /// How it is registered.
    pub registration_type: RegistrationType,
    /// When the device was created in the cloud.
    pub created_at: Option<Time>,
    /// The model of the module.
    pub model: Option<String>,
    /// The manufacturer (OEM).
    pub oem: Option<String>,
    /// The manufacturer's model.
    pub oem_model: Option<String>,
    /// The product class.
    pub product_class: Option<String>,
    /// The name that the device reports for itself.
    pub device_name: Option<String>,
    /// The software version.
    pub sw_version: Option<String>,
    /// When the module last updated its data.
    pub module_updated_at: Option<Time>,
    /// The public IP address.
    pub ip: Option<String>,
    /// The MAC address.
    pub mac: Option<String>,
    /// The name of the wireless network.
    pub ssid: Option<String>,
    /// Whether local network access is enabled.
    pub lan_enabled: bool,
    /// The IP address on the local network.
    pub lan_ip: Option<String>,
    /// Latitude in degrees.
    pub lat: Option<f64>,
    /// Longitude in degrees.
    pub lng: Option<f64>,
    /// Whether it has properties.
    pub has_properties: bool,
    /// The owner's id; -1 means none.
    pub user_id: i64,
    /// The id of the device's template; -1 means none.
    pub template_id: i64,
    /// Key/value data; filled with [`Include::Data`](crate::api::Include::Data).
    pub data: Vec<Datum>,
    /// The postal address; filled with [`Include::Addr`](crate::api::Include::Addr).
    pub addr: Option<Address>,
    /// Role labels; filled with [`Include::RoleLabels`](crate::api::Include::RoleLabels).
    pub role_labels: Vec<RoleLabel>,
    /// Properties; filled with [`Include::Properties`](crate::api::Include::Properties).
    pub properties: Vec<Property>,
    /// The time zone; filled with [`Include::TimeZone`](crate::api::Include::TimeZone).
    pub time_zone: Option<TimeZone>,
    /// When and why the cloud last refused a connection or a packet of the device. An extension of the protocol, in reads of a
    /// single device.
    pub last_refusal: Option<Refusal>,
    /// When the cloud last heard the device, if the device is, or was until its connection ended, silent for longer than its keep-alive.
    /// An extension of the protocol, in reads of a single device.
    pub last_heard_at: Option<Time>,
    /// Whether connections of the device lately replaced each other so often that two devices use its identity. An extension of the
    /// protocol.
    pub shared_identity: bool,
    /// How many parts of messages of the device the cloud did not store lately. An extension of the protocol.
    pub fault_counts: FaultCounts,
    /// The parts of messages of the device that the cloud did not store. An extension of the protocol, in reads of a single device.
    pub faults: Vec<Fault>,
    /// Where this data came from.
    pub last_update_source: DataSource,
}

debug_only!(Device {
    key,
    dsn,
    connection_status,
    connected_at,
    registered,
    oem_model,
    sw_version,
    role_labels,
    properties,
    last_update_source
});

/// Why a cloud refused a connection or a packet of a device.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Refusal {
    /// Time of the refusal; `None` if the cloud does not send it.
    pub at: Option<Time>,
    /// The reason, for the maker of the device.
    pub reason: String,
}

debug_only!(Refusal { at });

/// Numbers of parts of messages of a device that a cloud did not store, by day of UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FaultCounts {
    /// Of the day of the read.
    pub today: i64,
    /// Of the day before.
    pub yesterday: i64,
}

/// A part of messages of a device that a cloud did not store.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Fault {
    /// A property or a member of the message.
    pub property: String,
    /// Why it was not stored, such as `out_of_range`.
    pub kind: String,
    /// How many there were.
    pub count: i64,
    /// Time of the last one; `None` if the cloud does not send it.
    pub last_at: Option<Time>,
    /// Describes the last value.
    pub value: String,
}

debug_only!(Fault { count, last_at });

impl FromWire for Refusal {
    const WRAPPER: &'static str = "last_refusal";

    fn from_wire(fields: &Fields<'_>) -> Self {
        Self { at: fields.time("at"), reason: fields.text_or_empty("reason") }
    }
}

impl FromWire for FaultCounts {
    const WRAPPER: &'static str = "fault_counts";

    fn from_wire(fields: &Fields<'_>) -> Self {
        let count = |name| fields.integer(name).unwrap_or_default();
        Self { today: count("today"), yesterday: count("yesterday") }
    }
}

impl FromWire for Fault {
    const WRAPPER: &'static str = "fault";

    fn from_wire(fields: &Fields<'_>) -> Self {
        Self {
            property: fields.text_or_empty("property"),
            kind: fields.text_or_empty("kind"),
            count: fields.integer("count").unwrap_or_default(),
            last_at: fields.time("last_at"),
            value: fields.text_or_empty("value"),
        }
    }
}

/// A device while it is being parsed.
pub(crate) struct DeviceReader(Device);

impl Default for DeviceReader {
    fn default() -> Self {
        Self(Device {
            key: DeviceKey::default(),
            dsn: Dsn::default(),
            product_name: None,
            connection_status: ConnectionStatus::Offline,
            connected_at: None,
            registered: None,
            registration_type: RegistrationType::default(),
            created_at: None,
            model: None,
            oem: None,
            oem_model: None,
            product_class: None,
            device_name: None,
            sw_version: None,
            module_updated_at: None,
            ip: None,
            mac: None,
            ssid: None,
            lan_enabled: false,
            lan_ip: None,
            lat: None,
            lng: None,
            has_properties: false,
            user_id: -1,
            template_id: -1,
            data: Vec::new(),
            addr: None,
            role_labels: Vec::new(),
            properties: Vec::new(),
            time_zone: None,
            last_refusal: None,
            last_heard_at: None,
            shared_identity: false,
            fault_counts: FaultCounts::default(),
            faults: Vec::new(),
            last_update_source: DataSource::Cloud,
        })
    }
}

impl ItemReader for DeviceReader {
    type Item = Device;
    const WRAPPER: &'static str = Device::WRAPPER;

    fn take<'de, A: MapAccess<'de>>(&mut self, name: &str, member: &mut Member<'_, A>) -> Result<(), A::Error> {
        let device = &mut self.0;
        match name {
            "key" => device.key = member.scalar()?.id(),
            "dsn" => device.dsn = member.scalar()?.id(),
            "product_name" => device.product_name = member.text()?,
            "connection_status" => {
                device.connection_status = member.text_as()?.unwrap_or(ConnectionStatus::Offline);
            }
            "connected_at" => device.connected_at = member.scalar()?.time(),
            "registered" => device.registered = member.scalar()?.boolean(),
            "registration_type" => device.registration_type = member.text_as()?.unwrap_or_default(),
            "created_at" => device.created_at = member.scalar()?.time(),
            "model" => device.model = member.text()?,
            "oem" => device.oem = member.text()?,
            "oem_model" => device.oem_model = member.text()?,
            "product_class" => device.product_class = member.text()?,
            "device_name" => device.device_name = member.text()?,
            "sw_version" => device.sw_version = member.text()?,
            "module_updated_at" => device.module_updated_at = member.scalar()?.time(),
            "ip" => device.ip = member.text()?,
            "mac" => device.mac = member.text()?,
            "ssid" => device.ssid = member.text()?,
            "lan_enabled" => device.lan_enabled = member.flag()?,
            "lan_ip" => device.lan_ip = member.text()?,
            "lat" => device.lat = member.scalar()?.decimal(),
            "lng" => device.lng = member.scalar()?.decimal(),
            "has_properties" => device.has_properties = member.flag()?,
            "user_id" => device.user_id = member.scalar()?.integer().unwrap_or(-1),
            "template_id" => device.template_id = member.scalar()?.integer().unwrap_or(-1),
            "data" => device.data = read::many(&member.value()?).unwrap_or_default(),
            "addr" => device.addr = read::one(&member.value()?),
            "role_labels" => device.role_labels = read::many(&member.value()?).unwrap_or_default(),
            "properties" => device.properties = member.many::<PropertyReader>()?,
            "time_zone" | "timezone" => {
                let zone = read::one(&member.value()?);
                // Clouds send either name or both.
                device.time_zone = zone.or(device.time_zone.take());
            }
            "last_refusal" => device.last_refusal = read::one(&member.value()?),
            "last_heard_at" => device.last_heard_at = member.scalar()?.time(),
            "shared_identity" => device.shared_identity = member.flag()?,
            "fault_counts" => device.fault_counts = read::one(&member.value()?).unwrap_or_default(),
            "faults" => device.faults = read::many(&member.value()?).unwrap_or_default(),
            _ => {}
        }
        Ok(())
    }

    fn finish(self) -> Device {
        self.0
    }
}

impl FromWire for Device {
    const WRAPPER: &'static str = "device";

    fn from_wire(fields: &Fields<'_>) -> Self {
        item::from_object::<DeviceReader>(fields.0)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn registration_types_are_case_insensitive_and_unknown_ones_are_none() {
        let table = [
            ("same-lan", RegistrationType::SameLan),
            ("Button-Push", RegistrationType::ButtonPush),
            ("AP-Mode", RegistrationType::ApMode),
            ("Display", RegistrationType::Display),
            ("DSN", RegistrationType::Dsn),
            ("Node", RegistrationType::Node),
            ("Local", RegistrationType::Local),
            ("None", RegistrationType::None),
            ("", RegistrationType::None),
            ("By-Pigeon", RegistrationType::None),
        ];
        for (text, expected) in table {
            assert_eq!(RegistrationType::from(text), expected, "{text}");
        }
    }

    #[test]
    fn last_refusal_is_read_from_any_form() {
        let refusal = |device| read::one::<Device>(&device).unwrap().last_refusal;
        let wire = json!({"device": {"last_refusal": {"at": "2026-11-20T12:00:00Z", "reason": "wrong key"}}});
        let at = Some("2026-11-20T12:00:00Z".parse().unwrap());
        assert_eq!(refusal(wire), Some(Refusal { at, reason: "wrong key".to_owned() }));
        for none in [json!({}), json!({"last_refusal": null}), json!({"last_refusal": "wrong key"})] {
            assert_eq!(refusal(none.clone()), None, "{none}");
        }
    }

    #[test]
    fn silence_and_a_shared_identity_are_read_from_any_form() {
        let read = |device| {
            let device: Device = read::one(&device).unwrap();
            (device.last_heard_at, device.shared_identity)
        };
        let wire = json!({"device": {"last_heard_at": "2026-11-20T12:00:00Z", "shared_identity": true}});
        assert_eq!(read(wire), (Some("2026-11-20T12:00:00Z".parse().unwrap()), true));
        for none in [json!({}), json!({"last_heard_at": null, "shared_identity": null}), json!({"last_heard_at": []})] {
            assert_eq!(read(none.clone()), (None, false), "{none}");
        }
    }

    #[test]
    fn faults_are_read_and_missing_ones_are_none() {
        let fault =
            json!({"property": "fan", "kind": "repeated", "count": 3, "last_at": "2026-11-20T12:00:00Z", "value": "4"});
        let wire = json!({"device": {"fault_counts": {"today": 2, "yesterday": 1}, "faults": [fault]}});
        let device: Device = read::one(&wire).unwrap();
        assert_eq!(device.fault_counts, FaultCounts { today: 2, yesterday: 1 });
        let (property, kind, value) = ("fan".to_owned(), "repeated".to_owned(), "4".to_owned());
        let last_at = Some("2026-11-20T12:00:00Z".parse().unwrap());
        assert_eq!(device.faults, [Fault { property, kind, count: 3, last_at, value }]);
        let none: Device = read::one(&json!({"device": {"faults": "many", "fault_counts": null}})).unwrap();
        assert_eq!((none.fault_counts, none.faults), (FaultCounts::default(), vec![]));
    }

    #[test]
    fn unknown_connection_status_is_preserved() {
        assert_eq!(ConnectionStatus::from("Asleep").as_str(), "Asleep");
        assert_eq!(ConnectionStatus::from("ONLINE"), ConnectionStatus::Online);
    }
}
