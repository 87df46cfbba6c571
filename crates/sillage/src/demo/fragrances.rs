//! The demo's fragrance catalogue, in the file format that the console imports.

use std::sync::LazyLock;

use anyhow::{Context, ensure};
use diffuser::{CATALOGUE_COLUMNS, Fragrance};

/// Flows are in g/h. An empty flow means that the model cannot diffuse the fragrance.
const FILE: &str = include_str!("fragrances.csv");

static ALL: LazyLock<Vec<Fragrance>> = LazyLock::new(|| read(FILE).expect("a test reads this file"));

/// All fragrances of the catalogue.
pub(super) fn all() -> &'static [Fragrance] {
    &ALL
}

/// # Panics
/// Panics if the catalogue has no such fragrance.
pub(super) fn named(name: &str) -> &'static Fragrance {
    ALL.iter().find(|fragrance| fragrance.name == name).unwrap_or_else(|| panic!("no fragrance {name}"))
}

fn read(file: &str) -> anyhow::Result<Vec<Fragrance>> {
    let mut reader = csv::Reader::from_reader(file.as_bytes());
    ensure!(reader.headers()?.iter().eq(CATALOGUE_COLUMNS), "the header must be {}", CATALOGUE_COLUMNS.join(","));
    reader.records().map(|record| fragrance(&record?)).collect()
}

fn fragrance(record: &csv::StringRecord) -> anyhow::Result<Fragrance> {
    let number = |column: usize| -> anyhow::Result<Option<f64>> {
        let text = &record[column];
        let number = (!text.is_empty()).then(|| text.parse()).transpose();
        number.with_context(|| format!("{} of {}: {text}", CATALOGUE_COLUMNS[column], &record[0]))
    };
    let mut flow = [None; 7];
    for (model, flow) in flow.iter_mut().enumerate() {
        *flow = number(3 + model)?;
    }
    let density = number(2)?.with_context(|| format!("{} has no density", &record[0]))?;
    Ok(Fragrance { name: record[0].to_owned(), sku: record[1].to_owned(), density, flow })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use diffuser::SystemConfiguration;

    use super::*;

    const WEEK: f64 = 7.0 * 24.0;

    #[test]
    fn file_holds_24_fragrances_in_order() {
        let all = read(FILE).unwrap();
        assert_eq!(all.len(), 24);
        assert_eq!(all.iter().map(|it| &it.name).collect::<HashSet<_>>().len(), 24, "names are keys (A-76)");
        assert_eq!(all.iter().map(|it| &it.sku).collect::<HashSet<_>>().len(), 24);
        assert!(all.is_sorted_by_key(|it| &it.name));
    }

    #[test]
    fn full_cartridge_lasts_two_weeks_to_four_months_of_running() {
        for fragrance in read(FILE).unwrap() {
            assert!((0.85..1.05).contains(&fragrance.density), "{}", fragrance.name);
            for configuration in SystemConfiguration::ALL {
                let Some(flow) = fragrance.flow(&configuration) else { continue };
                let weeks = f64::from(configuration.cartridge_ml().unwrap()) * fragrance.density / flow / WEEK;
                assert!((2.0..18.0).contains(&weeks), "{} in {configuration:?}: {weeks} weeks", fragrance.name);
            }
        }
    }

    #[test]
    fn invalid_catalogue_is_rejected() {
        let broken = |from: &str, to: &str| read(&FILE.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(broken("SKU", "Sku").starts_with("the header must be Fragrance,SKU,Density,AQ200w500"));
        assert_eq!(broken("0.428", "much"), "AQ200w500 of Alpine Dawn: much");
        assert_eq!(broken("0.918", ""), "Alpine Dawn has no density");
    }
}
