//! What is true when a rule looks: of the event itself what it said, of all else what is so now. Only of devices that the rule's
//! owner has at this moment.

use std::collections::{HashMap, HashSet};

use platform::clock::from_micros;
use platform::db::Result;
use serde_json::Value as Json;

use super::Rules;
use crate::domain::policy::device_scope;
use crate::domain::principal::Principal;
use crate::domain::rule::{Expression, Facts, Kind, Subject, Value, Who};
use crate::store;
use crate::store::commands::ACKNOWLEDGED;
use crate::store::connections::ONLINE;
use crate::store::devices::{DeviceRef, DeviceRow};
use crate::store::json::json;
use crate::store::properties::PropertyRow;
use crate::store::rule_events::RuleEventRow;

/// The devices that an expression names, with their properties.
struct Known {
    devices: HashMap<String, DeviceRow>,
    properties: Vec<PropertyRow>,
}

impl Rules {
    /// `None` when the owner does not have the device any more to which it happened.
    pub(super) async fn facts(
        &self,
        owner: &Principal,
        expression: &Expression,
        event: &RuleEventRow,
    ) -> Result<Option<Facts>> {
        let now = self.clock.now();
        let scope = device_scope(owner, now);
        let device = store::devices::find(&self.db, &scope, DeviceRef::Key(event.device_id)).await?;
        let (Some(device), Some(kind)) = (device, event.kind()) else { return Ok(None) };
        let dsns: Vec<&str> = expression
            .names()
            .into_iter()
            .filter_map(|who| match who {
                Who::Device(dsn) => Some(dsn.as_str()),
                Who::User(_) => None,
            })
            .collect();
        let devices = store::devices::find_all(&self.db, &scope, &dsns).await?;
        let ids: Vec<i64> = devices.iter().map(|device| device.id).collect();
        let properties = store::properties::of_devices(&self.db, &ids).await?;
        let known =
            Known { devices: devices.into_iter().map(|device| (device.dsn.clone(), device)).collect(), properties };

        // What happened, as an expression names it.
        let happened = |who| Subject { kind, who, property: event.property.clone() };
        let whose: Vec<Who> = [Some(Who::Device(device.dsn.clone())), device.owner_uuid.clone().map(Who::User)]
            .into_iter()
            .flatten()
            .collect();
        let is_another = !expression.asks_for_changes() || self.is_another(event).await?;
        let subjects = expression.subjects().into_iter().cloned();
        let mut values: HashMap<Subject, Value> =
            subjects.map(|subject| (subject.clone(), known.value(&subject))).collect();
        let mut times: HashMap<Who, _> = known
            .devices
            .values()
            .filter_map(|device| Some((Who::Device(device.dsn.clone()), known.heard_at(device)?)))
            .collect();
        let mut changed = HashSet::new();
        for who in whose {
            times.insert(who.clone(), from_micros(event.created_at));
            values.insert(happened(who.clone()), said(kind, &event.value));
            if is_another {
                changed.insert(happened(who));
            }
        }
        Ok(Some(Facts { now, values, changed, times }))
    }

    /// Whether what happened made a value another one. Whatever is no datapoint always does.
    async fn is_another(&self, event: &RuleEventRow) -> Result<bool> {
        let Some(datapoint) = &event.datapoint_id else { return Ok(true) };
        let before = store::datapoints::value_before(&self.db, datapoint).await?;
        Ok(before.is_none_or(|before| json(Some(&before)) != json(Some(&event.value))))
    }
}

impl Known {
    /// What a subject is now.
    fn value(&self, subject: &Subject) -> Value {
        // Of a user's devices only the one counts that was moved.
        let Who::Device(dsn) = &subject.who else { return Value::Unknown };
        let Some(device) = self.devices.get(dsn) else { return Value::Unknown };
        let property = || {
            let named = |property: &&PropertyRow| Some(&property.name) == subject.property.as_ref();
            self.properties.iter().filter(|property| property.device_id == device.id).find(named)
        };
        match subject.kind {
            Kind::Datapoint => property().map(|property| Value::of_property(&property.value())),
            Kind::Ack => property()
                .and_then(PropertyRow::command)
                .filter(|command| command.state == ACKNOWLEDGED)
                .map(|command| Value::of_property(&command.value)),
            Kind::Connectivity => Some(Value::Online(device.status == ONLINE)),
            Kind::Registration => Some(Value::flag(device.registered)),
            Kind::Location => device.lat.zip(device.lng).map(|(lat, lng)| Value::Place(lat, lng)),
        }
        .unwrap_or(Value::Unknown)
    }

    /// When a device was last heard of.
    fn heard_at(&self, device: &DeviceRow) -> Option<jiff::Timestamp> {
        let of_device = self.properties.iter().filter(|property| property.device_id == device.id);
        of_device.filter_map(|property| property.reported_at).chain(device.connected_at).max().map(from_micros)
    }
}

/// What an event said.
fn said(kind: Kind, value: &str) -> Value {
    let value = json(Some(value));
    match kind {
        Kind::Datapoint | Kind::Ack => Value::of_property(&value),
        Kind::Connectivity => value.as_bool().map_or(Value::Unknown, Value::Online),
        Kind::Registration => value.as_bool().map_or(Value::Unknown, Value::flag),
        Kind::Location => {
            let degrees = |index| value.get(index).and_then(Json::as_f64);
            degrees(0).zip(degrees(1)).map_or(Value::Unknown, |(lat, lng)| Value::Place(lat, lng))
        }
    }
}
