//! Collects the records that a request changes, so that it can be found out later whether they have changed since.

use std::cell::RefCell;

use jiff::Timestamp;
use platform::db::{Db, Result, params};
use platform::run::random::first_uuid_at;
use serde::{Deserialize, Serialize};

use super::Operation;
use super::change::{AuditTarget, TargetKind};

tokio::task_local! {
    static WRITTEN: RefCell<Vec<WrittenRecord>>;
}

/// A record that a request has changed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct WrittenRecord {
    pub(super) kind: String,
    pub(super) id: String,
    /// Distinguishes records without an id.
    pub(super) csp: String,
    /// When the request changed it first.
    pub(super) from: Timestamp,
    /// The number of its audited changes from then on, as far as they had begun when the request changed it.
    changes: i64,
}

impl WrittenRecord {
    fn of(target: &AuditTarget, from: Timestamp) -> Self {
        let csp = target.csp.clone().unwrap_or_default();
        Self { kind: target.kind.name().to_owned(), id: target.id.clone(), csp, from, changes: 0 }
    }

    fn is_same(&self, other: &Self) -> bool {
        self.kind == other.kind && self.id == other.id && (!self.id.is_empty() || self.csp == other.csp)
    }
}

/// Runs the handling of a request, and returns the records that it has changed.
pub(crate) async fn collect_written<T>(handled: impl Future<Output = T>) -> (T, Vec<WrittenRecord>) {
    WRITTEN
        .scope(RefCell::default(), async {
            let response = handled.await;
            (response, WRITTEN.with(RefCell::take))
        })
        .await
}

/// Whether somebody has begun to change one of these records since.
///
/// # Errors
/// Database errors.
pub(crate) async fn have_changed(db: &Db, records: &[WrittenRecord]) -> Result<bool> {
    for record in records {
        if count_changes(db, record).await? > record.changes {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Notes a change that is about to be recorded, if the records of the request are collected.
pub(super) async fn note_change(db: &Db, target: &AuditTarget, now: Timestamp) -> Result<()> {
    let mut record = WrittenRecord::of(target, now);
    let is_known = WRITTEN.try_with(|written| {
        let mut written = written.borrow_mut();
        let known = written.iter_mut().find(|known| known.is_same(&record));
        known.map(|known| known.changes += 1).is_some()
    });
    if is_known == Ok(false) {
        record.changes = count_changes(db, &record).await? + 1;
        WRITTEN.with(|written| written.borrow_mut().push(record));
    }
    Ok(())
}

/// Notes the id of the created record, whose change has been noted last.
pub(super) fn note_id(id: &str) {
    let _ = WRITTEN.try_with(|written| {
        if let Some(record) = written.borrow_mut().last_mut() {
            (record.id, record.changes) = (id.to_owned(), 1);
        }
    });
}

/// Counts the changes of a record that began from its instant on, except sign-ins, sign-outs and what follows from other changes. Those of a job include what others
/// have changed of its targets.
async fn count_changes(db: &Db, record: &WrittenRecord) -> Result<i64> {
    let sql = "select count(*) from audit where target_id = $1 and id >= $2 and target_kind = $3 \
               and ($1 <> '' or coalesce(target_csp, '') = $4) and operation not in ($5, $6) and cause_id is null";
    let of_targets = "select count(*) from audit where target_id in (select dsn from job_targets where job_id = $1) \
                      and id >= $2 and target_kind = $3 and (job_id is null or job_id <> $1) and cause_id is null";
    let (create, delete) = (Operation::CreateSession.id(), Operation::DeleteSession.id());
    let from = first_uuid_at(record.from).to_string();
    let (count,): (i64,) =
        db.fetch_one(sql, params![&record.id, &from, &record.kind, &record.csp, create, delete]).await?;
    if record.kind != TargetKind::Job.name() {
        return Ok(count);
    }
    let values = params![&record.id, &from, TargetKind::Device.name()];
    let (targets,): (i64,) = db.fetch_one(of_targets, values).await?;
    Ok(count + targets)
}
