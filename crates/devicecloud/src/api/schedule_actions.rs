use std::sync::Arc;

use http::Method;

use crate::api::call_group;
use crate::config::endpoints::Service;
use crate::error::messages;
use crate::error::{Error, ErrorKind, Outcome, Result, required};
use crate::http::{Request, Response};
use crate::model::{ScheduleAction, ScheduleActionKey, ScheduleKey, read};
use crate::session::CloudSession;

const OF_SCHEDULE: &str = "apiv1/schedules/{}/schedule_actions.json";
const ONE: &str = "apiv1/schedule_actions/{}.json";

/// Calls for the actions of schedules; returned by [`Client::schedule_actions`](crate::Client::schedule_actions). The message of an error is the
/// response body.
///
/// ```no_run
/// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
/// use devicecloud::{BaseType, FirePoint, ScheduleAction};
///
/// let actions = client.schedule_actions();
/// let on = ScheduleAction::new("fan", BaseType::Integer, 1).fire_at(FirePoint::AtStart);
/// let on = actions.create(7, on).await?;
/// actions.update(on.fire_at(FirePoint::InRange)).await?;
/// actions.delete_all(7).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ScheduleActions {
    session: Arc<CloudSession>,
    retries: bool,
}

call_group!(ScheduleActions);

impl ScheduleActions {
    /// Creates an action. Never retried, because it is not idempotent. If the response is empty or has an unknown
    /// shape, returns the action as it was sent, with a blank key. `POST apiv1/schedules/{key}/schedule_actions.json`
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'Schedule key is required', or for a missing part of
    /// the action: 'Invalid Schedule Action', 'Schedule Action Name is required', 'Schedule Action Type is required',
    /// 'Schedule Action value is required' or 'Schedule Action base type is required'; `Server` with status 404 if
    /// there is no such schedule, 403 if you may not change it, 422 if the cloud rejects the action; see [`Client`](crate::Client) for
    /// errors of all calls.
    pub async fn create(
        &self,
        schedule: impl Into<ScheduleKey>,
        action: impl Into<Option<ScheduleAction>>,
    ) -> Result<ScheduleAction> {
        let action = action.into().map(|action| ScheduleAction { key: ScheduleActionKey::default(), ..action });
        let schedule = schedule.into();
        let request = schedule_request(Method::POST, &schedule).and_then(|request| with(request, action.as_ref()));
        self.written(request, action).await
    }

    /// The actions of a schedule. `GET apiv1/schedules/{key}/schedule_actions.json`
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'Schedule key is required'; `Server` with status 404 if
    /// there is no such schedule or it is not visible to you; see [`Client`](crate::Client) for errors of all calls.
    pub async fn list(&self, schedule: impl Into<ScheduleKey>) -> Result<Vec<ScheduleAction>> {
        self.call(schedule_request(Method::GET, &schedule.into())).await?.read(read::many)
    }

    /// Changes an action that was fetched from the cloud. If the response is empty or has an unknown shape, returns the
    /// action as it was sent. `PUT apiv1/schedule_actions/{key}.json`
    ///
    /// # Errors
    /// As [`create`](Self::create); `InvalidArgument` 'Invalid Schedule Action Key.The Schedule Action should be first fetched
    /// from the service'.
    pub async fn update(&self, action: impl Into<Option<ScheduleAction>>) -> Result<ScheduleAction> {
        let action = action.into();
        let request =
            check(action.as_ref()).and_then(|action| with(action_request(Method::PUT, &action.key)?, Some(action)));
        self.written(request, action).await
    }

    /// Changes several actions one by one, stopping at the first failure.
    ///
    /// # Errors
    /// As [`update`](Self::update); `InvalidArgument` 'Invalid Schedule Actions' if there are none.
    pub async fn update_all(&self, actions: impl IntoIterator<Item = ScheduleAction>) -> Result<Vec<ScheduleAction>> {
        let mut actions = actions.into_iter().peekable();
        if actions.peek().is_none() {
            self.session.require(messages::NO_SESSION_ACTIVE).await?;
            required(true, messages::INVALID_SCHEDULE_ACTIONS)?;
        }
        let mut updated = Vec::new();
        let mut earlier = Outcome::NotSent;
        for action in actions {
            updated.push(self.update(action).await.map_err(|error| error.after(earlier))?);
            earlier = Outcome::Done;
        }
        Ok(updated)
    }

    /// Deletes an action. `DELETE apiv1/schedule_actions/{key}.json`
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'Invalid Schedule Action Key.The Schedule Action should
    /// be first fetched from the service'; `Server` with status 404 if there is no such action, 403 if you may not
    /// change it; see [`Client`](crate::Client) for errors of all calls.
    pub async fn delete(&self, action: impl Into<ScheduleActionKey>) -> Result<()> {
        self.call(action_request(Method::DELETE, &action.into())).await.map(drop)
    }

    /// Fetches the actions of a schedule and starts deleting each of them, without waiting for the result. Failures are
    /// logged.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn delete_all(&self, schedule: impl Into<ScheduleKey>) -> Result<()> {
        for action in self.list(schedule).await? {
            let actions = self.clone();
            tokio::spawn(async move {
                if let Err(error) = actions.delete(&action.key).await {
                    tracing::warn!(key = %action.key, status = error.status(), "a schedule action was not deleted");
                }
            });
        }
        Ok(())
    }

    async fn written(&self, request: Result<Request>, action: Option<ScheduleAction>) -> Result<ScheduleAction> {
        let response = self.call(request).await?;
        Ok(response.read_if_possible(read::one).unwrap_or_else(|| action.unwrap_or_default()))
    }

    async fn call(&self, request: Result<Request>) -> Result<Response> {
        let request = request.map(|request| request.retries(self.retries).with_raw_error_body());
        self.session.call(messages::NO_SESSION_ACTIVE, request).await
    }
}

fn schedule_request(method: Method, schedule: &ScheduleKey) -> Result<Request> {
    required(schedule.is_blank(), messages::SCHEDULE_KEY_REQUIRED)?;
    Request::new(method, Service::Device, OF_SCHEDULE, &[schedule.as_str()])
}

fn action_request(method: Method, action: &ScheduleActionKey) -> Result<Request> {
    required(action.is_blank(), messages::SCHEDULE_ACTION_NOT_FETCHED)?;
    Request::new(method, Service::Device, ONE, &[action.as_str()])
}

fn with(request: Request, action: Option<&ScheduleAction>) -> Result<Request> {
    Ok(request.body(check(action)?.to_wire()?))
}

fn check(action: Option<&ScheduleAction>) -> Result<&ScheduleAction> {
    let missing = || Error::new(ErrorKind::InvalidArgument, messages::INVALID_SCHEDULE_ACTION);
    let action = action.ok_or_else(missing)?;
    required(action.name.trim().is_empty(), messages::SCHEDULE_ACTION_NAME_REQUIRED)?;
    required(action.action_type.trim().is_empty(), messages::SCHEDULE_ACTION_TYPE_REQUIRED)?;
    required(action.value.is_none(), messages::SCHEDULE_ACTION_VALUE_REQUIRED)?;
    let base_type = action.base_type.as_ref().map(crate::model::BaseType::as_str);
    required(base_type.is_none_or(|text| text.trim().is_empty()), messages::SCHEDULE_ACTION_BASE_TYPE_REQUIRED)?;
    Ok(action)
}
