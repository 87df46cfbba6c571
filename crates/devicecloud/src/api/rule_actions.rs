use std::fmt;
use std::sync::Arc;

use http::Method;

use crate::api::call_group;
use crate::api::rules::read_list;
use crate::config::endpoints::Service;
use crate::error::messages;
use crate::error::{Error, ErrorKind, Result, required};
use crate::http::{Request, Response};
use crate::model::{RuleAction, RuleActionUuid, read};
use crate::session::CloudSession;

const ALL: &str = "rulesservice/v1/actions.json";
const ONE: &str = "rulesservice/v1/actions/{}.json";

/// Calls for the actions of rules; returned by [`Client::rule_actions`](crate::Client::rule_actions).
///
/// ```no_run
/// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
/// use devicecloud::RuleAction;
///
/// let actions = client.rule_actions();
/// let stop = actions.create(&RuleAction::datapoint("AC000W000000001", "fan", "=", 0)?).await?;
/// let stop = actions.update(stop.with_name("Stop the fan")).await?;
/// actions.delete(&stop.action_uuid).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct RuleActions {
    session: Arc<CloudSession>,
    retries: bool,
}

call_group!(RuleActions);

impl RuleActions {
    /// Creates an action. Never retried, because it is not idempotent. If the response is empty or has an unknown
    /// shape, returns the action as it was sent, with a blank id. `POST rulesservice/v1/actions.json`
    ///
    /// # Errors
    /// `Precondition` 'No session is action'; `Server` with the response body as its message: 422 if the cloud rejects
    /// the action, 403 if you may not command its device; see [`Client`](crate::Client) for errors of all calls.
    pub async fn create(&self, action: &RuleAction) -> Result<RuleAction> {
        let request = Request::new(Method::POST, Service::Rules, ALL, &[]);
        let response = self.call(request.map(|request| request.body(action.to_wire()))).await?;
        let as_sent = || RuleAction { action_uuid: RuleActionUuid::default(), ..action.clone() };
        Ok(response.read_if_possible(read::one).unwrap_or_else(as_sent))
    }

    /// The actions of the signed-in user. `GET rulesservice/v1/actions.json`
    ///
    /// # Errors
    /// `Precondition` 'No session is action'; `Server` with the response body as its message; see [`Client`](crate::Client) for errors
    /// of all calls.
    pub async fn list(&self) -> Result<Vec<RuleAction>> {
        let request = Request::new(Method::GET, Service::Rules, ALL, &[]);
        self.call(request).await?.read(|response| read_list("actions", response))
    }

    /// One action. `GET rulesservice/v1/actions/{uuid}.json`
    ///
    /// # Errors
    /// As [`list`](Self::list); `InvalidArgument` 'UUID is requried'; 404 if there is no such action or it is not
    /// visible to you.
    pub async fn get(&self, action: impl Into<RuleActionUuid>) -> Result<RuleAction> {
        self.call(action_request(Method::GET, &action.into())).await?.read(read::one)
    }

    /// Deletes an action. `DELETE rulesservice/v1/actions/{uuid}.json`
    ///
    /// # Errors
    /// As [`get`](Self::get); 409 while a rule uses it.
    pub async fn delete(&self, action: impl Into<RuleActionUuid>) -> Result<()> {
        self.call(action_request(Method::DELETE, &action.into())).await.map(drop)
    }

    /// Changes an action by deleting and recreating it, so that it gets a new id. Members that this library does not know
    /// are sent back as they were read. Neither request is retried: after a
    /// lost response, a second delete would fail with 404.
    ///
    /// # Errors
    /// `Precondition` 'No session is action'; `InvalidArgument` 'Invalid action, Make sure that Action is first fetched
    /// from the cloud' for `None` or an action without an id; the errors of [`delete`](Self::delete): if the cloud
    /// rejected it, nothing has changed; if no response arrived, the action may be deleted; `OperationIncomplete` if
    /// the action was deleted but not recreated: the source is a [`RecreateRuleActionError`], and the outcome is
    /// `Unknown`.
    pub async fn update(&self, action: impl Into<Option<RuleAction>>) -> Result<RuleAction> {
        let action = action.into().filter(|action| !action.action_uuid.is_blank());
        let Some(action) = action else {
            self.session.require(messages::NO_SESSION_ACTION).await?;
            return Err(Error::new(ErrorKind::InvalidArgument, messages::ACTION_NOT_FETCHED));
        };
        let deleted = self.clone().without_retry().delete(&action.action_uuid).await;
        deleted.map_err(|error| error.with_repeatable(false))?;
        match self.create(&action).await {
            Ok(recreated) => Ok(recreated),
            Err(reason) => {
                let error = Error::new(ErrorKind::OperationIncomplete, reason.message()).quoting_response();
                Err(error.with_source(RecreateRuleActionError { action, reason }))
            }
        }
    }

    async fn call(&self, request: Result<Request>) -> Result<Response> {
        let request = request.map(|request| request.retries(self.retries).with_raw_error_body());
        self.session.call(messages::NO_SESSION_ACTION, request).await
    }
}

fn action_request(method: Method, action: &RuleActionUuid) -> Result<Request> {
    required(action.is_blank(), messages::UUID_REQUIRED)?;
    Request::new(method, Service::Rules, ONE, &[action.as_str()])
}

/// The source of the `OperationIncomplete` error of [`RuleActions::update`]: the action was deleted but could not be
/// recreated.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecreateRuleActionError {
    /// The changed action, for another attempt.
    pub action: RuleAction,
    /// Why it could not be recreated. If no response arrived, it may exist anyway.
    pub reason: Error,
}

impl fmt::Display for RecreateRuleActionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the action was deleted and could not be recreated")
    }
}

impl std::error::Error for RecreateRuleActionError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.reason)
    }
}
