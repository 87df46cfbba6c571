use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::AttentionKind;

/// The thresholds of a CSP, and the kinds that it has turned off.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(as = AttentionThresholds)]
pub(crate) struct AttentionSettings {
    /// Days before a cartridge runs dry.
    #[schema(minimum = 1, maximum = 60)]
    pub(crate) runs_dry_days: i64,
    /// A cartridge with this level in percent or less is empty.
    #[schema(minimum = 0, maximum = 20)]
    pub(crate) empty_percent: i64,
    /// Minutes of its running time that a device may be offline.
    #[schema(minimum = 5, maximum = 10080)]
    pub(crate) offline_minutes: i64,
    /// Days from the installation to the first connection.
    #[schema(minimum = 1, maximum = 90)]
    pub(crate) never_connected_days: i64,
    /// Planned running hours without use.
    #[schema(minimum = 2, maximum = 72)]
    pub(crate) no_use_hours: i64,
    /// Use in percent of the planned running time.
    #[schema(minimum = 110, maximum = 500)]
    pub(crate) excess_use_percent: i64,
    /// Minutes until a device has to answer a command.
    #[schema(minimum = 5, maximum = 1440)]
    pub(crate) command_minutes: i64,
    /// Percent by which a level has to jump.
    #[schema(minimum = 10, maximum = 100)]
    pub(crate) level_jump_percent: i64,
    /// The kinds that open no items.
    pub(crate) disabled: Vec<AttentionKind>,
}

impl Default for AttentionSettings {
    fn default() -> Self {
        Self {
            runs_dry_days: 7,
            empty_percent: 0,
            offline_minutes: 60,
            never_connected_days: 2,
            no_use_hours: 8,
            excess_use_percent: 130,
            command_minutes: 60,
            level_jump_percent: 20,
            disabled: Vec::new(),
        }
    }
}

impl AttentionSettings {
    pub(crate) fn is_enabled(&self, kind: AttentionKind) -> bool {
        !self.disabled.contains(&kind)
    }

    /// Checks the ranges.
    ///
    /// # Errors
    /// A text for each field that is out of its range.
    pub(crate) fn validate(&self) -> Result<(), BTreeMap<String, Vec<String>>> {
        let rows = [
            ("runsDryDays", self.runs_dry_days, 1, 60),
            ("emptyPercent", self.empty_percent, 0, 20),
            ("offlineMinutes", self.offline_minutes, 5, 10_080),
            ("neverConnectedDays", self.never_connected_days, 1, 90),
            ("noUseHours", self.no_use_hours, 2, 72),
            ("excessUsePercent", self.excess_use_percent, 110, 500),
            ("commandMinutes", self.command_minutes, 5, 1440),
            ("levelJumpPercent", self.level_jump_percent, 10, 100),
        ];
        let mut errors: BTreeMap<String, Vec<String>> = rows
            .into_iter()
            .filter(|(_, value, min, max)| !(min..=max).contains(&value))
            .map(|(field, _, min, max)| (field.to_owned(), vec![format!("must be a whole number from {min} to {max}")]))
            .collect();
        if self.disabled.len() > AttentionKind::ALL.len() {
            errors.insert("disabled".to_owned(), vec!["must name each kind at most once".to_owned()]);
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}
