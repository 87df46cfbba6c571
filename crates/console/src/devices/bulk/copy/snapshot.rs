//! The values of a source device that a copy job stores.

use devicecloud::Device;
use diffuser::{Fan, Mode, OffCycle, Schedule, properties};
use serde::{Deserialize, Serialize};

use crate::audit::FieldChange;
use crate::devices::DeviceSettings;
use crate::devices::notifications::NotificationSettings;
use crate::records::{DeviceRecord, DeviceState, property};

/// The selected parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CopyOptions {
    pub(super) name: bool,
    pub(super) id: bool,
    pub(super) schedules: bool,
    pub(super) notifications: bool,
    pub(super) settings: bool,
    pub(super) location: bool,
}

/// The source's values when the copy was requested; options that were not selected are empty. Required values that the
/// source lacks are not copied.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(tag = "kind", rename = "copy_device")]
pub(crate) struct DeviceSnapshot {
    /// The dsn of the source.
    pub(super) source: String,
    pub(super) name: Option<NameSnapshot>,
    pub(super) fragrance: Option<String>,
    /// In the device's storage format.
    pub(super) schedule: Option<String>,
    pub(super) settings: Option<DeviceSettings>,
    pub(super) location: Option<LocationSnapshot>,
    pub(super) notifications: Vec<NotificationSettings>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub(super) struct NameSnapshot {
    pub(super) service_area: Option<String>,
    pub(super) customer: Option<String>,
    /// `None` clears the target's.
    pub(super) customer_id: Option<String>,
    /// `None` clears the target's.
    pub(super) store_number: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub(super) struct LocationSnapshot {
    /// Latitude and longitude in degrees.
    pub(super) at: Option<(f64, f64)>,
    pub(super) time_zone: Option<String>,
    pub(super) city: Option<String>,
    /// `None` clears the target's.
    pub(super) state: Option<String>,
    pub(super) country: Option<String>,
}

impl DeviceSnapshot {
    /// Takes the values of the selected options. `notifications` are the source's notification settings, if selected.
    pub(super) fn of(source: &Device, notifications: Vec<NotificationSettings>, options: CopyOptions) -> Self {
        let record = DeviceRecord::of(source);
        let schedule = property(source, properties::SCHEDULE_BLOB).and_then(|blob| blob.value.as_ref()?.as_str());
        Self {
            source: source.dsn.as_str().to_owned(),
            settings: options.settings.then(|| settings(&record.state)),
            // A missing schedule is treated as an empty one.
            schedule: options.schedules.then(|| Schedule::read(schedule.unwrap_or_default()).0.to_string()),
            name: options.name.then_some(NameSnapshot {
                service_area: record.service_area,
                customer: record.customer,
                customer_id: record.customer_id,
                store_number: record.store_number,
            }),
            fragrance: record.fragrance.filter(|_| options.id),
            location: options.location.then_some(LocationSnapshot {
                at: source.lat.zip(source.lng),
                time_zone: record.time_zone,
                city: record.city,
                state: record.state_province,
                country: record.country,
            }),
            notifications,
        }
    }

    /// Audit entries that are the same for all targets: source and copied parts.
    pub(super) fn audit_entries(&self) -> Vec<FieldChange> {
        let parts = [
            ("name", self.name.is_some()),
            ("fragrance", self.fragrance.is_some()),
            ("schedule", self.schedule.is_some()),
            ("settings", self.settings.is_some()),
            ("location", self.location.is_some()),
            ("notifications", !self.notifications.is_empty()),
        ];
        let copied: Vec<&str> = parts.into_iter().filter(|(_, copied)| *copied).map(|(part, _)| part).collect();
        vec![
            FieldChange::new("source", None::<&str>, self.source.as_str()),
            FieldChange::new("copied", None::<&str>, copied.join(", ")),
        ]
    }
}

/// The source's settings that a user can choose. Mode 2 cannot be chosen.
fn settings(state: &DeviceState) -> DeviceSettings {
    DeviceSettings {
        mode: state.mode.filter(|code| Mode::try_from(*code).is_ok_and(|mode| mode != Mode::Two)),
        cycle: state.cycle.filter(|code| OffCycle::try_from(*code).is_ok()),
        intensity: state.intensity,
        fan: state.fan.filter(|code| Fan::try_from(*code).is_ok()),
    }
}
