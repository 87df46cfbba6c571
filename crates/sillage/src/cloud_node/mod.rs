//! `sillage cloud`: a node of the device cloud, and the operator's subcommands.

mod applications;
mod budgets;
mod devices;
mod init;
mod messages;
mod migrate;
mod outbox;
pub(crate) mod output;
mod password;
mod public_url;
mod roles;
mod serve;
mod setup_codes;
mod target;
mod templates;
mod texts;
mod users;

use clap::Subcommand;

pub(crate) use serve::NodeArgs;
pub(crate) use texts::TOKEN as SMS_GATEWAY_TOKEN;

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    node: NodeArgs,
}

#[derive(Subcommand)]
enum Command {
    /// Set up a new cloud: manufacturer, roles, device template, the console's application, the first administrator
    Init(init::Args),
    /// Bring the database's schema up to date after an upgrade
    Migrate(migrate::Args),
    /// List, add, lock, unlock and remove users, set their passwords
    User(users::Args),
    /// List, add and remove roles
    Role(roles::Args),
    /// List and add applications, rotate their secrets
    Application(applications::Args),
    /// Add devices with their keys; list, show, block, unblock and remove them; rotate their keys; generate setup codes
    Device(devices::Args),
    /// List device templates, and require setup codes for their devices
    Template(templates::Args),
    /// List, show and retry outgoing messages, send a test message
    Outbox(outbox::Args),
    /// List the daily message budgets of devices, users and manufacturers; set those of a manufacturer
    Budget(budgets::Args),
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    match args.command {
        Some(Command::Init(args)) => init::run(args).await,
        Some(Command::Migrate(args)) => migrate::run(args).await,
        Some(Command::User(args)) => users::run(args).await,
        Some(Command::Role(args)) => roles::run(args).await,
        Some(Command::Application(args)) => applications::run(args).await,
        Some(Command::Device(args)) => devices::run(args).await,
        Some(Command::Template(args)) => templates::run(args).await,
        Some(Command::Outbox(args)) => outbox::run(args).await,
        Some(Command::Budget(args)) => budgets::run(args).await,
        None => serve::run(args.node).await,
    }
}
