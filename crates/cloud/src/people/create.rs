//! Creates an account for another user. User, role and mail are written in one transaction.

use platform::db::Tx;
use secrecy::SecretString;

use super::{People, PersonError};
use crate::messages::mail::AccountMail;
use crate::records::message::MessageKind;
use crate::records::user::NewUser;
use crate::store::profiles::{self, Field};
use crate::store::role_users;
use crate::store::user_tokens::{self, Purpose};
use crate::store::users::{self, UserRecord};

/// A validated account to create.
pub(crate) struct NewPerson {
    pub(crate) oem_id: i64,
    pub(crate) email: String,
    pub(crate) password: SecretString,
    pub(crate) profile: Vec<Field>,
    /// The role's id and label.
    pub(crate) role: Option<(i64, Option<String>)>,
    /// Who creates the account, by name and partner, as an invitation says it.
    pub(crate) inviter: Option<String>,
    /// The mail template that the caller named.
    pub(crate) email_template_id: Option<String>,
}

impl People {
    /// Creates an unconfirmed account. Returns its id. A user with a role receives an invitation.
    ///
    /// # Errors
    /// [`PersonError`].
    pub(crate) async fn create(&self, new: NewPerson) -> Result<i64, PersonError> {
        let password_hash = self.passwords.hash(new.password.clone()).await?;
        let create = async |mut tx: Tx| -> Result<i64, PersonError> {
            let id = self.insert(&mut tx, &new, &password_hash).await?;
            if let Some((role_id, label)) = &new.role {
                role_users::assign(&mut tx, id, *role_id, label.as_deref()).await?;
            }
            self.write(&mut tx, &new, id).await?;
            tx.commit().await?;
            Ok(id)
        };
        self.db.write(create).await
    }

    async fn insert(&self, tx: &mut Tx, new: &NewPerson, password_hash: &str) -> Result<i64, PersonError> {
        let now = self.clock.now();
        let record = UserRecord {
            uuid: self.random.uuid(),
            oem_id: new.oem_id,
            password_hash,
            user: &NewUser { email: new.email.clone(), ..NewUser::default() },
            application_id: None,
            now,
        };
        let id = users::insert(tx, &record).await;
        let id =
            id.map_err(|error| if error.is_unique_violation() { PersonError::EmailTaken } else { error.into() })?;
        profiles::change(tx, id, &new.profile, now).await?;
        Ok(id)
    }

    async fn write(&self, tx: &mut Tx, new: &NewPerson, id: i64) -> Result<(), PersonError> {
        let now = self.clock.now();
        let token = user_tokens::issue(tx, &self.random, id, Purpose::Confirmation, now).await?;
        let mail = AccountMail {
            kind: if new.role.is_some() { MessageKind::Invitation } else { MessageKind::Confirmation },
            oem_id: new.oem_id,
            user_id: Some(id),
            recipient: &new.email,
            token: Some(&token),
            time: None,
            inviter: new.inviter.as_deref(),
            email_template_id: new.email_template_id.as_deref(),
        };
        Ok(self.mail.enqueue(tx, &mail, now).await?)
    }
}
