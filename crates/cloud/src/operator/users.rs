//! Accounts.

use std::fmt;

use secrecy::SecretString;

use super::{Oem, Operator, OperatorError, Result};
use crate::store;
use crate::store::users::UserRecord;

/// An account to be made. Its `Debug` shows no personal data.
#[derive(Clone, Default)]
pub struct NewUser {
    /// The address to sign in with; case does not matter.
    pub email: String,
    /// Any length up to 1024 bytes: the operator answers for it.
    pub password: SecretString,
    /// First name.
    pub firstname: Option<String>,
    /// Last name.
    pub lastname: Option<String>,
    /// Company.
    pub company: Option<String>,
    /// Street.
    pub street: Option<String>,
    /// City.
    pub city: Option<String>,
    /// State or province.
    pub state: Option<String>,
    /// Postal code.
    pub zip: Option<String>,
    /// Country.
    pub country: Option<String>,
    /// Digits before the number.
    pub phone_country_code: Option<String>,
    /// Number.
    pub phone: Option<String>,
    /// The role's name; none = an end user.
    pub role: Option<String>,
    /// The value of the role's label.
    pub label: Option<String>,
    /// Makes it a machine account of the application with this id: wrong passwords do not lock it, and it signs in through no
    /// other application.
    pub machine_of: Option<String>,
    /// Whether the address is confirmed; an unconfirmed user cannot sign in.
    pub confirmed: bool,
}

impl fmt::Debug for NewUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewUser")
            .field("role", &self.role)
            .field("machine_of", &self.machine_of)
            .finish_non_exhaustive()
    }
}

impl Operator {
    /// Makes the account unless its address is taken; answers whether it did.
    ///
    /// # Errors
    /// [`OperatorError::UnknownRole`], [`OperatorError::UnknownApplication`], or what the database says.
    pub async fn ensure_user(&self, oem: &Oem, user: &NewUser) -> Result<bool> {
        if store::users::id_by_email(&self.db, oem.id, &user.email).await?.is_some() {
            return Ok(false);
        }
        let role_id = match &user.role {
            None => None,
            Some(name) => {
                let roles = store::roles::all(&self.db, oem.id).await?;
                let role = roles.into_iter().find(|(_, role)| role == name);
                Some(role.ok_or_else(|| OperatorError::UnknownRole(name.clone()))?.0)
            }
        };
        let application_id = match &user.machine_of {
            None => None,
            Some(app_id) => {
                let application = store::applications::find(&self.db, app_id).await?;
                let application = application.filter(|application| application.oem_id == oem.id);
                Some(application.ok_or_else(|| OperatorError::UnknownApplication(app_id.clone()))?.id)
            }
        };
        let password_hash = self.passwords.hash(user.password.clone()).await?;
        let record = UserRecord {
            uuid: self.random.uuid(),
            oem_id: oem.id,
            password_hash: &password_hash,
            user,
            application_id,
            now: self.clock.now(),
        };
        let mut tx = self.db.begin().await?;
        let user_id = store::users::insert(&mut tx, &record).await?;
        if let Some(role_id) = role_id {
            store::roles::grant(&mut tx, user_id, role_id, user.label.as_deref()).await?;
        }
        tx.commit().await?;
        Ok(true)
    }
}
