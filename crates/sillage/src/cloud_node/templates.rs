//! `sillage cloud template`.

use clap::{Subcommand, ValueEnum};
use cloud::operator::TemplateSummary;

use super::output::{self, ListFormat};
use super::target::CloudTarget;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List all device templates
    List(List),
    /// Change a template
    Set(Set),
}

#[derive(clap::Args)]
struct List {
    #[command(flatten)]
    target: CloudTarget,
    #[command(flatten)]
    format: ListFormat,
}

#[derive(clap::Args)]
struct Set {
    #[command(flatten)]
    target: CloudTarget,
    /// The template's name
    name: String,
    #[command(flatten)]
    settings: Settings,
}

#[derive(clap::Args)]
#[group(required = true, multiple = true)]
struct Settings {
    /// Whether partners need the code printed on a device to register it
    #[arg(long, value_enum)]
    setup_code: Option<SetupCode>,
    /// How reports with a bad value are treated, for connections that begin from now on
    #[arg(long, value_enum)]
    reports: Option<Reports>,
    /// The longest keep-alive of devices in seconds, 1 to 1200; a longer one, or none, counts as this, for connections that begin from now
    /// on
    #[arg(long, value_name = "SECONDS")]
    keep_alive: Option<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Reports {
    /// The other values are stored and the bad one is counted
    Lenient,
    /// The report is refused and the connection is closed
    Strict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SetupCode {
    /// Registrations by partners need the code
    Required,
    /// Registrations need no code
    NotRequired,
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    match args.command {
        Command::List(List { target, format }) => {
            let (operator, oem) = target.open().await?;
            let setup_code = |required| if required { "required" } else { "not required" }.to_owned();
            let reports = |strict| if strict { "strict" } else { "lenient" }.to_owned();
            let row = |template: &TemplateSummary| {
                [
                    template.name.clone(),
                    setup_code(template.setup_code_required),
                    reports(template.strict_reports),
                    format!("up to {} s", template.max_keep_alive),
                ]
            };
            format.print(&operator.templates(&oem).await?, ["Name", "Setup code", "Reports", "Keep-alive"], row)
        }
        Command::Set(Set { target, name, settings: Settings { setup_code, reports, keep_alive } }) => {
            let (operator, oem) = target.open().await?;
            if let Some(seconds) = keep_alive {
                operator.set_max_keep_alive(&oem, &name, seconds).await?;
            }
            if let Some(reports) = reports {
                operator.set_strict_reports(&oem, &name, reports == Reports::Strict).await?;
            }
            if let Some(setup_code) = setup_code {
                operator.require_setup_code(&oem, &name, setup_code == SetupCode::Required).await?;
            }
            output::print_line("Changed.")?;
            match operator.devices_without_setup_code(&oem).await?.len() {
                missing if setup_code == Some(SetupCode::Required) && missing > 0 => output::print_line(&format!(
                    "Devices in stock without a setup code: {missing}; `sillage cloud device setup-codes` generates codes."
                )),
                _ => Ok(()),
            }
        }
    }
}
