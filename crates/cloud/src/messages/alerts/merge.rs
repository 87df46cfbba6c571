//! Merges messages of one source to one recipient.

use super::Alert;

/// The first message of each source to each recipient, in the order of sources and recipients. Several apps with the same
/// address report the same events, so their counts are not added.
pub(super) fn by_recipient(mut alerts: Vec<Alert>) -> Vec<Alert> {
    alerts.sort_by(|one, other| one.key().cmp(&other.key()));
    alerts.dedup_by(|one, other| one.key() == other.key());
    alerts
}
