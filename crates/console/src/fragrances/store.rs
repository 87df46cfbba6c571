//! The `fragrances` table.

use diffuser::Fragrance;
use platform::db::rows::{all as all_of, key_runs, placeholders, rows_of_placeholders, runs};
use platform::db::{Db, Params, Result, Tx, params};
use sqlx::AssertSqlSafe;
use sqlx_macros::FromRow;

use crate::records::Catalogue;
use crate::texts::folding::fold;

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "select name, sku, density, aq200w500, aq300w500, aq500w500, aq800w1250, aq800w2500, aq1200w1250, aq1200w2500 ",
            "from fragrances",
            $rest
        )
    };
}

#[derive(FromRow)]
struct FragranceRow {
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

impl From<FragranceRow> for Fragrance {
    fn from(row: FragranceRow) -> Self {
        Self {
            name: row.name,
            sku: row.sku,
            density: row.density,
            // In the order of `SystemConfiguration::ALL`, like the columns of the catalogue.
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

/// All fragrances, ordered by name regardless of case and accents.
pub(super) async fn all(db: &Db) -> Result<Vec<Fragrance>> {
    let rows: Vec<FragranceRow> = db.fetch_all(select!(""), params![]).await?;
    let mut fragrances: Vec<Fragrance> = rows.into_iter().map(Fragrance::from).collect();
    fragrances.sort_by_cached_key(|fragrance| (fold(&fragrance.name), fragrance.name.clone()));
    Ok(fragrances)
}

/// All fragrances by name, for many look-ups.
pub(crate) async fn by_name(db: &Db) -> Result<Catalogue> {
    let rows: Vec<FragranceRow> = db.fetch_all(select!(""), params![]).await?;
    Ok(rows.into_iter().map(|row| (row.name.clone(), row.into())).collect())
}

/// The fragrance of this name.
pub(crate) async fn find(db: &Db, name: &str) -> Result<Option<Fragrance>> {
    // PostgreSQL has no text with this character.
    if name.contains('\0') {
        return Ok(None);
    }
    let row: Option<FragranceRow> = db.fetch_optional(select!(" where name = $1"), params![name]).await?;
    Ok(row.map(Fragrance::from))
}

/// Inserts the fragrances that the catalogue lacks. Existing ones are unchanged.
pub(crate) async fn add_missing(db: &Db, fragrances: &[Fragrance]) -> Result<()> {
    for Fragrance { name, sku, density, flow } in fragrances {
        let [a, b, c, d, e, f, g] = *flow;
        db.execute(
            "insert into fragrances (name, sku, density, aq200w500, aq300w500, aq500w500, aq800w1250, aq800w2500, \
             aq1200w1250, aq1200w2500) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (name) do nothing",
            params![name, sku, *density, a, b, c, d, e, f, g],
        )
        .await?;
    }
    Ok(())
}

/// Inserts or replaces all fragrances. Names must be unique.
pub(super) async fn put(tx: &mut Tx, fragrances: impl IntoIterator<Item = &Fragrance>) -> Result<()> {
    let mut sorted: Vec<&Fragrance> = fragrances.into_iter().collect();
    // Rows are locked in the order of names, so that concurrent imports cannot deadlock.
    sorted.sort_by(|one, other| one.name.cmp(&other.name));
    let set: Vec<String> = COLUMNS[1..].iter().map(|column| format!("{column} = excluded.{column}")).collect();
    for run in runs(&sorted) {
        let sql = format!(
            "insert into fragrances ({}) values {} on conflict (name) do update set {}",
            COLUMNS.join(", "),
            rows_of_placeholders(tx.dialect(), run.len(), COLUMNS.len()),
            set.join(", "),
        );
        tx.execute(AssertSqlSafe(sql), all_of(run, values)).await?;
    }
    Ok(())
}

/// Removes the fragrances with these names.
pub(super) async fn remove(tx: &mut Tx, names: &[&str]) -> Result<()> {
    for run in key_runs(names) {
        let sql = format!("delete from fragrances where name in ({})", placeholders(tx.dialect(), run.len()));
        tx.execute(AssertSqlSafe(sql), run.into_iter().fold(Params::default(), Params::with)).await?;
    }
    Ok(())
}

/// The first of these fragrances, by name, that a device of the index has.
pub(super) async fn first_in_use(db: &Db, names: &[&str]) -> Result<Option<String>> {
    let mut first: Option<String> = None;
    for run in key_runs(names) {
        let places = placeholders(db.dialect(), run.len());
        let sql = format!("select min(fragrance) from idx_devices where fragrance in ({places})");
        let keys = run.into_iter().fold(Params::default(), Params::with);
        let (found,): (Option<String>,) = db.fetch_one(AssertSqlSafe(sql), keys).await?;
        first = first.into_iter().chain(found).min();
    }
    Ok(first)
}

const COLUMNS: [&str; 10] = [
    "name",
    "sku",
    "density",
    "aq200w500",
    "aq300w500",
    "aq500w500",
    "aq800w1250",
    "aq800w2500",
    "aq1200w1250",
    "aq1200w2500",
];

/// In the order of [`COLUMNS`].
fn values(params: Params, fragrance: &&Fragrance) -> Params {
    let params = params.with(&fragrance.name).with(&fragrance.sku).with(fragrance.density);
    fragrance.flow.into_iter().fold(params, Params::with)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fragrance(name: &str, density: f64) -> Fragrance {
        let flow = [Some(0.1), Some(0.2), None, Some(0.4), Some(0.5), Some(0.6), Some(0.7)];
        Fragrance { name: name.to_owned(), sku: format!("SKU {name}"), density, flow }
    }

    async fn put_all(db: &Db, fragrances: &[Fragrance]) -> Result<()> {
        let mut tx = db.begin().await?;
        put(&mut tx, fragrances).await?;
        tx.commit().await
    }

    async fn catalogue_is_returned_as_imported_in_the_order_of_names(db: Db) {
        let names = ["fig", "Émeraude", "Amber", "Zest", "Fig Leaf"];
        add_missing(&db, &names.map(|name| fragrance(name, 0.9))).await.unwrap();
        let sorted = ["Amber", "Émeraude", "fig", "Fig Leaf", "Zest"];
        assert_eq!(all(&db).await.unwrap(), sorted.map(|name| fragrance(name, 0.9)));
    }

    async fn fragrance_is_found_by_its_exact_name(db: Db) {
        add_missing(&db, &[fragrance("Fig", 0.9), fragrance("Amber", 1.1)]).await.unwrap();
        assert_eq!(find(&db, "Amber").await.unwrap(), Some(fragrance("Amber", 1.1)));
        for near in ["amber", "Amber ", "", "Ambe"] {
            assert_eq!(find(&db, near).await.unwrap(), None, "{near:?}");
        }
    }

    async fn existing_fragrances_are_kept(db: Db) {
        add_missing(&db, &[fragrance("Fig", 0.9)]).await.unwrap();
        add_missing(&db, &[fragrance("Fig", 1.5), fragrance("Amber", 1.1), fragrance("Amber", 1.2)]).await.unwrap();
        assert_eq!(all(&db).await.unwrap(), [fragrance("Amber", 1.1), fragrance("Fig", 0.9)]);
    }

    async fn import_replaces_only_the_fragrance_of_the_same_name(db: Db) {
        add_missing(&db, &[fragrance("Fig", 0.9), fragrance("Amber", 1.1)]).await.unwrap();
        let many: Vec<Fragrance> = (0..1200).map(|number| fragrance(&format!("N{number:04}"), 0.5)).collect();
        let (changed, without) = (fragrance("Fig", 1.5), Fragrance { flow: [None; 7], ..fragrance("Zest", 0.0) });
        put_all(&db, &[many.as_slice(), &[without.clone(), changed.clone()]].concat()).await.unwrap();
        let names = by_name(&db).await.unwrap();
        assert_eq!(names.len(), 1203);
        for expected in [&changed, &without, &fragrance("Amber", 1.1), &many[1199]] {
            assert_eq!(names.get(&expected.name), Some(expected));
        }
    }

    async fn concurrent_imports_do_not_mix(db: Db) {
        let files: Vec<Vec<Fragrance>> = (0..6_u8)
            .map(|file| {
                let mut rows: Vec<_> =
                    (0..300).map(|number| fragrance(&format!("N{number}"), f64::from(file))).collect();
                if file % 2 == 0 {
                    rows.reverse();
                }
                rows
            })
            .collect();
        let writers: Vec<_> = files
            .into_iter()
            .map(|file| {
                let db = db.clone();
                tokio::spawn(async move { put_all(&db, &file).await })
            })
            .collect();
        for writer in writers {
            writer.await.unwrap().unwrap();
        }
        let stored = all(&db).await.unwrap();
        assert_eq!(stored.len(), 300);
        assert!(stored.iter().all(|one| one.density.to_bits() == stored[0].density.to_bits()), "all of one file");
    }

    platform::store_suite!(
        migrate = crate::migrations::migrate,
        tests = [
            catalogue_is_returned_as_imported_in_the_order_of_names,
            fragrance_is_found_by_its_exact_name,
            existing_fragrances_are_kept,
            import_replaces_only_the_fragrance_of_the_same_name,
            concurrent_imports_do_not_mix,
        ]
    );
}
