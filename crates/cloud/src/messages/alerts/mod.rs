//! Messages that devices cause: of triggers, notifications and rules. A transaction writes at most one per
//! recipient and source, with a minimum interval between them, and within daily budgets. Events that are held back are
//! counted, and the state after them is sent when the interval or the day of the budget ends ([`Alerts::settle`]).

mod budget_notices;
pub(crate) mod budgets;
mod merge;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::{SignedDuration, Timestamp};
use platform::db::{Result, Tx};
use platform::run::clock::{from_micros, to_micros};

use crate::domain::message_limits::MessageLimits;
use crate::messages::mail::{Mail, Notice};
use crate::store::message_budgets;
use crate::store::message_gaps::{self, GapKey, GapRow, NewGap};
use crate::store::partners;
use budget_notices::SpentBudget;

/// How often the row of a recipient is written whose events are only counted with the trigger. Shorter than the retention of such rows
/// (`jobs::retention`), so that it is not deleted.
const REFRESH: SignedDuration = SignedDuration::from_hours(24);

/// The origin of messages to a recipient.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    Trigger(i64),
    Notification(i64),
    RuleAction(i64),
}

/// A message that a device causes.
#[derive(Clone)]
pub(crate) struct Alert {
    pub(crate) source: Source,
    pub(crate) device_id: i64,
    /// The user who created the trigger, notification or rule.
    pub(crate) author_id: i64,
    /// Number of events of the transaction that the message reports.
    pub(crate) count: i64,
    /// The crossings among these events.
    pub(crate) crossings: Crossings,
    /// The state that the message reports; `None` for an event without one.
    pub(crate) state: Option<String>,
    /// The text, about the newest of these events.
    pub(crate) notice: Notice,
}

/// Crossings of a trigger, which concern all its recipients and are counted with it; 0 for other sources.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Crossings {
    /// The number before the transaction.
    pub(crate) before: i64,
    /// The number in the transaction.
    pub(crate) new: i64,
}

/// Writes messages that devices cause to the outbox. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Alerts {
    mail: Mail,
    limits: MessageLimits,
}

impl Source {
    pub(crate) const TRIGGER: &str = "trigger";
    pub(crate) const NOTIFICATION: &str = "notification";
    pub(crate) const RULE_ACTION: &str = "rule_action";
}

impl Alert {
    pub(crate) fn key(&self) -> GapKey<'_> {
        let (source, source_id) = match self.source {
            Source::Trigger(id) => (Source::TRIGGER, id),
            Source::Notification(id) => (Source::NOTIFICATION, id),
            Source::RuleAction(id) => (Source::RULE_ACTION, id),
        };
        GapKey { source, source_id, channel: self.notice.to.channel().as_str(), recipient: self.notice.to.as_str() }
    }
}

impl Alerts {
    /// `limits` apply to manufacturers without separate limits.
    pub(crate) fn new(mail: Mail, limits: MessageLimits) -> Self {
        Self { mail, limits }
    }

    /// Writes the messages within the caller's transaction, as far as the limits allow. The caller has locked the sources.
    /// Call it last, because transactions of the same manufacturer wait for each other from here to their commit.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn enqueue(&self, tx: &mut Tx, alerts: Vec<Alert>, now: Timestamp) -> Result<()> {
        if alerts.is_empty() {
            return Ok(());
        }
        let alerts = merge::by_recipient(alerts);
        let limits = self.limits(tx, &alerts).await?;
        let keys: Vec<GapKey<'_>> = alerts.iter().map(Alert::key).collect();
        let rows = gaps_of_sources(tx, &keys).await?;
        let known: HashMap<GapKey<'_>, &GapRow> = rows.iter().map(|row| (row.key(), row)).collect();
        let sent_at = |key: &GapKey<'_>| known.get(key).and_then(|row| row.sent_at);
        let is_due = |alert: &&Alert| {
            let gap = limits[&alert.notice.oem_id].gap;
            sent_at(&alert.key()).is_none_or(|at| now.duration_since(from_micros(at)) >= gap)
        };
        let due: Vec<&Alert> = alerts.iter().filter(is_due).collect();
        let devices: BTreeSet<i64> = due.iter().map(|alert| alert.device_id).collect();
        let partners = partners::of_devices(tx, &devices.into_iter().collect::<Vec<_>>()).await?;
        let spent = budgets::charge(tx, &due, &limits, &partners, now).await?;
        let allowed = spent.iter().map(Option::is_none);
        let charged: BTreeMap<GapKey<'_>, bool> = due.iter().map(|alert| alert.key()).zip(allowed).collect();
        let (mut gaps, mut notices) = (Vec::with_capacity(alerts.len()), Vec::with_capacity(charged.len()));
        for alert in &alerts {
            let (key, Crossings { before, new }) = (alert.key(), alert.crossings);
            let row = known.get(&key).copied();
            let held_back = row.map_or(0, |row| row.held_back + before - row.crossings);
            let device_id = alert.device_id;
            let gap = NewGap {
                key,
                device_id,
                sent_at: None,
                reported_state: None,
                held_back,
                crossings: before + new,
                due_at: None,
            };
            if charged.get(&key) == Some(&true) {
                notices.push(Notice { remark: remark(alert.count, held_back), ..alert.notice.clone() });
                let (sent_at, reported_state) = (Some(to_micros(now)), alert.state.as_deref());
                gaps.push(NewGap { sent_at, reported_state, held_back: 0, ..gap });
                continue;
            }
            let end = match sent_at(&key) {
                Some(sent_at) if !charged.contains_key(&key) => from_micros(sent_at) + limits[&alert.notice.oem_id].gap,
                _ => budgets::next_day(now),
            };
            let due_at = Some(to_micros(end));
            let is_recent = |row: &GapRow| now.duration_since(from_micros(row.updated_at)) < REFRESH;
            if alert.count > new || row.is_none_or(|row| row.due_at != due_at || !is_recent(row)) {
                let reported_state = row.and_then(|row| row.reported_state.as_deref());
                let held_back = held_back + alert.count;
                gaps.push(NewGap { sent_at: sent_at(&key), reported_state, held_back, due_at, ..gap });
            }
        }
        message_gaps::save(tx, &gaps, now).await?;
        let spent = due.iter().zip(spent).filter_map(|(alert, spent)| Some(SpentBudget { alert, budget: spent? }));
        notices.extend(budget_notices::notices(tx, &spent.collect::<Vec<_>>(), &limits, &partners, now).await?);
        self.mail.enqueue_notices(tx, &notices, now).await
    }

    /// Sends the messages for these rows, whose events were held back, as far as the limits allow. `dropped` are rows whose state the
    /// recipient knows or that is over: they remain as counts, as do rows without a message. The caller has locked the sources, as for
    /// [`enqueue`](Self::enqueue).
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn settle(
        &self,
        tx: &mut Tx,
        due: &[&GapRow],
        dropped: &[&GapRow],
        mut alerts: Vec<Alert>,
        now: Timestamp,
    ) -> Result<()> {
        let keys: BTreeSet<GapKey<'_>> = due.iter().map(|row| row.key()).collect();
        alerts.retain(|alert| keys.contains(&alert.key()));
        let sent: BTreeSet<GapKey<'_>> = alerts.iter().map(Alert::key).collect();
        let unsent = due.iter().filter(|row| !sent.contains(&row.key()));
        let dropped: Vec<NewGap<'_>> = dropped.iter().chain(unsent).map(|row| row.with_due_at(None)).collect();
        message_gaps::save(tx, &dropped, now).await?;
        self.enqueue(tx, alerts, now).await
    }

    /// The limits of the manufacturers of these messages.
    async fn limits(&self, tx: &mut Tx, alerts: &[Alert]) -> Result<HashMap<i64, MessageLimits>> {
        let oems: BTreeSet<i64> = alerts.iter().map(|alert| alert.notice.oem_id).collect();
        let oems: Vec<i64> = oems.into_iter().collect();
        let overrides = message_budgets::overrides(tx, &oems).await?;
        let own = |oem| overrides.get(oem).copied().unwrap_or_default();
        Ok(oems.iter().map(|oem| (*oem, self.limits.overridden_by(own(oem)))).collect())
    }
}

/// What the sources of these keys sent to all their recipients, and held back.
async fn gaps_of_sources(tx: &mut Tx, keys: &[GapKey<'_>]) -> Result<Vec<GapRow>> {
    let mut sources: BTreeMap<&str, BTreeSet<i64>> = BTreeMap::new();
    for key in keys {
        sources.entry(key.source).or_default().insert(key.source_id);
    }
    let mut rows = Vec::new();
    for (source, ids) in sources {
        rows.extend(message_gaps::of_locked(tx, source, &ids.into_iter().collect::<Vec<_>>()).await?);
    }
    Ok(rows)
}

/// How often the event happened, if more than once. An event that was held back has no `count` of its own.
fn remark(count: i64, held_back: i64) -> Option<String> {
    match (count, held_back) {
        (1, 0) | (0, 1) => None,
        (count, 0) => Some(format!("This happened {count} times.")),
        (count, held_back) => Some(format!("This happened {} times since the last message.", count + held_back)),
    }
}
