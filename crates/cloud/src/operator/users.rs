//! User accounts.

use std::fmt;

use platform::db::Tx;
use platform::run::clock::to_micros;
use secrecy::SecretString;
use serde::{Serialize, Serializer};
use serde_json::json;

use super::{Oem, Operator, OperatorError, Result};
use crate::people;
pub use crate::records::user::NewUser;
use crate::store;
use crate::store::users::UserRecord;

/// An account as operators see it. Its `Debug` output contains no personal data.
#[derive(Clone, Default, PartialEq, Eq, Serialize)]
pub struct UserSummary {
    /// The wire's `uuid`.
    pub uuid: String,
    /// The address to sign in with.
    pub email: String,
    /// First and last name.
    pub name: String,
    /// Roles with the values of their labels.
    #[serde(serialize_with = "serialize_roles")]
    pub roles: Vec<(String, Option<String>)>,
    /// Whether the address is confirmed.
    pub confirmed: bool,
    /// Whether sign-in is locked at the moment.
    pub locked: bool,
    /// Whether it is a machine account of an application.
    pub machine: bool,
}

fn serialize_roles<S: Serializer>(
    roles: &[(String, Option<String>)],
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_seq(roles.iter().map(|(name, label)| json!({ "name": name, "label": label })))
}

impl fmt::Debug for UserSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserSummary").field("uuid", &self.uuid).finish_non_exhaustive()
    }
}

impl Operator {
    /// The accounts of the manufacturer, by address.
    ///
    /// # Errors
    /// A database error.
    pub async fn users(&self, oem: &Oem) -> Result<Vec<UserSummary>> {
        let now = to_micros(self.clock.now());
        let mut users: Vec<UserSummary> = Vec::new();
        for row in store::accounts::listed(&self.db, oem.id).await? {
            if users.last().is_none_or(|user| user.uuid != row.uuid) {
                let name = [row.firstname, row.lastname].into_iter().flatten().collect::<Vec<_>>().join(" ");
                users.push(UserSummary {
                    uuid: row.uuid,
                    email: row.email,
                    name,
                    roles: Vec::new(),
                    confirmed: row.confirmed_at.is_some(),
                    locked: row.locked_until.is_some_and(|until| until > now),
                    machine: row.application_id.is_some(),
                });
            }
            if let (Some(user), Some(role)) = (users.last_mut(), row.role) {
                user.roles.push((role, row.label_value));
            }
        }
        Ok(users)
    }

    /// The labels that people or devices of the manufacturer have, in alphabetical order.
    ///
    /// # Errors
    /// A database error.
    pub async fn labels(&self, oem: &Oem) -> Result<Vec<String>> {
        Ok(store::accounts::labels(&self.db, oem.id).await?)
    }

    /// Locks an account until an operator unlocks it, and closes its sessions.
    ///
    /// # Errors
    /// [`OperatorError::UnknownUser`], [`OperatorError::MachineAccount`], or a database error.
    pub async fn lock_user(&self, oem: &Oem, email: &str) -> Result<()> {
        let user = store::users::credentials(&self.db, oem.id, email).await?.ok_or(OperatorError::UnknownUser)?;
        if user.application_id.is_some() {
            return Err(OperatorError::MachineAccount);
        }
        Ok(store::accounts::lock(&self.db, user.who.id).await?)
    }

    /// Unlocks an account that an operator or wrong passwords locked.
    ///
    /// # Errors
    /// [`OperatorError::UnknownUser`], or a database error.
    pub async fn unlock_user(&self, oem: &Oem, email: &str) -> Result<()> {
        let user = store::users::credentials(&self.db, oem.id, email).await?.ok_or(OperatorError::UnknownUser)?;
        Ok(store::accounts::unlock(&self.db, user.who.id).await?)
    }

    /// Deletes an account with all its data. Its devices return to stock.
    ///
    /// # Errors
    /// [`OperatorError::UnknownUser`], [`OperatorError::MachineAccount`], [`OperatorError::LastAdmin`], or a database
    /// error.
    pub async fn remove_user(&self, oem: &Oem, email: &str) -> Result<()> {
        let user = store::users::credentials(&self.db, oem.id, email).await?.ok_or(OperatorError::UnknownUser)?;
        if user.application_id.is_some() {
            return Err(OperatorError::MachineAccount);
        }
        let remove_user = async |mut tx: Tx| -> Result<()> {
            // Events of the reset are not published, as this process is no node: streams end with their next heartbeat, and
            // devices receive their settings when they connect.
            if people::delete_within(&mut tx, &self.edits(), user.who.id).await?.is_none() {
                return Err(OperatorError::LastAdmin);
            }
            Ok(tx.commit().await?)
        };
        self.db.write(remove_user).await
    }

    /// Replaces the password of an account and closes its sessions.
    ///
    /// # Errors
    /// [`OperatorError::UnknownUser`], or a database error.
    pub async fn set_password(&self, oem: &Oem, email: &str, password: SecretString) -> Result<()> {
        let user = store::users::credentials(&self.db, oem.id, email).await?.ok_or(OperatorError::UnknownUser)?;
        let hash = self.passwords.hash(password).await?;
        let set_password = async |mut tx: Tx| -> Result<()> {
            store::users::set_password(&mut tx, user.who.id, &hash, self.clock.now()).await?;
            store::sessions::close_all(&mut tx, user.who.id, None).await?;
            Ok(tx.commit().await?)
        };
        self.db.write(set_password).await
    }

    /// Creates the account unless its address is taken. Returns whether it did.
    ///
    /// # Errors
    /// [`OperatorError::UnknownRole`], [`OperatorError::UnknownApplication`], or a database error.
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
        let ensure_user = async |mut tx: Tx| -> Result<()> {
            let user_id = store::users::insert(&mut tx, &record).await?;
            if let Some(role_id) = role_id {
                store::roles::grant(&mut tx, user_id, role_id, user.label.as_deref()).await?;
            }
            tx.commit().await?;
            Ok(())
        };
        self.db.write(ensure_user).await?;
        Ok(true)
    }
}
