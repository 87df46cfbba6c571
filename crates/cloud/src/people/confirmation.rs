//! Confirmation of addresses.

use platform::db::Tx;
use secrecy::SecretString;

use super::person::lock_managed;
use super::{People, PersonError, account_mail};
use crate::domain::policy::users::may_resend_confirmation;
use crate::domain::principal::Principal;
use crate::records::message::MessageKind;
use crate::store::user_list::UserRef;
use crate::store::user_tokens::{self, Purpose};
use crate::store::users::{self, Credentials};

/// What shows that the owner of an account confirms its new address, and not somebody who only received the link.
pub(crate) enum Owner {
    /// The user is signed in.
    SignedIn(i64),
    /// The current password of the account.
    Password(SecretString),
    /// Nothing.
    Unproven,
}

impl People {
    /// Mails a new confirmation token to a user whom the caller manages.
    ///
    /// # Errors
    /// [`PersonError`].
    pub(crate) async fn resend_confirmation(
        &self,
        caller: &Principal,
        email: &str,
        email_template_id: Option<&str>,
    ) -> Result<(), PersonError> {
        let user = self.find_to_confirm(caller, email).await?;
        // A signed-in user is confirmed, so nothing is ever mailed to the caller.
        if user.confirmed_at.is_some() {
            return Err(PersonError::AlreadyConfirmed);
        }
        let now = self.clock.now();
        let resend_confirmation = async |mut tx: Tx| -> Result<(), PersonError> {
            lock_managed(&mut tx, caller, user.who.id).await?;
            let token = user_tokens::issue(&mut tx, &self.random, user.who.id, Purpose::Confirmation, now).await?;
            let mail = account_mail(MessageKind::Confirmation, &user.who, Some(&token), email_template_id);
            self.mail.enqueue(&mut tx, &mail, now).await?;
            Ok(tx.commit().await?)
        };
        self.db.write(resend_confirmation).await
    }

    /// The caller or a user whom the caller manages.
    async fn find_to_confirm(&self, caller: &Principal, email: &str) -> Result<Credentials, PersonError> {
        let user = users::credentials(&self.db, caller.oem_id, email).await?;
        let user = user.filter(|user| !user.is_machine());
        let is_self = user.as_ref().is_some_and(|user| user.who.id == caller.user_id);
        // Checked first, so that callers without this right do not learn whether the user exists.
        if !is_self && !may_resend_confirmation(caller.kind) {
            return Err(PersonError::Forbidden);
        }
        let user = user.ok_or(PersonError::NotFound)?;
        if !is_self {
            self.find_managed(caller, UserRef::Id(user.who.id)).await?;
        }
        Ok(user)
    }

    /// Confirms the address that a token was mailed to: that of a new account, or, if its `owner` does so, a new address of an
    /// account. Returns its user.
    ///
    /// # Errors
    /// [`PersonError`].
    pub(crate) async fn confirm(&self, token: &str, owner: Owner) -> Result<i64, PersonError> {
        let now = self.clock.now();
        let confirm = async |mut tx: Tx| -> Result<Option<i64>, PersonError> {
            let user_id = user_tokens::redeem(&mut tx, token, Purpose::Confirmation, now).await?;
            if let Some(user_id) = user_id {
                users::confirm(&mut tx, user_id, now).await?;
                tx.commit().await?;
            }
            Ok(user_id)
        };
        match self.db.write(confirm).await? {
            Some(user_id) => Ok(user_id),
            None if user_tokens::has_confirmed(&self.db, token).await? => Err(PersonError::TokenHasConfirmed),
            None => self.confirm_email_change(token, owner).await,
        }
    }
}
