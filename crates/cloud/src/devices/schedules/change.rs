//! Changes of schedules. Missing fields stay; `Some(None)` and an empty list remove a limit.

use jiff::civil::{Date, Time};

use crate::domain::schedule::Plan;
use crate::store::schedules::Schedule;

/// A change of a schedule.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScheduleChange {
    pub(crate) name: Option<String>,
    pub(crate) display_name: Option<String>,
    pub(crate) direction: Option<String>,
    pub(crate) active: Option<bool>,
    pub(crate) fixed_actions: Option<bool>,
    pub(crate) plan: PlanChange,
}

/// A change of a schedule's days and times.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlanChange {
    pub(crate) utc: Option<bool>,
    pub(crate) start_date: Option<Option<Date>>,
    pub(crate) end_date: Option<Option<Date>>,
    pub(crate) start_time_each_day: Option<Time>,
    pub(crate) end_time_each_day: Option<Option<Time>>,
    pub(crate) time_before_end: Option<Option<i64>>,
    pub(crate) days_of_week: Option<Vec<i8>>,
    pub(crate) days_of_month: Option<Vec<i8>>,
    pub(crate) months_of_year: Option<Vec<i8>>,
    pub(crate) day_occur_of_month: Option<Vec<i8>>,
    pub(crate) duration: Option<Option<i64>>,
    pub(crate) interval: Option<Option<i64>>,
}

impl ScheduleChange {
    pub(crate) fn apply(self, schedule: &mut Schedule) {
        set(&mut schedule.name, self.name);
        set(&mut schedule.display_name, self.display_name);
        set(&mut schedule.direction, self.direction);
        set(&mut schedule.active, self.active);
        set(&mut schedule.fixed_actions, self.fixed_actions);
        self.plan.apply(&mut schedule.plan);
    }
}

impl PlanChange {
    fn apply(self, plan: &mut Plan) {
        set(&mut plan.utc, self.utc);
        set(&mut plan.start_date, self.start_date);
        set(&mut plan.end_date, self.end_date);
        set(&mut plan.start_time_each_day, self.start_time_each_day);
        set(&mut plan.end_time_each_day, self.end_time_each_day);
        set(&mut plan.time_before_end, self.time_before_end);
        set(&mut plan.days_of_week, self.days_of_week);
        set(&mut plan.days_of_month, self.days_of_month);
        set(&mut plan.months_of_year, self.months_of_year);
        set(&mut plan.day_occur_of_month, self.day_occur_of_month);
        set(&mut plan.duration, self.duration);
        set(&mut plan.interval, self.interval);
    }
}

fn set<T>(field: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *field = value;
    }
}
