use serde::Serialize;
use serde_json::{Map, Value, json};

use super::read::{Fields, FromWire};
use super::{Direction, ScheduleAction, ScheduleKey};
use crate::debug::debug_only;

/// A schedule: times at which a device or the cloud sets properties.
///
/// Members without a separate field are kept in [`other`](Self::other) and sent back unchanged.
#[derive(Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Schedule {
    /// The key; blank if the cloud does not send it.
    pub key: ScheduleKey,
    /// The name.
    pub name: String,
    /// The direction: to or from the device.
    pub direction: Option<Direction>,
    /// The start time on each day: `HH:MM:SS`.
    pub start_time_each_day: String,
    /// Whether the schedule is active; false by default.
    pub active: bool,
    /// The actions, if the cloud sends them with the schedule.
    pub schedule_actions: Vec<ScheduleAction>,
    /// All other members, by the cloud's names: `end_time_each_day`, `days_of_week` and so on.
    #[serde(flatten, serialize_with = "in_camel_case")]
    pub other: Map<String, Value>,
}

debug_only!(Schedule { key, direction, start_time_each_day, active, schedule_actions });

/// Members that have a field.
const KEY: &str = "key";
const NAME: &str = "name";
const DIRECTION: &str = "direction";
const START: &str = "start_time_each_day";
const ACTIVE: &str = "active";
const ACTIONS: &str = "schedule_actions";

impl Schedule {
    /// A schedule that the device carries out.
    pub fn new(name: impl Into<String>, start_time_each_day: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            direction: Some(Direction::Input),
            start_time_each_day: start_time_each_day.into(),
            ..Self::default()
        }
    }

    /// Sets one of the [other](Self::other) members.
    ///
    /// ```
    /// let mornings = devicecloud::Schedule::new("mornings", "08:00:00").with_field("days_of_week", vec![2, 3, 4, 5, 6]);
    /// ```
    #[must_use]
    pub fn with_field(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.other.insert(name.into(), value.into());
        self
    }

    /// The request body. Actions are written with separate calls.
    pub(crate) fn to_wire(&self) -> Value {
        let mut members = self.other.clone();
        if !self.key.is_blank() {
            members.insert(KEY.to_owned(), json!(self.key));
        }
        for (name, value) in [
            (NAME, json!(self.name)),
            (DIRECTION, json!(self.direction.as_ref().map(Direction::as_str))),
            (START, json!(self.start_time_each_day)),
            (ACTIVE, json!(self.active)),
        ] {
            members.insert(name.to_owned(), value);
        }
        json!({ "schedule": members })
    }
}

impl FromWire for Schedule {
    const WRAPPER: &'static str = "schedule";

    fn from_wire(fields: &Fields<'_>) -> Self {
        let known = [KEY, NAME, DIRECTION, START, ACTIVE, ACTIONS];
        let other = fields.0.iter().filter(|(name, _)| !known.contains(&name.as_str()));
        Self {
            key: fields.id(KEY),
            name: fields.text_or_empty(NAME),
            direction: fields.text(DIRECTION).map(|text| text.as_str().into()),
            start_time_each_day: fields.text_or_empty(START),
            active: fields.flag(ACTIVE),
            schedule_actions: fields.many(ACTIONS),
            other: other.map(|(name, value)| (name.clone(), value.clone())).collect(),
        }
    }
}

pub(super) fn in_camel_case<S: serde::Serializer>(
    members: &Map<String, Value>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(members.iter().map(|(name, value)| (camel_case(name), value)))
}

fn camel_case(name: &str) -> String {
    let mut camel = String::with_capacity(name.len());
    let mut upper = false;
    for character in name.chars() {
        if character == '_' {
            upper = true;
        } else if upper {
            camel.extend(character.to_uppercase());
            upper = false;
        } else {
            camel.push(character);
        }
    }
    camel
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::read;

    #[test]
    fn schedule_preserves_unknown_members() {
        let sent = json!({"schedule": {
            "key": 7, "name": "mornings", "direction": "input", "start_time_each_day": "08:00:00", "active": true,
            "days_of_week": [2, 3], "end_date": "", "brand_new": {"deep": [1]}, "schedule_actions": [{"key": 9, "name": "fan"}],
        }});
        let schedule: Schedule = read::one(&sent).unwrap();
        assert_eq!(
            (schedule.key.as_str(), &*schedule.name, &schedule.direction),
            ("7", "mornings", &Some(Direction::Input))
        );
        assert_eq!((&*schedule.start_time_each_day, schedule.active), ("08:00:00", true));
        assert_eq!(schedule.schedule_actions[0].name, "fan");
        assert_eq!(schedule.other["brand_new"], json!({"deep": [1]}));

        let mut back = sent["schedule"].clone();
        back.as_object_mut().unwrap().remove("schedule_actions");
        assert_eq!(schedule.to_wire(), json!({ "schedule": back }));
        let json = serde_json::to_value(&schedule).unwrap();
        assert_eq!((&json["startTimeEachDay"], &json["daysOfWeek"]), (&json!("08:00:00"), &json!([2, 3])));
        assert_eq!((&json["brandNew"], &json["endDate"]), (&json!({"deep": [1]}), &json!("")));
    }

    #[test]
    fn new_schedule_is_sent_without_a_key() {
        let schedule = Schedule::new("mornings", "08:00:00").with_field("utc", true);
        let expected = json!({
            "name": "mornings", "direction": "input", "start_time_each_day": "08:00:00", "active": false, "utc": true,
        });
        assert_eq!(schedule.to_wire(), json!({ "schedule": expected }));
    }
}
