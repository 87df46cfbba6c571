//! Notifications about connections.
//!
//! A loss is reported when it has lasted for the threshold of its notification; a job claims those that are due
//! ([`Reactions::notify_losses`]). A reconnection before that cancels it. A later reconnection is reported too. If the
//! job has not reached a due loss by then, the loss is reported first, so that messages depend only on how long a loss
//! lasted.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;
use platform::db::{Db, Result, Tx};
use platform::run::clock::{from_micros, to_micros};

use super::{Occurrence, OccurrenceKind, Reactions, texts};
use crate::domain::notification::NotificationType;
use crate::messages::alerts::{Alert, Crossings, Source};
use crate::messages::mail::Notice;
use crate::records::message::MessageKind;
use crate::store::device_names::NameRow;
use crate::store::notification_apps::NotificationAppRow;
use crate::store::notifications::LossRow;
use crate::store::{device_names, notification_apps, notifications};

/// How many losses one transaction reports.
const BATCH: i64 = 100;

impl Reactions {
    pub(super) async fn check_connections(
        &self,
        tx: &mut Tx,
        occurrences: &[Occurrence<'_>],
        now: Timestamp,
    ) -> Result<Vec<Alert>> {
        let devices = |wanted: bool| {
            let is_wanted = move |kind: OccurrenceKind<'_>| matches!(kind, OccurrenceKind::Connectivity { online } if online == wanted);
            let devices = occurrences.iter().filter(|occurrence| is_wanted(occurrence.kind));
            let devices: BTreeSet<i64> = devices.map(|occurrence| occurrence.device_id).collect();
            devices.into_iter().collect::<Vec<_>>()
        };
        notifications::record_losses(tx, &devices(false), self.longest_threshold, now).await?;
        let rows = notifications::locked_of_devices(tx, &devices(true)).await?;
        let over: Vec<i64> = rows.iter().filter(|row| row.lost_at.is_some()).map(|row| row.id).collect();
        notifications::restore(tx, &over).await?;
        let is_sent =
            |row: &LossRow| row.kind().is_some_and(|kind| kind.is_sent_on_reconnect(row.due_at, to_micros(now)));
        let losses: Vec<LossRow> = rows.into_iter().filter(is_sent).collect();
        alerts_of(tx, &losses, 1, now).await
    }

    /// Reports some losses that have reached their threshold. Returns their number. Each is reported once, also when
    /// several nodes run.
    ///
    /// # Errors
    /// A database error; nothing is sent then, and the next run tries again.
    pub(crate) async fn notify_losses(&self, db: &Db, now: Timestamp) -> Result<usize> {
        let notify_losses = async |mut tx: Tx| -> Result<_> {
            let due = notifications::claim_due(&mut tx, BATCH, now).await?;
            let alerts = alerts_of(&mut tx, &due, 1, now).await?;
            self.alerts.enqueue(&mut tx, alerts, now).await?;
            tx.commit().await?;
            Ok(due)
        };
        let due = db.write(notify_losses).await?;
        Ok(due.len())
    }
}

/// The messages about these connections, each of which reports `count` new events.
pub(super) async fn alerts_of(tx: &mut Tx, losses: &[LossRow], count: i64, now: Timestamp) -> Result<Vec<Alert>> {
    if losses.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<i64> = losses.iter().map(|row| row.id).collect();
    let apps = notification_apps::of_notifications(tx, &ids).await?;
    let devices: BTreeSet<i64> = losses.iter().map(|row| row.device_id).collect();
    let names = device_names::of(tx, &devices.into_iter().collect::<Vec<_>>()).await?;
    let by_id: HashMap<i64, &LossRow> = losses.iter().map(|row| (row.id, row)).collect();
    let mut alerts = Vec::with_capacity(apps.len());
    for app in &apps {
        let row = by_id.get(&app.notification_id).copied();
        let device = row.and_then(|row| names.get(&row.device_id));
        alerts.extend(row.zip(device).and_then(|(row, device)| alert(app, row, device, count, now)));
    }
    Ok(alerts)
}

fn alert(app: &NotificationAppRow, row: &LossRow, device: &NameRow, count: i64, now: Timestamp) -> Option<Alert> {
    let kind: NotificationType = row.kind()?;
    let app = &app.app;
    let since = match kind {
        NotificationType::Lost => row.lost_at,
        NotificationType::Connected | NotificationType::Restored => row.connected_at,
    };
    let since = since.map_or(now, from_micros);
    let (subject, sentence) = texts::of_connection(kind, device, row.lost_at.map(from_micros), since);
    let [email, country_code, number] = [&app.email, &app.country_code, &app.phone_number].map(Option::as_deref);
    let notice = Notice {
        kind: MessageKind::Connection,
        oem_id: device.oem_id,
        user_id: None,
        to: texts::address(&app.app_type, email, country_code, number)?,
        subject: app.email_subject.clone().unwrap_or(subject),
        opening: app.message.as_ref().or(row.message.as_ref()).cloned(),
        sentence,
        remark: None,
        email_template_id: app.email_template_id.clone(),
    };
    let (source, device_id, author_id) = (Source::Notification(row.id), row.device_id, row.user_id);
    let state = Some(kind.state().to_owned());
    Some(Alert { source, device_id, author_id, count, crossings: Crossings::default(), state, notice })
}
