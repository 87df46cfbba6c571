//! Which datapoints show values that a device had: reported values, and commands once acknowledged.

use devicecloud::{Ack, Datapoint, Property};
use jiff::Timestamp;

use super::timestamp;

/// Since when the device had the datapoint's value; `None` if it never had it. `has_commands`: as [`has_commands`] says of its property.
pub(crate) fn effective_at(datapoint: &Datapoint, has_commands: bool) -> Option<Timestamp> {
    let at = match datapoint.ack() {
        Ack::Accepted => datapoint.acked_at,
        Ack::Pending if datapoint.echo || !has_commands => datapoint.created_at,
        // A command that the device refused or has not answered.
        _ => None,
    };
    at.map(timestamp)
}

/// Whether all datapoints that the device has not reported are commands, which it must acknowledge.
pub(crate) fn has_commands(property: &Property) -> bool {
    property.ack_enabled && marks_reports(property)
}

/// Whether the cloud marks device reports. Not all clouds do.
pub(crate) fn marks_reports(property: &Property) -> bool {
    property.reported_at.is_some() || property.command.is_some()
}
