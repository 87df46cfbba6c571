//! Consistent copies of SQLite databases, and checks of their integrity.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::{Db, Error, Result};
use crate::params;

impl Db {
    /// Writes a copy of a SQLite database to a new file that only its owner can read. It has every transaction that was committed
    /// before the call, and none in part. Others can write meanwhile. The copy is on disk when this returns.
    ///
    /// # Errors
    /// [`Error::NotSqlite`], [`Error::Open`] if the file exists or cannot be written, or a database error.
    pub async fn copy_to(&self, path: &Path) -> Result<()> {
        let Self::Sqlite { read, .. } = self else { return Err(Error::NotSqlite) };
        let failed = |source: std::io::Error| Error::Open { path: path.display().to_string(), source: source.into() };
        // SQLite accepts an existing file that is empty.
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(failed)?;
        sqlx::query("vacuum into $1").bind(path.display().to_string()).execute(read).await?;
        File::open(path).and_then(|file| file.sync_all()).map_err(failed)
    }

    /// Checks all pages, indexes and foreign keys of a SQLite database.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::NotSqlite`], or a database error.
    pub async fn check_integrity(&self) -> Result<()> {
        if !matches!(self, Self::Sqlite { .. }) {
            return Err(Error::NotSqlite);
        }
        let (found,): (String,) =
            self.fetch_one("select integrity_check from pragma_integrity_check", params![]).await?;
        let lost = "select \"table\" from pragma_foreign_key_check limit 1";
        let lost: Option<(String,)> = self.fetch_optional(lost, params![]).await?;
        match lost {
            _ if found != "ok" => Err(Error::Damaged(found)),
            Some((table,)) => Err(Error::Damaged(format!("a row of {table} refers to a row that does not exist"))),
            None => Ok(()),
        }
    }
}
