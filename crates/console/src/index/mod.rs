//! A copy of what lists need of the cloud's devices. Nothing is owned here: it can be dropped and filled again at any time.

mod apply;
mod changed;
mod filter;
mod fleet;
mod level;
mod memory;
mod merge;
mod place;
mod plan;
mod query;
mod read;
mod row;
mod schema;
mod scope;
mod selection;
mod sort;
mod sync;
#[cfg(test)]
mod tests;
mod text;
mod totals;
mod upsert;
mod walk;
mod wishes;

pub(crate) use apply::{Change, apply_change};
pub(crate) use filter::{DeviceFilter, Near, OfflineFor, Wanted};
pub(crate) use fleet::CloudFleet;
pub(crate) use memory::PageMemory;
pub(crate) use merge::apply_read;
pub(crate) use place::Place;
pub(crate) use query::{ListQuery, find, list, select};
pub(crate) use read::Read;
pub(crate) use row::Entry;
pub(crate) use sort::{DeviceSort, SortOrder};
pub(crate) use sync::{PassError, PassReport, run_pass};
pub(crate) use text::matches;
pub(crate) use totals::{Counts, counts, devices_by_csp};
pub(crate) use walk::Walk;
pub(crate) use wishes::{LEASE, as_of, ask, complete_people, drop_index, people_as_of, wishes};
