//! Notifications about connections, and the progress of connection losses.

use jiff::{SignedDuration, Timestamp};
use platform::db::rows::{all, key_runs, placeholders, rows_of_placeholders, runs};
use platform::db::{Db, Params, Result, Tx, params};
use sqlx::AssertSqlSafe;

use super::authors;
use crate::domain::notification::NotificationType;

/// A notification with its device and its creator.
#[derive(Clone, sqlx_macros::FromRow)]
pub(crate) struct NotificationRow {
    pub(crate) id: i64,
    pub(crate) device_id: i64,
    pub(crate) product_name: String,
    pub(crate) notification_type: String,
    pub(crate) threshold: i64,
    pub(crate) message: Option<String>,
    pub(crate) user_id: i64,
    pub(crate) user_uuid: String,
}

/// A notification to create.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewNotification<'a> {
    pub(crate) device_id: i64,
    pub(crate) user_id: i64,
    pub(crate) notification_type: NotificationType,
    pub(crate) threshold: i64,
    pub(crate) message: Option<&'a str>,
}

/// A notification during a connection change.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct LossRow {
    pub(crate) id: i64,
    pub(crate) device_id: i64,
    pub(crate) user_id: i64,
    notification_type: String,
    pub(crate) message: Option<String>,
    /// When the connection was lost; `None` while it is up.
    pub(crate) lost_at: Option<i64>,
    /// When the loss reaches the threshold; `None` if it was reported.
    pub(crate) due_at: Option<i64>,
    /// Since when the device is connected; `None` if it is not.
    pub(crate) connected_at: Option<i64>,
}

impl LossRow {
    pub(crate) fn kind(&self) -> Option<NotificationType> {
        NotificationType::find(&self.notification_type)
    }
}

const SELECT: &str =
    "select n.id, n.device_id, d.product_name, n.notification_type, n.threshold, n.message, n.user_id, u.uuid as user_uuid
     from notification n join device d on d.id = n.device_id join users u on u.id = n.user_id";

/// The notifications of the device, all or those of one creator, oldest first.
pub(crate) async fn of_device(db: &Db, device_id: i64, user_id: Option<i64>) -> Result<Vec<NotificationRow>> {
    let sql = format!("{SELECT} where n.device_id = $1 and ($2 is null or n.user_id = $2) order by n.id");
    db.fetch_all(AssertSqlSafe(sql), params![device_id, user_id]).await
}

/// The notification of this id.
pub(crate) async fn find(db: &Db, id: i64) -> Result<Option<NotificationRow>> {
    db.fetch_optional(AssertSqlSafe(format!("{SELECT} where n.id = $1")), params![id]).await
}

/// Like [`find`], within a transaction.
pub(crate) async fn find_within(tx: &mut Tx, id: i64) -> Result<Option<NotificationRow>> {
    tx.fetch_optional(AssertSqlSafe(format!("{SELECT} where n.id = $1")), params![id]).await
}

/// The number of notifications of the device.
pub(crate) async fn count(tx: &mut Tx, device_id: i64) -> Result<i64> {
    let (count,) = tx.fetch_one("select count(*) from notification where device_id = $1", params![device_id]).await?;
    Ok(count)
}

/// Creates the notification. Returns its id.
pub(crate) async fn insert(tx: &mut Tx, new: NewNotification<'_>, now: Timestamp) -> Result<i64> {
    let (id,) = tx
        .fetch_one(
            "insert into notification (device_id, user_id, notification_type, threshold, message, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $6) returning id",
            params![new.device_id, new.user_id, new.notification_type.as_str(), new.threshold, new.message, now],
        )
        .await?;
    Ok(id)
}

/// Changes the notification. A loss in progress reaches the new threshold.
pub(crate) async fn update(
    tx: &mut Tx,
    id: i64,
    notification_type: NotificationType,
    threshold: i64,
    message: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    tx.execute(
        "update notification set notification_type = $2, due_at = due_at + 1000000 * ($3 - threshold), threshold = $3,
             message = $4, updated_at = $5
         where id = $1",
        params![id, notification_type.as_str(), threshold, message, now],
    )
    .await?;
    Ok(())
}

/// Returns whether there was such a notification.
pub(crate) async fn delete(db: &Db, id: i64) -> Result<bool> {
    Ok(db.execute("delete from notification where id = $1", params![id]).await? == 1)
}

/// Records connection losses. They become due after the threshold of the notification, or after `longest`.
pub(crate) async fn record_losses(tx: &mut Tx, devices: &[i64], longest: SignedDuration, now: Timestamp) -> Result<()> {
    for run in runs(devices) {
        let sql = format!(
            "update notification set lost_at = new.column2,
                 due_at = new.column2 + 1000000 * case when threshold < new.column3 then threshold else new.column3 end
             from (values {}) as new
             where notification.device_id = new.column1
                 and notification_type in ('on_connection_lost', 'on_connection_restore')",
            rows_of_placeholders(tx.dialect(), run.len(), 3)
        );
        let values = all(run, |values, device_id| values.with(*device_id).with(now).with(longest.as_secs()));
        tx.execute(AssertSqlSafe(sql), values).await?;
    }
    Ok(())
}

const LOSS: &str = "id, device_id, user_id, notification_type, message, lost_at, due_at,
    (select case when s.status = 'Online' then s.connected_at end
     from device_state s where s.device_id = notification.device_id) as connected_at";

/// Locks and returns the notifications of these devices whose authors have not lost them.
pub(crate) async fn locked_of_devices(tx: &mut Tx, devices: &[i64]) -> Result<Vec<LossRow>> {
    let mut rows = Vec::new();
    for run in key_runs(devices) {
        let (names, hold) = (placeholders(tx.dialect(), run.len()), tx.for_update());
        let author = authors::notification();
        let sql =
            format!("select {LOSS} from notification where device_id in ({names}) and {author} order by id{hold}");
        let keys = run.into_iter().fold(Params::default(), Params::with);
        rows.extend(tx.fetch_all::<LossRow>(AssertSqlSafe(sql), keys).await?);
    }
    Ok(rows)
}

/// Clears the losses of these notifications.
pub(crate) async fn restore(tx: &mut Tx, ids: &[i64]) -> Result<()> {
    each(tx, "update notification set lost_at = null, due_at = null where id in", ids).await
}

/// Claims and locks up to `most` due losses whose authors have not lost the device. Other nodes skip locked ones.
pub(crate) async fn claim_due(tx: &mut Tx, most: i64, now: Timestamp) -> Result<Vec<LossRow>> {
    let sql = format!(
        "select {LOSS} from notification
         where notification_type = 'on_connection_lost' and due_at <= $1 and {}
         order by due_at limit $2{}",
        authors::notification(),
        tx.for_update_of_free()
    );
    let due: Vec<LossRow> = tx.fetch_all(AssertSqlSafe(sql), params![now, most]).await?;
    let ids: Vec<i64> = due.iter().map(|row| row.id).collect();
    each(tx, "update notification set due_at = null where id in", &ids).await?;
    Ok(due)
}

async fn each(tx: &mut Tx, change: &str, ids: &[i64]) -> Result<()> {
    for run in key_runs(ids) {
        let sql = format!("{change} ({})", placeholders(tx.dialect(), run.len()));
        tx.execute(AssertSqlSafe(sql), run.into_iter().fold(Params::default(), Params::with)).await?;
    }
    Ok(())
}
