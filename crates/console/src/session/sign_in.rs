//! Signs a user in and creates the session.

use std::sync::Arc;

use devicecloud::{ErrorKind, MemoryTokenStore, SecretText, TokenStore};

use super::access::{access, user};
use super::{ClientOrigin, Session, SessionId, Sessions, store, tokens};
use crate::cloud_fault::CloudFault;
use crate::error::{ApiError, ApiResult, CloudFailure};

/// What the cloud says of an account after too many wrong passwords (docs/wire.md#users).
const LOCKED: &str = "Your account is locked.";

impl Sessions {
    /// Signs in at the cloud and creates a session with a new id.
    ///
    /// # Errors
    /// `SignInFailed` or `AccountLocked` when the cloud refuses for any reason; 503 when it is unreachable or rejects the console itself.
    pub(crate) async fn sign_in(
        &self,
        email: &str,
        password: &SecretText,
        origin: ClientOrigin,
    ) -> ApiResult<(SessionId, Session)> {
        self.delete_expired().await?;
        let now = self.parts.base.clock.now();
        let memory = MemoryTokenStore::new();
        let cloud = self.parts.cloud.with_store(Arc::new(memory.clone()));
        cloud.sign_in(email, password).await.map_err(refusal)?;
        // Checked after the cloud, so that the time of the response does not reveal the service account.
        if email.eq_ignore_ascii_case(&self.parts.service_email) {
            self.end_cloud_session(memory.load().await).await;
            return Err(ApiError::SignInFailed);
        }
        let profile = cloud.users().profile().await?;
        let authorization = memory.load().await?.ok_or(ApiError::NotSignedIn)?;

        let id = SessionId::new(self.parts.base.random.bytes());
        let (role, csp) = access(&profile);
        let session = Session {
            hash: id.hash(),
            user: user(&profile)?,
            role,
            csp,
            access_read_at: now,
            created_at: now,
            seen_at: now,
            origin,
        };
        let sealed = tokens::seal(&self.parts.cipher, &session.hash, &authorization);
        store::insert(&self.parts.base.db, &session, sealed).await?;
        self.end_surplus(&session).await?;
        Ok((id, session))
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
