//! Saves an edited schedule.

use std::collections::BTreeSet;

use diffuser::{
    Days, FRAME_COUNT, Frame, OffCycle, Schedule, SystemConfiguration, TimeOfDay, max_intensity, properties,
};

use serde_json::{Value, json};

use super::{ScheduleForm, ScheduleFrame};
use crate::audit::concurrent_changes::refuse_unseen;
use crate::audit::{self, Change, FieldChange, Operation};
use crate::devices::service;
use crate::devices::writes::{DeviceValue, value, write};
use crate::http::error::{ApiError, ApiResult, FieldErrors};
use crate::policy::{self, Action, Actor, Target};
use crate::records::{DeviceRecord, ReadDevice, property};
use crate::state::CoreState;

/// Before the number, the name of a frame in the audit.
const FRAME: &str = "schedule.";

pub(crate) const SCHEDULE: DeviceValue = value("schedule", "Schedule", properties::SCHEDULE_BLOB);

/// Writes changed frames into the schedule and returns the device as read back from the cloud.
///
/// # Errors
/// 404, 403, 422 or 409, in this order; errors of the cloud.
pub(in crate::devices) async fn update(
    state: &CoreState,
    actor: &Actor,
    dsn: &str,
    form: &ScheduleForm,
) -> ApiResult<ReadDevice> {
    let device = service::read(state, actor, dsn).await?;
    let record = DeviceRecord::of(&device);
    policy::can(actor, Action::Edit, Target::Device { csp: record.csp.as_deref() }).require()?;
    let configuration = SystemConfiguration::from(record.system_configuration.as_deref().unwrap_or_default());
    let cycle = record.state.cycle.and_then(|code| OffCycle::try_from(code).ok());
    let stored = property(&device, SCHEDULE.property).and_then(|property| property.value.as_ref()?.as_str());
    let (before, _) = Schedule::read(stored.unwrap_or_default());
    if form.frames.is_empty() {
        return Ok(device);
    }
    let max = max_intensity(&configuration, cycle);
    let schedule = changed(before.clone(), &form.frames, max).map_err(ApiError::Invalid)?;
    let (target, entries) = (audit::AuditTarget::device(dsn, None), changed_entries(&before, &schedule));
    refuse_unseen(&state.base.db, actor, &target, &form.seen, &entries, frame_number).await?;
    let text = schedule.to_string();
    if stored == Some(text.as_str()) {
        return Ok(device);
    }
    let target = audit::AuditTarget::device(dsn, record.csp.as_deref());
    let fields = changes(stored.unwrap_or_default(), &schedule);
    let change = Change { operation: Operation::UpdateDeviceSchedule, target, fields };
    write(state, actor, &change, &device, &[(SCHEDULE, text.into())]).await
}

/// Audit entries of the frames that differ from the stored schedule.
pub(crate) fn changes(stored: &str, schedule: &Schedule) -> Vec<FieldChange> {
    let value = |number, frame: &Frame| json!(ScheduleFrame::of(number, frame));
    changes_with(&Schedule::read(stored).0, schedule, value)
}

/// The frames that differ, in the device's storage format.
fn changed_entries(before: &Schedule, after: &Schedule) -> Vec<FieldChange> {
    changes_with(before, after, |number, frame| frame.entry(number).into())
}

fn changes_with(before: &Schedule, after: &Schedule, value: impl Fn(u8, &Frame) -> Value) -> Vec<FieldChange> {
    let differ = before.frames().zip(after.frames()).filter(|(before, after)| before != after);
    let change = |((number, before), (_, after))| {
        FieldChange::new(format!("{FRAME}{number}"), value(number, before), value(number, after))
    };
    differ.map(change).collect()
}

/// The number of the changed frame.
fn frame_number(change: &FieldChange) -> &str {
    change.field().strip_prefix(FRAME).unwrap_or_default()
}

/// The schedule with these frames, validated together with the unchanged ones.
///
/// # Errors
/// All errors of these frames, by frame number and field: `3.start`.
pub(in crate::devices) fn changed(
    mut schedule: Schedule,
    frames: &[ScheduleFrame],
    max_intensity: u8,
) -> Result<Schedule, FieldErrors> {
    let mut errors = FieldErrors::new();
    let mut sent = BTreeSet::new();
    for frame in frames {
        let number = u8::try_from(frame.number).ok().filter(|number| schedule.frame(*number).is_some());
        let Some(number) = number else {
            errors.insert(format!("{}.number", frame.number), vec![format!("Must be between 1 and {FRAME_COUNT}")]);
            continue;
        };
        if !sent.insert(number) {
            errors.insert(format!("{number}.number"), vec!["Must be given once".to_owned()]);
        }
        let (frame, faults) = frame.read();
        schedule.set(number, frame);
        errors.extend(faults.into_iter().map(|(field, text)| (format!("{number}.{field}"), vec![text])));
    }
    if let Err(refused) = schedule.validate(max_intensity) {
        for (number, fields) in refused.0.into_iter().filter(|(number, _)| sent.contains(number)) {
            errors.extend(fields.into_iter().map(|(field, texts)| (format!("{number}.{field}"), texts)));
        }
    }
    if errors.is_empty() { Ok(schedule) } else { Err(errors) }
}

impl ScheduleFrame {
    /// The frame, and the errors of unreadable fields. The frame then has the times of an empty frame, which conflict
    /// with no other.
    fn read(&self) -> (Frame, Vec<(&'static str, String)>) {
        let time = |hour: i64, minute: i64| TimeOfDay::new(u8::try_from(hour).ok()?, u8::try_from(minute).ok()?);
        let days = Days::try_from(self.day_of_the_week).ok();
        let start = time(self.start_hour, self.start_minute);
        let stop = time(self.stop_hour, self.stop_minute);
        // An out-of-range value becomes 0, which is rejected like any other invalid value.
        let intensity = u8::try_from(self.intensity).unwrap_or_default();
        let frame = match (days, start, stop) {
            (Some(days), Some(start), Some(stop)) => Frame { active: self.active, days, intensity, start, stop },
            _ => Frame { intensity, ..Frame::default() },
        };
        let faults = [
            ("dayOfTheWeek", days.is_none(), "Is not one of the choices".to_owned()),
            ("start", start.is_none(), "Invalid Time".to_owned()),
            ("stop", stop.is_none(), "Invalid Time".to_owned()),
        ];
        (frame, faults.into_iter().filter(|(_, wrong, _)| *wrong).map(|(field, _, text)| (field, text)).collect())
    }
}
