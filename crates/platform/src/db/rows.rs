//! Statements with many rows. Only a few fixed row counts are used, so that prepared statements can be reused.

use sqlx::AssertSqlSafe;

use super::{Dialect, Params, Result, Tx};

/// The row counts in use. The largest, multiplied by a table's columns, stays below SQLite's limit of 32,766 values.
const SIZES: [usize; 6] = [512, 128, 32, 8, 2, 1];

/// Splits rows into chunks of the row counts in use, largest first.
pub fn runs<T>(mut rows: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let size = SIZES.into_iter().find(|size| *size <= rows.len())?;
        let (run, rest) = rows.split_at(size);
        rows = rest;
        Some(run)
    })
}

/// Splits keys into chunks of the row counts in use. The last chunk is padded with its last key.
pub fn key_runs<K: Clone>(keys: &[K]) -> impl Iterator<Item = Vec<K>> {
    keys.chunks(SIZES[0]).map(|chunk| {
        let mut run = chunk.to_vec();
        let size = SIZES.into_iter().rev().find(|size| *size >= run.len()).unwrap_or(run.len());
        run.extend(chunk.last().cloned().into_iter().cycle().take(size - run.len()));
        run
    })
}

/// `$1, $2, $3`.
#[must_use]
pub fn placeholders(dialect: Dialect, values: usize) -> String {
    let row = rows_of_placeholders(dialect, 1, values);
    row[1..row.len() - 1].to_owned()
}

/// `($1, $2), ($3, $4)`: the placeholders of `rows` rows of `columns` values.
#[must_use]
pub fn rows_of_placeholders(dialect: Dialect, rows: usize, columns: usize) -> String {
    let mut text = String::new();
    for row in 0..rows {
        text.push_str(if row == 0 { "(" } else { ", (" });
        for column in 0..columns {
            text.push_str(if column == 0 { "" } else { ", " });
            text.push_str(&dialect.placeholder(row * columns + column + 1));
        }
        text.push(')');
    }
    text
}

/// Concatenates the values of all rows.
pub fn all<T>(rows: &[T], values: impl Fn(Params, &T) -> Params) -> Params {
    rows.iter().fold(Params::default(), values)
}

/// Executes `insert` (`insert into t (a, b)`) for all rows.
///
/// # Errors
/// A database error.
pub async fn insert_rows<T>(
    tx: &mut Tx,
    insert: &str,
    columns: usize,
    rows: &[T],
    values: impl Fn(Params, &T) -> Params,
) -> Result<()> {
    for run in runs(rows) {
        let sql = format!("{insert} values {}", rows_of_placeholders(tx.dialect(), run.len(), columns));
        tx.execute(AssertSqlSafe(sql), all(run, &values)).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_numbered_across_rows() {
        assert_eq!(rows_of_placeholders(Dialect::Postgres, 2, 3), "($1, $2, $3), ($4, $5, $6)");
        assert_eq!(rows_of_placeholders(Dialect::Sqlite, 2, 3), "(?, ?, ?), (?, ?, ?)");
        assert_eq!(placeholders(Dialect::Postgres, 3), "$1, $2, $3");
    }

    #[test]
    fn chunks_contain_every_row_in_order() {
        for length in [0, 1, 2, 7, 8, 600, 1000] {
            let rows: Vec<i64> = (0..length).collect();
            assert_eq!(runs(&rows).flatten().copied().collect::<Vec<_>>(), rows);
            assert!(runs(&rows).all(|run| SIZES.contains(&run.len())), "{length}");
        }
    }

    #[test]
    fn key_chunks_are_padded_with_the_last_key() {
        for length in [0, 1, 3, 8, 600, 1024] {
            let keys: Vec<i64> = (10..10 + length).collect();
            assert!(key_runs(&keys).all(|run| SIZES.contains(&run.len())), "{length}");
            let mut named: Vec<i64> = key_runs(&keys).flatten().collect();
            named.dedup();
            assert_eq!(named, keys);
        }
    }
}
