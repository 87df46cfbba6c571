//! Sillage: a web console and a device cloud for networked fragrance diffusers, with a simulated fleet.

mod backup;
mod catalogue;
mod cloud_node;
mod configuration;
mod console_node;
mod demo;
mod doctor;
mod files;
mod manual;
mod migrate_store;
mod options;
mod process;
mod product;
mod simulate;

use std::io::{self, ErrorKind};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use configuration::{Environment, command};
use platform::run::file_limit;
use process::logging::{self, journal};
use tracing::Level;

/// Monitors and controls networked fragrance diffusers.
#[derive(Parser)]
#[command(
    name = "sillage",
    version = product::version(),
    arg_required_else_help = true,
    after_help = "`sillage demo` runs everything on this machine. \
                  Set SILLAGE_LOG to filter the log, for example debug or cloud=debug,info, \
                  and SILLAGE_LOG_FORMAT=json for a JSON object per line."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Start everything on this machine: cloud, console and a simulated fleet
    Demo(Box<demo::Args>),
    /// Run a node of the device cloud until stopped; its subcommands set up and administer the cloud
    Cloud(Box<cloud_node::Args>),
    /// Run a node of the console until stopped
    Console(console_node::Args),
    Simulate(Box<simulate::Args>),
    Config(command::Args),
    Doctor(doctor::Args),
    MigrateStore(migrate_store::Args),
    Backup(backup::Args),
    Restore(backup::restore::Args),
    #[command(hide = true)]
    Manual(manual::Args),
}

#[tokio::main]
async fn main() -> ExitCode {
    // Each connection of a device, browser or client is an open file.
    let _ = file_limit::raise();
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of the output, such as `head`, has seen enough.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            #[expect(clippy::print_stderr, reason = "the error message of a failed command")]
            {
                eprintln!("{}sillage: {}", journal::priority(Level::ERROR), with_causes(&error));
            }
            ExitCode::FAILURE
        }
    }
}

async fn run() -> anyhow::Result<()> {
    let definition = Cli::command();
    let environment = Environment::of_process(&definition);
    let completed = configuration::complete(&definition, std::env::args_os().collect(), &environment)?;
    let cli = Cli::try_parse_from(&completed.arguments).unwrap_or_else(|error| completed.exit(&error));
    match cli.command {
        Command::Demo(args) => {
            // A line per request and device would hide the addresses and accounts that the demo prints.
            let _logging = logging::start("sillage-demo", "warn")?;
            demo::run(*args).await
        }
        Command::Cloud(args) => {
            let _logging = logging::start("sillage-cloud", "info")?;
            cloud_node::run(*args).await
        }
        Command::Console(args) => {
            let _logging = logging::start("sillage-console", "info")?;
            console_node::run(args).await
        }
        Command::Simulate(args) => {
            let _logging = logging::start("sillage-simulate", "info")?;
            simulate::run(*args).await
        }
        Command::Config(args) => command::run(args, &environment),
        Command::Doctor(args) => {
            // The findings contain what the servers would log.
            let _logging = logging::start("sillage-doctor", "off")?;
            doctor::run(args, &environment).await
        }
        Command::MigrateStore(args) => {
            let _logging = logging::start("sillage-migrate-store", "info")?;
            migrate_store::run(args).await
        }
        Command::Backup(args) => {
            let _logging = logging::start("sillage-backup", "info")?;
            backup::run(args).await
        }
        Command::Restore(args) => {
            let _logging = logging::start("sillage-restore", "info")?;
            backup::restore::run(args).await
        }
        Command::Manual(args) => manual::run(&args, definition),
    }
}

/// Whether a command failed because nobody reads its output any more. Connections have other errors.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

/// The error followed by its causes. Some errors contain the text of their cause, which is then not repeated.
fn with_causes(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string).filter(|cause| !cause.is_empty()) {
        if !text.ends_with(&cause) {
            let separator = if text.is_empty() { "" } else { ": " };
            text = format!("{text}{separator}{cause}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use anyhow::{Context, anyhow};

    use super::*;

    #[test]
    fn repeated_cause_is_printed_once() {
        let error =
            Err::<(), _>(anyhow!("no route")).context("cannot connect: no route").context("cannot start").unwrap_err();
        assert_eq!(with_causes(&error), "cannot start: cannot connect: no route");
    }
}
