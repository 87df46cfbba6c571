//! Creation of devices in batches.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;

use jiff::Timestamp;
use platform::db::Tx;
use platform::run::clock::to_micros;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::{Oem, Operator, OperatorError, Result};
use crate::domain::secret::digest;
use crate::domain::value::BaseType;
use crate::store;
use crate::store::fleet::{self, FleetDevice, PropertyRecord};
use crate::store::templates::TemplatePropertyRow;

/// Devices per transaction.
const BATCH: usize = 200;

/// A device to create. Its `Debug` output contains only the serial number.
#[derive(Clone, Default)]
pub struct NewDevice {
    /// Serial number.
    pub dsn: String,
    /// The template's name.
    pub template: String,
    /// The name that people see.
    pub product_name: String,
    /// Hardware model.
    pub model: String,
    /// The manufacturer's model.
    pub oem_model: String,
    /// MAC address.
    pub mac: Option<String>,
    /// Wi-Fi name.
    pub ssid: Option<String>,
    /// Whether it is connected by cable or LAN.
    pub lan_enabled: bool,
    /// Its last address in the local network.
    pub lan_ip: Option<IpAddr>,
    /// Software version: 1 to 64 printable ASCII characters.
    pub sw_version: Option<String>,
    /// Degrees north.
    pub lat: Option<f64>,
    /// Degrees east.
    pub lng: Option<f64>,
    /// The key for the device link: 64 lower-case hex digits.
    pub link_key: SecretString,
    /// Whether it is registered, as opposed to factory stock.
    pub registered: bool,
    /// The e-mail address of its owner, an end user.
    pub owner_email: Option<String>,
    /// The gateway of a node. It must exist, or come before the node.
    pub gateway_dsn: Option<String>,
    /// Role labels: role name, key, value.
    pub labels: Vec<(String, String, String)>,
    /// Data: key, value.
    pub data: Vec<(String, String)>,
    /// Postal address of its location.
    pub addr: Address,
    /// Name of the tz database.
    pub tz_id: Option<String>,
    /// Reported values by property.
    pub values: Vec<(String, Value)>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last connection; `None` if it never connected.
    pub connected_at: Option<Timestamp>,
}

/// A postal address.
#[derive(Clone, Debug, Default)]
pub struct Address {
    /// Street.
    pub street: Option<String>,
    /// City.
    pub city: Option<String>,
    /// State or province.
    pub state: Option<String>,
    /// Country.
    pub country: Option<String>,
    /// Postal code.
    pub zip: Option<String>,
}

/// The last reported values of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceValues {
    /// Serial number.
    pub dsn: String,
    /// Property, value.
    pub values: Vec<(String, Value)>,
}

impl fmt::Debug for NewDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewDevice").field("dsn", &self.dsn).finish_non_exhaustive()
    }
}

impl Operator {
    /// Creates the devices whose serial numbers are new. Returns their number.
    ///
    /// # Errors
    /// An unknown template, role, owner or gateway, a value that its property does not accept, or a database error.
    /// Batches before the faulty one stay.
    pub async fn add_devices(&self, oem: &Oem, devices: &[NewDevice]) -> Result<usize> {
        let templates = store::templates::properties(&self.db, oem.id).await?;
        let roles: HashMap<String, i64> =
            store::roles::all(&self.db, oem.id).await?.into_iter().map(|(id, name)| (name, id)).collect();
        let mut owners: HashMap<&str, i64> = HashMap::new();
        for device in devices {
            if let Some(email) = device.owner_email.as_deref()
                && !owners.contains_key(email)
            {
                let owner = store::users::id_by_email(&self.db, oem.id, email).await?;
                owners.insert(email, owner.ok_or_else(|| OperatorError::UnknownOwner(device.dsn.clone()))?);
            }
        }
        let mut added = 0;
        for batch in devices.chunks(BATCH) {
            added += self.add_batch(oem, batch, &templates, &roles, &owners).await?;
        }
        if added > BATCH {
            fleet::refresh_statistics(&self.db).await?;
        }
        Ok(added)
    }

    /// The number of devices of the manufacturer, registered or not.
    ///
    /// # Errors
    /// A database error.
    pub async fn device_count(&self, oem: &Oem) -> Result<usize> {
        let count = fleet::count(&self.db, oem.id).await?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// The last reported values of all devices, from which simulated devices continue.
    ///
    /// # Errors
    /// A database error.
    pub async fn reported_values(&self, oem: &Oem) -> Result<Vec<DeviceValues>> {
        let mut devices: Vec<DeviceValues> = Vec::new();
        for row in fleet::reported(&self.db, oem.id).await? {
            let value = (row.name, store::json::json(Some(&row.value)));
            match devices.last_mut() {
                Some(device) if device.dsn == row.dsn => device.values.push(value),
                _ => devices.push(DeviceValues { dsn: row.dsn, values: vec![value] }),
            }
        }
        Ok(devices)
    }

    async fn add_batch(
        &self,
        oem: &Oem,
        batch: &[NewDevice],
        templates: &[TemplatePropertyRow],
        roles: &HashMap<String, i64>,
        owners: &HashMap<&str, i64>,
    ) -> Result<usize> {
        let records = batch.iter().map(|device| record(oem, device, templates, owners)).collect::<Result<Vec<_>>>()?;
        let add_batch = async |mut tx: Tx| -> Result<_> {
            let inserted = fleet::insert_devices(&mut tx, &records).await?;
            let ids: HashMap<&str, i64> = inserted.iter().map(|(id, dsn)| (&**dsn, *id)).collect();

            let (mut properties, mut labels, mut data) = (vec![], vec![], vec![]);
            for device in batch {
                // An existing device stays unchanged.
                let Some(&id) = ids.get(&*device.dsn) else { continue };
                properties.extend(initial_properties(id, device, templates)?);
                for (role, key, value) in &device.labels {
                    let role_id = roles.get(role).ok_or_else(|| OperatorError::UnknownRole(role.clone()))?;
                    labels.push((id, *role_id, &**key, &**value));
                }
                data.extend(device.data.iter().map(|(key, value)| (id, &**key, &**value)));
            }
            for device in batch {
                if let (Some(&id), Some(gateway)) = (ids.get(&*device.dsn), &device.gateway_dsn)
                    && !fleet::attach(&mut tx, id, oem.id, gateway).await?
                {
                    return Err(OperatorError::UnknownDevice(gateway.clone()));
                }
            }
            fleet::insert_properties(&mut tx, &properties).await?;
            fleet::insert_labels(&mut tx, &labels).await?;
            fleet::insert_data(&mut tx, &data, self.clock.now()).await?;
            let registered = batch.iter().filter(|device| device.registered);
            let registered: Vec<i64> = registered.filter_map(|device| ids.get(&*device.dsn).copied()).collect();
            store::schedules::create_from_templates(&mut tx, &registered, self.clock.now()).await?;
            tx.commit().await?;
            Ok(inserted)
        };
        let inserted = self.db.write(add_batch).await?;
        Ok(inserted.len())
    }
}

fn record(
    oem: &Oem,
    device: &NewDevice,
    templates: &[TemplatePropertyRow],
    owners: &HashMap<&str, i64>,
) -> Result<FleetDevice> {
    let template = templates.iter().find(|row| row.template == device.template);
    let template_id = template.ok_or_else(|| OperatorError::UnknownTemplate(device.template.clone()))?.template_id;
    let Address { street, city, state, country, zip } = device.addr.clone();
    Ok(FleetDevice {
        oem_id: oem.id,
        template_id,
        dsn: device.dsn.clone(),
        link_key_hash: digest(device.link_key.expose_secret()),
        product_name: device.product_name.clone(),
        model: device.model.clone(),
        oem_model: device.oem_model.clone(),
        mac: device.mac.clone(),
        ssid: device.ssid.clone(),
        lan_enabled: device.lan_enabled,
        lan_ip: device.lan_ip.map(|address| address.to_string()),
        sw_version: device.sw_version.clone(),
        lat: device.lat,
        lng: device.lng,
        owner_id: device.owner_email.as_deref().and_then(|email| owners.get(email).copied()),
        registered: device.registered,
        address: [street, city, state, country, zip],
        tz_id: device.tz_id.clone(),
        created_at: device.created_at,
        connected_at: device.connected_at,
    })
}

fn initial_properties(id: i64, device: &NewDevice, templates: &[TemplatePropertyRow]) -> Result<Vec<PropertyRecord>> {
    let rows = || templates.iter().filter(|row| row.template == device.template);
    let bad = |property: &str, reason| OperatorError::BadValue {
        dsn: device.dsn.clone(),
        property: property.to_owned(),
        reason,
    };
    if let Some((name, _)) = device.values.iter().find(|(name, _)| rows().all(|row| row.name != *name)) {
        return Err(bad(name, "is no property of its template"));
    }
    rows()
        .map(|row| {
            let value = device.values.iter().find(|(name, _)| *name == row.name).map(|(_, value)| value);
            let value = value
                .map(|value| BaseType::from_stored(&row.base_type).accept(value, &row.limits.limits()))
                .transpose()
                .map_err(|reason| bad(&row.name, reason))?;
            Ok(PropertyRecord {
                device_id: id,
                template_property_id: row.id,
                at: value.is_some().then(|| to_micros(device.created_at)),
                value: value.map(|value| value.to_string()),
            })
        })
        .collect()
}
