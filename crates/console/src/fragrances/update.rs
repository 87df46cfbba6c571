//! Imports the catalogue from a file. The passes then update the levels that depend on it, one device at a time.

use std::collections::HashMap;

use diffuser::Fragrance;

use super::dto::CatalogueUpdate;
use super::level_changes::LevelChanges;
use super::rows::{self, CatalogueRow};
use super::store;
use crate::alike::same_name;
use crate::audit::{self, Change, FieldChange, Operation, Target as AuditTarget};
use crate::core_state::CoreState;
use crate::error::ApiResult;
use crate::policy::Actor;
use crate::records::Catalogue;
use crate::write_lock::{Record, locked};

/// The most fragrances of an import that the audit lists one by one.
const MAX_LISTED: usize = 100;

/// Imports all rows or none. New names are added, known names are changed, and nothing is removed. Concurrent imports
/// do not mix. Each device whose level or consumption changes gets an entry in the audit, with the import as its cause. Does not
/// check permissions; the caller must.
///
/// # Errors
/// 422; 409 if the import before takes too long.
pub(super) async fn update(
    state: &CoreState,
    actor: &Actor,
    file: Option<&str>,
    rows: &[CatalogueRow],
) -> ApiResult<CatalogueUpdate> {
    let wanted = rows::checked(rows)?;
    locked(&state.base, Record::Fragrances, import(state, actor, file, wanted)).await
}

async fn import(
    state: &CoreState,
    actor: &Actor,
    file: Option<&str>,
    wanted: Vec<Fragrance>,
) -> ApiResult<CatalogueUpdate> {
    let db = &state.base.db;
    let present = store::by_name(db).await?;
    let wanted = with_present_names(wanted, &present);
    let different: Vec<&Fragrance> =
        wanted.iter().filter(|fragrance| present.get(&fragrance.name) != Some(fragrance)).collect();
    let changed = different.iter().filter(|fragrance| present.contains_key(&fragrance.name)).count();
    let (added, unchanged) = (different.len() - changed, wanted.len() - different.len());
    let mut devices = 0;
    if !different.is_empty() {
        let next: Catalogue = different.iter().map(|it| (it.name.clone(), (*it).clone())).collect();
        // Counted before they are recorded, because they are too many to be held.
        let mut level_changes = LevelChanges::new(db, &present, &next, file);
        while let Some(changes) = level_changes.next().await? {
            devices += changes.len();
        }
        let mut fields = fields(&present, &different);
        fields.extend(file.map(|file| FieldChange::new("file", None::<String>, file)));
        if devices > 0 {
            fields.push(FieldChange::new("devices", None::<String>, devices));
        }
        let change = Change { operation: Operation::UpdateFragrances, target: AuditTarget::fragrances(), fields };
        let mut entry = audit::begin(state, actor, &change).await?;
        let stored = async {
            let mut level_changes = LevelChanges::new(db, &present, &next, file);
            while let Some(changes) = level_changes.next().await? {
                entry.record_consequences(changes).await?;
            }
            Ok(store::put(db, next.values()).await?)
        }
        .await;
        entry.end(&stored).await;
        stored?;
    }
    Ok(CatalogueUpdate { added, changed, unchanged, devices })
}

/// A fragrance that is present under another form of its name is that one: devices have this name.
fn with_present_names(wanted: Vec<Fragrance>, present: &Catalogue) -> Vec<Fragrance> {
    let names: HashMap<String, &String> = present.keys().map(|name| (same_name(name), name)).collect();
    let renamed = wanted.into_iter().map(|fragrance| match names.get(&same_name(&fragrance.name)) {
        Some(name) if !present.contains_key(&fragrance.name) => Fragrance { name: (*name).clone(), ..fragrance },
        _ => fragrance,
    });
    renamed.collect()
}

/// Each fragrance with its row before and after.
fn fields(present: &Catalogue, different: &[&Fragrance]) -> Vec<FieldChange> {
    let listed = different.iter().take(MAX_LISTED);
    let mut fields: Vec<FieldChange> = listed
        .map(|fragrance| FieldChange::new(&fragrance.name, present.get(&fragrance.name).map(line), line(fragrance)))
        .collect();
    if different.len() > MAX_LISTED {
        fields.push(FieldChange::new("furtherFragrances", None::<String>, different.len() - MAX_LISTED));
    }
    fields
}

/// The row without the name.
fn line(fragrance: &Fragrance) -> String {
    CatalogueRow::from(fragrance).cells()[1..].join(", ")
}
