//! `sillage cloud application`.

use anyhow::bail;
use clap::Subcommand;
use platform::random::Random;
use secrecy::SecretString;

use super::output;
use super::target::Target;
use crate::product;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List all applications
    List(List),
    /// Add an application; its secret is shown only once
    Add(Add),
    /// Replace an application's secret; the new one is shown only once, the old one stops working
    RotateSecret(RotateSecret),
}

#[derive(clap::Args)]
struct List {
    #[command(flatten)]
    target: Target,
}

#[derive(clap::Args)]
struct Add {
    #[command(flatten)]
    target: Target,
    /// Display name
    name: String,
}

#[derive(clap::Args)]
struct RotateSecret {
    #[command(flatten)]
    target: Target,
    /// Application id
    app_id: String,
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    let random = Random::system();
    match args.command {
        Command::List(List { target }) => {
            let (operator, oem) = target.open().await?;
            let applications = operator.applications(&oem).await?;
            let rows: Vec<_> = applications.into_iter().map(|application| [application.id, application.name]).collect();
            output::print_table(["Id", "Name"], &rows)
        }
        Command::Add(Add { target, name }) => {
            if name.trim().is_empty() {
                bail!("the name is empty");
            }
            let (operator, oem) = target.open().await?;
            let (app_id, secret) = (format!("{}-{}", product::NAME.to_lowercase(), random.hex(4)), random.hex(24));
            operator.ensure_application(&oem, &app_id, &name, &SecretString::from(secret.clone())).await?;
            output::print_text(&format!("Id      {app_id}\nSecret  {secret}"))
        }
        Command::RotateSecret(RotateSecret { target, app_id }) => {
            let (operator, oem) = target.open().await?;
            let secret = random.hex(24);
            operator.set_application_secret(&oem, &app_id, &SecretString::from(secret.clone())).await?;
            output::print_text(&format!("Secret  {secret}"))
        }
    }
}
