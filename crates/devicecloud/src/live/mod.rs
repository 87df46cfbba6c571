//! The live stream manager: a subscription and its stream for the devices of a session.
//!
//! `state_machine` decides, `task` performs the effects, `upstream` is the interface to the cloud.

mod fleet;
mod machine;
mod manager;
mod task;
mod upstream;

#[cfg(test)]
mod tests;

pub(crate) use fleet::Fleet;
pub use machine::LiveStreamState;
pub use manager::{LiveStreamManager, LiveStreamStates};
