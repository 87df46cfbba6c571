//! The table of removed notifications, from which an undo restores them for a short time.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result, params};
use uuid::Uuid;

use super::plan::NotificationSettings;
use super::view::NotificationUndo;
use crate::base::Base;
use crate::http::error::{ApiError, ApiResult};

/// How long a removal can be undone.
const UNDO_PERIOD: SignedDuration = SignedDuration::from_secs(30);
/// How many removals of a device are stored. Of more, only the newest can be undone.
const MAX_REMOVALS: i64 = 100;
const CLEANUP_INTERVAL: Duration = Duration::from_secs(60);

/// Stores a notification that was removed at `now`.
pub(super) async fn store(
    db: &Db,
    dsn: &str,
    id: Uuid,
    removed: &NotificationSettings,
    now: Timestamp,
) -> ApiResult<NotificationUndo> {
    let settings = serde_json::to_string(removed).map_err(ApiError::internal)?;
    let undo = NotificationUndo { id, until: now + UNDO_PERIOD };
    let mut tx = db.begin().await?;
    let sql = "insert into removed_notifications (id, dsn, settings, undo_until) values ($1, $2, $3, $4)";
    tx.execute(sql, params![undo.id, dsn, settings, undo.until]).await?;
    tx.execute(
        "delete from removed_notifications where dsn = $1 and id not in \
         (select id from removed_notifications where dsn = $1 order by undo_until desc, id desc limit $2)",
        params![dsn, MAX_REMOVALS],
    )
    .await?;
    tx.commit().await?;
    Ok(undo)
}

/// The removed notification, if its removal can be undone at `now`.
pub(super) async fn find(db: &Db, dsn: &str, id: Uuid, now: Timestamp) -> ApiResult<Option<NotificationSettings>> {
    let sql = "select settings from removed_notifications where id = $1 and dsn = $2 and undo_until > $3";
    let row: Option<(String,)> = db.fetch_optional(sql, params![id, dsn, now]).await?;
    row.map(|(settings,)| serde_json::from_str(&settings).map_err(ApiError::internal)).transpose()
}

/// Deletes a removal that was undone.
pub(super) async fn delete(db: &Db, id: Uuid) -> Result<()> {
    db.execute("delete from removed_notifications where id = $1", params![id]).await?;
    Ok(())
}

/// Deletes removals that can no longer be undone, with the addresses in them, forever.
pub(crate) async fn delete_old_removals_forever(base: &Base) {
    loop {
        let sql = "delete from removed_notifications where undo_until <= $1";
        if let Err(error) = base.db.execute(sql, params![base.clock.now()]).await {
            tracing::warn!(%error, "old removals of notifications could not be deleted");
        }
        tokio::time::sleep(CLEANUP_INTERVAL).await;
    }
}

#[cfg(test)]
mod tests {
    use super::super::phone::Phone;
    use super::super::recipient::Recipient;
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_secs(second)
    }

    async fn newest_removals_of_each_device_are_stored(db: Db) {
        let removed = NotificationSettings {
            recipient: Recipient::Sms(Phone { country_code: "44".to_owned(), number: "2079460018".to_owned() }),
            events: Default::default(),
        };
        let id = |number: i64| Uuid::from_u128(number.unsigned_abs().into());
        store(&db, "SC-2", id(0), &removed, at(0)).await.unwrap();
        for number in 1..=MAX_REMOVALS + 2 {
            store(&db, "SC-1", id(number), &removed, at(number / 100)).await.unwrap();
        }
        assert_eq!(find(&db, "SC-1", id(2), at(1)).await.unwrap(), None, "the oldest");
        for (dsn, number) in [("SC-1", 3), ("SC-1", MAX_REMOVALS + 2), ("SC-2", 0)] {
            assert_eq!(find(&db, dsn, id(number), at(29)).await.unwrap().as_ref(), Some(&removed), "{dsn} {number}");
        }
        assert_eq!(find(&db, "SC-2", id(0), at(30)).await.unwrap(), None, "after 30 seconds");
    }

    platform::store_suite!(migrate = crate::migrations::migrate, tests = [newest_removals_of_each_device_are_stored]);
}
