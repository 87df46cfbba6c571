//! Setup codes of devices.

use platform::db::Tx;

use super::{Oem, Operator, OperatorError, Result};
use crate::domain::setup_code::SetupCode;
use crate::store::setup_codes;

/// Codes per transaction.
const BATCH: usize = 200;

impl Operator {
    /// Sets whether partners need the setup code of a device of this template to register it. A device without a code then
    /// cannot be registered by partners.
    ///
    /// # Errors
    /// [`OperatorError::UnknownTemplate`], or a database error.
    pub async fn require_setup_code(&self, oem: &Oem, template: &str, required: bool) -> Result<()> {
        let exists = setup_codes::set_required(&self.db, oem.id, template, required).await?;
        if exists { Ok(()) } else { Err(OperatorError::UnknownTemplate(template.to_owned())) }
    }

    /// The serial numbers of devices in stock that have no setup code, in their order.
    ///
    /// # Errors
    /// A database error.
    pub async fn devices_without_setup_code(&self, oem: &Oem) -> Result<Vec<String>> {
        Ok(setup_codes::missing(&self.db, oem.id).await?)
    }

    /// Stores the setup codes of devices that have none. Other devices keep theirs. Returns the number of stored codes.
    ///
    /// # Errors
    /// A database error. Earlier batches stay.
    pub async fn add_setup_codes(&self, oem: &Oem, codes: &[(String, SetupCode)]) -> Result<usize> {
        let mut added = 0;
        for batch in codes.chunks(BATCH) {
            let add_batch = async |mut tx: Tx| -> Result<usize> {
                let mut added = 0;
                for (dsn, code) in batch {
                    added += usize::from(setup_codes::insert(&mut tx, oem.id, dsn, &code.digest(dsn)).await?);
                }
                tx.commit().await?;
                Ok(added)
            };
            added += self.db.write(add_batch).await?;
        }
        Ok(added)
    }

    /// Replaces the setup code of a device.
    ///
    /// # Errors
    /// [`OperatorError::UnknownDevice`], or a database error.
    pub async fn set_setup_code(&self, oem: &Oem, dsn: &str, code: &SetupCode) -> Result<()> {
        let exists = setup_codes::update(&self.db, oem.id, dsn, &code.digest(dsn)).await?;
        if exists { Ok(()) } else { Err(OperatorError::UnknownDevice(dsn.to_owned())) }
    }
}
