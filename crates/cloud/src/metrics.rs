//! Metrics of what this node does (ops/README.md). `sampling` has those of what it holds.

use ::metrics::Counter;

use crate::domain::report_fault::FaultKind;
use crate::records::message::Channel;

/// Outcomes of attempts to deliver a message.
const OUTCOMES: [&str; 3] = ["sent", "refused", "given_up"];

/// Makes the metrics of alarms exist: Prometheus does not notice the increase with which a counter appears.
pub(crate) fn register() {
    ::metrics::gauge!("sillage_device_connections").increment(0.0);
    let deliveries = Channel::ALL.into_iter().flat_map(|channel| OUTCOMES.map(|outcome| deliveries(channel, outcome)));
    let counters = [refusals(), issued_commands(), expired_commands()];
    let faults = FaultKind::ALL.map(faults);
    counters.into_iter().chain(deliveries).chain(faults).for_each(|counter| counter.increment(0));
}

fn refusals() -> Counter {
    ::metrics::counter!("sillage_device_refusals_total")
}

fn issued_commands() -> Counter {
    ::metrics::counter!("sillage_commands_issued_total")
}

fn expired_commands() -> Counter {
    ::metrics::counter!("sillage_commands_expired_total")
}

fn deliveries(channel: Channel, outcome: &'static str) -> Counter {
    ::metrics::counter!("sillage_deliveries_total", "channel" => channel.as_str(), "outcome" => outcome)
}

fn faults(kind: FaultKind) -> Counter {
    ::metrics::counter!("sillage_report_faults_total", "kind" => kind.as_str())
}

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
    refusals().increment(1);
}

/// Records a part of a message of a device that cannot be read.
pub(crate) fn fault_counted(kind: FaultKind) {
    faults(kind).increment(1);
}

/// Records a stored report with its number of values.
pub(crate) fn report_stored(values: usize) {
    ::metrics::counter!("sillage_device_reports_total").increment(1);
    ::metrics::counter!("sillage_reported_values_total").increment(values as u64);
}

/// Records commands of users, rules and schedules.
pub(crate) fn commands_issued(count: usize) {
    issued_commands().increment(count as u64);
}

/// Records an acknowledgement of a device.
pub(crate) fn command_acknowledged(outcome: &'static str) {
    ::metrics::counter!("sillage_command_acks_total", "outcome" => outcome).increment(1);
}

/// Records commands that their devices did not acknowledge in time.
pub(crate) fn commands_expired(count: usize) {
    expired_commands().increment(count as u64);
}

/// Records an attempt to deliver a message, with one of the [`OUTCOMES`].
pub(crate) fn delivery(channel: Channel, outcome: &'static str) {
    deliveries(channel, outcome).increment(1);
}
