//! The last change of each field of a record.

use std::collections::BTreeMap;

use jiff::Timestamp;
use platform::db::{Db, Result};

use super::AuditTarget;
use super::dto::{AuditActor, saved};
use super::store::{self, AuditFilter};
use crate::policy::Actor;

/// How many changes of the record are considered.
const CHANGES: u64 = 100;

/// The last change of a field.
#[derive(Clone, Debug)]
pub(crate) struct LastChange {
    /// Whether `actor` made the last change, or attempted it: a failed change may be partly saved.
    pub(crate) is_own: bool,
    /// The e-mail address of the author of the saved value, if `actor` may see it.
    pub(crate) by: Option<String>,
    /// When the value was saved, if it was saved here.
    pub(crate) at: Option<Timestamp>,
    /// Whether the saved value is none.
    pub(crate) is_removal: bool,
}

/// The last change of each field of `target` that was changed recently, as far as `actor` may know.
///
/// # Errors
/// Database errors.
pub(crate) async fn last_changes(db: &Db, actor: &Actor, target: &AuditTarget) -> Result<BTreeMap<String, LastChange>> {
    let filter = AuditFilter { record: Some(target.clone()), ..AuditFilter::default() };
    let mut changes: BTreeMap<String, LastChange> = BTreeMap::new();
    for recorded in store::list(db, actor, &filter, CHANGES).await? {
        let is_own = recorded.author.user_id == actor.user;
        let by = AuditActor::of(&recorded, actor).email;
        for (saved, change) in saved(&recorded.outcome, &recorded.fields).into_iter().zip(recorded.fields) {
            let last = LastChange { is_own, by: None, at: None, is_removal: false };
            let last = changes.entry(change.field).or_insert(last);
            if saved == Some(true) && last.at.is_none() {
                (last.by, last.at, last.is_removal) = (by.clone(), Some(recorded.began_at), change.after.is_null());
            }
        }
    }
    Ok(changes)
}
