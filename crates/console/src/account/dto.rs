//! Requests and responses of the account operations.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::policy::session_hash::SessionHash;
use crate::preferences::TimeFormat;
use crate::sessions::session::Session;

/// Display preferences.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Preferences {
    /// Null until the user chooses: as the browser's language has it.
    #[schema(required)]
    pub(super) time_format: Option<TimeFormat>,
}

/// The display preferences to store.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PreferencesForm {
    pub(super) time_format: TimeFormat,
}

/// One of the caller's sessions.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AccountSession {
    /// Identifies the session in this API; it does not reveal the cookie.
    id: String,
    /// Whether this is the session of the request.
    current: bool,
    /// Time of the sign-in.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// Time of the last use, to the minute.
    #[schema(value_type = String, format = DateTime)]
    last_used_at: Timestamp,
    /// IP address of the last use; null if unknown.
    #[schema(required)]
    address: Option<String>,
    /// Browser and system, such as `Chrome on Windows`; null if not recognised.
    #[schema(required)]
    browser: Option<String>,
}

impl AccountSession {
    pub(super) fn of(session: Session, current: &SessionHash) -> Self {
        Self {
            id: session.hash.public_id(),
            current: session.hash == *current,
            created_at: session.created_at,
            last_used_at: session.seen_at,
            address: session.origin.address,
            browser: session.origin.browser,
        }
    }
}
