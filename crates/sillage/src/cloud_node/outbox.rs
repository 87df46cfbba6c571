//! `sillage cloud outbox`.

use anyhow::bail;
use clap::builder::PossibleValuesParser;
use clap::{Subcommand, value_parser};
use cloud::operator::Message;
use cloud::{MessageState, PhoneNumber};
use jiff::Timestamp;
use serde::Serialize;

use super::output::{self, ListFormat};
use super::target::CloudTarget;
use super::users::address;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List the newest messages
    List(List),
    /// Show a message with its address, its link and its text
    Show(MessageArgs),
    /// Retry a message that was given up, or held because no mail server or text gateway was configured
    Retry(MessageArgs),
    /// Send a test message to a mail address or a phone number
    Test(Test),
}

#[derive(clap::Args)]
struct List {
    #[command(flatten)]
    target: CloudTarget,
    #[command(flatten)]
    format: ListFormat,
    /// Only messages in this state: kept (no mail server or text gateway configured), waiting, sent, or failed (given up)
    #[arg(long, value_name = "STATE",
          value_parser = PossibleValuesParser::new(MessageState::ALL.map(MessageState::as_str)))]
    state: Option<String>,
    /// Maximum number of messages
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = value_parser!(u32).range(1..=10_000))]
    most: u32,
    /// Show whole addresses
    #[arg(long)]
    addresses: bool,
}

/// A message in a list: without its text and link, which signs its reader in.
#[derive(Serialize)]
struct ListedMessage {
    id: String,
    created_at: Timestamp,
    kind: String,
    channel: String,
    /// Masked unless `--addresses` is set.
    recipient: String,
    state: String,
    attempts: i64,
    last_error: Option<String>,
}

#[derive(clap::Args)]
struct MessageArgs {
    #[command(flatten)]
    target: CloudTarget,
    /// The message's id, from `sillage cloud outbox list`
    id: String,
}

#[derive(clap::Args)]
struct Test {
    #[command(flatten)]
    target: CloudTarget,
    /// The recipient: a mail address, or a phone number such as +33612345678
    #[arg(value_parser = recipient)]
    to: MessageRecipient,
}

#[derive(Clone)]
enum MessageRecipient {
    Address(String),
    Phone(PhoneNumber),
}

fn recipient(text: &str) -> Result<MessageRecipient, &'static str> {
    if !text.starts_with('+') {
        return address(text).map(MessageRecipient::Address);
    }
    PhoneNumber::parse(text).map(MessageRecipient::Phone).ok_or("not a phone number")
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    match args.command {
        Command::List(list) => self::list(list).await,
        Command::Show(MessageArgs { target, id }) => {
            let (operator, _) = target.open().await?;
            match operator.message(&id).await? {
                Some(message) => show(&message),
                None => bail!("there is no message {id}"),
            }
        }
        Command::Retry(MessageArgs { target, id }) => {
            let (operator, _) = target.open().await?;
            if operator.retry_message(&id).await? {
                return output::print_line(
                    "Queued; a node with a mail server (or a text gateway, for a text message) sends it.",
                );
            }
            match operator.message(&id).await? {
                Some(message) => bail!("the message is {}; nothing was changed", message.state),
                None => bail!("there is no message {id}"),
            }
        }
        Command::Test(Test { target, to }) => {
            let (operator, oem) = target.open().await?;
            match to {
                MessageRecipient::Address(email) => operator.write_test_message(&oem, &email).await?,
                MessageRecipient::Phone(number) => operator.write_test_text(&oem, &number).await?,
            }
            output::print_line(
                "Queued; a node with a mail server (or a text gateway, for a text message) sends it. See `sillage cloud outbox list`.",
            )
        }
    }
}

async fn list(List { target, format, state, most, addresses }: List) -> anyhow::Result<()> {
    let (operator, _) = target.open().await?;
    let state = state.and_then(|name| MessageState::ALL.into_iter().find(|state| state.as_str() == name));
    let listed = |message: Message| ListedMessage {
        id: message.id,
        created_at: message.created_at,
        kind: message.kind,
        channel: message.channel,
        recipient: if addresses { message.recipient } else { masked(&message.recipient) },
        state: message.state,
        attempts: message.attempts,
        last_error: message.last_error,
    };
    let row = |message: &ListedMessage| {
        [
            message.id.clone(),
            message.created_at.strftime("%Y-%m-%d %H:%M:%SZ").to_string(),
            message.kind.clone(),
            message.channel.clone(),
            message.recipient.clone(),
            message.state.clone(),
            message.attempts.to_string(),
            message.last_error.clone().unwrap_or_default(),
        ]
    };
    let messages: Vec<_> = operator.messages(state, most).await?.into_iter().map(listed).collect();
    format.print(&messages, ["Id", "Written", "Kind", "Channel", "To", "State", "Attempts", "Last refusal"], row)
}

fn show(message: &Message) -> anyhow::Result<()> {
    let time = |at: jiff::Timestamp| at.strftime("%Y-%m-%d %H:%M:%SZ").to_string();
    let waits = message.state == MessageState::Waiting.as_str();
    for (name, value) in [
        ("Id", Some(message.id.clone())),
        ("Kind", Some(message.kind.clone())),
        ("Channel", Some(message.channel.clone())),
        ("To", Some(message.recipient.clone())),
        ("Subject", Some(message.subject.clone()).filter(|subject| !subject.is_empty())),
        ("Template", message.email_template_id.clone()),
        ("Written", Some(time(message.created_at))),
        ("State", Some(message.state.clone())),
        ("Attempts", Some(message.attempts.to_string())),
        ("Last refusal", message.last_error.clone()),
        ("Next attempt", waits.then(|| time(message.due_at))),
        ("Taken", message.delivered_at.map(time)),
    ] {
        if let Some(value) = value {
            output::print_line(&format!("{name:<13} {value}"))?;
        }
    }
    output::print_line("")?;
    output::print_text(&message.body)
}

/// Shortens a recipient so that only its owner recognises it.
fn masked(recipient: &str) -> String {
    match recipient.rsplit_once('@') {
        Some((name, domain)) => format!("{}***@{domain}", name.chars().next().unwrap_or_default()),
        None if recipient.starts_with('+') => {
            let end: Vec<char> = recipient.chars().rev().take(2).collect();
            format!("+***{}", end.iter().rev().collect::<String>())
        }
        None => "***".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masked_recipient_keeps_the_domain_or_the_last_digits() {
        assert_eq!(masked("ada@example.com"), "a***@example.com");
        assert_eq!(masked("+33612345678"), "+***78");
        assert_eq!(masked("nobody"), "***");
    }
}
