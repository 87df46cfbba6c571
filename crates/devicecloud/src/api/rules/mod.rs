//! Calls on rules and their actions.

mod create;
mod list;
#[cfg(test)]
mod tests;

pub use create::CreateRule;
pub use list::ListRules;

use std::sync::Arc;

use http::Method;
use serde_json::{Value, json};

use crate::api::call_group;
use crate::config::endpoints::Service;
use crate::error::messages;
use crate::error::{Result, required};
use crate::http::{Request, Response};
use crate::model::read::FromWire;
use crate::model::{Rule, RuleAction, RuleActionUuid, RuleUuid, read};
use crate::session::CloudSession;

const ALL: &str = "rulesservice/v1/rules.json";
const ONE: &str = "rulesservice/v1/rules/{}.json";

/// Calls for rules, by which the cloud reacts to device events; returned by [`Client::rules`](crate::Client::rules).
///
/// ```no_run
/// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
/// use devicecloud::{RuleAction, RuleSubject};
///
/// let refill = RuleAction::email("Refill", ["jo@example.com"], "A cartridge is nearly empty", "Please refill it.");
/// let refill = client.rule_actions().create(&refill).await?;
/// let expression = format!("{} < 20", RuleSubject::datapoint("AC000W000000001", "level"));
/// let rule = client.rules().create("Low level", expression, [refill.action_uuid]).send().await?;
/// client.rules().disable(&rule.rule_uuid).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Rules {
    session: Arc<CloudSession>,
    retries: bool,
}

call_group!(Rules);

impl Rules {
    /// Creates a rule. Never retried, because it is not idempotent. `POST rulesservice/v1/rules.json`
    pub fn create(
        &self,
        name: impl Into<String>,
        expression: impl Into<String>,
        actions: impl IntoIterator<Item = impl Into<RuleActionUuid>>,
    ) -> CreateRule {
        let rule = Rule {
            name: name.into(),
            expression: expression.into(),
            action_ids: actions.into_iter().map(Into::into).collect(),
            ..Rule::default()
        };
        CreateRule::new(self.clone(), rule)
    }

    /// Lists the rules of the signed-in user; for administrators, those of a device or a user.
    /// `GET rulesservice/v1/rules.json`
    pub fn list(&self) -> ListRules {
        ListRules::new(self.clone())
    }

    /// One rule. `GET rulesservice/v1/rules/{uuid}.json`
    ///
    /// # Errors
    /// `Precondition` 'No session is action'; `InvalidArgument` 'Rule UUID is requried'; `Server` with the response
    /// body as its message: 404 if there is no such rule or it is not visible to you; see [`Client`](crate::Client) for errors of all
    /// calls.
    pub async fn get(&self, rule: impl Into<RuleUuid>) -> Result<Rule> {
        self.call(rule_request(Method::GET, ONE, &rule.into())).await?.read(read::one)
    }

    /// Deletes a rule. Its actions are kept. `DELETE rulesservice/v1/rules/{uuid}.json`
    ///
    /// # Errors
    /// As [`get`](Self::get); 403 if you may not delete it.
    pub async fn delete(&self, rule: impl Into<RuleUuid>) -> Result<()> {
        self.call(rule_request(Method::DELETE, ONE, &rule.into())).await.map(drop)
    }

    /// Enables a rule. If the response is empty or has an unknown shape, the returned rule has only its id.
    /// `POST rulesservice/v1/rules/{uuid}.json`
    ///
    /// # Errors
    /// As [`delete`](Self::delete).
    pub async fn enable(&self, rule: impl Into<RuleUuid>) -> Result<Rule> {
        self.switch(rule.into(), true).await
    }

    /// Disables a rule. If the response is empty or has an unknown shape, the returned rule has only its id.
    /// `POST rulesservice/v1/rules/{uuid}.json`
    ///
    /// # Errors
    /// As [`delete`](Self::delete).
    pub async fn disable(&self, rule: impl Into<RuleUuid>) -> Result<Rule> {
        self.switch(rule.into(), false).await
    }

    /// The actions of a rule. `GET rulesservice/v1/rules/{uuid}/actions.json`
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub async fn actions(&self, rule: impl Into<RuleUuid>) -> Result<Vec<RuleAction>> {
        let request = rule_request(Method::GET, "rulesservice/v1/rules/{}/actions.json", &rule.into());
        self.call(request).await?.read(|response| read_list("actions", response))
    }

    async fn switch(&self, rule_uuid: RuleUuid, is_enabled: bool) -> Result<Rule> {
        let request = rule_request(Method::POST, ONE, &rule_uuid);
        let request = request.map(|request| request.body(json!({"rule": {"is_enabled": is_enabled}})));
        let response = self.call(request).await?;
        Ok(response.read_if_possible(read::one).unwrap_or(Rule { rule_uuid, is_enabled, ..Rule::default() }))
    }

    async fn call(&self, request: Result<Request>) -> Result<Response> {
        let request = request.map(|request| request.retries(self.retries).with_raw_error_body());
        self.session.call(messages::NO_SESSION_ACTION, request).await
    }
}

fn rule_request(method: Method, route: &'static str, rule: &RuleUuid) -> Result<Request> {
    required(rule.is_blank(), messages::RULE_UUID_REQUIRED)?;
    Request::new(method, Service::Rules, route, &[rule.as_str()])
}

/// Reads `{"rules": […]}`: in this service lists have a wrapper and their items do not.
pub(super) fn read_list<T: FromWire>(wrapper: &str, response: &Value) -> Option<Vec<T>> {
    read::many(response.get(wrapper)?)
}
