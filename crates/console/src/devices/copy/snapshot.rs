//! What is copied from a device.

use devicecloud::Device;
use diffuser::{Fan, Mode, OffCycle, Schedule, properties};
use serde::{Deserialize, Serialize};

use super::form::CopyOptions;
use crate::audit::FieldChange;
use crate::devices::dto::DeviceSettings;
use crate::devices::notifications::NotificationSettings;
use crate::records::{DeviceRecord, DeviceState, property};

/// What the source was when somebody asked for the copy; of an option that was not chosen, nothing. What every device must have
/// and the source lacks is not copied.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub(crate) struct DeviceSnapshot {
    /// The dsn of the source.
    pub(super) source: String,
    pub(super) name: Option<NameSnapshot>,
    pub(super) fragrance: Option<String>,
    /// As a device stores it.
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
    /// `notifications`: what the source tells to whom, if that is to be copied.
    pub(super) fn of(source: &Device, notifications: Vec<NotificationSettings>, options: CopyOptions) -> Self {
        let record = DeviceRecord::of(source);
        let schedule = property(source, properties::SCHEDULE_BLOB).and_then(|blob| blob.value.as_ref()?.as_str());
        Self {
            source: source.dsn.as_str().to_owned(),
            settings: options.settings.then(|| settings(&record.state)),
            // A source without a schedule is shown with an empty one.
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

    /// What is the same for all targets, for the audit: from where, and what.
    pub(crate) fn changes(&self) -> Vec<FieldChange> {
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

/// What the source is set to, as far as a user could have chosen it: nobody chooses mode 2.
fn settings(state: &DeviceState) -> DeviceSettings {
    DeviceSettings {
        mode: state.mode.filter(|code| Mode::try_from(*code).is_ok_and(|mode| mode != Mode::Two)),
        cycle: state.cycle.filter(|code| OffCycle::try_from(*code).is_ok()),
        intensity: state.intensity,
        fan: state.fan.filter(|code| Fan::try_from(*code).is_ok()),
    }
}
