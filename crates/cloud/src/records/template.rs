//! Device templates.

use jiff::civil::Time;
use serde_json::Value;

use crate::domain::schedule::FirePoint;
use crate::domain::value::{BaseType, Direction, Limits};

/// A type of device.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    /// Its name, by which devices refer to it.
    pub name: String,
    /// Its properties, in list order.
    pub properties: Vec<TemplateProperty>,
    /// Schedules that a device receives when it is registered.
    pub schedules: Vec<TemplateSchedule>,
}

/// A daily schedule of a [`Template`], in the time zone of the device.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateSchedule {
    /// As on the wire.
    pub name: String,
    /// The name that people see.
    pub display_name: String,
    /// Whether it is active from the start; otherwise a user activates it.
    pub active: bool,
    /// When it starts each day.
    pub start: Time,
    /// When it ends; on the next day if this is not after `start`.
    pub end: Time,
    /// The properties that it sets.
    pub actions: Vec<TemplateAction>,
}

/// An action of a [`TemplateSchedule`]: it sets a property.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateAction {
    /// The property's name.
    pub property: String,
    /// The type of its values.
    pub base_type: BaseType,
    /// The value to set.
    pub value: Value,
    /// When the value is set.
    pub at: FirePoint,
}

/// A property that every device of a template has.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateProperty {
    /// As on the wire.
    pub name: String,
    /// The name that people see.
    pub display_name: String,
    /// The type of its values.
    pub base_type: BaseType,
    /// Who writes it.
    pub direction: Direction,
    /// Whether the device acknowledges what users write.
    pub ack_enabled: bool,
    /// Retention of its datapoints.
    pub retention_days: u32,
    /// The range of a number and the pattern of a text, in addition to those of the type.
    pub limits: Limits,
}
