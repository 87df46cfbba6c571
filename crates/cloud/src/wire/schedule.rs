//! Schedules and their actions (docs/wire.md#schedules). Unset members are blank or null.

use jiff::civil::{Date, Time};
use serde::Serialize;
use serde_json::Value;

use crate::domain::schedule::FirePoint;
use crate::store::schedule_actions::{Action, ActionRow};
use crate::store::schedules::{Schedule, ScheduleRow};

/// The only type of actions.
const TYPE: &str = "SchedulePropertyAction";

#[derive(Serialize)]
pub(crate) struct ScheduleWrapper {
    schedule: ScheduleBody,
}

#[derive(Serialize)]
struct ScheduleBody {
    key: i64,
    name: String,
    display_name: String,
    direction: String,
    active: bool,
    utc: bool,
    start_date: String,
    end_date: String,
    start_time_each_day: String,
    end_time_each_day: String,
    time_before_end: Option<i64>,
    days_of_week: Option<Vec<i8>>,
    days_of_month: Option<Vec<i8>>,
    months_of_year: Option<Vec<i8>>,
    day_occur_of_month: Option<Vec<i8>>,
    duration: Option<i64>,
    interval: Option<i64>,
    fixed_actions: bool,
    version: &'static str,
    device_id: i64,
    schedule_actions: Vec<ActionBody>,
}

impl ScheduleWrapper {
    /// A schedule with its actions; the actions of other schedules are ignored.
    pub(crate) fn new(row: &ScheduleRow, actions: &[ActionRow]) -> Self {
        let Schedule { name, display_name, direction, active, fixed_actions, plan } = row.schedule();
        let list = |list: Vec<i8>| (!list.is_empty()).then_some(list);
        let day = |day: Option<Date>| day.map(|day| day.to_string()).unwrap_or_default();
        let time = |time: Time| time.strftime("%H:%M:%S").to_string();
        let actions = actions.iter().filter(|action| action.schedule_id == row.id);
        let schedule = ScheduleBody {
            key: row.id,
            name,
            display_name,
            direction,
            active,
            utc: plan.utc,
            start_date: day(plan.start_date),
            end_date: day(plan.end_date),
            start_time_each_day: time(plan.start_time_each_day),
            end_time_each_day: plan.end_time_each_day.map(time).unwrap_or_default(),
            time_before_end: plan.time_before_end,
            days_of_week: list(plan.days_of_week),
            days_of_month: list(plan.days_of_month),
            months_of_year: list(plan.months_of_year),
            day_occur_of_month: list(plan.day_occur_of_month),
            duration: plan.duration,
            interval: plan.interval,
            fixed_actions,
            version: "1",
            device_id: row.device_id,
            schedule_actions: actions.map(ActionBody::from).collect(),
        };
        Self { schedule }
    }
}

#[derive(Serialize)]
pub(crate) struct ActionWrapper {
    schedule_action: ActionBody,
}

/// Inside a schedule it has no wrapper.
#[derive(Serialize)]
struct ActionBody {
    key: i64,
    schedule_id: i64,
    name: String,
    #[serde(rename = "type")]
    kind: &'static str,
    base_type: &'static str,
    value: Value,
    active: bool,
    at_start: bool,
    at_end: bool,
    in_range: bool,
}

impl From<&ActionRow> for ActionBody {
    fn from(row: &ActionRow) -> Self {
        let Action { name, base_type, value, active, fire_point } = row.action();
        Self {
            key: row.id,
            schedule_id: row.schedule_id,
            name,
            kind: TYPE,
            base_type: base_type.as_str(),
            value,
            active,
            at_start: fire_point == Some(FirePoint::Start),
            at_end: fire_point == Some(FirePoint::End),
            in_range: fire_point == Some(FirePoint::Range),
        }
    }
}

impl From<&ActionRow> for ActionWrapper {
    fn from(row: &ActionRow) -> Self {
        Self { schedule_action: row.into() }
    }
}

/// The response to the deletion of an action.
#[derive(Serialize)]
pub(crate) struct DeletedWrapper {
    schedule_action: DeletedAction,
}

#[derive(Serialize)]
struct DeletedAction {
    name: String,
    key: i64,
}

impl From<&ActionRow> for DeletedWrapper {
    fn from(row: &ActionRow) -> Self {
        Self { schedule_action: DeletedAction { name: row.action().name, key: row.id } }
    }
}
