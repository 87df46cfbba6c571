//! Making the index anew.

use platform::db::{Db, Result};

use crate::index;
use crate::migrations::MIGRATIONS;

/// Empties the index of the console on this database (`sqlite:PATH` or `postgres://…`) and asks for a pass that fills it
/// again. Sessions, CSPs and everything else that the console owns stay. A console that is running takes it up within
/// seconds, and serves its lists from the cloud meanwhile; otherwise the next one that starts does.
///
/// # Errors
/// A database that cannot be opened or brought up to date, or what it says.
pub async fn reindex(database_url: &str) -> Result<()> {
    let db = Db::connect(database_url).await?;
    db.migrate(&MIGRATIONS).await?;
    let dropped = index::drop_index(&db).await;
    db.close().await;
    dropped
}
