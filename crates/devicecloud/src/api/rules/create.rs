use http::Method;
use serde_json::json;

use super::{ALL, Rules};
use crate::config::endpoints::Service;
use crate::error::Result;
use crate::http::Request;
use crate::model::{Rule, RuleActionUuid, read};

/// Builder for creating a rule; returned by [`Rules::create`].
#[derive(Clone, Debug)]
#[must_use]
pub struct CreateRule {
    rules: Rules,
    rule: Rule,
    is_enabled: Option<bool>,
}

impl CreateRule {
    pub(super) fn new(rules: Rules, rule: Rule) -> Self {
        Self { rules, rule, is_enabled: None }
    }

    /// A description.
    pub fn description(self, description: impl Into<String>) -> Self {
        Self { rule: Rule { description: Some(description.into()), ..self.rule }, ..self }
    }

    /// Whether the rule is enabled at first. The cloud decides by default.
    pub fn enabled(self, is_enabled: bool) -> Self {
        Self { is_enabled: Some(is_enabled), ..self }
    }

    /// Creates the rule. If the response is empty or has an unknown shape, returns the rule as it was sent, with a
    /// blank id.
    ///
    /// # Errors
    /// `Precondition` 'No session is action'; `Server` with the response body as its message: 422 if the cloud rejects
    /// the expression or an action; see [`Client`](crate::Client) for errors of all calls.
    pub async fn send(&self) -> Result<Rule> {
        let Rule { name, expression, description, action_ids, .. } = &self.rule;
        let actions: Vec<&str> = action_ids.iter().map(RuleActionUuid::as_str).collect();
        let mut rule = json!({"name": name, "expression": expression, "action_ids": actions});
        if let Some(description) = description {
            rule["description"] = description.as_str().into();
        }
        if let Some(is_enabled) = self.is_enabled {
            rule["is_enabled"] = is_enabled.into();
        }
        let request = Request::new(Method::POST, Service::Rules, ALL, &[]);
        let response = self.rules.call(request.map(|request| request.body(json!({"rule": rule})))).await?;
        let as_sent = || Rule { is_enabled: self.is_enabled.unwrap_or_default(), ..self.rule.clone() };
        Ok(response.read_if_possible(read::one).unwrap_or_else(as_sent))
    }
}
