use serde_json::json;

use super::*;
use crate::http::error::{ApiError, FieldErrors};

fn row(cells: &[(&str, &str)]) -> CatalogueRow {
    let mut row = json!({ "Fragrance": "Fig", "SKU": "F-1", "Density": "0.9", "AQ200w500": "1.25" });
    for (column, cell) in cells {
        row[*column] = json!(cell);
    }
    serde_json::from_value(row).unwrap()
}

fn refused(rows: &[CatalogueRow]) -> FieldErrors {
    match checked(rows) {
        Err(ApiError::Invalid(errors)) => errors,
        other => panic!("{other:?}"),
    }
}

#[test]
fn row_has_the_columns_of_the_catalogue() {
    let columns = serde_json::to_value(CatalogueRow::default()).unwrap();
    let mut expected = CATALOGUE_COLUMNS.to_vec();
    expected.sort_unstable();
    assert!(columns.as_object().unwrap().keys().eq(expected), "{columns}");
    for column in CATALOGUE_COLUMNS {
        let row: CatalogueRow = serde_json::from_value(json!({ column: "7" })).unwrap();
        let at = row.cells().iter().position(|cell| *cell == "7").unwrap();
        assert_eq!(CATALOGUE_COLUMNS[at], column);
    }
    assert!(serde_json::from_value::<CatalogueRow>(json!({ "Notes": "x" })).is_err());
}

#[test]
fn exported_rows_import_unchanged() {
    let flow = [Some(0.428), None, Some(0.0), Some(1e-7), Some(123_456.789), Some(1.0), Some(0.1 + 0.2)];
    let fragrance = Fragrance { name: "=Fig, \"ripe\"".to_owned(), sku: String::new(), density: 0.918, flow };
    assert_eq!(checked(&[CatalogueRow::from(&fragrance)]).unwrap(), [fragrance]);
}

#[test]
fn cells_are_trimmed_and_an_empty_flow_rate_is_none() {
    let found =
        checked(&[row(&[("Fragrance", "  Fig "), ("SKU", " "), ("Density", " 0.90 "), ("AQ300w500", " ")])]).unwrap();
    assert_eq!((found[0].name.as_str(), found[0].sku.as_str(), found[0].density), ("Fig", "", 0.9));
    assert_eq!(found[0].flow, [Some(1.25), None, None, None, None, None, None]);
}

#[test]
fn each_cell_that_breaks_a_rule_is_named() {
    let long = "x".repeat(256);
    let rows: [(&str, &str, &str); 17] = [
        ("Fragrance", "", "Required"),
        ("Fragrance", "  ", "Required"),
        ("Fragrance", &long, "Must be at most 255 characters"),
        ("Fragrance", "a\nb", "Must be one line of text"),
        ("Fragrance", "a\u{200b}b", "Character 2 is invisible (U+200B): delete it"),
        ("SKU", &long, "Must be at most 255 characters"),
        ("SKU", "a\0", "Must be one line of text"),
        ("Density", "", "Required"),
        ("Density", "-0.1", "Must be a number of at least 0"),
        ("Density", "0,9", "Must be a number of at least 0"),
        ("Density", "1e3", "Must be a number of at least 0"),
        ("Density", "NaN", "Must be a number of at least 0"),
        ("AQ200w500", "inf", "Must be a number of at least 0"),
        ("AQ500w500", "0x10", "Must be a number of at least 0"),
        ("AQ800w1250", "1.2.3", "Must be a number of at least 0"),
        ("AQ1200w2500", ".", "Must be a number of at least 0"),
        ("AQ1200w1250", &long, "Must be a number of at least 0"),
    ];
    for (column, cell, text) in rows {
        let errors = refused(&[row(&[("Fragrance", "Amber")]), row(&[(column, cell)])]);
        assert_eq!(errors, FieldErrors::from([(format!("[1].{column}"), vec![text.to_owned()])]), "{column} {cell:?}");
    }
    for number in ["0", "0.5", ".5", "5.", "007"] {
        assert!(checked(&[row(&[("Density", number)])]).is_ok(), "{number}");
    }
}

#[test]
fn repeated_name_is_a_duplicate() {
    // The last two have an invisible mark, and letters of another width.
    let forms =
        ["Fig Noir", "Amber", " Fig Noir ", "fig NOIR", "Fig\u{a0} Noir", "Fig Noir\u{200b}", "\u{ff26}ig Noir"];
    let errors = refused(&forms.map(|name| row(&[("Fragrance", name)])));
    let expected = forms.into_iter().enumerate().skip(2).map(|(number, name)| {
        (format!("[{number}].Fragrance"), vec![format!("Duplicate Fragrance Found: {}", name.trim())])
    });
    assert_eq!(errors, expected.collect::<FieldErrors>());
}

#[test]
fn import_has_between_one_and_the_maximum_of_rows() {
    let named = |count: usize| (0..count).map(|number| row(&[("Fragrance", &number.to_string())])).collect::<Vec<_>>();
    assert_eq!(refused(&[])["rows"], ["Must have at least one row"]);
    assert_eq!(checked(&named(10_000)).unwrap().len(), 10_000);
    assert_eq!(refused(&named(10_001))["rows"], ["Must have at most 10000 rows"]);
    let all_wrong = vec![row(&[("Fragrance", ""), ("Density", "x")]); 10_000];
    assert_eq!(refused(&all_wrong).len(), 100);
}
