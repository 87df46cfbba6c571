//! Signs a user in at the cloud and creates the session.

use std::sync::Arc;

use devicecloud::{Authorization, Client, ErrorKind, MemoryTokenStore, SecretText, TokenStore};
use diffuser::Role;
use jiff::Timestamp;

use super::access::{access, user};
use super::{AccessToken, ClientOrigin, Session, SessionId, Sessions, User, store, tokens};
use crate::http::error::{ApiError, ApiResult, CloudFailure};
use crate::sessions::account_state;
use crate::sessions::cloud_fault::{CloudFault, LOCKED};

/// A user whose password the cloud has accepted, with the tokens that it issued.
pub(crate) struct AuthenticatedUser {
    pub(crate) user: User,
    pub(super) role: Option<Role>,
    pub(super) csp: Option<String>,
    /// When role and CSP were read.
    pub(super) read_at: Timestamp,
    pub(super) tokens: Authorization,
}

impl Sessions {
    /// Signs in at the cloud. The console does not grant access before [`begin`](Self::begin).
    ///
    /// # Errors
    /// `SignInFailed` or `AccountLocked` when the cloud refuses for any reason; `AccountDisabled` when the console does; 503 when the
    /// cloud is unreachable or rejects the console itself.
    pub(crate) async fn authenticate(&self, email: &str, password: &SecretText) -> ApiResult<AuthenticatedUser> {
        self.delete_expired_pending(self.parts.base.clock.now()).await?;
        let memory = MemoryTokenStore::new();
        let cloud = self.parts.cloud.with_store(Arc::new(memory.clone()));
        cloud.sign_in(email, password).await.map_err(refusal)?;
        // Checked after the cloud, so that the time of the response does not reveal the service account.
        if email.eq_ignore_ascii_case(&self.parts.service_email) {
            self.end_cloud_session(memory.load().await).await;
            return Err(ApiError::SignInFailed);
        }
        let authenticated = self.read_user(&cloud, &memory).await?;
        if account_state::is_disabled(&self.parts.base.db, authenticated.user.id).await? {
            self.end_cloud_session(Ok(Some(authenticated.tokens))).await;
            return Err(ApiError::AccountDisabled);
        }
        Ok(authenticated)
    }

    /// Reads the user of the tokens in `memory`, which `cloud` uses.
    pub(super) async fn read_user(&self, cloud: &Client, memory: &MemoryTokenStore) -> ApiResult<AuthenticatedUser> {
        let read_at = self.parts.base.clock.now();
        let profile = cloud.users().profile().await?;
        let tokens = memory.load().await?.ok_or(ApiError::NotSignedIn)?;
        let (role, csp) = access(&profile);
        Ok(AuthenticatedUser { user: user(&profile)?, role, csp, read_at, tokens })
    }

    /// Creates a session with a new id.
    ///
    /// # Errors
    /// `AccountDisabled` if the account was disabled meanwhile; database errors.
    pub(crate) async fn begin(
        &self,
        authenticated: AuthenticatedUser,
        origin: ClientOrigin,
    ) -> ApiResult<(SessionId, Session)> {
        let (id, session) = self.create(authenticated, origin, None).await?;
        self.end_surplus(&session).await?;
        Ok((id, session))
    }

    /// As [`begin`](Self::begin), for a browser or, with `token`, for a program.
    pub(super) async fn create(
        &self,
        authenticated: AuthenticatedUser,
        origin: ClientOrigin,
        token: Option<AccessToken>,
    ) -> ApiResult<(SessionId, Session)> {
        let AuthenticatedUser { user, role, csp, read_at, tokens } = authenticated;
        let (id, now) = (SessionId::new(self.parts.base.random.bytes()), self.parts.base.clock.now());
        let session = Session {
            hash: id.hash(),
            user,
            role,
            csp,
            access_read_at: read_at,
            created_at: now,
            seen_at: now,
            origin,
            token,
            lacks_factor: false,
        };
        let sealed = tokens::seal(&self.parts.cipher, &session.hash, &tokens);
        if !store::insert(&self.parts.base.db, &session, sealed).await? {
            self.end_cloud_session(Ok(Some(tokens))).await;
            return Err(ApiError::AccountDisabled);
        }
        // Whether a second factor is missing is computed with each read.
        let session = store::find(&self.parts.base.db, &session.hash).await?.ok_or(ApiError::NotSignedIn)?;
        Ok((id, session))
    }

    /// Checks a password by a sign-in at the cloud, which counts wrong ones. The session there ends at once.
    ///
    /// # Errors
    /// As [`authenticate`](Self::authenticate).
    pub(crate) async fn check_password(&self, email: &str, password: &SecretText) -> ApiResult<()> {
        let authenticated = self.authenticate(email, password).await?;
        self.end_cloud_session(Ok(Some(authenticated.tokens))).await;
        Ok(())
    }
}

/// Every refusal of a person gets the same error, so that it reveals nothing about the account. An unreachable cloud, or one
/// that rejects the console itself, gets another error because it is not about the person.
fn refusal(error: devicecloud::Error) -> ApiError {
    match (error.kind(), error.status()) {
        (_, Some(429)) => error.into(),
        // 404 is for the application, 405 comes from another kind of server.
        (ErrorKind::Auth, Some(404 | 405)) => ApiError::unavailable(CloudFault::of(error)),
        (ErrorKind::Auth, _) if error.message() == LOCKED => ApiError::AccountLocked,
        (ErrorKind::Auth, _) => ApiError::SignInFailed,
        _ => {
            tracing::error!(error = %CloudFault::of(error), "nobody can sign in");
            CloudFailure::NoSignIn.into()
        }
    }
}
