//! The schema of a database: its migrations, and whether they were applied.

use std::collections::BTreeMap;

use sqlx::error::DatabaseError;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::PgPoolOptions;

use super::{Db, Error, Result};
use crate::params;

/// The table with the progress of a transfer into this database (`platform::transfer`). It exists until the transfer is complete.
const TRANSFER_TABLE: &str = "store_transfer";

/// The migrations of one schema for both dialects.
#[derive(Clone, Copy, Debug)]
pub struct Migrations {
    /// The migrations for SQLite.
    pub sqlite: &'static Migrator,
    /// The migrations for PostgreSQL.
    pub postgres: &'static Migrator,
    /// Another program whose database must be rejected.
    pub other: OtherProgram,
}

/// Another program, and how its database is recognised.
#[derive(Clone, Copy, Debug)]
pub struct OtherProgram {
    /// The program's name in error texts, such as `device cloud`.
    pub name: &'static str,
    /// A table that exists only in its database.
    pub table: &'static str,
}

/// PostgreSQL's `insufficient_privilege`.
const DENIED: &str = "42501";

impl Db {
    /// Applies all pending migrations. Returns their number.
    ///
    /// # Errors
    /// Fails if a migration fails or was applied with another text, with [`Error::NewSchema`], with [`Error::MigrationDenied`], with
    /// [`Error::Foreign`] for a database of another program, which is left unchanged, and with [`Error::UnfinishedTransfer`].
    pub async fn migrate(&self, migrations: &Migrations) -> Result<usize> {
        self.ensure_no_transfer().await?;
        self.migrate_copy(migrations).await
    }

    /// Like [`migrate`](Self::migrate), for the target of a transfer.
    pub(crate) async fn migrate_copy(&self, migrations: &Migrations) -> Result<usize> {
        let pending = self.pending(migrations).await?.len();
        if pending == 0 {
            // sqlx would try to create its table, which a role that must not create tables cannot even try.
            return Ok(0);
        }
        match self {
            Self::Sqlite { write, .. } => migrations.sqlite.run(write).await?,
            Self::Postgres(server) => {
                // A migration of a large table can take longer than any other statement.
                let options = server.pool().connect_options().as_ref().clone().options([("statement_timeout", 0)]);
                let pool = PgPoolOptions::new().max_connections(1).connect_with(options).await?;
                let migrated = migrations.postgres.run(&pool).await;
                pool.close().await;
                migrated.map_err(|error| if is_denied(&error) { Error::MigrationDenied } else { error.into() })?;
            }
        }
        Ok(pending)
    }

    /// Checks that all migrations were applied, and no later ones. Changes nothing.
    ///
    /// # Errors
    /// [`Error::NoSchema`], [`Error::OldSchema`], [`Error::NewSchema`], [`Error::Foreign`], [`Error::UnfinishedTransfer`], or a
    /// database error.
    pub async fn check_schema(&self, migrations: &Migrations) -> Result<()> {
        self.ensure_no_transfer().await?;
        self.check_schema_of_copy(migrations).await
    }

    /// Like [`check_schema`](Self::check_schema), for the target of a transfer.
    pub(crate) async fn check_schema_of_copy(&self, migrations: &Migrations) -> Result<()> {
        let pending = self.pending(migrations).await?;
        if pending.is_empty() {
            Ok(())
        } else if pending.len() == self.migrator(migrations).iter().count() {
            Err(Error::NoSchema)
        } else {
            Err(Error::OldSchema)
        }
    }

    async fn ensure_no_transfer(&self) -> Result<()> {
        if self.has_table(TRANSFER_TABLE).await? { Err(Error::UnfinishedTransfer) } else { Ok(()) }
    }

    /// The migrations that were not applied: the checksum of each version.
    async fn pending(&self, migrations: &Migrations) -> Result<BTreeMap<i64, &'static [u8]>> {
        if self.has_table(migrations.other.table).await? {
            return Err(Error::Foreign(migrations.other.name));
        }
        let mut pending: BTreeMap<i64, &[u8]> =
            self.migrator(migrations).iter().map(|migration| (migration.version, &*migration.checksum)).collect();
        for (version, checksum) in self.applied().await? {
            match pending.remove(&version) {
                None => return Err(Error::NewSchema),
                Some(known) if known != checksum => return Err(MigrateError::VersionMismatch(version).into()),
                Some(_) => {}
            }
        }
        Ok(pending)
    }

    /// The version and checksum of each applied migration.
    async fn applied(&self) -> Result<Vec<(i64, Vec<u8>)>> {
        if !self.has_table("_sqlx_migrations").await? {
            return Ok(Vec::new());
        }
        self.fetch_all("select version, checksum from _sqlx_migrations where success", params![]).await
    }

    fn migrator(&self, migrations: &Migrations) -> &'static Migrator {
        match self {
            Self::Sqlite { .. } => migrations.sqlite,
            Self::Postgres(_) => migrations.postgres,
        }
    }

    async fn has_table(&self, name: &str) -> Result<bool> {
        let sql = match self {
            Self::Sqlite { .. } => "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = $1",
            Self::Postgres(_) => "SELECT count(to_regclass($1))",
        };
        let (count,): (i64,) = self.fetch_one(sql, params![name]).await?;
        Ok(count > 0)
    }
}

/// Whether the role may not apply a migration.
fn is_denied(error: &MigrateError) -> bool {
    let (MigrateError::Execute(cause) | MigrateError::ExecuteMigration(cause, _)) = error else { return false };
    cause.as_database_error().and_then(DatabaseError::code).is_some_and(|code| code == DENIED)
}
