//! The device template: the properties of a diffuser with their types and limits.

use crate::properties::{
    APPLIANCE_LIFE, CARTRIDGE_LIFE, CLOCK_MODE, CURRENT_SCHEDULE_RUNNING, FRAGRANCE_REMAINING, HOST_VERSION,
    OEM_HOST_VERSION, PUMP_LIFE, SCHEDULE_BLOB,
};
use crate::{Schedule, Setting};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaseType {
    Integer,
    Decimal,
    String,
}

impl BaseType {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Decimal => "decimal",
            Self::String => "string",
        }
    }
}

/// The direction of a property, from the device's point of view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Users write it; the device applies, acknowledges and reports it.
    Input,
    /// Only the device writes it.
    Output,
}

impl Direction {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Property {
    pub name: &'static str,
    pub display_name: &'static str,
    pub base_type: BaseType,
    pub direction: Direction,
    /// The smallest and the largest number, if limited.
    pub range: Option<(i32, i32)>,
    /// A regular expression that the whole text must match.
    pub pattern: Option<&'static str>,
}

impl Property {
    /// Whether the device acknowledges writes: it does for all input properties.
    pub fn ack_enabled(&self) -> bool {
        self.direction == Direction::Input
    }
}

/// A device template. Properties have no default: a value that was never reported is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Template {
    pub name: &'static str,
    pub retention_days: u32,
    pub properties: &'static [Property],
}

pub const TEMPLATE: Template = Template {
    name: "diffuser",
    retention_days: 400,
    properties: &[
        Property { pattern: Some(Schedule::PATTERN), ..input(SCHEDULE_BLOB, "Schedule", BaseType::String) },
        setting(Setting::Mode),
        setting(Setting::OffCycle),
        setting(Setting::Intensity),
        setting(Setting::Fan),
        Property { range: LIFE, ..input(CARTRIDGE_LIFE, "Cartridge life", BaseType::Decimal) },
        Property { range: Some((0, 100)), ..input(FRAGRANCE_REMAINING, "Fragrance remaining", BaseType::Integer) },
        Property { range: LIFE, ..output(APPLIANCE_LIFE, "Appliance life", BaseType::Decimal) },
        Property { range: LIFE, ..output(PUMP_LIFE, "Pump life", BaseType::Decimal) },
        output(CLOCK_MODE, "Clock mode", BaseType::Integer),
        output(HOST_VERSION, "Host version", BaseType::String),
        output(OEM_HOST_VERSION, "OEM host version", BaseType::String),
        Property {
            range: Some((0, 21)),
            ..output(CURRENT_SCHEDULE_RUNNING, "Current schedule running", BaseType::Integer)
        },
    ],
};

/// Hours cannot be negative.
const LIFE: Option<(i32, i32)> = Some((0, i32::MAX));

const fn setting(setting: Setting) -> Property {
    let (min, max) = setting.range();
    Property { range: Some((min as i32, max as i32)), ..input(setting.property(), setting.label(), BaseType::Integer) }
}

const fn input(name: &'static str, display_name: &'static str, base_type: BaseType) -> Property {
    Property { name, display_name, base_type, direction: Direction::Input, range: None, pattern: None }
}

const fn output(name: &'static str, display_name: &'static str, base_type: BaseType) -> Property {
    Property { name, display_name, base_type, direction: Direction::Output, range: None, pattern: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn template_has_thirteen_properties() {
        let rows: Vec<_> = TEMPLATE
            .properties
            .iter()
            .map(|it| (it.name, it.base_type.as_str(), it.direction.as_str(), it.ack_enabled(), it.range))
            .collect();
        let expected = [
            ("schedule_blob", "string", "input", true, None),
            ("current_state", "integer", "input", true, Some((1, 4))),
            ("cycle", "integer", "input", true, Some((1, 3))),
            ("intensity", "integer", "input", true, Some((1, 50))),
            ("fan", "integer", "input", true, Some((0, 5))),
            ("cartridge_life", "decimal", "input", true, LIFE),
            ("fragrance_remaining", "integer", "input", true, Some((0, 100))),
            ("appliance_life", "decimal", "output", false, LIFE),
            ("pump_life", "decimal", "output", false, LIFE),
            ("clock_mode", "integer", "output", false, None),
            ("host_version", "string", "output", false, None),
            ("oem_host_version", "string", "output", false, None),
            ("current_schedule_running", "integer", "output", false, Some((0, 21))),
        ];
        assert_eq!(rows, expected);
        let patterns: Vec<_> = TEMPLATE.properties.iter().filter_map(|it| Some((it.name, it.pattern?))).collect();
        assert_eq!(patterns, [("schedule_blob", Schedule::PATTERN)]);
        assert_eq!((TEMPLATE.name, TEMPLATE.retention_days), ("diffuser", 400));
    }
}
