//! The console's own tables, for both databases.

use platform::db::{Migrations, OtherProgram};
use sqlx::migrate::Migrator;

static SQLITE: Migrator = sqlx::migrate!("migrations/sqlite");
static POSTGRES: Migrator = sqlx::migrate!("migrations/postgres");

/// The schema.
pub const MIGRATIONS: Migrations = Migrations {
    sqlite: &SQLITE,
    postgres: &POSTGRES,
    other: OtherProgram { name: "device cloud, not of the console", table: "oem" },
};

/// For store suites.
#[cfg(test)]
pub(crate) async fn migrate(db: &platform::db::Db) {
    db.migrate(&MIGRATIONS).await.unwrap();
}

#[cfg(test)]
mod tests {
    use platform::testing::TestDb;

    use super::*;

    #[tokio::test]
    async fn both_databases_end_in_the_same_columns() {
        let (sqlite, postgres) = (TestDb::sqlite().await, TestDb::postgres().await);
        migrate(&sqlite).await;
        migrate(&postgres).await;
        assert_eq!(sqlite.columns().await, postgres.columns().await);
    }
}
