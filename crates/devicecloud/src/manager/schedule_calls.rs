//! Calls for the schedules of a device. Preconditions are checked in the specified order: manager, session, arguments.

use crate::api::Schedules;
use crate::error::Result;
use crate::manager::ManagedDevice;
use crate::model::{DeviceKey, Schedule};

impl ManagedDevice {
    /// Fetches the schedules. `GET apiv1/devices/{key}/schedules.json`
    ///
    /// # Errors
    /// `Precondition` 'No device manager is available' or 'No session is active'; otherwise as
    /// [`Schedules::list`].
    pub async fn fetch_schedules(&self) -> Result<Vec<Schedule>> {
        let (schedules, key) = self.schedules().await?;
        schedules.list(key).await
    }

    /// Changes a schedule. `PUT apiv1/devices/{key}/schedules/{scheduleKey}.json`
    ///
    /// # Errors
    /// `Precondition` 'No device manager is available' or 'No session is active'; otherwise as
    /// [`Schedules::update`].
    pub async fn update_schedule(&self, schedule: impl Into<Option<Schedule>>) -> Result<Schedule> {
        let (schedules, key) = self.schedules().await?;
        schedules.update(key, schedule).await
    }

    /// Activates a schedule. `PUT apiv1/devices/{key}/schedules/{scheduleKey}.json`
    ///
    /// # Errors
    /// As [`update_schedule`](Self::update_schedule).
    pub async fn enable_schedule(&self, schedule: impl Into<Option<Schedule>>) -> Result<Schedule> {
        let (schedules, key) = self.schedules().await?;
        schedules.enable(key, schedule).await
    }

    /// Deactivates a schedule. `PUT apiv1/devices/{key}/schedules/{scheduleKey}.json`
    ///
    /// # Errors
    /// As [`update_schedule`](Self::update_schedule).
    pub async fn disable_schedule(&self, schedule: impl Into<Option<Schedule>>) -> Result<Schedule> {
        let (schedules, key) = self.schedules().await?;
        schedules.disable(key, schedule).await
    }

    async fn schedules(&self) -> Result<(Schedules, DeviceKey)> {
        let manager = self.require_session().await?;
        Ok((manager.client.schedules(), self.0.state().device.key.clone()))
    }
}
