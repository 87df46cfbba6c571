//! Mails of rules that gaps or budgets held back.

use std::collections::BTreeMap;

use platform::db::{Result, Tx};

use super::Rules;
use super::action::ParsedAction;
use super::fire::email_alert;
use crate::domain::policy::rules::may_have_rules;
use crate::messages::alerts::{Alert, Source};
use crate::store::message_gaps::{self, GapRow};
use crate::store::{roles, rule_actions};

/// How many due rows one transaction reads to find the actions to settle.
const BATCH: i64 = 100;

impl Rules {
    /// Settles some mails of rules that were held back and are due. Returns their number. They report events, not states, so each is
    /// sent, as long as an enabled rule has the action.
    ///
    /// # Errors
    /// A database error; nothing has changed then, and the next run tries again.
    pub(crate) async fn settle_held(&self) -> Result<usize> {
        let now = self.clock.now();
        let settle = async |mut tx: Tx| -> Result<usize> {
            let sources = message_gaps::due_sources(&mut tx, Source::RULE_ACTION, BATCH, now).await?;
            // The newest event of each action is about one of these devices.
            let devices: BTreeMap<i64, i64> = sources.into_iter().collect();
            let ids: Vec<i64> = devices.keys().copied().collect();
            let mut alerts: Vec<Alert> = Vec::new();
            for action in rule_actions::locked_in_use(&mut tx, &ids).await? {
                let owner = roles::principal_within(&mut tx, action.user_id).await?;
                let Some(owner) = owner.filter(|owner| may_have_rules(owner.kind)) else { continue };
                let Some(ParsedAction::Email { to, subject, body }) = ParsedAction::of(&action) else { continue };
                let device_id = devices[&action.id];
                let mail = |to| Alert { count: 0, ..email_alert(&owner, device_id, action.id, to, &subject, &body) };
                alerts.extend(to.into_iter().map(mail));
            }
            let rows = message_gaps::of_locked(&mut tx, Source::RULE_ACTION, &ids).await?;
            let due: Vec<&GapRow> = rows.iter().filter(|row| row.is_due(now)).collect();
            self.alerts.settle(&mut tx, &due, &[], alerts, now).await?;
            let settled = due.len();
            tx.commit().await?;
            Ok(settled)
        };
        self.db.write(settle).await
    }
}
