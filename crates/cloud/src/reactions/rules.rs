//! Records events for rules, in the transaction of the change.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;
use platform::db::{Result, Tx};
use platform::random::Random;
use serde_json::json;

use super::{Occurrence, OccurrenceKind};
use crate::domain::rule::{FIRING_WINDOW, MAX_FIRINGS, SubjectKind};
use crate::store::rule_events::{self, NewRuleEvent, RuleMatchRow};

/// Rule chains stop after this many rules.
const MAX_DEPTH: i64 = 8;

/// A change in the terms of rules.
struct RuleOccurrence<'a> {
    kind: SubjectKind,
    property: Option<&'a str>,
    datapoint_id: Option<&'a str>,
    value: String,
}

/// Records an event for each enabled rule that refers to a change. Runs no query if no rule can refer to one, otherwise
/// one for all changes, and one insert if rules were found. `depth` is the number of chained rules that led to the
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
    let mut by_device: HashMap<i64, Vec<&RuleMatchRow>> = HashMap::new();
    for row in &matches {
        by_device.entry(row.device_id).or_default().push(row);
    }
    let mut events = Vec::new();
    for Occurrence { device_id, kind } in occurrences {
        let Some(rows) = by_device.get(device_id) else { continue };
        let occurrence = RuleOccurrence::from(kind);
        // One event per rule, even if several of its subjects match.
        let rules: BTreeSet<i64> = rows.iter().filter(|row| occurrence.concerns(row)).map(|row| row.rule_id).collect();
        events.extend(rules.into_iter().map(|rule_id| NewRuleEvent {
            id: random.uuid_at(now),
            rule_id,
            device_id: *device_id,
            kind: occurrence.kind,
            property: occurrence.property,
            datapoint_id: occurrence.datapoint_id,
            value: occurrence.value.clone(),
            depth,
        }));
    }
    rule_events::insert(tx, &events, now).await
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
