//! The schedules of a device. Its manager comes first, then the session, then the arguments.

use crate::error::Result;
use crate::manager::ManagedDevice;
use crate::model::Schedule;

impl ManagedDevice {
    /// Reads the schedules. `GET apiv1/devices/{key}/schedules.json`
    ///
    /// # Errors
    /// `Precondition` 'No device manager is available' or 'No session is active'; otherwise as
    /// [`Schedules::list`](crate::api::Schedules::list).
    pub async fn fetch_schedules(&self) -> Result<Vec<Schedule>> {
        let manager = self.in_session().await?;
        let key = self.0.facts().device.key.clone();
        manager.client.schedules().list(key).await
    }

    /// Changes a schedule. `PUT apiv1/devices/{key}/schedules/{scheduleKey}.json`
    ///
    /// # Errors
    /// `Precondition` 'No device manager is available' or 'No session is active'; otherwise as
    /// [`Schedules::update`](crate::api::Schedules::update).
    pub async fn update_schedule(&self, schedule: impl Into<Option<Schedule>>) -> Result<Schedule> {
        let manager = self.in_session().await?;
        let key = self.0.facts().device.key.clone();
        manager.client.schedules().update(key, schedule).await
    }

    /// Lets a schedule do what it does. `PUT apiv1/devices/{key}/schedules/{scheduleKey}.json`
    ///
    /// # Errors
    /// As [`update_schedule`](Self::update_schedule).
    pub async fn enable_schedule(&self, schedule: impl Into<Option<Schedule>>) -> Result<Schedule> {
        self.update_schedule(schedule.into().map(|schedule| Schedule { active: true, ..schedule })).await
    }

    /// Lets a schedule rest. `PUT apiv1/devices/{key}/schedules/{scheduleKey}.json`
    ///
    /// # Errors
    /// As [`update_schedule`](Self::update_schedule).
    pub async fn disable_schedule(&self, schedule: impl Into<Option<Schedule>>) -> Result<Schedule> {
        self.update_schedule(schedule.into().map(|schedule| Schedule { active: false, ..schedule })).await
    }
}
