//! Temporary databases and servers for tests.

pub mod hostile;
mod mail_server;
mod nats_server;

use std::any::type_name;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::Ipv4Addr;
use std::ops::Deref;
use std::time::Duration;

use sqlx::{AssertSqlSafe, Connection, PgConnection};
use tempfile::TempDir;

use crate::db::{Db, Params};
use crate::run::random::Random;

pub use mail_server::TestMailServer;
pub use nats_server::NatsServer;

/// How long a test waits for what it expects, on the busiest machine. Tests have no limits of their own, unless a requirement
/// names one.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// The environment variable with the URL of the test run's PostgreSQL server, set by `tools/with-postgres`.
const POSTGRES: &str = "SILLAGE_TEST_POSTGRES";

/// Sleeps between two polls, so that a test that polls does not occupy a processor.
pub async fn pause() {
    tokio::time::sleep(Duration::from_millis(10)).await;
}

/// Waits until a condition holds.
pub async fn until(mut holds: impl AsyncFnMut() -> bool) {
    while !holds().await {
        pause().await;
    }
}

/// A loopback address that no other process of the tests uses.
///
/// A port that is free there stays free, also while a server restarts: clients connect from 127.0.0.1.
#[must_use]
pub fn own_address() -> Ipv4Addr {
    // The ids of processes have 22 bits.
    Ipv4Addr::from_bits(Ipv4Addr::new(127, 64, 0, 0).to_bits() | std::process::id())
}

/// An empty database for one test.
#[derive(Debug)]
pub struct TestDb {
    /// The database.
    pub db: Db,
    /// The URL, to open further connections.
    pub url: String,
    // Removes the database on drop, even if the test panics.
    _place: Place,
}

/// The kind and place of a test's database.
#[derive(Debug)]
enum Place {
    /// A temporary folder, removed with its files.
    Folder { _folder: TempDir },
    /// A database of the test run's PostgreSQL server.
    Server { url: String, name: String },
}

impl TestDb {
    /// Creates a SQLite file in a temporary folder.
    ///
    /// # Panics
    /// Panics if the folder or the file cannot be created.
    pub async fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite:{}", folder.path().join("test.db").display());
        let db = Db::connect(&url).await.expect("a SQLite file in a temporary folder");
        Self { db, url, _place: Place::Folder { _folder: folder } }
    }

    /// Creates a database on the test run's PostgreSQL server.
    ///
    /// # Panics
    /// Panics without a server, so that its absence fails the test.
    pub async fn postgres() -> Self {
        Self::on_server(server(), "template1").await
    }

    /// Creates a database with the schema of `migrate`. The first test creates a template and every test gets a copy, because
    /// copying takes half the time of migrating.
    ///
    /// # Panics
    /// Panics without a server or if the migration fails.
    pub async fn postgres_with<F: AsyncFn(&Db)>(migrate: F) -> Self {
        let server = server();
        let template = template_name::<F>();
        let mut connection =
            PgConnection::connect(&format!("{server}/postgres")).await.expect("the private PostgreSQL");
        // Each test is a separate process, so the server holds the lock. Closing the connection releases it.
        sqlx::query("select pg_advisory_lock(1)").execute(&mut connection).await.expect("a lock");
        let known = sqlx::query("select from pg_database where datname = $1").bind(&template);
        if known.fetch_optional(&mut connection).await.expect("the databases").is_none() {
            let made = Self::postgres().await;
            migrate(&made).await;
            made.close().await;
            let name = made.url.rsplit('/').next().expect("a name");
            // `made` drops a database by its original name, so the renamed template stays until the server is removed.
            let rename = format!("alter database {name} rename to {template}");
            sqlx::query(AssertSqlSafe(rename)).execute(&mut connection).await.expect("nobody uses the template");
        }
        connection.close().await.expect("the private PostgreSQL");
        Self::on_server(server, &template).await
    }

    async fn on_server(server: String, template: &str) -> Self {
        let name = format!("t_{}", Random::system().hex(8));
        let statement = format!("create database {name} template {template}");
        execute_on_server(&server, statement).await.expect("the private PostgreSQL makes a database");
        let url = format!("{server}/{name}");
        let db = Db::connect(&url).await.expect("the new database");
        Self { db, url, _place: Place::Server { url: server, name } }
    }

    /// All columns of the schema as `table.column`, sorted, to compare the migrations of both dialects.
    ///
    /// # Panics
    /// Panics if the database cannot be read.
    pub async fn columns(&self) -> Vec<String> {
        let sql = match &self.db {
            Db::Sqlite { .. } => {
                // A full-text index is a table in SQLite, but not in PostgreSQL. `xinfo` has generated columns, too.
                "select t.name || '.' || c.name from pragma_table_list t join pragma_table_xinfo(t.name) c \
                 where t.type = 'table' and t.name not like 'sqlite_%' and t.name not like '_sqlx%'"
            }
            Db::Postgres(_) => {
                "select table_name || '.' || column_name from information_schema.columns \
                 join information_schema.tables using (table_schema, table_name) \
                 where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like '\\_sqlx%' \
                     and table_name::text not in (select relname::text from pg_class where relispartition)"
            }
        };
        let rows: Vec<(String,)> = self.db.fetch_all(sql, Params::default()).await.expect("the schema");
        let mut columns: Vec<String> = rows.into_iter().map(|(name,)| name).collect();
        columns.sort();
        columns
    }
}

/// The URL of the test run's PostgreSQL server.
#[expect(clippy::panic, reason = "a missing server must fail the test with a hint")]
fn server() -> String {
    std::env::var(POSTGRES).unwrap_or_else(|_| {
        panic!("{POSTGRES} is not set: run `make test`, or `tools/with-postgres cargo nextest run …`")
    })
}

/// One template for each schema and build of a test binary, so that a new build never copies the schema of an earlier build.
fn template_name<F>() -> String {
    let binary = std::env::current_exe().expect("a path");
    let built = binary.metadata().and_then(|file| file.modified()).expect("a time");
    let mut hasher = DefaultHasher::new();
    (type_name::<F>(), binary, built).hash(&mut hasher);
    format!("template_{:016x}", hasher.finish())
}

/// Executes a statement on the server's maintenance database.
async fn execute_on_server(server: &str, statement: String) -> Result<(), sqlx::Error> {
    let mut connection = PgConnection::connect(&format!("{server}/postgres")).await?;
    sqlx::query(AssertSqlSafe(statement)).execute(&mut connection).await?;
    connection.close().await
}

/// Drops the database, because hundreds of unused databases would keep the disk busy during the remaining tests.
impl Drop for Place {
    fn drop(&mut self) {
        let Self::Server { url, name } = self else { return };
        let (url, statement) = (url.clone(), format!("drop database if exists {name} with (force)"));
        // Runs on a new runtime, because the test's own runtime may be shutting down.
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.map(|runtime| runtime.block_on(execute_on_server(&url, statement)))
        });
        // Failures are ignored: leftovers are removed with the server.
        let _ = dropping.join();
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
                    let test = $crate::testing::TestDb::postgres_with($migrate).await;
                    super::$test(test.db.clone()).await;
                }
            )*
        }
    };
}

/// Runs each test on SQLite and on PostgreSQL, as `sqlite::name` and `postgres::name`. Each is an `async fn(&TestDb)`, which finds
/// an empty database.
#[macro_export]
macro_rules! on_both_databases {
    ($($test:ident),* $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test]
                async fn $test() {
                    super::$test(&$crate::testing::TestDb::sqlite().await).await;
                }
            )*
        }
        mod postgres {
            $(
                #[tokio::test]
                async fn $test() {
                    super::$test(&$crate::testing::TestDb::postgres().await).await;
                }
            )*
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params;

    #[tokio::test]
    async fn database_is_removed_after_its_test() {
        let (kept, gone) = (TestDb::postgres().await, TestDb::postgres().await);
        let name = gone.url.rsplit('/').next().unwrap().to_owned();
        let there =
            || kept.fetch_all::<(String,)>("select datname from pg_database where datname = $1", params![&name]);
        assert_eq!(there().await.unwrap().len(), 1);
        drop(gone);
        assert_eq!(there().await.unwrap().len(), 0);
    }

    async fn one_table(db: &Db) {
        db.execute("create table thing (id bigint)", params![]).await.unwrap();
    }

    #[tokio::test]
    async fn copies_of_a_template_have_its_schema_and_separate_rows() {
        let (one, other) = (TestDb::postgres_with(one_table).await, TestDb::postgres_with(one_table).await);
        one.execute("insert into thing values (1)", params![]).await.unwrap();
        let rows = async |db: &Db| db.fetch_all::<(i64,)>("select id from thing", params![]).await.unwrap().len();
        assert_eq!((rows(&one).await, rows(&other).await), (1, 0));
    }
}
