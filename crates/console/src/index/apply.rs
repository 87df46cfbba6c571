//! What the live stream tells, applied between two passes.

use jiff::Timestamp;
use platform::db::{Db, Result, params};
use sqlx::AssertSqlSafe;

use crate::devices::record::{ConnectionStatus, Shown};

/// One thing that the stream tells of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// A user wrote a value. It stands until the device acknowledges it.
    Commanded(Shown, i64),
    /// The device acknowledged a user's value.
    Acknowledged(Shown, i64),
    /// The device reported a value.
    Reported(Shown, i64),
    /// The device came or went.
    Connection(ConnectionStatus, Option<Timestamp>),
    /// Something that the index does not keep.
    Unseen,
}

/// Applies a change that was heard of at `now`, and answers the CSP whose lists show, count or order the device otherwise now
/// (an empty text for no CSP). A device that the index does not know yet is left to the next pass.
pub(crate) async fn apply_change(db: &Db, dsn: &str, change: Change, now: Timestamp) -> Result<Option<String>> {
    let mut tx = db.begin().await?;
    let mut list = None;
    match change {
        Change::Commanded(shown, value) => {
            let sql = format!(
                "UPDATE idx_device_state SET {0} = $3, pending = pending | {1}, synced_at = $2 WHERE dsn = $1",
                column(shown),
                shown.bit()
            );
            tx.execute(AssertSqlSafe(sql), params![dsn, now, value]).await?;
        }
        // The acknowledgement of an earlier value says nothing about the one that stands now.
        Change::Acknowledged(shown, value) => {
            let sql = format!(
                "UPDATE idx_device_state SET pending = pending & ~{1}, synced_at = $2 WHERE dsn = $1 AND {0} = $3",
                column(shown),
                shown.bit()
            );
            tx.execute(AssertSqlSafe(sql), params![dsn, now, value]).await?;
        }
        Change::Reported(shown, value) => {
            let sql = format!(
                "UPDATE idx_device_state SET {0} = $3, synced_at = $2 WHERE dsn = $1 AND (pending & {1}) = 0",
                column(shown),
                shown.bit()
            );
            tx.execute(AssertSqlSafe(sql), params![dsn, now, value]).await?;
        }
        Change::Connection(status, connected_at) => {
            let csp: Option<(String,)> = tx
                .fetch_optional(
                    "UPDATE idx_device_state SET connection_status = $3, connected_at = COALESCE($4, connected_at), \
                     synced_at = $2 WHERE dsn = $1 RETURNING csp",
                    params![dsn, now, status.name(), connected_at],
                )
                .await?;
            list = csp.map(|(csp,)| csp);
        }
        Change::Unseen => {}
    }
    tx.execute("UPDATE idx_sync SET as_of = $1 WHERE id = 1 AND as_of < $1", params![now]).await?;
    tx.commit().await?;
    Ok(list)
}

/// The column of idx_device_state.
fn column(shown: Shown) -> &'static str {
    match shown {
        Shown::Mode => "mode",
        Shown::Cycle => "cycle",
        Shown::Intensity => "intensity",
        Shown::Fan => "fan",
        Shown::FragranceRemaining => "fragrance_remaining",
    }
}
