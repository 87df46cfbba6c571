//! What an older interface could do with schedules: today a device's template makes them.

use reqwest::Method;

use super::{Schedules, check, given, of_device};
use crate::api::required;
use crate::endpoints::Service;
use crate::error::Result;
use crate::http::Request;
use crate::messages;
use crate::model::{DeviceKey, Schedule, ScheduleKey, read};

impl Schedules {
    /// Makes a schedule. It is sent once: making is not idempotent. When the answer is empty or has an unknown shape, the
    /// schedule is returned as it was sent, with a blank key. `POST apiv1/devices/{key}/schedules.json`
    ///
    /// # Errors
    /// As [`update`](Self::update); whatever key it has is left out.
    #[deprecated(note = "a device gets its schedules from its template")]
    pub async fn create(
        &self,
        device: impl Into<DeviceKey>,
        schedule: impl Into<Option<Schedule>>,
    ) -> Result<Schedule> {
        let schedule = schedule.into().map(|schedule| Schedule { key: ScheduleKey::default(), ..schedule });
        let device = device.into();
        let answer = self.call(create(&device, schedule.as_ref())).await?;
        Ok(answer.read_if_possible(read::one).unwrap_or_else(|| schedule.unwrap_or_default()))
    }

    /// Deletes a schedule that was fetched before. `DELETE apiv1/schedules/{scheduleKey}.json`
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'Deleting a Schedule requires that the Schedule was first fetched
    /// from the service'; `Server` with status 404 when there is no such schedule, 403 when it is not yours to delete; see
    /// [`Client`](crate::Client) for what any call may return.
    #[deprecated(note = "a device gets its schedules from its template")]
    pub async fn delete(&self, schedule: impl Into<Option<Schedule>>) -> Result<()> {
        self.call(delete(schedule.into().as_ref())).await.map(drop)
    }
}

fn create(device: &DeviceKey, schedule: Option<&Schedule>) -> Result<Request> {
    let request = of_device(Method::POST, device)?;
    let schedule = given(schedule)?;
    check(schedule)?;
    Ok(request.body(schedule.to_wire()))
}

fn delete(schedule: Option<&Schedule>) -> Result<Request> {
    let key = schedule.map(|schedule| schedule.key.clone()).unwrap_or_default();
    required(key.is_blank(), messages::SCHEDULE_NOT_FETCHED_TO_DELETE)?;
    Request::new(Method::DELETE, Service::Device, "apiv1/schedules/{}.json", &[key.as_str()])
}
