//! Metrics of the passes and of the live stream (ops/README.md).

use std::time::Duration;

use ::metrics::Counter;

use crate::index::PassReport;

/// Makes the counter of an alarm exist: Prometheus does not notice the increase with which a counter appears.
pub(crate) fn register() {
    ["complete", "failed"].map(passes).into_iter().for_each(|counter| counter.increment(0));
}

fn passes(outcome: &'static str) -> Counter {
    ::metrics::counter!("sillage_passes_total", "outcome" => outcome)
}

/// Records a complete pass.
pub(super) fn pass(report: PassReport, calls: u64, took: Duration) {
    ::metrics::gauge!("sillage_pass_duration_seconds").set(took.as_secs_f64());
    ::metrics::gauge!("sillage_pass_calls").set(gauge(calls));
    ::metrics::gauge!("sillage_pass_devices").set(gauge(report.devices));
    passes("complete").increment(1);
    ::metrics::counter!("sillage_pass_changed_total").increment(report.changed);
    ::metrics::counter!("sillage_pass_removed_total").increment(report.removed);
    ::metrics::counter!("sillage_pass_unsettled_total").increment(report.unsettled);
}

/// Records a failed pass.
pub(super) fn failure() {
    passes("failed").increment(1);
}

#[expect(clippy::cast_precision_loss, reason = "no fleet has more devices than a double counts")]
fn gauge(count: u64) -> f64 {
    count as f64
}

/// Records events that were taken from the stream's queue.
pub(super) fn stream_events(count: usize) {
    ::metrics::counter!("sillage_stream_events_total").increment(count as u64);
}

/// Records rows that events changed.
pub(super) fn stream_rows(count: usize) {
    ::metrics::counter!("sillage_stream_rows_total").increment(count as u64);
}

/// Records that events may be missing from the index until the next pass.
pub(super) fn stream_gap() {
    ::metrics::counter!("sillage_stream_gaps_total").increment(1);
}
