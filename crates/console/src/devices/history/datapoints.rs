//! Derives the values that a device had from its datapoints: reported values, and commands once acknowledged.

use devicecloud::{Ack, Client, Datapoint, Dsn, Property, PropertyValue, Result};
use futures::TryStreamExt;
use jiff::Timestamp;

use super::Step;
use crate::records::timestamp;

/// Maximum number of datapoints read for one property: 20 pages of 100.
const MAX_DATAPOINTS: usize = 2_000;

/// Reads a property's values since `from` and the value at that time, oldest first.
///
/// # Errors
/// Cloud errors.
pub(super) async fn read(cloud: &Client, dsn: &Dsn, property: &Property, from: Timestamp) -> Result<Vec<Step<i64>>> {
    let mut newest_first = std::pin::pin!(cloud.datapoints().list(dsn, &property.name).history());
    let mut steps = Vec::new();
    for _ in 0..MAX_DATAPOINTS {
        let Some(datapoint) = newest_first.try_next().await? else { break };
        steps.extend(step(&datapoint, property));
        if steps.last().is_some_and(|step| step.at <= from) {
            break;
        }
    }
    if steps.is_empty() {
        steps.extend(current_value(property));
    }
    steps.reverse();
    Ok(steps)
}

/// When the device had the datapoint's value; `None` if it never had it.
fn step(datapoint: &Datapoint, property: &Property) -> Option<Step<i64>> {
    let value = datapoint.value.as_ref().and_then(PropertyValue::as_i64)?;
    let at = match datapoint.ack() {
        Ack::Accepted => datapoint.acked_at,
        Ack::Pending if datapoint.echo || !property.ack_enabled || !distinguishes_commands(property) => {
            datapoint.created_at
        }
        // A command that the device refused or has not answered.
        _ => None,
    };
    Some(Step { at: timestamp(at?), value })
}

/// Whether the cloud marks device reports, so that all other datapoints are commands. Not all clouds do.
fn distinguishes_commands(property: &Property) -> bool {
    property.reported_at.is_some() || property.command.is_some()
}

/// The current value, if no datapoint shows it: the initial value, or one whose datapoint was deleted.
fn current_value(property: &Property) -> Option<Step<i64>> {
    let (value, at) = if distinguishes_commands(property) {
        (&property.reported_value, property.reported_at)
    } else {
        (&property.value, property.data_updated_at)
    };
    Some(Step { at: timestamp(at?), value: value.as_ref()?.as_i64()? })
}
