//! `sillage cloud application`.

use anyhow::bail;
use clap::{Subcommand, value_parser};
use cloud::operator::Application;
use jiff::SignedDuration;
use platform::run::random::Random;
use secrecy::SecretString;

use super::output::{self, ListFormat};
use super::target::CloudTarget;
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
    /// Replace an application's secret; the new one is shown only once, the old one stops working now or after --overlap
    RotateSecret(RotateSecret),
    /// End the secret before the last rotation, before its overlap is over
    EndEarlierSecret(ApplicationArgs),
}

#[derive(clap::Args)]
struct List {
    #[command(flatten)]
    target: CloudTarget,
    #[command(flatten)]
    format: ListFormat,
}

#[derive(clap::Args)]
struct Add {
    #[command(flatten)]
    target: CloudTarget,
    /// Display name
    name: String,
}

#[derive(clap::Args)]
struct ApplicationArgs {
    #[command(flatten)]
    target: CloudTarget,
    /// Application id
    app_id: String,
}

#[derive(clap::Args)]
struct RotateSecret {
    #[command(flatten)]
    application: ApplicationArgs,
    /// How long the old secret is valid as well, so that every console can be given the new one without a gap. A secret that is
    /// older ends now
    #[arg(long, value_name = "HOURS", default_value_t = 0, value_parser = value_parser!(u32).range(..=720))]
    overlap: u32,
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    let random = Random::system();
    match args.command {
        Command::List(List { target, format }) => {
            let (operator, oem) = target.open().await?;
            let row = |Application { id, name, earlier_secret_until }: &Application| {
                let until = earlier_secret_until.map(|until| until.strftime("%Y-%m-%d %H:%M:%SZ").to_string());
                [id.clone(), name.clone(), until.unwrap_or_default()]
            };
            format.print(&operator.applications(&oem).await?, ["Id", "Name", "Earlier secret until"], row)
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
        Command::RotateSecret(RotateSecret { application: ApplicationArgs { target, app_id }, overlap }) => {
            let (operator, oem) = target.open().await?;
            let secret = random.hex(24);
            let overlap = SignedDuration::from_hours(overlap.into());
            operator.rotate_application_secret(&oem, &app_id, &SecretString::from(secret.clone()), overlap).await?;
            output::print_text(&format!("Secret  {secret}"))
        }
        Command::EndEarlierSecret(ApplicationArgs { target, app_id }) => {
            let (operator, oem) = target.open().await?;
            operator.end_earlier_secret(&oem, &app_id).await?;
            output::print_line("Only the newest secret is valid.")
        }
    }
}
