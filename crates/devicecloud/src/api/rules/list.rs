use http::Method;

use super::{ALL, Rules, read_list};
use crate::config::endpoints::Service;
use crate::error::Result;
use crate::http::Request;
use crate::model::{Rule, RuleType};

/// Builder for listing rules; returned by [`Rules::list`]. Administrators must set type and id; other users set
/// neither.
#[derive(Clone, Debug)]
#[must_use]
pub struct ListRules {
    rules: Rules,
    rule_type: Option<RuleType>,
    id: Option<String>,
}

impl ListRules {
    pub(super) fn new(rules: Rules) -> Self {
        Self { rules, rule_type: None, id: None }
    }

    /// Whether [`id`](Self::id) is that of a device or a user. Sent only together with the id.
    pub fn rule_type(self, rule_type: impl Into<Option<RuleType>>) -> Self {
        Self { rule_type: rule_type.into(), ..self }
    }

    /// The serial number of a device, or the UUID of a user. Sent only together with the type.
    pub fn id(self, id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..self }
    }

    /// Fetches the rules. An error response is also logged, without its body.
    ///
    /// # Errors
    /// `Precondition` 'No session is action'; `Server` with the response body as its message: 422 if the cloud requires
    /// type and id, 404 if there is no such device or user; see [`Client`](crate::Client) for errors of all calls.
    pub async fn send(&self) -> Result<Vec<Rule>> {
        let request = Request::new(Method::GET, Service::Rules, ALL, &[]).map(|request| {
            match (&self.rule_type, self.id.as_deref().filter(|id| !id.trim().is_empty())) {
                (Some(rule_type), Some(id)) => request.query("type", rule_type.as_str()).query("id", id),
                _ => request,
            }
        });
        let response = self.rules.call(request).await.inspect_err(|error| {
            if let Some(status) = error.status() {
                tracing::error!(kind = ?error.kind(), status, "the rules could not be listed");
            }
        });
        response?.read(|response| read_list("rules", response))
    }
}
