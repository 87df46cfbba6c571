//! Metrics of what this node does (ops/README.md). `sampling` has those of what it holds.

use crate::records::message::Channel;

/// Records that a device connected.
pub(crate) fn device_connected() {
    ::metrics::counter!("sillage_device_connects_total").increment(1);
    ::metrics::gauge!("sillage_device_connections").increment(1.0);
}

/// Records that a connection of a device ended.
pub(crate) fn device_disconnected() {
    ::metrics::gauge!("sillage_device_connections").decrement(1.0);
}

/// Records that a connection or a packet of a device was refused.
pub(crate) fn device_refused() {
    ::metrics::counter!("sillage_device_refusals_total").increment(1);
}

/// Records a stored report with its number of values.
pub(crate) fn report_stored(values: usize) {
    ::metrics::counter!("sillage_device_reports_total").increment(1);
    ::metrics::counter!("sillage_reported_values_total").increment(values as u64);
}

/// Records commands of users, rules and schedules.
pub(crate) fn commands_issued(count: usize) {
    ::metrics::counter!("sillage_commands_issued_total").increment(count as u64);
}

/// Records an acknowledgement of a device.
pub(crate) fn command_acknowledged(outcome: &'static str) {
    ::metrics::counter!("sillage_command_acks_total", "outcome" => outcome).increment(1);
}

/// Records commands that their devices did not acknowledge in time.
pub(crate) fn commands_expired(count: usize) {
    ::metrics::counter!("sillage_commands_expired_total").increment(count as u64);
}

/// Records the outcome of an attempt to deliver a message: `sent`, `refused` or `given_up`.
pub(crate) fn delivery(channel: Channel, outcome: &'static str) {
    ::metrics::counter!("sillage_deliveries_total", "channel" => channel.as_str(), "outcome" => outcome).increment(1);
}
