//! Stored actions of rules.

use serde_json::Value;

use crate::domain::rule::Assignment;
use crate::store::json::metadata;
use crate::store::rule_actions::RuleActionRow;

/// The action types.
pub(crate) const EMAIL: &str = "EMAIL";
pub(crate) const DATAPOINT: &str = "DATAPOINT";

/// A parsed action.
pub(super) enum ParsedAction {
    Email { to: Vec<String>, subject: String, body: String },
    Datapoint(Assignment),
}

impl ParsedAction {
    /// `None` for a row that no version of the cloud writes.
    pub(super) fn of(row: &RuleActionRow) -> Option<Self> {
        let parameters = metadata(Some(&row.parameters));
        let text = |name: &str| parameters[name].as_str();
        match &*row.action_type {
            EMAIL => Some(Self::Email {
                to: parameters["email_to"].as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
                subject: text("email_subject")?.to_owned(),
                body: text("email_body")?.to_owned(),
            }),
            DATAPOINT => Some(Self::Datapoint(text("datapoint")?.parse().ok()?)),
            _ => None,
        }
    }
}
