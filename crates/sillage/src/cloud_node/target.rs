//! Which cloud an operator's command is for.

use anyhow::Context;
use cloud::operator::{Oem, Operator, OperatorError};
use cloud::{Letterhead, PasswordCost};
use platform::clock::Clock;
use platform::db::Db;
use platform::random::Random;

use crate::product;

/// The database of the cloud; nodes may run on it meanwhile.
#[derive(clap::Args)]
pub(super) struct Target {
    /// The database: sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME. Better in the environment, where other users of
    /// this machine cannot read the password
    #[arg(long, value_name = "URL", env = "SILLAGE_DATABASE", hide_env_values = true)]
    database: String,
    /// The manufacturer, where the cloud has several
    #[arg(long, value_name = "NAME")]
    oem: Option<String>,
}

impl Target {
    /// The operator, and the manufacturer that is named or the only one.
    pub(super) async fn open(&self) -> anyhow::Result<(Operator, Oem)> {
        let operator = operator(&self.database).await?;
        let oem = operator.oem(self.oem.as_deref()).await.map_err(|error| {
            let hint = match error {
                OperatorError::NoOem => "this is no cloud yet: `sillage cloud init` makes one",
                OperatorError::SeveralOems(_) => "--oem says which one",
                _ => "--oem",
            };
            anyhow::Error::new(error).context(hint)
        })?;
        Ok((operator, oem))
    }
}

/// The operator of this database, its schema brought up to date.
pub(super) async fn operator(database: &str) -> anyhow::Result<Operator> {
    let db = Db::connect(database).await.context("--database")?;
    let operator = Operator::new(db, Clock::system(), Random::system(), PasswordCost::default())?;
    operator.migrate().await.context("--database")?;
    Ok(operator.writing_as(Letterhead { product: product::NAME.to_owned(), ..Letterhead::default() }))
}
