//! The two kinds of databases, recognised by their tables.

use anyhow::Context;
use platform::db::{Db, Error, Migrations};
use serde::{Deserialize, Serialize};

/// Whose database it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StoreKind {
    Cloud,
    Console,
}

impl StoreKind {
    /// The kind of a database with the schema of this program.
    pub(crate) async fn of(db: &Db) -> anyhow::Result<Self> {
        match db.check_schema(&cloud::MIGRATIONS).await {
            Err(Error::Foreign(_)) => {}
            checked => return Self::Cloud.explain(checked),
        }
        Self::Console.explain(db.check_schema(&console::MIGRATIONS).await)
    }

    fn explain(self, checked: platform::db::Result<()>) -> anyhow::Result<Self> {
        match checked {
            Ok(()) => Ok(self),
            Err(error @ Error::OldSchema) => {
                Err(error).context(format!("run `{}` after an upgrade", self.migrate_command()))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The command that migrates the schema.
    pub(crate) fn migrate_command(self) -> &'static str {
        match self {
            Self::Cloud => "sillage cloud migrate",
            Self::Console => "sillage console migrate",
        }
    }

    /// The name in output.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cloud => "device cloud",
            Self::Console => "console",
        }
    }

    /// The name of its file in a data folder and in a backup.
    pub(crate) fn file_name(self) -> &'static str {
        match self {
            Self::Cloud => "cloud.db",
            Self::Console => "console.db",
        }
    }

    pub(crate) fn migrations(self) -> &'static Migrations {
        match self {
            Self::Cloud => &cloud::MIGRATIONS,
            Self::Console => &console::MIGRATIONS,
        }
    }
}
