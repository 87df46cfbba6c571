//! Rules of users: changes of rules ([`edit`]) and of their actions ([`edit_actions`]), and their evaluation. Events are
//! recorded in the transaction of a change and evaluated soon afterwards ([`Rules::evaluate_due`]), with the facts and the
//! owner's rights at the time of evaluation.

pub(crate) mod action;
mod edit;
mod edit_actions;
mod error;
mod facts;
mod fire;
mod held;
mod subjects;

use jiff::SignedDuration;
use platform::db::{Db, Result};
use platform::run::clock::Clock;
use platform::run::random::Random;

pub(crate) use edit::RuleInput;
pub(crate) use error::RuleError;

use crate::devices::commands::Commands;
use crate::domain::policy::rules::may_have_rules;
use crate::domain::rule::Expression;
use crate::messages::alerts::Alerts;
use crate::nodes::Nodes;
use crate::store;
use crate::store::rule_events::{self, NextEvents, RuleEventRow};

/// Maximum number of events that one pass claims.
const BATCH: usize = 64;
/// Maximum number of owners whose events one pass claims.
const OWNERS: usize = 16;
/// Duration of a claim, much longer than an evaluation takes. After a crash another node claims the events again.
const CLAIM: SignedDuration = SignedDuration::from_mins(1);

/// Changes and evaluates rules. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) db: Db,
    pub(crate) clock: Clock,
    pub(crate) random: Random,
    pub(crate) nodes: Nodes,
    pub(crate) alerts: Alerts,
    pub(crate) commands: Commands,
}

impl Rules {
    /// Evaluates some recorded events: of several owners, and the oldest of each. Returns their number. The effects of
    /// an event are committed together with its completion, so that no effect is executed twice or lost.
    ///
    /// # Errors
    /// A database error; the remaining events are evaluated later.
    pub(crate) async fn evaluate_due(&self) -> Result<usize> {
        let (claim, now) = (self.nodes.identity().claim(&self.random), self.clock.now());
        // Starts at a random owner, so that every owner has a turn without shared state.
        let last = rule_events::last_owner(&self.db).await?;
        let after = i64::try_from(u64::from_le_bytes(self.random.bytes()) >> 1).unwrap_or_default() % (last + 1);
        let next = NextEvents { most: BATCH, owners: OWNERS, after };
        let events = rule_events::claim(&self.db, &claim, next, now, now + CLAIM).await?;
        let mut without_effect = Vec::new();
        for event in &events {
            match self.evaluate(event, &claim).await {
                Ok(true) => {}
                Ok(false) => without_effect.push(event.id.clone()),
                // The event is evaluated again when its claim expires; the others do not wait for it.
                Err(error) if error.is_unavailable() => {}
                Err(error) => tracing::error!(%error, event.id = event.id, "a rule event could not be evaluated"),
            }
        }
        rule_events::discard(&self.db, &without_effect, &claim).await?;
        Ok(events.len())
    }

    /// Returns whether the event is completed. If not, it had no effect.
    async fn evaluate(&self, event: &RuleEventRow, claim: &str) -> Result<bool> {
        let Some(rule) = store::rules::find_enabled(&self.db, event.rule_id).await? else { return Ok(false) };
        let Some(owner) = store::roles::principal(&self.db, rule.user_id).await? else { return Ok(false) };
        let Ok(expression) = rule.expression.parse::<Expression>() else { return Ok(false) };
        if !may_have_rules(owner.kind) {
            return Ok(false);
        }
        match self.facts(&owner, &expression, event).await? {
            Some(facts) if expression.is_true(&facts) => self.fire(&rule, &owner, event, claim).await,
            _ => Ok(false),
        }
    }
}
