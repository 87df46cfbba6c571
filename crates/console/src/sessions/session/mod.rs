//! Sessions: one row each, with encrypted tokens. A browser holds a random session id in a cookie, a program in its access token.

mod access;
#[cfg(test)]
mod access_tests;
mod access_token;
mod client_origin;
mod clients;
mod cookie;
mod origin;
mod pending_sign_in;
mod pending_store;
mod program_sessions;
#[cfg(test)]
mod refresh_tests;
mod session_use;
mod sessions;
mod sign_in;
mod store;
mod token_store;
mod tokens;
mod user_sessions;
mod version;

use std::fmt;

use diffuser::Role;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::policy::Actor;
use crate::policy::session_hash::SessionHash;

pub(crate) use access::{access, access_by_role_users};
pub(crate) use access_token::{AccessToken, MAX_DAYS, has_bearer, read_bearer};
pub(crate) use client_origin::ClientOrigin;
pub(crate) use cookie::SessionCookie;
pub(crate) use origin::{OwnOrigin, refuse_foreign_origin};
pub(crate) use pending_sign_in::PendingSignIn;
pub(crate) use session_use::SessionUse;
pub(crate) use sessions::{Sessions, SessionsParts};
pub(crate) use sign_in::AuthenticatedUser;
pub(crate) use store::{announce_ended, delete_expired as delete_expired_sessions};
pub(crate) use tokens::{PENDING_TOKENS, TOKENS};

/// How long a session lasts.
#[derive(Clone, Copy, Debug)]
pub struct SessionLimits {
    /// A session that is unused for this long ends.
    pub idle: SignedDuration,
    /// A session ends this long after sign-in, even if it is in use.
    pub absolute: SignedDuration,
    /// Maximum number of sessions of a user in browsers. A sign-in ends those that were unused for the longest time.
    pub per_user: usize,
}

impl Default for SessionLimits {
    fn default() -> Self {
        Self { idle: SignedDuration::from_hours(12), absolute: SignedDuration::from_hours(7 * 24), per_user: 50 }
    }
}

/// The secret in a cookie or an access token: 256 random bits.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SessionId([u8; 32]);

/// A session that has not ended.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) hash: SessionHash,
    pub(crate) user: User,
    pub(crate) role: Option<Role>,
    pub(crate) csp: Option<String>,
    /// When the role and CSP were last read from the cloud.
    pub(crate) access_read_at: Timestamp,
    pub(crate) created_at: Timestamp,
    pub(crate) seen_at: Timestamp,
    /// Address and browser of the last use.
    pub(crate) origin: ClientOrigin,
    /// `None` for the session of a browser.
    pub(crate) token: Option<AccessToken>,
    /// Whether the role needs a second factor that the user has not set up: the session grants nothing else.
    pub(crate) lacks_factor: bool,
}

/// The user, as last read from the cloud.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct User {
    pub(crate) id: Uuid,
    pub(crate) email: String,
    pub(crate) firstname: String,
    pub(crate) lastname: String,
}

impl SessionId {
    pub(crate) fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Parses the cookie's value; `None` if the console cannot have issued it.
    pub(crate) fn from_hex(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes).ok()?;
        Some(Self(bytes))
    }

    pub(crate) fn to_hex(&self) -> String {
        hex::encode(self.0)
    }

    pub(crate) fn hash(&self) -> SessionHash {
        SessionHash::of(&self.0)
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionId")
    }
}

impl fmt::Debug for User {
    // Names and e-mail addresses must not appear in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("User").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Session {
    /// The actor that the policy checks.
    pub(crate) fn actor(&self) -> Actor {
        Actor { session: self.hash.clone(), user: self.user.id, role: self.role, csp: self.csp.clone() }
    }
}
