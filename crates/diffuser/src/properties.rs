//! The names of a diffuser's properties.

/// The weekly schedule as one string.
pub const SCHEDULE_BLOB: &str = "schedule_blob";
/// The mode.
pub const CURRENT_STATE: &str = "current_state";
pub const CYCLE: &str = "cycle";
pub const INTENSITY: &str = "intensity";
pub const FAN: &str = "fan";
/// Running hours of the current cartridge.
pub const CARTRIDGE_LIFE: &str = "cartridge_life";
/// Percent.
pub const FRAGRANCE_REMAINING: &str = "fragrance_remaining";
/// Hours.
pub const APPLIANCE_LIFE: &str = "appliance_life";
/// Hours.
pub const PUMP_LIFE: &str = "pump_life";
pub const CLOCK_MODE: &str = "clock_mode";
pub const HOST_VERSION: &str = "host_version";
pub const OEM_HOST_VERSION: &str = "oem_host_version";
/// The number of the running frame, or 0.
pub const CURRENT_SCHEDULE_RUNNING: &str = "current_schedule_running";
