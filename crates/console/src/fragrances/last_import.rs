//! The table `last_import`: the newest import, with what an undo restores.

use diffuser::Fragrance;
use jiff::Timestamp;
use platform::db::{Db, Result, Tx, params};
use platform::run::clock::from_micros;
use serde::{Deserialize, Serialize};

use super::catalogue_change::{CatalogueChange, ImportedRow, RowChange};
use super::rows::CatalogueRow;

/// When the catalogue was imported, and from which file.
pub(super) struct ImportOrigin {
    pub(super) imported_at: Timestamp,
    pub(super) file: Option<String>,
}

/// A row that the import changed.
#[derive(Deserialize, Serialize)]
struct StoredRow {
    /// Missing if the import added the fragrance.
    before: Option<CatalogueRow>,
    after: CatalogueRow,
}

/// Stores an import in place of the one before it.
pub(super) async fn replace(tx: &mut Tx, origin: &ImportOrigin, change: &CatalogueChange) -> Result<()> {
    let stored = |row: RowChange<'_>| {
        Some(StoredRow { before: row.before.map(CatalogueRow::from), after: row.after.map(CatalogueRow::from)? })
    };
    let rows: Vec<StoredRow> = change.rows().filter_map(stored).collect();
    let sql = "insert into last_import (id, imported_at, file, changed_rows) values (1, $1, $2, $3) \
               on conflict (id) do update set imported_at = excluded.imported_at, file = excluded.file, \
               changed_rows = excluded.changed_rows";
    let rows = serde_json::json!(rows).to_string();
    tx.execute(sql, params![origin.imported_at, origin.file.clone(), rows]).await?;
    Ok(())
}

/// Deletes the stored import, which was undone.
pub(super) async fn delete(tx: &mut Tx) -> Result<()> {
    tx.execute("delete from last_import", params![]).await?;
    Ok(())
}

/// The origin of the newest import.
pub(super) async fn origin(db: &Db) -> Result<Option<ImportOrigin>> {
    let sql = "select imported_at, file from last_import";
    let row: Option<(i64, Option<String>)> = db.fetch_optional(sql, params![]).await?;
    Ok(row.map(|(imported_at, file)| ImportOrigin { imported_at: from_micros(imported_at), file }))
}

/// The rows that the newest import changed, in the order of its file.
pub(super) async fn rows(db: &Db) -> Result<Vec<ImportedRow>> {
    let row: Option<(String,)> = db.fetch_optional("select changed_rows from last_import", params![]).await?;
    let rows: Vec<StoredRow> = row.and_then(|(rows,)| serde_json::from_str(&rows).ok()).unwrap_or_default();
    let imported =
        |row: StoredRow| ImportedRow { before: row.before.as_ref().map(Fragrance::from), after: (&row.after).into() };
    Ok(rows.into_iter().map(imported).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::Catalogue;

    fn fragrance(name: &str, density: f64) -> Fragrance {
        let flow = [Some(0.1 + 0.2), None, Some(1.0e20), Some(0.4), Some(0.5), Some(1.0 / 3.0), Some(0.7)];
        Fragrance { name: name.to_owned(), sku: "S-1".to_owned(), density, flow }
    }

    async fn newest_import_replaces_the_one_before_it_until_it_is_undone(db: Db) {
        let fig: Catalogue = [("Fig".to_owned(), fragrance("Fig", 0.9))].into();
        let file = vec![fragrance("Zest", 1.1), fragrance("Fig", 0.95)];
        let changes = [CatalogueChange::of_file(Catalogue::new(), file.clone()), CatalogueChange::of_file(fig, file)];
        assert!(origin(&db).await.unwrap().is_none());
        assert!(rows(&db).await.unwrap().is_empty());
        for (change, (name, at)) in changes.iter().zip([(None, 1), (Some("tea.csv"), 2)]) {
            let imported_at = from_micros(at);
            let mut tx = db.begin().await.unwrap();
            replace(&mut tx, &ImportOrigin { imported_at, file: name.map(str::to_owned) }, change).await.unwrap();
            tx.commit().await.unwrap();
            let stored = origin(&db).await.unwrap().unwrap();
            assert_eq!((stored.imported_at, stored.file.as_deref()), (imported_at, name));
        }
        let stored: Vec<_> = rows(&db).await.unwrap().into_iter().map(|row| (row.before, row.after)).collect();
        let expected = [(None, fragrance("Zest", 1.1)), (Some(fragrance("Fig", 0.9)), fragrance("Fig", 0.95))];
        assert_eq!(stored, expected, "with all digits of the numbers");
        let mut tx = db.begin().await.unwrap();
        delete(&mut tx).await.unwrap();
        tx.commit().await.unwrap();
        assert!(origin(&db).await.unwrap().is_none());
    }

    platform::store_suite!(
        migrate = crate::migrations::migrate,
        tests = [newest_import_replaces_the_one_before_it_until_it_is_undone]
    );
}
