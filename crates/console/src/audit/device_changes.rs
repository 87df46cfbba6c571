//! The audited changes of one device, for its history.

use jiff::Timestamp;
use platform::db::{Db, Result};

use super::dto::{AuditActor, saved};
use super::store::{self, AuditFilter};
use super::{FieldChange, Operation};
use crate::policy::{self, Action, Actor, Decision, Target};

/// A change of a device that saved at least one field.
#[derive(Debug)]
pub(crate) struct DeviceChange {
    /// When the change began.
    pub(crate) at: Timestamp,
    pub(crate) operation: Operation,
    /// The author's e-mail address, if the actor may see it.
    pub(crate) author: Option<String>,
    /// The saved fields.
    pub(crate) fields: Vec<FieldChange>,
}

/// The changes of a device since `from` that saved at least one field, oldest first. Only the newest `limit` changes that
/// `actor` may see are considered.
///
/// # Errors
/// Database errors.
pub(crate) async fn changes_of_device(
    db: &Db,
    actor: &Actor,
    dsn: &str,
    from: Timestamp,
    limit: u64,
) -> Result<Vec<DeviceChange>> {
    let filter = AuditFilter { target: Some(dsn.to_owned()), from: Some(from), ..AuditFilter::default() };
    let newest_first = store::list(db, actor, &filter, limit).await?;
    let sees_authors = policy::can(actor, Action::View, Target::Audit) == Decision::Allowed;
    let change = |recorded: store::RecordedChange| {
        let saved = saved(&recorded.outcome, &recorded.fields);
        let author = sees_authors.then(|| AuditActor::of(&recorded, actor).email).flatten();
        let fields: Vec<_> = recorded
            .fields
            .into_iter()
            .zip(saved)
            .filter(|(_, saved)| *saved == Some(true))
            .map(|(it, _)| it)
            .collect();
        let operation = Operation::from_id(&recorded.operation)?;
        (!fields.is_empty()).then_some(DeviceChange { at: recorded.began_at, operation, author, fields })
    };
    Ok(newest_first.into_iter().rev().filter_map(change).collect())
}
