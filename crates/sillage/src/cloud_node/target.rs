//! The cloud that an operator's command works on.

use anyhow::Context;
use cloud::operator::{Oem, Operator, OperatorError};
use cloud::{Branding, PasswordCost};
use platform::db::{self, Db};
use platform::run::clock::Clock;
use platform::run::random::Random;

use crate::options::database_option::DatabaseOption;
use crate::product;

const NO_CLOUD: &str = "this database holds no cloud yet: run `sillage cloud init`";

/// Options that select the cloud. Nodes may be running on its database.
#[derive(clap::Args)]
pub(super) struct CloudTarget {
    #[command(flatten)]
    database: Database,
    /// The manufacturer, if the cloud has several
    #[arg(long, value_name = "NAME")]
    oem: Option<String>,
}

/// The option that selects the database.
#[derive(clap::Args)]
pub(super) struct Database {
    #[command(flatten)]
    option: DatabaseOption,
}

impl CloudTarget {
    /// Opens the database and selects the named manufacturer, or the only one. Never migrates the schema.
    pub(super) async fn open(&self) -> anyhow::Result<(Operator, Oem)> {
        let operator = self.database.open().await?;
        operator.check_schema().await.map_err(|error| {
            let hint = match error {
                OperatorError::Database(db::Error::NoSchema) => NO_CLOUD,
                OperatorError::Database(db::Error::OldSchema) => "run `sillage cloud migrate`",
                _ => "--database",
            };
            anyhow::Error::new(error).context(hint)
        })?;
        let oem = operator.oem(self.oem.as_deref()).await.map_err(|error| {
            let hint = match error {
                OperatorError::NoOem => NO_CLOUD,
                OperatorError::SeveralOems(_) => "select one with --oem",
                _ => "--oem",
            };
            anyhow::Error::new(error).context(hint)
        })?;
        Ok((operator, oem))
    }
}

impl Database {
    /// Opens the database, which must exist.
    pub(super) async fn open(&self) -> anyhow::Result<Operator> {
        let hint = "--database: `sillage cloud init` sets up a new cloud";
        operator(Db::connect_existing(&self.option.url()?).await, hint)
    }

    /// Opens the database. A missing SQLite file is created.
    pub(super) async fn create(&self) -> anyhow::Result<Operator> {
        operator(Db::connect(&self.option.url()?).await, "--database")
    }
}

fn operator(db: db::Result<Db>, hint: &'static str) -> anyhow::Result<Operator> {
    let db = db.context(hint)?;
    let operator = Operator::new(db, Clock::system(), Random::system(), PasswordCost::default())?;
    Ok(operator.with_branding(Branding { product: product::NAME.to_owned(), ..Branding::default() }))
}
