//! Plans what a copy writes to one target: only differences, within the limits of the target. Pure.

use diffuser::{Frame, MIN_INTENSITY, Mode, OffCycle, Schedule, SystemConfiguration, max_intensity};

use super::snapshot::{DeviceSnapshot, LocationSnapshot, NameSnapshot};
use crate::devices::bulk::target::TargetPlan;
use crate::devices::form::{self, CurrentDevice, Step};
use crate::devices::{DeviceSettings, settings};
use crate::records::DeviceRecord;

/// Plans the copy without notifications; `schedule` is in the target's storage format.
pub(super) fn differences(snapshot: &DeviceSnapshot, target: &CurrentDevice, schedule: &str) -> TargetPlan {
    let record = &target.record;
    let wanted = snapshot.settings.map(|wanted| limit_to_target(wanted, record));
    let cycle = wanted.and_then(|wanted| wanted.cycle).or(record.state.cycle);
    let schedule_wanted =
        snapshot.schedule.as_deref().map(|text| limit_schedule(text, max_intensity_of(record, cycle)));
    TargetPlan {
        steps: steps(snapshot, target),
        settings: wanted.map(|wanted| settings::changes(&wanted.settings(), &record.state)).unwrap_or_default(),
        schedule: schedule_wanted.filter(|wanted| *wanted != Schedule::read(schedule).0),
        ..TargetPlan::default()
    }
}

fn steps(snapshot: &DeviceSnapshot, target: &CurrentDevice) -> Vec<Step> {
    let name = snapshot.name.iter().flat_map(|name| of_name(name, target));
    let id = snapshot.fragrance.iter().map(|fragrance| target.set_datum(form::FRAGRANCE, Some(fragrance)));
    let location = snapshot.location.iter().flat_map(|location| of_location(location, target));
    name.chain(id).chain(location).flatten().collect()
}

fn of_name(name: &NameSnapshot, target: &CurrentDevice) -> [Option<Step>; 4] {
    [
        name.service_area.as_deref().and_then(|name| target.rename(name)),
        name.customer.as_deref().and_then(|customer| target.set_datum(form::CUSTOMER, Some(customer))),
        target.set_datum(form::CUSTOMER_ID, name.customer_id.as_deref()),
        target.set_datum(form::STORE_NUMBER, name.store_number.as_deref()),
    ]
}

fn of_location(location: &LocationSnapshot, target: &CurrentDevice) -> [Option<Step>; 4] {
    let (zone, record) = (location.time_zone.as_deref(), &target.record);
    let city = location.city.as_deref().or(record.city.as_deref());
    let country = location.country.as_deref().or(record.country.as_deref());
    [
        location.at.and_then(|at| target.set_location(at)),
        zone.and_then(|zone| target.set_zone(zone)),
        zone.and_then(|zone| target.set_datum(form::TIME_ZONE, Some(zone))),
        target.set_address(city, location.state.as_deref(), country),
    ]
}

/// Limits settings to what the target supports: the intensity to the maximum of its system configuration and resulting
/// off-cycle, and no intensity in mode 2.
fn limit_to_target(wanted: DeviceSettings, target: &DeviceRecord) -> DeviceSettings {
    let current = &target.state;
    let max = max_intensity_of(target, wanted.cycle.or(current.cycle)).into();
    let takes_intensity = wanted.mode.or(current.mode) != Some(Mode::Two.code().into());
    // A new off-cycle may lower the maximum below the target's current intensity.
    let intensity = wanted.intensity.or(current.intensity.filter(|_| wanted.cycle.is_some()));
    let intensity = intensity.filter(|_| takes_intensity).map(|it| it.clamp(MIN_INTENSITY.into(), max));
    DeviceSettings { intensity, ..wanted }
}

fn limit_schedule(schedule: &str, max: u8) -> Schedule {
    let (schedule, _) = Schedule::read(schedule);
    schedule.frames().map(|(_, frame)| Frame { intensity: frame.intensity.min(max), ..*frame }).collect()
}

fn max_intensity_of(target: &DeviceRecord, cycle: Option<i64>) -> u8 {
    let configuration = SystemConfiguration::from(target.system_configuration.as_deref().unwrap_or_default());
    max_intensity(&configuration, cycle.and_then(|code| OffCycle::try_from(code).ok()))
}

#[cfg(test)]
mod tests;
