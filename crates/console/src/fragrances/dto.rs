//! Responses of the fragrance operations.

use std::collections::BTreeMap;

use diffuser::{Fragrance, SystemConfiguration};
use serde::Serialize;
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
