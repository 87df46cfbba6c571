//! The weekly schedule in requests and responses.

mod update;

use diffuser::{Frame, Mode, Schedule};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::audit::concurrent_changes::SeenValues;
use crate::records::DeviceState;

pub(crate) use update::{SCHEDULE, changes};
pub(super) use update::{changed, update};

/// One of the 21 frames of a schedule.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ScheduleFrame {
    /// 1 to 21.
    number: i64,
    active: bool,
    /// 0 every day, 1 to 7 Monday to Sunday, 8 Saturday and Sunday, 9 Monday to Friday.
    day_of_the_week: i64,
    /// 1 to 50, or to the maximum of the system configuration and off-cycle when it is written.
    intensity: i64,
    start_hour: i64,
    start_minute: i64,
    /// Hour and minute of the last running minute.
    stop_hour: i64,
    stop_minute: i64,
}

/// Frames of a schedule to store. Other frames keep their values.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub(super) struct ScheduleForm {
    /// Each number once.
    #[schema(max_items = 21)]
    frames: Vec<ScheduleFrame>,
    /// By number, the frames that the person saw, in the device's storage format. If a frame to change has another value
    /// by now, nothing is saved and the response is 409.
    seen: SeenValues,
}

/// The current intensity of the diffuser. For an offline device it comes from the reported values, not from the
/// requested ones.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub(super) struct ShownIntensity {
    #[schema(required)]
    value: Option<i64>,
    /// Number of the schedule frame that sets it; null if it is the device's own.
    #[schema(required)]
    schedule: Option<u8>,
}

impl ScheduleFrame {
    pub(super) fn all(schedule: &Schedule) -> Vec<Self> {
        schedule.frames().map(|(number, frame)| Self::of(number, frame)).collect()
    }

    fn of(number: u8, frame: &Frame) -> Self {
        Self {
            number: number.into(),
            active: frame.active,
            day_of_the_week: frame.days.code().into(),
            intensity: frame.intensity.into(),
            start_hour: frame.start.hour().into(),
            start_minute: frame.start.minute().into(),
            stop_hour: frame.stop.hour().into(),
            stop_minute: frame.stop.minute().into(),
        }
    }
}

impl ShownIntensity {
    /// `state` and `schedule` as confirmed by the device, `running` the number of the running frame.
    pub(super) fn of(state: &DeviceState, schedule: Option<&Schedule>, running: Option<i64>) -> Self {
        let follows_schedule = state.mode == Some(i64::from(Mode::Run.code()));
        let number = running.and_then(|number| u8::try_from(number).ok()).filter(|_| follows_schedule);
        let frame = number.and_then(|number| Some((number, schedule?.frame(number)?)));
        match frame {
            Some((number, frame)) => Self { value: Some(frame.intensity.into()), schedule: Some(number) },
            None => Self { value: state.intensity, schedule: None },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::ConnectionStatus;

    fn in_mode(mode: Option<i64>) -> DeviceState {
        DeviceState {
            connection_status: ConnectionStatus::Online,
            connected_at: None,
            connection_changed_at: None,
            mode,
            cycle: None,
            intensity: Some(20),
            fan: None,
            fragrance_remaining: None,
            pending: 0,
        }
    }

    #[test]
    fn running_frame_sets_the_intensity_only_in_run_mode() {
        let (schedule, _) = Schedule::read("1,1,0,31,0,0,12,0,2,1,0,32,13,0,23,59");
        let schedule = Some(&schedule);
        let rows = [
            (Some(4), schedule, Some(2), (Some(32), Some(2))),
            (Some(4), schedule, Some(21), (Some(1), Some(21))),
            (Some(4), schedule, Some(0), (Some(20), None)),
            (Some(4), schedule, Some(22), (Some(20), None)),
            (Some(4), schedule, Some(-1), (Some(20), None)),
            (Some(4), schedule, None, (Some(20), None)),
            (Some(4), None, Some(2), (Some(20), None)),
            (Some(3), schedule, Some(2), (Some(20), None)),
            (Some(1), schedule, Some(2), (Some(20), None)),
            (None, schedule, Some(2), (Some(20), None)),
        ];
        for (mode, schedule, running, (value, number)) in rows {
            let shown = ShownIntensity::of(&in_mode(mode), schedule, running);
            assert_eq!(shown, ShownIntensity { value, schedule: number }, "mode {mode:?}, running {running:?}");
        }
    }
}
