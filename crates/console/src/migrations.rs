//! The console's own tables, for both databases.

use platform::db::{Db, Migration, Migrations, OtherProgram, Result};

/// The schema.
pub const MIGRATIONS: Migrations = Migrations {
    all: &[Migration { name: "schema", text: include_str!("../migrations/0001_schema.sql") }],
    other: OtherProgram { name: "device cloud, not of the console", table: "oem" },
};

/// Sets up the tables in this database; a missing SQLite file is created. Returns the number of migrations, 0 if there was nothing to
/// do.
///
/// # Errors
/// A database that cannot be opened or migrated.
pub async fn init_database(database_url: &str) -> Result<usize> {
    migrate_and_close(Db::connect(database_url).await?).await
}

/// Applies all pending migrations to this database, which must exist. Returns their number.
///
/// # Errors
/// A database that cannot be opened or migrated.
pub async fn migrate_database(database_url: &str) -> Result<usize> {
    migrate_and_close(Db::connect_existing(database_url).await?).await
}

async fn migrate_and_close(db: Db) -> Result<usize> {
    let migrated = db.migrate(&MIGRATIONS).await;
    db.close().await;
    migrated
}

/// For store suites.
#[cfg(test)]
pub(crate) async fn migrate(db: &Db) {
    db.migrate(&MIGRATIONS).await.unwrap();
}

#[cfg(test)]
mod tests {
    use platform::db::params;
    use platform::testing::TestDb;

    use super::*;

    #[tokio::test]
    async fn both_databases_end_in_the_same_columns() {
        let (sqlite, postgres) = (TestDb::sqlite().await, TestDb::postgres().await);
        migrate(&sqlite).await;
        migrate(&postgres).await;
        assert_eq!(sqlite.columns().await, postgres.columns().await);
    }

    #[tokio::test]
    async fn indexes_of_postgres_can_serve_joins_by_device_and_by_job() {
        let postgres = TestDb::postgres().await;
        migrate(&postgres).await;
        let sql = "select table_name || '.' || column_name from information_schema.columns
                   where table_schema = 'public' and collation_name is distinct from 'C'
                       and (column_name = 'dsn' or (column_name = 'job_id' and table_name like 'job%'))";
        let others: Vec<(String,)> = postgres.fetch_all(sql, params![]).await.unwrap();
        assert_eq!(others, [], "columns with another collation");
    }
}
