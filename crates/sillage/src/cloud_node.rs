//! `sillage cloud`: a node of the device cloud, and what its operator does.

mod applications;
mod devices;
mod init;
mod mail;
mod outbox;
mod output;
mod password;
mod roles;
mod serve;
mod target;
mod texts;
mod users;

use clap::Subcommand;

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    node: serve::NodeArgs,
}

#[derive(Subcommand)]
enum Command {
    /// Make what a new cloud needs: manufacturer, roles, type of device, the console's application, the first administrator
    Init(init::Args),
    /// List, add, lock, unlock and remove people, give them passwords
    User(users::Args),
    /// List, add and remove roles
    Role(roles::Args),
    /// List and add applications, give them secrets
    Application(applications::Args),
    /// Add devices with their keys, list, show, block, unblock and remove them, give them other keys
    Device(devices::Args),
    /// Messages to people: list, show, try again, write a test message
    Outbox(outbox::Args),
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    match args.command {
        Some(Command::Init(args)) => init::run(args).await,
        Some(Command::User(args)) => users::run(args).await,
        Some(Command::Role(args)) => roles::run(args).await,
        Some(Command::Application(args)) => applications::run(args).await,
        Some(Command::Device(args)) => devices::run(args).await,
        Some(Command::Outbox(args)) => outbox::run(args).await,
        None => serve::run(args.node).await,
    }
}
