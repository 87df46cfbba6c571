//! The table of the fragrances.

use std::collections::HashMap;

use diffuser::Fragrance;
use platform::db::{Db, Result, params};
use sqlx::FromRow;

use crate::fold::fold;

/// Fragrances by their names.
pub(crate) type Catalogue = HashMap<String, Fragrance>;

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT name, sku, density, aq200w500, aq300w500, aq500w500, aq800w1250, aq800w2500, aq1200w1250, aq1200w2500 ",
            "FROM fragrances",
            $rest
        )
    };
}

#[derive(FromRow)]
struct Row {
    name: String,
    sku: String,
    density: f64,
    aq200w500: Option<f64>,
    aq300w500: Option<f64>,
    aq500w500: Option<f64>,
    aq800w1250: Option<f64>,
    aq800w2500: Option<f64>,
    aq1200w1250: Option<f64>,
    aq1200w2500: Option<f64>,
}

impl From<Row> for Fragrance {
    fn from(row: Row) -> Self {
        Self {
            name: row.name,
            sku: row.sku,
            density: row.density,
            // In the order of `SystemConfiguration::ALL`, which is that of the catalogue's columns.
            flow: [
                row.aq200w500,
                row.aq300w500,
                row.aq500w500,
                row.aq800w1250,
                row.aq800w2500,
                row.aq1200w1250,
                row.aq1200w2500,
            ],
        }
    }
}

/// The catalogue, in the order of the names as people read them.
pub(super) async fn all(db: &Db) -> Result<Vec<Fragrance>> {
    let rows: Vec<Row> = db.fetch_all(select!(""), params![]).await?;
    let mut fragrances: Vec<Fragrance> = rows.into_iter().map(Fragrance::from).collect();
    fragrances.sort_by_cached_key(|fragrance| (fold(&fragrance.name), fragrance.name.clone()));
    Ok(fragrances)
}

/// The catalogue, for who looks up many.
pub(crate) async fn by_name(db: &Db) -> Result<Catalogue> {
    let rows: Vec<Row> = db.fetch_all(select!(""), params![]).await?;
    Ok(rows.into_iter().map(|row| (row.name.clone(), row.into())).collect())
}

/// The fragrance of this name.
pub(crate) async fn find(db: &Db, name: &str) -> Result<Option<Fragrance>> {
    let row: Option<Row> = db.fetch_optional(select!(" WHERE name = $1"), params![name]).await?;
    Ok(row.map(Fragrance::from))
}

/// Puts in those of these that the catalogue does not have; the others stay as they are.
pub(crate) async fn add_missing(db: &Db, fragrances: &[Fragrance]) -> Result<()> {
    for Fragrance { name, sku, density, flow } in fragrances {
        let [a, b, c, d, e, f, g] = *flow;
        db.execute(
            "INSERT INTO fragrances (name, sku, density, aq200w500, aq300w500, aq500w500, aq800w1250, aq800w2500, \
             aq1200w1250, aq1200w2500) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (name) DO NOTHING",
            params![name, sku, *density, a, b, c, d, e, f, g],
        )
        .await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fragrance(name: &str, density: f64) -> Fragrance {
        let flow = [Some(0.1), Some(0.2), None, Some(0.4), Some(0.5), Some(0.6), Some(0.7)];
        Fragrance { name: name.to_owned(), sku: format!("SKU {name}"), density, flow }
    }

    async fn the_catalogue_comes_as_it_went_in_by_name_in_any_case(db: Db) {
        let names = ["fig", "Émeraude", "Amber", "Zest", "Fig Leaf"];
        add_missing(&db, &names.map(|name| fragrance(name, 0.9))).await.unwrap();
        let sorted = ["Amber", "fig", "Fig Leaf", "Zest", "Émeraude"];
        assert_eq!(all(&db).await.unwrap(), sorted.map(|name| fragrance(name, 0.9)));
    }

    async fn one_is_found_by_its_exact_name(db: Db) {
        add_missing(&db, &[fragrance("Fig", 0.9), fragrance("Amber", 1.1)]).await.unwrap();
        assert_eq!(find(&db, "Amber").await.unwrap(), Some(fragrance("Amber", 1.1)));
        for near in ["amber", "Amber ", "", "Ambe"] {
            assert_eq!(find(&db, near).await.unwrap(), None, "{near:?}");
        }
    }

    async fn what_the_catalogue_has_stays(db: Db) {
        add_missing(&db, &[fragrance("Fig", 0.9)]).await.unwrap();
        add_missing(&db, &[fragrance("Fig", 1.5), fragrance("Amber", 1.1), fragrance("Amber", 1.2)]).await.unwrap();
        assert_eq!(all(&db).await.unwrap(), [fragrance("Amber", 1.1), fragrance("Fig", 0.9)]);
    }

    platform::store_suite!(
        migrate = crate::migrations::migrate,
        tests = [
            the_catalogue_comes_as_it_went_in_by_name_in_any_case,
            one_is_found_by_its_exact_name,
            what_the_catalogue_has_stays,
        ]
    );
}
