use std::fmt;

use serde::Serialize;

use crate::model::read::{Fields, FromWire};
use crate::model::wire_enum::wire_enum;
use crate::model::{BaseType, NotificationAppType, Time, TriggerAppKey, TriggerKey};

wire_enum! {
    /// Of which values a trigger tells.
    TriggerType {
        /// Of each.
        Always = "always",
        /// Of those that compare with the trigger's value as its [`CompareType`] says.
        CompareAbsolute = "compare_absolute",
        /// Of those that are others than the ones before.
        OnChange = "on_change",
    }
}

wire_enum! {
    /// How a value compares with that of a trigger.
    CompareType {
        /// It is the same.
        Equal = "==",
        /// It is greater.
        Greater = ">",
        /// It is less.
        Less = "<",
        /// It is the same or greater.
        GreaterOrEqual = ">=",
        /// It is the same or less.
        LessOrEqual = "<=",
    }
}

/// Tells people of the values of a property. `Debug` shows what it tells of, and of whom nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Trigger {
    /// The key; blank when the cloud does not tell.
    pub key: TriggerKey,
    /// Of which values.
    pub trigger_type: TriggerType,
    /// How they compare with `value`.
    pub compare_type: Option<CompareType>,
    /// What they are compared with.
    pub value: Option<String>,
    /// The type of the property's values.
    pub base_type: Option<BaseType>,
    /// When it is looked at, in the cloud's own words.
    pub period: Option<String>,
    /// Whether it belongs to the device, and not to a user; false by default.
    pub asset: bool,
    /// Whether it tells anything; false by default.
    pub active: bool,
    /// When it last told.
    pub triggered_at: Option<Time>,
    /// Whom it tells, and how.
    pub trigger_apps: Vec<TriggerApp>,
}

/// One way to one recipient of a [`Trigger`]. What the parameters mean depends on the way: of an e-mail they are the address,
/// the subject and the message; of a text message the country's code, the number and the message. `Debug` does not show them.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TriggerApp {
    /// The key; blank when the cloud does not tell.
    pub key: TriggerAppKey,
    /// The trigger.
    pub trigger_key: TriggerKey,
    /// The way.
    pub name: NotificationAppType,
    /// After how many seconds it tells again while it still holds.
    pub repeat_freq: Option<i64>,
    /// The first parameter.
    pub param1: Option<String>,
    /// The second parameter.
    pub param2: Option<String>,
    /// The third parameter.
    pub param3: Option<String>,
    /// The fourth parameter.
    pub param4: Option<String>,
    /// The fifth parameter.
    pub param5: Option<String>,
}

impl FromWire for Trigger {
    const WRAPPER: &'static str = "trigger";

    fn from_wire(fields: &Fields<'_>) -> Self {
        Self {
            key: fields.id("key"),
            trigger_type: fields.text_or_empty("trigger_type").as_str().into(),
            compare_type: fields.text("compare_type").map(|text| text.as_str().into()),
            value: fields.text("value"),
            base_type: fields.text("base_type").map(|text| text.as_str().into()),
            period: fields.text("period"),
            asset: fields.flag("asset"),
            active: fields.flag("active"),
            triggered_at: fields.time("triggered_at"),
            trigger_apps: fields.many("trigger_apps"),
        }
    }
}

impl FromWire for TriggerApp {
    const WRAPPER: &'static str = "trigger_app";

    fn from_wire(fields: &Fields<'_>) -> Self {
        Self {
            key: fields.id("key"),
            trigger_key: fields.id("trigger_key"),
            name: fields.text_or_empty("name").as_str().into(),
            repeat_freq: fields.integer("repeat_freq"),
            param1: fields.text("param1"),
            param2: fields.text("param2"),
            param3: fields.text("param3"),
            param4: fields.text("param4"),
            param5: fields.text("param5"),
        }
    }
}

impl fmt::Debug for TriggerApp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TriggerApp")
            .field("key", &self.key)
            .field("trigger_key", &self.trigger_key)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
