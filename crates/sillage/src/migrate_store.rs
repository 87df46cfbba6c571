//! `sillage migrate-store`: moves the database of a cloud or a console from SQLite to PostgreSQL.

use anyhow::Context;
use platform::db::Db;
use platform::run::clock::Clock;
use platform::transfer::{Progress, transfer};

use crate::cloud_node::output;
use crate::options::store_kind::StoreKind;

/// The number of rows after which the progress within a table is logged again.
const LOG_EVERY: i64 = 100_000;

/// Copy the SQLite database of a cloud or a console into an empty PostgreSQL database, and compare all rows. Run it again after
/// an interruption; it continues
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database to copy: sqlite:PATH. Nothing may run on it; it stays as it is
    #[arg(long, value_name = "URL")]
    from: String,
    /// An empty database: postgres://USER:PASSWORD@HOST/NAME. Prefer the environment variable: other users of this machine
    /// can read command lines
    #[arg(long, value_name = "URL", env = "SILLAGE_TO", hide_env_values = true)]
    to: String,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let from = Db::connect_read_only(&args.from).await.context("--from: a SQLite database is needed")?;
    let kind = StoreKind::of(&from).await.context("--from")?;
    let to = Db::connect_existing(&args.to).await.context("--to")?;
    let mut logged = 0;
    let report = |progress: Progress<'_>| match progress {
        Progress::Stored { table, rows, of } if rows == of || rows >= logged + LOG_EVERY => {
            logged = if rows == of { 0 } else { rows };
            tracing::info!(table, rows, of, "copied");
        }
        Progress::Stored { .. } => {}
        Progress::Verified { table } => tracing::info!(table, "verified"),
    };
    let now = Clock::system().now();
    let tables = transfer(&from, &to, kind.migrations(), now, report).await?;
    if kind == StoreKind::Cloud {
        tracing::info!("the history is being moved to partitions");
        cloud::create_history_partitions(&to, now).await?;
    }
    let rows: Vec<[String; 3]> =
        tables.iter().map(|table| [table.name.clone(), table.rows.to_string(), table.hash.clone()]).collect();
    output::print_table(["TABLE", "ROWS", "HASH"], &rows)?;
    let total: u64 = tables.iter().map(|table| table.rows).sum();
    output::print_line(&format!("Copied and verified the database of the {}: {total} rows.", kind.name()))
}
