//! Options for the messages that devices cause.

use clap::value_parser;
use cloud::MessageLimits;
use jiff::SignedDuration;

/// Limits for manufacturers without separate limits (`sillage cloud budget set`).
#[derive(clap::Args)]
pub(super) struct Messages {
    /// Minimum time between messages of one trigger, notification or rule action to one recipient
    #[arg(long, default_value_t = 300, value_name = "SECONDS")]
    message_gap: u32,
    /// Maximum number of messages a day about a device, by mail and by text message each
    #[arg(long, default_value_t = 50, value_name = "NUMBER", value_parser = value_parser!(u32).range(1..))]
    messages_per_device: u32,
    /// Maximum number of messages a day of the triggers, notifications and rules of a user, by mail and by text message each
    #[arg(long, default_value_t = 200, value_name = "NUMBER", value_parser = value_parser!(u32).range(1..))]
    messages_per_author: u32,
    /// Maximum number of messages a day that the devices of a manufacturer cause, by mail and by text message each
    #[arg(long, default_value_t = 20_000, value_name = "NUMBER", value_parser = value_parser!(u32).range(1..))]
    messages_per_manufacturer: u32,
    /// Maximum number of messages a day about the devices of a partner, by mail and by text message each
    /// [default: a tenth of --messages-per-manufacturer]
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u32).range(1..))]
    messages_per_partner: Option<u32>,
}

impl Messages {
    pub(super) fn limits(&self) -> MessageLimits {
        MessageLimits {
            gap: SignedDuration::from_secs(self.message_gap.into()),
            per_device: self.messages_per_device,
            per_author: self.messages_per_author,
            per_manufacturer: self.messages_per_manufacturer,
            per_partner: self.messages_per_partner,
        }
    }
}
