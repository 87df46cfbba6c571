//! The latest commands of a device and their status.

use devicecloud::{Device, Property, PropertyValue};
use diffuser::properties;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::records::{property, timestamp};

/// The latest command for each value that users set. Values that no user has set are absent.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Commands {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Command, required = false)]
    mode: Option<Command>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Command, required = false)]
    cycle: Option<Command>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Command, required = false)]
    intensity: Option<Command>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Command, required = false)]
    fan: Option<Command>,
    /// Sent by a reset, or when a computed level is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Command, required = false)]
    fragrance_remaining: Option<Command>,
    /// Sent by a reset only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = CommandStatus, required = false)]
    cartridge_life: Option<CommandStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = CommandStatus, required = false)]
    schedule: Option<CommandStatus>,
}

/// A command with a numeric value.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Command {
    value: i64,
    #[serde(flatten)]
    status: CommandStatus,
    /// The value that the device last reported.
    #[schema(required)]
    reported: Option<i64>,
}

/// The status of a command.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CommandStatus {
    state: CommandState,
    #[schema(value_type = String, format = DateTime)]
    sent_at: Timestamp,
    /// When the device acknowledged or rejected the command.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    answered_at: Option<Timestamp>,
    /// When the command expires if the device does not answer.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    expires_at: Option<Timestamp>,
}

/// The state of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CommandState {
    Pending,
    Acknowledged,
    Failed,
    Expired,
}

impl Commands {
    pub(super) fn of(device: &Device) -> Self {
        let command = |name: &str| property(device, name).and_then(Command::of);
        let status = |name: &str| property(device, name).and_then(CommandStatus::of);
        Self {
            mode: command(properties::CURRENT_STATE),
            cycle: command(properties::CYCLE),
            intensity: command(properties::INTENSITY),
            fan: command(properties::FAN),
            fragrance_remaining: command(properties::FRAGRANCE_REMAINING),
            cartridge_life: status(properties::CARTRIDGE_LIFE),
            schedule: status(properties::SCHEDULE_BLOB),
        }
    }
}

impl Command {
    fn of(property: &Property) -> Option<Self> {
        Some(Self {
            value: property.command.as_ref()?.value.as_ref()?.as_i64()?,
            status: CommandStatus::of(property)?,
            reported: property.reported_value.as_ref().and_then(PropertyValue::as_i64),
        })
    }
}

impl CommandStatus {
    fn of(property: &Property) -> Option<Self> {
        let command = property.command.as_ref()?;
        let state = CommandState::of(&command.state)?;
        Some(Self {
            state,
            sent_at: timestamp(command.created_at?),
            // Until a command is answered, `acked_at` belongs to the previous one.
            answered_at: property.acked_at.filter(|_| state.is_answered()).map(timestamp),
            expires_at: command.expires_at.map(timestamp),
        })
    }
}

impl CommandState {
    /// `None` for a state that only a newer cloud knows; the web could not display it either.
    fn of(state: &devicecloud::CommandState) -> Option<Self> {
        match state {
            devicecloud::CommandState::Pending => Some(Self::Pending),
            devicecloud::CommandState::Acknowledged => Some(Self::Acknowledged),
            devicecloud::CommandState::Failed => Some(Self::Failed),
            devicecloud::CommandState::Expired => Some(Self::Expired),
            _ => None,
        }
    }

    fn is_answered(self) -> bool {
        matches!(self, Self::Acknowledged | Self::Failed)
    }
}
