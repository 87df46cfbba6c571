//! The rows of the catalogue's CSV file, with text cells.

use std::collections::HashSet;

use diffuser::{CATALOGUE_COLUMNS, Fragrance};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::forms::validation::Rules;
use crate::http::error::ApiResult;
use crate::texts::alike::same_name;

/// Maximum number of rows of a file.
const MAX_ROWS: usize = 10_000;
/// Maximum number of reported errors; later ones are omitted.
pub(super) const MAX_ERRORS: usize = 100;
/// Maximum length of a number in characters, beyond the precision of any value.
const MAX_NUMBER_CHARS: usize = 20;

/// A row of the catalogue. Missing cells are empty.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct CatalogueRow {
    /// The name: at most 255 characters; unique in the file, regardless of case, Unicode form and blanks.
    #[serde(rename = "Fragrance")]
    fragrance: String,
    /// At most 255 characters.
    #[serde(rename = "SKU")]
    sku: String,
    /// In grams per millilitre: a number of at least 0.
    #[serde(rename = "Density")]
    density: String,
    /// In grams per hour of running; empty if the fragrance is not made for this model. The other models are alike.
    #[serde(rename = "AQ200w500")]
    aq200w500: String,
    #[serde(rename = "AQ300w500")]
    aq300w500: String,
    #[serde(rename = "AQ500w500")]
    aq500w500: String,
    #[serde(rename = "AQ800w1250")]
    aq800w1250: String,
    #[serde(rename = "AQ800w2500")]
    aq800w2500: String,
    #[serde(rename = "AQ1200w1250")]
    aq1200w1250: String,
    #[serde(rename = "AQ1200w2500")]
    aq1200w2500: String,
}

impl From<&Fragrance> for CatalogueRow {
    fn from(fragrance: &Fragrance) -> Self {
        let flow = fragrance.flow.map(|flow| flow.map(|flow| flow.to_string()).unwrap_or_default());
        let [aq200w500, aq300w500, aq500w500, aq800w1250, aq800w2500, aq1200w1250, aq1200w2500] = flow;
        Self {
            fragrance: fragrance.name.clone(),
            sku: fragrance.sku.clone(),
            density: fragrance.density.to_string(),
            aq200w500,
            aq300w500,
            aq500w500,
            aq800w1250,
            aq800w2500,
            aq1200w1250,
            aq1200w2500,
        }
    }
}

/// A row that was made from a fragrance.
impl From<&CatalogueRow> for Fragrance {
    fn from(row: &CatalogueRow) -> Self {
        let [name, sku, density, flow @ ..] = row.cells();
        Self {
            name: name.to_owned(),
            sku: sku.to_owned(),
            density: density.parse().unwrap_or_default(),
            flow: flow.map(|cell| cell.parse().ok()),
        }
    }
}

impl CatalogueRow {
    /// The cells, in the order of the columns.
    pub(super) fn cells(&self) -> [&str; CATALOGUE_COLUMNS.len()] {
        [
            &self.fragrance,
            &self.sku,
            &self.density,
            &self.aq200w500,
            &self.aq300w500,
            &self.aq500w500,
            &self.aq800w1250,
            &self.aq800w2500,
            &self.aq1200w1250,
            &self.aq1200w2500,
        ]
    }
}

/// Parses the rows.
///
/// # Errors
/// 422 with a message for each invalid cell, as `[3].Density` for the fourth row; no more than [`MAX_ERRORS`].
pub(super) fn checked(rows: &[CatalogueRow]) -> ApiResult<Vec<Fragrance>> {
    let mut rules = Rules::default();
    if rows.is_empty() {
        rules.refuse("rows", "Must have at least one row");
    } else if rows.len() > MAX_ROWS {
        rules.refuse("rows", format!("Must have at most {MAX_ROWS} rows"));
        return rules.finish(Vec::new());
    }
    let mut names = HashSet::new();
    let mut fragrances = Vec::with_capacity(rows.len());
    for (number, row) in rows.iter().enumerate() {
        let fragrance = fragrance(&mut rules, number, row);
        if !names.insert(same_name(&fragrance.name)) && !fragrance.name.is_empty() {
            let text = format!("Duplicate Fragrance Found: {}", fragrance.name);
            rules.refuse(&field(number, CATALOGUE_COLUMNS[0]), text);
        }
        fragrances.push(fragrance);
        if rules.broken() >= MAX_ERRORS {
            break;
        }
    }
    rules.finish(fragrances)
}

fn fragrance(rules: &mut Rules, number: usize, row: &CatalogueRow) -> Fragrance {
    let [name, sku, density, flow @ ..] = row.cells();
    let field = |column: usize| field(number, CATALOGUE_COLUMNS[column]);
    let mut flow = flow.into_iter().zip(3..).map(|(cell, column)| at_least_0(rules, &field(column), cell));
    let flow = std::array::from_fn(|_| flow.next().flatten());
    let density = match at_least_0(rules, &field(2), density) {
        None if !rules.refuses(&field(2)) => {
            rules.refuse(&field(2), "Required");
            0.0
        }
        density => density.unwrap_or_default(),
    };
    Fragrance {
        name: rules.required(&field(0), &Some(name.to_owned())),
        sku: rules.optional(&field(1), &Some(sku.to_owned())).unwrap_or_default(),
        density,
        flow,
    }
}

/// How errors name a cell: `[3].Density` for the fourth row.
pub(super) fn field(number: usize, column: &str) -> String {
    format!("[{number}].{column}")
}

/// A number with an optional decimal point; `None` for an empty cell.
fn at_least_0(rules: &mut Rules, field: &str, cell: &str) -> Option<f64> {
    let text = cell.trim();
    let is_number = text.len() <= MAX_NUMBER_CHARS && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number = is_number.then(|| text.parse().ok()).flatten();
    if number.is_none() && !text.is_empty() {
        rules.refuse(field, "Must be a number of at least 0");
    }
    number
}

#[cfg(test)]
mod tests;
