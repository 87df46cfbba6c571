//! Changes of rules.

use platform::db::Tx;
use std::collections::HashMap;

use super::Rules;
use super::error::{Result, RuleError};
use crate::domain::policy::rules::{may_change, may_have_rules, may_see};
use crate::domain::principal::Principal;
use crate::domain::rule::Expression;
use crate::store::rules::{self, NewRule, RuleRow};
use crate::store::{rule_actions, users};

/// Maximum number of rules of a user: a list returns all of them.
const MAX_PER_USER: i64 = 500;

/// A validated rule to create.
#[derive(Clone, Debug)]
pub(crate) struct RuleInput {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    /// As written by the caller.
    pub(crate) text: String,
    pub(crate) expression: Expression,
    pub(crate) is_enabled: bool,
    /// The UUIDs of its actions, in order.
    pub(crate) actions: Vec<String>,
}

impl Rules {
    /// A rule that the caller may see.
    ///
    /// # Errors
    /// [`RuleError`].
    pub(crate) async fn find(&self, caller: &Principal, uuid: &str) -> Result<RuleRow> {
        let row = rules::find(&self.db, uuid).await?;
        row.filter(|row| may_see(caller, row.user_id, row.oem_id)).ok_or(RuleError::NotFound)
    }

    /// A rule that the caller may change.
    ///
    /// # Errors
    /// [`RuleError`].
    pub(crate) async fn find_to_change(&self, caller: &Principal, uuid: &str) -> Result<RuleRow> {
        let row = self.find(caller, uuid).await?;
        if may_change(caller, row.user_id) { Ok(row) } else { Err(RuleError::Forbidden) }
    }

    /// Creates a rule of the caller. All devices of its expression must be in the caller's scope and have the properties.
    ///
    /// # Errors
    /// [`RuleError`].
    pub(crate) async fn create(&self, caller: &Principal, input: RuleInput) -> Result<RuleRow> {
        if !may_have_rules(caller.kind) {
            return Err(RuleError::Forbidden);
        }
        let subjects = self.subjects(caller, &input.expression).await?;
        let now = self.clock.now();
        let create = async |mut tx: Tx| -> Result<_> {
            // While the user is locked, none of the actions can be deleted.
            users::lock_rows(&mut tx, caller.user_id).await?;
            if rules::count(&mut tx, caller.user_id).await? >= MAX_PER_USER {
                return Err(RuleError::TooMany { max: MAX_PER_USER });
            }
            let uuids: Vec<&str> = input.actions.iter().map(String::as_str).collect();
            let known: HashMap<String, i64> =
                rule_actions::ids(&mut tx, caller.user_id, &uuids).await?.into_iter().collect();
            let actions: Option<Vec<i64>> = uuids.iter().map(|uuid| known.get(*uuid).copied()).collect();
            let actions = actions.ok_or(RuleError::UnknownActions)?;
            let uuid = self.random.uuid_at(now);
            let rule = NewRule {
                uuid,
                user_id: caller.user_id,
                name: &input.name,
                description: input.description.as_deref(),
                expression: &input.text,
                is_enabled: input.is_enabled,
                subjects: &subjects,
                actions: &actions,
            };
            rules::insert(&mut tx, &rule, now).await?;
            tx.commit().await?;
            Ok(uuid)
        };
        let uuid = self.db.write(create).await?;
        rules::find(&self.db, &uuid.to_string()).await?.ok_or(RuleError::NotFound)
    }

    /// Enables or disables a rule.
    ///
    /// # Errors
    /// [`RuleError`].
    pub(crate) async fn set_enabled(&self, caller: &Principal, uuid: &str, is_enabled: bool) -> Result<RuleRow> {
        let row = self.find_to_change(caller, uuid).await?;
        rules::enable(&self.db, row.id, is_enabled, self.clock.now()).await?;
        self.find(caller, uuid).await
    }

    /// Deletes a rule. Its actions stay.
    ///
    /// # Errors
    /// [`RuleError`].
    pub(crate) async fn delete(&self, caller: &Principal, uuid: &str) -> Result<()> {
        let row = self.find_to_change(caller, uuid).await?;
        let deleted = rules::delete(&self.db, row.id).await?;
        if deleted { Ok(()) } else { Err(RuleError::NotFound) }
    }
}
