//! What a change of the catalogue would do to the devices.

use std::cmp::Reverse;
use std::collections::HashMap;

use platform::db::{Db, Result};

use super::catalogue_change::{CatalogueChange, RowChange};
use super::dto::{CataloguePreview, RowPreview, ValueDoubt};
use super::level_changes::{LevelChange, LevelChanges};
use super::plausible::Doubt;
use super::rows::CatalogueRow;

/// The most rows of a preview.
const MAX_ROWS: usize = 500;

/// Devices that a change of the catalogue touches.
#[derive(Clone, Copy, Default)]
struct DeviceCounts {
    /// Whose level or consumption changes.
    touched: usize,
    /// Whose level changes by more than 5 percentage points.
    moved_far: usize,
    /// Whose level becomes 0.
    emptied: usize,
}

impl DeviceCounts {
    fn count(&mut self, change: &LevelChange) {
        self.touched += 1;
        self.moved_far += usize::from(change.moves_far());
        self.emptied += usize::from(change.empties());
    }
}

/// Says what the change would do if it was made now. Does not check permissions; the caller must.
///
/// # Errors
/// Database errors.
pub(super) async fn preview(db: &Db, change: &CatalogueChange) -> Result<CataloguePreview> {
    let counts = count_devices(db, change).await?;
    let mut rows: Vec<RowPreview> = change.rows().map(|row| row_preview(&row, &counts)).collect();
    let (total, implausible) = (rows.len(), rows.iter().map(RowPreview::implausible).sum());
    // The sort is stable: rows that are alike stay in the order of the file.
    rows.sort_by_key(|row| Reverse((row.implausible() > 0, row.emptied, row.moved_far, row.devices)));
    rows.truncate(MAX_ROWS);
    let sum = |of: fn(&DeviceCounts) -> usize| counts.values().map(of).sum();
    Ok(CataloguePreview {
        added: change.added(),
        changed: change.changed(),
        unchanged: change.unchanged,
        devices: sum(|it| it.touched),
        moved_far: sum(|it| it.moved_far),
        emptied: sum(|it| it.emptied),
        implausible,
        further_rows: total - rows.len(),
        rows,
        digest: change.digest(),
    })
}

/// By the names of the fragrances.
async fn count_devices(db: &Db, change: &CatalogueChange) -> Result<HashMap<String, DeviceCounts>> {
    let mut counts: HashMap<String, DeviceCounts> = HashMap::new();
    let mut level_changes = LevelChanges::new(db, &change.before, &change.after);
    while let Some(changes) = level_changes.next().await? {
        for change in changes {
            counts.entry(change.fragrance.clone()).or_default().count(&change);
        }
    }
    Ok(counts)
}

fn row_preview(row: &RowChange<'_>, counts: &HashMap<String, DeviceCounts>) -> RowPreview {
    let counts = counts.get(row.name).copied().unwrap_or_default();
    RowPreview {
        row: row.place,
        before: row.before.map(CatalogueRow::from),
        after: row.after.map(CatalogueRow::from),
        doubts: row.doubts().iter().map(ValueDoubt::from).collect(),
        devices: counts.touched,
        moved_far: counts.moved_far,
        emptied: counts.emptied,
    }
}

impl From<&Doubt> for ValueDoubt {
    fn from(doubt: &Doubt) -> Self {
        let Doubt { column, bounds, is_implausible, factor } = *doubt;
        Self { column, is_implausible, from: bounds.min, to: bounds.max, factor }
    }
}
