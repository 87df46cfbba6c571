//! Sign-in, token refresh and sign-out.

use platform::db;
use secrecy::SecretString;

use super::People;
use super::password::{PasswordRejection, failure_limit};
use crate::domain::principal::Principal;
use crate::store::applications::ApplicationRow;
use crate::store::sessions::{self, Tokens};
use crate::store::{roles, unknown_sign_ins, users};
use crate::stream::rights;

/// A session that was opened or refreshed.
pub(crate) struct UserSession {
    pub(crate) tokens: Tokens,
    pub(crate) principal: Principal,
}

/// Why no session was opened or refreshed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SignInError {
    /// There is no such user, or the password is wrong.
    #[error("the address or the password is wrong")]
    WrongPassword,
    /// The account is locked after too many wrong passwords.
    #[error("the account is locked")]
    Locked,
    /// The password is right, but the address is not confirmed.
    #[error("the account is not confirmed")]
    Unconfirmed,
    /// The token is unknown or expired, or belongs to a user of another application.
    #[error("the token is invalid")]
    InvalidToken,
    /// The account was deleted meanwhile.
    #[error("the account no longer exists")]
    AccountDeleted,
    /// A database error.
    #[error(transparent)]
    Database(#[from] db::Error),
}

impl People {
    /// Opens a session with a password.
    ///
    /// # Errors
    /// [`SignInError`].
    pub(crate) async fn sign_in(
        &self,
        application: &ApplicationRow,
        email: &str,
        password: SecretString,
    ) -> Result<UserSession, SignInError> {
        let oem_id = application.oem_id;
        let user = users::credentials(&self.db, oem_id, email).await?;
        // Read for users, too, so that all attempts cost the same.
        let is_locked = unknown_sign_ins::is_locked(&self.db, oem_id, email, self.clock.now()).await?;
        // A machine account of another application must not be revealed.
        let user = user.filter(|user| user.may_come_through(application.id));
        let is_counted_by_address = user.as_ref().is_none_or(|user| !user.counts_failures());
        let user = match self.check_password(user, password).await? {
            Ok(user) => user,
            Err(PasswordRejection::Locked) => return Err(SignInError::Locked),
            Err(PasswordRejection::Wrong) if is_counted_by_address => {
                return Err(self.count_unknown(oem_id, email, is_locked).await?);
            }
            Err(PasswordRejection::Wrong) => return Err(SignInError::WrongPassword),
        };
        // Checked last: only with the password may anyone learn that the account is unconfirmed.
        if user.confirmed_at.is_none() {
            return Err(SignInError::Unconfirmed);
        }
        self.open_session(user.who.id).await
    }

    /// Opens a session of this application for the user of an access token. The session of the access token stays open.
    ///
    /// # Errors
    /// [`SignInError`].
    pub(crate) async fn exchange_token(
        &self,
        application: &ApplicationRow,
        access_token: &str,
    ) -> Result<UserSession, SignInError> {
        let principal = sessions::authenticate(&self.db, access_token, self.clock.now()).await?;
        let principal = principal.filter(|principal| principal.oem_id == application.oem_id);
        let user_id = principal.ok_or(SignInError::InvalidToken)?.user_id;
        let user = users::credentials_of(&self.db, user_id).await?;
        user.filter(|user| user.may_come_through(application.id)).ok_or(SignInError::InvalidToken)?;
        self.open_session(user_id).await
    }

    /// Replaces both tokens of a session.
    ///
    /// # Errors
    /// [`SignInError`].
    pub(crate) async fn refresh_session(&self, refresh_token: &str) -> Result<UserSession, SignInError> {
        let (tokens, now) = (self.new_tokens(), self.clock.now());
        let (expires_at, unused_since) = (now + self.token_lifetime, now - self.session_lifetime);
        let user_id = sessions::rotate(&self.db, refresh_token, &tokens, now, expires_at, unused_since).await?;
        self.session(user_id.ok_or(SignInError::InvalidToken)?, tokens).await
    }

    /// Ends the session of an access token and its streams.
    ///
    /// # Errors
    /// [`SignInError`].
    pub(crate) async fn sign_out(&self, access_token: &str) -> Result<(), SignInError> {
        let user_id = sessions::close(&self.db, access_token).await?;
        rights::publish(&self.bus, user_id.ok_or(SignInError::InvalidToken)?);
        Ok(())
    }

    /// Answers a wrong password for an address without a user as for one with a user.
    async fn count_unknown(&self, oem_id: i64, email: &str, is_locked: bool) -> db::Result<SignInError> {
        if is_locked {
            return Ok(SignInError::Locked);
        }
        unknown_sign_ins::count_failure(&self.db, oem_id, email, failure_limit(self.clock.now())).await?;
        Ok(SignInError::WrongPassword)
    }

    async fn open_session(&self, user_id: i64) -> Result<UserSession, SignInError> {
        let (tokens, now) = (self.new_tokens(), self.clock.now());
        if sessions::open(&self.db, user_id, &tokens, now, now + self.token_lifetime).await? {
            rights::publish(&self.bus, user_id);
        }
        self.session(user_id, tokens).await
    }

    async fn session(&self, user_id: i64, tokens: Tokens) -> Result<UserSession, SignInError> {
        let principal = roles::principal(&self.db, user_id).await?.ok_or(SignInError::AccountDeleted)?;
        Ok(UserSession { tokens, principal })
    }

    fn new_tokens(&self) -> Tokens {
        Tokens { access: self.random.hex(16), refresh: self.random.hex(16) }
    }
}
