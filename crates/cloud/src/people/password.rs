//! Passwords: verification, changes and resets.

use jiff::{SignedDuration, Timestamp};
use platform::db::{self, Tx};
use secrecy::SecretString;

use super::{People, PersonError, account_mail};
use crate::messages::mail::AccountMail;
use crate::records::message::MessageKind;
use crate::store::user_tokens::{self, Purpose};
use crate::store::users::{self, Addressee, Credentials, FailureLimit};
use crate::store::{email_changes, sessions};
use crate::stream::rights;

/// The number of wrong passwords in a row that locks an account (docs/wire.md#users).
const MAX_FAILURES: i64 = 5;
/// How long an account is locked (docs/wire.md#users).
pub(crate) const LOCK: SignedDuration = SignedDuration::from_mins(30);
/// How long a wrong password counts.
pub(crate) const FAILURE_RETENTION: SignedDuration = SignedDuration::from_hours(24);

/// Why a password is rejected.
pub(super) enum PasswordRejection {
    Wrong,
    /// The account is locked after too many wrong passwords.
    Locked,
}

/// How a wrong password is counted at this time.
pub(super) fn failure_limit(now: Timestamp) -> FailureLimit {
    FailureLimit { max: MAX_FAILURES, locked_until: now + LOCK, counted_since: now - FAILURE_RETENTION, now }
}

impl From<PasswordRejection> for PersonError {
    fn from(rejection: PasswordRejection) -> Self {
        match rejection {
            PasswordRejection::Wrong => Self::WrongPassword,
            PasswordRejection::Locked => Self::Locked,
        }
    }
}

impl People {
    /// Verifies a password and counts failures. Takes the same time if there is no such user.
    pub(super) async fn check_password(
        &self,
        user: Option<Credentials>,
        given: SecretString,
    ) -> db::Result<Result<Credentials, PasswordRejection>> {
        let stored = user.as_ref().map(|user| user.password_hash.clone());
        let verified = self.passwords.verify(given, stored).await;
        let (Some(user), now) = (user, self.clock.now()) else { return Ok(Err(PasswordRejection::Wrong)) };
        let is_counted = user.counts_failures();
        if user.is_locked(now) && (verified || is_counted) {
            return Ok(Err(PasswordRejection::Locked));
        }
        if !verified {
            if is_counted {
                users::count_failure(&self.db, user.who.id, failure_limit(now)).await?;
            }
            return Ok(Err(PasswordRejection::Wrong));
        }
        let may_sign_in = users::reset_failures(&self.db, user.who.id, now).await?;
        Ok(if may_sign_in { Ok(user) } else { Err(PasswordRejection::Locked) })
    }

    /// Mails the owners of locked accounts, once for each lock. Returns the number of locks that it found. Called by a job, so that
    /// neither the answer to a wrong password nor its duration depends on whether there is an account.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn tell_locks(&self) -> db::Result<usize> {
        let now = self.clock.now();
        let locks = users::untold_locks(&self.db, now, now + LOCK).await?;
        for lock in &locks {
            let mail_lock = async |mut tx: Tx| -> db::Result<()> {
                if users::tell_lock(&mut tx, lock, now).await? {
                    let mail = account_mail(MessageKind::SignInLocked, &lock.user, None, None);
                    let mail = AccountMail { time: Some(lock.ends_at() - LOCK), ..mail };
                    self.mail.enqueue(&mut tx, &mail, now).await?;
                }
                tx.commit().await
            };
            self.db.write(mail_lock).await?;
        }
        Ok(locks.len())
    }

    /// Verifies the current password of the caller's own account.
    pub(super) async fn check_own_password(
        &self,
        user_id: i64,
        current: SecretString,
    ) -> Result<Credentials, PersonError> {
        let user = users::credentials_of(&self.db, user_id).await?.ok_or(PersonError::AccountDeleted)?;
        Ok(self.check_password(Some(user), current).await??)
    }

    /// Mails a reset token to the user with this address, if there is one. Returns before the mail is written, after one read and one
    /// dummy verification, so that the duration does not reveal whether the user exists.
    ///
    /// # Errors
    /// [`PersonError`].
    pub(crate) async fn request_password_reset(
        &self,
        oem_id: i64,
        email: &str,
        email_template_id: Option<&str>,
    ) -> Result<(), PersonError> {
        let dummy = self.passwords.verify(SecretString::default(), None);
        let user = tokio::join!(dummy, users::credentials(&self.db, oem_id, email)).1?;
        if let Some(user) = user.filter(|user| !user.is_machine()) {
            let (people, email_template_id) = (self.clone(), email_template_id.map(str::to_owned));
            self.tasks.spawn(async move {
                if let Err(error) = people.mail_reset_token(&user.who, email_template_id.as_deref()).await {
                    tracing::error!(%error, user.id = user.who.id, "a mail for a password reset could not be written");
                }
            });
        }
        Ok(())
    }

    async fn mail_reset_token(&self, user: &Addressee, email_template_id: Option<&str>) -> Result<(), PersonError> {
        let now = self.clock.now();
        let mail_reset_token = async |mut tx: Tx| -> Result<(), PersonError> {
            let token = user_tokens::issue(&mut tx, &self.random, user.id, Purpose::PasswordReset, now).await?;
            let mail = account_mail(MessageKind::PasswordReset, user, Some(&token), email_template_id);
            self.mail.enqueue(&mut tx, &mail, now).await?;
            Ok(tx.commit().await?)
        };
        self.db.write(mail_reset_token).await
    }

    /// Sets the password of the user to whom the token was mailed, for a reset or with an invitation. Ends all sessions and a lock, and confirms the address.
    /// Returns the user's UUID.
    ///
    /// # Errors
    /// [`PersonError`].
    pub(crate) async fn reset_password(&self, token: &str, password: SecretString) -> Result<String, PersonError> {
        let now = self.clock.now();
        // A hash is expensive: nobody may cause one without a token.
        if !user_tokens::may_set_password(&self.db, token, now).await? {
            return Err(PersonError::InvalidResetToken);
        }
        let hash = self.passwords.hash(password).await?;
        let reset_password = async |mut tx: Tx| -> Result<_, PersonError> {
            let user_id = user_tokens::redeem_for_password(&mut tx, token, now).await?;
            let user_id = user_id.ok_or(PersonError::InvalidResetToken)?;
            users::confirm(&mut tx, user_id, now).await?;
            let user = users::set_password(&mut tx, user_id, &hash, now).await?;
            sessions::close_all(&mut tx, user_id, None).await?;
            user_tokens::end_first_password(&mut tx, user_id, now).await?;
            email_changes::revoke_confirmations(&mut tx, user_id).await?;
            self.mail.enqueue(&mut tx, &account_mail(MessageKind::PasswordChanged, &user, None, None), now).await?;
            let uuid = users::uuid(&mut tx, user_id).await?;
            tx.commit().await?;
            Ok((user_id, uuid))
        };
        let (user_id, uuid) = self.db.write(reset_password).await?;
        rights::publish(&self.bus, user_id);
        Ok(uuid)
    }

    /// Changes the caller's password. Ends all sessions except that of `access_token`, and revokes mailed tokens.
    ///
    /// # Errors
    /// [`PersonError`].
    pub(crate) async fn change_password(
        &self,
        user_id: i64,
        access_token: &str,
        current: SecretString,
        new: SecretString,
    ) -> Result<(), PersonError> {
        let user = self.check_own_password(user_id, current).await?;
        let hash = self.passwords.hash(new).await?;
        let now = self.clock.now();
        let change_password = async |mut tx: Tx| -> Result<_, PersonError> {
            let user = users::set_password(&mut tx, user.who.id, &hash, now).await?;
            sessions::close_all(&mut tx, user.id, Some(access_token)).await?;
            user_tokens::revoke(&mut tx, user.id, now).await?;
            email_changes::revoke_confirmations(&mut tx, user.id).await?;
            self.mail.enqueue(&mut tx, &account_mail(MessageKind::PasswordChanged, &user, None, None), now).await?;
            tx.commit().await?;
            Ok(user)
        };
        let user = self.db.write(change_password).await?;
        rights::publish(&self.bus, user.id);
        Ok(())
    }
}
