//! Derives the values that a device had from its datapoints.

use devicecloud::{Ack, Client, Dsn, Property, PropertyValue, Result};
use futures::TryStreamExt;
use jiff::Timestamp;

use super::Step;
use crate::records::{effective_at, has_commands, marks_reports, timestamp};

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
        if let Some(at) = effective_at(&datapoint, has_commands(property)) {
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

/// The current value, if no datapoint shows it: the initial value, or one whose datapoint was deleted.
fn current_value<T>(property: &Property, convert: fn(&PropertyValue) -> Option<T>) -> Option<Step<T>> {
    let (value, at) = if marks_reports(property) {
        (&property.reported_value, property.reported_at)
    } else {
        (&property.value, property.data_updated_at)
    };
    Some(Step { at: timestamp(at?), value: convert(value.as_ref()?)? })
}
