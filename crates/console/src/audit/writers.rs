//! Who changed the fields of a record last.

use std::collections::BTreeMap;

use jiff::Timestamp;
use platform::db::{Db, Result};

use super::Target;
use super::dto::{AuditActor, saved};
use super::store::{self, AuditFilter};
use crate::policy::Actor;

/// How many changes of the record are considered.
const CHANGES: u64 = 100;

/// Who changed a field, and when.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    /// The e-mail address, if `actor` may know it.
    pub(crate) email: Option<String>,
    pub(crate) at: Timestamp,
}

/// The last writer of each field of `target` that was changed recently, as far as `actor` may know.
///
/// # Errors
/// Of the database.
pub(crate) async fn last_writers(db: &Db, actor: &Actor, target: &Target) -> Result<BTreeMap<String, Writer>> {
    let filter = AuditFilter { target: Some(target.id.clone()), ..AuditFilter::default() };
    let mut writers = BTreeMap::new();
    for recorded in store::list(db, actor, &filter, CHANGES).await? {
        let writer = Writer { email: AuditActor::of(&recorded, actor).email, at: recorded.began_at };
        for (saved, change) in saved(&recorded.outcome, &recorded.fields).into_iter().zip(recorded.fields) {
            if saved == Some(true) {
                writers.entry(change.field).or_insert_with(|| writer.clone());
            }
        }
    }
    Ok(writers)
}
