//! The facts that a rule is evaluated with: of the event itself its recorded value, of everything else the current
//! state. Only devices that the rule's owner can see at this moment count.

use std::collections::{HashMap, HashSet};

use platform::db::Result;
use platform::run::clock::from_micros;
use serde_json::Value as Json;

use super::Rules;
use crate::domain::policy::{DeviceScope, device_scope};
use crate::domain::principal::Principal;
use crate::domain::rule::{Expression, Facts, Subject, SubjectKind, SubjectSource, Value};
use crate::store;
use crate::store::commands::ACKNOWLEDGED;
use crate::store::connections::ONLINE;
use crate::store::devices::{DeviceRef, DeviceRow};
use crate::store::json::json;
use crate::store::properties::PropertyRow;
use crate::store::rule_events::RuleEventRow;

/// The devices that an expression names, and their properties.
struct KnownDevices {
    devices: HashMap<String, DeviceRow>,
    properties: Vec<PropertyRow>,
}

impl Rules {
    /// `None` if the owner can no longer see the device of the event.
    pub(super) async fn facts(
        &self,
        owner: &Principal,
        expression: &Expression,
        event: &RuleEventRow,
    ) -> Result<Option<Facts>> {
        let now = self.clock.now();
        let scope = device_scope(owner, now);
        let Some(kind) = event.kind() else { return Ok(None) };
        // Whether the owner saw a device was checked before the device returned to stock.
        let has_left = kind == SubjectKind::Registration && json(Some(&event.value)) == Json::Bool(false);
        let stock = DeviceScope::Oem { oem_id: owner.oem_id, unregistered: true };
        let scope_of_event = if has_left { &stock } else { &scope };
        let device = store::devices::find(&self.db, scope_of_event, DeviceRef::Key(event.device_id)).await?;
        let Some(device) = device else { return Ok(None) };
        let dsns: Vec<&str> = expression
            .names()
            .into_iter()
            .filter_map(|source| match source {
                SubjectSource::Device(dsn) => Some(dsn.as_str()),
                SubjectSource::User(_) => None,
            })
            .collect();
        let devices = store::devices::find_all(&self.db, &scope, &dsns).await?;
        let ids: Vec<i64> = devices.iter().map(|device| device.id).collect();
        let properties = store::properties::of_devices(&self.db, &ids).await?;
        let known = KnownDevices {
            devices: devices.into_iter().map(|device| (device.dsn.clone(), device)).collect(),
            properties,
        };

        // The event as a subject of the expression.
        let happened = |source| Subject { kind, source, property: event.property.clone() };
        let sources: Vec<SubjectSource> =
            [Some(SubjectSource::Device(device.dsn.clone())), device.owner_uuid.clone().map(SubjectSource::User)]
                .into_iter()
                .flatten()
                .collect();
        let has_changed = !expression.uses_changed() || self.has_changed(event).await?;
        let subjects = expression.subjects().into_iter().cloned();
        let mut values: HashMap<Subject, Value> =
            subjects.map(|subject| (subject.clone(), known.value(&subject))).collect();
        let mut times: HashMap<SubjectSource, _> = known
            .devices
            .values()
            .filter_map(|device| Some((SubjectSource::Device(device.dsn.clone()), known.last_report_at(device)?)))
            .collect();
        let mut changed = HashSet::new();
        for source in sources {
            times.insert(source.clone(), from_micros(event.created_at));
            values.insert(happened(source.clone()), recorded_value(kind, &event.value));
            if has_changed {
                changed.insert(happened(source));
            }
        }
        Ok(Some(Facts { now, values, changed, times }))
    }

    /// Whether the event changed a value. Events other than datapoints always do.
    async fn has_changed(&self, event: &RuleEventRow) -> Result<bool> {
        let Some(datapoint) = &event.datapoint_id else { return Ok(true) };
        let before = store::datapoints::value_before(&self.db, datapoint).await?;
        Ok(before.is_none_or(|before| json(Some(&before)) != json(Some(&event.value))))
    }
}

impl KnownDevices {
    /// The current value of a subject.
    fn value(&self, subject: &Subject) -> Value {
        // Among a user's devices only the one that moved counts, and its value comes from the event.
        let SubjectSource::Device(dsn) = &subject.source else { return Value::Unknown };
        let Some(device) = self.devices.get(dsn) else { return Value::Unknown };
        let property = || {
            let named = |property: &&PropertyRow| Some(&property.name) == subject.property.as_ref();
            self.properties.iter().filter(|property| property.device_id == device.id).find(named)
        };
        match subject.kind {
            SubjectKind::Datapoint => property().map(|property| Value::of_property(&property.value())),
            SubjectKind::Ack => property()
                .and_then(PropertyRow::command)
                .filter(|command| command.state == ACKNOWLEDGED)
                .map(|command| Value::of_property(&command.value)),
            SubjectKind::Connectivity => Some(Value::Online(device.status == ONLINE)),
            SubjectKind::Registration => Some(Value::flag(device.registered)),
            SubjectKind::Location => device.lat.zip(device.lng).map(|(lat, lng)| Value::Place(lat, lng)),
        }
        .unwrap_or(Value::Unknown)
    }

    /// When the device last reported or connected.
    fn last_report_at(&self, device: &DeviceRow) -> Option<jiff::Timestamp> {
        let of_device = self.properties.iter().filter(|property| property.device_id == device.id);
        of_device.filter_map(|property| property.reported_at).chain(device.connected_at).max().map(from_micros)
    }
}

/// The value that an event recorded.
fn recorded_value(kind: SubjectKind, value: &str) -> Value {
    let value = json(Some(value));
    match kind {
        SubjectKind::Datapoint | SubjectKind::Ack => Value::of_property(&value),
        SubjectKind::Connectivity => value.as_bool().map_or(Value::Unknown, Value::Online),
        SubjectKind::Registration => value.as_bool().map_or(Value::Unknown, Value::flag),
        SubjectKind::Location => {
            let degrees = |index| value.get(index).and_then(Json::as_f64);
            degrees(0).zip(degrees(1)).map_or(Value::Unknown, |(lat, lng)| Value::Place(lat, lng))
        }
    }
}
