//! Changes of the own address.

use super::{People, PersonError, account_mail};
use crate::domain::principal::Principal;
use crate::records::message::MessageKind;
use crate::store::{sessions, user_tokens, users};
use crate::stream::rights;

impl People {
    /// Changes the caller's address, which stays confirmed, and ends all sessions. Both addresses are notified.
    ///
    /// # Errors
    /// [`PersonError`].
    pub(crate) async fn change_email(&self, caller: &Principal, email: &str) -> Result<(), PersonError> {
        if users::id_by_email(&self.db, caller.oem_id, email).await?.is_some() {
            return Err(PersonError::EmailTaken);
        }
        let before = users::credentials_of(&self.db, caller.user_id).await?.ok_or(PersonError::AccountDeleted)?.who;
        let (mut tx, now) = (self.db.begin().await?, self.clock.now());
        let after = match users::set_email(&mut tx, before.id, email, now).await {
            Err(error) if error.is_unique_violation() => return Err(PersonError::EmailTaken),
            result => result?,
        };
        sessions::close_all(&mut tx, before.id, None).await?;
        // Earlier tokens were mailed to the old address.
        user_tokens::revoke(&mut tx, before.id).await?;
        for address in [&before, &after] {
            self.mail.enqueue(&mut tx, &account_mail(MessageKind::EmailChanged, address, None, None), now).await?;
        }
        tx.commit().await?;
        rights::publish(&self.bus, before.id);
        Ok(())
    }
}
