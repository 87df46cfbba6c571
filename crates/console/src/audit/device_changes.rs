//! What was changed at one device, for its history.

use jiff::Timestamp;
use platform::db::{Db, Result};

use super::dto::saved;
use super::store::{self, AuditFilter};
use super::{FieldChange, Operation};
use crate::policy::Actor;

/// A change of a device of which something was saved.
#[derive(Debug)]
pub(crate) struct DeviceChange {
    /// When it began.
    pub(crate) at: Timestamp,
    pub(crate) operation: Operation,
    /// What was saved of it.
    pub(crate) fields: Vec<FieldChange>,
}

/// The newest changes of a device since `from`, the oldest first: of the newest `limit` that `actor` may know of, those that
/// saved something. It does not say who made them.
///
/// # Errors
/// Of the database.
pub(crate) async fn changes_of_device(
    db: &Db,
    actor: &Actor,
    dsn: &str,
    from: Timestamp,
    limit: u64,
) -> Result<Vec<DeviceChange>> {
    let filter = AuditFilter { target: Some(dsn.to_owned()), from: Some(from), ..AuditFilter::default() };
    let newest_first = store::list(db, actor, &filter, limit).await?;
    let change = |recorded: store::RecordedChange| {
        let saved = saved(&recorded.outcome, &recorded.fields);
        let fields: Vec<_> = recorded
            .fields
            .into_iter()
            .zip(saved)
            .filter(|(_, saved)| *saved == Some(true))
            .map(|(it, _)| it)
            .collect();
        let operation = Operation::from_id(&recorded.operation)?;
        (!fields.is_empty()).then_some(DeviceChange { at: recorded.began_at, operation, fields })
    };
    Ok(newest_first.into_iter().rev().filter_map(change).collect())
}
