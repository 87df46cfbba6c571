//! Reads schedules and changes of schedules from requests.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde_json::Value;

use crate::devices::schedules::{PlanChange, ScheduleChange};
use crate::domain::schedule::{LAST_DAY, LAST_OCCURRENCE, MAX_WINDOW, MIN_INTERVAL, Plan};
use crate::http::error::Result;
use crate::http::form::Form;
use crate::store::schedules::{INPUT, Schedule};

/// Maximum lengths, in characters.
const NAME: usize = 255;
const SHORT: usize = 32;
const OUTPUT: &str = "output";
const NO_DATE: &str = "is not YYYY-MM-DD";
const NO_TIME: &str = "is not HH:MM:SS";

/// Reads a new schedule.
///
/// # Errors
/// 422 with all invalid fields.
pub(super) fn read_new(mut form: Form<'_>) -> Result<Schedule> {
    let mut schedule = Schedule {
        name: String::new(),
        display_name: String::new(),
        direction: INPUT.to_owned(),
        active: false,
        fixed_actions: false,
        plan: Plan::default(),
    };
    read(&mut form, true).apply(&mut schedule);
    check(form, &schedule)?;
    Ok(schedule)
}

/// Reads a change of this schedule.
///
/// # Errors
/// 422 with all invalid fields.
pub(super) fn read_change(mut form: Form<'_>, mut schedule: Schedule) -> Result<ScheduleChange> {
    let change = read(&mut form, false);
    change.clone().apply(&mut schedule);
    check(form, &schedule)?;
    Ok(change)
}

fn check(mut form: Form<'_>, schedule: &Schedule) -> Result<()> {
    for (field, text) in schedule.plan.faults() {
        form.refuse(field, text);
    }
    form.check()
}

/// Name and start are required for a new schedule.
fn read(form: &mut Form<'_>, is_new: bool) -> ScheduleChange {
    let name = (is_new || form.has("name")).then(|| form.required("name", NAME).to_owned());
    let display_name = form.has("display_name").then(|| form.line("display_name", NAME).unwrap_or_default());
    let direction = form.has("direction").then(|| form.required("direction", SHORT).to_owned());
    if direction.as_ref().is_some_and(|direction| ![INPUT, OUTPUT].contains(&&**direction)) {
        form.refuse("direction", "is not input or output");
    }
    let (active, fixed_actions) = (form.flag("active"), form.flag("fixed_actions"));
    ScheduleChange { name, display_name, direction, active, fixed_actions, plan: read_plan(form, is_new) }
}

fn read_plan(form: &mut Form<'_>, is_new: bool) -> PlanChange {
    // Some clients shorten the names of the times.
    let name = |form: &Form<'_>, long, short| if form.has(short) && !form.has(long) { short } else { long };
    let start = name(form, "start_time_each_day", "start_time");
    let start_time_each_day = (is_new || form.has(start)).then(|| {
        form.required(start, SHORT);
        parsed(form, start, NO_TIME).flatten().unwrap_or_default()
    });
    let end = name(form, "end_time_each_day", "end_time");
    PlanChange {
        utc: form.flag("utc"),
        start_date: parsed(form, "start_date", NO_DATE),
        end_date: parsed(form, "end_date", NO_DATE),
        start_time_each_day,
        end_time_each_day: parsed(form, end, NO_TIME),
        time_before_end: seconds(form, "time_before_end", 0..=MAX_WINDOW),
        duration: seconds(form, "duration", 1..=MAX_WINDOW),
        interval: seconds(form, "interval", MIN_INTERVAL..=MAX_WINDOW),
        days_of_week: numbers(form, "days_of_week", 7),
        days_of_month: numbers(form, "days_of_month", LAST_DAY),
        months_of_year: numbers(form, "months_of_year", 12),
        day_occur_of_month: numbers(form, "day_occur_of_month", LAST_OCCURRENCE),
    }
}

/// A date, or a time in whole seconds, exactly as responses show it: the parser accepts shorter and longer forms. Blank removes
/// it.
fn parsed<T: FromStr + Display>(form: &mut Form<'_>, field: &'static str, invalid: &str) -> Option<Option<T>> {
    if !form.has(field) {
        return None;
    }
    let Some(text) = form.text(field, SHORT) else { return Some(None) };
    let value = text.parse().ok().filter(|value: &T| value.to_string() == text && !text.contains('.'));
    if value.is_none() {
        form.refuse(field, invalid);
    }
    Some(value)
}

/// Seconds as a number or a text; blank removes them.
fn seconds(form: &mut Form<'_>, field: &'static str, range: RangeInclusive<i64>) -> Option<Option<i64>> {
    form.has(field).then(|| form.whole(field, range))
}

/// A list of different numbers from 1 to `max`; null or an empty list sets no limit.
fn numbers(form: &mut Form<'_>, field: &'static str, max: i8) -> Option<Vec<i8>> {
    if !form.has(field) {
        return None;
    }
    let number = |value: &Value| value.as_i64().and_then(|number| i8::try_from(number).ok());
    let list: Option<Vec<i8>> = match form.value(field) {
        None => Some(Vec::new()),
        Some(Value::String(text)) if text.trim().is_empty() => Some(Vec::new()),
        Some(Value::Array(items)) if items.len() <= usize::try_from(max).unwrap_or_default() => {
            items.iter().map(|item| number(item).filter(|number| (1..=max).contains(number))).collect()
        }
        Some(_) => None,
    };
    if list.is_none() {
        form.refuse(field, format!("is not a list of numbers from 1 to {max}"));
    }
    list.map(|mut list| {
        list.sort_unstable();
        list.dedup();
        list
    })
}
