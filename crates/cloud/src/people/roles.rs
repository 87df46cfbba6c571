//! Changes of roles and their labels. They take effect with the user's next call and on open streams.

use platform::db::Tx;

use super::person::lock_managed;
use super::{People, PersonError};
use crate::domain::policy::custody::Custody;
use crate::domain::principal::Principal;
use crate::store::authors::{self, Ended};
use crate::store::{custody, role_users};
use crate::stream::rights;

/// A change of one role of a user.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RoleChange<'a> {
    /// Assign with this label. An existing role stays, and receives the label if it has none.
    Assign(Option<&'a str>),
    /// Revoke the role with its label.
    Revoke,
    /// Set this label.
    Label(&'a str),
    /// Remove the label.
    Unlabel,
}

impl People {
    /// Changes a role of a user on behalf of `caller`. The user's shares, triggers and notifications end on devices that the user
    /// loses.
    ///
    /// # Errors
    /// [`PersonError`].
    pub(crate) async fn change_role(
        &self,
        caller: &Principal,
        user_id: i64,
        role_id: i64,
        change: RoleChange<'_>,
    ) -> Result<(), PersonError> {
        let change_role = async |mut tx: Tx| -> Result<Ended, PersonError> {
            let last_before = role_users::is_last_admin(&mut tx, user_id).await?;
            // A user who joined another partner meanwhile must not be taken into custody.
            let before = lock_managed(&mut tx, caller, user_id).await?;
            let done = match change {
                RoleChange::Assign(label) => {
                    role_users::assign(&mut tx, user_id, role_id, label).await.map(|()| true)?
                }
                RoleChange::Revoke => role_users::revoke(&mut tx, user_id, role_id).await?,
                RoleChange::Label(value) => role_users::set_label(&mut tx, user_id, role_id, value).await?,
                RoleChange::Unlabel => role_users::clear_label(&mut tx, user_id, role_id).await?,
            };
            if !done {
                return Err(PersonError::RoleNotFound);
            }
            // A user may be an administrator through two roles and lose one of them.
            if last_before && !role_users::is_last_admin(&mut tx, user_id).await? {
                return Err(PersonError::LastAdmin);
            }
            let assigned = matches!(change, RoleChange::Assign(_) | RoleChange::Label(_));
            let after = Custody::after(caller, assigned, &role_users::grants_of(&mut tx, user_id).await?, before);
            custody::set(&mut tx, user_id, after.as_ref()).await?;
            let ended = authors::end_of_user(&mut tx, user_id).await?;
            tx.commit().await?;
            Ok(ended)
        };
        let ended = self.db.write(change_role).await?;
        ended.log(caller.user_id);
        rights::publish(&self.bus, user_id);
        Ok(())
    }
}
