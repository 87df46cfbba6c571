//! The index: a rebuildable copy of the cloud's device data for lists. It can be dropped and filled again at any time.

mod changed_device;
mod cloud_read;
mod columns;
mod cursor;
mod due_reads;
mod filter;
mod fleet;
pub(crate) mod fleet_days;
mod fleet_samples;
pub(crate) mod forecasts;
mod memory;
mod merge;
pub(crate) mod observed_devices;
mod page_memory;
mod pass;
mod query;
mod row;
mod schema;
mod scope;
mod stored;
mod stream_change;
mod stream_group;
mod stream_progress;
pub(crate) mod streamed_values;
mod sync_state;
#[cfg(test)]
mod tests;
mod text;
mod turns;
mod upsert;
mod user_counts;

pub(crate) use cloud_read::CloudRead;
pub(crate) use columns::{Comparison, DeviceSort, FILTERS, FilterColumn, STATUS};
pub(crate) use cursor::Cursor;
pub(crate) use due_reads::DueReads;
pub(crate) use filter::{DeviceFilter, Near, OfflineFor, RunsDryWithin, TextMatch, whole_minute};
pub(crate) use fleet::{CloudFleet, Due};
pub(crate) use fleet_samples::fleet_samples;
pub(crate) use memory::{Counts, DeviceLists, EmptiedBy, ListScan, ValueCount};
#[cfg(any(test, feature = "testing"))]
pub(crate) use merge::apply_read;
pub(crate) use merge::read_and_apply;
pub(crate) use page_memory::PageMemory;
pub(crate) use pass::{PassError, PassReport, complete_pass, run_pass};
pub(crate) use query::{ListQuery, find_with, visible_dsns};
#[cfg(any(test, feature = "testing"))]
pub(crate) use row::IndexEntry;
pub(crate) use stream_change::StreamChange;
pub(crate) use stream_group::{DeviceChanges, apply_group, find_applied};
pub(crate) use stream_progress::StreamProgress;
pub(crate) use sync_state::{
    IndexTimes, LEASE, advance, complete_people, drop_index, people_as_of, request_pass, sync_state, times,
};
pub(crate) use text::{matches, search_patterns};
pub(crate) use user_counts::users_by_csp;
