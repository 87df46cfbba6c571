//! Sums over groups of devices by day, for charts over time (docs/fleet.md). Only the node with the lease of the passes writes them:
//! a sample of the index each hour, and what each device has used when its readings are stored.

mod condition;
mod device_days;
mod group;
mod history;
mod retention;
mod samples;
mod store_months;
mod sums;
#[cfg(test)]
mod tests;

pub(crate) use device_days::{DeviceDays, PastDay, add_device_days};
pub(crate) use group::{Dimension, day_of, hour_of};
pub(crate) use history::{DaySelection, GroupDay, count_group_days, days, group_days, most_used, use_of};
pub(crate) use retention::delete_old_days;
pub(crate) use samples::{GroupSample, sample_times, write_samples};
pub(crate) use store_months::{
    StoreKey, StoreMonth, StoreSelection, StoreSums, beginning, count_store_months, store_months,
};
pub(crate) use sums::{DaySums, HOURS, LEVELS};

use jiff::SignedDuration;

/// Older use and refills of a device are not added: it is no longer known whether they have been.
const MAX_COUNTED_AGE: SignedDuration = SignedDuration::from_hours(56 * 24);

/// How long days and months of stores are kept: a year, and the month of the year before to compare with.
const RETENTION: SignedDuration = SignedDuration::from_hours(400 * 24);
/// Retention of the sums by customer. It is shorter because there may be as many customers as devices.
pub(crate) const CUSTOMER_RETENTION: SignedDuration = SignedDuration::from_hours(100 * 24);
