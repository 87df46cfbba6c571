//! Users: sign-in ([`sessions`]), their own accounts ([`password`], [`email`], [`confirmation`]) and the administration of
//! other users ([`create`], [`roles`], [`customers`], [`profile`]). Each change is one transaction; after its commit the user's
//! streams are notified.

mod confirmation;
pub(crate) mod contacts;
mod create;
mod customers;
mod email;
pub(crate) mod password;
mod person;
mod profile;
mod roles;
mod sessions;
pub(crate) mod sharing;

use jiff::SignedDuration;
use platform::bus::Bus;
use platform::db::{self, Db, Tx};
use platform::run::clock::Clock;
use platform::run::random::Random;
use tokio_util::task::TaskTracker;

pub(crate) use confirmation::Owner;
pub(crate) use create::NewPerson;
pub(crate) use person::Person;
pub(crate) use roles::RoleChange;
pub(crate) use sessions::{SignInError, UserSession};

use crate::devices::edits::{Edits, ResetDevices};
use crate::domain::password::{InvalidCost, Passwords};
use crate::messages::mail::{AccountMail, Mail};
use crate::records::message::MessageKind;
use crate::store::users::Addressee;
use crate::store::{profiles, role_users};
use crate::stream::rights;

/// Manages users and their sessions. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct People {
    pub(crate) db: Db,
    pub(crate) clock: Clock,
    pub(crate) random: Random,
    pub(crate) bus: Bus,
    pub(crate) passwords: Passwords,
    pub(crate) mail: Mail,
    pub(crate) edits: Edits,
    /// Lifetime of an access token.
    pub(crate) token_lifetime: SignedDuration,
    /// Time after which an unused session ends.
    pub(crate) session_lifetime: SignedDuration,
    /// Writes that run to their end after the answer.
    pub(crate) tasks: TaskTracker,
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
    /// The user does not exist, or is no longer managed by the caller.
    #[error("there is no such user")]
    NotFound,
    /// The caller may not do this.
    #[error("the caller may not do this")]
    Forbidden,
    /// The caller's own account no longer exists.
    #[error("the caller's account no longer exists")]
    AccountDeleted,
    /// The user does not have this role, or the role does not have this label.
    #[error("the user has no such role")]
    RoleNotFound,
    /// No user has this role and label.
    #[error("no user has this role and label")]
    RoleUserNotFound,
    /// The customer is not associated with the role.
    #[error("the users are not associated")]
    NotAssociated,
    /// The address is confirmed already.
    #[error("the address is confirmed already")]
    AlreadyConfirmed,
    /// The account was confirmed with this token before.
    #[error("the account was confirmed with this token before")]
    TokenHasConfirmed,
    /// A new address is confirmed with the current password or by the signed-in user.
    #[error("the current password is missing")]
    PasswordMissing,
    /// The confirmation token is unknown, used or expired.
    #[error("the confirmation token is invalid")]
    InvalidConfirmationToken,
    /// The token that cancels a change of the address is unknown, used or expired.
    #[error("the cancellation token is invalid")]
    InvalidCancellationToken,
    /// The token for a password reset is unknown, used or expired.
    #[error("the reset token is invalid")]
    InvalidResetToken,
    /// The current password is wrong.
    #[error("the current password is wrong")]
    WrongPassword,
    /// The account is locked after too many wrong passwords.
    #[error("the account is locked")]
    Locked,
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
        let delete = async |mut tx: Tx| -> Result<_, PersonError> {
            let reset = delete_within(&mut tx, &self.edits, user_id).await?.ok_or(PersonError::LastAdmin)?;
            tx.commit().await?;
            Ok(reset)
        };
        let reset = self.db.write(delete).await?;
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

/// A mail to this user.
fn account_mail<'a>(
    kind: MessageKind,
    to: &'a Addressee,
    token: Option<&'a str>,
    email_template_id: Option<&'a str>,
) -> AccountMail<'a> {
    let Addressee { id, oem_id, email } = to;
    AccountMail {
        kind,
        oem_id: *oem_id,
        user_id: Some(*id),
        recipient: email,
        token,
        time: None,
        inviter: None,
        email_template_id,
    }
}
