//! The domain model of a networked fragrance diffuser: plain data and pure functions, without I/O, clock or cloud.
//!
//! - [`properties`] and [`data_keys`]: names of properties and data at a cloud; [`template`]: the device template.
//! - [`Setting`]: the names, labels and ranges of the settings; [`Mode`], [`OffCycle`], [`Fan`]: their coded values.
//! - [`SystemConfiguration`]: the model.
//! - [`Settings`]: a requested change of settings, and its validation.
//! - [`max_intensity`], [`intensity_class`], [`level_class`]: limits, and the classes of the icons.
//! - [`Schedule`]: the weekly schedule: its string, its conflicts, and the running frame at an instant.
//! - [`Fragrance`], [`remaining_percent`]: the fragrance catalogue, and the remaining level of a cartridge.
//! - [`forecast`]: when a cartridge runs dry.
//! - [`Role`]: the roles of people who manage diffusers.

mod cartridge;
pub mod data_keys;
pub mod forecast;
pub mod properties;
mod roles;
mod schedule;
mod settings;
pub mod template;

pub use cartridge::catalogue::{CATALOGUE_COLUMNS, Fragrance};
pub use cartridge::configuration::SystemConfiguration;
pub use cartridge::level::{LOW_PRODUCT_PERCENT, level_class};
pub use cartridge::remaining::remaining_percent;
pub use roles::{END_USER, PARTNER_LABEL_KEY, Role};
pub use schedule::{Days, FRAME_COUNT, Frame, Schedule, ScheduleErrors, TimeOfDay, UnknownDays};
pub use settings::intensity::{MIN_INTENSITY, intensity_class, max_intensity};
pub use settings::setting::{OutOfRange, Setting};
pub use settings::values::{Fan, Mode, OffCycle};
pub use settings::{CurrentSettings, Settings, SettingsErrors};
