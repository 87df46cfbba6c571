//! What a networked fragrance diffuser is, as plain data and pure functions: no I/O, no clock, no cloud.
//!
//! - [`properties`] and [`data_keys`]: the names under which a cloud keeps it, and its template.
//! - [`Mode`], [`OffCycle`], [`Fan`], [`SystemConfiguration`]: what can be set and what was built.
//! - [`Settings`]: a wish to change it, and why a wish is refused.
//! - [`max_intensity`], [`intensity_class`], [`level_class`]: limits and the classes that icons are drawn from.
//! - [`Schedule`]: the weekly schedule, its string, its conflicts, and what it runs at an instant.
//! - [`Fragrance`], [`remaining_percent`]: the catalogue, and how much is left of a cartridge.
//! - [`Role`]: the people around it.

mod catalogue;
mod configuration;
pub mod data_keys;
mod intensity;
mod level;
pub mod properties;
mod remaining;
mod roles;
mod schedule;
mod settings;
mod values;

pub use catalogue::{CATALOGUE_COLUMNS, Fragrance};
pub use configuration::SystemConfiguration;
pub use intensity::{MIN_INTENSITY, intensity_class, max_intensity};
pub use level::{LOW_PRODUCT_PERCENT, level_class};
pub use remaining::remaining_percent;
pub use roles::{END_USER, PARTNER_LABEL_KEY, Role};
pub use schedule::{Days, FRAME_COUNT, Frame, Schedule, ScheduleErrors, TimeOfDay, UnknownDays};
pub use settings::{Present, Settings, SettingsErrors};
pub use values::{Fan, Mode, OffCycle, OutOfRange};
