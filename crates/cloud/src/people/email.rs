//! Changes of the own address.

use jiff::Timestamp;
use platform::db::Tx;
use secrecy::SecretString;

use super::confirmation::Owner;
use super::{People, PersonError, account_mail};
use crate::domain::principal::Principal;
use crate::records::message::MessageKind;
use crate::store::email_changes::{self, NewEmailChange};
use crate::store::users::{self, Addressee};
use crate::store::{sessions, user_tokens};
use crate::stream::rights;

impl People {
    /// Changes the caller's address immediately if `current_password` is given, otherwise when the new address is confirmed. The
    /// old address receives a link that cancels the change.
    ///
    /// # Errors
    /// [`PersonError`].
    pub(crate) async fn change_email(
        &self,
        caller: &Principal,
        email: &str,
        current_password: Option<SecretString>,
    ) -> Result<(), PersonError> {
        if users::id_by_email(&self.db, caller.oem_id, email).await?.is_some() {
            return Err(PersonError::EmailTaken);
        }
        match current_password {
            Some(current) => {
                self.check_own_password(caller.user_id, current).await?;
                self.replace_email(caller.user_id, email).await
            }
            None => self.request_email(caller.user_id, email).await,
        }
    }

    async fn replace_email(&self, user_id: i64, email: &str) -> Result<(), PersonError> {
        let now = self.clock.now();
        let replace_email = async |mut tx: Tx| -> Result<(), PersonError> {
            let before = users::lock_addressee(&mut tx, user_id).await?.ok_or(PersonError::AccountDeleted)?;
            let cancellation = self.random.hex(16);
            let change = NewEmailChange {
                user_id,
                old_email: &before.email,
                new_email: email,
                confirmation_token: None,
                cancellation_token: &cancellation,
            };
            email_changes::insert(&mut tx, &change, now).await?;
            let after = set_email(&mut tx, user_id, email, now).await?;
            for (address, token) in [(&before, Some(&*cancellation)), (&after, None)] {
                self.mail.enqueue(&mut tx, &account_mail(MessageKind::EmailChanged, address, token, None), now).await?;
            }
            tx.commit().await?;
            Ok(())
        };
        self.db.write(replace_email).await?;
        rights::publish(&self.bus, user_id);
        Ok(())
    }

    async fn request_email(&self, user_id: i64, email: &str) -> Result<(), PersonError> {
        let now = self.clock.now();
        let request_email = async |mut tx: Tx| -> Result<(), PersonError> {
            let before = users::lock_addressee(&mut tx, user_id).await?.ok_or(PersonError::AccountDeleted)?;
            let [confirmation, cancellation] = [self.random.hex(16), self.random.hex(16)];
            let change = NewEmailChange {
                user_id,
                old_email: &before.email,
                new_email: email,
                confirmation_token: Some(&confirmation),
                cancellation_token: &cancellation,
            };
            email_changes::insert(&mut tx, &change, now).await?;
            let after = Addressee { email: email.to_owned(), ..before.clone() };
            for (kind, address, token) in [
                (MessageKind::EmailChangeRequested, &before, &cancellation),
                (MessageKind::EmailConfirmation, &after, &confirmation),
            ] {
                self.mail.enqueue(&mut tx, &account_mail(kind, address, Some(token), None), now).await?;
            }
            Ok(tx.commit().await?)
        };
        self.db.write(request_email).await
    }

    /// Changes the address to the one that this token was mailed to, and notifies both. The new address may be somebody else's
    /// by mistake, so its link is not enough. Returns the user.
    pub(super) async fn confirm_email_change(&self, token: &str, owner: Owner) -> Result<i64, PersonError> {
        let now = self.clock.now();
        let user_id = email_changes::user_to_confirm(&self.db, token, now).await?;
        let user_id = user_id.ok_or(PersonError::InvalidConfirmationToken)?;
        match owner {
            Owner::SignedIn(signed_in) if signed_in == user_id => {}
            Owner::Password(password) => {
                self.check_own_password(user_id, password).await?;
            }
            Owner::SignedIn(_) | Owner::Unproven => return Err(PersonError::PasswordMissing),
        }
        let confirm_email_change = async |mut tx: Tx| -> Result<_, PersonError> {
            let change = email_changes::to_confirm(&mut tx, token, now).await?;
            let user_id = change.ok_or(PersonError::InvalidConfirmationToken)?.user_id;
            let before = users::lock_addressee(&mut tx, user_id).await?.ok_or(PersonError::InvalidConfirmationToken)?;
            // Read again under the lock: the change may have been replaced, confirmed or cancelled meanwhile.
            let change = email_changes::to_confirm(&mut tx, token, now).await?;
            let change = change.ok_or(PersonError::InvalidConfirmationToken)?;
            email_changes::revoke_confirmations(&mut tx, user_id).await?;
            let after = set_email(&mut tx, user_id, &change.new_email, now).await?;
            for address in [&before, &after] {
                self.mail.enqueue(&mut tx, &account_mail(MessageKind::EmailChanged, address, None, None), now).await?;
            }
            tx.commit().await?;
            Ok(user_id)
        };
        let user_id = self.db.write(confirm_email_change).await?;
        rights::publish(&self.bus, user_id);
        Ok(user_id)
    }

    /// Cancels the change whose link was mailed to the old address, and all later changes, whether confirmed or not. Ends all
    /// sessions. Returns the user's UUID.
    ///
    /// # Errors
    /// [`PersonError`].
    pub(crate) async fn cancel_email_change(&self, token: &str) -> Result<String, PersonError> {
        let now = self.clock.now();
        let cancel_email_change = async |mut tx: Tx| -> Result<_, PersonError> {
            let change = email_changes::to_cancel(&mut tx, token, now).await?;
            let user_id = change.ok_or(PersonError::InvalidCancellationToken)?.user_id;
            users::lock_rows(&mut tx, user_id).await?;
            let change = email_changes::to_cancel(&mut tx, token, now).await?;
            let change = change.ok_or(PersonError::InvalidCancellationToken)?;
            email_changes::delete_since(&mut tx, &change).await?;
            set_email(&mut tx, user_id, &change.old_email, now).await?;
            let uuid = users::uuid(&mut tx, user_id).await?;
            tx.commit().await?;
            Ok((user_id, uuid))
        };
        let (user_id, uuid) = self.db.write(cancel_email_change).await?;
        rights::publish(&self.bus, user_id);
        Ok(uuid)
    }
}

/// Sets the address, ends all sessions, and revokes the tokens that were mailed to the address before.
async fn set_email(tx: &mut Tx, user_id: i64, email: &str, now: Timestamp) -> Result<Addressee, PersonError> {
    let after = match users::set_email(tx, user_id, email, now).await {
        Err(error) if error.is_unique_violation() => return Err(PersonError::EmailTaken),
        result => result?,
    };
    sessions::close_all(tx, user_id, None).await?;
    user_tokens::revoke(tx, user_id, now).await?;
    Ok(after)
}
