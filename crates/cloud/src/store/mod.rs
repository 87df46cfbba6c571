//! The database, one file per aggregate. Functions take a [`platform::db::Db`] for reads and a [`platform::db::Tx`] to
//! take part in the caller's transaction.

pub(crate) mod accounts;
pub(crate) mod applications;
pub(crate) mod associations;
pub(crate) mod audience;
pub(crate) mod authors;
pub(crate) mod backlog;
pub(crate) mod chains;
pub(crate) mod claims;
pub(crate) mod clock;
pub(crate) mod commands;
pub(crate) mod connection_history;
pub(crate) mod connections;
pub(crate) mod contacts;
pub(crate) mod custody;
pub(crate) mod data;
pub(crate) mod datapoints;
pub(crate) mod device_columns;
pub(crate) mod device_edits;
pub(crate) mod device_faults;
pub(crate) mod device_names;
pub(crate) mod devices;
pub(crate) mod email_changes;
pub(crate) mod files;
pub(crate) mod fleet;
pub(crate) mod history;
pub(crate) mod inventory;
pub(crate) mod json;
pub(crate) mod key_pages;
pub(crate) mod labels;
pub(crate) mod message_budgets;
pub(crate) mod message_gaps;
pub(crate) mod nodes;
pub(crate) mod notification_apps;
pub(crate) mod notifications;
pub(crate) mod outbox;
pub(crate) mod partitions;
pub(crate) mod partners;
pub(crate) mod profiles;
pub(crate) mod properties;
pub(crate) mod retention;
pub(crate) mod role_users;
pub(crate) mod roles;
pub(crate) mod rule_actions;
pub(crate) mod rule_events;
pub(crate) mod rules;
pub(crate) mod schedule_actions;
pub(crate) mod schedules;
mod scope;
pub(crate) mod sessions;
pub(crate) mod setup_codes;
pub(crate) mod share_columns;
pub(crate) mod shares;
pub(crate) mod subscriptions;
#[cfg(test)]
mod suite;
pub(crate) mod templates;
pub(crate) mod trigger_apps;
pub(crate) mod triggers;
pub(crate) mod unknown_sign_ins;
pub(crate) mod user_columns;
pub(crate) mod user_list;
mod user_scope;
pub(crate) mod user_tokens;
pub(crate) mod users;

use platform::db::{Db, Migration, Migrations, OtherProgram, Result};

/// The schema.
pub const MIGRATIONS: Migrations = Migrations {
    all: &[Migration { name: "schema", text: include_str!("../../migrations/0001_schema.sql") }],
    other: OtherProgram { name: "console, not of the device cloud", table: "sessions" },
};

/// Migrates the schema. Returns the number of migrations that were applied.
///
/// # Errors
/// A failed migration, a newer schema, a database of a build before 0.1.0, or one of the console.
pub(crate) async fn migrate(db: &Db) -> Result<usize> {
    db.migrate(&MIGRATIONS).await
}

/// Checks that the schema is that of this program.
///
/// # Errors
/// An empty database, an older or newer schema, a database of a build before 0.1.0, or one of the console.
pub(crate) async fn check_schema(db: &Db) -> Result<()> {
    db.check_schema(&MIGRATIONS).await
}

/// Maximum number of keys in one statement.
const KEYS_PER_STATEMENT: usize = 1_000;

#[cfg(test)]
pub(crate) mod tests {
    use platform::db::Db;
    use platform::testing::TestDb;

    use super::*;

    /// Migrates the database of a store suite.
    pub(crate) async fn migrated(db: &Db) {
        migrate(db).await.unwrap();
    }

    #[tokio::test]
    async fn both_databases_have_the_same_columns() {
        let (sqlite, postgres) = (TestDb::sqlite().await, TestDb::postgres().await);
        migrated(&sqlite).await;
        migrated(&postgres).await;
        let columns = sqlite.columns().await;
        assert!(columns.len() > 100, "{columns:?}");
        assert_eq!(columns, postgres.columns().await);
    }

    #[tokio::test]
    async fn migrating_twice_changes_nothing() {
        let db = TestDb::sqlite().await;
        assert_eq!(migrate(&db).await.unwrap(), MIGRATIONS.all.len());
        assert_eq!(migrate(&db).await.unwrap(), 0);
    }
}
