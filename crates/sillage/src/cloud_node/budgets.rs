//! `sillage cloud budget`.

use clap::{Subcommand, value_parser};
use cloud::MessageLimitOverrides;
use cloud::operator::Spending;
use jiff::SignedDuration;
use jiff::civil::Date;
use serde::Serialize;

use super::output::{self, ListFormat};
use super::target::CloudTarget;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List the messages of a day by device, user, partner and manufacturer, with those that budgets held back
    List(List),
    /// Set limits of a manufacturer that differ from the options of the cloud
    Set(Set),
    /// Return a manufacturer to the options of the cloud
    Reset(Reset),
}

#[derive(clap::Args)]
struct List {
    #[command(flatten)]
    target: CloudTarget,
    #[command(flatten)]
    format: ListFormat,
    /// The day in UTC, such as 2026-11-20 [default: today]
    #[arg(long, value_name = "DATE")]
    day: Option<Date>,
    /// Maximum number of budgets
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = value_parser!(u32).range(1..=10_000))]
    most: u32,
}

#[derive(clap::Args)]
struct Set {
    #[command(flatten)]
    target: CloudTarget,
    #[command(flatten)]
    own: Own,
}

/// Limits to set; others keep their value.
#[derive(clap::Args)]
#[group(required = true, multiple = true)]
struct Own {
    /// Minimum time between messages of one trigger, notification or rule action to one recipient
    #[arg(long, value_name = "SECONDS")]
    gap: Option<u32>,
    /// Maximum number of messages a day about a device, by mail and by text message each
    #[arg(long, value_name = "NUMBER")]
    per_device: Option<u32>,
    /// Maximum number of messages a day of the triggers, notifications and rules of a user
    #[arg(long, value_name = "NUMBER")]
    per_author: Option<u32>,
    /// Maximum number of messages a day of the manufacturer
    #[arg(long, value_name = "NUMBER")]
    per_manufacturer: Option<u32>,
    /// Maximum number of messages a day about the devices of a partner
    #[arg(long, value_name = "NUMBER")]
    per_partner: Option<u32>,
}

/// The list in JSON.
#[derive(Serialize)]
struct Budgets {
    spending: Vec<Spending>,
    limits: OwnLimits,
}

/// The manufacturer's limits; null = the option of the cloud.
#[derive(Serialize)]
struct OwnLimits {
    gap_seconds: Option<i64>,
    per_device: Option<u32>,
    per_author: Option<u32>,
    per_manufacturer: Option<u32>,
    per_partner: Option<u32>,
}

impl From<MessageLimitOverrides> for OwnLimits {
    fn from(own: MessageLimitOverrides) -> Self {
        Self {
            gap_seconds: own.gap.map(|gap| gap.as_secs()),
            per_device: own.per_device,
            per_author: own.per_author,
            per_manufacturer: own.per_manufacturer,
            per_partner: own.per_partner,
        }
    }
}

#[derive(clap::Args)]
struct Reset {
    #[command(flatten)]
    target: CloudTarget,
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    match args.command {
        Command::List(List { target, format, day, most }) => {
            let (operator, oem) = target.open().await?;
            let spending = operator.message_spending(&oem, day, most).await?;
            let own = operator.message_limits(&oem).await?;
            if format.is_json() {
                return output::print_json(&Budgets { spending, limits: own.into() });
            }
            format.print(&spending, ["Budget", "Of", "Channel", "Messages", "Held back"], cells)?;
            print_limits(own)
        }
        Command::Set(Set { target, own }) => {
            let (operator, oem) = target.open().await?;
            let present = operator.message_limits(&oem).await?;
            let own = MessageLimitOverrides {
                gap: own.gap.map(|seconds| SignedDuration::from_secs(seconds.into())).or(present.gap),
                per_device: own.per_device.or(present.per_device),
                per_author: own.per_author.or(present.per_author),
                per_manufacturer: own.per_manufacturer.or(present.per_manufacturer),
                per_partner: own.per_partner.or(present.per_partner),
            };
            operator.set_message_limits(&oem, own).await?;
            print_limits(own)
        }
        Command::Reset(Reset { target }) => {
            let (operator, oem) = target.open().await?;
            operator.set_message_limits(&oem, MessageLimitOverrides::default()).await?;
            print_limits(MessageLimitOverrides::default())
        }
    }
}

fn cells(Spending { scope, name, channel, sent, held_back }: &Spending) -> [String; 5] {
    let name = name.as_deref().unwrap_or("(deleted)").to_owned();
    [scope.clone(), name, channel.clone(), sent.to_string(), held_back.to_string()]
}

/// Prints the manufacturer's limits that differ from the options of the cloud.
fn print_limits(own: MessageLimitOverrides) -> anyhow::Result<()> {
    if own == MessageLimitOverrides::default() {
        return output::print_line("Limits: the options of the cloud");
    }
    let shown = |limit: Option<i64>| limit.map_or_else(|| "the cloud's limit".to_owned(), |limit| limit.to_string());
    output::print_line(&format!(
        "Limits of this manufacturer: {} a day per device, {} per author, {} per partner, {} in total; {} seconds between messages",
        shown(own.per_device.map(i64::from)),
        shown(own.per_author.map(i64::from)),
        shown(own.per_partner.map(i64::from)),
        shown(own.per_manufacturer.map(i64::from)),
        shown(own.gap.map(|gap| gap.as_secs())),
    ))
}
