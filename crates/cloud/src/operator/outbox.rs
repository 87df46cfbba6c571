//! Messages to people.

use super::{Oem, Operator, Result};
use crate::mail::{Kind, Letter};

impl Operator {
    /// Writes a message to this address into the outbox, to see whether mail arrives.
    ///
    /// # Errors
    /// What the database says.
    pub async fn write_test_message(&self, oem: &Oem, recipient: &str) -> Result<()> {
        let letter =
            Letter { kind: Kind::Test, oem_id: oem.id, user_id: None, recipient, token: None, email_template_id: None };
        let mut tx = self.db.begin().await?;
        self.mail.enqueue(&mut tx, &letter, self.clock.now()).await?;
        Ok(tx.commit().await?)
    }
}
