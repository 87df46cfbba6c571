//! Changes the catalogue. The passes then update the levels that depend on it, one device at a time.

use diffuser::Fragrance;
use jiff::Timestamp;
use platform::db::Db;

use super::catalogue_change::{CatalogueChange, RowChange};
use super::dto::{CataloguePreview, CatalogueUpdate};
use super::last_import::{self, ImportOrigin};
use super::level_changes::{LevelChange, LevelChanges};
use super::preview::preview;
use super::rows::{self, CatalogueRow};
use super::{recomputed_levels, store};
use crate::audit::{self, AuditTarget, Change, FieldChange, Operation};
use crate::forms::validation::Rules;
use crate::http::error::{ApiError, ApiResult};
use crate::limits::write_lock::{LockedRecord, locked};
use crate::policy::Actor;
use crate::state::CoreState;

/// The most fragrances of a change that the audit lists one by one.
const MAX_LISTED: usize = 100;

/// An import as it was requested.
#[derive(Debug)]
pub(super) struct ImportOptions {
    /// The name of the file.
    pub(super) file: Option<String>,
    /// The digest of the preview that the user has seen.
    pub(super) decided_on: Option<String>,
}

/// Says what an import of these rows would do. Does not check permissions; the caller must.
///
/// # Errors
/// 422.
pub(super) async fn preview_import(state: &CoreState, rows: &[CatalogueRow]) -> ApiResult<CataloguePreview> {
    let db = &state.base.db;
    let change = CatalogueChange::of_file(store::by_name(db).await?, rows::checked(rows)?);
    Ok(preview(db, &change).await?)
}

/// Imports all rows or none. New names are added, known names are changed, and nothing is removed. Concurrent imports
/// do not mix. Does not check permissions; the caller must.
///
/// # Errors
/// 422, also for implausible values that are not confirmed; 409 if the user has decided on another change, or if the import before
/// takes too long.
pub(super) async fn import(
    state: &CoreState,
    actor: &Actor,
    options: ImportOptions,
    rows: &[CatalogueRow],
) -> ApiResult<CatalogueUpdate> {
    let fragrances = rows::checked(rows)?;
    let import = async {
        let change = CatalogueChange::of_file(store::by_name(&state.base.db).await?, fragrances);
        match &options.decided_on {
            Some(digest) => require_decision(&change, digest)?,
            None => refuse_implausible(&change)?,
        }
        let origin = ImportOrigin { imported_at: state.base.clock.now(), file: options.file };
        make_change(state, actor, Operation::UpdateFragrances, &change, Some(&origin)).await
    };
    locked(&state.base, LockedRecord::Fragrances, import).await
}

/// # Errors
/// 409.
pub(super) fn require_decision(change: &CatalogueChange, digest: &str) -> ApiResult<()> {
    if change.digest() == digest {
        return Ok(());
    }
    Err(ApiError::Conflict("The catalogue has changed since the preview. Look at the preview again.".to_owned()))
}

/// # Errors
/// 422 with a message for each implausible value.
fn refuse_implausible(change: &CatalogueChange) -> ApiResult<()> {
    let mut rules = Rules::default();
    for row in change.rows() {
        for doubt in row.doubts().iter().filter(|doubt| doubt.is_implausible) {
            rules.refuse(&rows::field(row.place, doubt.column), doubt.text());
        }
        if rules.broken() >= rows::MAX_ERRORS {
            break;
        }
    }
    rules.finish(())
}

/// Changes the catalogue, with an entry in the audit; and one for each device whose level or consumption changes, with the first
/// as its cause. The new level of a device notifies nobody. `import` is the import that this is, or `None` for the undo of the newest one.
///
/// # Errors
/// Database errors.
pub(super) async fn make_change(
    state: &CoreState,
    actor: &Actor,
    operation: Operation,
    change: &CatalogueChange,
    import: Option<&ImportOrigin>,
) -> ApiResult<CatalogueUpdate> {
    let mut devices = 0;
    if !change.is_empty() {
        let db = &state.base.db;
        let file = import.and_then(|import| import.file.as_deref());
        // Counted before they are recorded, because they are too many to be held.
        let mut level_changes = LevelChanges::new(db, &change.before, &change.after);
        while let Some(changes) = level_changes.next().await? {
            devices += changes.len();
        }
        let mut fields = fields(change);
        fields.extend(file.map(|file| FieldChange::new("file", None::<String>, file)));
        if devices > 0 {
            fields.push(FieldChange::new("devices", None::<String>, devices));
        }
        let entry = Change { operation, target: AuditTarget::fragrances(), fields };
        let mut entry = audit::begin(state, actor, &entry).await?;
        let stored = async {
            let now = state.base.clock.now();
            recomputed_levels::remove_old(db, now).await?;
            let mut level_changes = LevelChanges::new(db, &change.before, &change.after);
            while let Some(changes) = level_changes.next().await? {
                note_recomputed(db, &changes, now).await?;
                let consequence = |change: LevelChange| change.into_entry(operation, file);
                entry.record_consequences(changes.into_iter().map(consequence).collect()).await?;
            }
            Ok(store(state, change, import).await?)
        }
        .await;
        entry.end(&stored).await;
        stored?;
    }
    let (added, changed, unchanged) = (change.added(), change.changed(), change.unchanged);
    Ok(CatalogueUpdate { added, changed, unchanged, devices })
}

/// Remembers of which devices the levels that are stored next notify nobody.
async fn note_recomputed(db: &Db, changes: &[LevelChange], now: Timestamp) -> platform::db::Result<()> {
    let of_level = changes.iter().filter(|change| change.changes_level());
    let (to_store, stored): (Vec<_>, Vec<_>) = of_level.partition(|change| change.is_to_be_stored());
    let [to_store, stored] =
        [to_store, stored].map(|changes| changes.into_iter().map(LevelChange::dsn).collect::<Vec<_>>());
    recomputed_levels::add(db, &to_store, now).await?;
    recomputed_levels::remove(db, &stored).await
}

async fn store(state: &CoreState, change: &CatalogueChange, import: Option<&ImportOrigin>) -> platform::db::Result<()> {
    let mut tx = state.base.db.begin().await?;
    store::put(&mut tx, change.after.values()).await?;
    let removed = change.rows().filter(|row| row.after.is_none()).map(|row| row.name);
    store::remove(&mut tx, &removed.collect::<Vec<_>>()).await?;
    match import {
        Some(origin) => last_import::replace(&mut tx, origin, change).await?,
        None => last_import::delete(&mut tx).await?,
    }
    tx.commit().await
}

/// Each fragrance with its row before and after.
fn fields(change: &CatalogueChange) -> Vec<FieldChange> {
    let listed = change.rows().take(MAX_LISTED);
    let mut fields: Vec<FieldChange> = listed
        .map(|RowChange { name, before, after, .. }| FieldChange::new(name, before.map(line), after.map(line)))
        .collect();
    if let Some(further) = change.rows().count().checked_sub(MAX_LISTED).filter(|further| *further > 0) {
        fields.push(FieldChange::new("furtherFragrances", None::<String>, further));
    }
    fields
}

/// The row without the name.
fn line(fragrance: &Fragrance) -> String {
    CatalogueRow::from(fragrance).cells()[1..].join(", ")
}
