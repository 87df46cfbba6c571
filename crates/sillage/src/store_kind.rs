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
        let kind = match db.check_schema(&cloud::MIGRATIONS).await {
            Err(Error::Foreign(_)) => Self::Console,
            checked => return checked.map(|()| Self::Cloud).context("run `sillage cloud migrate` after an upgrade"),
        };
        db.check_schema(kind.migrations()).await.context("start `sillage console` once after an upgrade")?;
        Ok(kind)
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
