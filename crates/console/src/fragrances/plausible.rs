//! Which values of the catalogue are plausible, and by which power of ten a value is probably wrong: spreadsheets lose decimal
//! points.

use diffuser::{CATALOGUE_COLUMNS, Fragrance};

/// The columns before these have texts.
const NUMBER_COLUMNS: usize = 2;
/// The factors by which lost or moved decimal points change a value.
const FACTORS: [f64; 6] = [10.0, 100.0, 1000.0, 0.1, 0.01, 0.001];
/// Rounding of the quotient of two values.
const PRECISION: f64 = 1e-9;

/// From the lowest to the highest plausible value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bounds {
    pub(super) min: f64,
    pub(super) max: f64,
}

/// In the order of the columns: the density in grams per millilitre; then flow rates, from a tenth of the lowest to ten times the
/// highest of the shipped catalogue.
const PLAUSIBLE: [Bounds; CATALOGUE_COLUMNS.len() - NUMBER_COLUMNS] = [
    Bounds { min: 0.5, max: 1.5 },
    Bounds { min: 0.034, max: 5.12 },
    Bounds { min: 0.0458, max: 7.08 },
    Bounds { min: 0.0636, max: 10.49 },
    Bounds { min: 0.0873, max: 14.4 },
    Bounds { min: 0.0918, max: 15.13 },
    Bounds { min: 0.1376, max: 22.69 },
    Bounds { min: 0.1465, max: 24.16 },
];

/// A changed value that is implausible, or the present one times a power of ten.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Doubt {
    pub(super) column: &'static str,
    pub(super) bounds: Bounds,
    pub(super) is_implausible: bool,
    /// By how much the value is probably too large.
    pub(super) factor: Option<f64>,
}

/// The doubts about the numbers in which a row differs from the present one.
pub(super) fn doubts(before: Option<&Fragrance>, after: &Fragrance) -> Vec<Doubt> {
    let before = before.map_or([None; PLAUSIBLE.len()], numbers);
    let columns = CATALOGUE_COLUMNS.into_iter().skip(NUMBER_COLUMNS).zip(PLAUSIBLE);
    let values = before.into_iter().zip(numbers(after));
    columns.zip(values).filter_map(|((column, bounds), (before, after))| doubt(column, bounds, before, after)).collect()
}

impl Doubt {
    /// As one sentence for the user.
    pub(super) fn text(&self) -> String {
        let Bounds { min, max } = self.bounds;
        let range = format!("Must be from {min} to {max}, or be confirmed");
        match self.factor {
            Some(factor) if factor > 1.0 => format!("{range}: it is probably {factor} times too large"),
            Some(factor) => format!("{range}: it is probably {} times too small", (1.0 / factor).round()),
            None => range,
        }
    }
}

fn numbers(fragrance: &Fragrance) -> [Option<f64>; PLAUSIBLE.len()] {
    let [a, b, c, d, e, f, g] = fragrance.flow;
    [Some(fragrance.density), a, b, c, d, e, f, g]
}

fn doubt(column: &'static str, bounds: Bounds, before: Option<f64>, after: Option<f64>) -> Option<Doubt> {
    let value = after.filter(|_| after != before)?;
    let is_implausible = !bounds.contain(value);
    let change = before.and_then(|before| FACTORS.into_iter().find(|it| (value / before / it - 1.0).abs() < PRECISION));
    let factor = change.or_else(|| bounds.missed_by(value).filter(|_| is_implausible));
    (is_implausible || factor.is_some()).then_some(Doubt { column, bounds, is_implausible, factor })
}

impl Bounds {
    fn contain(self, value: f64) -> bool {
        (self.min..=self.max).contains(&value)
    }

    /// The factor without which the value would be closest to the middle of the plausible ones.
    fn missed_by(self, value: f64) -> Option<f64> {
        let middle = (self.min * self.max).sqrt();
        let distance = |factor: &f64| (value / factor / middle).ln().abs();
        let factor = FACTORS.into_iter().min_by(|one, other| distance(one).total_cmp(&distance(other)));
        factor.filter(|factor| self.contain(value / factor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: usize = PLAUSIBLE.len() - 1;

    fn fragrance(density: f64, flow: f64) -> Fragrance {
        Fragrance { name: "Fig".to_owned(), sku: String::new(), density, flow: [Some(flow); COLUMNS] }
    }

    fn doubt_of(before: Option<f64>, density: f64) -> Option<(bool, Option<f64>)> {
        let before = before.map(|density| fragrance(density, 1.0));
        let doubts = doubts(before.as_ref(), &fragrance(density, 1.0));
        assert!(doubts.iter().all(|doubt| doubt.column == "Density"), "{doubts:?}");
        doubts.first().map(|doubt| (doubt.is_implausible, doubt.factor))
    }

    #[test]
    fn implausible_density_is_in_doubt_with_its_probable_factor() {
        for (before, density, expected) in [
            (None, 0.5, None),
            (None, 1.5, None),
            (Some(0.9), 1.4, None),
            (None, 0.49, Some((true, None))),
            (None, 918.0, Some((true, Some(1000.0)))),
            (None, 95.0, Some((true, Some(100.0)))),
            (None, 8.7, Some((true, Some(10.0)))),
            (None, 0.0918, Some((true, Some(0.1)))),
            (None, 0.0, Some((true, None))),
            (None, 1.0e20, Some((true, None))),
            (Some(0.918), 918.0, Some((true, Some(1000.0)))),
            (Some(0.0), 918.0, Some((true, Some(1000.0)))),
            (Some(918.0), 918.0, None),
            (Some(918.0), 0.918, Some((false, Some(0.001)))),
        ] {
            assert_eq!(doubt_of(before, density), expected, "{before:?} to {density}");
        }
    }

    #[test]
    fn flow_rate_that_is_a_power_of_ten_of_the_present_one_is_in_doubt() {
        let (before, mut after) = (fragrance(0.9, 0.428), fragrance(0.9, 0.428));
        after.flow[0] = Some(4.28);
        after.flow[1] = Some(428.0);
        after.flow[2] = None;
        after.flow[3] = Some(0.5);
        let doubts = doubts(Some(&before), &after);
        let found: Vec<_> = doubts.iter().map(|it| (it.column, it.is_implausible, it.factor)).collect();
        assert_eq!(found, [("AQ200w500", false, Some(10.0)), ("AQ300w500", true, Some(1000.0))]);
        assert_eq!(
            doubts[1].text(),
            "Must be from 0.0458 to 7.08, or be confirmed: it is probably 1000 times too large"
        );
    }

    #[test]
    fn plausible_flow_rates_are_ten_times_the_range_of_the_shipped_catalogue() {
        let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../sillage/src/demo/fragrances.csv");
        let shipped = std::fs::read_to_string(shipped).unwrap();
        for (column, bounds) in PLAUSIBLE.iter().enumerate().skip(1) {
            let cells = shipped.lines().skip(1).map(|line| line.split(',').nth(NUMBER_COLUMNS + column).unwrap());
            let values: Vec<f64> = cells.filter_map(|cell| cell.parse().ok()).collect();
            let lowest = values.iter().copied().fold(f64::MAX, f64::min);
            let highest = values.iter().copied().fold(0.0, f64::max);
            assert!((bounds.min - lowest / 10.0).abs() < PRECISION, "{column}: {lowest}");
            assert!((bounds.max - highest * 10.0).abs() < PRECISION, "{column}: {highest}");
        }
    }
}
