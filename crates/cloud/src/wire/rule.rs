use serde::Serialize;

use super::time_with_millis;
use crate::store::rules::RuleRow;

#[derive(Serialize)]
pub(crate) struct RuleWrapper {
    pub(crate) rule: Rule,
}

/// Lists of this service have a wrapper, and their items have none.
#[derive(Serialize)]
pub(crate) struct RuleList {
    pub(crate) rules: Vec<Rule>,
}

/// A rule (docs/wire.md#rules).
#[derive(Serialize)]
pub(crate) struct Rule {
    rule_uuid: String,
    /// Some clients read this member.
    uuid: String,
    name: String,
    description: Option<String>,
    expression: String,
    /// The same value under the name of the specification.
    expresses: String,
    action_ids: Vec<String>,
    is_enabled: bool,
    is_abstract: bool,
    is_template: bool,
    user_uuid: String,
    created_at: String,
    updated_at: String,
    created_by: String,
    updated_by: String,
}

impl Rule {
    pub(crate) fn new(row: RuleRow, action_ids: Vec<String>) -> Self {
        Self {
            rule_uuid: row.uuid.clone(),
            uuid: row.uuid,
            name: row.name,
            description: row.description,
            expression: row.expression.clone(),
            expresses: row.expression,
            action_ids,
            is_enabled: row.is_enabled,
            is_abstract: false,
            is_template: false,
            user_uuid: row.user_uuid.clone(),
            created_at: time_with_millis(row.created_at),
            updated_at: time_with_millis(row.updated_at),
            created_by: row.user_uuid.clone(),
            updated_by: row.user_uuid,
        }
    }
}
