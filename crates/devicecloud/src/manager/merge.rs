//! Merges fetched data into the known state and computes the changes.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::Serialize;
use tokio::time::Instant;

use crate::manager::change::{Change, ChangedFields, ListItem};
use crate::model::{
    Ack, BaseType, DataSource, Datapoint, Datum, Device, Notification, Property, PropertyValue, RoleLabel,
};

/// A property, and when it was last updated by an event instead of a read.
#[derive(Debug)]
pub(super) struct KnownProperty {
    pub(super) property: Property,
    event_at: Option<Instant>,
}

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
            vacant.insert(KnownProperty { property: fetched, event_at: None });
            Some(change)
        }
        Entry::Occupied(occupied) => {
            let known = occupied.into_mut();
            if known.event_at.is_some_and(|event_at| event_at > started_at) {
                return None;
            }
            let fetched = Property {
                ack_polling_max_count: known.property.ack_polling_max_count,
                ack_polling_interval_ms: known.property.ack_polling_interval_ms,
                ..fetched
            };
            known.replace(fetched)
        }
    }
}

/// The kind of update by a datapoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DatapointKind {
    Value,
    /// A value with the device's acknowledgement.
    Ack,
}

impl KnownProperty {
    /// Applies a datapoint that was written or received. An older datapoint is ignored. If the device rejected the
    /// value or did not answer, only the acknowledgement is applied. `reported_value` and `command` are only updated by
    /// reads.
    pub(super) fn apply_datapoint(
        &mut self,
        datapoint: &Datapoint,
        kind: DatapointKind,
        source: DataSource,
        now: Instant,
    ) -> Option<Change> {
        let at = datapoint.updated_at.or(datapoint.created_at);
        if at.is_some() && at < self.property.data_updated_at {
            return None;
        }
        self.event_at = Some(now);
        let mut property = Property { last_update_source: source, ..self.property.clone() };
        if kind == DatapointKind::Value || datapoint.ack() == Ack::Accepted {
            property.value = datapoint.value.as_ref().and_then(|value| typed(value, self.property.base_type.as_ref()));
            property.metadata = datapoint.metadata.clone();
            property.data_updated_at = at.or(self.property.data_updated_at);
        }
        if kind == DatapointKind::Ack {
            property.ack_status = datapoint.ack_status;
            property.ack_message = datapoint.ack_message.clone();
            property.acked_at = datapoint.acked_at;
        }
        self.replace(property)
    }

    /// Replaces the known property. A different source alone is not a change.
    fn replace(&mut self, property: Property) -> Option<Change> {
        let names = changed_fields(&self.property, &property);
        self.property = property;
        (!names.is_empty()).then(|| property_change(&self.property, names))
    }
}

/// Converts a datapoint's value to the base type of its property.
fn typed(value: &PropertyValue, base_type: Option<&BaseType>) -> Option<PropertyValue> {
    PropertyValue::read(&serde_json::to_value(value).ok()?, base_type)
}

fn property_change(property: &Property, changed: ChangedFields) -> Change {
    Change::Property { name: property.name.clone(), changed, value: property.value.clone() }
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
