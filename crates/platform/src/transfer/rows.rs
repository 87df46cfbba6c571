//! Rows in the binary format of PostgreSQL's `COPY`, which is also the form in which rows are compared.

use sha2::{Digest, Sha256};
use sqlx::sqlite::{SqliteRow, SqliteValueRef};
use sqlx::{Decode, Row, Sqlite, TypeInfo, ValueRef};

use super::Error;
use super::catalog::{Column, ColumnType, Table};

/// The signature, no flags, no extension.
const HEADER: &[u8; 19] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
const TRAILER: [u8; 2] = (-1_i16).to_be_bytes();
const NULL: [u8; 4] = (-1_i32).to_be_bytes();

/// What becomes of columns that refer to rows of the same table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SelfReferences {
    /// They are set later.
    Null,
    /// The row consists of its primary key and these columns.
    Only,
    /// They are values like any other.
    Values,
}

/// Encoded rows.
#[derive(Debug)]
pub(super) struct Batch {
    copy: Vec<u8>,
    pub(super) rows: usize,
    /// The key of the last row.
    pub(super) key: Vec<String>,
}

impl Default for Batch {
    fn default() -> Self {
        Self { copy: HEADER.to_vec(), rows: 0, key: Vec::new() }
    }
}

impl Batch {
    pub(super) fn bytes(&self) -> usize {
        self.copy.len()
    }

    /// The encoded rows.
    pub(super) fn tuples(&self) -> &[u8] {
        &self.copy[HEADER.len()..]
    }

    pub(super) fn clear(&mut self) {
        self.copy.truncate(HEADER.len());
        self.rows = 0;
    }

    /// The rows as input of `COPY`.
    pub(super) fn into_copy(mut self) -> Vec<u8> {
        self.copy.extend(TRAILER);
        self.copy
    }

    /// Appends a row of the source, which consists of its key and its columns.
    pub(super) fn push(&mut self, table: &Table, row: &SqliteRow, references: SelfReferences) -> Result<(), Error> {
        self.key = (0..table.source_key.len()).map(|at| key_text(row, at)).collect::<Result<_, _>>()?;
        let columns: Vec<&Column> = match references {
            SelfReferences::Only => table.self_references().collect(),
            SelfReferences::Null | SelfReferences::Values => table.columns.iter().collect(),
        };
        self.copy.extend((columns.len() as i16).to_be_bytes());
        for (at, column) in columns.into_iter().enumerate() {
            if references == SelfReferences::Null && column.is_self_reference {
                self.copy.extend(NULL);
                continue;
            }
            let value = row.try_get_raw(table.source_key.len() + at)?;
            self.push_value(column.kind, value).map_err(|reason| Error::Value {
                table: table.name.clone(),
                row: self.key.join(", "),
                column: column.name.clone(),
                reason,
            })?;
        }
        self.rows += 1;
        Ok(())
    }

    fn push_value(&mut self, kind: ColumnType, value: SqliteValueRef<'_>) -> Result<(), &'static str> {
        if value.is_null() {
            self.copy.extend(NULL);
            return Ok(());
        }
        // The type of the value: SQLite does not enforce the type of the column.
        let stored = value.type_info().name().to_owned();
        match (kind, &*stored) {
            (ColumnType::BigInt, "INTEGER") => self.push_bytes(&decode::<i64>(value)?.to_be_bytes()),
            (ColumnType::Boolean, "INTEGER") => match decode::<i64>(value)? {
                number @ (0 | 1) => self.push_bytes(&[number as u8]),
                _ => return Err("is neither true nor false"),
            },
            (ColumnType::Double, "REAL") => self.push_bytes(&decode::<f64>(value)?.to_be_bytes()),
            (ColumnType::Text, "TEXT") => {
                let text = std::str::from_utf8(decode::<&[u8]>(value)?).map_err(|_| "is not valid UTF-8")?;
                if text.contains('\0') {
                    return Err("contains the character NUL, which PostgreSQL cannot store");
                }
                self.push_bytes(text.as_bytes());
            }
            (ColumnType::Bytes, "BLOB") => self.push_bytes(decode(value)?),
            _ => return Err("has another type than its column"),
        }
        Ok(())
    }

    fn push_bytes(&mut self, bytes: &[u8]) {
        self.copy.extend((bytes.len() as i32).to_be_bytes());
        self.copy.extend(bytes);
    }
}

fn decode<'r, T: Decode<'r, Sqlite>>(value: SqliteValueRef<'r>) -> Result<T, &'static str> {
    T::decode(value).map_err(|_| "cannot be read")
}

/// A value of the key: a number or a text.
fn key_text(row: &SqliteRow, at: usize) -> Result<String, Error> {
    let value = row.try_get_raw(at)?;
    Ok(match value.type_info().name() {
        "INTEGER" => row.try_get_unchecked::<i64, _>(at)?.to_string(),
        _ => row.try_get_unchecked(at)?,
    })
}

/// The number of rows, and the sum of their hashes, which does not depend on their order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Fingerprint {
    pub(super) rows: u64,
    sum: [u64; 4],
}

impl Fingerprint {
    pub(super) fn add(&mut self, tuple: &[u8]) {
        self.rows += 1;
        let hash = Sha256::digest(tuple);
        for (sum, part) in self.sum.iter_mut().zip(hash.chunks_exact(8)) {
            *sum = part.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)).wrapping_add(*sum);
        }
    }

    pub(super) fn hash(&self) -> String {
        hex::encode(self.sum.map(u64::to_be_bytes).as_flattened())
    }
}

/// Splits the output of `COPY` into rows.
#[derive(Debug, Default)]
pub(super) struct Tuples {
    buffer: Vec<u8>,
    has_begun: bool,
}

impl Tuples {
    /// Calls `each` with every row that is complete with this chunk.
    pub(super) fn split(&mut self, chunk: &[u8], mut each: impl FnMut(&[u8])) {
        self.buffer.extend(chunk);
        let mut begin = 0;
        if !self.has_begun && self.buffer.len() >= HEADER.len() {
            (begin, self.has_begun) = (HEADER.len(), true);
        }
        while self.has_begun
            && let Some(length) = tuple_length(&self.buffer[begin..])
        {
            each(&self.buffer[begin..begin + length]);
            begin += length;
        }
        self.buffer.drain(..begin);
    }
}

/// The length of the first row; `None` if it is incomplete, and for the trailer.
fn tuple_length(bytes: &[u8]) -> Option<usize> {
    let (count, _) = bytes.split_first_chunk()?;
    let fields = usize::try_from(i16::from_be_bytes(*count)).ok()?;
    let mut at = count.len();
    for _ in 0..fields {
        let (length, _) = bytes.get(at..)?.split_first_chunk()?;
        at += length.len() + usize::try_from(i32::from_be_bytes(*length)).unwrap_or_default();
    }
    (at <= bytes.len()).then_some(at)
}
