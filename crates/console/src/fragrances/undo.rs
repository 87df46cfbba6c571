//! Undoes the newest import: for a week, as long as its rows are as it left them.

use jiff::SignedDuration;

use super::catalogue_change::{CatalogueChange, ImportedRow};
use super::dto::{CatalogueImport, CataloguePreview, CatalogueUpdate, LastImport};
use super::last_import::{self, ImportOrigin};
use super::preview::preview;
use super::{store, update};
use crate::audit::Operation;
use crate::http::error::{ApiError, ApiResult};
use crate::limits::write_lock::{LockedRecord, locked};
use crate::policy::Actor;
use crate::records::Catalogue;
use crate::state::CoreState;

/// How long an import can be undone.
const UNDO_PERIOD: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The newest import, if it can still be undone.
///
/// # Errors
/// Database errors.
pub(super) async fn last(state: &CoreState) -> ApiResult<LastImport> {
    let origin = undoable(state).await?;
    let import = origin.map(|ImportOrigin { imported_at, file }| CatalogueImport {
        imported_at,
        undo_until: imported_at + UNDO_PERIOD,
        file,
    });
    Ok(LastImport { import })
}

/// Says what the undo of the newest import would do. Does not check permissions; the caller must.
///
/// # Errors
/// 409 if it cannot be undone.
pub(super) async fn preview_undo(state: &CoreState) -> ApiResult<CataloguePreview> {
    Ok(preview(&state.base.db, &change(state).await?).await?)
}

/// Restores the rows from before the newest import, and removes those that it added. Does not check permissions; the caller must.
///
/// # Errors
/// 409 if it cannot be undone, or if the user has decided on another change.
pub(super) async fn undo(state: &CoreState, actor: &Actor, decided_on: &str) -> ApiResult<CatalogueUpdate> {
    let undo = async {
        let change = change(state).await?;
        update::require_decision(&change, decided_on)?;
        update::make_change(state, actor, Operation::UndoImport, &change, None).await
    };
    locked(&state.base, LockedRecord::Fragrances, undo).await
}

async fn undoable(state: &CoreState) -> ApiResult<Option<ImportOrigin>> {
    let origin = last_import::origin(&state.base.db).await?;
    Ok(origin.filter(|origin| state.base.clock.now() < origin.imported_at + UNDO_PERIOD))
}

/// # Errors
/// 409 if it cannot be undone.
async fn change(state: &CoreState) -> ApiResult<CatalogueChange> {
    let refuse = |reason: String| Err(ApiError::Conflict(reason));
    if undoable(state).await?.is_none() {
        return refuse("There is no import of the last week that can be undone.".to_owned());
    }
    let db = &state.base.db;
    let (present, imported) = (store::by_name(db).await?, last_import::rows(db).await?);
    if let Some(row) = imported.iter().find(|row| is_changed(&present, row)) {
        return refuse(format!("{} was changed after the import. Undo would overwrite that.", row.after.name));
    }
    let added: Vec<&str> =
        imported.iter().filter(|row| row.before.is_none()).map(|row| row.after.name.as_str()).collect();
    if let Some(name) = store::first_in_use(db, &added).await? {
        return refuse(format!("Devices have {name}, which the import added. Give them another fragrance first."));
    }
    Ok(CatalogueChange::of_undo(present, imported))
}

fn is_changed(present: &Catalogue, row: &ImportedRow) -> bool {
    present.get(&row.after.name) != Some(&row.after)
}
