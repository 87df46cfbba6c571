//! Databases for tests, made new and removed again.

use std::ops::Deref;

use sqlx::{AssertSqlSafe, Connection, PgConnection};
use tempfile::TempDir;

use crate::db::{Db, Params};
use crate::random::Random;

/// Where the private PostgreSQL of a test run listens; `tools/with-postgres` sets it.
const POSTGRES: &str = "SILLAGE_TEST_POSTGRES";

/// An empty database of one test.
#[derive(Debug)]
pub struct TestDb {
    /// The database.
    pub db: Db,
    /// Its URL, to open it a second time.
    pub url: String,
    // Removed with its files when the test ends. A PostgreSQL database goes with the run's private server.
    _folder: Option<TempDir>,
}

impl TestDb {
    /// A SQLite file in a temporary folder.
    ///
    /// # Panics
    /// When the folder or the file cannot be made.
    pub async fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite:{}", folder.path().join("test.db").display());
        let db = Db::connect(&url).await.expect("a SQLite file in a temporary folder");
        Self { db, url, _folder: Some(folder) }
    }

    /// A database on the run's private PostgreSQL.
    ///
    /// # Panics
    /// When there is none: a missing server fails the test.
    #[expect(clippy::panic, reason = "a missing server must fail the test, with the way out")]
    pub async fn postgres() -> Self {
        let Ok(server) = std::env::var(POSTGRES) else {
            panic!("{POSTGRES} is not set: run `make test`, or `tools/with-postgres cargo nextest run …`");
        };
        let name = format!("t_{}", Random::system().hex(8));
        let mut connection =
            PgConnection::connect(&format!("{server}/postgres")).await.expect("the private PostgreSQL");
        sqlx::query(AssertSqlSafe(format!("create database {name}")))
            .execute(&mut connection)
            .await
            .expect("a database");
        connection.close().await.expect("a connection that closes");
        let url = format!("{server}/{name}");
        let db = Db::connect(&url).await.expect("the new database");
        Self { db, url, _folder: None }
    }

    /// The schema as the database tells it: every table's columns, `table.column`, sorted. For the test that both folders
    /// of migrations end in the same columns.
    ///
    /// # Panics
    /// When the database cannot be read.
    pub async fn columns(&self) -> Vec<String> {
        let sql = match &self.db {
            Db::Sqlite { .. } => {
                "select m.name || '.' || c.name from sqlite_master m join pragma_table_info(m.name) c \
                 where m.type = 'table' and m.name not like 'sqlite_%' and m.name not like '_sqlx%'"
            }
            Db::Postgres(_) => {
                "select table_name || '.' || column_name from information_schema.columns \
                 where table_schema = 'public' and table_name not like '\\_sqlx%'"
            }
        };
        let rows: Vec<(String,)> = self.db.fetch_all(sql, Params::default()).await.expect("the schema");
        let mut columns: Vec<String> = rows.into_iter().map(|(name,)| name).collect();
        columns.sort();
        columns
    }
}

impl Deref for TestDb {
    type Target = Db;

    fn deref(&self) -> &Db {
        &self.db
    }
}

/// Runs each test of a store suite on SQLite and on PostgreSQL, as `sqlite::name` and `postgres::name`.
///
/// `migrate` is an `async fn(&Db)`, each test an `async fn(Db)`.
#[macro_export]
macro_rules! store_suite {
    (migrate = $migrate:path, tests = [$($test:ident),* $(,)?]) => {
        mod sqlite {
            $(
                #[tokio::test]
                async fn $test() {
                    let test = $crate::testing::TestDb::sqlite().await;
                    $migrate(&test.db).await;
                    super::$test(test.db.clone()).await;
                }
            )*
        }
        mod postgres {
            $(
                #[tokio::test]
                async fn $test() {
                    let test = $crate::testing::TestDb::postgres().await;
                    $migrate(&test.db).await;
                    super::$test(test.db.clone()).await;
                }
            )*
        }
    };
}
