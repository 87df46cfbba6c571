//! The fragrance catalogue: the fragrances and their flow rates by model.

mod catalogue_change;
mod dto;
mod last_import;
mod level_changes;
mod plausible;
mod preview;
mod recomputed_levels;
mod routes;
mod rows;
mod store;
mod undo;
mod update;

use axum::extract::FromRef;
use diffuser::Fragrance;
use platform::db::{Db, Result};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::migrations::MIGRATIONS;
use crate::state::CoreState;

pub(crate) use recomputed_levels::{recomputed_at, remove_stored};
pub(crate) use routes::{IMPORTS, MAX_IMPORT};
pub(crate) use store::{add_missing, by_name, find};

pub(crate) fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    CoreState: FromRef<S>,
{
    OpenApiRouter::new()
        .routes(routes!(routes::list_fragrances))
        .routes(routes!(routes::export_fragrances))
        .routes(routes!(routes::update_fragrances))
        .routes(routes!(routes::preview_import))
        .routes(routes!(routes::get_last_import))
        .routes(routes!(routes::preview_import_undo))
        .routes(routes!(routes::undo_import))
}

/// Inserts the fragrances that the catalogue of this database (`sqlite:PATH` or `postgres://…`) lacks. Existing ones are
/// unchanged. Consoles may be running.
///
/// # Errors
/// A database that cannot be opened or migrated; database errors.
pub async fn add_missing_fragrances(database_url: &str, fragrances: &[Fragrance]) -> Result<()> {
    let db = Db::connect(database_url).await?;
    db.migrate(&MIGRATIONS).await?;
    let added = add_missing(&db, fragrances).await;
    db.close().await;
    added
}
