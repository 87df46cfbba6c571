//! Virtual diffusers that speak the device link (docs/device-link.md), one task each, so that thousands fit into a process.
//!
//! [`State`] is what a diffuser is and how it obeys; `machine` lets time pass over it: both pure. A [`Fleet`] connects them
//! to a cloud and keeps them there. DeviceRng comes from a seed and the device's dsn alone, so that a fleet behaves the same in
//! every run.

mod clock;
mod drop_outs;
mod failure_log;
mod fleet;
mod hours;
mod link;
mod machine;
mod rng;
mod running;
mod session;
mod state;
#[cfg(test)]
mod testing;
mod wire;

pub use fleet::{Fleet, Options, VirtualDevice};
pub use hours::Hours;
pub use link::{Link, LinkError, Roots};
pub use running::Running;
pub use state::State;
