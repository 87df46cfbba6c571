//! Live data: one WebSocket that reconnects, heartbeats, and events.
//!
//! What has numbers is pure (frame, heartbeat, sequence, reconnect); the connection's task performs it.

mod connection;
mod dial;
mod frame;
mod handle;
mod heartbeat;
mod outbox;
mod reconnect;
mod sequence;

#[cfg(test)]
mod tests;

pub use handle::{DatapointEvent, StreamEvent, StreamHandle};

pub(crate) use reconnect::RECONNECT_DELAY;
