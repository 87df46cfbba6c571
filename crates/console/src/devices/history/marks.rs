//! Marks in a history: changes made through the console, commands that the device did not carry out, and new cartridges.

use diffuser::Schedule;
use jiff::Timestamp;
use platform::db::{Db, Result};
use serde::Serialize;
use serde_json::{Number, Value};
use utoipa::ToSchema;

use super::ValuePoint;
use super::datapoints::FailedCommand;
use crate::audit::{self, DeviceChange, FieldChange, Operation};
use crate::policy::Actor;

/// Levels normally only fall. A smaller rise comes from another fragrance or a corrected catalogue.
const MIN_REFILL_PERCENT: i64 = 10;
/// Maximum number of audit entries read, newest first.
const MAX_CHANGES: u64 = 500;
/// Operations that command a device.
const COMMANDS: [Operation; 5] = [
    Operation::UpdateDeviceSettings,
    Operation::UpdateDeviceSchedule,
    Operation::ResetFragranceLevel,
    Operation::UndoFragranceLevelReset,
    Operation::CopyDevice,
];

/// A mark in a history.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct HistoryMark {
    /// When the change was made or the command was sent, or the device had the new level.
    #[schema(value_type = String, format = DateTime)]
    pub(super) at: Timestamp,
    kind: MarkKind,
    /// The operation that made the change, or whose command failed if it stores a schedule; otherwise null.
    #[schema(required)]
    operation: Option<Operation>,
    /// E-mail address of the author, for actors who may see it in the audit.
    #[schema(required)]
    author: Option<String>,
    /// The changed numbers, without schedule frames.
    changes: Vec<MarkChange>,
}

/// Kind of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MarkKind {
    /// A command was sent through this console.
    Command,
    /// Something that the device does not know was changed through this console, such as its customer.
    Change,
    /// The device refused a command.
    Refused,
    /// The device has not answered a command.
    Unanswered,
    /// The level rose by at least 10 percent: a new cartridge, regardless of who reset the level.
    Refill,
}

/// A changed number.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct MarkChange {
    /// `mode`, `cycle`, `intensity`, `fan`, `cartridgeLife` or `fragranceRemaining`; `latitude` and `longitude` of a change.
    field: String,
    #[schema(required, value_type = Option<f64>)]
    before: Option<Number>,
    #[schema(value_type = f64)]
    after: Number,
}

/// Reads the changes since `from` that `actor` may see, oldest first.
///
/// # Errors
/// Of the database.
pub(super) async fn changes(db: &Db, actor: &Actor, dsn: &str, from: Timestamp) -> Result<Vec<HistoryMark>> {
    let changes = audit::changes_of_device(db, actor, dsn, from, MAX_CHANGES).await?;
    Ok(changes.into_iter().map(HistoryMark::from).collect())
}

/// The marks of the commands of a number that the device did not carry out.
pub(super) fn failed_numbers(failed: &[FailedCommand<i64>], field: &'static str) -> impl Iterator<Item = HistoryMark> {
    let change = move |after: i64| MarkChange { field: field.to_owned(), before: None, after: after.into() };
    failed
        .iter()
        .map(move |command| HistoryMark { changes: vec![change(command.value)], ..HistoryMark::failed(command) })
}

/// The marks of the schedules that the device did not store.
pub(super) fn failed_schedules(failed: &[FailedCommand<Schedule>]) -> impl Iterator<Item = HistoryMark> {
    let operation = Some(Operation::UpdateDeviceSchedule);
    failed.iter().map(move |command| HistoryMark { operation, ..HistoryMark::failed(command) })
}

/// The marks where a level series rises as with a new cartridge.
pub(super) fn refills(level: &[ValuePoint]) -> impl Iterator<Item = HistoryMark> {
    level.windows(2).filter(|pair| pair[1].value - pair[0].value >= MIN_REFILL_PERCENT).map(|pair| HistoryMark {
        at: pair[1].at,
        kind: MarkKind::Refill,
        operation: None,
        author: None,
        changes: vec![MarkChange {
            field: "fragranceRemaining".to_owned(),
            before: Some(pair[0].value.into()),
            after: pair[1].value.into(),
        }],
    })
}

impl HistoryMark {
    fn failed<T>(command: &FailedCommand<T>) -> Self {
        Self {
            at: command.sent_at,
            kind: if command.is_refused { MarkKind::Refused } else { MarkKind::Unanswered },
            operation: None,
            author: None,
            changes: Vec::new(),
        }
    }
}

impl From<DeviceChange> for HistoryMark {
    fn from(change: DeviceChange) -> Self {
        Self {
            at: change.at,
            kind: if COMMANDS.contains(&change.operation) { MarkKind::Command } else { MarkKind::Change },
            operation: Some(change.operation),
            author: change.author,
            changes: change.fields.iter().filter_map(MarkChange::of).collect(),
        }
    }
}

impl MarkChange {
    fn of(change: &FieldChange) -> Option<Self> {
        let number = |value: &Value| if let Value::Number(number) = value { Some(number.clone()) } else { None };
        Some(Self { field: change.field().to_owned(), before: number(change.before()), after: number(change.after())? })
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    fn series(values: &[i64]) -> Vec<ValuePoint> {
        let at = |hour: usize| Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hour.try_into().unwrap());
        values.iter().enumerate().map(|(hour, value)| ValuePoint { at: at(hour), value: *value }).collect()
    }

    #[test]
    fn level_rise_of_10_percent_is_a_refill() {
        let rows = [
            (vec![], vec![]),
            (vec![100], vec![]),
            (vec![100, 90, 80], vec![]),
            (vec![40, 49, 50], vec![]),
            (vec![40, 50], vec![(40, 50)]),
            (vec![12, 100, 37, 100], vec![(12, 100), (37, 100)]),
        ];
        for (values, expected) in rows {
            let level = series(&values);
            let found: Vec<_> = refills(&level)
                .map(|mark| (mark.changes[0].before.as_ref().unwrap().as_i64(), mark.changes[0].after.as_i64()))
                .collect();
            let expected: Vec<_> = expected.into_iter().map(|(before, after)| (Some(before), Some(after))).collect();
            assert_eq!(found, expected, "{values:?}");
        }
    }

    #[test]
    fn command_mark_lists_only_numeric_changes() {
        let fields = vec![
            FieldChange::new("intensity", 20, 30),
            FieldChange::new("cartridgeLife", None::<f64>, 12.5),
            FieldChange::new("customer", "Aurora", "Boreas"),
            FieldChange::new("schedule.3", Value::Null, serde_json::json!({ "active": true })),
        ];
        let at = Timestamp::UNIX_EPOCH;
        let mark = HistoryMark::from(DeviceChange { at, operation: Operation::CopyDevice, author: None, fields });
        let change = |field: &str, before: Option<Number>, after| MarkChange { field: field.to_owned(), before, after };
        let expected = [
            change("intensity", Some(20.into()), 30.into()),
            change("cartridgeLife", None, Number::from_f64(12.5).unwrap()),
        ];
        assert_eq!(mark.changes, expected);
    }
}
