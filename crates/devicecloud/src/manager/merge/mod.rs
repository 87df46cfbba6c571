//! Merges fetched data into the known state and computes the changes.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::Serialize;
use tokio::time::Instant;

use crate::manager::change::{Change, ChangedFields, ListItem};
use crate::model::{
    Ack, BaseType, Command, CommandState, DataSource, Datapoint, Datum, Device, Notification, Property, PropertyValue,
    RoleLabel,
};

/// A property, and when it was last updated by an event instead of a read.
#[derive(Debug)]
pub(super) struct KnownProperty {
    pub(super) property: Property,
    event_at: Option<Instant>,
    /// Whether it may have changed since the last read in a way that events do not contain, such as the value that the
    /// cloud shows after a command has failed.
    awaits_read: bool,
}

/// The fields whose values arrive by the stream.
const STREAMED_FIELDS: [&str; 5] = ["value", "metadata", "ackStatus", "ackMessage", "ackedAt"];

pub(super) type KnownProperties = BTreeMap<String, KnownProperty>;

/// Merges fetched properties. A property that was updated by an event after the read began is newer and is kept.
pub(super) fn merge_properties(
    known: &mut KnownProperties,
    fetched: Vec<Property>,
    started_at: Instant,
) -> Vec<Change> {
    fetched.into_iter().filter_map(|property| merge_property(known, property, started_at)).collect()
}

fn merge_property(known: &mut KnownProperties, fetched: Property, started_at: Instant) -> Option<Change> {
    match known.entry(fetched.name.clone()) {
        Entry::Vacant(vacant) => {
            let change = property_change(&fetched, ChangedFields::new());
            vacant.insert(KnownProperty { property: fetched, event_at: None, awaits_read: false });
            Some(change)
        }
        Entry::Occupied(occupied) => {
            let known = occupied.into_mut();
            if known.is_newer_than_read(started_at) {
                return None;
            }
            known.awaits_read = false;
            let Property { reported_value, reported_at, .. } = &known.property;
            let fetched = Property {
                ack_polling_max_count: known.property.ack_polling_max_count,
                ack_polling_interval_ms: known.property.ack_polling_interval_ms,
                // Not every cloud sends what the device reported; then it is known from the stream.
                reported_value: fetched.reported_value.or_else(|| reported_value.clone()),
                reported_at: fetched.reported_at.or(*reported_at),
                ..fetched
            };
            known.replace(fetched)
        }
    }
}

/// Whether fetched properties have skipped a state of a command. The stream delivers all states of a command but the first,
/// by which the manager learns that the cloud sends commands.
pub(super) fn skips_command_state(known: &KnownProperties, fetched: &[Property], started_at: Instant) -> bool {
    fetched.iter().any(|fetched| {
        let known = known.get(&fetched.name).filter(|known| !known.is_newer_than_read(started_at));
        match (known.map(|known| &known.property.command), &fetched.command) {
            (Some(Some(known)), Some(fetched)) => known.id != fetched.id,
            (Some(None), Some(fetched)) => fetched.state != CommandState::Pending,
            _ => false,
        }
    })
}

/// The kind of update by a datapoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DatapointKind {
    Value,
    /// A value with the device's acknowledgement.
    Ack,
}

impl KnownProperty {
    fn is_newer_than_read(&self, started_at: Instant) -> bool {
        self.event_at.is_some_and(|event_at| event_at > started_at)
    }

    /// Applies a datapoint that was written or received. An older datapoint is ignored. If the device rejected the
    /// value or did not answer, only the acknowledgement is applied. The value of a pending command is kept when the device
    /// reports another one.
    pub(super) fn apply_datapoint(
        &mut self,
        datapoint: &Datapoint,
        kind: DatapointKind,
        source: DataSource,
        now: Instant,
    ) -> Option<Change> {
        let is_report = kind == DatapointKind::Value && datapoint.echo;
        self.awaits_read |= !is_report || self.property.command.is_some();
        let at = datapoint.updated_at.or(datapoint.created_at);
        if at.is_some() && at < self.property.data_updated_at {
            return None;
        }
        self.event_at = Some(now);
        let mut property = Property { last_update_source: source, ..self.property.clone() };
        let value = datapoint.value.as_ref().and_then(|value| typed(value, self.property.base_type.as_ref()));
        if is_report && property.reported_at <= at {
            property.reported_value.clone_from(&value);
            property.reported_at = at.or(property.reported_at);
        }
        let shows_command = property.command.as_ref().is_some_and(|command| command.state == CommandState::Pending);
        let is_shown = match kind {
            DatapointKind::Value => !(is_report && shows_command),
            DatapointKind::Ack => datapoint.ack() == Ack::Accepted,
        };
        if is_shown {
            property.value = value;
            property.metadata = datapoint.metadata.clone();
            property.data_updated_at = at.or(self.property.data_updated_at);
        }
        // A new write is not acknowledged yet.
        if !is_report {
            property.command = self.command_after(datapoint, kind);
            property.ack_status = datapoint.ack_status;
            property.ack_message = datapoint.ack_message.clone();
            property.acked_at = datapoint.acked_at;
        }
        self.replace(property)
    }

    /// The command after a write or an acknowledgement; `None` until a read has found one, because not every cloud sends
    /// commands.
    fn command_after(&self, datapoint: &Datapoint, kind: DatapointKind) -> Option<Command> {
        let known = self.property.command.clone()?;
        let is_known = known.id == datapoint.id;
        Some(match kind {
            DatapointKind::Ack if is_known => Command { state: command_state(datapoint), ..known },
            DatapointKind::Value
                if !is_known && !datapoint.id.is_blank() && known.created_at <= datapoint.created_at =>
            {
                Command {
                    id: datapoint.id.clone(),
                    value: datapoint.value.as_ref().and_then(|value| typed(value, self.property.base_type.as_ref())),
                    state: command_state(datapoint),
                    created_at: datapoint.created_at,
                    expires_at: None,
                }
            }
            DatapointKind::Ack | DatapointKind::Value => known,
        })
    }

    /// Whether only a read can tell everything that has changed.
    pub(super) fn awaits_read(&self) -> bool {
        self.awaits_read
    }

    /// Replaces the known property. A different source alone is not a change.
    fn replace(&mut self, property: Property) -> Option<Change> {
        let names = changed_fields(&self.property, &property);
        self.property = property;
        (!names.is_empty()).then(|| property_change(&self.property, names))
    }
}

fn command_state(datapoint: &Datapoint) -> CommandState {
    match datapoint.ack() {
        Ack::Pending => CommandState::Pending,
        Ack::Accepted => CommandState::Acknowledged,
        Ack::Refused(_) => CommandState::Failed,
        Ack::Expired => CommandState::Expired,
    }
}

/// Converts a datapoint's value to the base type of its property.
fn typed(value: &PropertyValue, base_type: Option<&BaseType>) -> Option<PropertyValue> {
    PropertyValue::read(&serde_json::to_value(value).ok()?, base_type)
}

fn property_change(property: &Property, changed: ChangedFields) -> Change {
    Change::Property { name: property.name.clone(), changed, value: property.value.clone() }
}

/// Whether the stream delivers this change, too, so that a read which finds it has overtaken the stream, or has found
/// what the stream missed.
pub(super) fn is_streamed(change: &Change) -> bool {
    match change {
        Change::Property { changed, .. } => {
            changed.is_empty() || STREAMED_FIELDS.iter().any(|name| changed.contains(*name))
        }
        Change::Field(changed) => changed.contains("connectionStatus"),
        Change::List { .. } => false,
    }
}

/// Merges a fetched device and returns the names of its changed fields. Properties, role labels, data, address and time
/// zone are kept unless the response contains them. A connection status from an event after the read began is newer and
/// is kept.
pub(super) fn merge_device(known: &mut Device, fetched: Device, connection_is_newer: bool) -> ChangedFields {
    let mut fetched = Device { properties: Vec::new(), ..fetched };
    if fetched.role_labels.is_empty() {
        fetched.role_labels.clone_from(&known.role_labels);
    }
    if fetched.data.is_empty() {
        fetched.data.clone_from(&known.data);
    }
    fetched.addr = fetched.addr.or_else(|| known.addr.clone());
    fetched.time_zone = fetched.time_zone.or_else(|| known.time_zone.clone());
    if connection_is_newer {
        fetched.connection_status = known.connection_status.clone();
        fetched.connected_at = known.connected_at;
    }
    replace_device(known, fetched)
}

/// Replaces the known device and returns the names of its changed fields.
pub(super) fn replace_device(known: &mut Device, device: Device) -> ChangedFields {
    let names = changed_fields(known, &device);
    *known = device;
    names
}

/// The names of the fields that differ, ignoring the source of the data.
fn changed_fields<T: PartialEq + Serialize>(one: &T, other: &T) -> ChangedFields {
    if one == other {
        return ChangedFields::new();
    }
    let fields = |item| serde_json::to_value(item).unwrap_or_default();
    let (one, other) = (fields(one), fields(other));
    let names = one.as_object().into_iter().flatten();
    let names = names.filter(|(name, value)| *name != "lastUpdateSource" && other.get(*name) != Some(*value));
    names.map(|(name, _)| name.clone()).collect()
}

/// Replaces the known role labels.
pub(super) fn replace_role_labels(known: &mut Vec<RoleLabel>, fetched: Vec<RoleLabel>) -> Option<Change> {
    list_change("roleLabels", known, fetched, |label| label.id.to_string(), ListItem::RoleLabel)
}

/// Replaces the known notifications.
pub(super) fn replace_notifications(known: &mut Vec<Notification>, fetched: Vec<Notification>) -> Option<Change> {
    list_change("notifications", known, fetched, |notification| notification.id.to_string(), ListItem::Notification)
}

/// Replaces the known data.
pub(super) fn replace_data(known: &mut Vec<Datum>, fetched: Vec<Datum>) -> Option<Change> {
    list_change("data", known, fetched, |datum| datum.key.clone(), ListItem::Datum)
}

/// A changed item counts as removed and added.
fn list_change<T: Clone + PartialEq>(
    name: &'static str,
    known: &mut Vec<T>,
    fetched: Vec<T>,
    identifier: impl Fn(&T) -> String,
    item: impl Fn(T) -> ListItem,
) -> Option<Change> {
    let removed: Vec<_> = known.iter().filter(|old| !fetched.contains(old)).map(identifier).collect();
    let added: Vec<_> = fetched.iter().filter(|new| !known.contains(new)).cloned().map(item).collect();
    *known = fetched;
    (!added.is_empty() || !removed.is_empty()).then_some(Change::List { name, added, removed })
}

#[cfg(test)]
mod tests;
