//! What a user wished last, and what became of it.

use devicecloud::{Device, PropertyValue};
use diffuser::properties;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::record::{property, timestamp};

/// The newest wish of a user for each setting. A setting that no user ever wrote is absent.
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
    /// Of a reset, or of a level that was computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Command, required = false)]
    fragrance_remaining: Option<Command>,
}

/// A wish and what became of it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Command {
    value: i64,
    state: CommandState,
    #[schema(value_type = String, format = DateTime)]
    sent_at: Timestamp,
    /// When the device acknowledged it.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    acknowledged_at: Option<Timestamp>,
    /// When it is given up if the device stays silent.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    expires_at: Option<Timestamp>,
    /// What the device itself last reported.
    #[schema(required)]
    reported: Option<i64>,
}

/// What became of a wish.
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
        Self {
            mode: Command::of(device, properties::CURRENT_STATE),
            cycle: Command::of(device, properties::CYCLE),
            intensity: Command::of(device, properties::INTENSITY),
            fan: Command::of(device, properties::FAN),
            fragrance_remaining: Command::of(device, properties::FRAGRANCE_REMAINING),
        }
    }
}

impl Command {
    fn of(device: &Device, name: &str) -> Option<Self> {
        let property = property(device, name)?;
        let command = property.command.as_ref()?;
        let state = CommandState::of(&command.state)?;
        Some(Self {
            value: command.value.as_ref()?.as_i64()?,
            state,
            sent_at: timestamp(command.created_at?),
            // Beside a command that is still pending, `acked_at` speaks of the one before it.
            acknowledged_at: (state == CommandState::Acknowledged)
                .then_some(property.acked_at)
                .flatten()
                .map(timestamp),
            expires_at: command.expires_at.map(timestamp),
            reported: property.reported_value.as_ref().and_then(PropertyValue::as_i64),
        })
    }
}

impl CommandState {
    /// `None` for a state of a cloud that is newer than we are: the web could not name it either.
    fn of(state: &devicecloud::CommandState) -> Option<Self> {
        match state {
            devicecloud::CommandState::Pending => Some(Self::Pending),
            devicecloud::CommandState::Acknowledged => Some(Self::Acknowledged),
            devicecloud::CommandState::Failed => Some(Self::Failed),
            devicecloud::CommandState::Expired => Some(Self::Expired),
            _ => None,
        }
    }
}
