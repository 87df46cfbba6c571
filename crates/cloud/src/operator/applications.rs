//! Applications through which users sign in.

use jiff::{SignedDuration, Timestamp};
use platform::run::clock::from_micros;
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;

use super::{Oem, Operator, OperatorError, Result};
use crate::domain::secret::digest;
use crate::store;

/// An application through which users sign in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Application {
    /// The wire's `app_id`.
    pub id: String,
    /// The name that people see.
    pub name: String,
    /// The time until which the secret before the last rotation is valid as well.
    pub earlier_secret_until: Option<Timestamp>,
}

impl Operator {
    /// Creates an application of `oem`, or replaces its name and all its secrets.
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
        let now = self.clock.now();
        let valid = |until: &Timestamp| now < *until;
        let application = |row: store::applications::ListedApplicationRow| Application {
            id: row.app_id,
            name: row.name,
            earlier_secret_until: row.earlier_secret_until.map(from_micros).filter(valid),
        };
        Ok(rows.into_iter().map(application).collect())
    }

    /// Replaces the secret of an application. The old one stays valid for `overlap`, and one that is older ends now.
    ///
    /// # Errors
    /// [`OperatorError::UnknownApplication`], or a database error.
    pub async fn rotate_application_secret(
        &self,
        oem: &Oem,
        app_id: &str,
        secret: &SecretString,
        overlap: SignedDuration,
    ) -> Result<()> {
        let secret_hash = digest(secret.expose_secret());
        let until = overlap.is_positive().then(|| self.clock.now() + overlap);
        known(app_id, store::applications::rotate_secret(&self.db, oem.id, app_id, &secret_hash, until).await?)
    }

    /// Ends the secret before the last rotation of an application now.
    ///
    /// # Errors
    /// [`OperatorError::UnknownApplication`], or a database error.
    pub async fn end_earlier_secret(&self, oem: &Oem, app_id: &str) -> Result<()> {
        known(app_id, store::applications::end_earlier_secret(&self.db, oem.id, app_id).await?)
    }
}

fn known(app_id: &str, known: bool) -> Result<()> {
    if known { Ok(()) } else { Err(OperatorError::UnknownApplication(app_id.to_owned())) }
}
