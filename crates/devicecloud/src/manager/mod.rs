//! Managed sessions: a user stays signed in, and the user's devices and properties stay up to date.
//!
//! State machines are pure functions `(state, event) → (state, effects)`; tasks perform the effects.

mod change;
mod core;
mod detail;
mod device;
mod device_calls;
mod device_manager;
mod driver;
mod freshness;
mod live_devices;
mod merge;
mod polling;
mod property;
mod schedule_calls;
mod session;
mod state_machine;
mod task;
mod write;

#[cfg(test)]
mod tests;

pub use crate::events::manager_event::{DeviceManagerEvent, DeviceManagerEvents, DeviceManagerState};
pub use change::{Change, ChangedFields, DeviceEvent, DeviceEvents, FleetEvents, ListItem};
pub use detail::DetailProvider;
pub use device::ManagedDevice;
pub use device_manager::DeviceManager;
pub use freshness::{Freshness, StaleReason};
pub use polling::{DEFAULT_DEVICE_POLL_INTERVAL, DEFAULT_POLL_TIMEOUT};
pub use property::ManagedProperty;
pub use session::{SessionManager, SessionManagerState};
pub use write::WriteProperty;
