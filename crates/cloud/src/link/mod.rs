//! The device link: an MQTT 3.1.1 endpoint for devices (docs/device-link.md).
//!
//! No broker: a device speaks with the cloud alone, under its own dsn. [`gateway`] accepts, with [`tls`] where it is asked
//! for; [`sign_in`] checks the key, [`session`] is one connection and [`end`] why it ends, [`registry`] knows who is
//! connected, [`refusals`] who was refused lately. [`topics`], [`payload`], [`upward`], [`queue`] and [`rate`] are the
//! rules, pure. What is stored, and whether a command still waits, is decided by
//! [`LinkService`](crate::devices::link::LinkService).

mod codec;
#[cfg(any(test, feature = "testing"))]
pub(crate) mod fuzz;
mod gateway;
mod inbound;
mod payload;
mod rate;
mod refusals;
mod registry;
mod send_queue;
mod session;
mod session_end;
mod shared;
mod sign_in;
pub(crate) mod tls;
mod topics;

pub(crate) use gateway::Gateway;
