//! What the rows of a file change in the catalogue.

use std::collections::HashMap;

use diffuser::Fragrance;
use sha2::{Digest, Sha256};

use super::plausible::{Doubt, doubts};
use super::rows::CatalogueRow;
use crate::records::Catalogue;
use crate::texts::alike::same_name;

/// A change of the catalogue that is not made yet.
pub(super) struct CatalogueChange {
    /// The catalogue before the change.
    pub(super) before: Catalogue,
    /// The fragrances that are added or changed, by name.
    pub(super) after: Catalogue,
    /// The places and names of the rows that change something, in the order of the file. A name that is not in `after` is removed.
    rows: Vec<(usize, String)>,
    /// Number of rows that are equal to the catalogue's.
    pub(super) unchanged: usize,
}

/// A row that changes something.
pub(super) struct RowChange<'a> {
    /// The place of the row in the file, from 0.
    pub(super) place: usize,
    pub(super) name: &'a str,
    /// `None` for a new name.
    pub(super) before: Option<&'a Fragrance>,
    /// `None` if it is removed.
    pub(super) after: Option<&'a Fragrance>,
}

/// A fragrance before and after an import.
pub(super) struct ImportedRow {
    /// `None` if the import added it.
    pub(super) before: Option<Fragrance>,
    pub(super) after: Fragrance,
}

impl CatalogueChange {
    /// The change to the fragrances of a file, whose names are unique.
    pub(super) fn of_file(before: Catalogue, fragrances: Vec<Fragrance>) -> Self {
        let total = fragrances.len();
        let (mut rows, mut after) = (Vec::new(), Catalogue::new());
        for (place, fragrance) in with_present_names(fragrances, &before).into_iter().enumerate() {
            if before.get(&fragrance.name) != Some(&fragrance) {
                rows.push((place, fragrance.name.clone()));
                after.insert(fragrance.name.clone(), fragrance);
            }
        }
        let unchanged = total - rows.len();
        Self { before, after, rows, unchanged }
    }

    /// The change back to the rows before an import.
    pub(super) fn of_undo(before: Catalogue, imported: Vec<ImportedRow>) -> Self {
        let rows = imported.iter().map(|row| row.after.name.clone()).enumerate().collect();
        let restored = imported.into_iter().filter_map(|row| row.before);
        let after = restored.map(|fragrance| (fragrance.name.clone(), fragrance)).collect();
        Self { before, after, rows, unchanged: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn added(&self) -> usize {
        self.rows().filter(|row| row.before.is_none()).count()
    }

    /// Number of rows whose name was in the catalogue.
    pub(super) fn changed(&self) -> usize {
        self.rows.len() - self.added()
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = RowChange<'_>> {
        self.rows.iter().map(|(place, name)| RowChange {
            place: *place,
            name,
            before: self.before.get(name),
            after: self.after.get(name),
        })
    }

    /// Equal for the same change of the same fragrances.
    pub(super) fn digest(&self) -> String {
        let mut digest = Sha256::new();
        for RowChange { place, name, before, after } in self.rows() {
            let [before, after] = [before, after].map(|fragrance| fragrance.map(CatalogueRow::from));
            digest.update(format!("{:?}", (place, name, before, after)));
        }
        hex::encode(digest.finalize())
    }
}

impl RowChange<'_> {
    pub(super) fn doubts(&self) -> Vec<Doubt> {
        self.after.map(|after| doubts(self.before, after)).unwrap_or_default()
    }
}

/// A fragrance that is present under another form of its name is that one: devices have this name.
fn with_present_names(fragrances: Vec<Fragrance>, present: &Catalogue) -> Vec<Fragrance> {
    let names: HashMap<String, &String> = present.keys().map(|name| (same_name(name), name)).collect();
    let renamed = fragrances.into_iter().map(|fragrance| match names.get(&same_name(&fragrance.name)) {
        Some(name) if !present.contains_key(&fragrance.name) => Fragrance { name: (*name).clone(), ..fragrance },
        _ => fragrance,
    });
    renamed.collect()
}
