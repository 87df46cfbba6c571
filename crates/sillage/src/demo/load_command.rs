//! `sillage demo load`.

use std::path::PathBuf;

use anyhow::Context;
use cloud::PasswordCost;
use cloud::operator::Operator;
use platform::db::Db;
use platform::run::clock::Clock;
use platform::run::random::Random;

use super::data_folder::DataFolder;
use super::fleet_options::FleetOptions;
use super::ready::ReadyAccount;
use super::{fleet, fragrances, load, output};

/// Load the demo's accounts, fleet and fragrances into the databases of a cloud and a console, print the accounts, and exit
///
/// Their nodes can be started before or afterwards, as many as needed (`make cluster` does it). `sillage simulate` with the same
/// --data and --cloud-database simulates the fleet. A second run on the same folder and databases only adds what is missing.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Folder for demo.json, with the secrets of the console and the fleet
    #[arg(long, default_value = "./data", value_name = "DIR")]
    data: PathBuf,
    /// The cloud's database: sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME. Prefer the environment variable: other users of
    /// this machine can read command lines
    #[arg(long, value_name = "URL", env = "SILLAGE_CLOUD_DATABASE", hide_env_values = true)]
    cloud_database: String,
    /// The console's database
    #[arg(long, value_name = "URL", env = "SILLAGE_CONSOLE_DATABASE", hide_env_values = true)]
    console_database: String,
    #[command(flatten)]
    fleet: FleetOptions,
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    let (clock, random) = (Clock::system(), Random::system());
    let folder = DataFolder::lock(&args.data)?;
    let saved = folder.load_or_create(args.fleet.plan(clock.now()), &random)?;
    args.fleet.check_plan(saved.plan);
    let db = Db::connect(&args.cloud_database).await.context("--cloud-database")?;
    let operator = Operator::new(db.clone(), clock, random, PasswordCost::default())?;
    operator.migrate().await.context("--cloud-database")?;
    load::load(&operator, &saved, &fleet::build(saved.plan)).await?;
    db.close().await;
    console::add_missing_fragrances(&args.console_database, fragrances::all()).await.context("--console-database")?;
    let accounts: Vec<ReadyAccount<'_>> = saved.accounts.iter().map(ReadyAccount::from).collect();
    Ok(output::print_accounts(&accounts)?)
}
