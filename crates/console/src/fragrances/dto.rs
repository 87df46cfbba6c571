//! Responses of the fragrance operations.

use std::collections::BTreeMap;

use diffuser::{Fragrance, SystemConfiguration};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::rows::CatalogueRow;

/// A fragrance of the catalogue.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FragranceView {
    name: String,
    sku: String,
    /// In grams per millilitre.
    density: f64,
    /// In grams per hour of running, by the catalogue's column of the system configuration (`AQ200w500` and so on). A
    /// configuration that the fragrance is not made for is missing.
    flow: BTreeMap<&'static str, f64>,
}

/// The whole catalogue as rows of a file.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CatalogueExport {
    pub(super) items: Vec<CatalogueRow>,
}

/// What a change of the catalogue would do.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CataloguePreview {
    /// Fragrances with a new name.
    pub(super) added: usize,
    pub(super) changed: usize,
    /// Rows that are equal to the catalogue's.
    pub(super) unchanged: usize,
    /// Devices whose level or consumption would change.
    pub(super) devices: usize,
    /// Devices whose level would change by more than 5 percentage points.
    pub(super) moved_far: usize,
    /// Devices that would read empty, and do not now.
    pub(super) emptied: usize,
    /// Number of implausible values, which are imported only if they are confirmed.
    pub(super) implausible: usize,
    /// The rows that would change something, at most 500. Those with implausible values are first, then those that touch most
    /// devices.
    pub(super) rows: Vec<RowPreview>,
    /// Number of rows that would change something and are not in `rows`.
    pub(super) further_rows: usize,
    /// The value of `decidedOn` that confirms this change.
    pub(super) digest: String,
}

/// A row that would change something.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RowPreview {
    /// The place of the row in the request, from 0.
    pub(super) row: usize,
    /// Null for a new fragrance.
    #[schema(required)]
    pub(super) before: Option<CatalogueRow>,
    /// Null for a fragrance that would be removed.
    #[schema(required)]
    pub(super) after: Option<CatalogueRow>,
    pub(super) doubts: Vec<ValueDoubt>,
    /// Devices with this fragrance whose level or consumption would change.
    pub(super) devices: usize,
    pub(super) moved_far: usize,
    pub(super) emptied: usize,
}

/// A changed value that is implausible, or the present one times 10, 100 or 1000 or divided by that.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ValueDoubt {
    pub(super) column: &'static str,
    pub(super) is_implausible: bool,
    /// The lowest plausible value.
    pub(super) from: f64,
    /// The highest plausible value.
    pub(super) to: f64,
    /// By how much the value is probably too large: 10, 100, 1000, or one of their reciprocals; null if unknown.
    #[schema(required)]
    pub(super) factor: Option<f64>,
}

/// The newest import.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LastImport {
    /// Null if there was none within the last week, or if it was undone.
    #[schema(required)]
    pub(super) import: Option<CatalogueImport>,
}

/// An import that can be undone, as long as its rows are as it left them.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CatalogueImport {
    #[schema(value_type = String, format = DateTime)]
    pub(super) imported_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    pub(super) undo_until: Timestamp,
    /// The name of the file; null if the request had none.
    #[schema(required)]
    pub(super) file: Option<String>,
}

/// The decision to undo the newest import.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImportUndo {
    /// The `digest` of the preview of the undo.
    pub(super) decided_on: String,
}

impl RowPreview {
    pub(super) fn implausible(&self) -> usize {
        self.doubts.iter().filter(|doubt| doubt.is_implausible).count()
    }
}

/// The result of an import.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CatalogueUpdate {
    /// Fragrances with a new name.
    pub(super) added: usize,
    pub(super) changed: usize,
    /// Fragrances that were equal to the catalogue's.
    pub(super) unchanged: usize,
    /// Devices whose level or consumption the import changes. Each has an entry in the audit.
    pub(super) devices: usize,
}

impl From<Fragrance> for FragranceView {
    fn from(fragrance: Fragrance) -> Self {
        let columns = SystemConfiguration::ALL.iter().zip(fragrance.flow);
        let flow = columns.filter_map(|(configuration, flow)| configuration.catalogue_column().zip(flow)).collect();
        Self { name: fragrance.name, sku: fragrance.sku, density: fragrance.density, flow }
    }
}
