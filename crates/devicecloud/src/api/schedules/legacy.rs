//! Deprecated calls for creating and deleting schedules. Today schedules come from the device's template.

use http::Method;

use super::{Schedules, check, device_request, required_schedule};
use crate::config::endpoints::Service;
use crate::error::messages;
use crate::error::{Result, required};
use crate::http::Request;
use crate::model::{DeviceKey, Schedule, ScheduleKey, read};

impl Schedules {
    /// Creates a schedule. Never retried, because it is not idempotent. If the response is empty or has an unknown
    /// shape, returns the schedule as it was sent, with a blank key. `POST apiv1/devices/{key}/schedules.json`
    ///
    /// # Errors
    /// As [`update`](Self::update), except those for the key, which is not sent.
    #[deprecated(note = "a device gets its schedules from its template")]
    pub async fn create(
        &self,
        device: impl Into<DeviceKey>,
        schedule: impl Into<Option<Schedule>>,
    ) -> Result<Schedule> {
        let schedule = schedule.into().map(|schedule| Schedule { key: ScheduleKey::default(), ..schedule });
        let device = device.into();
        let response = self.call(create(&device, schedule.as_ref())).await?;
        Ok(response.read_if_possible(read::one).unwrap_or_else(|| schedule.unwrap_or_default()))
    }

    /// Deletes a schedule that was fetched from the cloud. `DELETE apiv1/schedules/{scheduleKey}.json`
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'Deleting a Schedule requires that the Schedule was
    /// first fetched from the service'; `Server` with status 404 if there is no such schedule, 403 if you may not
    /// delete it; see [`Client`](crate::Client) for errors of all calls.
    #[deprecated(note = "a device gets its schedules from its template")]
    pub async fn delete(&self, schedule: impl Into<Option<Schedule>>) -> Result<()> {
        self.call(delete(schedule.into().as_ref())).await.map(drop)
    }
}

fn create(device: &DeviceKey, schedule: Option<&Schedule>) -> Result<Request> {
    let request = device_request(Method::POST, device)?;
    let schedule = required_schedule(schedule)?;
    check(schedule)?;
    Ok(request.body(schedule.to_wire()))
}

fn delete(schedule: Option<&Schedule>) -> Result<Request> {
    let key = schedule.map(|schedule| schedule.key.clone()).unwrap_or_default();
    required(key.is_blank(), messages::SCHEDULE_NOT_FETCHED_TO_DELETE)?;
    Request::new(Method::DELETE, Service::Device, "apiv1/schedules/{}.json", &[key.as_str()])
}
