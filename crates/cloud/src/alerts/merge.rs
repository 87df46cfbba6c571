//! Merges messages of one source to one recipient.

use std::collections::HashSet;

use super::Alert;

/// The first message of each source to each recipient. Several apps with the same address report the same events, so
/// their counts are not added.
pub(super) fn by_recipient(alerts: Vec<Alert<'_>>) -> Vec<Alert<'_>> {
    let mut known = HashSet::with_capacity(alerts.len());
    let mut merged = alerts;
    merged.retain(|alert| known.insert((alert.source, alert.notice.to.clone())));
    merged
}
