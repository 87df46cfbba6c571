//! Charges messages to daily budgets.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use platform::db::{Result, Tx};

use super::Alert;
use crate::domain::message_limits::{BudgetScope, MessageLimits};
use crate::store::message_budgets::{self, Counter, CounterKey};
use crate::store::partners::Partner;

/// The day of budgets, in UTC.
pub(crate) fn day(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).date().to_string()
}

/// When the budgets of the next day begin.
pub(super) fn next_day(at: Timestamp) -> Timestamp {
    const DAY: i64 = 24 * 60 * 60;
    Timestamp::from_second((at.as_second().div_euclid(DAY) + 1) * DAY).unwrap_or(Timestamp::MAX)
}

/// Charges the messages to the budgets of their devices, authors, partners and manufacturers. Of each message that may not be sent,
/// returns the budget that is spent, which counts it.
pub(super) async fn charge<'a>(
    tx: &mut Tx,
    alerts: &[&Alert],
    limits: &HashMap<i64, MessageLimits>,
    partners: &'a HashMap<i64, Partner>,
    now: Timestamp,
) -> Result<Vec<Option<CounterKey<'a>>>> {
    let keys: Vec<Vec<CounterKey<'a>>> = alerts.iter().map(|alert| keys(alert, partners).collect()).collect();
    let limits: Vec<MessageLimits> =
        alerts.iter().map(|alert| limits.get(&alert.notice.oem_id).copied().unwrap_or_default()).collect();
    charge_counters(tx, &keys, &limits, now).await
}

/// Adds one to all of the counters of each entry, or, if one has reached its limit, counts the entry there and returns that counter.
pub(super) async fn charge_counters<'a>(
    tx: &mut Tx,
    keys: &[Vec<CounterKey<'a>>],
    limits: &[MessageLimits],
    now: Timestamp,
) -> Result<Vec<Option<CounterKey<'a>>>> {
    let day = day(now);
    let mut counters: BTreeMap<CounterKey<'a>, Counter> =
        keys.iter().flatten().map(|key| (*key, Counter::default())).collect();
    let sorted: Vec<CounterKey<'a>> = counters.keys().copied().collect();
    let locked = message_budgets::lock(tx, &day, &sorted).await?;
    counters.extend(sorted.into_iter().zip(locked));
    let mut all_spent = Vec::with_capacity(keys.len());
    for (keys, limits) in keys.iter().zip(limits) {
        let is_spent = |key: &&CounterKey<'_>| counters[*key].sent >= i64::from(limits.budget(key.scope));
        let spent = keys.iter().find(is_spent).copied();
        match spent {
            Some(key) => counters.entry(key).or_default().held_back += 1,
            None => keys.iter().for_each(|key| counters.entry(*key).or_default().sent += 1),
        }
        all_spent.push(spent);
    }
    message_budgets::save(tx, &day, &counters.into_iter().collect::<Vec<_>>()).await?;
    Ok(all_spent)
}

/// The counters of a message, the most specific first.
fn keys<'a>(alert: &Alert, partners: &'a HashMap<i64, Partner>) -> impl Iterator<Item = CounterKey<'a>> {
    let (oem_id, channel) = (alert.notice.oem_id, alert.notice.to.channel().as_str());
    let partner = partners.get(&alert.device_id);
    let partner = partner.map(|Partner { role_id, value }| (BudgetScope::Partner, *role_id, value.as_str()));
    let scopes = [
        Some((BudgetScope::Device, alert.device_id, "")),
        Some((BudgetScope::Author, alert.author_id, "")),
        partner,
        Some((BudgetScope::Manufacturer, oem_id, "")),
    ];
    let key = move |(scope, scope_id, partner)| CounterKey { oem_id, scope, scope_id, partner, channel };
    scopes.into_iter().flatten().map(key)
}
