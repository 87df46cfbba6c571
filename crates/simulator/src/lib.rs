//! Virtual diffusers that speak the device link (docs/device-link.md), one task each, so that thousands fit into a process.
//!
//! [`State`] is what a diffuser is and how it obeys: pure. A [`Fleet`] connects such states to a cloud and keeps them there.
//! Chance comes from a seed and the device's dsn alone, so that a fleet behaves the same in every run.

mod chance;
mod fleet;
mod session;
mod state;
#[cfg(test)]
mod testing;
mod wire;

pub use fleet::{Fleet, Options, VirtualDevice};
pub use state::State;
