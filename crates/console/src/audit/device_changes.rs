//! The audited changes of devices, for their histories and for jobs.

use std::collections::HashMap;

use jiff::Timestamp;
use platform::db::{Db, Result};
use uuid::Uuid;

use super::dto::{AuditActor, saved};
use super::store::{self, AuditFilter, Outcome};
use super::{FieldChange, Operation};
use crate::policy::{self, Action, Actor, Decision, Target};

/// A job changes a target once, and again in each retry.
const CHANGES_PER_TARGET: u64 = 10;

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
        let author = sees_authors.then(|| AuditActor::of(&recorded, actor).email).flatten();
        let fields = saved_fields(recorded.fields, &recorded.outcome);
        let operation = Operation::from_id(&recorded.operation)?;
        (!fields.is_empty()).then_some(DeviceChange { at: recorded.began_at, operation, author, fields })
    };
    Ok(newest_first.into_iter().rev().filter_map(change).collect())
}

/// The fields that a job saved at these devices, by dsn, oldest first, as far as `actor` may see them.
///
/// # Errors
/// Database errors.
pub(crate) async fn changes_of_job(
    db: &Db,
    actor: &Actor,
    job: Uuid,
    dsns: Vec<String>,
) -> Result<HashMap<String, Vec<FieldChange>>> {
    let limit = dsns.len() as u64 * CHANGES_PER_TARGET;
    let filter = AuditFilter { job: Some(job), devices: Some(dsns), ..AuditFilter::default() };
    let mut changes: HashMap<String, Vec<FieldChange>> = HashMap::new();
    for recorded in store::list(db, actor, &filter, limit).await?.into_iter().rev() {
        changes.entry(recorded.target_id).or_default().extend(saved_fields(recorded.fields, &recorded.outcome));
    }
    Ok(changes)
}

fn saved_fields(fields: Vec<FieldChange>, outcome: &Outcome) -> Vec<FieldChange> {
    let saved = saved(outcome, &fields);
    fields.into_iter().zip(saved).filter(|(_, saved)| *saved == Some(true)).map(|(field, _)| field).collect()
}
