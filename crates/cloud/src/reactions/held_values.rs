//! Messages about values that gaps or budgets held back.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;
use platform::db::{Db, Result, Tx};
use platform::run::clock::from_micros;

use super::{Reactions, texts, triggers};
use crate::messages::alerts::{Alert, Crossings, Source};
use crate::store::json::json;
use crate::store::message_gaps::{self, GapRow};
use crate::store::trigger_apps::TriggerAppRow;
use crate::store::triggers::{CurrentValueRow, WatchRow};
use crate::store::{device_names, trigger_apps};

/// How many due rows one transaction reads to find the triggers to settle.
const BATCH: i64 = 100;

/// A trigger whose current value meets its condition.
struct HeldTrigger {
    row: WatchRow,
    current: CurrentValueRow,
    apps: Vec<TriggerAppRow>,
}

impl Reactions {
    /// Settles some messages about values that were held back and are due. Returns their number.
    pub(super) async fn settle_values(&self, db: &Db, now: Timestamp) -> Result<usize> {
        let settle = async |mut tx: Tx| -> Result<usize> {
            let sources = message_gaps::due_sources(&mut tx, Source::TRIGGER, BATCH, now).await?;
            let ids: BTreeSet<i64> = sources.into_iter().map(|(id, _)| id).collect();
            let ids: Vec<i64> = ids.into_iter().collect();
            let held = held_triggers(&mut tx, &ids).await?;
            let rows = message_gaps::of_locked(&mut tx, Source::TRIGGER, &ids).await?;
            let is_news = |row: &&GapRow| {
                let value = held.get(&row.source_id).map(|trigger| trigger.current.value.as_str());
                value.is_some() && row.reported_state.as_deref() != value
            };
            let (due, dropped): (Vec<&GapRow>, Vec<&GapRow>) =
                rows.iter().filter(|row| row.is_due(now)).partition(is_news);
            let alerts = alerts_of(&mut tx, held.values(), now).await?;
            self.alerts.settle(&mut tx, &due, &dropped, alerts, now).await?;
            let settled = due.len() + dropped.len();
            tx.commit().await?;
            Ok(settled)
        };
        db.write(settle).await
    }
}

/// Locks these triggers. Returns those whose current value meets their condition.
async fn held_triggers(tx: &mut Tx, ids: &[i64]) -> Result<HashMap<i64, HeldTrigger>> {
    let rows = crate::store::triggers::locked(tx, ids).await?;
    let mut values: HashMap<i64, CurrentValueRow> = HashMap::new();
    for value in crate::store::triggers::current_values(tx, ids).await? {
        values.insert(value.trigger_id, value);
    }
    let mut held: HashMap<i64, HeldTrigger> = HashMap::new();
    for row in rows {
        let Some(current) = values.remove(&row.id) else { continue };
        let is_met = |value: &str| {
            let condition = row.condition(current.base_type());
            condition.is_some_and(|condition| condition.holds(&json(Some(value))))
        };
        if is_met(&current.value) {
            held.insert(row.id, HeldTrigger { row, current, apps: Vec::new() });
        }
    }
    for app in trigger_apps::of_locked(tx, &held.keys().copied().collect::<Vec<_>>()).await? {
        held.entry(app.trigger_id).and_modify(|trigger| trigger.apps.push(app));
    }
    Ok(held)
}

async fn alerts_of(tx: &mut Tx, held: impl Iterator<Item = &HeldTrigger>, now: Timestamp) -> Result<Vec<Alert>> {
    let held: Vec<&HeldTrigger> = held.collect();
    let devices: BTreeSet<i64> = held.iter().map(|trigger| trigger.current.device_id).collect();
    let names = device_names::of(tx, &devices.into_iter().collect::<Vec<_>>()).await?;
    let mut alerts = Vec::new();
    for HeldTrigger { row, current, apps } in held {
        let Some(device) = names.get(&current.device_id) else { continue };
        let since = current.value_at.map_or(now, from_micros);
        let (subject, sentence) = texts::of_value(&current.display_name, &json(Some(&current.value)), device, since);
        alerts.extend(apps.iter().filter_map(|app| {
            Some(Alert {
                source: Source::Trigger(row.id),
                device_id: current.device_id,
                author_id: row.user_id,
                count: 0,
                crossings: Crossings { before: row.crossings, new: 0 },
                state: Some(current.value.clone()),
                notice: triggers::notice(app, subject.clone(), sentence.clone(), device.oem_id)?,
            })
        }));
    }
    Ok(alerts)
}
