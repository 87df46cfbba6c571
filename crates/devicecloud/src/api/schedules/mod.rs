//! Calls on the schedules of a device, and their actions.

mod legacy;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use http::Method;

use crate::api::call_group;
use crate::config::endpoints::Service;
use crate::error::messages;
use crate::error::{Error, ErrorKind, Result, required};
use crate::http::{Request, Response};
use crate::model::{DeviceKey, Direction, Schedule, read};
use crate::session::CloudSession;

const OF_DEVICE: &str = "apiv1/devices/{}/schedules.json";

/// Calls for the schedules of a device; returned by [`Client::schedules`](crate::Client::schedules). A device gets its schedules from its
/// template when it is registered. For their actions see [`schedule_actions`](crate::Client::schedule_actions).
///
/// ```no_run
/// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
/// let schedules = client.schedules();
/// for mut schedule in schedules.list(41).await? {
///     schedule.start_time_each_day = "09:00:00".into();
///     schedules.enable(41, schedule).await?;
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Schedules {
    session: Arc<CloudSession>,
    retries: bool,
}

call_group!(Schedules);

impl Schedules {
    /// The schedules of a device. `GET apiv1/devices/{key}/schedules.json`
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'Device key is required'; `Server` with status 404 if
    /// there is no such device or it is not visible to you; see [`Client`](crate::Client) for errors of all calls.
    pub async fn list(&self, device: impl Into<DeviceKey>) -> Result<Vec<Schedule>> {
        self.call(device_request(Method::GET, &device.into())).await?.read(read::many)
    }

    /// Changes a schedule that was fetched from the cloud. If the response is empty or has an unknown shape, returns
    /// the schedule as it was sent. `PUT apiv1/devices/{key}/schedules/{scheduleKey}.json`
    ///
    /// # Errors
    /// As [`list`](Self::list); `InvalidArgument` 'Invalid schedule', 'Updating a Schedule requires that the Schedule
    /// was first fetched from the service', 'Start Time for each Day is required' or 'Schedule direction is required';
    /// `Server` with status 403 if you may not change it, 422 if the cloud rejects a field.
    pub async fn update(
        &self,
        device: impl Into<DeviceKey>,
        schedule: impl Into<Option<Schedule>>,
    ) -> Result<Schedule> {
        let (device, schedule) = (device.into(), schedule.into());
        let request = update(&device, schedule.as_ref());
        let response = self.call(request).await?;
        Ok(response.read_if_possible(read::one).unwrap_or_else(|| schedule.unwrap_or_default()))
    }

    /// Activates a schedule. `PUT apiv1/devices/{key}/schedules/{scheduleKey}.json`
    ///
    /// # Errors
    /// As [`update`](Self::update).
    pub async fn enable(
        &self,
        device: impl Into<DeviceKey>,
        schedule: impl Into<Option<Schedule>>,
    ) -> Result<Schedule> {
        self.update(device, schedule.into().map(|schedule| Schedule { active: true, ..schedule })).await
    }

    /// Deactivates a schedule. `PUT apiv1/devices/{key}/schedules/{scheduleKey}.json`
    ///
    /// # Errors
    /// As [`update`](Self::update).
    pub async fn disable(
        &self,
        device: impl Into<DeviceKey>,
        schedule: impl Into<Option<Schedule>>,
    ) -> Result<Schedule> {
        self.update(device, schedule.into().map(|schedule| Schedule { active: false, ..schedule })).await
    }

    async fn call(&self, request: Result<Request>) -> Result<Response> {
        let request = request.map(|request| request.retries(self.retries));
        self.session.call(messages::NO_SESSION_ACTIVE, request).await
    }
}

fn device_request(method: Method, device: &DeviceKey) -> Result<Request> {
    required(device.is_blank(), messages::DEVICE_KEY_REQUIRED)?;
    Request::new(method, Service::Device, OF_DEVICE, &[device.as_str()])
}

fn update(device: &DeviceKey, schedule: Option<&Schedule>) -> Result<Request> {
    required(device.is_blank(), messages::DEVICE_KEY_REQUIRED)?;
    let schedule = required_schedule(schedule)?;
    required(schedule.key.is_blank(), messages::SCHEDULE_NOT_FETCHED)?;
    check(schedule)?;
    let route = "apiv1/devices/{}/schedules/{}.json";
    let request = Request::new(Method::PUT, Service::Device, route, &[device.as_str(), schedule.key.as_str()])?;
    Ok(request.body(schedule.to_wire()))
}

fn required_schedule(schedule: Option<&Schedule>) -> Result<&Schedule> {
    schedule.ok_or_else(|| Error::new(ErrorKind::InvalidArgument, messages::INVALID_SCHEDULE))
}

/// Checks the fields that every write requires.
fn check(schedule: &Schedule) -> Result<()> {
    required(schedule.start_time_each_day.trim().is_empty(), messages::START_TIME_REQUIRED)?;
    let direction = schedule.direction.as_ref().map(Direction::as_str);
    required(direction.is_none_or(|text| text.trim().is_empty()), messages::SCHEDULE_DIRECTION_REQUIRED)
}
