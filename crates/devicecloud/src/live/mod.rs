//! The live stream manager: a subscription and its stream for the devices of a session.
//!
//! `state_machine` decides, `task` performs the effects, `upstream` is the interface to the cloud.

mod devices;
mod events;
mod manager;
mod state_machine;
mod task;
mod upstream;

#[cfg(test)]
mod tests;

pub(crate) use devices::ManagedDevices;
pub use events::{LiveStreamEvent, LiveStreamEvents};
pub use manager::{LiveStreamManager, LiveStreamStates};
pub use state_machine::LiveStreamState;
#[cfg(test)]
pub(crate) use upstream::Upstream;
