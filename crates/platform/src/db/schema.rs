//! The schema of a database: its migrations, and whether they were applied.

use std::borrow::Cow;
use std::collections::BTreeMap;

use sqlx::error::DatabaseError;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::PgPoolOptions;

use super::migration::Migration;
use super::{Db, Error, Result};
use crate::params;

/// The table with the progress of a transfer into this database (`platform::transfer`). It exists until the transfer is complete.
const TRANSFER_TABLE: &str = "store_transfer";

/// The version of the first migration. Databases of builds before 0.1.0 have another text of it.
const FIRST: i64 = 1;

/// The migrations of one schema.
#[derive(Clone, Copy, Debug)]
pub struct Migrations {
    /// All migrations in their order. Versions count from 1.
    pub all: &'static [Migration],
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
    /// Fails if a migration fails or was applied with another text, with [`Error::NewSchema`], [`Error::EarlierBuild`],
    /// [`Error::MigrationDenied`] or [`Error::UnfinishedTransfer`], and with [`Error::Foreign`] for a database of another program,
    /// which is left unchanged.
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
        let migrator = Migrator::with_migrations(self.rendered(migrations).collect());
        match self {
            Self::Sqlite { write, .. } => migrator.run(write).await?,
            Self::Postgres(server) => {
                // A migration of a large table can take longer than any other statement.
                let options = server.pool().connect_options().as_ref().clone().options([("statement_timeout", 0)]);
                let pool = PgPoolOptions::new().max_connections(1).connect_with(options).await?;
                let migrated = migrator.run(&pool).await;
                pool.close().await;
                migrated.map_err(|error| if is_denied(&error) { Error::MigrationDenied } else { error.into() })?;
            }
        }
        Ok(pending)
    }

    /// Checks that all migrations were applied, and no later ones. Changes nothing.
    ///
    /// # Errors
    /// [`Error::NoSchema`], [`Error::OldSchema`], [`Error::NewSchema`], [`Error::EarlierBuild`], [`Error::Foreign`],
    /// [`Error::UnfinishedTransfer`], or a database error.
    pub async fn check_schema(&self, migrations: &Migrations) -> Result<()> {
        self.ensure_no_transfer().await?;
        self.check_schema_of_copy(migrations).await
    }

    /// Like [`check_schema`](Self::check_schema), for the target of a transfer.
    pub(crate) async fn check_schema_of_copy(&self, migrations: &Migrations) -> Result<()> {
        let pending = self.pending(migrations).await?;
        if pending.is_empty() {
            Ok(())
        } else if pending.len() == self.rendered(migrations).count() {
            Err(Error::NoSchema)
        } else {
            Err(Error::OldSchema)
        }
    }

    async fn ensure_no_transfer(&self) -> Result<()> {
        if self.has_table(TRANSFER_TABLE).await? { Err(Error::UnfinishedTransfer) } else { Ok(()) }
    }

    /// The migrations that were not applied: the checksum of each version.
    async fn pending(&self, migrations: &Migrations) -> Result<BTreeMap<i64, Cow<'static, [u8]>>> {
        if self.has_table(migrations.other.table).await? {
            return Err(Error::Foreign(migrations.other.name));
        }
        let mut pending: BTreeMap<_, _> =
            self.rendered(migrations).map(|migration| (migration.version, migration.checksum)).collect();
        for (version, checksum) in self.applied().await? {
            match pending.remove(&version) {
                None => return Err(Error::NewSchema),
                Some(known) if *known == checksum => {}
                Some(_) if version == FIRST => return Err(Error::EarlierBuild),
                Some(_) => return Err(MigrateError::VersionMismatch(version).into()),
            }
        }
        Ok(pending)
    }

    /// The version and checksum of each applied migration, in their order.
    async fn applied(&self) -> Result<Vec<(i64, Vec<u8>)>> {
        if !self.has_table("_sqlx_migrations").await? {
            return Ok(Vec::new());
        }
        self.fetch_all("select version, checksum from _sqlx_migrations where success order by version", params![]).await
    }

    /// The migrations for this database.
    fn rendered(&self, migrations: &Migrations) -> impl Iterator<Item = sqlx::migrate::Migration> {
        let dialect = self.dialect();
        let all = migrations.all.iter().copied();
        #[cfg(feature = "testing")]
        let all = all.chain(super::next_build::migration());
        (FIRST..).zip(all).map(move |(version, migration)| migration.render(version, dialect))
    }

    async fn has_table(&self, name: &str) -> Result<bool> {
        let sql = match self {
            Self::Sqlite { .. } => "select count(*) from sqlite_master where type = 'table' and name = $1",
            Self::Postgres(_) => "select count(to_regclass($1))",
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
