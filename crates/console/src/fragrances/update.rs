//! Imports the catalogue from a file. The passes then update the levels that depend on it, one device at a time.

use diffuser::Fragrance;

use super::dto::CatalogueUpdate;
use super::rows::{self, CatalogueRow};
use super::store;
use crate::audit::{self, Change, FieldChange, Operation, Target as AuditTarget};
use crate::core_state::CoreState;
use crate::error::{ApiError, ApiResult};
use crate::policy::{self, Action, Actor, Target};
use crate::records::Catalogue;

/// The most fragrances of an import that the audit lists one by one.
const MAX_LISTED: usize = 100;

/// Imports all rows or none. New names are added, known names are changed, and nothing is removed. Concurrent imports
/// do not mix.
///
/// # Errors
/// 403, 422, in this order.
pub(super) async fn update(state: &CoreState, actor: &Actor, rows: &[CatalogueRow]) -> ApiResult<CatalogueUpdate> {
    policy::can(actor, Action::Edit, Target::Fragrances).require()?;
    let wanted = rows::checked(rows)?;
    let db = &state.base.db;
    let present = store::by_name(db).await?;
    let different: Vec<&Fragrance> =
        wanted.iter().filter(|fragrance| present.get(&fragrance.name) != Some(fragrance)).collect();
    let changed = different.iter().filter(|fragrance| present.contains_key(&fragrance.name)).count();
    if !different.is_empty() {
        let fields = fields(&present, &different);
        let change = Change { operation: Operation::UpdateFragrances, target: AuditTarget::fragrances(), fields };
        let entry = audit::begin(state, actor, &change).await?;
        // Also unchanged rows, which may have been changed by another import since the catalogue was read.
        let stored = store::put(db, &wanted).await.map_err(ApiError::from);
        entry.end(&stored).await;
        stored?;
    }
    Ok(CatalogueUpdate { added: different.len() - changed, changed, unchanged: wanted.len() - different.len() })
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
