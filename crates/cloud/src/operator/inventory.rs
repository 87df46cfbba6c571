//! The devices that there are: listed, blocked, given other keys, removed.

use std::collections::HashMap;

use jiff::Timestamp;
use platform::clock::from_micros;
use platform::db::Tx;
use secrecy::{ExposeSecret, SecretString};

use super::{NewDevice, Oem, Operator, OperatorError, Result};
use crate::domain::secret::{digest, matches};
use crate::store::connections::{self, ONLINE};
use crate::store::inventory::{self, InventoryRow, LockedRow};

/// A device as its operator sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceSummary {
    /// Serial number.
    pub dsn: String,
    /// The template's name.
    pub template: String,
    /// The name that people give it.
    pub product_name: String,
    /// Since when it exists.
    pub created_at: Timestamp,
    /// Since when it is registered; `None` in the factory's stock.
    pub registered_at: Option<Timestamp>,
    /// Whether it is connected.
    pub online: bool,
    /// When it last connected; `None` if it never did.
    pub connected_at: Option<Timestamp>,
    /// Since when it is blocked; `None` when it may connect.
    pub blocked_at: Option<Timestamp>,
}

/// A device that was to be added and exists already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExistingDevice {
    /// Serial number.
    pub dsn: String,
    /// Whether manufacturer, template and key are those of the new device, so that adding it again is harmless.
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
        }
    }
}

impl Operator {
    /// The manufacturer's devices, by serial number.
    ///
    /// # Errors
    /// A database error.
    pub async fn devices(&self, oem: &Oem) -> Result<Vec<DeviceSummary>> {
        Ok(inventory::listed(&self.db, oem.id).await?.into_iter().map(DeviceSummary::from).collect())
    }

    /// A device, and the values of its role labels: the partners that it belongs to.
    ///
    /// # Errors
    /// [`OperatorError::UnknownDevice`], or a database error.
    pub async fn device(&self, oem: &Oem, dsn: &str) -> Result<(DeviceSummary, Vec<String>)> {
        let row = inventory::find(&self.db, oem.id, dsn).await?;
        let row = row.ok_or_else(|| OperatorError::UnknownDevice(dsn.to_owned()))?;
        let partners = inventory::label_values(&self.db, row.id).await?;
        Ok((row.into(), partners))
    }

    /// Those of these devices that exist already, in the order of `devices`.
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

    /// Refuses the device's connections until it is unblocked; nodes close the one that stands within seconds. Answers
    /// `false` when it was blocked already.
    ///
    /// # Errors
    /// [`OperatorError::UnknownDevice`], or a database error.
    pub async fn block_device(&self, oem: &Oem, dsn: &str) -> Result<bool> {
        let mut tx = self.db.begin().await?;
        let LockedRow { id, blocked_at, .. } = hold(&mut tx, oem, dsn).await?;
        if blocked_at.is_some() {
            return Ok(false);
        }
        let now = self.clock.now();
        inventory::set_blocked(&mut tx, id, Some(now)).await?;
        connections::revoke(&mut tx, id, now).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Lets a blocked device connect. Returns `false` when it was not blocked.
    ///
    /// # Errors
    /// [`OperatorError::UnknownDevice`], or a database error.
    pub async fn unblock_device(&self, oem: &Oem, dsn: &str) -> Result<bool> {
        let mut tx = self.db.begin().await?;
        let LockedRow { id, blocked_at, .. } = hold(&mut tx, oem, dsn).await?;
        inventory::set_blocked(&mut tx, id, None).await?;
        tx.commit().await?;
        Ok(blocked_at.is_some())
    }

    /// Gives a device another key, 64 lower-case hex digits. The old one signs it in no more; nodes close a connection that it
    /// opened within seconds.
    ///
    /// # Errors
    /// [`OperatorError::UnknownDevice`], or a database error.
    pub async fn set_device_key(&self, oem: &Oem, dsn: &str, link_key: &SecretString) -> Result<()> {
        let mut tx = self.db.begin().await?;
        let LockedRow { id, .. } = hold(&mut tx, oem, dsn).await?;
        inventory::set_link_key(&mut tx, id, &digest(link_key.expose_secret())).await?;
        connections::revoke(&mut tx, id, self.clock.now()).await?;
        Ok(tx.commit().await?)
    }

    /// Removes a device for good, with its history; `even_registered` one that is registered, too, which is sent back to the
    /// factory's stock first, so that whoever wants messages of that gets them.
    ///
    /// # Errors
    /// [`OperatorError::UnknownDevice`], [`OperatorError::RegisteredDevice`], [`OperatorError::ConnectedDevice`], or a
    /// database says.
    pub async fn remove_device(&self, oem: &Oem, dsn: &str, even_registered: bool) -> Result<()> {
        let row = inventory::find(&self.db, oem.id, dsn).await?;
        let row = row.ok_or_else(|| OperatorError::UnknownDevice(dsn.to_owned()))?;
        let mut tx = self.db.begin().await?;
        if row.registered && even_registered {
            // Before the device is held: its schedules and properties are held before it everywhere. No node hears of this, as of
            // no command of the operator's; the console's next pass sees that the device is gone.
            let _ = self.edits().unregister_in(&mut tx, row.id).await?;
        }
        let LockedRow { id, registered, status, .. } = hold(&mut tx, oem, dsn).await?;
        if registered {
            return Err(OperatorError::RegisteredDevice(dsn.to_owned()));
        }
        // A node keeps what the connected ones report in groups: one that is gone would fail the others.
        if status == ONLINE {
            return Err(OperatorError::ConnectedDevice(dsn.to_owned()));
        }
        inventory::delete(&mut tx, id).await?;
        Ok(tx.commit().await?)
    }
}

async fn hold(tx: &mut Tx, oem: &Oem, dsn: &str) -> Result<LockedRow> {
    let row = inventory::lock_rows(tx, oem.id, dsn).await?;
    row.ok_or_else(|| OperatorError::UnknownDevice(dsn.to_owned()))
}
