//! Existing devices: list, block, change keys, remove.

use std::collections::HashMap;

use jiff::Timestamp;
use platform::db::Tx;
use platform::run::clock::from_micros;
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;

use super::{NewDevice, Oem, Operator, OperatorError, Result};
use crate::domain::secret::{digest, matches};
use crate::store::connections::{self, ONLINE};
use crate::store::device_faults::{self, FaultRow};
use crate::store::inventory::{self, InventoryRow, LockedRow};

/// A device as operators see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceSummary {
    /// Serial number.
    pub dsn: String,
    /// The template's name.
    pub template: String,
    /// The name that people see.
    pub product_name: String,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of registration; `None` for factory stock.
    pub registered_at: Option<Timestamp>,
    /// Whether it is connected.
    pub online: bool,
    /// Time of the last connection; `None` if it never connected.
    pub connected_at: Option<Timestamp>,
    /// Time at which it was blocked; `None` if it is not blocked.
    pub blocked_at: Option<Timestamp>,
    /// The last software version that it reported.
    pub sw_version: Option<String>,
    /// The last address in its local network that it reported.
    pub lan_ip: Option<String>,
    /// When the device link last refused a connection or a packet of it, and why.
    pub last_refusal: Option<Refusal>,
}

/// Parts of messages of a device that were not stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceFaults {
    /// A property or a member of the message.
    pub subject: String,
    /// As in metrics, such as `out_of_range`.
    pub kind: String,
    /// How many.
    pub count: i64,
    /// Describes the last value.
    pub shape: String,
    /// Time of the last one.
    pub last_at: Timestamp,
}

/// Why the device link refused a connection or a packet of a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// Time of the refusal.
    pub at: Timestamp,
    /// In English.
    pub reason: String,
}

/// An existing device with the serial number of a new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExistingDevice {
    /// Serial number.
    pub dsn: String,
    /// Whether manufacturer, template and key equal those of the new device, so that adding it again has no effect.
    pub is_same: bool,
}

impl From<InventoryRow> for DeviceSummary {
    fn from(row: InventoryRow) -> Self {
        Self {
            dsn: row.dsn,
            template: row.template,
            product_name: row.product_name,
            created_at: from_micros(row.created_at),
            registered_at: row.registered.then(|| from_micros(row.registered_at.unwrap_or(row.created_at))),
            online: row.status == ONLINE,
            connected_at: row.connected_at.map(from_micros),
            blocked_at: row.blocked_at.map(from_micros),
            sw_version: row.sw_version,
            lan_ip: row.lan_ip,
            last_refusal: row.refused_at.zip(row.refusal).map(|(at, reason)| Refusal { at: from_micros(at), reason }),
        }
    }
}

impl Operator {
    /// The devices of the manufacturer, by serial number.
    ///
    /// # Errors
    /// A database error.
    pub async fn devices(&self, oem: &Oem) -> Result<Vec<DeviceSummary>> {
        Ok(inventory::listed(&self.db, oem.id).await?.into_iter().map(DeviceSummary::from).collect())
    }

    /// A device and the values of its role labels, which are the partners that it belongs to.
    ///
    /// # Errors
    /// [`OperatorError::UnknownDevice`], or a database error.
    pub async fn device(&self, oem: &Oem, dsn: &str) -> Result<(DeviceSummary, Vec<String>)> {
        let row = inventory::find(&self.db, oem.id, dsn).await?;
        let row = row.ok_or_else(|| OperatorError::UnknownDevice(dsn.to_owned()))?;
        let partners = inventory::label_values(&self.db, row.id).await?;
        Ok((row.into(), partners))
    }

    /// The parts of messages of a device that were not stored in the last 30 days, newest first.
    ///
    /// # Errors
    /// [`OperatorError::UnknownDevice`], or a database error.
    pub async fn device_faults(&self, oem: &Oem, dsn: &str) -> Result<Vec<DeviceFaults>> {
        let row = inventory::find(&self.db, oem.id, dsn).await?;
        let row = row.ok_or_else(|| OperatorError::UnknownDevice(dsn.to_owned()))?;
        let faults = |FaultRow { subject, kind, count, shape, last_at }| DeviceFaults {
            subject,
            kind,
            count,
            shape,
            last_at: from_micros(last_at),
        };
        let rows = device_faults::of_device(&self.db, row.id, self.clock.now()).await?;
        Ok(rows.into_iter().map(faults).collect())
    }

    /// The existing devices among `devices`, in the same order.
    ///
    /// # Errors
    /// A database error.
    pub async fn existing_devices(&self, oem: &Oem, devices: &[NewDevice]) -> Result<Vec<ExistingDevice>> {
        let dsns: Vec<&str> = devices.iter().map(|device| &*device.dsn).collect();
        let rows = inventory::existing(&self.db, &dsns).await?;
        let rows: HashMap<&str, _> = rows.iter().map(|row| (&*row.dsn, row)).collect();
        let existing = devices.iter().filter_map(|device| {
            let row = rows.get(&*device.dsn)?;
            let key = device.link_key.expose_secret();
            let is_same = row.oem_id == oem.id && row.template == device.template && matches(key, &row.link_key_hash);
            Some(ExistingDevice { dsn: device.dsn.clone(), is_same })
        });
        Ok(existing.collect())
    }

    /// Rejects connections of the device until it is unblocked. Nodes close an open connection within seconds. Returns
    /// `false` if it was blocked already.
    ///
    /// # Errors
    /// [`OperatorError::UnknownDevice`], or a database error.
    pub async fn block_device(&self, oem: &Oem, dsn: &str) -> Result<bool> {
        let block_device = async |mut tx: Tx| -> Result<bool> {
            let LockedRow { id, blocked_at, .. } = lock_rows(&mut tx, oem, dsn).await?;
            if blocked_at.is_some() {
                return Ok(false);
            }
            let now = self.clock.now();
            inventory::set_blocked(&mut tx, id, Some(now)).await?;
            connections::revoke(&mut tx, id, now).await?;
            tx.commit().await?;
            Ok(true)
        };
        self.db.write(block_device).await
    }

    /// Unblocks a device. Returns `false` if it was not blocked.
    ///
    /// # Errors
    /// [`OperatorError::UnknownDevice`], or a database error.
    pub async fn unblock_device(&self, oem: &Oem, dsn: &str) -> Result<bool> {
        let unblock_device = async |mut tx: Tx| -> Result<_> {
            let LockedRow { id, blocked_at, .. } = lock_rows(&mut tx, oem, dsn).await?;
            inventory::set_blocked(&mut tx, id, None).await?;
            tx.commit().await?;
            Ok(blocked_at)
        };
        let blocked_at = self.db.write(unblock_device).await?;
        Ok(blocked_at.is_some())
    }

    /// Replaces the key of a device with another one of 64 lower-case hex digits. Nodes close a connection that used
    /// the old key within seconds.
    ///
    /// # Errors
    /// [`OperatorError::UnknownDevice`], or a database error.
    pub async fn set_device_key(&self, oem: &Oem, dsn: &str, link_key: &SecretString) -> Result<()> {
        let set_device_key = async |mut tx: Tx| -> Result<()> {
            let LockedRow { id, .. } = lock_rows(&mut tx, oem, dsn).await?;
            inventory::set_link_key(&mut tx, id, &digest(link_key.expose_secret())).await?;
            connections::revoke(&mut tx, id, self.clock.now()).await?;
            Ok(tx.commit().await?)
        };
        self.db.write(set_device_key).await
    }

    /// Removes a device with its history. With `even_registered`, a registered device is first returned to factory
    /// stock, so that notifications about that are sent.
    ///
    /// # Errors
    /// [`OperatorError::UnknownDevice`], [`OperatorError::RegisteredDevice`], [`OperatorError::ConnectedDevice`], or a
    /// database error.
    pub async fn remove_device(&self, oem: &Oem, dsn: &str, even_registered: bool) -> Result<()> {
        let row = inventory::find(&self.db, oem.id, dsn).await?;
        let row = row.ok_or_else(|| OperatorError::UnknownDevice(dsn.to_owned()))?;
        let remove_device = async |mut tx: Tx| -> Result<()> {
            if row.registered && even_registered {
                // Before the device row is locked, because schedules and properties are locked first everywhere. No events
                // are published from this process; the console's next pass finds that the device is gone.
                let _ = self.edits().unregister_in(&mut tx, row.id).await?;
            }
            let LockedRow { id, registered, status, .. } = lock_rows(&mut tx, oem, dsn).await?;
            if registered {
                return Err(OperatorError::RegisteredDevice(dsn.to_owned()));
            }
            // Nodes store messages of connected devices in batches. A removed device would fail its whole batch.
            if status == ONLINE {
                return Err(OperatorError::ConnectedDevice(dsn.to_owned()));
            }
            inventory::delete(&mut tx, id).await?;
            Ok(tx.commit().await?)
        };
        self.db.write(remove_device).await
    }
}

async fn lock_rows(tx: &mut Tx, oem: &Oem, dsn: &str) -> Result<LockedRow> {
    let row = inventory::lock_rows(tx, oem.id, dsn).await?;
    row.ok_or_else(|| OperatorError::UnknownDevice(dsn.to_owned()))
}
