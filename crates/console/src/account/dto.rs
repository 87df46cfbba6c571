//! What the account calls take and give.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::preferences::TimeFormat;
use crate::session::Session;
use crate::session_hash::SessionHash;

/// How somebody wants to see things.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Preferences {
    pub(super) time_format: TimeFormat,
}

/// One of the own sessions.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AccountSession {
    /// Names it here; says nothing about its cookie.
    id: String,
    /// Whether it is the one that asks.
    current: bool,
    /// When it was signed in.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When it was last used, to the minute.
    #[schema(value_type = String, format = DateTime)]
    last_used_at: Timestamp,
    /// The IP address it was last used from; null when nobody knows.
    #[schema(required)]
    address: Option<String>,
    /// The browser in a few words; null when it is none that we know.
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
