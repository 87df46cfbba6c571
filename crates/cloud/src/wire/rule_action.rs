use serde::Serialize;
use serde_json::Value;

use super::time_with_millis;
use crate::store::json::metadata;
use crate::store::rule_actions::RuleActionRow;

#[derive(Serialize)]
pub(crate) struct RuleActionWrapper {
    pub(crate) action: RuleAction,
}

/// Lists of this service have a wrapper, and their items have none.
#[derive(Serialize)]
pub(crate) struct RuleActionList {
    pub(crate) actions: Vec<RuleAction>,
}

/// An action of a rule (docs/wire.md#rules).
#[derive(Serialize)]
pub(crate) struct RuleAction {
    action_uuid: String,
    name: String,
    #[serde(rename = "type")]
    action_type: String,
    parameters: Value,
    rule_ids: Vec<String>,
    is_abstract: bool,
    user_uuid: String,
    created_at: String,
    updated_at: String,
    created_by: String,
    updated_by: String,
}

impl RuleAction {
    pub(crate) fn new(row: RuleActionRow, rule_ids: Vec<String>) -> Self {
        Self {
            action_uuid: row.uuid,
            name: row.name,
            action_type: row.action_type,
            parameters: metadata(Some(&row.parameters)),
            rule_ids,
            is_abstract: false,
            user_uuid: row.user_uuid.clone(),
            created_at: time_with_millis(row.created_at),
            updated_at: time_with_millis(row.updated_at),
            created_by: row.user_uuid.clone(),
            updated_by: row.user_uuid,
        }
    }
}
