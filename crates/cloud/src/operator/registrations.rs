//! Registrations of devices: lists them, and returns devices to the stock.

use jiff::Timestamp;
use platform::db::Tx;
use platform::run::clock::from_micros;
use serde::Serialize;

use super::{Oem, Operator, OperatorError, Result};
use crate::store::claims::{self, RegistrationRow};
use crate::store::users;

/// A registration of a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Registration {
    /// Serial number of the device.
    pub dsn: String,
    /// The address of the user who registered it; `None` if the account was deleted since.
    pub email: Option<String>,
    /// Time of the registration.
    pub at: Timestamp,
    /// Whether the device is still registered through this registration.
    pub is_current: bool,
    device_id: i64,
}

impl From<RegistrationRow> for Registration {
    fn from(row: RegistrationRow) -> Self {
        let RegistrationRow { device_id, dsn, email, claimed_at, is_current } = row;
        Self { dsn, email, at: from_micros(claimed_at), is_current, device_id }
    }
}

impl Operator {
    /// The registrations of the manufacturer's devices, newest first; only those by this user and after `since`, if
    /// given.
    ///
    /// # Errors
    /// [`OperatorError::UnknownUser`], or a database error.
    pub async fn registrations(
        &self,
        oem: &Oem,
        email: Option<&str>,
        since: Option<Timestamp>,
    ) -> Result<Vec<Registration>> {
        let email = email.map(users::folded);
        if let Some(email) = &email {
            users::id_by_email(&self.db, oem.id, email).await?.ok_or(OperatorError::UnknownUser)?;
        }
        let rows = claims::listed(&self.db, oem.id, email.as_deref(), since).await?;
        Ok(rows.into_iter().map(Registration::from).collect())
    }

    /// Returns the devices of these registrations to factory stock, except those that were registered again since. Each device
    /// is a separate transaction. Returns their number. No events are published from this process; the console's next pass
    /// finds the change.
    ///
    /// # Errors
    /// A database error; some devices may have been returned then.
    pub async fn release_devices(&self, registrations: &[Registration]) -> Result<usize> {
        let mut released = 0;
        for registration in registrations {
            let release = async |mut tx: Tx| -> Result<bool> {
                let is_current = claims::is_current(&mut tx, registration.device_id, registration.at).await?;
                if is_current {
                    let _ = self.edits().unregister_in(&mut tx, registration.device_id).await?;
                    tx.commit().await?;
                }
                Ok(is_current)
            };
            released += usize::from(self.db.write(release).await?);
        }
        Ok(released)
    }
}
