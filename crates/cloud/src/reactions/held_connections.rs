//! Messages about connections that gaps or budgets held back.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;
use platform::db::{Db, Result, Tx};
use platform::run::clock::to_micros;

use super::{Reactions, connections};
use crate::domain::notification::{CONNECTED, LOST, NotificationType};
use crate::messages::alerts::Source;
use crate::store::message_gaps::{self, GapRow};
use crate::store::notifications::{self, LossRow};

/// How many due rows one transaction reads to find the notifications to settle.
const BATCH: i64 = 100;

/// The decision about events that were held back.
#[derive(Debug, PartialEq, Eq)]
enum Settlement {
    Send,
    /// The recipient knows the state, or it is over.
    Drop,
    /// A loss that has not reached its threshold can still end unreported.
    Postpone(i64),
}

impl Reactions {
    /// Settles some messages about connections that were held back and are due. Returns their number.
    pub(super) async fn settle_connections(&self, db: &Db, now: Timestamp) -> Result<usize> {
        let settle = async |mut tx: Tx| -> Result<usize> {
            let sources = message_gaps::due_sources(&mut tx, Source::NOTIFICATION, BATCH, now).await?;
            let devices: BTreeSet<i64> = sources.iter().map(|(_, device_id)| *device_id).collect();
            let losses = notifications::locked_of_devices(&mut tx, &devices.into_iter().collect::<Vec<_>>()).await?;
            let losses: HashMap<i64, LossRow> = losses.into_iter().map(|loss| (loss.id, loss)).collect();
            let ids: BTreeSet<i64> = sources.into_iter().map(|(id, _)| id).chain(losses.keys().copied()).collect();
            let ids: Vec<i64> = ids.into_iter().collect();
            let rows = message_gaps::of_locked(&mut tx, Source::NOTIFICATION, &ids).await?;
            let (mut due, mut dropped, mut postponed) = (Vec::new(), Vec::new(), Vec::new());
            let mut current: Vec<LossRow> = Vec::new();
            for row in rows.iter().filter(|row| row.is_due(now)) {
                let loss = losses.get(&row.source_id);
                match loss.map(|loss| settlement(row, loss, &rows, &losses, now)) {
                    Some(Settlement::Send) => {
                        due.push(row);
                        current
                            .extend(loss.filter(|loss| current.last().is_none_or(|last| last.id != loss.id)).cloned());
                    }
                    Some(Settlement::Postpone(until)) => postponed.push(row.with_due_at(Some(until))),
                    Some(Settlement::Drop) | None => dropped.push(row),
                }
            }
            message_gaps::save(&mut tx, &postponed, now).await?;
            let alerts = connections::alerts_of(&mut tx, &current, 0, now).await?;
            self.alerts.settle(&mut tx, &due, &dropped, alerts, now).await?;
            let settled = due.len() + dropped.len() + postponed.len();
            tx.commit().await?;
            Ok(settled)
        };
        db.write(settle).await
    }
}

/// Decides about a row by the present state of the device. `rows` and `losses` are those of all notifications of the device.
fn settlement(
    row: &GapRow,
    loss: &LossRow,
    rows: &[GapRow],
    losses: &HashMap<i64, LossRow>,
    now: Timestamp,
) -> Settlement {
    let is_same_recipient = |other: &&GapRow| {
        let (key, other_key) = (row.key(), other.key());
        other.device_id == row.device_id && (key.channel, key.recipient) == (other_key.channel, other_key.recipient)
    };
    let of_recipient = || rows.iter().filter(is_same_recipient);
    let sent = of_recipient().filter(|row| row.sent_at.is_some());
    // Of two messages at the same time, that about the return is the later one.
    let last = sent.max_by_key(|row| (row.sent_at, row.reported_state.as_deref() == Some(CONNECTED)));
    let known = last.and_then(|row| row.reported_state.as_deref());
    let kind_of = |row: &GapRow| losses.get(&row.source_id).and_then(LossRow::kind);
    match (loss.kind(), loss.lost_at) {
        (Some(NotificationType::Lost), Some(_)) if loss.due_at.is_none() => {
            // A recipient who would have got a message about the return believes what the last one reported.
            let is_return_pending =
                of_recipient().any(|row| row.due_at.is_some() && kind_of(row) != Some(NotificationType::Lost));
            if known == Some(LOST) && is_return_pending { Settlement::Drop } else { Settlement::Send }
        }
        (Some(NotificationType::Restored), Some(_)) => match loss.due_at {
            Some(reached_at) if reached_at > to_micros(now) => Settlement::Postpone(reached_at),
            _ => Settlement::Drop,
        },
        (Some(NotificationType::Restored | NotificationType::Connected), _) if loss.connected_at.is_some() => {
            if known == Some(CONNECTED) { Settlement::Drop } else { Settlement::Send }
        }
        _ => Settlement::Drop,
    }
}
