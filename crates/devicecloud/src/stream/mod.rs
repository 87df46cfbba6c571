//! Live data over a WebSocket that reconnects automatically.
//!
//! The rules are pure functions (`frame`, `heartbeat`, `sequence`, `reconnect`); the task in `connection` performs the
//! I/O.

mod connection;
mod connector;
mod event_queue;
mod frame;
mod handle;
mod heartbeat;
mod reconnect;
mod sequence;

#[cfg(test)]
mod tests;

pub use handle::{DatapointEvent, StreamEvent, StreamHandle};

pub(crate) use reconnect::RECONNECT_DELAY;
