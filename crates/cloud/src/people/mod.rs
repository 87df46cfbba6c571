//! Administration of other users: creation ([`create`]), roles ([`roles`]) and deletion. Each change is one
//! transaction; after its commit the user's streams are notified.

mod create;
mod roles;

use platform::bus::Bus;
use platform::clock::Clock;
use platform::db::{self, Db, Tx};
use platform::random::Random;

pub(crate) use create::NewPerson;
pub(crate) use roles::RoleChange;

use crate::devices::edits::{Edits, ResetDevices};
use crate::domain::password::{InvalidCost, Passwords};
use crate::mail::Mail;
use crate::store::{profiles, role_users};
use crate::stream::rights;

/// Administers users. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct People {
    pub(crate) db: Db,
    pub(crate) clock: Clock,
    pub(crate) random: Random,
    pub(crate) bus: Bus,
    pub(crate) passwords: Passwords,
    pub(crate) mail: Mail,
    pub(crate) edits: Edits,
}

/// Why a user was not changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PersonError {
    /// The address belongs to another user of the manufacturer.
    #[error("the address is taken")]
    EmailTaken,
    /// No administrator of the manufacturer would be left.
    #[error("the last administrator cannot be removed")]
    LastAdmin,
    /// The caller may not, or no longer, manage this user.
    #[error("the caller does not manage this user")]
    NotTheirs,
    /// The user does not have this role, or it has no such label.
    #[error("the user has no such role")]
    NoRole,
    /// The password cannot be hashed.
    #[error(transparent)]
    Password(#[from] InvalidCost),
    /// A database error.
    #[error(transparent)]
    Database(#[from] platform::db::Error),
}

impl People {
    /// Deletes a user with all their sessions, data, contacts, shares and subscriptions. Their devices return to stock
    ///
    ///
    /// # Errors
    /// [`PersonError`].
    pub(crate) async fn delete(&self, user_id: i64) -> Result<(), PersonError> {
        let mut tx = self.db.begin().await?;
        let reset = delete_within(&mut tx, &self.edits, user_id).await?.ok_or(PersonError::LastAdmin)?;
        tx.commit().await?;
        self.edits.publish(&reset);
        rights::publish(&self.bus, user_id);
        Ok(())
    }
}

/// Deletes a user with all their data. Returns the devices that were reset; publish them after the commit. `None` if
/// the user is the last administrator.
pub(crate) async fn delete_within(tx: &mut Tx, edits: &Edits, user_id: i64) -> db::Result<Option<ResetDevices>> {
    if role_users::is_last_admin(tx, user_id).await? {
        return Ok(None);
    }
    let reset = edits.unregister_all_of(tx, user_id).await?;
    profiles::delete(tx, user_id).await?;
    Ok(Some(reset))
}
