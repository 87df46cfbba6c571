//! Import of past connection changes.

use std::collections::BTreeSet;

use jiff::Timestamp;
use platform::run::clock::to_micros;

use super::{Oem, Operator, OperatorError, Result};
use crate::store;
use crate::store::connection_history::ChangeRow;
use crate::store::connections::{OFFLINE, ONLINE};

/// A past change of a device's connection status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionPoint {
    /// The device.
    pub dsn: String,
    /// Whether the device connected or disconnected.
    pub online: bool,
    /// Time of the change.
    pub at: Timestamp,
}

impl Operator {
    /// Imports past connection changes, all or none. The last change of a device should be a disconnection, as its
    /// current status is not changed. Changes that are not newer than the device's latest one are skipped, so the call
    /// can be repeated.
    ///
    /// # Errors
    /// An unknown device, a change later than now, or a database error.
    pub async fn add_connections(&self, oem: &Oem, points: &[ConnectionPoint]) -> Result<()> {
        let dsns: Vec<&str> = points.iter().map(|point| &*point.dsn).collect::<BTreeSet<_>>().into_iter().collect();
        let ids = store::history::devices(&self.db, oem.id, &dsns).await?;
        let now = self.clock.now();
        let mut changes = Vec::with_capacity(points.len());
        for point in points {
            let id = ids.get(&point.dsn).ok_or_else(|| OperatorError::UnknownDevice(point.dsn.clone()))?;
            if point.at > now {
                let ConnectionPoint { dsn, at, .. } = point.clone();
                return Err(OperatorError::OutOfOrder { dsn, property: "connection_status".to_owned(), at });
            }
            let status = if point.online { ONLINE } else { OFFLINE };
            changes.push(ChangeRow { device_id: *id, status: status.to_owned(), at: to_micros(point.at) });
        }
        changes.sort_by_key(|change| change.at);

        let mut tx = self.db.begin().await?;
        let ids: Vec<i64> = ids.into_values().collect();
        store::connection_history::lock_rows(&mut tx, &ids).await?;
        let mut last = store::connection_history::last(&mut tx, &ids).await?;
        changes.retain(|change| {
            let new =
                last.get(&change.device_id).is_none_or(|last| last.at < change.at && last.status != change.status);
            if new {
                last.insert(change.device_id, change.clone());
            }
            new
        });
        store::connection_history::append(&mut tx, &changes).await?;
        Ok(tx.commit().await?)
    }
}
