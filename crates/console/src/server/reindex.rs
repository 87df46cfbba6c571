//! Rebuilds the index.

use platform::db::{Db, Result};

use crate::index;
use crate::migrations::MIGRATIONS;

/// Empties the index in this database (`sqlite:PATH` or `postgres://…`), which must exist, and requests a pass that fills it again. Sessions, CSPs
/// and all other data of the console are kept. A running console starts the pass within seconds and serves its lists from the
/// cloud meanwhile; otherwise the next console that starts runs it.
///
/// # Errors
/// A database that cannot be opened or migrated; database errors.
pub async fn reindex(database_url: &str) -> Result<()> {
    let db = Db::connect_existing(database_url).await?;
    db.migrate(&MIGRATIONS).await?;
    let dropped = index::drop_index(&db).await;
    db.close().await;
    dropped
}
