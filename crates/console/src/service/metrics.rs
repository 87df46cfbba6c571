//! What the operator wants to know about the passes, for whatever recorder the process has (docs/operations.md).

use std::time::Duration;

use jiff::Timestamp;

use crate::index::PassReport;

/// Seconds since the moment from which on nothing is missing in the index.
pub(super) fn age(as_of: Timestamp, now: Timestamp) {
    ::metrics::gauge!("sillage_index_age_seconds").set(now.duration_since(as_of).as_secs_f64().max(0.0));
}

/// A pass that was completed.
pub(super) fn pass(report: PassReport, calls: u64, took: Duration) {
    ::metrics::gauge!("sillage_pass_duration_seconds").set(took.as_secs_f64());
    ::metrics::gauge!("sillage_pass_calls").set(gauge(calls));
    ::metrics::gauge!("sillage_pass_devices").set(gauge(report.devices));
    ::metrics::counter!("sillage_passes_total", "outcome" => "complete").increment(1);
    ::metrics::counter!("sillage_pass_changed_total").increment(report.changed);
    ::metrics::counter!("sillage_pass_removed_total").increment(report.removed);
    ::metrics::counter!("sillage_pass_unsettled_total").increment(report.unsettled);
}

/// A pass that was given up.
pub(super) fn failure() {
    ::metrics::counter!("sillage_passes_total", "outcome" => "failed").increment(1);
}

#[expect(clippy::cast_precision_loss, reason = "no fleet has more devices than a double counts")]
fn gauge(count: u64) -> f64 {
    count as f64
}
