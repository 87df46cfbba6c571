//! `sillage cloud migrate`.

use anyhow::Context;

use super::output;
use super::target::Database;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    database: Database,
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    let operator = args.database.open().await?;
    output::print_migrated(operator.migrate().await.context("--database")?)
}
