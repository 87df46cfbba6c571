//! The request to copy a device.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::error::ApiResult;
use crate::jobs;
use crate::rules::Rules;

/// The parts to copy, at least one, and the target devices. Omitted parts are not copied.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CopyForm {
    /// DSNs of the target devices, without that of the source; at most 5000.
    #[schema(required = true, nullable = false, min_items = 1, max_items = 5000)]
    targets: Option<Vec<String>>,
    /// Service area, customer, customer ID and store number.
    #[serde(default)]
    copy_name: bool,
    /// The fragrance.
    #[serde(default)]
    copy_id: bool,
    #[serde(default)]
    schedules: bool,
    /// Method, recipient and events of each notification. The target's own notifications are kept.
    #[serde(default)]
    notifications: bool,
    /// Mode, off-cycle, intensity and fan speed.
    #[serde(default)]
    settings: bool,
    /// Latitude, longitude, time zone, city, state or province, and country.
    #[serde(default)]
    location: bool,
}

/// The selected parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CopyOptions {
    pub(super) name: bool,
    pub(super) id: bool,
    pub(super) schedules: bool,
    pub(super) notifications: bool,
    pub(super) settings: bool,
    pub(super) location: bool,
}

impl CopyForm {
    /// Validates the request and returns the options and the distinct targets.
    ///
    /// # Errors
    /// 422 without an option or a target, and for invalid targets.
    pub(super) fn check(&self, source: &str) -> ApiResult<(CopyOptions, Vec<String>)> {
        let mut rules = Rules::default();
        let options = CopyOptions {
            name: self.copy_name,
            id: self.copy_id,
            schedules: self.schedules,
            notifications: self.notifications,
            settings: self.settings,
            location: self.location,
        };
        if options == CopyOptions::default() {
            rules.refuse("options", "Select at least one option");
        }
        let targets = jobs::parse_targets(&mut rules, "targets", &self.targets);
        if targets.iter().any(|dsn| dsn == source) {
            rules.refuse("targets", "A device cannot be copied to itself");
        }
        rules.kept((options, targets))
    }
}
