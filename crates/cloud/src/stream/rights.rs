//! Notifications that a user's rights have changed, or that a session has ended together with its subscriptions.

use bytes::Bytes;
use platform::bus::Bus;

/// Subject prefix, followed by the user's id.
pub(super) const SUBJECT: &str = "rights.";

/// Call it after the commit of the change.
pub(crate) fn publish(bus: &Bus, user_id: i64) {
    bus.publish(format!("{SUBJECT}{user_id}"), Bytes::new());
}

/// The user of a subject.
pub(super) fn user_of(subject: &str) -> Option<i64> {
    subject.strip_prefix(SUBJECT)?.parse().ok()
}
