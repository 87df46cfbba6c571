//! Actions of rules, and how they are stored.

use serde_json::{Value, json};

use crate::domain::rule::Assignment;
use crate::store::json::metadata;
use crate::store::rule_actions::RuleActionRow;

/// The action types.
pub(crate) const EMAIL: &str = "EMAIL";
pub(crate) const DATAPOINT: &str = "DATAPOINT";

/// A validated action.
#[derive(Clone, Debug)]
pub(crate) enum ActionInput {
    Email {
        to: Vec<String>,
        subject: String,
        body: String,
    },
    Datapoint {
        /// As written by the caller.
        text: String,
        assignment: Assignment,
    },
}

impl ActionInput {
    pub(super) fn action_type(&self) -> &'static str {
        match self {
            Self::Email { .. } => EMAIL,
            Self::Datapoint { .. } => DATAPOINT,
        }
    }

    /// A JSON object.
    pub(super) fn parameters(&self) -> Value {
        match self {
            Self::Email { to, subject, body } => {
                json!({ "email_to": to, "email_subject": subject, "email_body": body })
            }
            Self::Datapoint { text, .. } => json!({ "datapoint": text }),
        }
    }
}

/// A stored action.
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
