//! When a cartridge runs dry: the use on recent days.

mod daily_use;

pub use daily_use::{DAYS as DAILY_USE_DAYS, DailyUse};
