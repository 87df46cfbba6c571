//! Changes from the live stream, applied between two passes.

use jiff::Timestamp;
use platform::db::{Db, Params, Result, Tx, params};
use sqlx::AssertSqlSafe;

use super::level::{falling, rising};
use crate::records::{ConnectionStatus, IndexedProperty};

/// A change that the live stream reports for one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamChange {
    /// A user wrote a value. It stays current until the device acknowledges it.
    Commanded(IndexedProperty, i64),
    /// The device acknowledged a user's value.
    Acknowledged(IndexedProperty, i64),
    /// The device reported a value.
    Reported(IndexedProperty, i64),
    /// The device connected or disconnected, and when.
    Connection(ConnectionStatus, Option<Timestamp>),
    /// A change of data that the index does not store.
    NotIndexed,
}

/// Applies a change that arrived at `now` and returns the CSP whose list contents, counts or order it changed (empty
/// text for no CSP). A device that is missing from the index is left to the next pass.
pub(crate) async fn apply_change(db: &Db, dsn: &str, change: StreamChange, now: Timestamp) -> Result<Option<String>> {
    let mut tx = db.begin().await?;
    let mut list = None;
    match change {
        StreamChange::Commanded(property, value) => {
            list = affected_csp(&mut tx, dsn, property, value, "TRUE").await?;
            let sql = format!(
                "UPDATE idx_device_state SET {0}, pending = pending | {1}, synced_at = $2 WHERE dsn = $1",
                assignments(property),
                property.bit()
            );
            tx.execute(AssertSqlSafe(sql), with_value(params![dsn, now], property, value)).await?;
        }
        // An acknowledgement of an older value does not confirm the current one.
        StreamChange::Acknowledged(property, value) => {
            let sql = format!(
                "UPDATE idx_device_state SET pending = pending & ~{1}, synced_at = $2 WHERE dsn = $1 AND {0} = $3",
                column(property),
                property.bit()
            );
            tx.execute(AssertSqlSafe(sql), params![dsn, now, value]).await?;
        }
        StreamChange::Reported(property, value) => {
            let is_free = format!("(pending & {}) = 0", property.bit());
            list = affected_csp(&mut tx, dsn, property, value, &is_free).await?;
            let sql = format!(
                "UPDATE idx_device_state SET {}, synced_at = $2 WHERE dsn = $1 AND {is_free}",
                assignments(property)
            );
            tx.execute(AssertSqlSafe(sql), with_value(params![dsn, now], property, value)).await?;
        }
        StreamChange::Connection(status, at) => {
            let sql = match status {
                ConnectionStatus::Online => {
                    "UPDATE idx_device_state SET connection_status = 'Online', connected_at = COALESCE($3, connected_at), \
                     connection_changed_at = COALESCE($3, connected_at), synced_at = $2 WHERE dsn = $1 RETURNING csp"
                }
                // A repeated disconnect keeps the time of the first.
                ConnectionStatus::Offline => {
                    "UPDATE idx_device_state SET synced_at = $2, connection_changed_at = \
                     CASE WHEN connection_status = 'Online' AND connected_at <> 0 THEN COALESCE($3, $2) \
                     ELSE connection_changed_at END, \
                     connection_status = CASE WHEN connected_at = 0 THEN 'NeverConnected' ELSE 'Offline' END \
                     WHERE dsn = $1 RETURNING csp"
                }
            };
            let csp: Option<(String,)> = tx.fetch_optional(sql, params![dsn, now, at]).await?;
            list = csp.map(|(csp,)| csp);
        }
        StreamChange::NotIndexed => {}
    }
    tx.execute("UPDATE idx_sync SET as_of = $1 WHERE id = 1 AND as_of < $1", params![now]).await?;
    tx.commit().await?;
    Ok(list)
}

/// The CSP of the device, if lists sort or filter by a value that is about to change.
async fn affected_csp(
    tx: &mut Tx,
    dsn: &str,
    property: IndexedProperty,
    value: i64,
    condition: &str,
) -> Result<Option<String>> {
    if property != IndexedProperty::FragranceRemaining {
        return Ok(None);
    }
    let sql = format!(
        "SELECT csp FROM idx_device_state \
         WHERE dsn = $1 AND {condition} AND (fragrance_remaining IS NULL OR fragrance_remaining <> $2)"
    );
    let csp: Option<(String,)> = tx.fetch_optional(AssertSqlSafe(sql), params![dsn, value]).await?;
    Ok(csp.map(|(csp,)| csp))
}

/// The assignment of `$3` to the column, and of the sort columns of a level.
fn assignments(property: IndexedProperty) -> String {
    let own = format!("{} = $3", column(property));
    match property {
        IndexedProperty::FragranceRemaining => format!("{own}, remaining_rising = $4, remaining_falling = $5"),
        IndexedProperty::Mode | IndexedProperty::Cycle | IndexedProperty::Intensity | IndexedProperty::Fan => own,
    }
}

fn with_value(params: Params, property: IndexedProperty, value: i64) -> Params {
    let params = params.with(value);
    match property {
        IndexedProperty::FragranceRemaining => params.with(rising(Some(value))).with(falling(Some(value))),
        IndexedProperty::Mode | IndexedProperty::Cycle | IndexedProperty::Intensity | IndexedProperty::Fan => params,
    }
}

/// The column of idx_device_state.
fn column(property: IndexedProperty) -> &'static str {
    match property {
        IndexedProperty::Mode => "mode",
        IndexedProperty::Cycle => "cycle",
        IndexedProperty::Intensity => "intensity",
        IndexedProperty::Fan => "fan",
        IndexedProperty::FragranceRemaining => "fragrance_remaining",
    }
}
