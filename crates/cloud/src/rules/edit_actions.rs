//! Changes of rule actions.

use platform::db::{self, Tx};

use super::Rules;
use super::action::ActionInput;
use super::error::{AssignmentError, Result, RuleError};
use crate::devices::access::{self, AccessError};
use crate::domain::policy::Action;
use crate::domain::policy::rules::{may_change, may_have_rules, may_see};
use crate::domain::principal::Principal;
use crate::domain::rule::Assignment;
use crate::domain::value::Direction;
use crate::store::devices::DeviceRef;
use crate::store::rule_actions::{self, NewRuleAction, RuleActionRow};
use crate::store::{properties, users};

/// Maximum number of actions of a user: a list returns all of them.
const MAX_PER_USER: i64 = 500;

impl Rules {
    /// An action that the caller may see.
    ///
    /// # Errors
    /// [`RuleError`].
    pub(crate) async fn find_action(&self, caller: &Principal, uuid: &str) -> Result<RuleActionRow> {
        let row = rule_actions::find(&self.db, uuid).await?;
        row.filter(|row| may_see(caller, row.user_id, row.oem_id)).ok_or(RuleError::ActionNotFound)
    }

    /// Creates an action of the caller. The caller must be allowed to command its device.
    ///
    /// # Errors
    /// [`RuleError`].
    pub(crate) async fn create_action(
        &self,
        caller: &Principal,
        name: &str,
        input: ActionInput,
    ) -> Result<RuleActionRow> {
        if !may_have_rules(caller.kind) {
            return Err(RuleError::Forbidden);
        }
        if let ActionInput::Datapoint { assignment, .. } = &input {
            self.check_assignment(caller, assignment).await?;
        }
        let (now, user_id) = (self.clock.now(), caller.user_id);
        let uuid = self.random.uuid_at(now);
        let create_action = async |mut tx: Tx| -> Result<()> {
            users::lock_rows(&mut tx, user_id).await?;
            if rule_actions::count(&mut tx, user_id).await? >= MAX_PER_USER {
                return Err(RuleError::TooManyActions { max: MAX_PER_USER });
            }
            let (action_type, parameters) = (input.action_type(), input.parameters().to_string());
            rule_actions::insert(&mut tx, &NewRuleAction { uuid, user_id, name, action_type, parameters }, now).await?;
            tx.commit().await?;
            Ok(())
        };
        self.db.write(create_action).await?;
        self.find_action(caller, &uuid.to_string()).await
    }

    /// Changes the caller's own action with `change`. The caller must be allowed to command its device.
    ///
    /// # Errors
    /// [`RuleError`], or the error of `change`.
    pub(crate) async fn update_action<E: From<RuleError> + From<db::Error>>(
        &self,
        caller: &Principal,
        uuid: &str,
        change: impl Fn(&RuleActionRow) -> std::result::Result<(String, ActionInput), E>,
    ) -> std::result::Result<(), E> {
        let row = self.find_action(caller, uuid).await?;
        if !may_change(caller, row.user_id) {
            return Err(RuleError::Forbidden.into());
        }
        if let (_, ActionInput::Datapoint { assignment, .. }) = change(&row)? {
            self.check_assignment(caller, &assignment).await?;
        }
        let now = self.clock.now();
        let update_action = async |mut tx: Tx| -> std::result::Result<(), E> {
            // Every change of an action locks its user, so that none is lost.
            users::lock_rows(&mut tx, row.user_id).await?;
            let before = rule_actions::find_within(&mut tx, uuid).await?.ok_or(RuleError::ActionNotFound)?;
            let (name, input) = change(&before)?;
            let (action_type, parameters) = (input.action_type(), input.parameters().to_string());
            rule_actions::update(&mut tx, before.id, &name, action_type, parameters, now).await?;
            tx.commit().await?;
            Ok(())
        };
        self.db.write(update_action).await
    }

    /// Deletes an action that no rule uses.
    ///
    /// # Errors
    /// [`RuleError`].
    pub(crate) async fn delete_action(&self, caller: &Principal, uuid: &str) -> Result<()> {
        let action = self.find_action(caller, uuid).await?;
        if !may_change(caller, action.user_id) {
            return Err(RuleError::Forbidden);
        }
        let delete_action = async |mut tx: Tx| -> Result<_> {
            // While the user is locked, no rule can be created that uses it.
            users::lock_rows(&mut tx, action.user_id).await?;
            let deleted = rule_actions::delete_unused(&mut tx, action.id).await?;
            tx.commit().await?;
            Ok(deleted)
        };
        let deleted = self.db.write(delete_action).await?;
        if deleted { Ok(()) } else { Err(RuleError::ActionInUse) }
    }

    /// The same is checked again with the rights of the owner whenever the action is executed.
    async fn check_assignment(&self, caller: &Principal, assignment: &Assignment) -> Result<()> {
        let Assignment { dsn, property, value } = assignment;
        let (dsn, property) = (dsn.clone(), property.clone());
        let now = self.clock.now();
        let device = match access::find(&self.db, caller, DeviceRef::Dsn(&dsn), Action::WriteDatapoint, now).await {
            Err(AccessError::NotFound) => return Err(AssignmentError::NotFound { dsn }.into()),
            device => device?,
        };
        let Some(row) = properties::by_name(&self.db, device.id, &property).await? else {
            return Err(AssignmentError::NoProperty { property, dsn }.into());
        };
        if row.direction() == Direction::Output {
            return Err(AssignmentError::Output { property }.into());
        }
        let accepted = row.base_type().accept(&value.as_str().into(), &row.limits());
        accepted.map_err(|reason| AssignmentError::Value { reason })?;
        Ok(())
    }
}
