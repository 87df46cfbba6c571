//! Applications through which users sign in.

use secrecy::{ExposeSecret, SecretString};

use super::{Oem, Operator, OperatorError, Result};
use crate::domain::secret::digest;
use crate::store;

/// An application through which users sign in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Application {
    /// The wire's `app_id`.
    pub id: String,
    /// The name that people see.
    pub name: String,
}

impl Operator {
    /// Creates an application of `oem`, or replaces its name and secret.
    ///
    /// # Errors
    /// A database error.
    pub async fn ensure_application(&self, oem: &Oem, app_id: &str, name: &str, secret: &SecretString) -> Result<()> {
        let secret_hash = digest(secret.expose_secret());
        Ok(store::applications::ensure(&self.db, oem.id, app_id, name, &secret_hash, self.clock.now()).await?)
    }

    /// The applications of the manufacturer.
    ///
    /// # Errors
    /// A database error.
    pub async fn applications(&self, oem: &Oem) -> Result<Vec<Application>> {
        let rows = store::applications::listed(&self.db, oem.id).await?;
        Ok(rows.into_iter().map(|(id, name)| Application { id, name }).collect())
    }

    /// Replaces the secret of an application. The old one stops working.
    ///
    /// # Errors
    /// [`OperatorError::UnknownApplication`], or a database error.
    pub async fn set_application_secret(&self, oem: &Oem, app_id: &str, secret: &SecretString) -> Result<()> {
        let secret_hash = digest(secret.expose_secret());
        match store::applications::set_secret(&self.db, oem.id, app_id, &secret_hash).await? {
            true => Ok(()),
            false => Err(OperatorError::UnknownApplication(app_id.to_owned())),
        }
    }
}
