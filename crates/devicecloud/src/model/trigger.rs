use serde::Serialize;

use super::read::{Fields, FromWire};
use super::wire_enum::wire_enum;
use super::{BaseType, NotificationAppType, Time, TriggerAppKey, TriggerKey};
use crate::debug::debug_only;

wire_enum! {
    /// Which values fire a trigger.
    TriggerType {
        /// Every value.
        Always = "always",
        /// Values for which the comparison with the trigger's value is true; see [`CompareType`].
        CompareAbsolute = "compare_absolute",
        /// Values that differ from the previous one.
        OnChange = "on_change",
    }
}

wire_enum! {
    /// The comparison of a property's value with the trigger's value.
    CompareType {
        /// Equal.
        Equal = "==",
        /// Greater than.
        Greater = ">",
        /// Less than.
        Less = "<",
        /// Greater than or equal.
        GreaterOrEqual = ">=",
        /// Less than or equal.
        LessOrEqual = "<=",
    }
}

/// Notifies people of values of a property. `Debug` output contains no recipients.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Trigger {
    /// The key; blank if the cloud does not send it.
    pub key: TriggerKey,
    /// Which values fire it.
    pub trigger_type: TriggerType,
    /// The comparison with `value`.
    pub compare_type: Option<CompareType>,
    /// The value to compare with.
    pub value: Option<String>,
    /// The type of the property's values.
    pub base_type: Option<BaseType>,
    /// The period, as the cloud sends it.
    pub period: Option<String>,
    /// Whether it belongs to the device instead of a user; false by default.
    pub asset: bool,
    /// Whether it is active; false by default.
    pub active: bool,
    /// When it last fired.
    pub triggered_at: Option<Time>,
    /// The recipients.
    pub trigger_apps: Vec<TriggerApp>,
}

debug_only!(Trigger { key, trigger_type, compare_type, base_type, active, trigger_apps });

/// A recipient of a [`Trigger`] and the channel to reach it. The parameters of an e-mail are address, subject and
/// message; those of a text message are country code, phone number and message. `Debug` output does not contain them.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TriggerApp {
    /// The key; blank if the cloud does not send it.
    pub key: TriggerAppKey,
    /// The trigger.
    pub trigger_key: TriggerKey,
    /// The channel.
    pub name: NotificationAppType,
    /// How often the message is repeated while the condition holds, in seconds.
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

debug_only!(TriggerApp { key, trigger_key, name });

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
