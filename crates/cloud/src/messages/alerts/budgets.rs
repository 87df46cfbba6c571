//! Charges messages to daily budgets.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use platform::db::{Result, Tx};

use super::Alert;
use crate::domain::message_limits::{BudgetScope, MessageLimits};
use crate::store::message_budgets::{self, Counter, CounterKey};
use crate::store::partners::{self, Partner};

/// The day of budgets, in UTC.
pub(crate) fn day(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).date().to_string()
}

/// When the budgets of the next day begin.
pub(super) fn next_day(at: Timestamp) -> Timestamp {
    const DAY: i64 = 24 * 60 * 60;
    Timestamp::from_second((at.as_second().div_euclid(DAY) + 1) * DAY).unwrap_or(Timestamp::MAX)
}

/// Charges the messages to the budgets of their devices, authors, partners and manufacturers. Returns which of them may be sent; the
/// others are counted by the budget that is spent.
pub(super) async fn charge(
    tx: &mut Tx,
    alerts: &[&Alert],
    limits: &HashMap<i64, MessageLimits>,
    now: Timestamp,
) -> Result<Vec<bool>> {
    let day = day(now);
    let devices: BTreeSet<i64> = alerts.iter().map(|alert| alert.device_id).collect();
    let partners = partners::of_devices(tx, &devices.into_iter().collect::<Vec<_>>()).await?;
    let keys = |alert| keys(alert, &partners);
    let mut counters: BTreeMap<CounterKey<'_>, Counter> = BTreeMap::new();
    for alert in alerts {
        counters.extend(keys(alert).map(|key| (key, Counter::default())));
    }
    let sorted: Vec<CounterKey<'_>> = counters.keys().copied().collect();
    let locked = message_budgets::lock(tx, &day, &sorted).await?;
    counters.extend(sorted.into_iter().zip(locked));
    let mut allowed = Vec::with_capacity(alerts.len());
    for alert in alerts {
        let limits = limits.get(&alert.notice.oem_id).copied().unwrap_or_default();
        let is_spent = |key: &CounterKey<'_>| counters[key].sent >= i64::from(limits.budget(key.scope));
        let spent = keys(alert).find(is_spent);
        for key in keys(alert).filter(|_| spent.is_none()) {
            counters.entry(key).or_default().sent += 1;
        }
        if let Some(key) = spent {
            counters.entry(key).or_default().held_back += 1;
        }
        allowed.push(spent.is_none());
    }
    message_budgets::save(tx, &day, &counters.into_iter().collect::<Vec<_>>()).await?;
    Ok(allowed)
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
