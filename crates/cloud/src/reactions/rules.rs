//! Records events for rules, in the transaction of the change.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;
use platform::db::{Result, Tx};
use platform::run::random::Random;
use serde_json::json;
use uuid::Uuid;

use super::{Occurrence, OccurrenceKind};
use crate::domain::policy::{DeviceScope, device_scope};
use crate::domain::rule::{FIRING_WINDOW, MAX_FIRINGS, SubjectKind};
use crate::store::rule_events::{self, NewRuleEvent, RuleMatchRow};
use crate::store::{audience, roles};

/// Rule chains stop after this many rules.
const MAX_DEPTH: i64 = 8;

/// Maximum number of pending events of a rule; the newest are kept. It exceeds the number of firings in an hour.
pub(crate) const MAX_PENDING_OF_RULE: usize = 100;
/// The same for all rules of an owner.
pub(crate) const MAX_PENDING_OF_OWNER: usize = 1_000;

/// A change in the terms of rules.
struct RuleOccurrence<'a> {
    kind: SubjectKind,
    property: Option<&'a str>,
    datapoint_id: Option<&'a str>,
    value: String,
}

/// Records an event for each enabled rule that refers to a change. Runs no query if no rule can refer to one, otherwise
/// one for all changes, and one insert if rules were found. Of a rule or an owner with too many events, the oldest are
/// deleted, so that the transaction is short. `depth` is the number of chained rules that led to the
/// changes.
///
/// # Errors
/// A database error.
pub(super) async fn record_events(
    tx: &mut Tx,
    occurrences: &[Occurrence<'_>],
    depth: i64,
    now: Timestamp,
    random: &Random,
) -> Result<()> {
    let occurrences: Vec<&Occurrence<'_>> =
        occurrences.iter().filter(|occurrence| occurrence.kind.may_concern_rules()).collect();
    if depth >= MAX_DEPTH && !occurrences.is_empty() {
        tracing::warn!(rules.depth = depth, "a chain of rules is too long and was stopped");
        return Ok(());
    }
    let devices = |is_wanted: fn(&OccurrenceKind<'_>) -> bool| -> Vec<i64> {
        let wanted = occurrences.iter().filter(|occurrence| is_wanted(&occurrence.kind));
        wanted.map(|occurrence| occurrence.device_id).collect::<BTreeSet<_>>().into_iter().collect()
    };
    let mut matches = rule_events::rules_of_devices(tx, &devices(|_| true), MAX_FIRINGS, now - FIRING_WINDOW).await?;
    let moved = devices(|kind| matches!(kind, OccurrenceKind::Location(_)));
    matches.extend(rule_events::rules_of_owners(tx, &moved, MAX_FIRINGS, now - FIRING_WINDOW).await?);
    let leaving = devices(|kind| matches!(kind, OccurrenceKind::Registration { registered: false }));
    retain_owners_of_devices(tx, &mut matches, &leaving, now).await?;
    let mut by_device: HashMap<i64, Vec<&RuleMatchRow>> = HashMap::new();
    for row in &matches {
        by_device.entry(row.device_id).or_default().push(row);
    }
    let mut events = Vec::new();
    let (mut of_rules, mut of_owners) = (BTreeMap::<i64, usize>::new(), BTreeMap::<i64, usize>::new());
    // The newest first, because they are kept if there are too many.
    for Occurrence { device_id, kind } in occurrences.into_iter().rev() {
        let Some(rows) = by_device.get(device_id) else { continue };
        let occurrence = RuleOccurrence::from(kind);
        // One event per rule, even if several of its subjects match.
        let concerned = rows.iter().filter(|row| occurrence.concerns(row));
        let rules: BTreeSet<(i64, i64)> = concerned.map(|row| (row.rule_id, row.user_id)).collect();
        for (rule_id, user_id) in rules {
            let (of_rule, of_owner) = (of_rules.entry(rule_id).or_default(), of_owners.entry(user_id).or_default());
            if *of_rule == MAX_PENDING_OF_RULE || *of_owner == MAX_PENDING_OF_OWNER {
                continue;
            }
            (*of_rule, *of_owner) = (*of_rule + 1, *of_owner + 1);
            events.push(NewRuleEvent {
                id: random.uuid_at(now),
                rule_id,
                user_id,
                device_id: *device_id,
                kind: occurrence.kind,
                property: occurrence.property,
                datapoint_id: occurrence.datapoint_id,
                value: occurrence.value.clone(),
                depth,
            });
        }
    }
    if events.is_empty() {
        return Ok(());
    }
    // Their keys are in the order of the changes.
    let mut ids: Vec<Uuid> = events.iter().map(|event| event.id).collect();
    ids.sort_unstable();
    events.iter_mut().zip(ids.into_iter().rev()).for_each(|(event, id)| event.id = id);
    rule_events::insert(tx, &events, now).await?;
    let owners: Vec<i64> = of_owners.into_keys().collect();
    let deleted = rule_events::trim(tx, &owners, MAX_PENDING_OF_RULE, MAX_PENDING_OF_OWNER).await?;
    if deleted > 0 {
        tracing::debug!(rules.events = deleted, "events were deleted, because newer ones of their rules are pending");
    }
    Ok(())
}

/// Removes the rules about devices that return to stock whose owners do not see the devices. The owners of other rules are checked
/// when the rules are evaluated.
async fn retain_owners_of_devices(
    tx: &mut Tx,
    matches: &mut Vec<RuleMatchRow>,
    leaving: &[i64],
    now: Timestamp,
) -> Result<()> {
    let owners: BTreeSet<(i64, i64)> =
        matches.iter().filter(|row| leaving.contains(&row.device_id)).map(|row| (row.user_id, row.device_id)).collect();
    if owners.is_empty() {
        return Ok(());
    }
    let origins = audience::origins(tx, leaving).await?;
    let mut others = BTreeSet::new();
    for (user_id, device_id) in owners {
        let owner = roles::principal_within(tx, user_id).await?;
        let scope = owner.map_or(DeviceScope::Nothing, |owner| device_scope(&owner, now));
        if !origins.get(&device_id).is_some_and(|origin| scope.admits(&origin.audience)) {
            others.insert((user_id, device_id));
        }
    }
    matches.retain(|row| !others.contains(&(row.user_id, row.device_id)));
    Ok(())
}

impl RuleOccurrence<'_> {
    fn concerns(&self, row: &RuleMatchRow) -> bool {
        row.kind() == Some(self.kind) && row.property.as_deref() == self.property
    }
}

impl<'a> From<&'a OccurrenceKind<'a>> for RuleOccurrence<'a> {
    fn from(kind: &'a OccurrenceKind<'a>) -> Self {
        let of_device = |kind, value: serde_json::Value| Self {
            kind,
            property: None,
            datapoint_id: None,
            value: value.to_string(),
        };
        match kind {
            OccurrenceKind::Datapoint { property, datapoint, .. } => Self {
                kind: SubjectKind::Datapoint,
                property: Some(property.name),
                datapoint_id: Some(&datapoint.id),
                value: datapoint.value().to_string(),
            },
            OccurrenceKind::Ack { property, datapoint, .. } => Self {
                kind: SubjectKind::Ack,
                property: Some(property.name),
                datapoint_id: Some(&datapoint.id),
                value: datapoint.value().to_string(),
            },
            OccurrenceKind::Connectivity { online } => of_device(SubjectKind::Connectivity, json!(online)),
            OccurrenceKind::Registration { registered } => of_device(SubjectKind::Registration, json!(registered)),
            OccurrenceKind::Location(location) => of_device(SubjectKind::Location, json!([location.lat, location.lng])),
        }
    }
}
