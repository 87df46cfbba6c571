//! The device link: an MQTT 3.1.1 endpoint for devices (docs/device-link.md).
//!
//! There is no broker: a device communicates only with the cloud, under its own dsn. [`gateway`] accepts connections,
//! with [`platform::http::tls`] if configured; [`sign_in`] checks the key; [`session`] serves one connection until its [`session_end`];
//! [`slots`] limits the connections, [`closing`] spreads their ends when the node stops, [`registry`] holds the signed-in ones,
//! [`refusals`] counts refused ones and [`health`] reports whether new ones are accepted.
//! [`topics`], [`members`], [`payload`], [`inbound`], [`send_queue`] and [`rate`] are pure. Storage is the task of
//! [`LinkService`](crate::devices::link::LinkService).

mod closing;
mod codec;
#[cfg(any(test, feature = "testing"))]
pub(crate) mod fuzz;
mod gateway;
mod health;
mod inbound;
mod members;
mod payload;
mod rate;
mod refusals;
mod registry;
mod send_queue;
mod session;
mod session_end;
mod shared;
mod sign_in;
mod slots;
mod topics;

pub(crate) use gateway::Gateway;
pub(crate) use health::LinkHealth;
