//! What people write into a schedule.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde_json::Value;

use crate::domain::schedule::{LAST_DAY, LAST_OCCURRENCE, MAX_WINDOW, MIN_INTERVAL, Plan};
use crate::http::error::Result;
use crate::http::form::Form;
use crate::store::schedules::{INPUT, Schedule};

pub(super) const TAKEN: &str = "has already been taken";
/// Bounds of texts, in characters.
const NAME: usize = 255;
const SHORT: usize = 32;
const OUTPUT: &str = "output";
const NO_DATE: &str = "is not YYYY-MM-DD";
const NO_TIME: &str = "is not HH:MM:SS";

/// A new schedule, or one that is `known` with what is named.
///
/// # Errors
/// 422 with all that is wrong.
pub(super) fn read(mut form: Form<'_>, known: Option<Schedule>) -> Result<Schedule> {
    let is_new = known.is_none();
    let mut schedule = known.unwrap_or_else(|| Schedule {
        name: String::new(),
        display_name: String::new(),
        direction: INPUT.to_owned(),
        active: false,
        fixed_actions: false,
        plan: Plan::default(),
    });
    if is_new || form.has("name") {
        form.required("name", NAME).clone_into(&mut schedule.name);
    }
    if form.has("display_name") {
        schedule.display_name = form.text("display_name", NAME).unwrap_or_default().to_owned();
    }
    if form.has("direction") {
        form.required("direction", SHORT).clone_into(&mut schedule.direction);
        if ![INPUT, OUTPUT].contains(&&*schedule.direction) {
            form.refuse("direction", "is not input or output");
        }
    }
    schedule.active = form.flag("active").unwrap_or(schedule.active);
    schedule.fixed_actions = form.flag("fixed_actions").unwrap_or(schedule.fixed_actions);
    plan(&mut form, &mut schedule.plan, is_new);
    form.check()?;
    Ok(schedule)
}

fn plan(form: &mut Form<'_>, plan: &mut Plan, is_new: bool) {
    plan.utc = form.flag("utc").unwrap_or(plan.utc);
    read_into(form, "start_date", NO_DATE, &mut plan.start_date);
    read_into(form, "end_date", NO_DATE, &mut plan.end_date);
    // Some clients shorten the names of the times.
    let name = |form: &Form<'_>, long, short| if form.has(short) && !form.has(long) { short } else { long };
    let start = name(form, "start_time_each_day", "start_time");
    if is_new || form.has(start) {
        let mut time = None;
        form.required(start, SHORT);
        read_into(form, start, NO_TIME, &mut time);
        plan.start_time_each_day = time.unwrap_or_default();
    }
    let end = name(form, "end_time_each_day", "end_time");
    read_into(form, end, NO_TIME, &mut plan.end_time_each_day);
    seconds(form, "time_before_end", 0..=MAX_WINDOW, &mut plan.time_before_end);
    seconds(form, "duration", 1..=MAX_WINDOW, &mut plan.duration);
    seconds(form, "interval", MIN_INTERVAL..=MAX_WINDOW, &mut plan.interval);
    numbers(form, "days_of_week", 7, &mut plan.days_of_week);
    numbers(form, "days_of_month", LAST_DAY, &mut plan.days_of_month);
    numbers(form, "months_of_year", 12, &mut plan.months_of_year);
    numbers(form, "day_occur_of_month", LAST_OCCURRENCE, &mut plan.day_occur_of_month);
    if plan.start_date.zip(plan.end_date).is_some_and(|(start, end)| end < start) {
        form.refuse("end_date", "is before the start");
    }
    if plan.duration.zip(plan.interval).is_some_and(|(duration, interval)| duration > interval) {
        form.refuse("duration", "is longer than the interval");
    }
}

/// A date, or a time in whole seconds; blank is none. Only as it is told back: the parser knows shorter and longer forms.
fn read_into<T: FromStr + Display>(form: &mut Form<'_>, field: &'static str, wrong: &str, into: &mut Option<T>) {
    if !form.has(field) {
        return;
    }
    *into = form.text(field, SHORT).and_then(|text| {
        let read = text.parse().ok().filter(|read: &T| read.to_string() == text && !text.contains('.'));
        if read.is_none() {
            form.refuse(field, wrong);
        }
        read
    });
}

/// Seconds, perhaps as a text; blank is none.
fn seconds(form: &mut Form<'_>, field: &'static str, range: RangeInclusive<i64>, into: &mut Option<i64>) {
    if form.has(field) {
        *into = form.whole(field, range);
    }
}

/// A list of numbers from 1 on, each once; null and empty limit nothing.
fn numbers(form: &mut Form<'_>, field: &'static str, most: i8, into: &mut Vec<i8>) {
    if !form.has(field) {
        return;
    }
    let number = |value: &Value| value.as_i64().and_then(|number| i8::try_from(number).ok());
    let read = match form.value(field) {
        None => Some(Vec::new()),
        Some(Value::String(text)) if text.trim().is_empty() => Some(Vec::new()),
        Some(Value::Array(items)) if items.len() <= usize::try_from(most).unwrap_or_default() => {
            items.iter().map(|item| number(item).filter(|number| (1..=most).contains(number))).collect()
        }
        Some(_) => None,
    };
    match read {
        Some(mut list) => {
            list.sort_unstable();
            list.dedup();
            *into = list;
        }
        None => form.refuse(field, format!("is not a list of numbers from 1 to {most}")),
    }
}
