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
    match operator.migrate().await.context("--database")? {
        0 => output::print_line("The schema was up to date already."),
        1 => output::print_line("Migrated: 1 step."),
        steps => output::print_line(&format!("Migrated: {steps} steps.")),
    }
}
