//! The cloud that an operator's command works on.

use anyhow::Context;
use cloud::operator::{Oem, Operator, OperatorError};
use cloud::{Branding, PasswordCost};
use platform::clock::Clock;
use platform::db::Db;
use platform::random::Random;

use crate::product;

/// Options that select the cloud. Nodes may be running on its database.
#[derive(clap::Args)]
pub(super) struct Target {
    /// The database: sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME. Prefer the environment variable: other users of
    /// this machine can read command lines
    #[arg(long, value_name = "URL", env = "SILLAGE_DATABASE", hide_env_values = true)]
    database: String,
    /// The manufacturer, if the cloud has several
    #[arg(long, value_name = "NAME")]
    oem: Option<String>,
}

impl Target {
    /// Opens the database and selects the named manufacturer, or the only one.
    pub(super) async fn open(&self) -> anyhow::Result<(Operator, Oem)> {
        let operator = operator(&self.database).await?;
        let oem = operator.oem(self.oem.as_deref()).await.map_err(|error| {
            let hint = match error {
                OperatorError::NoOem => "this database holds no cloud yet: run `sillage cloud init`",
                OperatorError::SeveralOems(_) => "select one with --oem",
                _ => "--oem",
            };
            anyhow::Error::new(error).context(hint)
        })?;
        Ok((operator, oem))
    }
}

/// Opens the database and migrates its schema.
pub(super) async fn operator(database: &str) -> anyhow::Result<Operator> {
    let db = Db::connect(database).await.context("--database")?;
    let operator = Operator::new(db, Clock::system(), Random::system(), PasswordCost::default())?;
    operator.migrate().await.context("--database")?;
    Ok(operator.with_branding(Branding { product: product::NAME.to_owned(), ..Branding::default() }))
}
