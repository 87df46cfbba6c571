use serde::Serialize;
use serde_json::{Value, json};

use super::read::{Fields, FromWire};
use super::wire_enum::wire_enum;
use super::{BaseType, PropertyValue, ScheduleActionKey};
use crate::error;

/// The only action type.
const TYPE: &str = "SchedulePropertyAction";

wire_enum! {
    /// When an action runs.
    FirePoint {
        /// At the start of the schedule's time range.
        AtStart = "atStart",
        /// When it ends.
        AtEnd = "atEnd",
        /// At any time within the range.
        InRange = "inRange",
    }
}

/// An action of a schedule: it sets a property.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ScheduleAction {
    /// The key; blank if the cloud does not send it.
    pub key: ScheduleActionKey,
    /// The action type. Always sent as `SchedulePropertyAction`.
    #[serde(rename = "type")]
    pub action_type: String,
    /// The name of the property.
    pub name: String,
    /// Whether the action is active.
    pub active: bool,
    /// The type of the property's values.
    pub base_type: Option<BaseType>,
    /// The value to set.
    pub value: Option<PropertyValue>,
    /// Whether it runs at the start of the schedule's time range.
    pub at_start: bool,
    /// Whether it runs at the end of the range.
    pub at_end: bool,
    /// Whether it runs at any time within the range.
    pub in_range: bool,
}

impl Default for ScheduleAction {
    fn default() -> Self {
        Self {
            key: ScheduleActionKey::default(),
            action_type: TYPE.to_owned(),
            name: String::new(),
            active: true,
            base_type: None,
            value: None,
            at_start: false,
            at_end: false,
            in_range: false,
        }
    }
}

impl ScheduleAction {
    /// An action that sets the property with this name.
    pub fn new(name: impl Into<String>, base_type: BaseType, value: impl Into<PropertyValue>) -> Self {
        Self { name: name.into(), base_type: Some(base_type), value: Some(value.into()), ..Self::default() }
    }

    /// Sets the fire point in place of any other. An unknown fire point clears all three flags.
    #[must_use]
    pub fn fire_at(self, point: impl Into<FirePoint>) -> Self {
        let point = point.into();
        Self {
            at_start: point == FirePoint::AtStart,
            at_end: point == FirePoint::AtEnd,
            in_range: point == FirePoint::InRange,
            ..self
        }
    }

    /// The request body.
    pub(crate) fn to_wire(&self) -> error::Result<Value> {
        let value = self.value.as_ref().map(PropertyValue::to_wire).transpose()?;
        Ok(json!({"schedule_action": {
            "type": TYPE, "name": self.name, "active": self.active, "value": value,
            "base_type": self.base_type.as_ref().map(BaseType::as_str),
            "at_start": self.at_start, "at_end": self.at_end, "in_range": self.in_range,
        }}))
    }
}

impl FromWire for ScheduleAction {
    const WRAPPER: &'static str = "schedule_action";

    fn from_wire(fields: &Fields<'_>) -> Self {
        let base_type = fields.text("base_type").map(|text| text.as_str().into());
        Self {
            key: fields.id("key"),
            action_type: fields.text("type").unwrap_or_else(|| TYPE.to_owned()),
            name: fields.text_or_empty("name"),
            active: fields.flag("active"),
            value: fields.value("value").and_then(|value| PropertyValue::read(value, base_type.as_ref())),
            base_type,
            at_start: fields.flag("at_start"),
            at_end: fields.flag("at_end"),
            in_range: fields.flag("in_range"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::read;

    #[test]
    fn fire_point_sets_one_flag_and_an_unknown_one_clears_all() {
        let flags = |action: ScheduleAction| [action.at_start, action.at_end, action.in_range];
        let action = || ScheduleAction::new("fan", BaseType::Integer, 1);
        let table = [
            (FirePoint::AtStart, [true, false, false]),
            (FirePoint::AtEnd, [false, true, false]),
            (FirePoint::InRange, [false, false, true]),
            (FirePoint::from("sometimes"), [false, false, false]),
        ];
        for (point, expected) in table {
            for before in [action(), action().fire_at(FirePoint::AtStart), action().fire_at(FirePoint::InRange)] {
                assert_eq!(flags(before.fire_at(point.clone())), expected, "{point}");
            }
        }
    }

    #[test]
    fn schedule_action_value_follows_its_base_type() {
        let sent = json!({"schedule_action": {
            "key": 9, "type": "SchedulePropertyAction", "name": "fan", "active": true, "base_type": "boolean", "value": 1,
            "at_start": false, "at_end": true, "in_range": false,
        }});
        let action: ScheduleAction = read::one(&sent).unwrap();
        assert_eq!((action.key.as_str(), &*action.name, action.active), ("9", "fan", true));
        assert_eq!((&action.base_type, &action.value), (&Some(BaseType::Boolean), &Some(true.into())));
        assert_eq!((action.at_start, action.at_end, action.in_range), (false, true, false));
        let mut back = sent;
        back["schedule_action"].as_object_mut().unwrap().remove("key");
        assert_eq!(action.to_wire().unwrap(), back);
    }

    #[test]
    fn schedule_action_type_is_always_the_specified_one() {
        assert_eq!(ScheduleAction::default().action_type, "SchedulePropertyAction");
        let other = ScheduleAction { action_type: "Other".into(), ..ScheduleAction::default() };
        assert_eq!(other.to_wire().unwrap()["schedule_action"]["type"], "SchedulePropertyAction");
    }
}
