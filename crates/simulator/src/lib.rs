//! Virtual diffusers that speak the device link protocol (docs/device-link.md). Each is one task, so a process can run thousands.
//!
//! [`State`] holds a diffuser's values and applies commands, and `machine` advances it in time. Both are pure. A [`Fleet`]
//! connects diffusers to a cloud and reconnects them. Random numbers depend only on a seed and the device's dsn, so a fleet
//! behaves the same in every run.

mod clock;
mod fault;
mod fleet;
mod machine;
mod rng;
mod session;
mod state;
#[cfg(test)]
mod testing;
mod wire;

pub use clock::{Clock, ClockHandle};
pub use fault::Fault;
pub use fleet::{Fleet, Options, VirtualDevice};
pub use session::link::{Link, LinkError, Roots};
pub use state::State;
pub use state::hours::Hours;
pub use state::running::Running;
