//! Live data over a WebSocket that reconnects automatically.
//!
//! The rules are pure functions (`frame`, `heartbeat`, `sequence`, `reconnect`); the task in `connection` performs the
//! I/O.

mod connection;
mod connector;
mod event_queue;
mod events;
mod frame;
#[cfg(feature = "testing")]
pub(crate) mod fuzz;
mod handle;
mod handshake;
mod heartbeat;
mod reconnect;
mod sequence;

#[cfg(test)]
mod tests;

pub use events::{DatapointEvent, OtherEvent, StreamEvent};
pub use handle::StreamHandle;

#[cfg(feature = "testing")]
pub(crate) use connection::read_event;
pub(crate) use connector::ConnectorFactory;
#[cfg(feature = "testing")]
pub(crate) use connector::rejection;
#[cfg(any(test, feature = "testing"))]
pub(crate) use connector::{Connector, Socket};
pub(crate) use reconnect::{Backoff, RECONNECT_DELAY};
