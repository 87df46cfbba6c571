//! Copies the configuration of one device to others: the request, the snapshot of the source, the plan for each
//! target, and its execution.

mod perform;
mod plan;
pub(super) mod routes;
mod snapshot;
mod start;

pub(crate) use snapshot::DeviceSnapshot;
