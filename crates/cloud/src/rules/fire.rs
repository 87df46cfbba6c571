//! Execution of a rule's actions.

use jiff::SignedDuration;
use platform::db::Result;

use super::Rules;
use super::action::ParsedAction;
use crate::alerts::{Alert, Source};
use crate::devices::commands::CommandInput;
use crate::domain::policy::{Action, device_scope};
use crate::domain::principal::Principal;
use crate::domain::rule::{Assignment, FIRING_WINDOW, MAX_FIRINGS};
use crate::domain::value::Direction;
use crate::mail::{Address, Notice};
use crate::records::message::MessageKind;
use crate::store;
use crate::store::devices::DeviceRef;
use crate::store::properties::PropertyRow;
use crate::store::rule_events::{self, RuleEventRow};
use crate::store::rules::RuleRow;

/// Daily limit of e-mails by the rules of one user, because any address can be given.
const MAX_EMAILS_PER_DAY: i64 = 200;
const DAY: SignedDuration = SignedDuration::from_hours(24);

impl Rules {
    /// Executes the actions of the rule with the current rights of its owner. Returns whether the event is completed.
    pub(super) async fn fire(
        &self,
        rule: &RuleRow,
        owner: &Principal,
        event: &RuleEventRow,
        claim: &str,
    ) -> Result<bool> {
        let now = self.clock.now();
        if !store::rules::count_firing(&self.db, rule.id, MAX_FIRINGS, FIRING_WINDOW, now).await? {
            tracing::warn!(rule.uuid = rule.uuid, "a rule reached its firing limit and is paused");
            return Ok(false);
        }
        let (mut emails, mut settings) = (Vec::new(), Vec::new());
        for row in store::rule_actions::of_rule(&self.db, rule.id).await? {
            match ParsedAction::of(&row) {
                Some(ParsedAction::Email { to, subject, body }) => {
                    emails.extend(to.into_iter().map(|to| (row.id, to, subject.clone(), body.clone())));
                }
                Some(ParsedAction::Datapoint(assignment)) => settings.extend(self.property(owner, &assignment).await?),
                None => tracing::warn!(action.uuid = row.uuid, "an action of a rule cannot be read"),
            }
        }
        let inputs: Vec<CommandInput<'_>> = settings
            .iter()
            .map(|(property, value)| CommandInput { property, value: value.clone(), metadata: None })
            .collect();

        let mut tx = self.db.begin().await?;
        if !rule_events::complete(&mut tx, &event.id, claim).await? {
            // Another node has taken over the event.
            return Ok(true);
        }
        let commands = self.commands.after_rules(event.depth + 1);
        let issued = commands.issue_within(&mut tx, Some(&owner.user_uuid), &inputs).await?;
        // Lock order: properties before users. The user row is locked so that two nodes cannot both pass the limit.
        store::users::lock_rows(&mut tx, owner.user_id).await?;
        let sent = store::outbox::count_since(&mut tx, owner.user_id, MessageKind::Rule, now - DAY).await?;
        let left = usize::try_from(MAX_EMAILS_PER_DAY - sent).unwrap_or_default();
        if emails.len() > left {
            tracing::warn!(rule.uuid = rule.uuid, "the rules of one user reached the message limit");
        }
        let notice = |to, subject, sentence| Notice {
            kind: MessageKind::Rule,
            oem_id: owner.oem_id,
            user_id: Some(owner.user_id),
            to: Address::Email(to),
            subject,
            opening: None,
            sentence,
            remark: None,
            email_template_id: None,
        };
        let alert = |(action, to, subject, body)| Alert {
            source: Source::RuleAction(action),
            count: 1,
            notice: notice(to, subject, body),
        };
        self.alerts.enqueue(&mut tx, emails.into_iter().take(left).map(alert).collect(), now).await?;
        tx.commit().await?;
        commands.publish(issued);
        Ok(true)
    }

    /// The property to set and its value; `None` if the rule's owner may not set it.
    async fn property(
        &self,
        owner: &Principal,
        Assignment { dsn, property, value }: &Assignment,
    ) -> Result<Option<(PropertyRow, serde_json::Value)>> {
        let scope = device_scope(owner, self.clock.now());
        let device = store::devices::find(&self.db, &scope, DeviceRef::Dsn(dsn)).await?;
        let Some(device) = device.filter(|device| device.allows(owner.kind, Action::WriteDatapoint)) else {
            return Ok(None);
        };
        let property = store::properties::by_name(&self.db, device.id, property).await?;
        let Some(property) = property.filter(|property| property.direction() == Direction::Input) else {
            return Ok(None);
        };
        let value = property.base_type().accept(&value.as_str().into(), &property.limits());
        Ok(value.ok().map(|value| (property, value)))
    }
}
