//! Tells the streams of a user that the user's rights have changed, or that a session has ended with its subscriptions.

use bytes::Bytes;
use platform::bus::Bus;

/// Followed by the user's id.
pub(super) const SUBJECT: &str = "rights.";

/// To be told after the change is committed.
pub(crate) fn publish(bus: &Bus, user_id: i64) {
    bus.publish(format!("{SUBJECT}{user_id}"), Bytes::new());
}

/// Whose rights a subject is about.
pub(super) fn user_of(subject: &str) -> Option<i64> {
    subject.strip_prefix(SUBJECT)?.parse().ok()
}
