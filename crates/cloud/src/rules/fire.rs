//! Execution of a rule's actions.

use platform::db::{Result, Tx};

use super::Rules;
use super::action::ParsedAction;
use crate::devices::commands::{CommandInput, IssuedCommands};
use crate::domain::policy::{Action, device_scope};
use crate::domain::principal::Principal;
use crate::domain::rule::{Assignment, FIRING_WINDOW, MAX_FIRINGS};
use crate::domain::value::Direction;
use crate::messages::alerts::{Alert, Crossings, Source};
use crate::messages::mail::{Address, Notice};
use crate::records::message::MessageKind;
use crate::store;
use crate::store::devices::DeviceRef;
use crate::store::properties::PropertyRow;
use crate::store::rule_events::{self, RuleEventRow};
use crate::store::rules::RuleRow;

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
        let (mut alerts, mut settings) = (Vec::new(), Vec::new());
        for row in store::rule_actions::of_rule(&self.db, rule.id).await? {
            match ParsedAction::of(&row) {
                Some(ParsedAction::Email { to, subject, body }) => {
                    alerts.extend(
                        to.into_iter().map(|to| email_alert(owner, event.device_id, row.id, to, &subject, &body)),
                    );
                }
                Some(ParsedAction::Datapoint(assignment)) => settings.extend(self.property(owner, &assignment).await?),
                None => tracing::warn!(action.uuid = row.uuid, "an action of a rule cannot be read"),
            }
        }
        let inputs: Vec<CommandInput<'_>> = settings
            .iter()
            .map(|(property, value)| CommandInput { property, value: value.clone(), metadata: None })
            .collect();

        let commands = self.commands.after_rules(event.depth + 1);
        let fire = async |mut tx: Tx| -> Result<Option<IssuedCommands>> {
            if !rule_events::complete(&mut tx, &event.id, claim).await? {
                return Ok(None);
            }
            // Lock order: actions before properties. Another rule with the same action waits, so that the minimum interval
            // between messages holds.
            store::rule_actions::lock_of_rule(&mut tx, rule.id).await?;
            let issued = commands.issue_within(&mut tx, Some(&owner.user_uuid), &inputs).await?;
            self.alerts.enqueue(&mut tx, alerts.clone(), now).await?;
            tx.commit().await?;
            Ok(Some(issued))
        };
        // Otherwise another node has taken over the event.
        if let Some(issued) = self.db.write(fire).await? {
            commands.publish(issued);
        }
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

/// The message of an action that a rule executes about an event of the device.
pub(super) fn email_alert(
    owner: &Principal,
    device_id: i64,
    action: i64,
    to: String,
    subject: &str,
    body: &str,
) -> Alert {
    let notice = Notice {
        kind: MessageKind::Rule,
        oem_id: owner.oem_id,
        user_id: Some(owner.user_id),
        to: Address::Email(to),
        subject: subject.to_owned(),
        opening: None,
        sentence: body.to_owned(),
        remark: None,
        email_template_id: None,
    };
    let (source, author_id) = (Source::RuleAction(action), owner.user_id);
    Alert { source, device_id, author_id, count: 1, crossings: Crossings::default(), state: None, notice }
}
