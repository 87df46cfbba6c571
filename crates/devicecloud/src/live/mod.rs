//! The live stream manager: a subscription and its stream for the devices of a session.
//!
//! `machine` is the rules, pure; `task` performs what they ask for; `upstream` is the cloud as the task sees it.

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
