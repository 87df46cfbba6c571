//! Derives the values that a device had from its datapoints: reported values, and commands once acknowledged.

use devicecloud::{Ack, Client, Datapoint, Dsn, Property, PropertyValue, Result};
use futures::TryStreamExt;
use jiff::Timestamp;

use super::Step;
use crate::records::timestamp;

/// The history of a property.
pub(super) struct PropertyHistory<T> {
    /// The values that the device had, oldest first.
    pub(super) steps: Vec<Step<T>>,
    /// The commands that it did not carry out, newest first.
    pub(super) failed: Vec<FailedCommand<T>>,
}

/// A command that a device did not carry out, at least not yet.
pub(super) struct FailedCommand<T> {
    pub(super) sent_at: Timestamp,
    pub(super) value: T,
    /// Otherwise the device has not answered.
    pub(super) is_refused: bool,
}

impl<T> Default for PropertyHistory<T> {
    fn default() -> Self {
        Self { steps: Vec::new(), failed: Vec::new() }
    }
}

/// Reads a property's values since `from` and the value at that time, from at most `limit` datapoints in pages of 100.
///
/// # Errors
/// Cloud errors.
pub(super) async fn read<T>(
    cloud: &Client,
    dsn: &Dsn,
    property: &Property,
    from: Timestamp,
    limit: usize,
    convert: fn(&PropertyValue) -> Option<T>,
) -> Result<PropertyHistory<T>> {
    let mut newest_first = std::pin::pin!(cloud.datapoints().list(dsn, &property.name).history());
    let mut history = PropertyHistory::default();
    for _ in 0..limit {
        let Some(datapoint) = newest_first.try_next().await? else { break };
        let Some(value) = datapoint.value.as_ref().and_then(convert) else { continue };
        if let Some(at) = effective_at(&datapoint, property) {
            history.steps.push(Step { at, value });
            if at <= from {
                break;
            }
        } else if let Some(sent_at) = datapoint.created_at.map(timestamp).filter(|at| *at >= from) {
            let is_refused = matches!(datapoint.ack(), Ack::Refused(_));
            history.failed.push(FailedCommand { sent_at, value, is_refused });
        }
    }
    if history.steps.is_empty() {
        history.steps.extend(current_value(property, convert));
    }
    history.steps.reverse();
    Ok(history)
}

/// Since when the device had the datapoint's value; `None` if it never had it.
fn effective_at(datapoint: &Datapoint, property: &Property) -> Option<Timestamp> {
    let at = match datapoint.ack() {
        Ack::Accepted => datapoint.acked_at,
        Ack::Pending if datapoint.echo || !property.ack_enabled || !distinguishes_commands(property) => {
            datapoint.created_at
        }
        // A command that the device refused or has not answered.
        _ => None,
    };
    at.map(timestamp)
}

/// Whether the cloud marks device reports, so that all other datapoints are commands. Not all clouds do.
fn distinguishes_commands(property: &Property) -> bool {
    property.reported_at.is_some() || property.command.is_some()
}

/// The current value, if no datapoint shows it: the initial value, or one whose datapoint was deleted.
fn current_value<T>(property: &Property, convert: fn(&PropertyValue) -> Option<T>) -> Option<Step<T>> {
    let (value, at) = if distinguishes_commands(property) {
        (&property.reported_value, property.reported_at)
    } else {
        (&property.value, property.data_updated_at)
    };
    Some(Step { at: timestamp(at?), value: convert(value.as_ref()?)? })
}
