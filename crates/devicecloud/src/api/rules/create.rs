use reqwest::Method;
use serde_json::json;

use super::{ALL, Rules};
use crate::endpoints::Service;
use crate::error::Result;
use crate::http::Request;
use crate::model::{Rule, RuleActionUuid, read};

/// A rule to make; made by [`Rules::create`].
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

    /// A text for people.
    pub fn description(self, description: impl Into<String>) -> Self {
        Self { rule: Rule { description: Some(description.into()), ..self.rule }, ..self }
    }

    /// Whether it fires from the beginning. Without it the cloud decides.
    pub fn enabled(self, is_enabled: bool) -> Self {
        Self { is_enabled: Some(is_enabled), ..self }
    }

    /// Makes the rule. When the answer is empty or has an unknown shape, the rule is returned as it was sent, with a blank id.
    ///
    /// # Errors
    /// `Precondition` 'No session is action'; `Server` with the body of the answer, 422 when the cloud does not take the
    /// expression or an action; see [`Client`](crate::Client) for what any call may return.
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
        let answer = self.rules.call(request.map(|request| request.body(json!({"rule": rule})))).await?;
        let unread = || Rule { is_enabled: self.is_enabled.unwrap_or_default(), ..self.rule.clone() };
        Ok(answer.read_if_possible(read::one).unwrap_or_else(unread))
    }
}
