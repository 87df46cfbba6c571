//! Sessions of programs, which have access tokens.

use std::collections::BTreeSet;

use devicecloud::SecretText;
use jiff::SignedDuration;

use super::{AccessToken, ClientOrigin, Session, SessionId, SessionUse, Sessions};
use crate::http::error::ApiResult;
use crate::policy::TokenRight;

impl Sessions {
    /// Signs in at the cloud for a program of the user, and returns the id that makes up its token.
    ///
    /// # Errors
    /// As [`authenticate`](Self::authenticate); database errors.
    pub(crate) async fn create_access_token(
        &self,
        email: &str,
        password: &SecretText,
        name: String,
        rights: BTreeSet<TokenRight>,
        days: u16,
    ) -> ApiResult<(SessionId, Session)> {
        let expires_at = self.parts.base.clock.now() + SignedDuration::from_hours(24 * i64::from(days));
        let token = AccessToken { name, rights, expires_at };
        // Without an address until it is used.
        let authenticated = self.authenticate(email, password).await?;
        self.create(authenticated, ClientOrigin::default(), Some(token)).await
    }

    /// The session of the program with this id unless it has ended. Records the use.
    pub(crate) async fn find_program(&self, id: &SessionId, session_use: &SessionUse) -> ApiResult<Option<Session>> {
        let Some(session) = self.find_by_hash(&id.hash()).await? else { return Ok(None) };
        if session.token.is_some() { self.record_use(session, session_use).await.map(Some) } else { Ok(None) }
    }
}
