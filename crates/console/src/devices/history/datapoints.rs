//! From datapoints to what the device had: what it said itself, and what users wrote once it obeyed.

use devicecloud::{Client, Datapoint, Dsn, Property, PropertyValue, Result};
use futures::TryStreamExt;
use jiff::Timestamp;

use super::Step;
use crate::records::timestamp;

/// The most datapoints that are read of one property: 20 pages of 100.
const MAX_DATAPOINTS: usize = 2_000;

/// The values of a property since `from`, and the one that held then; the oldest first.
///
/// # Errors
/// What the cloud says.
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
        steps.extend(present(property));
    }
    steps.reverse();
    Ok(steps)
}

/// When the device had the value of a datapoint; `None` when it never had it.
fn step(datapoint: &Datapoint, property: &Property) -> Option<Step<i64>> {
    let value = datapoint.value.as_ref().and_then(PropertyValue::as_i64)?;
    let at = match datapoint.acked_at {
        Some(acked_at) => is_success(datapoint.ack_status).then_some(acked_at),
        None if datapoint.echo || !property.ack_enabled || !distinguishes_commands(property) => datapoint.created_at,
        // A wish that the device has not answered.
        None => None,
    };
    Some(Step { at: timestamp(at?), value })
}

/// Whether the cloud marks what devices say themselves, so that everything else is a wish. Not every cloud does.
fn distinguishes_commands(property: &Property) -> bool {
    property.reported_at.is_some() || property.command.is_some()
}

/// A device obeyed with 0 or 200, or when it told no status.
fn is_success(ack_status: i64) -> bool {
    matches!(ack_status, -1 | 0 | 200)
}

/// What the device has, of which no datapoint tells: it was made with it, or the datapoint is gone.
fn present(property: &Property) -> Option<Step<i64>> {
    let (value, at) = if distinguishes_commands(property) {
        (&property.reported_value, property.reported_at)
    } else {
        (&property.value, property.data_updated_at)
    };
    Some(Step { at: timestamp(at?), value: value.as_ref()?.as_i64()? })
}
