//! The device link: an MQTT 3.1.1 endpoint for devices (docs/device-link.md).
//!
//! No broker: a device speaks with the cloud alone, under its own dsn. [`gateway`] accepts, [`sign_in`] checks the key,
//! [`session`] is one connection, [`registry`] knows who is connected, [`topics`] and [`payload`] are the rules, pure.
//! What is stored, and whether a command still waits, is decided by [`LinkService`](crate::devices::link::LinkService).

mod gateway;
mod payload;
mod registry;
mod session;
mod sign_in;
mod topics;

pub(crate) use gateway::Gateway;
