//! Messages of triggers about values of properties.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;
use platform::db::{Result, Tx};
use platform::run::clock::{from_micros, to_micros};
use serde_json::Value;

use super::{Occurrence, OccurrenceKind, Reactions, texts};
use crate::domain::trigger::Verdict;
use crate::messages::alerts::{Alert, Crossings, Source};
use crate::messages::mail::Notice;
use crate::records::message::{Channel, MessageKind};
use crate::store::json::json;
use crate::store::properties::PropertyDescription;
use crate::store::trigger_apps::TriggerAppRow;
use crate::store::triggers::WatchRow;
use crate::store::{device_names, trigger_apps, triggers};

/// The metadata with which a user sets a value that notifies nobody, because it is another computation of what was known.
const QUIET: (&str, &str) = ("quiet", "true");

/// A new value of a property that has triggers.
struct NewValue<'a> {
    device_id: i64,
    property_id: i64,
    property: PropertyDescription<'a>,
    value: Value,
    is_quiet: bool,
}

/// An app that is notified of `count` values, the newest of which is `value`. Both are indexes.
struct DueApp {
    app: usize,
    value: usize,
    count: i64,
}

/// A trigger and the values, by index, that meet its condition.
struct WatchedTrigger {
    row: WatchRow,
    verdicts: Vec<(usize, Verdict)>,
    /// The number of values that met the condition after one that did not. They notify all apps and are recorded with the trigger,
    /// so that no rows of apps and recipients are written.
    crossings: i64,
    /// Whether a quiet value met the condition after one that did not: recipients then count as notified.
    is_quietly_crossed: bool,
    is_changed: bool,
}

impl<'a> NewValue<'a> {
    fn of(occurrence: &Occurrence<'a>) -> Option<Self> {
        let OccurrenceKind::Datapoint { property_id, property, datapoint, interest } = occurrence.kind else {
            return None;
        };
        let new_value = || Self {
            device_id: occurrence.device_id,
            property_id,
            property,
            value: datapoint.value(),
            is_quiet: datapoint.metadata()[QUIET.0] == QUIET.1,
        };
        interest.triggers.then(new_value)
    }
}

impl WatchedTrigger {
    fn judge(&mut self, index: usize, new: &NewValue<'_>) {
        let Some(condition) = self.row.condition(new.property.base_type) else { return };
        let last = self.row.last_value.as_deref().map(|text| json(Some(text)));
        let verdict = condition.judge(last.as_ref(), &new.value);
        if new.is_quiet {
            self.is_quietly_crossed |= verdict == Verdict::Newly;
        } else if verdict != Verdict::No {
            self.verdicts.push((index, verdict));
            self.crossings += i64::from(verdict == Verdict::Newly);
        }
        if condition.changes_judgement(last.as_ref(), &new.value) {
            self.row.last_value = Some(new.value.to_string());
            self.is_changed = true;
        }
    }

    /// The apps that are notified, by index.
    fn due_apps(&mut self, apps: &[TriggerAppRow], now: Timestamp) -> Vec<DueApp> {
        let mut due = Vec::new();
        for (app, row) in apps.iter().enumerate() {
            let crossed_at = self.row.crossed_at.filter(|_| self.row.crossings > row.crossings);
            let mut told_at = row.told_at.max(crossed_at);
            let (mut newest, mut count) = (None, 0);
            for (value, verdict) in &self.verdicts {
                if verdict.notifies(told_at.map(from_micros), row.app.repeat_freq, now) {
                    told_at = Some(to_micros(now));
                    (newest, count) = (Some(*value), count + 1);
                }
            }
            due.extend(newest.map(|value| DueApp { app, value, count }));
        }
        if !due.is_empty() || self.crossings > 0 {
            self.row.triggered_at = Some(to_micros(now));
            self.is_changed = true;
        }
        due
    }

    /// Records the crossings. The messages about them need the number before them.
    fn record_crossings(&mut self, now: Timestamp) {
        if self.crossings > 0 {
            self.row.crossed_at = Some(to_micros(now));
            self.row.crossings += self.crossings;
        }
    }
}

impl Reactions {
    pub(super) async fn check_triggers(
        &self,
        tx: &mut Tx,
        occurrences: &[Occurrence<'_>],
        now: Timestamp,
    ) -> Result<Vec<Alert>> {
        let values: Vec<NewValue<'_>> = occurrences.iter().filter_map(NewValue::of).collect();
        let properties: BTreeSet<i64> = values.iter().map(|value| value.property_id).collect();
        let rows = triggers::watching(tx, &properties.into_iter().collect::<Vec<_>>()).await?;
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let mut watches: HashMap<i64, Vec<WatchedTrigger>> = HashMap::new();
        for row in rows {
            let watch = WatchedTrigger {
                verdicts: Vec::new(),
                crossings: 0,
                is_quietly_crossed: false,
                is_changed: false,
                row,
            };
            watches.entry(watch.row.property_id).or_default().push(watch);
        }
        for (index, value) in values.iter().enumerate() {
            for watch in watches.get_mut(&value.property_id).into_iter().flatten() {
                watch.judge(index, value);
            }
        }
        let mut watches: Vec<WatchedTrigger> = watches.into_values().flatten().collect();
        watches.sort_unstable_by_key(|watch| watch.row.id);
        let alerts = alerts_of(tx, &values, &mut watches, now).await?;
        watches.iter_mut().for_each(|watch| watch.record_crossings(now));
        let changed: Vec<&WatchRow> = watches.iter().filter(|watch| watch.is_changed).map(|watch| &watch.row).collect();
        triggers::update_states(tx, &changed).await?;
        Ok(alerts)
    }
}

/// The messages about the values.
async fn alerts_of(
    tx: &mut Tx,
    values: &[NewValue<'_>],
    watches: &mut [WatchedTrigger],
    now: Timestamp,
) -> Result<Vec<Alert>> {
    let holding: Vec<i64> = watches
        .iter()
        .filter(|watch| watch.is_quietly_crossed || !watch.verdicts.is_empty())
        .map(|watch| watch.row.id)
        .collect();
    let mut apps: HashMap<i64, Vec<TriggerAppRow>> = HashMap::new();
    for app in trigger_apps::of_locked(tx, &holding).await? {
        apps.entry(app.trigger_id).or_default().push(app);
    }
    let quiet = watches.iter().filter(|watch| watch.is_quietly_crossed);
    let quiet: Vec<i64> = quiet.flat_map(|watch| apps.get(&watch.row.id)).flatten().map(|app| app.id).collect();
    trigger_apps::record_notified(tx, &quiet, now).await?;
    let mut due: Vec<(&WatchedTrigger, DueApp)> = Vec::new();
    for watch in watches {
        let apps = apps.get(&watch.row.id).map(Vec::as_slice).unwrap_or_default();
        let of_watch = watch.due_apps(apps, now);
        let watch = &*watch;
        due.extend(of_watch.into_iter().map(|app| (watch, app)));
    }
    if due.is_empty() {
        return Ok(Vec::new());
    }
    let devices: BTreeSet<i64> = due.iter().map(|(_, due)| values[due.value].device_id).collect();
    let names = device_names::of(tx, &devices.into_iter().collect::<Vec<_>>()).await?;
    let repeated = due.iter().filter(|(watch, _)| watch.crossings == 0);
    let ids: BTreeSet<i64> = repeated.map(|(watch, due)| apps[&watch.row.id][due.app].id).collect();
    trigger_apps::record_notified(tx, &ids.into_iter().collect::<Vec<_>>(), now).await?;
    // A value can have a thousand recipients.
    let mut known_texts: HashMap<usize, (String, String)> = HashMap::new();
    let alert = |(watch, due): &(&WatchedTrigger, DueApp)| {
        let trigger = &watch.row;
        let value = &values[due.value];
        let device = names.get(&value.device_id)?;
        let text = || texts::of_value(value.property.display_name, &value.value, device, now);
        let text = known_texts.entry(due.value).or_insert_with(text).clone();
        let (subject, sentence) = text;
        let notice = notice(&apps[&trigger.id][due.app], subject, sentence, device.oem_id)?;
        Some(Alert {
            source: Source::Trigger(trigger.id),
            device_id: value.device_id,
            author_id: trigger.user_id,
            count: due.count,
            crossings: Crossings { before: trigger.crossings, new: watch.crossings },
            state: Some(value.value.to_string()),
            notice,
        })
    };
    Ok(due.iter().filter_map(alert).collect())
}

pub(super) fn notice(app: &TriggerAppRow, subject: String, sentence: String, oem_id: i64) -> Option<Notice> {
    let app = &app.app;
    let [param1, param2, param3] = [&app.param1, &app.param2, &app.param3].map(Option::as_deref);
    let own_subject = param2.filter(|_| app.name == Channel::Email.as_str());
    Some(Notice {
        kind: MessageKind::Value,
        oem_id,
        user_id: None,
        to: texts::address(&app.name, param1, param1, param2)?,
        subject: own_subject.map_or(subject, str::to_owned),
        opening: param3.map(str::to_owned),
        sentence,
        remark: None,
        email_template_id: app.email_template_id.clone(),
    })
}
